"""`python3 -m tools study`: what the book claims of depth, direction, memory and time, measured."""
from __future__ import annotations

from tools import book, each, prepare, processes, progress
from tools.cli import STUDIES

def main(options, paths, backends):
    """Run the studies on one framework after the other, print tables; returns the exit status."""
    faults = []
    options.jobs = 1  # they measure time and memory
    with prepare.prepared(options, paths, backends) as found:
        corpus, notes = book.find_corpus(options.offline)
        print('\n'.join([f'corpus: {corpus.name} ({corpus.path})', *notes]), flush=True)
        for name in options.only or STUDIES:
            with progress.start() as shown:
                results = processes.run(each.run_each(
                    f'studies.{name}', [], found.ready, options, paths, book.variables(corpus),
                    shown))
            print(f'\n{name}: {STUDIES[name]}')
            print('\n'.join(tables(results)), flush=True)
            faults += each.faults(found, results, paths)
    print('\n'.join(dict.fromkeys(faults)) or '\nall measured')
    return 1 if faults else 0


def tables(results):
    """Return the lines of all tables, the rows of the frameworks beside each other.

    Args:
        results: backend module -> list of {'table': title, 'row': {column: value}}.
    """
    found = {}
    for result in results.values():
        for line in result:
            found.setdefault(line['table'], []).append(line['row'])
    lines = []
    for title, rows in found.items():
        columns = list(dict.fromkeys(column for row in rows for column in row))
        cells = [columns, *([_text(row.get(column, '')) for column in columns] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines += ['', title, *('  '.join(f'{cell:>{width}}' for cell, width in zip(row, widths))
                               for row in cells)]
    return lines


def _text(value):
    if isinstance(value, str):
        return value
    return f'{value:.3g}' if abs(value) < 1000 else f'{value:.0f}'
