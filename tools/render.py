"""Builds the book's pages with Sphinx, and puts them in place only when all went well."""
import copy
import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

import nbformat
from d2lrnn import BACKENDS, __version__

from tools import prose
from tools.chapter import CHAPTERS, ROOT, load, names, toctree_entry
from tools.merge import ANSI, merge
from tools.offline import remote_resources

BUILD = ROOT / '_build'
SITE = Path(__file__).resolve().parent / 'site'
STAMP = '.stamp'
PACKAGES = ('sphinx', 'myst-nb', 'myst-parser', 'sphinx-design', 'furo', 'sphinxcontrib-bibtex',
            'sphinx-copybutton', 'docutils', 'django-static-mathjax')
# What a reference to a chapter that is left out raises. Such a reference shows its label.
OUTSIDE_SUBSET = ['ref', 'myst.xref_missing', 'bibtex']


class RenderError(Exception):
    """The book could not be rendered; the pages of the last good build are still there."""


def up_to_date(merged, out, corpus, *, folder=CHAPTERS):
    """Whether `render` with the same arguments would change nothing. Starts no Sphinx."""
    stamp = out / STAMP
    return stamp.is_file() and stamp.read_text() == _fingerprint(
        _sources(merged, corpus, folder), corpus)


def render(merged, out, corpus, *, folder=CHAPTERS, work=BUILD):
    """Renders the chapters into `out`, which changes all at once or not at all.

    With some chapters only, the table of contents leaves the others out, and a reference to one
    of them shows its label in place of a number or a link.

    Args:
        merged: chapter name -> what `merge` returned.
        out: folder for the pages.
        corpus: name of the text that the models were trained on.
        folder: where the chapters, their pictures and refs.bib are.
        work: folder for what the next build can use again.
    Raises:
        RenderError: Sphinx failed or warned, or a page would load something from elsewhere.
    """
    side, old = out.with_name(f'{out.name}.new'), out.with_name(f'{out.name}.old')
    if old.exists() and not out.exists():
        old.rename(out)  # an earlier run was stopped between the two renames below
    if up_to_date(merged, out, corpus, folder=folder):
        return
    sources = _sources(merged, corpus, folder)
    _write(sources, work / 'src')
    shutil.rmtree(side, ignore_errors=True)
    try:
        partial = not set(names(folder)) <= set(merged) | {'index'}
        _sphinx(work / 'src', side, work / 'doctrees', corpus, partial)
        _check_offline(side)
        (side / STAMP).write_text(_fingerprint(sources, corpus))
        _swap(side, out, old)
    except RenderError:
        # Sphinx does not repeat the warnings of pages that it has kept
        shutil.rmtree(work / 'doctrees', ignore_errors=True)
        raise
    finally:
        shutil.rmtree(side, ignore_errors=True)


def _sources(merged, corpus, folder):
    """All files for Sphinx: path -> bytes.

    The notebooks keep their chapters' names, so that links between chapters and the places in
    warnings hold; conf.py says that they are notebooks.
    """
    if 'index' not in merged:
        reasons = {backend.module: 'this page was left out' for backend in BACKENDS}
        merged = merged | {'index': merge(load('index', folder), {}, reasons, corpus)}
    bibliography = folder / 'refs.bib'
    if not bibliography.is_file():
        raise RenderError(f'{folder.name}/refs.bib is missing; it holds the sources that the '
                          'chapters cite')
    files = {'refs.bib': bibliography.read_bytes()}
    for path in sorted((folder / 'img').rglob('*')):
        if path.is_file():
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    for name, notebook in merged.items():
        notebook = _without_absent(notebook, set(merged)) if name == 'index' else notebook
        files[f'{name}.md'] = nbformat.writes(notebook).encode('utf-8')
    return files


def _without_absent(index, present):
    """The index with only those chapters in its table of contents that are there."""
    index = copy.deepcopy(index)
    for cell in index.cells:
        lines = cell.source.split('\n')
        for directive in prose.directives(cell.source) if cell.cell_type == 'markdown' else ():
            if directive.name == 'toctree':
                for entry in directive.body.splitlines():
                    if entry.strip() and toctree_entry(entry) not in present:
                        at = lines.index(entry, directive.line, directive.end)
                        lines[at] = ''
        cell.source = '\n'.join(lines)
    return index


def _fingerprint(sources, corpus):
    site = {path.name: path.read_bytes()
            for path in (*SITE.rglob('*'), Path(prose.__file__), Path(__file__))
            if path.is_file() and path.suffix != '.pyc'}
    digest = hashlib.sha256()
    for files in (sources, site):
        for name, content in sorted(files.items()):
            digest.update(f'{name} {len(content)}\n'.encode() + content)
    settings = [corpus, __version__, BACKENDS, [version(name) for name in PACKAGES]]
    digest.update(json.dumps(settings).encode())
    return digest.hexdigest()


def _write(files, target):
    """Makes the folder hold exactly these files, touching only those that differ."""
    target.mkdir(parents=True, exist_ok=True)
    for path in target.rglob('*'):
        if path.is_file() and path.relative_to(target).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        path = target / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class _Warnings:
    """A stream that keeps Sphinx's warnings, and names the chapter's own file in them."""

    def __init__(self, source):
        self.source, self.text = f'{source}/', ''

    def write(self, text):
        self.text += ANSI.sub('', text).replace(self.source, f'{CHAPTERS.name}/')

    def flush(self):
        """Nothing is held back."""


def _sphinx(source, side, doctrees, corpus, partial):
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = _Warnings(source.resolve())
    overrides = {'html_context': {'corpus': corpus},
                 'bibtex_bibfiles': [str(source.resolve() / 'refs.bib')],
                 'suppress_warnings': OUTSIDE_SUBSET if partial else []}
    with patch_docutils(str(SITE)), docutils_namespace():
        try:
            app = Sphinx(source, SITE, side, doctrees, 'html', confoverrides=overrides,
                         status=None, warning=warnings, warningiserror=True)
            app.build()
        except Exception as error:
            raise RenderError(f'{warnings.text}The book was not rendered: {error}') from error
    if app.statuscode:
        raise RenderError(f'{warnings.text.rstrip()}\nThe book was not rendered, because of the '
                          'warnings above. The last good pages are still there.')


def _check_offline(side):
    remote = remote_resources(side)
    if remote:
        page, address = remote[0]
        raise RenderError(f'{page} would load {address} when it is read; keep a copy of it in '
                          f'{CHAPTERS.name}/img')


def _swap(side, out, old):
    shutil.rmtree(old, ignore_errors=True)
    try:
        if out.exists():
            out.rename(old)
        side.rename(out)
    except BaseException:
        if old.exists() and not out.exists():
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)
