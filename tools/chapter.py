"""Reads a chapter and cuts one framework's notebook out of it."""
import contextlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat.v4
from jupytext.myst import myst_to_notebook

from d2lrnn import BACKENDS
from tools import prose

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / 'chapters'
ALL = 'all'
TABS = tuple(backend.tab for backend in BACKENDS)
OPTIONS = ('tab', 'include', 'only', 'tags')
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
    path = folder / f'{name}.md'
    text = path.read_bytes().decode('utf-8').replace('\r\n', '\n')
    with _readable(path):
        found = list(prose.directives(text))
        chapter = Chapter(name, path, nbformat.v4.new_notebook(), (), ())
        for directive in found:
            _check(chapter, directive)
    notebook = myst_to_notebook(text, add_source_map=True)
    if 'jupytext' not in notebook.metadata:
        raise chapter.error(1, 'no front matter of jupytext, so no notebook editor can open it; '
                               'start it as chapters/index.md starts')
    lines = _lines(text, notebook)
    chapter = replace(chapter, notebook=notebook, lines=lines,
                      cells=_cells(notebook, lines, found))
    for group in chapter.groups():
        _check_group(chapter, group)
    return chapter


def _lines(text, notebook):
    lines = text.split('\n')
    starts = []
    for cell, start in zip(notebook.cells, notebook.metadata.source_map):
        # jupytext cuts the blank lines before Markdown but counts from before them
        while cell.cell_type == 'markdown' and not lines[start]:
            start += 1
        starts.append(start if cell.cell_type == 'code' else start + 1)
    return tuple(starts)


def _check(chapter, directive):
    if directive.name == 'code-cell':
        if directive.parents:
            raise chapter.error(directive.line, f'a {{code-cell}} inside {directive.parents[-1]} '
                                'would be dropped; close that first and put the cell on the '
                                'outermost level')
        _check_cell(chapter, directive)
    elif directive.name == 'tab-set':
        _check_tab_set(chapter, directive)


def _check_tab_set(chapter, directive):
    synced = prose.is_synced(directive)
    for item in prose.tab_items(directive):
        sync = item.options.get('sync')
        if synced and sync not in TABS:
            raise chapter.error(item.line, f'a tab with :sync: {sync}; expected one of '
                                f'{", ".join(TABS)}')
        if not synced and sync in TABS:
            raise chapter.error(directive.line, f'a tab set with a tab for {sync} that the other '
                                f'tabs would not switch; give it :sync-group: {prose.SYNC_GROUP}')


def _check_cell(chapter, directive):
    line, options = directive.line, directive.options
    valid = f'one of {", ".join((*TABS, ALL))}'
    for option in options:
        if option not in OPTIONS:
            raise chapter.error(line, f'a cell with :{option}:; the options are '
                                f'{", ".join(OPTIONS)}')
    if 'tab' not in options:
        raise chapter.error(line, f'a cell without :tab:; expected {valid}')
    tab, tags = options['tab'], options.get('tags', [])
    if tab not in (*TABS, ALL):
        raise chapter.error(line, f'a cell with :tab: {tab}; expected {valid}')
    for option in {'include', 'only'} & set(options):
        text = options[option]
        if not isinstance(text, str) or tab == ALL:
            raise chapter.error(line, f'a cell with :tab: {tab} and :{option}: {text}; '
                                f':{option}: needs a text, and a tab of one framework')
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise chapter.error(line, f'a cell with :tags: {tags}; expected a list such as '
                            '[full-epochs]')
    if not directive.body.strip() and 'include' not in options:
        raise chapter.error(line, 'an empty cell; give it code or an :include:')


def _cells(notebook, lines, found):
    at = {directive.line: directive for directive in found}
    cells = []
    for index, (node, line) in enumerate(zip(notebook.cells, lines)):
        if node.cell_type == 'code':
            fence, options = at[line], at[line].options
            cells.append(Cell(index, line, fence.body_line, fence.end, options['tab'],
                              node.source, options.get('include'), options.get('only'),
                              tuple(options.get('tags', []))))
    return tuple(cells)


def _check_group(chapter, group):
    tabs = [cell.tab for cell in group]
    for cell in group:
        if tabs.count(cell.tab) > 1:
            again = [other for other in group if other.tab == cell.tab][1]
            raise chapter.error(again.line, f'a second {cell.tab} cell in one group of tabs '
                                f'(the first is in line {cell.line}); join the two, or put '
                                'prose between the groups')
    missing = [tab for tab in TABS if tab not in tabs]
    for cell in group:
        if missing and not cell.only:
            raise chapter.error(cell.line, f'a group of tabs without {", ".join(missing)}; add '
                                'the missing cells, or say in each cell why by :only: reason')
        if cell.only and not missing:
            raise chapter.error(cell.line, 'a cell with :only: in a group that has every '
                                'framework; remove the option')


def check_filled(chapter):
    """Raises ChapterError where a cell still waits for its library code."""
    for cell in chapter.cells:
        if not cell.source.strip():
            raise chapter.error(cell.line, f'nothing of {cell.include} is here yet; run '
                                '`python3 -m tools sync`')


def notebook_for(chapter, backend):
    """One framework's notebook of a chapter.

    Args:
        chapter: what `load` returned.
        backend: a row of `d2lrnn.BACKENDS`.
    """
    code = {cell.index: cell for cell in chapter.cells}
    cells, count = [], 0
    for index, node in enumerate(chapter.notebook.cells):
        identity = f'{chapter.name[:50]}-{index}'
        cell = code.get(index)
        if cell is None:
            text = prose.flatten(node.source, backend.tab)
            if text.strip():
                cells.append(nbformat.v4.new_markdown_cell(text, id=identity))
        elif cell.tab in (backend.tab, ALL):
            count += 1
            place = {'cell': count, 'line': cell.line, 'tab': cell.tab, 'id': index}
            cells.append(nbformat.v4.new_code_cell(
                cell.source, id=identity, metadata={'d2lrnn': place, 'tags': list(cell.tags)}))
    return nbformat.v4.new_notebook(cells=cells, metadata=nbformat.from_dict(KERNEL))
