"""Environments from small wheels, without a network."""
import asyncio
import io
import os
import threading
import time
import zipfile

import pytest

from tests.tools import fake
from tools import bootstrap, envs, pins, processes, progress
from tools.paths import Paths

NAPS = '61.25', '62.25'  # seconds; nobody else sleeps as long


def write_wheel(folder, name, version):
    info = f'{name}-{version}.dist-info'
    with zipfile.ZipFile(folder / f'{name}-{version}-py3-none-any.whl', 'w') as wheel:
        wheel.writestr(f'{name}.py', f'version = {version!r}\n')
        wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\nName: {name}\n'
                                           f'Version: {version}\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\n'
                                        'Tag: py3-none-any\n')
        wheel.writestr(f'{info}/RECORD', '')


@pytest.fixture
def paths(tmp_path, monkeypatch):
    """A checkout with the environments `left` and `right`, whose packages are on disk."""
    wheels = tmp_path / 'wheels'
    wheels.mkdir()
    for name in ('first', 'second'):
        for version in ('1', '2'):
            write_wheel(wheels, name, version)
    monkeypatch.setenv('PIP_FIND_LINKS', str(wheels))
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    paths = Paths(tmp_path)
    paths.requirements.mkdir(parents=True)
    for name in ('left', 'right'):
        pin(paths, name, 'first==1\nsecond==1\n')
    return paths


def pin(paths, name, text):
    (paths.requirements / f'{name}.txt').write_text(text)


def make(paths, *names, offline=False):
    """Make environments; returns what failed and what was shown."""
    file = io.StringIO()
    environments = [envs.get(paths, name) for name in names or ('left', 'right')]
    failures = asyncio.run(envs.make_all(environments, paths, progress.Lines(file), 2, offline))
    return failures, file.getvalue()


def installed(paths, name):
    environment = envs.get(paths, name)
    return [item for item in environment.packages() if item.endswith('.dist-info')]


def test_made_once_then_nothing_to_do(paths):
    failures, shown = make(paths)
    assert failures == {'left': None, 'right': None}
    assert 'environment left: made' in shown
    assert installed(paths, 'left') == ['first-1.dist-info', 'second-1.dist-info']
    before = envs.get(paths, 'left').stamp.stat().st_mtime_ns
    assert make(paths) == ({'left': None, 'right': None}, '')
    assert envs.get(paths, 'left').stamp.stat().st_mtime_ns == before


def test_changed_pin_rebuilds_that_environment_only(paths):
    make(paths)
    pin(paths, 'left', 'first==2\n')
    _, shown = make(paths)
    assert 'environment left: made' in shown and 'right' not in shown
    assert installed(paths, 'left') == ['first-2.dist-info']


def test_interrupted_environment_is_made_anew(paths):
    make(paths, 'left')
    environment = envs.get(paths, 'left')
    environment.stamp.unlink()
    (environment.path / 'rubbish').write_text('')
    make(paths, 'left')
    assert environment.is_ready() and not (environment.path / 'rubbish').exists()


def test_half_deleted_environment_is_made_anew(paths):
    make(paths, 'left')
    environment = envs.get(paths, 'left')
    next(environment.path.glob('lib/*/site-packages/second.py')).unlink()
    assert not environment.is_ready()
    make(paths, 'left')
    assert environment.is_ready()


@pytest.mark.parametrize('text', ['', '{', '[]', '{"digest": 1}'])
def test_unreadable_stamp_is_no_stamp(paths, text):
    make(paths, 'left')
    envs.get(paths, 'left').stamp.write_text(text)
    assert not envs.get(paths, 'left').is_ready()


def test_failure_is_explained_and_the_others_go_on(paths):
    pin(paths, 'left', 'first==1\nsecond==9\n')
    failures, shown = make(paths)
    assert failures['right'] is None and envs.get(paths, 'right').is_ready()
    text = str(failures['left'])
    assert 'The environment left could not be made' in text
    assert 'No matching distribution found for second==9' in text
    assert str(paths.logs / 'env-left.log') in text and 'PIP_FIND_LINKS' in text
    assert 'second==9' in (paths.logs / 'env-left.log').read_text()
    assert 'environment left: FAILED' in shown
    pin(paths, 'left', 'first==1\n')
    assert make(paths)[0]['left'] is None


def test_registry_that_is_down(paths, monkeypatch):
    for name in ('PIP_NO_INDEX', 'PIP_FIND_LINKS', 'PIP_EXTRA_INDEX_URL'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple')
    monkeypatch.setenv('PIP_RETRIES', '1')
    monkeypatch.setenv('PIP_CONFIG_FILE', os.devnull)
    text = str(make(paths, 'left')[0]['left'])
    assert 'Connection refused' in (paths.logs / 'env-left.log').read_text()
    assert 'Check the network' in text


def test_offline_asks_no_index(paths, monkeypatch):
    monkeypatch.delenv('PIP_NO_INDEX')
    monkeypatch.setenv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple')
    assert make(paths, 'left', offline=True)[0] == {'left': None}


def test_folder_that_cannot_be_written(paths):
    paths.venvs.write_text('a file, where a folder should be')
    assert 'The environment left could not be made' in str(make(paths, 'left')[0]['left'])


def test_book_environment_needs_its_python(paths):
    pin(paths, 'book', '# requires-python: >=9.9\n# because: of this test\n')
    with pytest.raises(envs.SetupError, match='Python >=9.9 is needed.*of this test'):
        bootstrap._prepare(envs.get(paths, 'book'), paths, offline=True)


def test_second_run_waits_for_the_first(paths):
    said, order = [], []

    def second():
        with envs.lock(paths, said.append):
            order.append('second')
    with envs.lock(paths):
        other = threading.Thread(target=second)
        other.start()
        deadline = time.monotonic() + 10
        while not said and time.monotonic() < deadline:
            time.sleep(0.01)
        order.append('first')
    other.join()
    assert order == ['first', 'second']
    assert f'process {os.getpid()}' in said[0] and 'waiting' in said[0]


def test_cancelled_command_leaves_no_process(tmp_path):
    script = f'sleep {NAPS[0]} & sleep {NAPS[1]} & echo ready; wait'

    async def main():
        ready = asyncio.Event()
        with open(tmp_path / 'log', 'w') as log:
            task = asyncio.ensure_future(processes.logged(
                ['bash', '-c', script], log, lambda line: ready.set()))
            await ready.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    asyncio.run(main())
    assert not any(fake.alive(nap) for nap in NAPS)


def test_variables_of_an_environment(tmp_path):
    path = tmp_path / 'some.txt'
    path.write_text('# env: THREADS={threads}\n# env: LEVEL=2\n')
    environment = envs.Environment(pins.read(path), tmp_path / 'venv')
    found = environment.variables(tmp_path, threads=3)
    assert (found['THREADS'], found['LEVEL'], found['PYTHONPATH']) == ('3', '2', str(tmp_path))
    assert 'THREADS' not in environment.variables(tmp_path)
