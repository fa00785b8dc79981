"""Writes the pages of the API reference from the library's docstrings, for all backends at once."""
import copy
import json

from d2lrnn import BACKENDS

from tools import myst, nodes
from tools.docstrings import Block
from tools.library import LIBRARY, Library
from tools.offered import offered
from tools.spellings import FOLDER, anchor, anchor_of, chapters_of, first, is_short, members
from tools.spellings import collect, page_of, spellings

NAMES = f'{FOLDER}/names.json'


def pages(shown, root=LIBRARY, backends=BACKENDS):
    """The sources of all pages for Sphinx: path -> bytes.

    Args:
        shown: what a chapter's :include: may name, such as rnn.py:RNN.forward -> names of the
            chapters that show it.
        root: folder of the library.
        backends: rows of `d2lrnn.BACKENDS`.
    Raises:
        LibraryError: a docstring that cannot be shown, with its file and line.
    """
    source = Library(root)
    entries = collect({row: offered(source, row.module) for row in backends})
    by_page = {}
    for name, entry in entries.items():
        by_page.setdefault(page_of(entry), {})[name] = entry
    writer = Writer(source, shown, backends)
    files = {f'{FOLDER}/index.myst': writer.index(by_page)}
    for page, inside in by_page.items():
        files[f'{FOLDER}/{page}.myst'] = writer.page(page, inside)
    names = spellings(entries, source, shown, backends)
    files[NAMES] = json.dumps(names, indent=1, sort_keys=True)
    return {path: text.encode('utf-8') for path, text in files.items()}


def announced(index):
    """The notebook of the book's first page, with the reference in its table of contents."""
    index = copy.deepcopy(index)
    toctree = '\n'.join(['```{toctree}', ':hidden:', '', f'{FOLDER}/index', '```'])
    index.cells.append(nodes.markdown(toctree, 'cell-reference'))
    index.metadata.source_map.append(index.metadata.source_map[-1])
    return index


class Writer:
    """Writes pages from what they are about."""

    def __init__(self, source, shown, backends):
        self.source, self.shown, self.backends = source, shown, backends

    def index(self, by_page):
        """The page that lists all others, and what is on them."""
        imports = {row: [Block('code', 'python', (f'from d2lrnn import {row.module} as d2l',))]
                   for row in self.backends}
        lines = ['# API reference', '',
                 'What `d2l` offers, on all frameworks alike; tabs show where they differ.', '',
                 *myst.side_by_side(imports, self.backends),
                 '```{toctree}', ':hidden:', '', *sorted(by_page), '```', '']
        for page, inside in sorted(by_page.items()):
            names = [myst.link(name) for name, entry in inside.items() if not is_short(entry)]
            lines += [f'{{doc}}`{page}`', f': {self.intro(inside)}',
                      *(['', f'  {", ".join(names)}'] if names else []), '']
        return '\n'.join(lines)

    def page(self, page, inside):
        """The page of one file name: all that these files offer."""
        short = {name: entry for name, entry in inside.items() if is_short(entry)}
        modules = {name: entry for name, entry in inside.items() if first(entry).kind == 'module'}
        lines = [f'# {page}', '']
        for name, entry in (short | modules).items():
            lines += _objects(name, anchor_of(name, entry), entry, _homes(name, entry))
        lines += [self.intro(inside), '']
        if short:
            lines += myst.tabs({row: [Block('markup', '', tuple(self.table(short, row)))]
                                for row in self.backends})
        for name, entry in sorted(inside.items(), key=_place):
            if name not in short and name not in modules:
                lines += self.entry(name, entry)
        return '\n'.join(lines)

    def intro(self, inside):
        """The first sentence that the files on a page have in common."""
        files = sorted({what.file for entry in inside.values() for what in entry.values()})
        own = [name for name in files if name.partition('.')[0] in
               {row.module for row in self.backends}]
        return myst.inline(_common([self.source.file(name).sentence() for name in own or files]))

    def entry(self, name, entry):
        """A section for a public name, and one for each of its members."""
        homes = _homes(name, entry)
        lines = self.section('##', name, entry, f'd2l.{name}', homes)
        inside = members(entry)
        for member in sorted(inside, key=lambda member: len(inside[member]) < len(entry)):
            lines += self.section('###', f'{name}.{member}', inside[member], member,
                                  [f'{home}.{member}' for home in homes])
        return lines

    def section(self, level, name, entry, called, homes):
        columns = {row: self.blocks(what, called) for row, what in entry.items()}
        lines = [f'{level} {myst.plain(name)}', '', *_objects(name, anchor(name), entry, homes),
                 *myst.side_by_side(columns, self.backends)]
        chapters = chapters_of(name, entry, self.shown)
        if chapters:
            links = ', '.join(f'{{doc}}`/{chapter}`' for chapter in chapters)
            lines += [f'**Code** in {links}', '']
        return lines

    @staticmethod
    def blocks(what, called):
        """What is shown of one backend's object."""
        has_value = what.kind in ('attribute', 'data')
        signature = ((called, f':value: {json.dumps(what.signature)}') if has_value
                     else (called + what.signature,))
        blocks = [Block('signature', what.kind, signature), *what.doc]
        if what.bases:
            bases = [myst.code(base) if '.' in base else myst.link(base) for base in what.bases]
            blocks.append(Block('markup', '', (f'**Inherits** from {", ".join(bases)}',)))
        return blocks

    @staticmethod
    def table(short, row):
        """What one backend's short names stand for."""
        rows = [('name', 'stands for')]
        for name, entry in sorted(short.items()):
            what = entry.get(row)
            if what and what.kind == 'alias':
                rows.append((myst.code(f'd2l.{name}'), myst.code(what.signature)))
            elif what:
                text = ' '.join(block.content[0] for block in what.doc if block.kind == 'text')
                rows.append((myst.code(f'd2l.{name}'), myst.inline(text)))
        return myst.table(rows)


def _homes(name, entry):
    """Where a public name stands in the library, once or once a backend."""
    called = '' if first(entry).kind == 'module' else f'.{name.rpartition(".")[2]}'
    return list(dict.fromkeys(f'd2lrnn.{what.file}{called}' for what in entry.values()))


def _objects(name, target, entry, homes):
    """The block that makes a name findable; see tools/site/reference.py."""
    kind = 'data' if is_short(entry) else first(entry).kind
    return [f'```{{api}} {target}', f':kind: {kind}', '', f'd2l.{name}', *homes, '```', '']


def _place(item):
    what = first(item[1])
    return what.file, what.line


def _common(sentences):
    """The words that sentences start with alike, up to the end of one or to a comma."""
    rows = [sentence.split() for sentence in sentences]
    words = []
    for same in zip(*rows):
        if len({word.rstrip('.,:;') for word in same}) > 1:
            break
        words.append(same[0])
    if len(words) < min(map(len, rows)):
        while words and not words[-1].endswith(','):
            words.pop()
    return ' '.join(words).rstrip('.,:;') + '.' if words else ''
