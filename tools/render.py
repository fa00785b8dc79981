"""Builds the book's pages with Sphinx, and puts them in place only when all went well."""
import copy
import functools
import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

import nbformat
from d2lrnn import BACKENDS, __version__

from tools import digests, prose, reference
from tools.chapter import CHAPTERS, ROOT, load, names, toctree_entry
from tools.downloads import Downloads, made_with
from tools.library import LibraryError
from tools.merge import merge
from tools.offline import remote_resources
from tools.shelf import Shelf
from tools.sphinx_build import RenderError, build

BUILD = ROOT / '_build'
SITE = Path(__file__).resolve().parent / 'site'
STAMP, MADE_BY = '.stamp', '.made-by'
LABELS = 'labels.json'  # of tools/site/labels.py
PACKAGES = ('sphinx', 'myst-nb', 'myst-parser', 'sphinx-design', 'furo', 'sphinxcontrib-bibtex',
            'sphinx-copybutton', 'docutils', 'django-static-mathjax')
# What a reference to a chapter that is left out raises. Such a reference shows its label.
OUTSIDE_SUBSET = ['ref', 'myst.xref_missing', 'bibtex']


def up_to_date(merged, out, corpus, *, folder=CHAPTERS, library=None, colab=''):
    """Whether `render` with the same arguments would change nothing. Starts no Sphinx."""
    sources = _sources(merged, corpus, folder, library)
    copies = Shelf(out.parent / 'copies', merged, corpus, folder)
    return _is(out / STAMP, _fingerprint(sources, corpus, copies, colab))


def render(merged, out, corpus, *, folder=CHAPTERS, work=BUILD, library=None, colab=''):
    """Renders the chapters into `out`, which changes all at once or not at all.

    With some chapters only, the table of contents leaves the others out, and a reference to one
    of them shows its label in place of a number or a link.

    Args:
        merged: chapter name -> what `merge` returned.
        out: folder for the pages.
        corpus: name of the text that the models were trained on.
        folder: where the chapters, their pictures and refs.bib are.
        work: folder for what the next build can use again.
        library: folder of the library, for the API reference behind the chapters; None leaves it
            out, as do some chapters only.
        colab: address under which Colab opens the notebooks, '' for none.
    Raises:
        RenderError: Sphinx failed or warned, a page would load something from elsewhere, or a
            docstring cannot be shown.
        ChapterError: something in a chapter has no form in a plain notebook.
    """
    _repair(out)
    sources = _sources(merged, corpus, folder, library)
    copies = Shelf(out.parent / 'copies', merged, corpus, folder)
    stamp = _fingerprint(sources, corpus, copies, colab)
    if _is(out / STAMP, stamp):
        return
    _write(sources, work / 'src')
    downloads = Downloads(merged, folder, work)
    context = {'corpus': corpus, 'backends': [row._asdict() for row in BACKENDS],
               'downloads': _both(copies.links(), downloads.links()),
               'notebooks': downloads.offered(), 'colab': colab}
    partial = not set(names(folder)) <= set(merged) | {'index'}
    try:
        downloads.begin()
        _make(out, work, _settings(sources, corpus), context, partial, stamp, downloads, copies)
    finally:
        downloads.end()
        for unfinished in (out, work / 'doctrees'):
            shutil.rmtree(_fresh(unfinished), ignore_errors=True)


def _make(out, work, made_by, context, partial, stamp, downloads, copies):
    """Make the pages and what they link to beside the last ones, and put them in their place."""
    side, doctrees = _fresh(out), work / 'doctrees'
    _start(out, made_by)
    _start(doctrees, made_by)
    _sphinx(work / 'src', side, _fresh(doctrees), partial, context)
    _check_offline(side, out)
    downloads.write(side, json.loads((_fresh(doctrees) / LABELS).read_text('utf-8')))
    copies.offer(side)
    (side / STAMP).write_text(stamp)
    _finish(out, made_by)
    # not before: Sphinx does not repeat the warnings of pages that it has kept
    _finish(doctrees, made_by)


def lay_out(merged, corpus, target, folder=CHAPTERS):
    """Writes into `target` what Sphinx reads of the chapters, without the API reference."""
    _write(_sources(merged, corpus, folder), target)


