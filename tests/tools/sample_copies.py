"""The sample with its offline copies, made with Chromium where there is one."""
import os
import zipfile

import pytest
from d2lrnn import BACKENDS

from tests.tools.sample_book import CORPUS, Book
from tools import chromium, copies
from tools.shelf import Shelf

TORCH, JAX = BACKENDS[0], BACKENDS[2]
# The sample's own formula is wider than a page.
SHORT = (', \\qquad\nH_t^{(l)} = \\tanh(H_t^{(l-1)} W_{xh}^{(l)} + H_{t-1}^{(l)} W_{hh}^{(l)}\n'
         '+ b_h^{(l)}), \\qquad O_t', ', \\\\\nO_t')


@pytest.fixture(scope='session')
def browser_path():
    path = chromium.find()
    if path is None:
        required = os.environ.get('D2LRNN_REQUIRE_BROWSER')
        (pytest.fail if required else pytest.skip)(chromium.MISSING)
    return path


class Made:
    """A book and its copies."""

    def __init__(self, root):
        self.book = Book(root)
        self.book.change('first', *SHORT)

    def make(self, *kinds, rows=BACKENDS, browser=None, force=False, **options):
        made = copies.Copies(kinds, browser, force, 2)
        made.make(self.book.merged(**options), CORPUS, rows, self.book.work / 'copies',
                  self.book.folder)
        return made

    def shelf(self, **options):
        return Shelf(self.book.work / 'copies', self.book.merged(**options), CORPUS,
                     self.book.folder)

    def epub(self, row):
        with zipfile.ZipFile(self.shelf().path(row, 'epub')) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
