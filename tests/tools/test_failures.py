"""What a failing cell says, and what `--keep-going` makes of it."""
import contextlib
import re

import pytest

from tests.tools import fake

ALPHA = "print('alpha', 20 + 2)"
LATER = f'''{ALPHA}
```

```{{code-cell}}
:tab: be
print('beta', 30 + 3)
```

Words.

```{{code-cell}}
:tab: al
print('later alpha')'''


@pytest.fixture(scope='module')
def paths(tmp_path_factory):
    """A checkout whose book was built once."""
    paths = fake.checkout(tmp_path_factory.mktemp('checkout'))
    done = fake.run(paths, 'book', '--no-serve')
    assert done.returncode == 0, done.stderr
    return paths


@contextlib.contextmanager
def changed(file, old, new):
    """A file with another text for a while."""
    before = file.read_text()
    assert old in before
    try:
        file.write_text(before.replace(old, new, 1))
        yield file.read_text().split('\n')
    finally:
        file.write_text(before)


def line_of(lines, text):
    return lines.index(text) + 1


@pytest.mark.parametrize('code, fails, what', [
    ("x = 1\n\nassert x == 2, 'no two'", "assert x == 2, 'no two'", 'AssertionError: no two'),
    ("def f():\n    return 1 / 0\n\nx = 1\nf()", '    return 1 / 0',
     'ZeroDivisionError: division by zero'),
    ('x = 1\nx = = 2', 'x = = 2', 'SyntaxError: invalid syntax'),
    ('import os\nos._exit(3)', '```{code-cell}', 'the kernel ended with status 3'),
    ('import os, signal\nos.kill(os.getpid(), signal.SIGKILL)', '```{code-cell}',
     'the kernel was ended by SIGKILL')])
def test_terminal_names_the_line_that_raised(paths, code, fails, what):
    with changed(paths.chapters / 'one.md', ALPHA, code) as lines:
        done = fake.run(paths, 'book', '--no-serve')
    place = f'one  Alpha  cell 1 (chapters/one.md:{line_of(lines, fails)}): {what}'
    assert done.returncode == 1 and place in done.stdout and place in done.stderr
    log = (paths.logs / 'one-alpha.log').read_text()
    assert '\x1b' not in done.stdout + done.stderr + log
    if 'kernel' not in what:
        assert what.split(':')[0] in log


def test_error_inside_a_function_of_an_earlier_cell(paths):
    code = LATER.replace(ALPHA, 'def inverse(x):\n    return 1 / x').replace(
        "print('later alpha')", 'x = 0\ninverse(x)')
    with changed(paths.chapters / 'one.md', f"{ALPHA}\n```\n\n```{{code-cell}}\n:tab: be\n"
                 "print('beta', 30 + 3)", code + "\n```\n\n```{code-cell}\n:tab: be\n"
                 "print('beta again')") as lines:
        done = fake.run(paths, 'book', '--no-serve')
    place = f'one  Alpha  cell 2 (chapters/one.md:{line_of(lines, "inverse(x)")}): ZeroDivision'
    assert done.returncode == 1 and place in done.stdout
    assert 'return 1 / x' in done.stdout


def test_keep_going_shows_the_error_in_its_tab(paths):
    with changed(paths.chapters / 'one.md', ALPHA, "raise ValueError('a <b>')") as lines:
        done = fake.run(paths, 'book', '--no-serve', '--keep-going')
        again = fake.run(paths, 'book', '--no-serve', '--keep-going')
    line = line_of(lines, "raise ValueError('a <b>')")
    assert done.returncode == 1 and again.returncode == 1
    assert f'Failed:\n  one  Alpha  cell 1 (chapters/one.md:{line}): ValueError' in done.stderr
    assert '1 notebooks executed, 0 unchanged, 1 failed' in done.stdout \
        or '0 notebooks executed, 1 unchanged, 1 failed' in done.stdout
    assert '0 notebooks executed, 1 unchanged, 1 failed' in again.stdout
    page = (paths.html / 'one.html').read_text()
    text = re.sub('<[^>]+>', '', page)
    assert 'This page has failures' in text and f'Alpha, line {line}: ValueError: a ' in text
    assert text.count('ValueError') > 1 and 'a &lt;b&gt;' in page
    assert f'Not run: the cell of line {line - 2} failed' in text and 'beta 33' in text
    assert not (paths.html / 'downloads/alpha/one.ipynb').exists()
    assert (paths.html / 'downloads/beta/one.ipynb').is_file()
    done = fake.run(paths, 'book', '--no-serve')
    assert done.returncode == 0 and 'failures' not in (paths.html / 'one.html').read_text()


def test_changed_pin_runs_only_that_framework(paths):
    file = paths.requirements / 'alpha.txt'
    before = file.read_text()
    try:
        file.write_text(before.replace('\n', '\n# A comment.\n', 1))
        assert '0 notebooks executed, 2 unchanged' in fake.run(paths, 'book', '--no-serve').stdout
        file.write_text(before + '# env: ANOTHER=1\n')
        assert '1 notebooks executed, 1 unchanged' in fake.run(paths, 'book', '--no-serve').stdout
        file.write_text(before + 'some-package==1\n')
        fake.lend(fake.envs.get(paths, 'alpha'))
        done = fake.run(paths, 'book', '--no-serve')
        assert '1 notebooks executed, 1 unchanged, 0 failed' in done.stdout
        assert 'one  Alpha: started' in done.stdout and 'one  Beta' not in done.stdout
    finally:
        file.write_text(before)
        fake.lend(fake.envs.get(paths, 'alpha'))
