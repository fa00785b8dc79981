"""What stands in the rendered pages; test_render.py has how they come about."""
import re
from html.parser import HTMLParser

import pytest
from d2lrnn import BACKENDS

from tests.tools.sample_book import Book
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
        elif 'sd-tab-label' in classes:
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
