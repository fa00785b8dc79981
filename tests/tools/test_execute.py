"""Notebooks in real kernels."""
import asyncio
import io
from types import SimpleNamespace

import nbformat.v4
import pytest
from d2lrnn import BACKENDS
from d2lrnn.core.corpora import Corpus

from tests.tools import fake
from tools import cache, envs, execute, kernels, progress
from tools.paths import Paths

FIRST, SECOND = BACKENDS[:2]


class Shown(progress.Lines):
    """Progress that remembers everything."""

    def __init__(self):
        super().__init__(io.StringIO())
        self.changes, self.order = [], []

    def add(self, row):
        self.order.append(row.title)
        super().add(row)

    def changed(self, row):
        self.changes.append(row.text())

    @property
    def text(self):
        return self.file.getvalue()


@pytest.fixture(scope='session')
def lent(tmp_path_factory):
    """An environment with the running packages, and its checkout's paths."""
    paths = Paths(tmp_path_factory.mktemp('lent'))
    paths.requirements.mkdir(parents=True)
    (paths.requirements / 'lent.txt').write_text('# env: FAKE_THREADS={threads}\n')
    environment = envs.get(paths, 'lent')
    fake.lend(environment)
    return environment


@pytest.fixture
def paths(tmp_path):
    (tmp_path / 'd2lrnn').mkdir()
    (tmp_path / 'd2lrnn' / '__init__.py').write_text('here = __file__\n')
    return Paths(tmp_path)


def task(environment, *code, backend=FIRST, chapter='one', tags=()):
    cells = [nbformat.v4.new_code_cell(source, id=f'cell-{number}', metadata={
        'd2lrnn': {'cell': number, 'line': 10 * number, 'body': 10 * number + 2, 'tab': 'all',
                   'id': number},
        'tags': list(tags)}) for number, source in enumerate(code, 1)]
    cells.insert(0, nbformat.v4.new_markdown_cell('# Title', id='title'))
    return execute.Task(chapter, backend, environment, nbformat.v4.new_notebook(cells=cells))


def settings(paths, **options):
    corpus = Corpus('A text', 'text', 'cache', None)
    return execute.Settings(paths, corpus, **{'jobs': 2, **options})


def run(tasks, how):
    shown = Shown()
    asyncio.run(execute.execute(tasks, how, shown))
    return shown


def output(task, cell=0):
    return [cell for cell in task.notebook.cells if cell.cell_type == 'code'][cell].outputs[0].text


def no_kernel(*arguments, **options):
    raise AssertionError('a kernel was started')


def test_outputs_then_cache(paths, lent, monkeypatch):
    code = 'x = 20', 'import os, d2lrnn; print(x + 2, os.listdir(), d2lrnn.here)'
    first = task(lent, *code)
    shown = run([first], settings(paths))
    assert first.state == 'executed' and first.seconds > 0
    assert output(first, 1) == f'22 [] {paths.root}/d2lrnn/__init__.py\n'
    assert f'one  {FIRST.title}: 2 cells' in shown.text and 'cell 2/2' in shown.changes
    monkeypatch.setattr(kernels, 'Client', no_kernel)
    again = task(lent, *code)
    shown = run([again], settings(paths))
    assert again.state == 'cached' and again.notebook == first.notebook and not shown.text
    with pytest.raises(AssertionError, match='a kernel was started'):
        run([task(lent, *code)], settings(paths, force=True))


def test_native_output_goes_to_the_log(paths, lent):
    native = task(lent, 'import os; os.write(2, b"native\\n"); print("shown")')
    run([native], settings(paths))
    assert [out.text for out in native.notebook.cells[1].outputs] == ['shown\n']
    assert 'native' in (paths.logs / f'one-{FIRST.module}.log').read_text()


def test_notebook_without_code_needs_no_kernel(paths, lent, monkeypatch):
    monkeypatch.setattr(kernels, 'Client', no_kernel)
    prose = task(lent)
    run([prose], settings(paths))
    assert prose.state == 'prose'


