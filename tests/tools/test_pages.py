"""What stands in the rendered pages; test_render.py has how they come about."""
import re
from html.parser import HTMLParser

import pytest
from d2lrnn import BACKENDS
from jinja2 import Environment, FileSystemLoader

from tests.tools.sample_book import Book
from tools import render
from tools.offline import remote_resources

# Addresses in scripts that none of them loads: XML name spaces, documentation, licences, and
# speech for formulas, which only MathJax's menu starts. tools/site/conf.py turns that off.
HARMLESS = re.compile(
    r'http://www\.w3\.org/|https://developer\.mozilla\.org/|https://www\.mathjax\.org|'
    r'http://www\.apache\.org/licenses|https://github\.com/mhchem/|https://clipboardjs\.com/|'
    r'https://snowballstem\.org/|https://cdn\.jsdelivr\.net/npm/(speech-rule-engine|'
    r'sre-mathmaps-ie|wicked-good-xpath)@')


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    return Book(tmp_path_factory.mktemp('built')).render(missing={'mxnet': 'no MXNet here'})


class Tabs(HTMLParser):
    """The tab sets of a page: for each its labels with their sync ids."""

    def __init__(self, text):
        super().__init__()
        self.sets, self.label = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        classes = (values.get('class') or '').split()
        if 'sd-tab-set' in classes:
            self.sets.append([])
        elif self.sets and 'sd-tab-label' in classes:
            self.label = (values['data-sync-group'], values['data-sync-id'])

    def handle_data(self, data):
        if self.label and data.strip():
            self.sets[-1].append((*self.label, data.strip()))

    def handle_endtag(self, tag):
        self.label = None if tag == 'label' else self.label


def test_tab_sets_switch_together(built):
    every = [('fw', row.tab, row.title) for row in BACKENDS]
    assert Tabs(built.page('first')).sets == [every, every, every, every[:1]]
    assert Tabs(built.page('second')).sets == [every]


def test_real_outputs_stand_in_their_tabs(built):
    page = built.page('second')
    for row in BACKENDS[:3]:
        assert re.search(rf'output stream.*?<pre>(<[^>]*>)*{row.title}\n', page, re.DOTALL)
    assert page.count('Not run: no MXNet here') == 1
    assert built.page('first').count('_images/') == 4  # three plots, one figure


def test_one_number_for_the_plots_of_all_frameworks(built):
    page = built.page('first')
    assert re.findall(r'class="caption-number">([^<]*)<', page) == ['Figure 1.1 ', 'Figure 1.2 ']
    assert re.search(r'href="#fig-curves"><span class="std std-numref">Figure 1.2<', page)
    figure = page[page.index('id="fig-curves"'):].split('</figcaption>')[0]
    assert figure.count('sd-tab-label') == 4
    assert re.findall('<img alt="([^"]*)"', figure) == ['Perplexity while training.'] * 3


def test_references_citations_and_links(built):
    first, second = built.page('first'), built.page('second')
    assert '<span class="eqno">(1.1)' in first and 'href="#equation-eq-state">(1.1)</a>' in first
    assert 'href="first.html#equation-eq-state">(1.1)</a>' in second
    assert re.search(r'href="first.html#fig-grid"><span class="std std-numref">Figure 1.1<', second)
    assert 'href="first.html"><span class="std std-doc' in second
    assert re.search(r'Elman.*href="#id\d+"[^>]*>Elm90</a>', first)


def test_solution_is_folded_with_its_cell(built):
    details = re.search(r'<details.*?</details>', built.page('first'), re.DOTALL)[0]
    assert 'Solution of 1' in details and 'It is two' in details and '<pre>' in details


def test_only_some_frameworks_have_a_cell(built):
    assert 'PyTorch only: the others print no table' in built.page('first')


def test_corpus_is_named_on_the_first_page_and_at_every_foot(built):
    assert 'trained on a text &lt;of&gt; our own.</p>' in built.page('index')
    for name in ('index', 'first', 'second', 'search'):
        assert 'trained on a text &lt;of&gt; our own.</p>' in built.page(name).split('<footer')[1]


def links(**context):
    """Address, name and framework of each link beside the choice of the framework."""
    folder = render.SITE / 'templates'
    template = Environment(loader=FileSystemLoader(folder)).get_template('choice.html')
    text = template.render(name='fw', framework_bar=lambda name: '', master_doc='index',
                           pathto=lambda path, resource: f'../{path}',
                           backends=[row._asdict() for row in BACKENDS[:2]], **context)
    found = []
    for tab, block in re.findall(r'fw-only fw-links" data-fw="(\w+)">(.*?)</p>', text, re.DOTALL):
        for attributes, inside in re.findall(r'<a (.*?)>(.*?)</a>', block, re.DOTALL):
            name = re.search('aria-label="(.*?)"', attributes)
            assert not name or inside in name[1]
            found.append((re.search('href="(.*?)"', attributes)[1], name[1] if name else inside,
                          tab))
    return found


def test_links_to_what_there_is(built):
    assert links(pagename='first') == links(pagename='index', downloads={}, notebooks={}) == []
    assert '<a href="downloads/torch/first.ipynb"' in built.page('first')
    assert 'd2lrnn-torch-notebooks.zip' in built.page('index')
    notebooks = {'first': ['pytorch'], 'index': ['tensorflow']}
    copies = {'pytorch': {'zip': 'downloads/a.zip', 'epub': 'downloads/a.epub'}}
    plain = [('../downloads/torch/first.ipynb', 'PyTorch notebook', 'pytorch'),
             ('../downloads/torch/first-without-outputs.ipynb',
              'PyTorch notebook without outputs', 'pytorch')]
    assert links(pagename='first', notebooks=notebooks, downloads=copies) == plain
    assert links(pagename='first', notebooks=notebooks, colab='https://a.org/b/') == [
        *plain, ('https://a.org/b/torch/first.ipynb', 'Open in Colab: PyTorch notebook', 'pytorch')]
    assert [name for _, name, _ in links(pagename='index', downloads=copies)] == [
        'all notebooks of the book for PyTorch', 'EPUB of the book for PyTorch']


def test_mathjax_is_local(built):
    assert re.search(r'<script[^>]*src="_static/mathjax/es5/tex-svg.js', built.page('first'))
    assert (built.out / '_static/mathjax/es5/tex-svg.js').stat().st_size > 1e6
    assert (built.out / '_static/mathjax/es5/input/tex/extensions/boldsymbol.js').is_file()


def test_no_page_loads_anything_from_elsewhere(built):
    assert remote_resources(built.out) == []
    for path in built.out.rglob('*.js'):
        for address in re.findall(r'https?://[^\s\'"`<>)]+', path.read_text(encoding='utf-8')):
            assert HARMLESS.match(address), f'{path.name}: {address}'


@pytest.mark.parametrize('text, address', [
    ('<script src="https://a.org/x.js"></script>', 'https://a.org/x.js'),
    ('<link rel="stylesheet" href="//a.org/x.css">', '//a.org/x.css'),
    ('<img srcset="a.png, http://a.org/b.png 2x">', 'http://a.org/b.png 2x'),
    ('<style>@import "https://a.org/f.css";</style>', 'https://a.org/f.css'),
    ('<p style="background: url(https://a.org/b.png)">', 'https://a.org/b.png'),
    ('<svg><image xlink:href="http://a.org/c.svg"/></svg>', 'http://a.org/c.svg'),
])
def test_remote_resources_are_found(tmp_path, text, address):
    (tmp_path / 'page.html').write_text(f'<a href="https://a.org">a link is fine</a>{text}')
    assert remote_resources(tmp_path) == [('page.html', address)]
