"""`python3 -m tools copies`, and what becomes of the copies when the book changes."""
import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from d2lrnn import BACKENDS

from tests.tools import fake
from tests.tools.sample_copies import JAX, TORCH, Made, browser_path  # noqa: F401
from tools import book, chromium, cli, copies, sphinx_build
from tools.paths import HERE


@pytest.fixture(scope='module')
def books(tmp_path_factory):
    made = Made(tmp_path_factory.mktemp('books'))
    assert made.make('epub').problem == ''
    return made


def test_only_copies_of_the_book_as_it_is_count(books):
    assert set(books.shelf().current()) == {row.tab for row in BACKENDS}
    assert set(books.shelf(missing={'jax': 'no JAX'}).current()) == {
        row.tab for row in BACKENDS if row is not JAX}
    books.book.change('second', 'After', 'Behind')
    try:
        assert books.shelf().current() == {}
    finally:
        books.book.change('second', 'Behind', 'After')
    assert len(books.shelf().current()) == len(BACKENDS)


def test_what_is_there_is_not_made_again(books, monkeypatch):
    monkeypatch.setattr(sphinx_build, 'build', lambda *arguments: pytest.fail('Sphinx was started'))
    assert len(books.make('epub').lines) == len(BACKENDS)


def linked(book):
    return {name for name in re.findall(r'href="downloads/([^"/]*)"', book.page('index'))
            if not name.endswith('.zip')}


def offered(book):
    return {path.name for path in (book.out / 'downloads').iterdir()
            if path.suffix in ('.pdf', '.epub')}


def test_pages_link_to_current_copies_and_drop_stale_ones(tmp_path):
    made = Made(tmp_path)
    assert linked(made.book.render()) == offered(made.book) == set()
    assert made.make('epub', rows=[TORCH, JAX]).problem == ''
    both = {'d2lrnn-torch.epub', 'd2lrnn-jax.epub'}
    for _ in range(2):
        assert linked(made.book.render()) == offered(made.book) == both
    made.book.change('second', 'After', 'Behind')
    assert linked(made.book.render()) == offered(made.book) == set()
    made.book.change('second', 'Behind', 'After')
    assert linked(made.book.render()) == offered(made.book) == both


def test_command_links_what_it_made_and_makes_it_once(tmp_path):
    paths = fake.checkout(tmp_path)
    done = fake.run(paths, 'copies', '--only', 'epub')
    assert done.returncode == 0, done.stderr
    assert re.search(r'^copies +\d', done.stdout, re.MULTILINE)
    index = (paths.html / 'index.html').read_text('utf-8')
    for name in ('d2lrnn-alpha.epub', 'd2lrnn-beta.epub'):
        assert f'{paths.build / "copies" / name}\n' in done.stdout
        assert f'href="downloads/{name}"' in index
        assert (paths.html / 'downloads' / name).read_bytes()[:2] == b'PK'
    again = fake.run(paths, 'copies', '--only', 'epub')
    assert again.returncode == 0 and 'started' not in again.stdout


def test_without_chromium(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    built = []

    def build(options, paths, backends, clock, copies):
        built.append(copies.kinds)
        return book.Outcome(rendered=True)
    monkeypatch.setattr(book, 'build', build)
    for arguments, kinds, status in ([], ['epub'], 0), (['--only', 'pdf,epub'], ['epub'], 1), (
            ['--only', 'pdf'], None, 1):
        built.clear()
        options = cli.parse(['copies', *arguments], HERE, BACKENDS)
        assert copies.main(options, HERE, BACKENDS) == status
        assert built == ([kinds] if kinds else [])
        assert 'No PDF was made: no Chromium: install one' in capsys.readouterr().err


def test_chromium_that_does_not_start(tmp_path, monkeypatch):
    made = Made(tmp_path)
    program = tmp_path / 'chromium'
    program.write_text('#!/bin/sh\nexit 3\n')
    program.chmod(0o755)
    done = made.make('pdf', 'epub', rows=[TORCH], browser=str(program))
    assert f'No PDF was made, because {program} did not start' in done.problem
    assert made.shelf().has(TORCH, 'epub')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_stopped_print_leaves_nothing(tmp_path, browser_path, number):  # noqa: F811
    made = Made(tmp_path)
    program, pids = tmp_path / 'chromium', tmp_path / 'pids'
    program.write_text(f'#!/bin/sh\necho $$ > {pids}\nexec {browser_path} "$@"\n')
    program.chmod(0o755)
    code = f"""
import sys
from pathlib import Path
from tests.tools import sample_copies
made = sample_copies.Made.__new__(sample_copies.Made)
made.book = sample_copies.Book.__new__(sample_copies.Book)
made.book.folder, made.book.work = Path({str(made.book.folder)!r}), Path({str(made.book.work)!r})
made.make('pdf', rows=[sample_copies.TORCH], browser={str(program)!r})
"""
    process = subprocess.Popen([sys.executable, '-c', code], cwd=HERE.root, start_new_session=True,
                               stderr=subprocess.PIPE, text=True)
    while not pids.exists() and process.poll() is None:
        time.sleep(.05)
    time.sleep(.5)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode and 'KeyboardInterrupt' in errors
    assert not psutil.pid_exists(int(pids.read_text()))
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert not list(made.book.work.rglob('*.pdf'))
