"""What is shown while work goes on, on a terminal and elsewhere."""
import io

from rich.console import Console

from tools import progress

TRAINING = {'epoch': 2, 'max_epochs': 8, 'text': 'train ppl 6.1'}


def test_lines_are_few(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, 'monotonic', lambda: now[0])
    file = io.StringIO()
    with progress.Lines(file).row('one') as row:
        for now[0] in range(1, 41):
            row.update('cell', now[0], 40, TRAINING)
        row.end('40 cells')
    assert file.getvalue().splitlines() == [
        'one: started', 'one: cell 15/40  epoch 2/8  train ppl 6.1, 15 s',
        'one: cell 30/40  epoch 2/8  train ppl 6.1, 30 s', 'one: 40 cells, 40 s']


def test_one_line_is_written_over():
    file = io.StringIO()
    with progress.OneLine(file).row('environment book') as row:
        row.update('collecting', 3, 90)
        row.end('made')
    assert 'collecting 3/90' in file.getvalue()
    assert [line.split('\r\033[K')[-1] for line in file.getvalue().split('\n')] == [
        'environment book: made, 0 s', '']


def test_bars_show_cells_and_epochs():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with progress.start(console) as shown, shown.row('one  Alpha') as row:
        row.update('cell', 3, 20, TRAINING)
        shown.live.refresh()
        row.end('20 cells')
    text = progress.ANSI.sub('', console.file.getvalue())
    assert 'one  Alpha cell 3/20' in text and 'epoch 2/8  train ppl 6.1' in text
    assert 'one  Alpha: 20 cells, 0 s' in text


def test_no_bars_without_a_terminal():
    assert type(progress.start(Console(file=io.StringIO()))) is progress.Lines


def test_training_without_numbers():
    row = progress.Row(progress.Lines(io.StringIO()), 'one')
    row.training = {'text': 'drawing'}
    assert row.epoch() == 'drawing'
    row.training = {'epoch': 1}
    assert row.epoch().startswith('epoch 1/?')
