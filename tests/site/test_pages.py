"""Every page of the rendered book, in a browser."""
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.site.axe import Axe
from tests.site.visits import Reader


def test_nothing_is_asked_of_another_host(reader, name):
    assert reader.visit(name).elsewhere == []


def test_no_script_fails(reader, name):
    assert reader.visit(name).errors == []


def test_nothing_is_wider_than_the_window(reader, name):
    assert reader.visit(name).wide == []


def test_every_formula_is_set(reader, name):
    seen = reader.visit(name).seen
    assert (seen.broken, seen.bare) == ([], [])


def test_every_link_leads_somewhere(reader, site, address, name):
    visit, dead = reader.visit(name), []
    for link in set(visit.seen.links):
        parts = urlsplit(link)
        if not link.startswith(f'{address}/'):
            assert parts.scheme in ('http', 'https', 'mailto'), link
            continue
        path = Path(unquote(parts.path[1:]) or 'index.html')
        if not (site / path).is_file():
            dead.append(link)
        elif parts.fragment and path.suffix == '.html':
            ids = reader.visit(path.with_suffix('').as_posix()).seen.ids
            dead += [link] if unquote(parts.fragment) not in ids else []
    assert dead == []


def test_axe_core_objects_to_nothing(reader, name):
    assert reader.visit(name).violations == {
        'phone': [], 'desktop': [], 'dark': [], 'light': []}


def test_dark_by_the_button(browser, address):
    """The theme has its own way to the dark, besides that of the reader's system."""
    with Reader(browser, address) as reader:
        page = reader.open('deep-rnn')
        for _ in range(3):
            if page.evaluate('document.body.dataset.theme') != 'dark':
                page.locator('.theme-toggle:visible').first.click()
        assert page.evaluate('document.body.dataset.theme') == 'dark'
        assert Axe(page).colors('light') == []


def test_no_address_is_given_twice(reader, name):
    ids = reader.visit(name).seen.ids
    assert sorted({one for one in ids if ids.count(one) > 1}) == []


def test_size(site):
    assert sum(path.stat().st_size for path in site.rglob('*.html')) <= 10e6


def test_first_page_is_shown_soon(browser, address, record_property):
    """A measure, not a race: the machine may be busy."""
    page = browser.new_page()
    page.goto(f'{address}/index.html')
    paint = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime'
    seconds = page.wait_for_function(paint).json_value() / 1000
    page.close()
    record_property('seconds', seconds)
    print(f'first page shown after {seconds:.2f} s')
    assert seconds < 10
