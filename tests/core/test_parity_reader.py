"""The reader that test_parity relies on, on two small folders."""
import pytest

from . import parity

BASE = '''
class Base:
    """A base."""
    def __init__(self, size, rate=0.1):
        """Not compared."""
    def forward(self, X, state=None):
        """Return.

        Shapes:
            X: (a,
            b).

        Raises:
            ValueError: never.
        """
    def _hidden(self):
        pass

class Sub(Base):
    """$$a
    = b$$ and $$c$$"""
'''
FIELDS = '''
from dataclasses import field

class Base(nn.Module):
    """A base."""
    size: int
    rate: float = 0.1
    cache: int = field(default=3, init=False)
    kind: str = field(default='x', kw_only=True)
    def forward(self, params, X, state=None):
        """Return."""

class Sub(Base):
    """Another."""
    depth: int = 1

def extra(*arrays, key, **rest):
    """Only here."""
'''


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Return a function that writes a backend and reads it."""
    monkeypatch.setattr(parity, 'ROOT', tmp_path)
    monkeypatch.setattr(parity, 'ADAPTERS', tmp_path / 'adapters')
    (tmp_path / 'adapters').mkdir()

    def write(name, source, differences):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'rnn.py').write_text(source)
        (tmp_path / 'adapters' / f'{name}.py').write_text(f'DIFFERENCES = {differences!r}\n')
        return parity.Folder(name)
    return write


def test_arguments_fields_and_inheritance(read):
    plain, fields = read('one', BASE, {}), read('two', FIELDS, {})
    assert list(plain.found) == ['rnn.Base', 'rnn.Base.forward', 'rnn.Sub']
    assert plain.found['rnn.Sub'].arguments == {'size': None, 'rate': '0.1'}
    assert plain.found['rnn.Base.forward'].arguments == {'X': None, 'state': 'None'}
    assert fields.found['rnn.Sub'].arguments == {'size': None, 'rate': '0.1', 'kind': "'x'",
                                                 'depth': '1'}
    assert fields.found['rnn.extra'].arguments == {'key': None, '*arrays': None, '**rest': None}


def test_blocks(read):
    found = read('one', BASE, {}).found
    assert found['rnn.Base.forward'].blocks == {'Shapes': 'X: (a, b).'}
    assert found['rnn.Sub'].blocks == {'equation': '$$a = b$$ $$c$$'}


def test_differences_are_taken_away_on_both_sides(read):
    one = read('one', BASE, {'rnn.Sub: equation': 'w', '-rnn.extra': 'w'})
    two = read('two', FIELDS, {
        'rnn.Base.forward(params)': 'w', 'rnn.Base(kind)': 'w', 'rnn.Sub(kind)': 'w',
        'rnn.Sub(depth)': 'w', 'rnn.Base.forward: Shapes': 'w'})
    assert one.beside(two) == two.beside(one)
    assert list(one.beside(two)) == ['rnn.Base', 'rnn.Base.forward', 'rnn.Sub']


@pytest.mark.parametrize('missing', ['rnn.Base.forward(params)', 'rnn.Base(kind)', 'rnn.Sub(depth)',
                                     'rnn.extra', 'rnn.Base.forward: Shapes', 'rnn.Sub: equation'])
def test_a_difference_that_is_not_allowed_is_seen(read, missing):
    allowed = {key: 'w' for key in (
        'rnn.Base.forward(params)', 'rnn.Base(kind)', 'rnn.Sub(kind)', 'rnn.Sub(depth)',
        'rnn.extra', 'rnn.Base.forward: Shapes', 'rnn.Sub: equation') if key != missing}
    one, two = read('one', BASE, {}), read('two', FIELDS, allowed)
    assert one.beside(two) != two.beside(one)


def test_lacking_an_argument_or_a_class(read):
    one = read('one', BASE, {})
    two = read('two', BASE[:BASE.index('class Sub')].replace(', rate=0.1', ''),
               {'-rnn.Sub': 'w', 'rnn.Base(-rate)': 'w'})
    assert one.beside(two) == two.beside(one) and list(two.found) == list(one.beside(two))


def test_reasons_may_be_named(read):
    folder = read('one', BASE, {})
    (parity.ADAPTERS / 'one.py').write_text("import x\nWHY = 'because'\n"
                                            "DIFFERENCES = {'a': WHY, 'b': 'so'}\n")
    assert folder._differences() == {'a': 'because', 'b': 'so'}


@pytest.mark.parametrize('key', ['rnn.Sub(', 'rnn.Sub: Args', '- rnn', ''])
def test_keys_of_another_form(key):
    assert parity.KEY.match(key) is None
