"""The notebooks that readers download: one a chapter and framework, and all of one in a zip."""
from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import zipfile
from importlib.metadata import version
from pathlib import Path

import nbformat
from d2lrnn import BACKENDS

from tools import digests, nodes, prose
from tools.chapter import ALL, KERNEL, ChapterError
from tools.merge import FAILURES
from tools.pictures import PictureError, Pictures
from tools.plain import Fault, leftover
from tools.plain.blocks import Blocks
from tools.plain.inline import Inline
from tools.plain.references import References

FOLDER = 'downloads'  # in the book
WITHOUT = '-without-outputs'
MADE_OF = '.downloads.json'  # beside the pages: what each notebook was made of
MINE = ('*/*.ipynb', '*-notebooks.zip')
SVG, PNG = 'image/svg+xml', 'image/png'
DATE = (1980, 1, 1, 0, 0, 0)  # the same zip each time; the format has no earlier one
INSTALL = '''# Installs the library of this book, and what it needs, only where it is missing
try:
    import d2lrnn.{module}
except ImportError:
    %pip install --quiet "d2lrnn[{extra}]"'''


def made_with():
    """What the notebooks depend on beside the chapters: name -> bytes."""
    here = Path(__file__).parent
    files = [Path(__file__), here / 'pictures.py', *sorted((here / 'plain').glob('*.py'))]
    versions = {name: version(name).encode() for name in ('nbformat', 'resvg-py', 'matplotlib')}
    return versions | {path.relative_to(here).as_posix(): path.read_bytes() for path in files}


class Downloads:
    """The notebooks of one build.

    Args:
        merged: chapter name -> its merged notebook.
        folder: of the chapters and their pictures.
        work: folder for what the next build can use again.
    """

    def __init__(self, merged, folder, work):
        self.merged, self.folder = merged, folder
        self.pictures, self.texts = Pictures(work / 'pictures'), {}

    def offered(self):
        """Which chapters have a notebook: name -> tabs."""
        return {name: [row.tab for row in BACKENDS if row.tab in self._tabs(notebook)]
                for name, notebook in self.merged.items() if self._tabs(notebook)}

    def links(self):
        """Addresses in the book of all notebooks of a framework: tab -> {'zip': address}."""
        return {row.tab: {'zip': f'{FOLDER}/{zip_name(row)}'}
                for row in BACKENDS if self._names(row)}

    def end(self):
        self.pictures.end()

    @staticmethod
    def _tabs(notebook):
        return notebook.metadata['d2lrnn']['complete']

    def _names(self, row):
        return [name for name, notebook in self.merged.items() if row.tab in self._tabs(notebook)]

    def begin(self):
        """Start to draw the pictures, which takes longer than all the rest."""
        svgs = {path.read_text('utf-8') for path in (self.folder / 'img').rglob('*.svg')}
        svgs |= {output.data[SVG] for notebook in self.merged.values() for cell in notebook.cells
                 for output in cell.get('outputs', ()) if SVG in output.get('data', ())}
        self.pictures.begin(sorted(svgs))

    def write(self, side, found):
        """Write all of them.

        Args:
            side: folder of the pages.
            found: what tools/site/labels.py wrote.
        Raises:
            ChapterError: something in a chapter has no form in a plain notebook.
        """
        self.end()
        files, made_of = {}, self._made_of(found)
        record = side / MADE_OF
        before = json.loads(record.read_text('utf-8')) if record.is_file() else {}
        for row in BACKENDS:
            names = self._names(row)
            for name in names:
                path, bare = (f'{row.module}/{name}{end}.ipynb' for end in ('', WITHOUT))
                kept = [side / FOLDER / path, side / FOLDER / bare]
                if before.get(path) == made_of[path] and all(file.is_file() for file in kept):
                    files[path], files[bare] = (file.read_bytes() for file in kept)
                else:
                    notebook = self.notebook(name, row, References(found, name, names))
                    files[path], files[bare] = _bytes(notebook), _bytes(_without_outputs(notebook))
            if names:
                files[zip_name(row)] = _packed({
                    f'{part}{name}.ipynb': files[f'{row.module}/{name}{end}.ipynb']
                    for part, end in (('', ''), (f'{WITHOUT[1:]}/', WITHOUT))
                    for name in names}, row)
        place(files, side / FOLDER)
        record.write_text(json.dumps(made_of), 'utf-8')
        self.pictures.forget()

    def _made_of(self, found):
        """Digest of all that each notebook depends on: path -> digest."""
        common = hashlib.sha256(json.dumps([found, *map(self._names, BACKENDS)]).encode())
        digests.add(common, made_with().items())
        digests.add(common, ((path.as_posix(), path.read_bytes()) for path in sorted(
            (self.folder / 'img').rglob('*')) if path.is_file()))
        made_of = {}
        for name, notebook in self.merged.items():
            digest = common.copy()
            digest.update(nbformat.v4.writes(notebook).encode())
            made_of |= {f'{row.module}/{name}.ipynb': digest.hexdigest() for row in BACKENDS}
        return made_of

    def notebook(self, name, row, references):
        """One chapter's notebook for one framework, with outputs."""
        merged, cells, cited, headings = self.merged[name], [], set(), 0
        if nodes.code_of(merged):
            cells.append(nodes.code(INSTALL.format(**row._asdict()), 'install', {}))
        shown = False  # whether the code before has a cell of this framework
        for cell, line in zip(merged.cells, merged.metadata.source_map):
            if cell.id == FAILURES:
                continue
            if cell.cell_type == 'markdown':
                source = cell.source if shown else _without_caption(cell.source)
                key = name, source, headings, row.tab if '{tab-item}' in source else '', *sorted(
                    references.others)
                if key not in self.texts:
                    self.texts[key] = self._text(name, row, source, headings, line + 2, references)
                text, more, sources = self.texts[key]
                headings, shown = headings + more, False
                cited |= sources
                if text:
                    cells.append(nodes.markdown(text, cell.id))
            elif cell.metadata['d2lrnn']['tab'] in (row.tab, ALL):
                shown = True
                metadata = {'tags': cell.metadata['tags']} if cell.metadata['tags'] else {}
                cells.append(nodes.code(cell.source, cell.id.rpartition('-')[0], metadata,
                                        map(self._output, cell.outputs)))
        if cited and not references.listed():
            cells.append(nodes.markdown(f'## References\n\n{references.listed(cited)}',
                                        'references'))
        return nodes.notebook(cells, {**KERNEL, 'title': references.documents[name]['title']})

    def _text(self, name, row, source, headings, line, references):
        """(plain Markdown, number of headings, keys of cited sources) of a cell's source."""
        inline = Inline(references, self._picture,
                        self.merged[name].metadata['myst']['substitutions'])
        try:
            text, more = Blocks(inline, row.tab).plain(source, headings)
        except Fault as fault:
            place, message = f'{self.folder.name}/{name}.md:{line + fault.line}', fault.message
        else:
            try:
                leftover.check(text)
                return text, more, inline.cited
            except Fault as fault:
                place = f'{self.folder.name}/{name}.md:{line}'
                message = f'in the notebook of this part, line {fault.line + 1}, {fault.message}'
        raise ChapterError(f'{place}: {message}')

    def _picture(self, path, alt):
        try:
            return self.pictures.tag(self.folder / path, alt)
        except PictureError as error:
            raise Fault(0, f'{path}: {error}') from error

    def _output(self, output):
        if SVG not in output.get('data', ()):
            return output
        content, width, height = self.pictures.png(output.data[SVG])
        data = {mime: text for mime, text in output.data.items() if mime != SVG}
        data[PNG] = base64.b64encode(content).decode()
        return nodes.output(output.output_type, data=data,
                            metadata={PNG: {'width': width, 'height': height}})


