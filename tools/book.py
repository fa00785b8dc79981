"""`python3 -m tools book`: environments, executed notebooks, rendered pages, a server."""
from __future__ import annotations

import os
import sys
import time
import warnings
from dataclasses import dataclass, field

from d2lrnn.core import corpora
from tools import (again, bootstrap, chapter, colab, execute, prepare, processes, progress,
                   serve)
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


@dataclass
class Outcome:
    """What a build came to.

    Args:
        rendered: whether the pages are those of this build.
        problem: what is wrong with them, or why they are not; empty where all went well.
        lines: what else a reader of the terminal must see.
    """
    rendered: bool = False
    problem: str = ''
    lines: list = field(default_factory=list)


def main(options, paths, backends):
    """Build the book; returns the exit status."""
    if options.watch:
        from tools import watch
        return watch.watch(options, paths, backends)
    clock = Clock(bootstrap.began())
    with Peak() as peak:
        done = build(options, paths, backends, clock)
    say(done, *clock.lines(), peak.line(), *done.lines, f'{"notebooks":13} {paths.notebooks}',
        f'{"book":13} {paths.html / "index.html"}')
    if done.rendered and not options.no_serve:
        serve.serve(paths.html, options.port)
    return 1 if done.problem else 0


def say(done, *lines):
    """Print what was made where the pages are of this build, and what is wrong."""
    if done.rendered:
        print('\n'.join(['', *lines]), flush=True)
    if done.problem:
        print(f'\n{done.problem}', file=sys.stderr, flush=True)


def build(options, paths, backends, clock, memory=None, copies=None):
    """Make the environments, execute the notebooks, render the pages and return an `Outcome`.

    Args:
        options: of the command line.
        paths: the checkout.
        backends: rows of the table of backends.
        clock: a `Clock`.
        memory: an `again.Memory`, where this process builds more than once.
        copies: a `copies.Copies`, where they are to be made as well.
    """
    memory = memory or again.Memory()
    try:
        address = colab.configured(paths) if options.colab is None else options.colab
        chapters = memory.chapters(options.chapter)
    except (chapter.ChapterError, colab.AddressError) as error:
        return Outcome(problem=str(error))
    with prepare.prepared(options, paths, backends) as found:
        clock.ended('environments')
        if found.failed:
            return Outcome(problem='Nothing was rendered, because a framework that was asked for '
                                   'is missing.')
        corpus, notes = find_corpus(options.offline)
        clock.ended('corpus')
        settings = execute.Settings(paths, corpus, options.jobs, options.epochs, options.force,
                                    variables(corpus))
        tasks = run(memory.plan(chapters, found.ready, backends, settings), settings)
        clock.ended('execution')
        problem = report(tasks, paths, options.keep_going)
        if problem and not options.keep_going:
            return Outcome(problem=problem)
        why = rendered(chapters, tasks, reasons(found, backends), corpus, paths.html, copies,
                       colab=address)
        if not why:
            publish(paths)
        clock.ended('rendering')
    return Outcome(not why, '\n\n'.join(filter(None, [why, problem])),
                   [f'{"corpus":13} {corpus.name} ({corpus.path})', *notes])


def load_chapters():
    """All chapters by name; raises `chapter.ChapterError`."""
    return again.Memory().chapters()


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


def run(tasks, settings):
    """Execute tasks, show how far that is, and return them."""
    with progress.start() as shown:
        processes.run(execute.execute(tasks, settings, shown))
    return tasks


def variables(corpus):
    """What tells a process that needs the corpus where it is."""
    if corpus.origin == 'embedded':
        return {'D2LRNN_OFFLINE': '1'}  # the download was tried once and need not be tried again
    return {'D2LRNN_DATA': str(corpus.path.parent)}


def report(tasks, paths, keep_going):
    """Say what was executed; returns what is to be said of failures, '' where there are none."""
    states = [task.state for task in tasks]
    print(f'{states.count("executed")} notebooks executed, {states.count("cached")} unchanged, '
          f'{states.count("failed")} failed', flush=True)
    failed = [task.failure.splitlines()[0] for task in tasks if task.failure]
    if not failed:
        return ''
    kept = '; the pages of the last good build are still there' if paths.html.exists() else ''
    what = 'The pages show what failed' if keep_going else f'Nothing was rendered{kept}'
    return '\n  '.join([f'{what}. Failed:', *failed])


def reasons(found, backends):
    """Why a backend has no outputs: module -> reason."""
    asked = [row.title for row in backends if row.module in {*found.ready, *found.unsuitable}]
    other = f'this build was asked for {" and ".join(asked)} only'
    return {row.module: found.unsuitable.get(row.module, other)
            for row in backends if row.module not in found.ready}


def rendered(chapters, tasks, missing, corpus, out, copies=None, **places):
    """Merge and render the chapters; returns why that failed, or None.

    Args:
        chapters: name -> chapter.
        tasks: the executed ones.
        missing: backend module -> why it has no outputs.
        corpus: what the models were trained on.
        out: folder for the pages.
        copies: a `copies.Copies` that makes its own of the same chapters first.
        places: further arguments of `render.render`.
    """
    from tools import merge, render
    from tools.library import LIBRARY
    merged = {}
    for name, loaded in chapters.items():
        mine = [task for task in tasks if task.chapter == name]
        executed = {task.backend.module: task.notebook for task in mine}
        facts = {task.backend.module: {'versions': task.environment.pins.versions(),
                                       'seconds': round(task.seconds, 1)} for task in mine}
        merged[name] = merge.merge(loaded, executed, missing, corpus.name, facts)
    if copies:
        copies.make(merged, corpus.name, list({task.backend: None for task in tasks}),
                    out.parent / 'copies')
    try:
        render.render(merged, out, corpus.name, library=LIBRARY, **places)
        return None
    except (chapter.ChapterError, render.RenderError) as error:
        return str(error)


def publish(paths):
    """Put the notebooks that the pages offer where they are found without a browser."""
    from tools import downloads
    downloads.publish(paths.html, paths.notebooks)
