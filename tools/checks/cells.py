"""Cells stand outside of tab sets, in every tab or with a reason, and as the library has them."""
from tools import chapter, sync


def find(book):
    for source in book.sources:
        for line, message in source.faults:
            yield source.finding(line, message)
        shown = sync.shown()
        for cell in source.cells:
            if cell.include:
                try:
                    code = sync.filling(source.chapter, cell, book.library, shown)
                except chapter.ChapterError as error:
                    yield source.finding(cell.line, str(error).partition(': ')[2])
                    continue
                if code != cell.source:
                    yield source.finding(cell.line, f'the cell is not {cell.include} as the '
                                         'library has it; run `python3 -m tools sync`')
