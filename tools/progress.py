"""Progress: bars on a terminal, lines elsewhere. Only `Bars` needs more than Python itself.

    with progress.start() as shown, shown.row('a chapter') as row:
        row.update('cell', 3, 20)
        row.end('20 cells')
"""
from __future__ import annotations

import contextlib
import re
import shutil
import sys
import time

# colors, links and what else a terminal takes as an order
ANSI = re.compile(r'\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])')
QUIET = 15  # seconds between two lines of one row where there is no terminal


def plain(text):
    """A text without what only a terminal understands."""
    return ANSI.sub('', text)


class Row:
    """One thing that is being done; `end` says how it went.

    Args:
        shown: the progress that it belongs to.
        title: what is being done.
    """

    def __init__(self, shown, title):
        self.shown, self.title, self.began = shown, title, time.monotonic()
        self.stage, self.done, self.total, self.training, self.ended = '', 0, None, {}, False

    def update(self, stage, done=None, total=None, training=None):
        """Show how far it is.

        Args:
            stage: a word for what is counted.
            done, total: numbers, None where there is nothing to count.
            training: dictionary with `epoch`, `max_epochs`, `text`, where a model is being trained.
        """
        self.stage, self.done, self.total = stage, done, total
        self.training = training or {}
        self.shown.changed(self)

    def end(self, outcome):
        self.ended = True
        self.shown.say(f'{self.title}: {outcome}, {self.seconds():.0f} s')

    def seconds(self):
        return time.monotonic() - self.began

    def text(self):
        """How far it is, on one line."""
        count = f' {self.done}/{self.total}' if self.total else ''
        return '  '.join(part for part in (self.stage + count, self.epoch()) if part)

    def epoch(self):
        if not self.training.get('epoch'):
            return self.training.get('text', '')
        return 'epoch {epoch}/{max_epochs}  {text}'.format(
            **{'max_epochs': '?', 'text': '', **self.training})


class Lines:
    """A line when a row starts and ends, and at most one every 15 s between."""

    def __init__(self, file=None):
        self.file = file or sys.stdout
        self.last = {}

    @contextlib.contextmanager
    def row(self, title):
        row = Row(self, title)
        self.add(row)
        try:
            yield row
        finally:
            self.remove(row)

    def add(self, row):
        self.last[row] = time.monotonic()
        self.say(f'{row.title}: started')

    def remove(self, row):
        del self.last[row]

    def changed(self, row):
        if time.monotonic() - self.last[row] >= QUIET:
            self.last[row] = time.monotonic()
            self.say(f'{row.title}: {row.text()}, {row.seconds():.0f} s')

    def say(self, text):
        print(plain(text), file=self.file, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class OneLine(Lines):
    """One line on a terminal that is written over, for the time before there is anything better."""

    def add(self, row):
        self.changed(row)

    def remove(self, row):
        self.write('')

    def changed(self, row):
        self.write(f'{row.title}: {row.text()}, {row.seconds():.0f} s')

    def say(self, text):
        self.write(text)
        self.file.write('\n')

    def write(self, text):
        width = shutil.get_terminal_size().columns - 1
        self.file.write('\r\033[K' + text[:width])
        self.file.flush()


class Bars(Lines):
    """A live row for each thing that is being done, with a bar for it and one for training."""

    def __init__(self, console):
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        self.console, self.tasks = console, {}
        self.live = Progress(
            TextColumn('{task.description}'), TextColumn('{task.fields[stage]}'),
            BarColumn(bar_width=16), _training_bar(), TimeElapsedColumn(),
            console=console, transient=True)

    def add(self, row):
        self.tasks[row] = self.live.add_task(row.title, total=None, stage='', training={},
                                             epoch='')

    def remove(self, row):
        self.live.remove_task(self.tasks.pop(row))

    def changed(self, row):
        count = f' {row.done}/{row.total}' if row.total else ''
        self.live.update(self.tasks[row], completed=row.done or 0, total=row.total,
                         stage=row.stage + count, training=row.training, epoch=row.epoch())

    def say(self, text):
        from rich.text import Text
        self.console.print(Text.from_ansi(text), soft_wrap=True)

    def __enter__(self):
        self.live.start()
        return self

    def __exit__(self, *error):
        self.live.stop()


def _training_bar():
    from rich.progress import ProgressColumn
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    class TrainingBar(ProgressColumn):
        """The bar of the epochs and what the library says beside it."""

        def render(self, task):
            training = task.fields['training']
            if not training:
                return Text('')
            grid = Table.grid(padding=(0, 1))
            grid.add_row(ProgressBar(total=training.get('max_epochs') or 1,
                                     completed=training.get('epoch') or 0, width=16),
                         Text(task.fields['epoch'], no_wrap=True, overflow='ellipsis'))
            return grid

    return TrainingBar()


def start(console=None):
    """Bars on a terminal, lines elsewhere.

    Args:
        console: of rich, None for standard output.
    """
    from rich.console import Console
    console = console or Console()
    return Bars(console) if console.is_terminal else Lines()
