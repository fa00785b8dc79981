"""`--backend` chooses the adapter that the tests of the library run on."""
import importlib

import pytest

from d2lrnn import BACKENDS
from tests.browser import browser  # noqa: F401, one for the whole session


def pytest_addoption(parser):
    parser.addoption('--backend', choices=[backend.module for backend in BACKENDS],
                     help='framework that tests/backend runs on')
    parser.addoption('--site', help='folder of a rendered book, which tests/site looks at')


def pytest_collection_modifyitems(items):
    """The tests with a browser come last: while it is open, asyncio.run() is refused."""
    items.sort(key=lambda item: 'browser' in getattr(item, 'fixturenames', ()))


@pytest.fixture(scope='session')
def fw(request):
    """The adapter of the framework under test; see tests/adapters/torch.py."""
    name = request.config.getoption('--backend')
    if name is None:
        pytest.fail('tests/backend needs --backend ' + '|'.join(b.module for b in BACKENDS))
    return importlib.import_module(f'tests.adapters.{name}')


@pytest.fixture(scope='session')
def d2l(fw):
    """The backend's module, as readers import it."""
    return fw.d2l
