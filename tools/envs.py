"""Makes one virtual environment a framework and one for the book, from exact pins."""
from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tools import pins, processes
from tools.paths import BOOK

TAIL, WIDTH = 8, 200  # lines of a failed command's output that are shown, and their characters


class SetupError(Exception):
    """An environment that could not be made; the message says which, why and what to do."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment and the pins that it is made from."""
    pins: pins.Pins
    path: Path

    @property
    def name(self):
        return self.pins.name

    @property
    def python(self):
        return self.path / 'bin' / 'python'

    @property
    def stamp(self):
        """The file that is written last: without it, or with another text, the rest is waste."""
        return self.path / '.complete'

    def is_ready(self):
        """Whether it is finished, of the pins as they are now, and has all its packages."""
        try:
            found = json.loads(self.stamp.read_text(encoding='utf-8'))
            return (self.python.exists() and found['digest'] == self.pins.digest()
                    and found['python'] == version()
                    and set(found['packages']) <= set(self.packages()))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def packages(self):
        """What lies in its site-packages."""
        folders = self.path.glob('lib/python*/site-packages')
        return sorted(name for folder in folders for name in os.listdir(folder)
                      if name != '__pycache__')

    def finish(self):
        text = json.dumps({'digest': self.pins.digest(), 'python': version(),
                           'packages': self.packages()})
        draft = self.stamp.with_suffix('.draft')
        draft.write_text(text, encoding='utf-8')
        draft.replace(self.stamp)

    def remove(self):
        if self.path.exists():
            self.stamp.unlink(missing_ok=True)
            shutil.rmtree(self.path)

    def variables(self, root, threads=None):
        """Environment variables for a process in it: `os.environ` and what only it needs.

        Args:
            root: the checkout, from which d2lrnn is imported.
            threads: how many a framework may use; None leaves the choice to it.
        """
        own = {name: text.format(threads=threads) for name, text in self.pins.env.items()
               if threads or '{threads}' not in text}
        # packages are not compiled when they are installed: the first import has to keep what it
        # compiles, or every process would pay for it again
        return {**os.environ, **own, 'PYTHONPATH': str(root), 'PYTHONDONTWRITEBYTECODE': '',
                'PYTHONNOUSERSITE': '1'}


def version():
    return '{}.{}'.format(*sys.version_info)


def get(paths, name):
    """The environment of a backend module, or of the book."""
    return Environment(pins.read(paths.requirements / f'{name}.txt'), paths.venvs / name)


@contextlib.contextmanager
def lock(paths, announce=print):
    """Keep two runs in one checkout apart: the second waits, and says so."""
    paths.venvs.mkdir(parents=True, exist_ok=True)
    with open(paths.venvs / '.lock', 'a+', encoding='utf-8') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            announce(f'Another run (process {file.read().strip() or "unknown"}) is at work in '
                     f'{paths.root}; waiting until it ends (Ctrl-C gives up).')
            fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield file.fileno()


async def make(environment, paths, row, offline=False, held=()):
    """Make an environment that is not ready, from nothing.

    Args:
        environment: what to make.
        paths: the checkout.
        row: of a `progress`, shows how far it is.
        offline: install only from what pip finds on this machine.
        held: file descriptors that installers keep open, so that a lock outlives a killed run.

    Raises:
        SetupError: a command failed. What it left has no stamp, so the next run replaces it.
    """
    row.update('clearing')
    environment.remove()
    paths.logs.mkdir(parents=True, exist_ok=True)
    log = paths.logs / f'env-{environment.name}.log'
    counter = Counter(row, environment)
    with open(log, 'w', encoding='utf-8') as file:
        for command in _commands(environment, offline):
            status = await _watched(command, file, counter, held)
            if status:
                raise SetupError(_explain(environment, command, status, log, counter, offline))
    environment.finish()


def _commands(environment, offline):
    base = getattr(sys, '_base_executable', sys.executable)
    # the book's environment has a recent pip, which is twice as fast as the one that a Python
    # brings, and fills the others from outside
    own = environment.name == BOOK
    python = environment.python if own else sys.executable
    yield [base, '-m', 'venv', *([] if own else ['--without-pip']), environment.path]
    if environment.pins.lines:
        target = [] if own else ['--python', environment.python]
        yield [python, '-m', 'pip', *target, 'install', '--no-compile', '--no-input',
               '--disable-pip-version-check', *(['--no-index'] if offline else []),
               '--requirement', environment.pins.path]


async def _watched(command, file, counter, held):
    async def poll():
        while True:
            await asyncio.sleep(0.5)
            counter.look()
    watcher = asyncio.ensure_future(poll())
    try:
        return await processes.logged(command, file, counter.read, pass_fds=held)
    finally:
        watcher.cancel()


class Counter:
    """Counts packages in pip's output while it collects, and on disk while it installs."""

    def __init__(self, row, environment):
        self.row, self.environment = row, environment
        self.total, self.done, self.installing, self.lines = len(environment.pins.lines), 0, 0, []

    def read(self, line):
        if line.startswith('WARNING: Location') and line.endswith('nor a directory.'):
            return  # an extra index without this package: nothing to show
        self.lines.append(line)
        if line.startswith('Ignoring '):
            self.total -= 1
        elif line.startswith(('Collecting ', 'Processing ')):
            self.done += 1
            self.row.update('collecting', min(self.done, self.total), self.total)
        elif line.startswith('Installing collected packages: '):
            self.installing = line.count(',') + 1

    def look(self):
        if self.installing:
            done = sum(name.endswith('.dist-info') for name in self.environment.packages())
            self.row.update('installing', min(done, self.installing), self.installing)


def _explain(environment, command, status, log, counter, offline):
    tail = '\n'.join('    ' + line[:WIDTH] for line in counter.lines[-TAIL:])
    advice = ('Without --offline, pip also asks its package index.' if offline else
              'Check the network and `pip config list`; without a network, --offline installs from '
              'the folders that pip has in PIP_FIND_LINKS.')
    return (f'The environment {environment.name} could not be made: '
            f'`{" ".join(map(str, command))}` ended with status {status}:\n{tail}\n'
            f'  Full output: {log}\n  {advice} Then run this command again: finished environments '
            'are kept, this one is made anew.')


async def make_all(environments, paths, progress, jobs, offline=False, held=()):
    """Make all environments that are not ready, several at a time.

    Returns:
        Dictionary of each environment's name to a `SetupError`, or None where it is ready.
    """
    places = asyncio.Semaphore(jobs)

    async def one(environment):
        if environment.is_ready():
            return None
        async with places:
            with progress.row(f'environment {environment.name}') as row:
                try:
                    await make(environment, paths, row, offline, held)
                    row.end('made')
                    return None
                except (SetupError, OSError) as error:
                    row.end('FAILED')
                    return error if isinstance(error, SetupError) else SetupError(
                        f'The environment {environment.name} could not be made: {error}. Check '
                        f'that {paths.venvs} can be written to and has room.')
    failures = await asyncio.gather(*map(one, environments))
    return {environment.name: failure for environment, failure in zip(environments, failures)}
