"""The address of the links to Colab."""
import pytest
from d2lrnn import BACKENDS

from tools import cli, colab
from tools.paths import HERE, Paths

ADDRESS = 'https://colab.research.google.com/github/us/book/blob/main/notebooks'
TABLE = '[tool.d2lrnn.book]\ncolab = {}\n'


@pytest.mark.parametrize('text', [ADDRESS, f'{ADDRESS}/'])
def test_address_of_a_folder(text):
    assert colab.address(text) == f'{ADDRESS}/'
    assert cli.parse(['book', '--colab', text], HERE, BACKENDS).colab == f'{ADDRESS}/'


def test_none():
    assert colab.address('') == '' and colab.configured(HERE) == ''
    assert cli.parse(['notebooks', '--colab', ''], HERE, BACKENDS).colab == ''
    assert cli.parse(['notebooks'], HERE, BACKENDS).colab is None


BAD = ['http://a.org/b', 'a.org', '/b', 'https:///b', 'https://a.org/b?c', 'https://a.org/b#c',
       'https://a.org/b c', 'https://a.org/"b']


@pytest.mark.parametrize('text', BAD)
def test_bad_address_is_named(text, capsys):
    with pytest.raises(SystemExit):
        cli.parse(['book', '--colab', text], HERE, BACKENDS)
    said = capsys.readouterr().err
    assert 'argument --colab' in said and repr(text) in said and 'expected such as https' in said


def test_configured(tmp_path):
    paths = Paths(tmp_path)
    assert colab.configured(paths) == ''
    file = tmp_path / 'pyproject.toml'
    file.write_text(TABLE.format(f'"{ADDRESS}"'))
    assert colab.configured(paths) == f'{ADDRESS}/'


@pytest.mark.parametrize('text, message', [
    (TABLE.format('"a.org"'), "[tool.d2lrnn.book] colab: 'a.org' is no address"),
    (TABLE.format('1'), '[tool.d2lrnn.book] colab: 1 is no text'),
    ('[tool', 'pyproject.toml: ')])
def test_bad_configuration_is_named(tmp_path, text, message):
    (tmp_path / 'pyproject.toml').write_text(text)
    with pytest.raises(colab.AddressError) as error:
        colab.configured(Paths(tmp_path))
    assert message in str(error.value)
