"""What makes a notebook be executed again, and what does not."""
import nbformat.v4
import pytest

from d2lrnn import BACKENDS
from d2lrnn.core.corpora import Corpus
from tools import cache, envs
from tools.paths import Paths

BACKEND, OTHER = BACKENDS[:2]
CORPUS = Corpus('A text', 'text', 'cache', None)


def notebook(code=('1 + 1',), prose='words', tags=()):
    cells = [nbformat.v4.new_markdown_cell(prose)]
    cells += [nbformat.v4.new_code_cell(source, metadata={'tags': list(tags)}) for source in code]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def paths(tmp_path):
    paths = Paths(tmp_path)
    paths.requirements.mkdir(parents=True)
    for part in ('core', 'corpora', BACKEND.module, OTHER.module):
        (tmp_path / 'd2lrnn' / part).mkdir(parents=True)
        (tmp_path / 'd2lrnn' / part / 'file.py').write_text('1')
    (tmp_path / 'd2lrnn' / '__init__.py').write_text('')
    (paths.requirements / f'{BACKEND.module}.txt').write_text('a==1\n')
    return paths


def key(paths, book=None, corpus=CORPUS, epochs=None):
    environment = envs.get(paths, BACKEND.module)
    return cache.key(book or notebook(), BACKEND, environment, paths, corpus, epochs)


@pytest.mark.parametrize('book', [notebook(prose='other words'), notebook(('1 + 1',))])
def test_prose_changes_nothing(paths, book):
    assert key(paths, book) == key(paths)


@pytest.mark.parametrize('change', [
    dict(book=notebook(('1 + 2',))), dict(book=notebook(('1 + 1', ''))),
    dict(book=notebook(tags=('full-epochs',))), dict(epochs=1),
    dict(corpus=Corpus('A text', 'other text', 'cache', None)),
    dict(corpus=Corpus('Another', 'text', 'cache', None))])
def test_what_the_outputs_depend_on(paths, change):
    assert key(paths, **change) != key(paths)


@pytest.mark.parametrize('file', [
    'd2lrnn/__init__.py', 'd2lrnn/core/file.py', f'd2lrnn/{BACKEND.module}/file.py',
    'd2lrnn/corpora/file.py', f'tools/requirements/{BACKEND.module}.txt'])
def test_files_that_the_outputs_depend_on(paths, file):
    before = key(paths)
    (paths.root / file).write_text('b==2\n')
    assert key(paths) != before


def test_another_backend_does_not_matter(paths):
    before = key(paths)
    (paths.root / 'd2lrnn' / OTHER.module / 'file.py').write_text('2')
    (paths.root / 'd2lrnn' / 'core' / '__pycache__').mkdir()
    (paths.root / 'd2lrnn' / 'core' / '__pycache__' / 'file.pyc').write_text('2')
    assert key(paths) == before


def executed(text):
    book = notebook()
    book.cells[1].outputs = [nbformat.v4.new_output('stream', name='stdout', text=text)]
    book.cells[1].execution_count = 7
    return book


def load(kept, digest, epochs=None, book=None):
    book = book or notebook(prose='other words')
    found = kept.load(book, 'one', BACKEND, digest, epochs)
    return found and book.cells[1].outputs[0].text


A, B, C = 'a' * 20, 'b' * 20, 'c' * 20


def test_outputs_come_back_into_a_changed_chapter(tmp_path):
    kept = cache.Cache(tmp_path)
    kept.store(executed('out'), 'one', BACKEND, A, None, 12.34)
    assert load(kept, A) == 'out'
    assert not load(kept, B)
    assert kept.seconds('one', BACKEND, None) == 12.3
    assert kept.seconds('two', BACKEND, None) is None


def test_new_entry_replaces_the_old_of_the_same_length_only(tmp_path):
    kept = cache.Cache(tmp_path)
    kept.store(executed('full'), 'one', BACKEND, A, None, 1)
    kept.store(executed('short'), 'one', BACKEND, B, 1, 1)
    kept.store(executed('new'), 'one', BACKEND, C, None, 1)
    kept.store(executed('other'), 'one-more', BACKEND, A, None, 1)
    kept.store(executed('other'), 'one', OTHER, A, None, 1)
    assert not load(kept, A) and load(kept, C) == 'new' and load(kept, B, 1) == 'short'
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize('damage', [
    lambda text: '', lambda text: text[:len(text) // 2], lambda text: '{}', lambda text: '[]',
    lambda text: text.replace('1 + 1', '1 + 2'), lambda text: text.replace('stdout', 'st\x00')])
def test_damaged_entry_is_not_used(tmp_path, damage):
    kept = cache.Cache(tmp_path)
    kept.store(executed('out'), 'one', BACKEND, A, None, 1)
    path, = tmp_path.iterdir()
    path.write_text(damage(path.read_text()))
    assert not load(kept, A)
    kept.store(executed('again'), 'one', BACKEND, A, None, 1)
    assert load(kept, A) == 'again'
