"""The pages of the API reference, and the links to them."""
import ast
import re
import shutil
import subprocess
import sys

import pytest
from d2lrnn import BACKENDS

from tests.tools.sample import cells
from tests.tools.sample_book import CORPUS, Book
from tools.chapter import CHAPTERS, ROOT, load, names
from tools.library import LIBRARY, LibraryError
from tools.reference import NAMES, pages
from tools.render import RenderError, render

PROSE = '''# Second chapter

## About `GRUScratch`

`GRUScratch`, `Trainer.fit(model, data)`, `d2l.LSTM`, `LSTM`, `GRU`, `forward`, `save_weights`,
`d2l.abs`, `abs`, `nn.GRU`, `num_hiddens` and [`RNNScratch`](first.md).

'''
SHOWN = cells('class GRU: pass', options=':include: gru.py:GRU\n')


@pytest.fixture(scope='module')
def texts():
    """The sources of the pages: path -> text."""
    return {path: content.decode() for path, content in pages({'gru.py:GRU': ['gru']}).items()}


@pytest.fixture(scope='module')
def book(tmp_path_factory):
    """A small book with the whole reference."""
    built = Book(tmp_path_factory.mktemp('built'))
    built.change('second', '# Second chapter\n\n', f'{PROSE}{SHOWN}\nText.\n\n')
    render(built.merged(), built.out, CORPUS, folder=built.folder, work=built.work,
           library=LIBRARY)
    return built


def section(text, name):
    """An entry up to the next one."""
    found = re.search(rf'^##+ {re.escape(name)}\n(.*?)(?=^##+ |\Z)', text, re.S | re.M)
    return found[1]


def imported(module):
    """Names that a backend's __init__ imports."""
    tree = ast.parse((LIBRARY / module / '__init__.py').read_text())
    return {alias.name for node in tree.body if isinstance(node, ast.ImportFrom)
            for alias in node.names} - {'*'}


@pytest.mark.parametrize('row', BACKENDS, ids=lambda row: row.module)
def test_every_public_name_has_one_entry(texts, row):
    anchors = re.findall(r'^```\{api\} api-(\S+)$', '\n'.join(texts.values()), re.M)
    for name in imported(row.module):
        assert anchors.count(name) == 1, name
    ops = texts['api/ops.myst'].split(f':sync: {row.tab}\n')[1].split('\n:::\n')[0]
    listed = re.findall(r'^\| `d2l\.(\w+)` \|', ops, re.M)
    assert len(listed) == len(set(listed)) > 25


def test_every_name_that_the_chapters_use_is_known(texts):
    used = {name for chapter in names(CHAPTERS) for cell in load(chapter).cells
            for name in re.findall(r'\bd2l\.(\w+)', cell.source)}
    files = {path.stem for path in (LIBRARY / BACKENDS[0].module).glob('*.py')}
    assert len(used) > 50
    assert not [name for name in used - files if f'"d2l.{name}"' not in texts[NAMES]]


def test_equal_docstrings_stand_once(texts):
    entry = section(texts['api/gru.myst'], 'GRUScratch')
    assert 'tab-set' not in entry
    assert entry.count('A GRU layer that resets before') == entry.count('{py:class}') == 1
    assert 'tab-set' not in ''.join(texts[f'api/{page}.myst'] for page in ('text', 'cost', 'board'))


def test_different_ones_stand_in_tabs(texts):
    entry = section(texts['api/trainer.myst'], 'Trainer.fit')
    assert [row.tab for row in BACKENDS] == re.findall(':sync: (.*)', entry)
    assert entry.count('fit(model, data)') == len(BACKENDS) - 1
    assert entry.count('fit(model, data, params=None)') == 1
    entry = section(texts['api/gru.myst'], 'GRU')
    assert entry.count(r'\begin{aligned}') == 1 and entry.count('tab-set') == 2
    assert entry.count('**Code** in {doc}`/gru`') == 1


def test_no_page_depends_on_the_machine_or_the_run(texts):
    assert str(ROOT) not in ''.join(texts.values())
    code = ('import sys, hashlib; from tools.reference import pages; from d2lrnn import BACKENDS\n'
            'files = pages({"gru.py:GRU": ["gru"]})\n'
            'assert not {row.module for row in BACKENDS} & set(sys.modules)\n'
            'print(hashlib.sha1(repr(files).encode()).hexdigest())')
    runs = {subprocess.run([sys.executable, '-c', code], cwd=ROOT, check=True, timeout=60,
                           capture_output=True, env={'PYTHONHASHSEED': seed}).stdout
            for seed in '12'}
    assert len(runs) == 1


def test_a_backend_that_is_gone_is_on_no_page():
    gone, *left = BACKENDS
    text = ''.join(content.decode() for content in pages({}, backends=tuple(left)).values())
    assert f':sync: {left[0].tab}' in text and f':sync: {gone.tab}' not in text
    assert f'd2lrnn.{gone.module}.' not in text


