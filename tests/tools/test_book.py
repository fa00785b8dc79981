"""`python3 -m tools book` in a checkout with two invented frameworks."""
import re
import signal
import subprocess
import time

import pytest

from tests.tools import fake


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """A checkout whose book was built once, and what that said."""
    paths = fake.checkout(tmp_path_factory.mktemp('checkout'))
    return paths, fake.run(paths, 'book', '--no-serve')


def page(paths):
    return re.sub('<[^>]+>', '', (paths.html / 'one.html').read_text())


def kernels(root):
    """Command lines of the kernels of a checkout."""
    return [line for line in fake.alive('ipykernel_launcher') if line[0].startswith(str(root))]


def test_first_run(built):
    paths, done = built
    assert done.returncode == 0, done.stderr
    text = page(paths)
    assert 'alpha 22' in text and 'beta 33' in text and 'every epoch' in text
    for line in ('environments ', 'corpus ', 'execution ', 'rendering ', 'total ', 'peak memory '):
        assert re.search(f'^{line}', done.stdout, re.MULTILINE)
    assert str(paths.html / 'index.html') in done.stdout


def test_embedded_corpus_is_loud(built):
    _, done = built
    assert re.search('^corpus .*embedded', done.stdout, re.MULTILINE)
    assert re.search('^WARNING .*D2LRNN_OFFLINE is set.*put timemachine.txt', done.stdout,
                     re.MULTILINE)


def test_notebooks_are_left_beside_the_pages(built):
    paths, done = built
    assert f'notebooks     {paths.notebooks}' in done.stdout
    for module in ('alpha', 'beta'):
        for name in ('index', 'one', 'one-without-outputs'):
            assert (paths.notebooks / module / f'{name}.ipynb').is_file()
        assert (paths.notebooks / f'd2lrnn-{module}-notebooks.zip').is_file()
    one = (paths.notebooks / 'beta' / 'one.ipynb').read_text()
    assert 'beta 33' in one and 'alpha' not in one and str(paths.root) not in one


def test_notebooks_alone(built):
    paths, _ = built
    done = fake.run(paths, 'notebooks', '--colab', 'https://a.org/b')
    assert done.returncode == 0, done.stderr
    assert (f'Alpha         2 notebooks in {paths.notebooks / "alpha"}, and '
            f'{paths.notebooks / "d2lrnn-alpha-notebooks.zip"}') in done.stdout
    assert 'href="https://a.org/b/beta/one.ipynb"' in (paths.html / 'one.html').read_text()
    (paths.root / 'pyproject.toml').write_text('[tool.d2lrnn.book]\ncolab = "b"\n')
    try:
        done = fake.run(paths, 'notebooks')
    finally:
        (paths.root / 'pyproject.toml').write_text('')
    assert done.returncode == 1 and "colab: 'b' is no address" in done.stderr


def test_second_run_starts_no_kernel(built):
    paths, _ = built
    began = time.monotonic()
    done = fake.run(paths, 'book', '--no-serve')
    assert done.returncode == 0 and time.monotonic() - began < 10
    assert '0 notebooks executed, 2 unchanged, 0 failed' in done.stdout
    assert 'started' not in done.stdout


def test_failing_cell_keeps_the_last_page(built):
    paths, _ = built
    chapter = paths.chapters / 'one.md'
    before, pages = chapter.read_text(), page(paths)
    try:
        chapter.write_text(before.replace("print('beta', 30 + 3)", "print('beta', 1 / 0)"))
        done = fake.run(paths, 'book', '--no-serve')
    finally:
        chapter.write_text(before)
    assert done.returncode == 1
    assert 'one  Beta  cell 1 (chapters/one.md:19): ZeroDivisionError' in done.stdout
    assert 'the pages of the last good build are still there' in done.stderr
    assert page(paths) == pages


@pytest.mark.parametrize('tab, place', [
    (':tab: bee', 'chapters/one.md:17: '),
    (':tab: be\n:include: rnn.py:RNN\n```\n\nText.\n\n```python', 'run `python3 -m tools sync`')])
def test_chapter_that_cannot_be_used(built, tab, place):
    paths, _ = built
    chapter = paths.chapters / 'one.md'
    before = chapter.read_text()
    try:
        chapter.write_text(before.replace(':tab: be', tab))
        done = fake.run(paths, 'book', '--no-serve')
    finally:
        chapter.write_text(before)
    assert done.returncode == 1 and place in done.stderr
    assert 'Traceback' not in done.stderr


def test_subset_says_what_is_missing(built):
    paths, _ = built
    done = fake.run(paths, 'book', '--no-serve', '--backend', 'be', '--epochs', '2')
    assert done.returncode == 0, done.stderr
    text = page(paths)
    assert 'this build was asked for Beta only' in text and 'beta 33' in text
    assert 'this build trained 2 at most' in text and 'alpha 22' not in text


def test_framework_that_does_not_suit_this_python(built):
    paths, _ = built
    file = paths.requirements / 'alpha.txt'
    before = file.read_text()
    try:
        file.write_text('# requires-python: <3.2\n# because: it is very old\n' + before)
        done = fake.run(paths, 'book', '--no-serve')
    finally:
        file.write_text(before)
    assert done.returncode == 0, done.stderr
    assert 'Python &lt;3.2 is needed' in (paths.html / 'one.html').read_text()
    assert 'it is very old' in page(paths) and 'beta 33' in page(paths)


def test_framework_that_cannot_be_made(built):
    paths, _ = built
    file = paths.requirements / 'alpha.txt'
    before, pages = file.read_text(), page(paths)
    try:
        file.write_text('no-such-package==1\n')
        done = fake.run(paths, 'book', '--no-serve', PIP_NO_INDEX='1')
    finally:
        file.write_text(before)
        fake.lend(fake.envs.get(paths, 'alpha'))
    assert done.returncode == 1 and page(paths) == pages
    assert 'The environment alpha could not be made' in done.stderr
    assert 'Nothing was rendered' in done.stderr


def test_interrupted_run_leaves_nothing_and_the_next_repairs(built):
    paths, _ = built
    chapter = paths.chapters / 'one.md'
    before = chapter.read_text()
    try:
        chapter.write_text(before.replace("print('alpha', 20 + 2)", 'import time; time.sleep(60)'))
        line, options = fake.command(paths, 'book', '--no-serve', '--force')
        with subprocess.Popen(line, **options, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(
                                  signal.SIGINT, signal.default_int_handler)) as process:
            for text in process.stdout:
                if text.startswith('one  Beta: 2 cells'):
                    break
            assert kernels(paths.root)
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
            assert 'Stopped.' in process.stderr.read()
    finally:
        chapter.write_text(before)
    assert not kernels(paths.root)
    done = fake.run(paths, 'book', '--no-serve')
    assert done.returncode == 0, done.stderr


def test_port_in_use_is_found_before_the_work(built):
    from tools import serve
    paths, _ = built
    with serve.open_server(paths.root) as server:
        done = fake.run(paths, 'book', '--port', str(server.server_address[1]))
    assert done.returncode == 1 and '--port N' in done.stderr and not done.stdout
