"""Matplotlib figures, as SVG and the same at every run."""
import numpy as np


def use_svg_display():
    """Show figures in notebooks as SVG."""
    from matplotlib_inline import backend_inline
    backend_inline.set_matplotlib_formats('svg', metadata={'Date': None})
    _fix_ids()


def _fix_ids():
    import matplotlib
    matplotlib.rcParams['svg.hashsalt'] = 'd2lrnn'


def set_figsize(figsize=(3.5, 2.5)):
    """Set the size of the figures to come.

    Args:
        figsize: width and height in inches.
    """
    from matplotlib import pyplot
    use_svg_display()
    pyplot.rcParams['figure.figsize'] = figsize


def new_axes(figsize):
    """Return a figure that pyplot does not know of, and its axes.

    Args:
        figsize: width and height in inches.
    """
    from matplotlib.figure import Figure
    fig = Figure(figsize=figsize, layout='constrained')
    return fig, fig.add_subplot()


def to_svg(fig, file):
    """Write a figure as SVG whose bytes depend on the figure alone.

    Args:
        fig: a Matplotlib figure.
        file: path or text buffer.
    """
    _fix_ids()
    fig.savefig(file, format='svg', metadata={'Date': None})


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend):
    """Set labels, ranges, scales, legend and grid of Matplotlib axes.

    Args:
        axes: the axes.
        xlabel, ylabel, xlim, ylim, xscale, yscale: as in Matplotlib; None leaves the default.
        legend: list of the lines' names; empty for none.
    """
    axes.set(xlabel=xlabel or '', ylabel=ylabel or '', xscale=xscale, yscale=yscale)
    if xlim is not None:
        axes.set_xlim(xlim)
    if ylim is not None:
        axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)
    axes.grid(True)


def plot(X, Y=None, xlabel=None, ylabel=None, legend=(), xlim=None, ylim=None, xscale='linear',
         yscale='linear', fmts=('-', 'm--', 'g-.', 'r:'), figsize=(3.5, 2.5), axes=None):
    """Plot one curve or several.

    Args:
        X: the x values, one sequence for all curves or one for each; with Y=None the y values.
        Y: the y values, a sequence or a list of sequences.
        xlabel, ylabel, xlim, ylim, xscale, yscale: of the axes.
        legend: names of the curves.
        fmts: Matplotlib formats, one a curve in turn.
        figsize: width and height in inches.
        axes: axes to draw into; None for the current figure's.
    """
    from matplotlib import pyplot
    set_figsize(figsize)
    axes = axes if axes is not None else pyplot.gca()
    X, Y = _curves(X), _curves(Y)
    if not Y:
        X, Y = [range(len(y)) for y in X], X
    elif len(X) == 1:
        X = X * len(Y)
    axes.cla()
    for i, (x, y) in enumerate(zip(X, Y)):
        # NumPy cannot take every framework's arrays, but all give their numbers one by one
        axes.plot([float(v) for v in x], [float(v) for v in y], fmts[i % len(fmts)])
    set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


def _curves(values):
    if values is None:
        return []
    if np.ndim(values[0]) == 0:
        return [values]
    return list(values)