def _without_caption(source):
    """The source without the caption of a figure that another framework's cells have made."""
    first = next(prose.directives(source), None)
    if first is None or first.name != 'cell-figure' or first.line > 1:
        return source
    return '\n'.join(source.split('\n')[first.end:])


def _without_outputs(notebook):
    bare = copy.copy(notebook)
    bare.cells = [nodes.code(cell.source, cell.id, cell.metadata) if cell.cell_type == 'code'
                  else cell for cell in notebook.cells]
    return bare


def _bytes(notebook):
    nbformat.validate(notebook)
    return (nbformat.v4.writes(notebook) + '\n').encode('utf-8')


def zip_name(row):
    return f'd2lrnn-{row.module}-notebooks.zip'


def _packed(files, row):
    """A zip of files in one folder, without the time when it was made."""
    target, folder = io.BytesIO(), Path(zip_name(row)).stem
    with zipfile.ZipFile(target, 'w') as packed:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(f'{folder}/{name}', DATE)
            info.compress_type, info.external_attr, info.create_system = (
                zipfile.ZIP_DEFLATED, 0o644 << 16, 3)
            packed.writestr(info, content)
    return target.getvalue()


def place(files, folder):
    """Make a folder hold these of the notebooks and no others; each file is whole or not there."""
    for pattern in MINE:
        for path in folder.glob(pattern):
            if path.relative_to(folder).as_posix() not in files:
                path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f'{path.name}.draft')
            draft.write_bytes(content)
            draft.replace(path)


def publish(pages, folder):
    """Put what the pages in a folder offer where it is found without a browser."""
    source = pages / FOLDER
    place({path.relative_to(source).as_posix(): path.read_bytes()
           for pattern in MINE for path in source.glob(pattern)}, folder)
