"""The notebooks that readers download, of the sample book."""
import base64
import copy
import json
import re
import struct
import zipfile

import nbformat
import pytest
from d2lrnn import BACKENDS

from tests.tools.sample_book import Book
from tools import downloads
from tools.chapter import ChapterError
from tools.plain import leftover

THERE = [row for row in BACKENDS if row.module != 'mxnet']


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    return Book(tmp_path_factory.mktemp('built')).render(missing={'mxnet': 'no MXNet here'})


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


def files(book):
    """All notebooks and zips: path -> bytes."""
    folder = book.out / 'downloads'
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


def read(book, name, module='torch', ending=''):
    path = book.out / 'downloads' / module / f'{name}{ending}.ipynb'
    return nbformat.reads(path.read_text('utf-8'), 4)


def text(notebook):
    return '\n\n'.join(cell.source for cell in notebook.cells if cell.cell_type == 'markdown')


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == 'code']


def test_one_a_chapter_and_framework_each_valid(built):
    expected = {f'{row.module}/{name}{ending}.ipynb' for row in THERE
                for name in ('index', 'first', 'second') for ending in ('', downloads.WITHOUT)}
    expected |= {f'd2lrnn-{row.module}-notebooks.zip' for row in THERE}
    assert set(files(built)) == expected
    for name, content in files(built).items():
        if name.endswith('.ipynb'):
            notebook = nbformat.reads(content.decode(), 4)
            nbformat.validate(notebook)
            for cell in notebook.cells:
                if cell.cell_type == 'markdown':
                    leftover.check(cell.source)


def test_pages_link_to_them(built):
    for name in ('index', 'first', 'second'):
        links = re.findall('href="(downloads/[^"]+)"', built.page(name))
        assert f'downloads/jax/{name}.ipynb' in links and not [a for a in links if 'mxnet' in a]
        assert all((built.out / link).is_file() for link in links)
    assert 'downloads/d2lrnn-jax-notebooks.zip' in re.findall('href="([^"]+)"',
                                                              built.page('index'))


def test_numbers_are_those_of_the_page(built):
    page, plain = built.page('first'), text(read(built, 'first'))
    numbers = re.findall('caption-number">(.*?) ?</span>', page)
    assert numbers == ['Figure 1.1', 'Figure 1.2']
    assert re.findall(r'^\*\*(Figure .*?)\.\*\*', plain, re.MULTILINE) == numbers
    equation = re.search('class="eqno">\\((.*?)\\)', page)[1]
    assert f'\\tag{{{equation}}}\n$$' in plain and f'({equation})' in plain
    headings = re.findall('<h[12]><span class="section-number">(.*?) </span>(.*?)<a', page)
    assert headings == [('1.', 'First chapter'), ('1.1.', 'Exercises'), ('1.2.', 'Sources')]
    assert re.findall(r'^#+ ([\d.]+) (.*)$', plain, re.MULTILINE) == headings


def test_references(built):
    first, second = text(read(built, 'first')), text(read(built, 'second'))
    assert 'as Elman [[Elm90](https://doi.org/10.1207/s15516709cog1402_1)] has it' in first
    assert 'on the grid of\nFigure 1.1; Figure 1.2 shows' in first
    assert '- [Elm90] Jeffrey L. Elman. Finding structure in time. *Cognitive Science*' in first
    assert 'After [(1.1)](first.ipynb), [Figure 1.1](first.ipynb), [Section 1](first.ipynb) and ' \
           '[the first](first.ipynb).' in second
    index = text(read(built, 'index'))
    assert '- [1. First chapter](first.ipynb)\n- [2. Second chapter](second.ipynb)' in index
    assert 'trained on a text \\<of\\> our own.' in index


def test_sources_are_listed_at_the_end(book):
    book.change('second', 'After', '{cite}`elman1990`. After')
    last = read(book.render(), 'second').cells[-1]
    assert last.source.startswith('## References\n\n- [Elm90] Jeffrey')


def test_code_of_one_framework_with_its_outputs(built):
    notebook = read(built, 'first', 'jax')
    install, first, *_ = code(notebook)
    assert notebook.cells[0] == install and '%pip install --quiet "d2lrnn[jax]"' in install.source
    assert first.source == 'from d2lrnn import jax as d2l' and not install.outputs
    assert not [cell for cell in code(notebook) if cell.source == 'table']
    assert 'table' in [cell.source for cell in code(read(built, 'first', 'torch'))]
    said = [output.text for cell in code(notebook) for output in cell.outputs
            if output.output_type == 'stream']
    assert '2\n' in said and any(line.startswith('epoch 2') for line in said)
    assert any('UserWarning: JAX is slow here' in line for line in said)
    kinds = [cell.metadata.get('tags') for cell in code(notebook) if 'board' in cell.source]
    assert kinds == [['full-epochs']]
    assert {key for cell in notebook.cells for key in cell.metadata} == {'tags'}
    assert notebook.metadata == {
        'kernelspec': {'name': 'python3', 'display_name': 'Python 3', 'language': 'python'},
        'language_info': {'name': 'python'}, 'title': 'First chapter'}


def test_without_outputs_is_else_the_same(built):
    full, bare = read(built, 'first'), read(built, 'first', ending=downloads.WITHOUT)
    assert any(cell.outputs for cell in code(full))
    for cell in code(full):
        cell.outputs = []
    assert bare == full


