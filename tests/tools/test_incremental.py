"""Pages that go on from the last ones are those of a build from nothing."""
import json
import re
import shutil

import pytest

from tests.tools import sample
from tests.tools.sample_book import Book
from tools.render import RenderError

VERSION = re.compile(rb'\?v=\w+')  # of a file that Sphinx only sees where it was there before
BIB = sample.BIB.replace('elman1990', 'jordan1986').replace('Elman, Jeffrey L.', 'Jordan, Michael')
FIGURE = '''```{figure} img/grid.svg
:name: fig-before
:alt: Two layers over three steps

Another one.
```

'''
CHANGES = {
    'prose': ('second', '# Second chapter\n', '# Second chapter\n\nMore words.\n'),
    'heading': ('second', '# Second chapter\n', '# Second chapter\n\n## A part\n'),
    'figure': ('first', 'The state follows', f'{FIGURE}The state follows'),
    'citation': ('second', '# Second chapter\n', '# Second chapter\n\n{cite}`elman1990`\n'),
    'title': ('second', '# Second chapter\n', '# Another title\n')}


@pytest.fixture(scope='module')
def book(tmp_path_factory):
    """A book that every test changes further."""
    return Book(tmp_path_factory.mktemp('book')).render()


def files(book):
    """What is in the pages' folder, without what says when or from what it was made."""
    found = {path.relative_to(book.out).as_posix(): VERSION.sub(b'', path.read_bytes())
             for path in book.out.rglob('*') if path.is_file()}
    kept = {name: content for name, content in found.items()
            if not name.startswith('.') and name != 'objects.inv'}
    # the order in it is that in which the pages were written
    index = kept.pop('searchindex.js').decode().removeprefix('Search.setIndex(')[:-1]
    return kept, ordered(json.loads(index))


def ordered(index):
    """The search index by the names of pages in place of their numbers."""
    names = index['docnames']
    pages = {names[number]: (index['filenames'][number], index['titles'][number])
             for number in range(len(names))}
    terms = {kind: {term: sorted(names[number] for number in (
        numbers if isinstance(numbers, list) else [numbers])) for term, numbers in
        index[kind].items() if numbers != []} for kind in ('terms', 'titleterms')}
    return pages, terms


def clean(book, tmp_path):
    fresh = Book(tmp_path / 'fresh')
    shutil.rmtree(fresh.folder)
    shutil.copytree(book.folder, fresh.folder)
    return fresh.render()


@pytest.mark.parametrize('kind', CHANGES)
def test_one_change(book, tmp_path, kind):
    book.change(*CHANGES[kind])
    pages, index = files(book.render())
    expected, other = files(clean(book, tmp_path))
    assert pages == expected and index == other


def test_prose_leaves_the_other_pages(book):
    before = {path.name: path.stat().st_mtime_ns for path in book.out.glob('*.html')}
    book.change('second', 'More words.', 'Still more words.')
    book.render()
    assert {name for name, when in before.items()
            if (book.out / name).stat().st_mtime_ns == when} == {'first.html'}


def test_what_was_shown_of_a_chapter_that_some_only_left_out(book):
    expected = files(book)
    book.render(only=['second'])
    assert not (book.out / 'first.html').exists()
    assert files(book.render()) == expected


def test_after_an_error(book):
    expected = files(book)
    book.change('second', 'Still more words.', 'Still more words. {ref}`nowhere`')
    with pytest.raises(RenderError, match='nowhere'):
        book.render()
    assert files(book) == expected
    book.change('second', ' {ref}`nowhere`', '')
    assert files(book.render()) == expected


def test_sources_pictures_and_a_chapter_that_goes(book, tmp_path):
    (book.folder / 'refs.bib').write_text(sample.BIB + BIB)
    book.change('first', 'as {cite:t}`elman1990`', '{cite}`jordan1986`, as {cite:t}`elman1990`')
    (book.folder / 'img/grid.svg').write_text(sample.SVG.format(50, 'another'))
    pages, index = files(book.render())
    expected, other = files(clean(book, tmp_path / 'one'))
    assert pages == expected and index == other
    (book.folder / 'second.md').unlink()
    book.change('index', 'Second chapter <second>\n', '')
    pages, index = files(book.render())
    expected, other = files(clean(book, tmp_path / 'two'))
    assert pages == expected and index == other and 'second.html' not in pages
