import nbformat
import pytest
from d2lrnn import BACKENDS

from tests.tools import sample
from tools.chapter import load
from tools.merge import merge, normalize

REASON = 'MXNet 1.9.1 needs Python 3.9 to 3.11; this is 3.12.1'


@pytest.fixture
def chapter(tmp_path):
    return load('first', sample.write(tmp_path / 'chapters'))


def run(chapter, number=1, leave_out=()):
    return {row.module: sample.execute(chapter, row, number) for row in BACKENDS
            if row.module not in leave_out}


def cells(notebook, text):
    return [cell for cell in notebook.cells
            if cell.cell_type == 'code' and text in cell.source]


def about(cell):
    return cell.metadata['d2lrnn']


def test_each_cell_has_its_own_frameworks_output(chapter):
    notebook = merge(chapter, run(chapter), {}, 'The Time Machine')
    nbformat.validate(notebook)
    plots = cells(notebook, 'board')
    assert [about(cell)['tab'] for cell in plots] == [row.tab for row in BACKENDS]
    assert len({about(cell)['group'] for cell in plots}) == 1
    for cell, row in zip(plots, BACKENDS):
        assert f'>{row.title}</text>' in cell.outputs[1].data['image/svg+xml']
        assert cell.metadata.tags == ['full-epochs']
    groups = {about(cell)['group'] for cell in notebook.cells if 'group' in cell.metadata.get(
        'd2lrnn', {})}
    assert len(groups) == len(chapter.groups()) + 1  # and the cell whose outputs differ


def test_prose_and_its_lines_are_kept(chapter):
    notebook = merge(chapter, run(chapter), {}, 'The Time Machine')
    prose = [cell.source for cell in notebook.cells if cell.cell_type == 'markdown']
    assert prose == [cell.source for cell in chapter.notebook.cells
                     if cell.cell_type == 'markdown']
    assert len(notebook.metadata.source_map) == len(notebook.cells)
    assert notebook.metadata.myst.substitutions.corpus == 'The Time Machine'


def test_cell_for_all_is_shown_once_where_its_outputs_agree(chapter):
    notebook = merge(chapter, run(chapter), {}, 'c')
    same, = cells(notebook, '1 + 1')
    assert about(same) == {'tab': 'all'}
    assert same.outputs[0].data == {'text/plain': '2'}
    different = cells(notebook, 'python_version')
    assert [about(cell)['tab'] for cell in different] == [row.tab for row in BACKENDS]
    assert [cell.outputs[0].data['text/plain'] for cell in different] == [
        "'3.11.2'", "'3.11.2'", "'3.11.2'", "'3.9.2'"]
    assert len({about(cell)['group'] for cell in different}) == 1


def test_framework_that_was_not_run(chapter):
    notebook = merge(chapter, run(chapter, leave_out=['mxnet']), {'mxnet': REASON}, 'c')
    for cell in notebook.cells:
        if cell.cell_type == 'code' and about(cell)['tab'] == 'mxnet':
            assert cell.outputs == [] and about(cell)['note'] == f'Not run: {REASON}'
        elif cell.cell_type == 'code':
            assert 'note' not in about(cell)
    assert len(cells(notebook, 'python_version')) == 1


def test_no_framework_was_run(chapter):
    notebook = merge(chapter, {}, {row.module: 'no time' for row in BACKENDS}, 'c')
    once, = cells(notebook, '1 + 1')
    assert about(once) == {'tab': 'all', 'note': 'Not run: no time'}


def test_facts_of_the_runs(chapter):
    facts = {row.module: {'versions': f'{row.title} 1', 'seconds': 2.5} for row in BACKENDS[:3]}
    notebook = merge(chapter, run(chapter, leave_out=['mxnet']), {'mxnet': REASON}, 'c', facts)
    runs = notebook.metadata['d2lrnn']['runs']
    assert runs[2] == {'tab': 'jax', 'title': 'JAX', 'versions': 'JAX 1', 'seconds': 2.5}
    assert runs[3] == {'tab': 'mxnet', 'title': 'MXNet', 'missing': REASON}


def test_cell_that_was_skipped(chapter):
    executed = run(chapter)
    for notebook in executed.values():
        for cell in cells(notebook, 'board'):
            cell.metadata['d2lrnn']['skipped'] = 'only 2 epochs were trained'
            cell.outputs = []
    notebook = merge(chapter, executed, {}, 'c')
    assert {about(cell)['note'] for cell in cells(notebook, 'board')} == {
        'Not run: only 2 epochs were trained'}


def test_framework_without_notebook_or_reason(chapter):
    with pytest.raises(ValueError, match='neither a notebook of MXNet nor a reason'):
        merge(chapter, run(chapter, leave_out=['mxnet']), {}, 'c')


def test_notebook_of_an_older_text(chapter):
    executed = run(chapter)
    cells(executed['jax'], '1 + 1')[0].source = '1 + 2'
    with pytest.raises(ValueError, match=r'first.md:\d+: this cell is not the one that JAX ran'):
        merge(chapter, executed, {}, 'c')


def test_two_equal_runs_give_the_same_bytes(chapter):
    first, again = (nbformat.writes(merge(chapter, run(chapter, number), {}, 'c'))
                    for number in (1, 2))
    assert nbformat.writes(run(chapter, 1)['jax']) != nbformat.writes(run(chapter, 2)['jax'])
    assert first == again


def stream(name, text):
    return sample.new_output('stream', name=name, text=text)


def test_streams_are_joined_and_overwritten_lines_left_out():
    out = normalize([
        stream('stderr', '\x1b[31mwarn'), stream('stdout', 'loss 0.'),
        sample.new_output('display_data', data={'text/plain': 'x'}),
        stream('stdout', '5\n 10%\r 50%'), stream('stderr', 'ing\x1b[0m\n\n'),
        stream('stdout', '\r100%\r\nend \x1b[2K\n')])
    assert [output.get('text') for output in out] == ['loss 0.5\n100%\nend\n', None, 'warning\n']
    assert [output.get('name') for output in out] == ['stdout', None, 'stderr']


def test_blank_outputs_vanish():
    assert normalize([stream('stdout', '\n'), stream('stderr', '\x1b[0m'),
                      sample.new_output('display_data', data={})]) == []


def test_addresses_and_reprs_of_pictures():
    plain = {'text/plain': '<function f at 0x7f12ab>'}
    picture = {'text/plain': '<Figure size 350x250 with 1 Axes>', 'image/png': 'aGk='}
    results = normalize([
        sample.new_output('execute_result', execution_count=7, data=plain),
        sample.new_output('display_data', data=picture, metadata={
            'image/png': {'width': 350, 'needs_background': 'light'}})])
    assert [output.data for output in results] == [
        {'text/plain': '<function f>'}, {'image/png': 'aGk='}]
    assert results[1].metadata == {'image/png': {'width': 350}}


def test_errors_lose_their_colors():
    error = sample.new_output('error', ename='E', evalue='e', traceback=['\x1b[31mE\x1b[0m: e'])
    assert normalize([error])[0].traceback == ['E: e']
