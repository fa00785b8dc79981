"""What a failing cell says, and what `--keep-going` makes of it."""
import contextlib
import html
import re
import zipfile

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
    return fake.checkout(tmp_path_factory.mktemp('checkout'))


@pytest.fixture
def built(paths):
    """The checkout after a good build: the cache has all of it, and nothing else."""
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


def panels(page, tab):
    """What the page shows of a framework, each set of tabs apart."""
    found = re.split('<div class="sd-tab-content" data-fw="(.*?)">', page)
    return [html.unescape(re.sub('<[^>]+>', '', text))
            for name, text in zip(found[1::2], found[2::2]) if name == tab]


def kept(paths):
    return {file.name for file in paths.cache.iterdir()}


def test_keep_going_shows_the_error_in_its_tab(built):
    paths = built
    before, fails = kept(paths), "raise ValueError('a <b>')"
    with changed(paths.chapters / 'one.md', ALPHA, fails) as lines:
        done = fake.run(paths, 'book', '--no-serve', '--keep-going')
        again = fake.run(paths, 'book', '--no-serve', '--keep-going')
    place = line_of(lines, fails)
    for one in done, again:  # what failed is executed again, and only that
        assert one.returncode == 1 and 'one  Beta' not in one.stdout
        assert 'one  Alpha: started' in one.stdout
        assert '0 notebooks executed, 1 unchanged, 1 failed' in one.stdout
        assert f'Failed:\n  one  Alpha  cell 1 (chapters/one.md:{place}): ValueError: a <b>\n' \
            in one.stderr
    assert kept(paths) == before
    page = (paths.html / 'one.html').read_text()
    top, rest = page[page.index('<h1>'):].split('<div class="sd-tab-set', 1)
    assert 'This page has failures' in top
    assert f'Alpha, line {place}: ValueError: a &lt;b&gt;' in top
    (failed, later), (fine, run) = panels(rest, 'al'), panels(rest, 'be')
    assert 'Traceback (most recent call last)' in failed and '\nValueError: a <b>\n' in failed
    assert f'Not run: the cell of line {place - 2} failed' in later
    assert 'beta 33' in fine and 'every epoch' in run and 'Error' not in fine + run
    assert 'Not run' not in failed + fine + run


def test_failed_notebook_is_no_download(built):
    paths = built
    with changed(paths.chapters / 'one.md', ALPHA, '1 / 0'):
        fake.run(paths, 'book', '--no-serve', '--keep-going')
    page = (paths.html / 'one.html').read_text()
    assert 'downloads/beta/one.ipynb' in page and 'downloads/alpha/one' not in page
    for folder in paths.html / 'downloads', paths.notebooks:
        assert (folder / 'beta/one.ipynb').is_file()
        assert not list((folder / 'alpha').glob('one*'))
        with zipfile.ZipFile(folder / 'd2lrnn-alpha-notebooks.zip') as archive:
            names = ' '.join(archive.namelist())
        assert 'index.ipynb' in names and 'one' not in names
    done = fake.run(paths, 'book', '--no-serve')  # mended
    assert done.returncode == 0 and '0 notebooks executed, 2 unchanged' in done.stdout
    page = (paths.html / 'one.html').read_text()
    assert 'failures' not in page and 'downloads/alpha/one.ipynb' in page
    assert (paths.notebooks / 'alpha/one.ipynb').is_file()


@pytest.mark.parametrize('options', [(), ('--keep-going',)])
def test_all_failures_are_listed(paths, options):
    chapter = paths.chapters / 'one.md'
    with (changed(chapter, ALPHA, 'x = 1\n1 / 0'),
          changed(chapter, "print('beta', 30 + 3)", "{}['none']") as lines):
        done = fake.run(paths, 'book', '--no-serve', *options)
    places = line_of(lines, '1 / 0'), line_of(lines, "{}['none']")
    assert done.returncode == 1 and '0 unchanged, 2 failed' in done.stdout
    assert 'Failed:\n' + '\n'.join([
        f'  one  Alpha  cell 1 (chapters/one.md:{places[0]}): ZeroDivisionError: division by zero',
        f"  one  Beta  cell 1 (chapters/one.md:{places[1]}): KeyError: 'none'\n"]) in done.stderr
    assert ('The pages show what failed' in done.stderr) == bool(options)
    assert ('Nothing was rendered' in done.stderr) != bool(options)


def test_changed_pin_runs_only_that_framework(built):
    paths = built
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
