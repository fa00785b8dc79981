"""ProgressBoard: metrics drawn while they are measured."""
import collections
import io
import sys
import time

from tqdm import tqdm

from .figures import new_axes, set_axes, to_svg
from .hyperparameters import HyperParameters


def _notebook():
    """Return the shell of the notebook this runs in, else None."""
    if 'IPython' not in sys.modules:
        return None
    shell = sys.modules['IPython'].get_ipython()
    return shell if hasattr(shell, 'kernel') else None


class ProgressBoard(HyperParameters):
    """Curves that grow: a live plot in a notebook, lines of text elsewhere.

    It is redrawn at most twice a second and for at most a tenth of the time. The last drawing,
    at the end of training or of the notebook's cell, is always complete.

    Args:
        xlabel, ylabel, xlim, ylim, xscale, yscale: of the axes.
        ls: line styles, one a curve in turn.
        colors: line colors, one a curve in turn.
        fig, axes: a Matplotlib figure and its axes to draw into; None makes them.
        figsize: width and height in inches.
        display: False draws nothing.
    """

    def __init__(self, xlabel=None, ylabel=None, xlim=None, ylim=None, xscale='linear',
                 yscale='linear', ls=('-', '--', '-.', ':'), colors=('C0', 'C1', 'C2', 'C3'),
                 fig=None, axes=None, figsize=(3.5, 2.5), display=True):
        self.save_hyperparameters()
        self.start()

    def start(self, xlabel=None, xlim=None, title=None):
        """Begin a new drawing.

        Args:
            xlabel, xlim: of the horizontal axis, where the board has none yet.
            title: over the plot.
        """
        self.xlabel = self.xlabel or xlabel
        self.xlim = xlim or self.xlim
        self.title = title
        self.lines = collections.OrderedDict()
        self._waiting = collections.defaultdict(list)
        self._handle, self._next, self._status, self._stale = None, 0.0, {}, False

    def draw(self, x, y, label, every_n=1):
        """Add to a curve the mean of every `every_n` points, and redraw when it is time.

        Args:
            x, y: the point, numbers or scalar tensors.
            label: the curve.
            every_n: how many points make one of the curve.
        """
        waiting = self._waiting[label]
        waiting.append((float(x), float(y)))
        if len(waiting) < every_n:
            return
        self.add(*(sum(values) / len(waiting) for values in zip(*waiting)), label)
        waiting.clear()
        self.refresh()

    def add(self, x, y, label):
        """Add one point to a curve without drawing it yet.

        Args:
            x, y: numbers.
            label: the curve.
        """
        self.lines.setdefault(label, []).append((x, y))
        self._stale = True

    def refresh(self, epoch=None, max_epochs=None, values=None):
        """Redraw if the last drawing is long enough ago.

        Args:
            epoch, max_epochs: how far training is.
            values: dictionary of the epoch's means; None for each curve's last point.
        """
        values = values or {label: points[-1][1] for label, points in self.lines.items()}
        text = '  '.join(f'{label} {value:.4g}' for label, value in values.items())
        if self.title:
            text += f'  ({self.title})'
        self._status = {'epoch': epoch, 'max_epochs': max_epochs, 'text': text}
        shell = _notebook()
        if self._handle is None and shell is not None:
            shell.events.register('post_run_cell', self._end_of_cell)
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self):
        """Draw all points now, if any is new."""
        if not (self.display and self._stale):
            return
        began = time.monotonic()
        if _notebook() is None:
            epoch = self._status.get('epoch')
            of = f'epoch {epoch}/{self._status["max_epochs"]}  ' if epoch else ''
            tqdm.write(of + self._status.get('text', ''))
        else:
            self._show()
        self._stale = False
        ended = time.monotonic()
        self._next = ended + max(0.5, 10 * (ended - began))

    def _end_of_cell(self, _result):
        shell = _notebook()
        shell.events.unregister('post_run_cell', self._end_of_cell)
        self.flush()
        self._handle = None

    def _show(self):
        from IPython.display import display
        data = {'image/svg+xml': self.svg(), 'text/plain': self._status.get('text', '')}
        metadata = {'d2lrnn': self._status}
        if self._handle is None:
            self._handle = display(data, metadata=metadata, raw=True, display_id=True)
        else:
            self._handle.update(data, metadata=metadata, raw=True)

    def svg(self):
        """Return the plot as SVG text."""
        # A figure drawn before would be laid out a little otherwise than a new one.
        fig, axes = (self.fig, self.axes) if self.axes else new_axes(self.figsize)
        axes.cla()
        for i, (label, points) in enumerate(self.lines.items()):
            axes.plot(*zip(*points), self.ls[i % len(self.ls)], label=label,
                      color=self.colors[i % len(self.colors)])
        labels = [line.get_label() for line in axes.get_lines()]
        set_axes(axes, self.xlabel, self.ylabel, self.xlim, self.ylim, self.xscale, self.yscale,
                 labels)
        axes.set_title(self.title or '', fontsize='medium')
        buffer = io.StringIO()
        to_svg(fig, buffer)
        return buffer.getvalue()