def test_identities_do_not_depend_on_the_outputs(book):
    before = [cell.id for cell in read(book.render(), 'first').cells]
    assert len(set(before)) == len(before)
    book.change('first', '1 + 1\n```\n\nTraining', 'platform.python_version()\n```\n\nTraining')
    assert [cell.id for cell in read(book.render(), 'first').cells] == before


def test_pictures_are_inside(built):
    notebook = read(built, 'first')
    kind, data, width, alt = re.search(
        '<img src="data:(.*?);base64,(.*?)" width="(.*?)" alt="(.*?)">', text(notebook)).groups()
    content = base64.b64decode(data)
    assert kind == 'image/png' and content.startswith(b'\x89PNG')
    assert struct.unpack('>II', content[16:24]) == (700, 400) and width == '350'
    assert alt == 'Two layers over three steps'
    drawn = [output for cell in code(notebook) for output in cell.outputs if 'data' in output
             and 'image/png' in output.data]
    assert len(drawn) == 1 and not [cell for cell in code(notebook) if 'svg' in str(cell.outputs)]
    assert drawn[0].metadata == {'image/png': {'width': 350, 'height': 200}}


def test_caption_goes_with_the_cell(book):
    book.change('first', ':only: the others print no table\n\ntable\n```',
                ':only: the others print no table\n\ntable\n```\n\n```{cell-figure}\n'
                ':name: fig-table\n\nA table.\n```')
    book.render()
    assert '**Figure 1.3.** A table.' in text(read(book, 'first', 'torch'))
    assert 'A table.' not in text(read(book, 'first', 'jax'))


def test_the_same_bytes_each_time(built, tmp_path):
    again = Book(tmp_path).render(missing={'mxnet': 'no MXNet here'})
    assert files(again) == files(built)


def test_zip_holds_the_notebooks_with_outputs_and_without(built):
    made, names = files(built), ('first', 'index', 'second')
    with zipfile.ZipFile(built.out / 'downloads/d2lrnn-torch-notebooks.zip') as packed:
        assert {info.date_time for info in packed.infolist()} == {downloads.DATE}
        assert {name: packed.read(name) for name in packed.namelist()} == {
            f'd2lrnn-torch-notebooks/{folder}{name}.ipynb': made[f'torch/{name}{end}.ipynb']
            for name in names for folder, end in (
                ('', ''), ('without-outputs/', '-without-outputs'))}


def test_next_build_has_the_new_numbers(book):
    book.render()
    before = files(book)
    book.change('first', '```{figure} img/grid.svg', '```{figure} img/grid.svg\n:name: fig-new\n'
                ':alt: new\n\nNew.\n```\n\n```{figure} img/grid.svg')
    book.render()
    assert '[Figure 1.2](first.ipynb)' in text(read(book, 'second'))
    changed = {name for name, content in files(book).items() if content != before[name]}
    assert not [name for name in changed if '/index' in name]


def test_one_chapter_only(book):
    book.render(only=['second'])
    assert set(files(book)) == {f'{row.module}/second{ending}.ipynb' for row in BACKENDS
                                for ending in ('', downloads.WITHOUT)} | {
        f'd2lrnn-{row.module}-notebooks.zip' for row in BACKENDS}
    assert 'After eq\\-state' not in text(read(book, 'second'))
    assert 'After eq-state, fig-grid, sec-first and' in text(read(book, 'second'))


def test_a_chapter_that_failed_is_not_offered(book):
    merged = book.merged()
    merged['first'].metadata['d2lrnn']['complete'].remove('jax')
    found = downloads.Downloads(merged, book.folder, book.work)
    assert found.offered()['first'] == [row.tab for row in BACKENDS if row.tab != 'jax']
    assert 'jax' in found.offered()['second']


def test_what_has_no_plain_form_is_named_and_nothing_changes(book):
    book.render()
    before, page = files(book), book.page('first')
    lines = (book.folder / 'first.md').read_text().split('\n')
    line = next(at for at, part in enumerate(lines, 1) if part.startswith('The same code'))
    book.change('first', 'The same code', '{abbr}`The (the)` same code')
    with pytest.raises(ChapterError, match=f'^chapters/first.md:{line}: the role {{abbr}} has no'):
        book.render()
    assert files(book) == before and book.page('first') == page


def test_place_leaves_others_alone(tmp_path):
    (tmp_path / 'torch').mkdir()
    for name in ('torch/old.ipynb', 'torch/kept.ipynb', 'old-notebooks.zip', 'book.pdf'):
        (tmp_path / name).write_bytes(b'old')
    kept = (tmp_path / 'torch' / 'kept.ipynb').stat().st_mtime_ns
    downloads.place({'torch/kept.ipynb': b'old', 'jax/new.ipynb': b'new'}, tmp_path)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob('*')
             if path.is_file()}
    assert found == {'torch/kept.ipynb', 'jax/new.ipynb', 'book.pdf'}
    assert (tmp_path / 'torch' / 'kept.ipynb').stat().st_mtime_ns == kept


def test_labels_say_where_all_of_it_is(built):
    found = json.loads((built.work / 'doctrees' / 'labels.json').read_text())
    label = copy.copy(found['labels']['fig-grid'])
    assert label == {'document': 'first', 'anchor': 'fig-grid', 'kind': 'figure', 'number': '1.1',
                     'shown': 'Figure 1.1', 'title': 'Two layers, three steps.'}
    assert f'id="{label["anchor"]}"' in built.page('first')
