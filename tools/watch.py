"""`python3 -m tools book --watch`: builds again whenever something of the book is saved."""
from __future__ import annotations

import contextlib
import logging
import queue
import sys
import threading
import time
import traceback

import watchfiles

from tools import again, book, bootstrap, chapter, live, sync

PAUSE = 200  # milliseconds without another save that end a group of saves
MODULES = 'tools.site'  # what Sphinx has to import again after a change


class Saved(watchfiles.DefaultFilter):
    """Leaves out what editors and Python write beside the files."""
    ignore_entity_patterns = (*watchfiles.DefaultFilter.ignore_entity_patterns,
                              r'^\.', r'^#.*#$', r'^4913$', r'\.(tmp|bak|orig|draft)$')


@contextlib.contextmanager
def changes(folders):
    """Gives a queue of sets of paths that were saved; also while nobody waits for them."""
    found, stop = queue.Queue(), threading.Event()
    logging.getLogger('watchfiles').setLevel(logging.WARNING)

    def look():
        for group in watchfiles.watch(*folders, watch_filter=Saved(), step=PAUSE, stop_event=stop):
            found.put({path for _, path in group})
    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()


def wait(found):
    """What was saved since the last call; waits for the first."""
    saved = found.get()
    with contextlib.suppress(queue.Empty):
        while True:
            saved |= found.get_nowait()
    return saved


def watch(options, paths, backends):
    """Build, serve, and build again until Ctrl-C; returns the exit status."""
    memory, state = again.Memory(), live.State()
    library, site = paths.root / 'd2lrnn', paths.root / 'tools' / 'site'
    with (live.serving(paths.html, options.port, state) as address,
          changes([paths.chapters, library, site]) as found):
        clock = book.Clock(bootstrap.began())
        lines = build(options, paths, backends, clock, memory, state)
        options.force = False  # what was executed once in this run is as good as new
        print('\n'.join([*lines, f'served at     {address}  (Ctrl-C ends it)']), flush=True)
        while True:
            try:
                print('waiting for the next save', flush=True)
                saved = wait(found)
            except KeyboardInterrupt:
                return 0
            clock = book.Clock(time.time())
            print('', 'saved: ' + ', '.join(sorted(path.removeprefix(f'{paths.root}/')
                                                   for path in saved)), sep='\n', flush=True)
            if any(path.startswith(f'{library}/') for path in saved):
                report_drift()
            if any(path.startswith(f'{site}/') for path in saved):
                forget(MODULES)
            build(options, paths, backends, clock, memory, state)


def build(options, paths, backends, clock, memory, state):
    """Build once, and let the terminal and the open pages know what came of it.

    Returns:
        Lines about the corpus.
    """
    try:
        done = book.build(options, paths, backends, clock, memory)
    except Exception as error:  # the next save may mend it
        if not isinstance(error, OSError):
            traceback.print_exc()
        done = book.Outcome(problem=f'{type(error).__name__}: {error}')
    if done.problem:
        print(done.problem, file=sys.stderr, flush=True)
    if done.rendered:
        print(f'built in {time.time() - clock.began:.1f} s', flush=True)
    state.tell(done.rendered, done.problem)
    return done.lines


def report_drift():
    """Name the cells that show other code than the library has; the writer's files stay as is."""
    try:
        for place in sync.sync(check=True):
            print(f'{place}: differs from the library; run `python3 -m tools sync`', flush=True)
    except (chapter.ChapterError, SyntaxError) as error:
        print(error, file=sys.stderr, flush=True)


def forget(package):
    """Let the modules of a package be imported anew."""
    for name in list(sys.modules):
        if name == package or name.startswith(f'{package}.'):
            del sys.modules[name]
