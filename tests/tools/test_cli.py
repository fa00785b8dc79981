"""Arguments, which are checked before anything is made."""
import importlib
import subprocess
import sys

import pytest
from d2lrnn import BACKENDS

from tools import cli
from tools.paths import HERE, Paths

FIRST, SECOND = BACKENDS[:2]


@pytest.fixture
def paths(tmp_path):
    (tmp_path / 'chapters').mkdir()
    for name in ('index', 'one'):
        (tmp_path / 'chapters' / f'{name}.md').write_text('')
    return Paths(tmp_path)


def parse(paths, *arguments):
    return cli.parse(arguments, paths, BACKENDS)


def test_names_of_modules_and_of_tabs(paths):
    options = parse(paths, 'book', '--backend', f'{FIRST.tab},{SECOND.module}',
                    '--backend', FIRST.module, '--chapter', 'one')
    assert options.backend == [FIRST.module, SECOND.module, FIRST.module]
    assert options.chapter == ['one'] and options.jobs >= 1
    assert not (options.offline or options.force or options.no_serve)
    assert parse(paths, 'book').backend is None


@pytest.mark.parametrize('arguments, message', [
    (['book', '--backend', 'pytorhc'], "there is no backend 'pytorhc'; expected one of "
     + FIRST.module),
    (['book', '--backend', ','], 'no backend named'),
    (['book', '--chapter', 'two'], "there is no chapter 'two'; expected one of index, one"),
    (['book', '--jobs', '0'], "'0' is not a whole number from 1"),
    (['book', '--epochs', 'x'], "'x' is not a whole number from 1"),
    (['book', '--port', '65536'], "'65536' is not a whole number from 1 to 65535"),
    (['book', '--back', FIRST.module], 'unrecognized arguments: --back'),
    (['bok'], "invalid choice: 'bok'"),
    ([], 'the following arguments are required: COMMAND')])
def test_bad_arguments(paths, capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        parse(paths, *arguments)
    assert stop.value.code == 2 and message in capsys.readouterr().err


@pytest.mark.parametrize('name', cli.COMMANDS)
def test_every_command_exists(name):
    module, function = cli.COMMANDS[name].run.split(':')
    assert callable(getattr(importlib.import_module(module), function))


def test_start_needs_the_standard_library_only():
    code = ('import sys; from tools import bootstrap; '
            'print([n for n in sys.modules if n.split(".")[0] in '
            '("rich", "nbclient", "nbformat", "numpy", "sphinx")])')
    done = subprocess.run([sys.executable, '-c', code], cwd=HERE.root, capture_output=True,
                          text=True, check=True)
    assert done.stdout.strip() == '[]'
