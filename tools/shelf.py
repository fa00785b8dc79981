"""The offline copies that were made, and which of them are of the book as it is now."""
from __future__ import annotations

import hashlib
import json
import os
import shutil
from importlib.metadata import version
from pathlib import Path

from d2lrnn import BACKENDS, __version__

from tools.chapter import ALL, CHAPTERS
from tools.downloads import FOLDER

KINDS = ('pdf', 'epub')
PACKAGES = ('sphinx', 'myst-nb', 'myst-parser', 'sphinx-design', 'sphinxcontrib-bibtex', 'docutils',
            'pygments', 'latex2mathml', 'django-static-mathjax', 'playwright')
TOOLS = Path(__file__).parent


class Shelf:
    """The folder of the copies, each with a stamp that says what it was made of.

    Args:
        folder: where they are.
        merged: chapter name -> its merged notebook.
        corpus: name of the text that the models were trained on.
        chapters: folder of their pictures and refs.bib.
    """

    def __init__(self, folder, merged, corpus, chapters=CHAPTERS):
        self.folder, self.merged, self._digests = folder, merged, {}
        files = {path.relative_to(base).as_posix(): path.read_bytes()
                 for base, parts in ((TOOLS, ('paper', 'site')), (chapters, ('img', 'refs.bib')))
                 for part in parts for path in (base / part, *(base / part).rglob('*'))
                 if path.is_file() and path.suffix != '.pyc'
                 and (part != 'site' or path.suffix == '.py')}  # the rest is for browsers
        self.common = [corpus, __version__, [version(name) for name in PACKAGES],
                       *([name, hashlib.sha256(content).hexdigest()]
                         for name, content in sorted(files.items()))]

    def path(self, row, kind):
        return self.folder / f'd2lrnn-{row.module}.{kind}'

    def current(self):
        """The copies of the book as it is: tab -> kind -> path."""
        found = {}
        for row in BACKENDS:
            kinds = [kind for kind in KINDS if self.has(row, kind)]
            if kinds:
                found[row.tab] = {kind: self.path(row, kind) for kind in kinds}
        return found

    def links(self):
        """The same as addresses in the book: tab -> kind -> address."""
        return {tab: {kind: f'{FOLDER}/{path.name}' for kind, path in kinds.items()}
                for tab, kinds in self.current().items()}

    def state(self):
        """What changes where a copy comes, goes or is made again."""
        return [[path.name, path.stat().st_mtime_ns] for kinds in self.current().values()
                for path in kinds.values()]

    def offer(self, pages):
        """Put the current copies where `links` says, and take away those that are not."""
        (pages / FOLDER).mkdir(exist_ok=True)
        current = {path.name: path for kinds in self.current().values()
                   for path in kinds.values()}
        for row in BACKENDS:
            for kind in KINDS:
                path = pages / FOLDER / self.path(row, kind).name
                path.unlink(missing_ok=True)
                if path.name in current:
                    shutil.copyfile(current[path.name], path)

    def has(self, row, kind):
        path = self.path(row, kind)
        return (path.is_file() and self._stamp(path).is_file()
                and self._stamp(path).read_text('utf-8') == self.digest(row))

    def put(self, row, kind, draft):
        """Take a finished file in, in place of an older one."""
        path = self.path(row, kind)
        self._stamp(path).unlink(missing_ok=True)
        os.replace(draft, path)
        fresh = self._stamp(path).with_suffix('.new')
        fresh.write_text(self.digest(row), 'utf-8')
        os.replace(fresh, self._stamp(path))

    def made_by(self):
        """Hash of what all frameworks' copies depend on beside the chapters."""
        return hashlib.sha256(json.dumps(self.common).encode()).hexdigest()

    def digest(self, row):
        """Hash of all that one framework's copies depend on; not how long its cells took."""
        if row not in self._digests:
            self._digests[row] = self._digest(row)
        return self._digests[row]

    def _digest(self, row):
        chapters = [[name, versions(notebook, row), [
            [cell.source, cell.get('outputs'), cell.metadata.get('d2lrnn', {}).get('note')]
            for cell in notebook.cells
            if cell.metadata.get('d2lrnn', {}).get('tab', ALL) in (ALL, row.tab)]]
            for name, notebook in sorted(self.merged.items())]
        text = json.dumps([row, self.common, chapters], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @staticmethod
    def _stamp(path):
        return path.with_name(f'.{path.name}.stamp')


def versions(notebook, row):
    """What a chapter was run with on one framework, '' where it was not."""
    runs = notebook.metadata.get('d2lrnn', {}).get('runs', ())
    return next((run.get('versions', '') for run in runs if run['tab'] == row.tab), '')