def test_failing_cell(paths, lent):
    bad = task(lent, 'x = 1', 'def f():\n    raise ValueError("boom")\nf()', 'print("never")')
    good = task(lent, 'print(1)', backend=SECOND)
    shown = run([bad, good], settings(paths))
    assert (bad.state, good.state) == ('failed', 'executed')
    where = f'one  {FIRST.title}  cell 2 (chapters/one.md:23)'
    assert bad.failure.startswith(f'{where}: ValueError: boom\n')
    assert '\x1b' in bad.failure and '\x1b' not in shown.text  # colors are for a terminal only
    assert "raise ValueError(\"boom\")\n" in shown.text and '\n    ValueError: boom\n' in shown.text
    assert [path.name.split('-')[1] for path in paths.cache.iterdir()] == [SECOND.module]
    assert 'ValueError' in (paths.logs / f'one-{FIRST.module}.log').read_text()


@pytest.mark.parametrize('code, reason', [
    ('import os; os.kill(os.getpid(), 9)', 'ended by SIGKILL (often the machine has run out of'),
    ('import os; os._exit(3)', 'the kernel ended with status 3')])
def test_dead_kernel(paths, lent, code, reason):
    bad = task(lent, code)
    run([bad], settings(paths))
    assert bad.failure.startswith(f'one  {FIRST.title}  cell 1 (chapters/one.md:10): ')
    assert reason in bad.failure and not paths.cache.exists()


def test_kernel_that_does_not_start(paths, lent, tmp_path):
    environment = SimpleNamespace(name='broken', python=tmp_path / 'no-python', pins=lent.pins,
                                  variables=lent.variables)
    bad = task(environment, '1')
    run([bad], settings(paths))
    assert 'the kernel did not start' in bad.failure and 'no-python' in bad.failure


def test_few_epochs(paths, lent, monkeypatch):
    monkeypatch.setenv('D2LRNN_MAX_EPOCHS', '7')  # of the user's shell
    code = 'import os; print(repr(os.environ["D2LRNN_MAX_EPOCHS"]), os.environ["FAKE_THREADS"])'
    short, whole = task(lent, code), task(lent, code, backend=SECOND)
    skipped = task(lent, 'print(1)', chapter='two', tags=['full-epochs'])
    run([short, skipped], settings(paths, epochs=3, jobs=1))
    run([whole], settings(paths))
    assert output(short).startswith("'3' ") and output(whole).startswith("'' ")
    assert int(output(short).split()[1]) == execute.threads(1)
    cell = skipped.notebook.cells[1]
    assert not cell.outputs and 'trained 3 at most' in cell.metadata.d2lrnn.skipped
    again = task(lent, 'print(1)', chapter='two', tags=['full-epochs'])
    run([again], settings(paths, epochs=3))
    assert again.state == 'cached' and again.notebook == skipped.notebook


def test_training_is_shown_and_left_out_of_the_notebook(paths, lent):
    board = task(lent, '''
from IPython.display import display
def about(epoch):
    return {'d2lrnn': {'epoch': epoch, 'max_epochs': 8, 'text': f'loss {epoch}'}}
board = display({'text/plain': '0'}, raw=True, metadata=about(1), display_id=True)
board.update({'text/plain': '1'}, raw=True, metadata=about(2))''')
    shown = run([board], settings(paths))
    assert 'cell 1/1  epoch 1/8  loss 1' in shown.changes
    assert 'cell 1/1  epoch 2/8  loss 2' in shown.changes
    result, = board.notebook.cells[1].outputs
    assert result.data == {'text/plain': '1'} and result.metadata == {}


def test_the_longest_comes_first(paths, lent):
    names = 'short', 'long'
    for name, seconds in zip(names, (1, 2)):
        cache.Cache(paths.cache).store(task(lent, '0').notebook, name, FIRST, 'a' * 20, None,
                                       seconds)
    tasks = [task(lent, '1', chapter=name) for name in names]
    shown = run(tasks, settings(paths, jobs=1))
    assert shown.order[1:] == [f'{name}  {FIRST.title}' for name in ('long', 'short')]


def test_stopped_run_leaves_no_kernel(paths, lent):
    tasks = [task(lent, 'import time; time.sleep(60)', backend=row) for row in BACKENDS[:2]]

    async def main():
        shown = Shown()
        running = asyncio.ensure_future(execute.execute(tasks, settings(paths), shown))
        while 'cell 1/1' not in shown.changes:
            await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    asyncio.run(main())
    assert not [line for line in fake.alive('ipykernel_launcher') if str(lent.python) in line]
    assert not paths.cache.exists()
