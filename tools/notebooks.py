"""`python3 -m tools notebooks`: the notebooks that readers download, and a zip a framework."""
from __future__ import annotations

from tools import bootstrap, book, downloads


def main(options, paths, backends):
    """Build the book without serving it, and say where the notebooks are."""
    options.keep_going = False  # a notebook is one that runs
    clock = book.Clock(bootstrap.began())
    done = book.build(options, paths, backends, clock)
    book.say(done, *clock.lines(), *done.lines, *where(paths, backends))
    return 1 if done.problem else 0


def where(paths, backends):
    """Lines that say where the notebooks of each framework are."""
    for row in backends:
        folder = paths.notebooks / row.module
        found = [path for path in folder.glob('*.ipynb')
                 if not path.stem.endswith(downloads.WITHOUT)]
        if found:
            zipped = paths.notebooks / downloads.zip_name(row)
            yield f'{row.title:13} {len(found)} notebooks in {folder}, and {zipped}'
