"""Links, search, copying and reading under other conditions, in a browser."""
import pytest
from d2lrnn import BACKENDS

from tests.tools.reader import CODE, TABS, address, label, shown, side, top, visit

__all__ = ['address', 'visit']  # fixtures


def test_link_to_a_place_of_the_page(visit):
    page = visit('second.html?fw=mxnet#the-end')
    assert top(page.locator('h2', has_text='The end')) == pytest.approx(0, abs=60)


def test_link_into_a_tab_of_another_framework(visit):
    page = visit('second.html?fw=tensorflow')
    page.goto(f'{page.url}#deep-inside')
    inside = page.locator('#deep-inside')
    assert inside.is_visible() and shown(page) == 'jax'
    assert 0 <= top(inside) < 100
    page.goto(page.url.partition('?')[0])
    assert shown(page) == 'tensorflow'


@pytest.mark.parametrize('word, tab', [
    ('words_of_mxnet', 'mxnet'), ('words_of_jax', 'jax'), ('TensorFlow builds', 'tensorflow')])
def test_search_finds_what_hidden_tabs_hold(visit, word, tab):
    page = visit('index.html')
    page.locator('.sidebar-search').fill(word)
    page.keyboard.press('Enter')
    result = page.locator('#search-results li')
    result.locator('p.context').wait_for()
    assert word.lower() in result.locator('p.context').inner_text().lower()
    result.locator('a').click()
    page.wait_for_function(f'document.documentElement.dataset.fw === "{tab}"')
    mark = page.locator('article .highlighted').filter(visible=True).first
    mark.wait_for()
    assert 0 < top(mark) < 700
    page.reload()
    assert shown(page) == TABS[0]


def test_search_result_that_is_visible_anyway(visit):
    page = visit('search.html?q=farewell')
    page.locator('#search-results li a').click()
    mark = page.locator('article .highlighted').first
    mark.wait_for()
    page.wait_for_function('scrollY > 0')
    assert shown(page) == TABS[0] and 0 < top(mark) < 700


def test_copied_text_is_the_code(visit):
    page = visit('second.html?fw=jax', permissions=['clipboard-read', 'clipboard-write'])

    def copied(block):
        block.hover()
        block.locator('.copybtn').click()
        return page.evaluate('navigator.clipboard.readText()')
    code = CODE.format(module='jax', title='JAX')
    assert copied(page.locator('.highlight', has_text='words_of_jax')) == code.rstrip('\n')
    assert copied(page.locator('.highlight-pycon .highlight')) == (
        'for h in states:\n    print(h)\n2')
    assert copied(page.locator('.highlight-console .highlight')) == 'python3 -m tools book'
    assert page.locator('.output .copybtn').count() == 0


def test_without_javascript(visit):
    page = visit(java_script_enabled=False)
    panels = page.locator('.sd-tab-set').first.locator('.sd-tab-content')
    assert [panels.nth(number).is_visible() for number in range(4)] == [True, False, False, False]
    label(page, 'jax').click()
    assert [panels.nth(number).is_visible() for number in range(4)] == [False, False, True, False]
    assert not side(page, 'jax').is_visible()  # it could switch nothing


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_phone(visit, scheme):
    page = visit('first.html', color_scheme=scheme, viewport={'width': 390, 'height': 800})
    assert page.evaluate('document.documentElement.scrollWidth') <= 390
    page.locator('.fw-narrow .fw-bar > label[data-sync-id=jax]').click()
    assert shown(page) == 'jax' and not side(page, 'jax').is_visible()


def test_foot_names_versions_and_times(visit):
    rows = visit().locator('table.runs tbody tr')
    assert rows.all_inner_texts() == [
        *(f'{row.title}\t{row.module} 1.2\t1 min 15 s' for row in BACKENDS[:3]),
        'MXNet\tnot run: no MXNet here']
    assert visit('index.html').locator('table.runs').count() == 0
