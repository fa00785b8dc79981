"""`python3 -m tools book`: environments, executed notebooks, rendered pages, a server."""
from __future__ import annotations

import os
import sys
import time
import warnings

from d2lrnn.core import corpora
from tools import bootstrap, chapter, execute, prepare, processes, progress, serve
from tools.memory import Peak


class Clock:
    """Seconds of each stage, in the order in which they ended."""

    def __init__(self, began):
        self.began = self.last = began
        self.stages = {}

    def ended(self, stage):
        now = time.time()
        self.stages[stage], self.last = now - self.last, now

    def lines(self):
        yield from (f'{stage:13} {seconds:.1f} s' for stage, seconds in self.stages.items())
        yield f'{"total":13} {self.last - self.began:.1f} s'


def main(options, paths, backends):
    """Build the book; returns the exit status."""
    clock = Clock(bootstrap.began())
    try:
        chapters = load_chapters(options.chapter)
    except chapter.ChapterError as error:
        print(error, file=sys.stderr)
        return 1
    with Peak() as peak, prepare.prepared(options, paths, backends) as found:
        clock.ended('environments')
        if found.failed:
            print('\nNothing was rendered, because a framework that was asked for is missing.',
                  file=sys.stderr)
            return 1
        corpus, notes = find_corpus(options.offline)
        clock.ended('corpus')
        tasks = plan(chapters, found.ready, backends)
        settings = execute.Settings(paths, corpus, options.jobs, options.epochs, options.force,
                                    variables(corpus))
        with progress.start() as shown:
            processes.run(execute.execute(tasks, settings, shown))
        execute.publish(tasks, paths)
        clock.ended('execution')
        if not report(tasks, paths):
            return 1
        why = rendered(chapters, tasks, reasons(found, backends), corpus, paths.html)
        if why:
            print(why, file=sys.stderr)
            return 1
        clock.ended('rendering')
    print('\n'.join(['', *clock.lines(), f'{"peak memory":13} {peak.bytes / 2 ** 30:.2f} GiB',
                     f'{"corpus":13} {corpus.name} ({corpus.path})', *notes,
                     f'{"book":13} {paths.html / "index.html"}']), flush=True)
    if not options.no_serve:
        serve.serve(paths.html, options.port)
    return 0


def load_chapters(asked=None):
    """The chapters by name, all or those asked for; raises `chapter.ChapterError`."""
    chapters = {name: chapter.load(name) for name in chapter.names() if not asked or name in asked}
    for loaded in chapters.values():
        chapter.check_filled(loaded)
    return chapters


def find_corpus(offline):
    """Get the corpus once, so that not each notebook has to.

    Returns:
        The corpus, and lines about it that a reader of the terminal must see.
    """
    if offline:
        os.environ['D2LRNN_OFFLINE'] = '1'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        corpus = corpora.time_machine()
    return corpus, [f'{"WARNING":13} {warning.message}' for warning in caught]


def plan(chapters, environments, backends):
    """What to execute: every chapter on every framework that is there."""
    return [execute.Task(name, row, environments[row.module], chapter.notebook_for(loaded, row))
            for name, loaded in chapters.items() for row in backends if row.module in environments]


def variables(corpus):
    """What tells a process that needs the corpus where it is."""
    if corpus.origin == 'embedded':
        return {'D2LRNN_OFFLINE': '1'}  # the download was tried once and need not be tried again
    return {'D2LRNN_DATA': str(corpus.path.parent)}


def report(tasks, paths):
    """Say what was executed; False when something failed."""
    states = [task.state for task in tasks]
    print(f'{states.count("executed")} notebooks executed, {states.count("cached")} unchanged, '
          f'{states.count("failed")} failed', flush=True)
    failed = [task for task in tasks if task.failure]
    if failed:
        kept = '; the pages of the last good build are still there' if paths.html.exists() else ''
        print(f'\nNothing was rendered{kept}. Failed:',
              *(task.failure.splitlines()[0] for task in failed), sep='\n  ', file=sys.stderr)
    return not failed


def reasons(found, backends):
    """Why a backend has no outputs: module -> reason."""
    asked = [row.title for row in backends if row.module in {*found.ready, *found.unsuitable}]
    other = f'this build was asked for {" and ".join(asked)} only'
    return {row.module: found.unsuitable.get(row.module, other)
            for row in backends if row.module not in found.ready}


def rendered(chapters, tasks, missing, corpus, out, **places):
    """Merge and render the chapters; returns why that failed, or None.

    Args:
        chapters: name -> chapter.
        tasks: the executed ones.
        missing: backend module -> why it has no outputs.
        corpus: what the models were trained on.
        out: folder for the pages.
        places: further arguments of `render.render`.
    """
    from tools import merge, render
    merged = {}
    for name, loaded in chapters.items():
        executed = {task.backend.module: task.notebook for task in tasks if task.chapter == name}
        merged[name] = merge.merge(loaded, executed, missing, corpus.name)
    try:
        render.render(merged, out, corpus.name, **places)
        return None
    except (chapter.ChapterError, render.RenderError) as error:
        return str(error)
