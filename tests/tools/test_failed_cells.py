"""What a failed execution leaves in a notebook and says, with real kernels."""
import pytest

from tests.tools.test_execute import FIRST, lent, paths, run, settings, task  # noqa: F401


@pytest.mark.parametrize('code, line, what', [
    (['x = 1\n\n1 / 0\ny = 2'], 14, 'ZeroDivisionError: division by zero'),
    (['def f():\n    return 1 / 0\n', 'x = 1\n\nf()\n'], 24, 'ZeroDivisionError'),
    (['def f():\n    return 1 / 0\n\nf()'], 13, 'ZeroDivisionError'),
    (['x = 1\nimport json\njson.loads("{")'], 14, 'JSONDecodeError'),
    (['x = 1\ny = = 2'], 13, 'SyntaxError: invalid syntax'),
    (['if True:\nx = 1'], 13, 'IndentationError'),
    (['\n\nx = 1\n1 / 0'], 15, 'ZeroDivisionError'),
    (['try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError from error'], 15,
     'KeyError:'),
    (['x = 1\nimport os; os._exit(3)'], 10, 'the kernel ended with status 3'),
    (['raise ValueError("\\x1b[31mred\\x1b[0m\\nmore")'], 12, 'ValueError: red')])
def test_line_of_the_chapter(paths, lent, code, line, what):  # noqa: F811
    bad = task(lent, *code)
    shown = run([bad], settings(paths))
    first = bad.failure.splitlines()[0]
    place = f'one  {FIRST.title}  cell {len(code)} (chapters/one.md:{line})'
    assert first.startswith(f'{place}: {what}')
    log = (paths.logs / f'one-{FIRST.module}.log').read_text()
    assert '\x1b' not in first + shown.text + log


@pytest.mark.parametrize('code', ['1 / 0', 'import os; os.kill(os.getpid(), 9)'])
def test_what_the_cells_are_left_with(paths, lent, code):  # noqa: F811
    bad = task(lent, 'print("before")', f'print("so far")\n{code}', 'print("after")')
    run([bad], settings(paths))
    before, failed, after = bad.notebook.cells[1:]
    assert before.outputs[0].text == 'before\n'
    assert failed.outputs[-1].output_type == 'error'
    assert 'failed' in failed.metadata.d2lrnn and not after.outputs
    assert after.metadata.d2lrnn.skipped == 'the cell of line 20 failed'
    assert not paths.cache.exists()


def test_expected_error_is_no_failure(paths, lent):  # noqa: F811
    fine = task(lent, '1 / 0', tags=['raises-exception'])
    run([fine], settings(paths))
    assert fine.state == 'executed' and fine.notebook.cells[1].outputs[0].ename.startswith('Zero')
