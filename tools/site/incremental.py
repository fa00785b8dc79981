"""Lets a rendering start from the last pages: those that would come out the same stay.

Sphinx writes the pages whose sources changed. A page also shows what belongs to others: titles,
numbers, targets of references, the list of sources. Where any of that changed, all are written.
"""
import hashlib
import time
from pathlib import Path

SHARED = '.shared'  # what the pages in this folder show of each other


def shared(env):
    """Digest of all that a page can show of another one."""
    std, math = env.domaindata['std'], env.domaindata['math']
    parts = [sorted((name, str(title)) for name, title in env.titles.items()),
             sorted(env.toc_secnumbers.items()), sorted(env.toc_fignumbers.items()),
             sorted(env.toctree_includes.items()), sorted(env.numbered_toctrees),
             sorted(std['labels'].items()), sorted(std['anonlabels'].items()),
             sorted(std['objects'].items()), sorted(math['objects'].items()),
             sorted((source.key, source.citation_id, source.bibliography_key.docname,
                     source.formatted_entry.label)
                    for source in env.domaindata['cite']['citations'])]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def dependents(app, env):
    """All pages, unless those in the folder show of each other what they would show now."""
    mark = Path(app.outdir) / SHARED
    app.d2lrnn_began, app.d2lrnn_shared = time.time(), shared(env)
    known = mark.read_text() if mark.is_file() else None
    return [] if known == app.d2lrnn_shared else list(env.found_docs)


def finish(app, error):
    """Drop the pages and pictures of chapters that are gone."""
    if error:
        return
    out = Path(app.outdir)
    pictures = {name for _, name in app.env.images.values()}
    for path in (out / app.builder.imagedir).glob('*'):
        if path.name not in pictures:
            path.unlink()
    for path in out.rglob('*.html'):
        name = path.relative_to(out).with_suffix('').as_posix()
        # what is no chapter's, as the search page, is written each time
        if name not in app.env.found_docs and path.stat().st_mtime < app.d2lrnn_began:
            path.unlink()
    (out / SHARED).write_text(app.d2lrnn_shared)


def connect(app):
    if app.builder.name == 'html':
        # after Sphinx has numbered all sections and figures
        app.connect('env-get-updated', dependents, priority=900)
        app.connect('build-finished', finish)


def setup(app):
    app.connect('builder-inited', connect)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
