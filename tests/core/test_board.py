"""ProgressBoard, with a clock that the tests set."""
import math
from types import SimpleNamespace

import pytest

from d2lrnn.core import board
from d2lrnn.core.board import ProgressBoard
from d2lrnn.core.figures import new_axes


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless a test moves it."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(board, 'time', SimpleNamespace(monotonic=lambda: clock.now))
    return clock


@pytest.fixture
def notebook(monkeypatch):
    """A notebook: what it displays, how often it is updated, and the end of its cell."""
    shell = SimpleNamespace(displayed=[], updated=[], at_end=[])

    def display(data, metadata=None, raw=False, display_id=False):
        assert raw and display_id
        shell.displayed.append((data, metadata))
        return SimpleNamespace(update=lambda data, metadata=None, raw=False:
                               shell.updated.append((data, metadata)))

    def register(event, hook):
        assert event == 'post_run_cell'
        if hook not in shell.at_end:  # as IPython does
            shell.at_end.append(hook)

    def end_cell():
        for hook in list(shell.at_end):
            hook(None)

    shell.events = SimpleNamespace(register=register,
                                   unregister=lambda event, hook: shell.at_end.remove(hook))
    shell.end_cell = end_cell
    monkeypatch.setattr(board, '_notebook', lambda: shell)
    monkeypatch.setattr('IPython.display.display', display)
    return shell


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_text_lines_at_most_twice_a_second(clock, capsys):
    curve = ProgressBoard()
    for i in range(100):  # ten seconds
        curve.draw(i, i, 'train_ppl')
        clock.now += 0.1
    curve.flush()
    written = lines(capsys)
    assert 15 <= len(written) <= 21
    assert written[0] == 'train_ppl 0' and written[-1] == 'train_ppl 99'


def test_drawing_takes_at_most_a_tenth_of_the_time(clock, notebook):
    curve = ProgressBoard()
    drawn = []

    def slow():
        drawn.append(clock.now)
        clock.now += 2
        return '<svg/>'

    curve.svg = slow
    for i in range(1000):
        curve.draw(i, i, 'loss')
        clock.now += 0.1
    assert 4 <= len(drawn) <= 6  # 100 seconds of training
    assert all(later - earlier >= 20 for earlier, later in zip(drawn, drawn[1:]))


def test_nothing_new_is_not_drawn_again(clock, capsys):
    curve = ProgressBoard()
    curve.draw(0, 1, 'loss')
    curve.flush()
    curve.flush()
    assert lines(capsys) == ['loss 1']


def test_the_last_drawing_is_complete(clock, notebook):
    curve = ProgressBoard(xlabel='epoch')
    for i in range(5):
        curve.draw(i, i, 'loss')
    assert len(notebook.displayed) == 1 and not notebook.updated
    notebook.end_cell()
    assert len(notebook.updated) == 1
    data, _ = notebook.updated[-1]
    assert data['text/plain'] == 'loss 4'
    assert data['image/svg+xml'] == curve.svg()
    assert curve.lines['loss'] == [(float(i), float(i)) for i in range(5)]


def test_a_later_cell_starts_a_new_output(clock, notebook):
    curve = ProgressBoard()
    for _ in range(2):
        curve.draw(0, 1, 'loss')
        notebook.end_cell()
        clock.now += 10
    assert len(notebook.displayed) == 2 and notebook.at_end == []


def test_one_hook_however_many_drawings(clock, notebook):
    curve = ProgressBoard()
    for i in range(20):
        curve.draw(i, i, 'loss')
        clock.now += 1
    assert len(notebook.at_end) == 1 and len(notebook.displayed) == 1
    notebook.end_cell()
    assert notebook.at_end == []


def test_a_hook_that_drew_nothing_goes_too(clock, notebook):
    """A second board in a cell, or one whose first point came too early to be drawn."""
    curve = ProgressBoard(display=False)
    for i in range(3):
        curve.draw(i, i, 'loss')
    notebook.end_cell()
    assert notebook.at_end == [] and notebook.displayed == []


def test_every_n_points_make_one(clock, capsys):
    curve = ProgressBoard()
    for i in range(7):
        curve.draw(i, 10 * i, 'loss', every_n=3)
    assert curve.lines['loss'] == [(1.0, 10.0), (4.0, 40.0)]


def test_curves_wait_for_their_own_points(clock, capsys):
    curve = ProgressBoard()
    for i in range(2):
        curve.draw(i, i, 'a', every_n=2)
        curve.draw(i, -i, 'b', every_n=2)
    assert curve.lines == {'a': [(0.5, 0.5)], 'b': [(0.5, -0.5)]}


def test_display_false_is_silent(clock, capsys):
    curve = ProgressBoard(display=False)
    curve.draw(0, 1, 'loss')
    curve.flush()
    assert lines(capsys) == [] and curve.lines['loss'] == [(0.0, 1.0)]


def test_epoch_values_and_title_are_in_the_line(clock, capsys):
    curve = ProgressBoard()
    curve.start(title='Tides (embedded text)')
    curve.add(0.5, 7, 'train_ppl')
    curve.refresh(epoch=3, max_epochs=10, values={'train_ppl': 6.54321, 'val_ppl': math.inf})
    assert lines(capsys) == ['epoch 3/10  train_ppl 6.543  val_ppl inf  (Tides (embedded text))']


def test_start_begins_a_new_drawing(clock, notebook):
    curve = ProgressBoard(xlim=[0, 5])
    for epochs in 2, 3:
        curve.start(xlabel='epoch', xlim=[0, epochs], title='A')
        curve.draw(1, epochs, 'loss')
        assert curve.lines == {'loss': [(1.0, float(epochs))]}
        assert curve.xlim == [0, epochs] and curve.xlabel == 'epoch'
    assert len(notebook.displayed) == 2


def test_a_label_of_the_users_stays(clock):
    curve = ProgressBoard(xlabel='step')
    curve.start(xlabel='epoch')
    assert curve.xlabel == 'step'


def test_svg_is_the_same_twice(clock):
    drawings = []
    for _ in range(2):
        curve = ProgressBoard(xlabel='epoch', ylabel='perplexity', yscale='log')
        curve.start(title='Tides (embedded text)')
        for i in range(1, 5):
            curve.add(i, 1 / i, 'train_ppl')
            curve.add(i, 2 / i, 'val_ppl')
        drawings.append(curve.svg())
        assert curve.svg() == drawings[-1]  # drawing changes nothing
    assert drawings[0] == drawings[1]
    for part in '<svg', 'Tides (embedded text)', 'train_ppl', 'val_ppl', 'epoch', 'perplexity':
        assert part in drawings[0]
    assert '<dc:date>' not in drawings[0]


def test_axes_of_the_users_are_drawn_into(clock):
    figure, axes = new_axes((3, 2))
    curve = ProgressBoard(fig=figure, axes=axes)
    curve.add(1, 2, 'loss')
    curve.add(2, 3, 'loss')
    curve.svg()
    line, = axes.get_lines()
    assert line.get_xydata().tolist() == [[1, 2], [2, 3]]


def test_more_curves_than_styles(clock):
    figure, axes = new_axes((3, 2))
    curve = ProgressBoard(fig=figure, axes=axes)
    for i in range(6):
        curve.add(0, i, f'curve {i}')
    curve.svg()
    assert len(axes.get_lines()) == 6
