"""Makes the book's environment on the standard library alone and goes on inside it."""
from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import d2lrnn
from tools import cli, envs, pins, processes, progress, serve
from tools.paths import BOOK, HERE

BEGAN = 'D2LRNN_TOOLS_BEGAN'  # process id, and when it started to make the book's environment


def began():
    """When this process began, with what it did before it went on in the book's environment."""
    process, _, seconds = os.environ.get(BEGAN, '').partition(' ')
    return float(seconds) if process == str(os.getpid()) else time.time()


def main(arguments, paths=HERE, backends=d2lrnn.BACKENDS):
    """Run a command; returns the exit status."""
    began = time.time()
    options = cli.parse(arguments, paths, backends)
    try:
        if getattr(options, 'port', None) and not getattr(options, 'no_serve', False):
            serve.check(options.port)
        book = envs.get(paths, BOOK)
        if _inside(book) and book.is_ready():
            return cli.run(options, paths, backends)
        _prepare(book, paths, getattr(options, 'offline', False))
    except (envs.SetupError, pins.PinsError, serve.PortError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nStopped. What is finished is kept; run the command again to go on.',
              file=sys.stderr)
        return 130
    variables = {**book.variables(paths.root), BEGAN: f'{os.getpid()} {began}'}
    sys.stdout.flush()
    os.execve(book.python, [str(book.python), '-m', 'tools', *arguments], variables)


def _inside(book):
    return Path(sys.prefix).resolve() == book.path.resolve()


def _prepare(book, paths, offline):
    """Make the book's environment if it is not ready."""
    reason = book.pins.unsuitable()
    if reason:
        raise envs.SetupError(f'The environment {book.name} cannot be made with {sys.executable}: '
                              f'{reason}. Run the command with another Python.')
    if book.is_ready():
        return
    shown = progress.OneLine() if sys.stdout.isatty() else progress.Lines()
    with envs.lock(paths) as held:
        failures = processes.run(envs.make_all([book], paths, shown, 1, offline, (held,)))
    if failures[book.name]:
        raise failures[book.name]
