"""Fills the cells of the chapters that show library code from the library."""
import os
import tempfile

from d2lrnn import BACKENDS

from tools.chapter import CHAPTERS, ROOT, load, names
from tools.excerpt import ExcerptError, excerpt

LIBRARY = ROOT / 'd2lrnn'


def sync(check=False, *, folder=CHAPTERS, library=LIBRARY):
    """Writes what every `:include: file.py:Name` names into its cell.

    Args:
        check: change nothing, only find the places.
        folder: where the chapters are.
        library: where the backends are.
    Returns:
        The places that differed, as 'chapters/x.md:line'.
    Raises:
        ChapterError: an include names something that does not exist.
    """
    drifted = []
    for name in names(folder):
        chapter = load(name, folder)
        changed = [(cell, source) for cell, source in _fillings(chapter, library)
                   if source != cell.source]
        drifted += [chapter.place(cell.line) for cell, _ in changed]
        if changed and not check:
            _write(chapter, changed)
    return drifted


def _fillings(chapter, library):
    known = shown()
    for cell in chapter.cells:
        if cell.include:
            yield cell, filling(chapter, cell, library, known)


def shown():
    """What the cells of a chapter have shown before the first of them, for `filling`."""
    return {backend.tab: {} for backend in BACKENDS}


def filling(chapter, cell, library, shown):
    """What a cell's :include: names.

    Args:
        chapter: that the cell is in.
        cell: one with an :include:.
        library: where the backends are.
        shown: what cells before this one have shown; this one's is added.
    Raises:
        ChapterError: it names something that does not exist.
    """
    file, _, name = cell.include.partition(':')
    module = next(backend.module for backend in BACKENDS if backend.tab == cell.tab)
    path = library / module / file
    if not name:
        raise chapter.error(cell.line, f':include: {cell.include}; expected file.py:Name or '
                            'file.py:Class.method')
    if not path.is_file():
        files = ', '.join(sorted(other.name for other in path.parent.glob('*.py')))
        raise chapter.error(cell.line, f':include: {cell.include}, but {library.name}/{module} '
                            f'has no {file}; it has {files or "no files"}')
    known = shown[cell.tab].setdefault(file, set())
    try:
        source = excerpt(path, name, known)
    except (ExcerptError, SyntaxError) as error:
        raise chapter.error(cell.line, f':include: {cell.include} in {library.name}/{module}: '
                            f'{error}') from error
    if '.' not in name:
        known.add(name)
    return source


def _write(chapter, changed):
    lines = chapter.path.read_bytes().decode('utf-8').split('\n')
    for cell, source in reversed(changed):
        opening = lines[cell.line - 1]
        newline = '\r' if opening.endswith('\r') else ''
        fence = opening[:opening.index('{')].strip()
        if any(line.strip().startswith(fence) for line in source.split('\n')):
            raise chapter.error(cell.line, f'the included source has a line that starts with '
                                f'{fence}; open and close the cell with one {fence[0]} more')
        lines[cell.body - 1:cell.end - 1] = [line + newline for line in source.split('\n')]
    _replace(chapter.path, '\n'.join(lines).encode('utf-8'))


def _replace(path, content):
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(content)
        os.chmod(draft, path.stat().st_mode)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
