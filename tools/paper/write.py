"""Writes the pages of one framework with Sphinx, and what is made of them."""
from __future__ import annotations

import re
import shutil
import uuid
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from d2lrnn import __version__

from tools import chapter, render, shelf, sphinx_build
from tools.paper import onepage

SETTINGS = Path(__file__).parent
TITLE = re.compile(r'^# +(.+)$', re.MULTILINE)
PARTS = ('.xhtml', '.opf', '.ncx', '.svg', '.xml')


class Edition:
    """The copy of the book for one framework.

    Args:
        row: of the table of backends.
        merged: chapter name -> its merged notebook.
        corpus: name of the text that the models were trained on.
        chapters: folder of the book's sources.
        work: folder for what the next edition can use again.
    """

    def __init__(self, row, merged, corpus, chapters, work):
        self.row, self.merged, self.corpus, self.work = row, merged, corpus, work
        self.chapters = chapters
        self.folder = work / row.module
        self.title = TITLE.search((chapters / 'index.md').read_text('utf-8'))[1].strip()
        found = {shelf.versions(notebook, row) for notebook in merged.values()} - {''}
        self.versions = ', '.join(sorted(found))

    def write(self):
        """Have Sphinx write the pages; returns the EPUB.

        Raises:
            RenderError: Sphinx warned, or a part of the EPUB is no XML.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        source = (self.work / 'src').resolve()
        render.lay_out(self.merged, self.corpus, source, self.chapters)
        partial = not set(chapter.names(self.chapters)) <= set(self.merged) | {'index'}
        name = f'd2lrnn-{self.row.module}'
        # not from the content: a reader's program takes a new build for the same book
        identifier = uuid.uuid5(uuid.NAMESPACE_URL, f'{name} {__version__}')
        sphinx_build.build(source, SETTINGS, self.folder, self.work / 'doctrees', 'epub', {
            'only_tab': self.row.tab, 'epub_basename': name,
            'epub_title': f'{self.title}: {self.row.title}',
            'epub_description': f'With the code and the outputs of {self.row.title}.',
            'epub_identifier': f'urn:uuid:{identifier}',
            'bibtex_bibfiles': [str(source / 'refs.bib')],
            'suppress_warnings': render.OUTSIDE_SUBSET if partial else []})
        book = self.folder / f'{name}.epub'
        check(book)
        return book

    def page(self):
        """Put the pages together to the one to print; returns its path and its contents."""
        text, contents = onepage.assemble(self.folder, self.title, self.row.title, [
            *([f'Made with {self.versions}.'] if self.versions else []),
            f'The models in this copy were trained on {self.corpus}.',
            f'd2lrnn {__version__}. This copy holds the code and the outputs of '
            f'{self.row.title} only.'])
        path = self.folder / 'print.html'
        path.write_text(text, 'utf-8')
        return path, contents


def check(book):
    """Raise `render.RenderError` for a part of an EPUB that is no XML."""
    with zipfile.ZipFile(book) as packed:
        for name in packed.namelist():
            if name.endswith(PARTS):
                try:
                    ElementTree.fromstring(packed.read(name))
                except ElementTree.ParseError as error:
                    raise render.RenderError(f'{book.name}: {name} is no XML: {error}') from error
