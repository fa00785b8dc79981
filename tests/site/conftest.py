"""The tests here look at a rendered book; `--site` says at which."""
from pathlib import Path

import pytest
from d2lrnn import BACKENDS

from tests.browser import served
from tests.site.visits import Reader, chapters, page_names

HOW = ('these tests need a rendered book: run `python3 -m tools book --no-serve`, then '
       '`pytest tests/site --site _build/html`; `python3 -m tools test` makes one and runs them')


def pytest_generate_tests(metafunc):
    """One test for each page (`name`) or for each chapter (`chapter`)."""
    site = metafunc.config.getoption('--site')
    for argument, found in (('name', page_names), ('chapter', chapters)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, found(Path(site)) if site else ['no-page'])


@pytest.fixture(scope='session', autouse=True)
def site(request):
    """Folder of the rendered book."""
    given = request.config.getoption('--site')
    if given is None or not (Path(given) / 'index.html').is_file():
        pytest.fail(HOW if given is None else f'there is no index.html in {given}; {HOW}')
    return Path(given).resolve()


@pytest.fixture(scope='session')
def address(site):
    with served(site) as address:
        yield address


@pytest.fixture(scope='session')
def reader(browser, address):
    """Opens each page once, and keeps what there was to see."""
    with Reader(browser, address) as reader:
        yield reader


@pytest.fixture(scope='session')
def built(site):
    """The frameworks that this book has notebooks of."""
    return [row for row in BACKENDS if (site / 'downloads' / row.module).is_dir()]
