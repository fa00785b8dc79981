"""The corpus that every checkout has, and a reader's cells."""
import importlib

import pytest

from d2lrnn.core import corpora


@pytest.fixture(scope='session')
def embedded(tmp_path_factory):
    """Let TimeMachine find neither file nor network; return the text that it then reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('D2LRNN_OFFLINE', '1')
        patch.setenv('D2LRNN_DATA', str(tmp_path_factory.mktemp('nothing')))
        yield corpora.EMBEDDED.read_text(encoding='utf-8')


@pytest.fixture(scope='session')
def cells(fw):
    """A reader's cells; see tests/adapters/cells/torch.py."""
    return importlib.import_module(f'tests.adapters.cells.{fw.__name__.rsplit(".", 1)[-1]}')
