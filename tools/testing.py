"""`python3 -m tools test`: every test, on every framework, with one summary."""
from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from tools import (again, book, bootstrap, chapter, envs, execute, fresh, prepare, processes,
                   progress, results)
from tools.paths import BOOK

COLLECTED = re.compile(r'collected (\d+) items?|\d+ workers \[(\d+) items?\]')
SELECTED = re.compile(r' (\d+) selected')
DONE = re.compile(r' (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b')
NO_TESTS = 5  # pytest's exit status
EPOCHS = 1    # of the chapters


class Run:
    """One pytest process.

    Args:
        environment: that it runs in.
        arguments: of pytest.
        name: in the summary and of the log; None for that of the environment.
    """

    def __init__(self, environment, arguments, name=None):
        self.environment, self.arguments = environment, arguments
        self.name = name or environment.name
        self.results = results.Results(f'tests  {self.name}')
        self.done, self.total, self.lines = 0, None, []

    async def run(self, paths, shown, places, variables, threads):
        """Run it and fill in the results."""
        paths.logs.mkdir(parents=True, exist_ok=True)
        log = paths.logs / f'test-{self.name}.log'
        report = log.with_suffix('.xml')
        report.unlink(missing_ok=True)
        command = [self.environment.python, '-m', 'pytest', *self.arguments, '--verbose',
                   '--color=no', '-p', 'no:cacheprovider', f'--junitxml={report}']
        async with places:
            began = time.monotonic()
            with shown.row(self.results.title) as row, open(log, 'w', encoding='utf-8') as file:
                status = await processes.logged(
                    command, file, lambda line: self.read(line, row), cwd=paths.root,
                    env={**self.environment.variables(paths.root, threads), **variables})
                results.read_junit(report, self.results)
                self.judge(status, log)
                row.end('FAILED' if self.results.failed else f'{self.results.passed} passed')
            self.results.seconds = time.monotonic() - began

    def read(self, line, row):
        collected = COLLECTED.match(line)
        if collected:
            selected = SELECTED.search(line)
            self.total = int((selected or collected)[1] or collected[2])
        self.done += bool(DONE.search(line))
        self.lines.append(line)
        row.update('test', self.done, self.total)

    def judge(self, status, log):
        """Make a failure of what pytest has no test for: a crash, or nothing to run."""
        if status == NO_TESTS and '-k' in self.arguments:
            return
        if status == NO_TESTS:
            self.results.failed.append(('no test was collected', str(log)))
        elif status and not self.results.failed:
            self.results.failed.append((f'pytest ended with status {status}',
                                        results.tail('\n'.join(self.lines)) + f'\n{log}'))


def main(options, paths, backends):
    """Run all tests; returns the exit status."""
    began = bootstrap.began()
    with prepare.prepared(options, paths, backends) as found:
        made = results.Results('environments', 0,
                               [(name, why) for name, why in found.unsuitable.items()]
                               + [(name, str(why)) for name, why in found.failed.items()],
                               seconds=time.time() - began)
        corpus, notes = book.find_corpus(options.offline)
        print('\n'.join([f'corpus: {corpus.name} ({corpus.path})', *notes]), flush=True)
        runs = _runs(options, paths, found.ready)
        with progress.start() as shown:
            processes.run(_run_all(runs, options, paths, shown,
                                   {**book.variables(corpus), **execute.limit()}))
        everything = [made, *(run.results for run in runs)]
        if not (options.no_chapters or options.keyword):
            everything += _chapters(options, paths, backends, found, corpus)
    if options.keyword and not any(run.results.count for run in runs):
        runs[0].results.failed.append(('no test was selected', f'-k {options.keyword}'))
    good = results.show(everything, Console())
    print(f'total {time.time() - began:.0f} s, logs in {paths.logs}', file=sys.stderr)
    return 0 if good else 1


def _runs(options, paths, environments):
    narrow = ['-k', options.keyword] if options.keyword else []
    runs = [Run(envs.get(paths, BOOK), ['tests/tools', 'tests/core', *narrow])]
    # One framework alone would leave all but one of the processors without work.
    alone = ['-n', str(options.jobs)] if len(environments) == 1 and options.jobs > 1 else []
    for module, environment in environments.items():
        runs.append(Run(environment, ['tests/backend', '--backend', module, *alone, *narrow]))
    return runs


async def _run_all(runs, options, paths, shown, variables):
    places = asyncio.Semaphore(options.jobs)
    threads = execute.threads(options.jobs)
    await asyncio.gather(*(run.run(paths, shown, places, variables, threads) for run in runs))


def _chapters(options, paths, backends, found, corpus):
    """Execute all chapters with few epochs, render them, and test the pages in a browser."""
    try:
        chapters = book.load_chapters()
    except chapter.ChapterError as error:
        return [results.Results('chapters', failed=[('a chapter cannot be read', str(error))])]
    settings = execute.Settings(paths, corpus, options.jobs, EPOCHS, False,
                                book.variables(corpus))
    tasks = book.run(again.Memory().plan(chapters, found.ready, backends, settings), settings)
    by_module = {module: results.Results(f'chapters  {module}') for module in found.ready}
    for task in tasks:
        mine = by_module[task.backend.module]
        mine.seconds += 0 if task.state == 'cached' else task.seconds
        if task.failure:
            mine.failed.append((task.chapter, results.tail(task.failure)))
        else:
            mine.passed += 1
    rendering = results.Results('rendering')
    if any(task.failure for task in tasks):
        return [*by_module.values(), rendering]
    with tempfile.TemporaryDirectory(prefix='d2lrnn-') as folder:
        site = Path(folder) / 'html'
        _render(chapters, tasks, book.reasons(found, backends), corpus, site, rendering)
        pages = [] if rendering.failed else [
            _look_at(site, options, paths),
            *fresh.run(site / 'downloads', found.ready, corpus, options, paths)]
    return [*by_module.values(), rendering, *pages]


def _render(chapters, tasks, missing, corpus, site, rendering):
    began = time.monotonic()
    why = book.rendered(chapters, tasks, missing, corpus, site, work=site.with_name('work'))
    if why:
        rendering.failed.append(('the book', why))
    else:
        rendering.passed += 1
    rendering.seconds = time.monotonic() - began


def _look_at(site, options, paths):
    """Run the tests of the rendered pages."""
    run = Run(envs.get(paths, BOOK), ['tests/site', f'--site={site}'], 'pages')
    with progress.start() as shown:
        processes.run(_run_all([run], options, paths, shown, {}))
    return run.results
