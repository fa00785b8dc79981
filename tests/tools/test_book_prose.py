"""The real chapters: nothing that `python3 -m tools check` looks for is wrong, and code is run."""
import pytest
from d2lrnn import BACKENDS

from tools import chapter, check, checks
from tools.checks.sources import Book
from tools.paths import HERE

CELLS = 150  # executed cells a framework at least


@pytest.fixture(scope='module')
def book(tmp_path_factory):
    return Book(HERE.root, tmp_path_factory.mktemp('no') / 'pages')


@pytest.mark.parametrize('rule', checks.RULES, ids=lambda rule: rule.__name__.split('.')[-1])
def test_nothing_is_wrong(book, rule):
    assert not book.faults
    assert not [f'{book.place(found.path)}:{found.line}: {found.message}'
                for found in rule.find(book)]


def test_everything_is_read(book):
    assert [source.name for source in book.chapters] == chapter.names()
    assert {source.name for source in book.documents} == {'README', 'CONTRIBUTING', 'CHANGELOG'}
    assert check.findings(book) == []


@pytest.mark.parametrize('backend', BACKENDS, ids=lambda backend: backend.module)
def test_enough_is_executed(book, backend):
    cells = [cell for source in book.chapters for cell in source.cells]
    assert sum(cell.tab in (backend.tab, chapter.ALL) for cell in cells) >= CELLS
