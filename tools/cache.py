"""Keeps executed notebooks under a hash of all that their outputs depend on."""
from __future__ import annotations

import hashlib
import json
import os
import re

import nbformat

from tools import digests, envs, nodes


def key(notebook, backend, environment, paths, corpus, epochs):
    """Hash of all that the outputs of a notebook depend on; prose is not part of it.

    Args:
        notebook: as it will be executed.
        backend: a row of the table of backends.
        environment: that it will be executed in.
        paths: the checkout.
        corpus: what the models are trained on.
        epochs: limit of their training, or None.
    """
    cells = [[cell.source, cell.metadata.get('tags', [])] for cell in nodes.code_of(notebook)]
    pins = environment.pins
    text = json.dumps([cells, library(paths, backend), pins.digest(), pins.env, corpus.name,
                       hashlib.sha256(corpus.text.encode()).hexdigest(), epochs, envs.version()])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def library(paths, backend):
    """Hash of the library as one backend sees it."""
    package = paths.root / 'd2lrnn'
    digest = hashlib.sha256()
    files = [package / '__init__.py']
    for part in ('core', 'corpora', backend.module):
        files += sorted(path for path in (package / part).rglob('*')
                        if path.is_file() and '__pycache__' not in path.parts)
    digests.add(digest, ((path.relative_to(package), path.read_bytes()) for path in files))
    return digest.hexdigest()


class Cache:
    """The executed notebooks of one checkout."""

    def __init__(self, folder):
        self.folder = folder

    def _path(self, chapter, backend, digest, epochs):
        length = f'{epochs}epochs-' if epochs else ''
        return self.folder / f'{chapter}-{backend.module}-{length}{digest}.ipynb'

    def _all(self, chapter, backend, epochs):
        """Entries of any hash, newest first."""
        form = re.escape(self._path(chapter, backend, 'HASH', epochs).name)
        form = form.replace('HASH', '[0-9a-f]{20}')
        found = [path for path in self.folder.glob('*.ipynb') if re.fullmatch(form, path.name)]
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)

    def load(self, notebook, chapter, backend, digest, epochs):
        """Put the kept outputs into a notebook.

        Returns:
            How long it took to make them, or None where there are none or none readable.
        """
        try:
            kept = self._read(self._path(chapter, backend, digest, epochs))
            cells, mine = nodes.code_of(kept), nodes.code_of(notebook)
            if [cell.source for cell in cells] != [cell.source for cell in mine]:
                return None
            seconds = float(kept.metadata['d2lrnn']['seconds'])
        except (OSError, ValueError, KeyError, nbformat.ValidationError, AttributeError):
            return None
        for cell, executed in zip(mine, cells):
            cell.outputs, cell.execution_count = executed.outputs, executed.execution_count
        return seconds

    def store(self, notebook, chapter, backend, digest, epochs, seconds):
        """Keep an executed notebook, and drop what it replaces."""
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = nbformat.from_dict(notebook)
        kept.metadata['d2lrnn'] = {'seconds': round(seconds, 1)}
        path = self._path(chapter, backend, digest, epochs)
        draft = path.with_suffix('.draft')
        nbformat.write(kept, draft)
        os.replace(draft, path)
        for old in self._all(chapter, backend, epochs):
            if old != path:
                old.unlink()

    def seconds(self, chapter, backend, epochs):
        """How long the notebook took when it was last executed, or None."""
        for path in self._all(chapter, backend, epochs):
            try:
                return float(self._read(path).metadata['d2lrnn']['seconds'])
            except (OSError, ValueError, KeyError, nbformat.ValidationError, AttributeError):
                continue
        return None

    @staticmethod
    def _read(path):
        notebook = nbformat.v4.reads(path.read_text('utf-8'))  # nbformat.read checks it too
        nbformat.validate(notebook)
        return notebook
