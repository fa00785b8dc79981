"""Reads a chapter and cuts one framework's notebook out of it."""
import contextlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from jupytext.myst import myst_to_notebook

from tools import cells, nodes, prose

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / 'chapters'
ALL, TABS = cells.ALL, cells.TABS
KERNEL = {'kernelspec': {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'},
          'language_info': {'name': 'python'}}


class ChapterError(Exception):
    """Something in a chapter that its author has to change; the message starts with file:line."""


@dataclass(frozen=True)
class Cell:
    """A code cell of a chapter."""
    index: int   # among all cells of the chapter
    line: int    # of its opening fence
    body: int    # where its code starts
    end: int     # of its closing fence
    tab: str
    source: str
    include: str | None
    only: str | None  # why its group lacks a backend
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    name: str
    path: Path
    notebook: nbformat.NotebookNode
    lines: tuple[int, ...]   # where each cell of the notebook starts
    cells: tuple[Cell, ...]  # its code cells

    def error(self, line, message):
        return ChapterError(f'{self.place(line)}: {message}')

    def place(self, line):
        return f'{self.path.parent.name}/{self.path.name}:{line}'

    def groups(self):
        """Runs of tabbed cells with nothing between them."""
        groups = []
        for cell in self.cells:
            if cell.tab == ALL:
                continue
            if groups and groups[-1][-1].index == cell.index - 1:
                groups[-1].append(cell)
            else:
                groups.append([cell])
        return groups


def names(folder=CHAPTERS):
    """Names of all chapters, the index first, then as its table of contents orders them."""
    index = folder / 'index.md'
    if not index.is_file():
        raise ChapterError(f'{folder.name}/index.md: missing; it lists the chapters')
    found = ['index']
    with _readable(index):
        for directive in prose.directives(index.read_text(encoding='utf-8')):
            if directive.name == 'toctree':
                found += map(toctree_entry, filter(str.strip, directive.body.splitlines()))
    files = {path.stem for path in folder.glob('*.md')}
    for name in found:
        if name not in files:
            raise ChapterError(f'{folder.name}/index.md: its toctree names {name!r}, '
                               f'but there is no {folder.name}/{name}.md')
    forgotten = sorted(files - set(found))
    if forgotten:
        raise ChapterError(f'{folder.name}/{forgotten[0]}.md: missing in the toctree of '
                           f'{folder.name}/index.md; name it there or move it out of the folder')
    return found


@contextlib.contextmanager
def _readable(path):
    try:
        yield
    except prose.OptionsError as error:
        line, message = error.args
        raise ChapterError(f'{path.parent.name}/{path.name}:{line}: {message}') from error


def toctree_entry(line):
    """The chapter that a line of a toctree names, as `name` or `Title <name>`."""
    titled = re.fullmatch(r'.*<(.+)>', line.strip())
    return titled[1] if titled else line.strip()


def load(name, folder=CHAPTERS):
    """Reads and checks one chapter.

    Raises:
        ChapterError: no such chapter, or something in it that would not come out as meant.
    """
    valid = names(folder)
    if name not in valid:
        raise ChapterError(f'there is no chapter {name!r}; the chapters are {", ".join(valid)}')
    chapter, faults = read(folder / f'{name}.md')
    for line, message in faults:
        raise chapter.error(line, message)
    return chapter


def read(path):
    """Reads the file of a chapter.

    Returns:
        The chapter, and (line, message) of all that would not come out as meant. Where something
        is wrong with a directive or the front matter, the chapter has no cells.
    """
    text = path.read_bytes().decode('utf-8').replace('\r\n', '\n')
    chapter = Chapter(path.stem, path, nodes.notebook([], {}), (), ())
    found = list(prose.directives(text))
    faults = [fault for directive in found for fault in cells.faults(directive)]
    if faults:
        return chapter, faults
    notebook = myst_to_notebook(text, add_source_map=True)
    if 'jupytext' not in notebook.metadata:
        return chapter, [(1, 'no front matter of jupytext, so no notebook editor can open it; '
                             'start it as chapters/index.md starts')]
    lines = _lines(text, notebook)
    chapter = replace(chapter, notebook=notebook, lines=lines,
                      cells=_cells(notebook, lines, found))
    return chapter, [fault for group in chapter.groups() for fault in cells.group_faults(group)]


def _lines(text, notebook):
    lines = text.split('\n')
    starts = []
    for cell, start in zip(notebook.cells, notebook.metadata.source_map):
        # jupytext cuts the blank lines before Markdown but counts from before them
        while cell.cell_type == 'markdown' and not lines[start]:
            start += 1
        starts.append(start if cell.cell_type == 'code' else start + 1)
    return tuple(starts)


def _cells(notebook, lines, found):
    at = {directive.line: directive for directive in found}
    made = []
    for index, (node, line) in enumerate(zip(notebook.cells, lines)):
        if node.cell_type == 'code':
            fence, options = at[line], at[line].options
            made.append(Cell(index, line, fence.body_line, fence.end, options['tab'],
                             node.source, options.get('include'), options.get('only'),
                             tuple(options.get('tags', []))))
    return tuple(made)


def check_filled(chapter):
    """Raises ChapterError where a cell still waits for its library code."""
    for cell in chapter.cells:
        if not cell.source.strip():
            raise chapter.error(cell.line, f'nothing of {cell.include} is here yet; run '
                                '`python3 -m tools sync`')


def notebook_for(chapter, backend):
    """One framework's code cells of a chapter, to be executed.

    Args:
        chapter: what `load` returned.
        backend: a row of `d2lrnn.BACKENDS`.
    """
    mine = [cell for cell in chapter.cells if cell.tab in (backend.tab, ALL)]
    return nodes.notebook([
        nodes.code(cell.source, f'{chapter.name[:50]}-{cell.index}', {
            'd2lrnn': {'cell': count, 'line': cell.line, 'body': cell.body, 'tab': cell.tab,
                       'id': cell.index},
            'tags': list(cell.tags)}) for count, cell in enumerate(mine, 1)], KERNEL)
