import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.tools import sample
from tests.tools.sample_book import CORPUS, Book
from tools import render as module
from tools.render import RenderError, render, up_to_date


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    return Book(tmp_path_factory.mktemp('built')).render(missing={'mxnet': 'no MXNet here'})


@pytest.fixture
def book(built, tmp_path):
    """A copy of the built book to spoil."""
    shutil.copytree(built.folder.parent, tmp_path / 'book')
    copy = Book.__new__(Book)
    copy.folder = tmp_path / 'book/chapters'
    copy.out, copy.work = tmp_path / 'book/_build/html', tmp_path / 'book/_build'
    return copy


def test_output_that_would_load_something_stops_the_build(book):
    merged = book.merged()
    cell = next(cell for cell in merged['second'].cells if cell.cell_type == 'code')
    cell.outputs = [sample.new_output('display_data', data={
        'text/html': '<img src="https://a.org/a.png">'})]
    with pytest.raises(RenderError, match='second.html would load https://a.org/a.png'):
        render(merged, book.out, CORPUS, folder=book.folder, work=book.work)


def test_unchanged_book_starts_no_sphinx(book, monkeypatch):
    monkeypatch.setattr(module, '_sphinx', lambda *arguments: pytest.fail('Sphinx was started'))
    merged = book.merged(missing={'mxnet': 'no MXNet here'})
    began = time.perf_counter()
    assert up_to_date(merged, book.out, CORPUS, folder=book.folder)
    assert time.perf_counter() - began < 1
    render(merged, book.out, CORPUS, folder=book.folder, work=book.work)


def test_importing_render_does_not_import_sphinx():
    code = 'import sys, tools.render; sys.exit("sphinx.application" in sys.modules)'
    subprocess.run([sys.executable, '-c', code], cwd=module.ROOT, check=True, timeout=60)


@pytest.mark.parametrize('change', ['text', 'corpus', 'picture', 'bibliography', 'site', 'gone'])
def test_what_makes_a_book_out_of_date(book, change, monkeypatch, tmp_path):
    corpus = CORPUS
    merged = book.merged(missing={'mxnet': 'no MXNet here'})
    if change == 'text':
        merged['second'].cells[0].source += ' More.'
    elif change == 'corpus':
        corpus = 'The Time Machine'
    elif change == 'picture':
        (book.folder / 'img/grid.svg').write_text(sample.SVG.format(50, 'another'))
    elif change == 'bibliography':
        (book.folder / 'refs.bib').write_text(sample.BIB + '\n')
    elif change == 'site':
        shutil.copytree(module.SITE, tmp_path / 'site')
        (tmp_path / 'site/custom.css').write_text('')
        monkeypatch.setattr(module, 'SITE', tmp_path / 'site')
    else:
        shutil.rmtree(book.out)
    assert not up_to_date(merged, book.out, corpus, folder=book.folder)


def test_warning_names_the_chapters_line_each_time_and_keeps_the_last_page(book):
    before = book.page('second')
    book.change('second', '# Second chapter\n', '# Second chapter\n\n{ref}`nowhere`\n')
    line = (book.folder / 'second.md').read_text().split('\n').index('{ref}`nowhere`') + 1
    for _ in range(2):  # a kept doctree would hide it the second time
        with pytest.raises(RenderError, match=f"^chapters/second.md:{line}: .*'nowhere'"):
            book.render()
        assert book.page('second') == before
        assert not list(book.work.glob('html.*'))
    book.change('second', '{ref}`nowhere`', 'Fine.')
    assert 'Fine.' in book.render().page('second')


@pytest.mark.parametrize('text, message', [
    ('```{solution-start}\n```\n\nText.\n', 'a solution without its other end'),
    ('```{cell-figure}\nCaption.\n```\n', 'a cell-figure that does not follow a code cell'),
    ('{cite}`nobody`\n', 'could not find bibtex key "nobody"'),
])
def test_misplaced_blocks(book, text, message):
    book.change('second', '# Second chapter\n', f'# Second chapter\n\n{text}')
    with pytest.raises(RenderError, match=f'chapters/second.md:1[123]: .*{message}'):
        book.render()


@pytest.mark.parametrize('stop', ['_check_offline', '_finish'])
def test_interrupt_leaves_the_last_page(book, monkeypatch, stop):
    before = book.page('second')
    book.change('second', '# Second chapter', '# Changed')

    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, stop, interrupt)
        with pytest.raises(KeyboardInterrupt):
            book.render()
    assert book.page('second') == before and not list(book.work.glob('html.*'))
    assert 'Changed' in book.render().page('second')


def test_kill_between_the_two_renames_is_repaired(book):
    book.out.rename(book.work / 'html.old')
    book.render(missing={'mxnet': 'no MXNet here'})
    assert 'Second chapter' in book.page('second') and not (book.work / 'html.old').exists()


def test_some_chapters_only(book):
    book.render(only=['second'])
    page, index = book.page('second'), book.page('index')
    assert not (book.out / 'first.html').exists()
    assert 'second.html' in index and 'first' not in index
    assert 'fig-grid' in page and 'eq-state' in page
    book.render()
    assert re.search(r'href="first.html#fig-grid"><span class="std std-numref">Figure 1.1<',
                     book.page('second'))


def test_index_alone_and_removed_sources(book):
    book.render(only=['index'])
    assert sorted(path.stem for path in book.out.glob('*.html')) == ['index', 'search']
    assert not (book.work / 'src/first.md').exists()


def test_missing_bibliography(book):
    (book.folder / 'refs.bib').unlink()
    with pytest.raises(RenderError, match='chapters/refs.bib is missing'):
        book.render()


def test_two_builds_give_the_same_pages(built, tmp_path):
    again = Book(tmp_path).render(missing={'mxnet': 'no MXNet here'})
    for name in ('index', 'first', 'second'):
        assert again.page(name) == built.page(name)