def _sources(merged, corpus, folder, library=None):
    """All files for Sphinx: path -> bytes.

    The notebooks keep their chapters' names, so that links between chapters and the places in
    warnings hold; conf.py says that they are notebooks.
    """
    merged = dict(merged)
    if 'index' not in merged:
        reasons = {backend.module: 'this page was left out' for backend in BACKENDS}
        merged['index'] = merge(load('index', folder), {}, reasons, corpus)
    bibliography = folder / 'refs.bib'
    if not bibliography.is_file():
        raise RenderError(f'{folder.name}/refs.bib is missing; it holds the sources that the '
                          'chapters cite')
    files = {'refs.bib': bibliography.read_bytes()}
    for path in sorted((folder / 'img').rglob('*')):
        if path.is_file():
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    merged['index'] = _without_absent(merged['index'], set(merged))
    if library and set(names(folder)) <= set(merged):
        files |= _reference(merged, library)
        merged['index'] = reference.announced(merged['index'])
    for name, notebook in merged.items():
        files[f'{name}.md'] = nbformat.writes(notebook).encode('utf-8')
    return files


def _reference(merged, library):
    shown = {}
    for name, notebook in merged.items():
        for cell in notebook.cells:
            include = cell.metadata.get('d2lrnn', {}).get('include')
            if include and name not in shown.setdefault(include, []):
                shown[include].append(name)
    state = [(str(path), path.stat().st_mtime_ns) for path in sorted(library.rglob('*.py'))]
    try:
        return _pages(json.dumps(shown), library, json.dumps(state))
    except LibraryError as error:
        raise RenderError(f'{error}\nThe last good pages are still there.') from error


@functools.lru_cache(1)  # for builds that follow in the same process
def _pages(shown, library, state):
    return reference.pages(json.loads(shown), library)


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


def _fingerprint(sources, corpus, copies, colab):
    return _digest(sources | made_with(), [_settings(sources, corpus), copies.state(), colab])


def _settings(sources, corpus):
    """Digest of all that each page depends on."""
    site = {path.relative_to(SITE).as_posix(): path.read_bytes() for path in SITE.rglob('*')
            if path.is_file() and path.suffix != '.pyc'}
    code = {path: Path(path).read_bytes() for path in (prose.__file__, __file__)}
    linked = {name: sources[name] for name in ('refs.bib', reference.NAMES) if name in sources}
    return _digest(site | code | linked,
                   [corpus, __version__, BACKENDS, [version(name) for name in PACKAGES]])


def _digest(files, settings):
    digest = hashlib.sha256(json.dumps(settings).encode())
    digests.add(digest, sorted(files.items()))
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


def _both(first, second):
    return {tab: first.get(tab, {}) | second.get(tab, {}) for tab in {**first, **second}}


def _sphinx(source, side, doctrees, partial, context):
    overrides = {'html_context': context,
                 'bibtex_bibfiles': [str(source.resolve() / 'refs.bib')],
                 'suppress_warnings': OUTSIDE_SUBSET if partial else []}
    build(source, SITE, side, doctrees, 'html', overrides)


def _check_offline(side, out):
    remote = remote_resources(side, out)
    if remote:
        page, address = remote[0]
        raise RenderError(f'{page} would load {address} when it is read; keep a copy of it in '
                          f'{CHAPTERS.name}/img')


def _fresh(folder):
    return folder.with_name(f'{folder.name}.new')


def _repair(folder):
    old = folder.with_name(f'{folder.name}.old')
    if old.exists() and not folder.exists():
        old.rename(folder)  # an earlier run was stopped between the two renames of _finish


def _is(file, text):
    return file.is_file() and file.read_text() == text


def _start(folder, made_by):
    """Make a copy to go on from, or nothing where another version of the tools made it."""
    _repair(folder)
    shutil.rmtree(_fresh(folder), ignore_errors=True)
    if _is(folder / MADE_BY, made_by):
        shutil.copytree(folder, _fresh(folder), ignore=shutil.ignore_patterns(MADE_BY, STAMP))


def _finish(folder, made_by):
    """Put the fresh folder in place."""
    side, old = _fresh(folder), folder.with_name(f'{folder.name}.old')
    (side / MADE_BY).write_text(made_by)
    shutil.rmtree(old, ignore_errors=True)
    try:
        if folder.exists():
            folder.rename(old)
        side.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
