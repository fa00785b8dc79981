"""`python3 -m tools test`: what counts as a failure, and the summary."""
import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from tests.tools import fake
from tools import results, testing
from tools.paths import Paths

JUNIT = '''<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_good"/>
<testcase classname="tests.test_a" name="test_bad"><failure message="m">line
assert 1 == 2</failure><error message="too">e</error></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">E</error></testcase>
<testcase classname="tests.test_a" name="test_not"><skipped message="no GPU"/></testcase>
</testsuite></testsuites>'''


def read(tmp_path, text):
    path, found = tmp_path / 'junit.xml', results.Results('tests')
    path.write_text(text)
    results.read_junit(path, found)
    return found


def test_junit(tmp_path):
    found = read(tmp_path, JUNIT)
    assert found.passed == 1
    assert found.failed == [('tests.test_a::test_bad', 'line\nassert 1 == 2'),
                            ('tests.test_b', 'E')]
    assert found.skipped == [('tests.test_a::test_not', 'no GPU')]


def test_half_written_junit(tmp_path):
    assert read(tmp_path, JUNIT[:100]).count == 0


def test_summary(tmp_path, capsys):
    found, console = read(tmp_path, JUNIT), Console(file=io.StringIO(), width=100)
    assert not results.show([found, results.Results('more', 2)], console)
    assert capsys.readouterr().out == '3 passed, 2 failed, 1 skipped\n'
    text = console.file.getvalue()
    assert 'FAILED  tests  tests.test_a::test_bad' in text and 'assert 1 == 2' in text
    assert 'skipped  tests  tests.test_a::test_not: no GPU' in text
    assert results.show([results.Results('more', 2)], console)


def test_same_failure_is_told_once(capsys):
    console = Console(file=io.StringIO(), width=100)
    results.show([results.Results('tests', failed=[('a', 'the fixture'), ('b', 'the fixture')])],
                 console)
    text = console.file.getvalue()
    assert text.count('the fixture') == 1 and 'FAILED  tests  b\nas a\n' in text


@pytest.mark.parametrize('status, arguments, failures', [
    (0, [], 0), (5, [], 1), (5, ['-k', 'x'], 0), (4, [], 1), (-11, ['-k', 'x'], 1)])
def test_run_without_a_failed_test(status, arguments, failures):
    run = testing.Run(SimpleNamespace(name='some'), arguments)
    run.read('last words', SimpleNamespace(update=lambda *counts: None))
    run.judge(status, 'log')
    assert len(run.results.failed) == failures


def test_counts_in_the_output():
    run, counts = testing.Run(SimpleNamespace(name='some'), []), []
    row = SimpleNamespace(update=lambda stage, *numbers: counts.append(numbers))
    for line in ('collected 10 items / 7 deselected / 3 selected', '',
                 'tests/test_a.py::test_good PASSED   [ 33%]',
                 'tests/test_a.py::test_bad[PASSED] FAILED   [ 66%]'):
        run.read(line, row)
    assert counts == [(0, 3), (0, 3), (1, 3), (2, 3)]


def test_counts_in_the_output_of_several_workers():
    run, counts = testing.Run(SimpleNamespace(name='some'), []), []
    row = SimpleNamespace(update=lambda stage, *numbers: counts.append(numbers))
    for line in ('created: 2/2 workers', '2 workers [843 items]', 'tests/test_a.py::test_good ',
                 '[gw1] [  0%] PASSED tests/test_a.py::test_good '):
        run.read(line, row)
    assert counts == [(0, None), (0, 843), (0, 843), (1, 843)]


@pytest.mark.parametrize('jobs, names, expected', [(2, ['a'], ['-n', '2']), (1, ['a'], []),
                                                   (2, ['a', 'b'], [])])
def test_one_framework_alone_gets_all_processors(jobs, names, expected):
    options = SimpleNamespace(keyword=None, jobs=jobs)
    environments = {name: SimpleNamespace(name=name) for name in names}
    tools, *runs = testing._runs(options, Paths(fake.ROOT), environments)
    assert tools.arguments == ['tests/tools', 'tests/core']
    assert [run.arguments for run in runs] == [
        ['tests/backend', '--backend', name, *expected] for name in names]


@pytest.fixture(scope='module')
def paths(tmp_path_factory):
    """A checkout with tests of its own."""
    paths = fake.checkout(tmp_path_factory.mktemp('checkout'))
    tests = paths.root / 'tests'
    for name in ('tools', 'core', 'backend', 'site'):
        (tests / name).mkdir(parents=True)
    (tests / 'conftest.py').write_text(
        'def pytest_addoption(parser):\n    parser.addoption("--backend")\n'
        '    parser.addoption("--site")\n')
    (tests / 'tools' / 'test_t.py').write_text('def test_t():\n    pass\n')
    (tests / 'core' / 'test_c.py').write_text(
        'import pytest\n@pytest.mark.skip("no reason")\ndef test_c():\n    pass\n')
    (tests / 'backend' / 'test_b.py').write_text(
        'import os\ndef test_b(request):\n    assert request.config.getoption("backend") != '
        'os.environ.get("BAD")\n    assert os.environ["FAKE_THREADS"]\n')
    (tests / 'site' / 'test_s.py').write_text(
        'import os, pathlib\ndef test_s(request):\n'
        '    page = pathlib.Path(request.config.getoption("site"), "one.html")\n'
        '    assert os.environ.get("BAD", "alpha 22") in page.read_text()\n')
    return paths


def test_everything_passes(paths):
    done = fake.run(paths, 'test')
    assert done.returncode == 0, done.stdout + done.stderr
    # of the tools, two of the backends, two chapters on two backends, the rendering, the pages,
    # the one download that has code on two backends
    assert done.stdout.splitlines()[-1] == '11 passed, 0 failed, 1 skipped'
    assert not paths.html.exists()


def test_failed_test_of_the_pages_is_named(paths):
    done = fake.run(paths, 'test', BAD='no such text')
    assert done.returncode == 1
    assert 'FAILED  tests  pages  tests.site.test_s::test_s' in done.stdout
    assert done.stdout.splitlines()[-1] == '10 passed, 1 failed, 1 skipped'


def test_failed_test_is_named(paths):
    done = fake.run(paths, 'test', '--no-chapters', BAD='alpha')
    assert done.returncode == 1
    assert 'FAILED  tests  alpha  tests.backend.test_b::test_b' in done.stdout
    assert "AssertionError: assert 'alpha' != 'alpha'" in done.stdout
    assert done.stdout.splitlines()[-1] == '2 passed, 1 failed, 1 skipped'


def test_keyword(paths):
    done = fake.run(paths, 'test', '-k', 'test_t', '--backend', 'beta', '--jobs', '1')
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == '1 passed, 0 failed, 0 skipped'
    done = fake.run(paths, 'test', '-k', 'nothing')
    assert done.returncode == 1 and 'no test was selected' in done.stdout


def test_missing_framework_fails(paths):
    file = paths.requirements / 'alpha.txt'
    before = file.read_text()
    try:
        file.write_text('# requires-python: <3.2\n# because: it is very old\n' + before)
        done = fake.run(paths, 'test', '--no-chapters')
    finally:
        file.write_text(before)
    assert done.returncode == 1
    assert 'FAILED  environments  alpha' in done.stdout and 'it is very old' in done.stdout
