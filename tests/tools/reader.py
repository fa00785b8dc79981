"""A small book in a browser, and what the tests of its use share."""
import contextlib

import pytest
from d2lrnn import BACKENDS

from tests.browser import served
from tests.tools import sample
from tests.tools.sample_book import Book

TABS = [row.tab for row in BACKENDS]
PROMPTS = '''```pycon
>>> for h in states:
...     print(h)
1
>>> 2
2
```

```console
$ python3 -m tools book
served
```
'''
NOTE = '''::::{tab-set}
:sync-group: fw

:::{tab-item} PyTorch
:sync: pytorch
Nothing here.
:::
:::{tab-item} JAX
:sync: jax
```{admonition} Deep inside
:name: deep-inside
A `remark`.
```
:::
::::
'''
VISIBLE = '''() => [...document.querySelectorAll(".sd-tab-content")]
    .filter((panel) => panel.checkVisibility()).map((panel) => panel.dataset.fw)'''
CODE = 'def words_of_{module}(x):\n    if x:\n\n        return x  # {title}\n'


def tall():
    """One cell a framework, each of its own height."""
    add = 'x += 1\n'
    return '\n'.join(f'```{{code-cell}}\n:tab: {row.tab}\n{(60 - 15 * place) * add}```\n'
                     for place, row in enumerate(BACKENDS))


@pytest.fixture(scope='module')
def address(tmp_path_factory):
    book = Book(tmp_path_factory.mktemp('built'))
    with open(book.folder / 'second.md', 'a', encoding='utf-8') as file:
        file.write('\n\n'.join(['', 'Words.', sample.cells(CODE), 'More.', tall(), NOTE, tall(),
                                '## The end\n\nA farewell.', PROMPTS, tall(), *20 * ['Bye.']]))
    with served(book.render(missing={'mxnet': 'no MXNet here'}).out) as url:
        yield url


@pytest.fixture
def visit(browser, address):
    """Opens pages, each call in a browser of its own; they must load nothing from elsewhere."""
    faults = []
    with contextlib.ExitStack() as opened:
        def visit(path='second.html', context=None, **options):
            if context is None:
                options = {'viewport': {'width': 1280, 'height': 700}} | options
                context = opened.enter_context(browser.new_context(**options))
                context.on('weberror', lambda error: faults.append(error.error.stack))
                context.on('request', lambda request: faults.append(request.url)
                           if not request.url.startswith((address, 'data:')) else None)
            page = context.new_page()
            page.goto(f'{address}/{path}')
            return page
        visit.faults = faults
        yield visit
    assert faults == []


def shown(page):
    """The framework that the page shows, everywhere."""
    tab, = set(page.eval_on_selector_all(
        '.fw-choice .fw-radio:checked', 'found => found.map((one) => one.value)'))
    assert page.evaluate('document.documentElement.dataset.fw') == tab
    assert set(page.evaluate(VISIBLE)) <= {tab, 'pytorch'}  # one set has PyTorch and JAX only
    return tab


def label(page, tab, number=0):
    return page.locator(f'.sd-tab-set > .fw-bar > label[data-sync-id={tab}]').nth(number)


def side(page, tab):
    return page.locator(f'.sidebar-drawer .fw-bar > label[data-sync-id={tab}]')


def top(locator):
    return locator.evaluate('element => element.getBoundingClientRect().top')


def place(locator, height):
    """Scroll so that the element is `height` pixels below the top of the window."""
    locator.evaluate('''(element, height) => scrollBy(
        {top: element.getBoundingClientRect().top - height, behavior: "instant"})''', height)
