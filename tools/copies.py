"""`python3 -m tools copies`: a PDF and an EPUB a framework, linked from the rendered pages."""
from __future__ import annotations

import asyncio
import shutil
import sys

from tools import bootstrap, book, chapter, chromium, processes, progress
from tools.memory import Peak
from tools.shelf import KINDS, Shelf


class Copies:
    """Makes the copies in the middle of a build, where all chapters are merged.

    Args:
        kinds: of `shelf.KINDS`, what to make.
        browser: path of Chromium.
        force: also what is there already.
        jobs: how many to print at once.
        ended: called with the name of what took the time, when all are made.
    """

    def __init__(self, kinds, browser, force, jobs, ended=lambda stage: None):
        self.kinds, self.browser, self.force, self.jobs = kinds, browser, force, jobs
        self.ended, self.lines, self.problem = ended, [], ''

    def make(self, merged, corpus, rows, folder, chapters=chapter.CHAPTERS):
        """Make them for some frameworks; a failure is left in `problem`.

        Args:
            merged: chapter name -> its merged notebook.
            corpus: name of the text that the models were trained on.
            rows: of the table of backends.
            folder: for the copies.
            chapters: folder of the book's sources.
        """
        from tools import render
        from tools.paper.write import Edition
        shelf, work = Shelf(folder, merged, corpus, chapters), folder / 'work'
        wanted = {row: [kind for kind in self.kinds if self.force or not shelf.has(row, kind)]
                  for row in rows}
        editions = [Edition(row, merged, corpus, chapters, work) for row in rows if wanted[row]]
        try:
            if editions:
                with progress.start() as shown:
                    self._write(editions, wanted, shelf, shown)
                    printed = [edition for edition in editions if 'pdf' in wanted[edition.row]]
                    if printed:
                        processes.run(self._print(printed, shelf, shown))
        except render.RenderError as error:
            self.problem = str(error)
            # Sphinx does not repeat the warnings of what it has read
            shutil.rmtree(work, ignore_errors=True)
        finally:
            for edition in editions:
                shutil.rmtree(edition.folder, ignore_errors=True)
        self.lines = [f'{kind.upper():13} {shelf.path(row, kind)}' for row in rows
                      for kind in self.kinds if shelf.has(row, kind)]
        self.ended('copies')

    @staticmethod
    def _write(editions, wanted, shelf, shown):
        """Write the pages of some editions, and their EPUBs."""
        work, made_by = editions[0].work, shelf.made_by()
        mark = work / 'made-by'
        if not (mark.is_file() and mark.read_text() == made_by):
            shutil.rmtree(work, ignore_errors=True)
        for edition in editions:
            with shown.row(f'pages {edition.row.title}') as row:
                book_file = edition.write()
                if 'epub' in wanted[edition.row]:
                    shelf.put(edition.row, 'epub', book_file)
                row.end('written')
        mark.write_text(made_by)

    async def _print(self, editions, shelf, shown):
        """Print some editions with one browser."""
        from tools.paper import pdf
        places = asyncio.Semaphore(self.jobs)

        async def one(edition, browser):
            async with places:
                with shown.row(f'PDF {edition.row.title}') as row:
                    page, contents = edition.page()
                    draft = page.with_suffix('.pdf')
                    await pdf.write(browser, page, contents, draft)
                    shelf.put(edition.row, 'pdf', draft)
                    row.end('printed')
        async with pdf.browser(self.browser) as browser:
            done = await asyncio.gather(*(one(edition, browser) for edition in editions),
                                        return_exceptions=True)
        failed = [error for error in done if isinstance(error, BaseException)]
        for error in failed:
            if not isinstance(error, pdf.PrintError):
                raise error
        self.problem = '\n'.join(map(str, failed))


def main(options, paths, backends):
    """Build the book and its copies; returns the exit status."""
    kinds = options.copies or KINDS
    browser, missing = chromium.find(), ''
    if 'pdf' in kinds and browser is None:
        missing = f'No PDF was made: {chromium.MISSING}.'
        kinds = [kind for kind in kinds if kind != 'pdf']
        if not kinds:
            print(missing, file=sys.stderr)
            return 1
    options.keep_going = False  # a copy is of a book without failures
    clock = book.Clock(bootstrap.began())
    copies = Copies(kinds, browser, options.force, options.jobs, clock.ended)
    with Peak() as peak:
        done = book.build(options, paths, backends, clock, copies=copies)
    failed = bool(done.problem or copies.problem)
    done.problem = '\n\n'.join(filter(None, [done.problem, copies.problem, missing]))
    book.say(done, *clock.lines(), peak.line(), *done.lines, *copies.lines,
             f'{"book":13} {paths.html / "index.html"}')
    asked = 'pdf' in (options.copies or ())
    return 1 if failed or (missing and asked) else 0
