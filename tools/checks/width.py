"""Lines of the code that a chapter writes itself have at most 100 columns."""

COLUMNS = 100  # as all code of the project; what is included follows the library


def find(book):
    for source in book.chapters:
        for cell in source.cells:
            if cell.include:
                continue
            for line in range(cell.body, cell.end):
                columns = len(source.lines[line - 1])
                if columns > COLUMNS:
                    yield source.finding(line, f'a line of code of {columns} columns; break it '
                                         f'within {COLUMNS}')
