"""`python3 -m tools check`: the text of the book and the documents, nothing executed."""
import sys

from tools import checks
from tools.checks.sources import Book


def main(options, paths, backends):
    """Print every finding; returns the exit status, 1 where there is one."""
    if options.list:
        for rule in checks.RULES:
            print(f'{rule.__name__.rpartition(".")[2]:11} {checks.title(rule)}')
        return 0
    if options.html and not any(options.html.glob('*.html')):
        print(f'--html {options.html}: a folder without pages; render the book first',
              file=sys.stderr)
        return 1
    book = Book(paths.root, (options.html or paths.html).resolve())
    found = findings(book, options.chapter)
    for finding in found:
        print(f'{book.place(finding.path)}:{finding.line}: {finding.message}')
    for note in book.notes:
        print(f'note: {note}')
    files = len(book.sources) if not options.chapter else len(set(options.chapter))
    print(f'{len(found)} finding{"s" * (len(found) != 1)} in {files} '
          f'file{"s" * (files != 1)}, {len(checks.RULES)} rules')
    return 1 if found else 0


def findings(book, chapters=None):
    """All that the rules find, each once, by chapter and line.

    Args:
        book: a `checks.sources.Book`.
        chapters: names of those to tell of, or None for all files.
    """
    found = set(book.faults).union(*(rule.find(book) for rule in checks.RULES))
    order = {source.path: place for place, source in enumerate(book.sources)}
    by_stem = {source.name: place for place, source in enumerate(book.sources)}

    def key(finding):
        place = order.get(finding.path, by_stem.get(finding.path.stem, len(order)))
        return place, book.place(finding.path), finding.line, finding.message

    return sorted((finding for finding in found
                   if not chapters or finding.path.stem in chapters), key=key)