@pytest.fixture
def library(tmp_path):
    return shutil.copytree(LIBRARY, tmp_path / 'd2lrnn', ignore=shutil.ignore_patterns('__pyc*'))


@pytest.mark.parametrize('old, new, message', [
    ('        sigma: standard', '        stigma: standard',
     'stigma in Args is no argument; they are num_hiddens, num_inputs, sigma'),
    ('        num_hiddens: hidden units.\n', '', 'Args lacks num_hiddens'),
    ('    Args:\n', '    Arguments:\n', 'a section Arguments; expected one of Args, '),
    ('        num_hiddens: hidden', '     num_hiddens: hidden', 'must be indented by 4 spaces'),
    (r'\end{aligned}$$', '$$', r'does not close aligned'),
    (r'\end{aligned}$$', r'\end{aligned}', r'an equation must stand in a paragraph of its own'),
    (r'\mathbf{H}_t &=', r'\mathbf{H_t &=', 'closes what was not opened'),
    ('from scratch.\n\n', 'from `scratch.\n\n', 'a backtick without its other one'),
    ('class GRUScratch(Module):', 'class GRUScratch(Module:', 'syntax|closing|never closed'),
], ids=range(9))
def test_broken_docstring_is_named(library, old, new, message):
    path = library / BACKENDS[0].module / 'gru.py'
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    lines = [number for number, (before, after) in enumerate(zip(
        text.split('\n'), path.read_text().split('\n')), 1) if before != after]
    with pytest.raises(LibraryError, match=message) as caught:
        pages({}, library)
    place = re.match(rf'd2lrnn/{BACKENDS[0].module}/gru\.py:(\d+): ', str(caught.value))
    assert place and abs(int(place[1]) - lines[0]) < 20


def test_broken_docstring_stops_the_book(library, tmp_path):
    path = library / 'core' / 'text.py'
    path.write_text(path.read_text().replace('        tokens: a list', '        words: a list'))
    book = Book(tmp_path / 'other')
    with pytest.raises(RenderError, match=r'd2lrnn/core/text.py:\d+: words in Args is no argument'):
        render(book.merged(), book.out, CORPUS, folder=book.folder, work=book.work,
               library=library)


def test_links_from_a_chapter(book):
    page = book.page('second')
    links = dict(re.findall(r'href="(api/[^"]*)"[^>]*><code[^>]*><span class="pre">([^<]*)', page))
    assert {target.partition('#')[2]: text for target, text in links.items()} == {
        'api-GRUScratch': 'GRUScratch', 'api-Trainer.fit': 'Trainer.fit(model,',
        'api-LSTM': 'd2l.LSTM', 'api-GRU': 'GRU', 'api-TokenModel.save_weights': 'save_weights',
        'api-ops': 'd2l.abs'}
    heading = re.search('<h2>.*?</h2>', page)[0]
    assert 'GRUScratch' in heading and 'api/' not in heading


def test_all_links_lead_somewhere(book):
    ids = {path: set(re.findall(r'id="([^"]*)"', path.read_text())) for path in
           book.out.rglob('*.html')}
    count = 0
    for path in ids:
        for href in re.findall(r'href="([^":]*)"', path.read_text()):
            page, _, anchor = href.partition('#')
            target = (path.parent / page).resolve() if page else path
            if target.suffix == '.html' and target.name != 'genindex.html':
                count += 1
                assert not anchor or anchor in ids[target], f'{path.name}: {href}'
    assert count > 1000


def test_it_stands_behind_the_chapters_and_leads_back(book):
    tree = re.search(r'<div class="sidebar-tree">.*?</div>', book.page('second'), re.S)[0]
    assert tree.index('2. ') < tree.index('>API reference<') < tree.index('>birnn<')
    entry = book.page('api/gru').split('id="api-GRU"')[1]
    assert re.search(r'Code</strong> in <a [^>]*href="../second.html"', entry)
    assert 'mathjax' in book.page('api/gru') and r'\begin{aligned}' in entry


def test_some_chapters_only_leave_it_out(book):
    copy = Book.__new__(Book)
    copy.folder, copy.out = book.folder, book.out.parent / 'part'
    render(book.merged(only=['index', 'first']), copy.out, CORPUS, folder=copy.folder,
           work=book.work / 'other', library=LIBRARY)
    assert not (copy.out / 'api').exists() and 'API reference' not in copy.page('first')


def test_names_are_found(book):
    index = (book.out / 'searchindex.js').read_text()
    assert re.search(r'"api-GRUScratch","GRUScratch"', index)
    from sphinx.util.inventory import InventoryFile
    data = InventoryFile.loads((book.out / 'objects.inv').read_bytes(), uri='').data
    for row in BACKENDS:
        assert f'd2lrnn.{row.module}.gru.GRUScratch' in data['py:class']
