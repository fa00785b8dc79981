import io

import matplotlib
import numpy as np
import pytest

from d2lrnn.core import figures
from d2lrnn.core.cost import schedule
from d2lrnn.core.grids import plot_grid, plot_schedule


@pytest.fixture(autouse=True)
def own_settings():
    from matplotlib import pyplot
    with matplotlib.rc_context():
        matplotlib.use('agg')
        yield
    pyplot.close('all')


@pytest.fixture
def axes():
    return figures.new_axes((6, 3))[1]


def drawn(axes):
    """Return the colored values, row by row."""
    mesh, = axes.collections
    return mesh.get_array()


def rows(axes):
    return [text.get_text() for text in axes.get_yticklabels()]


@pytest.mark.parametrize('directions, concatenate, names', [
    (1, True, ['0', '1', '2']), (1, False, ['0', '1', '2']),
    (2, True, ['0 forward', '0 backward', '1 forward', '1 backward', '2 forward', '2 backward']),
    (2, False, ['0 forward', '1 forward', '2 forward', '0 backward', '1 backward', '2 backward'])])
def test_schedule(axes, directions, concatenate, names):
    plot_schedule(5, 3, directions, concatenate, axes=axes)
    serial = schedule(5, 3, directions, concatenate)
    assert rows(axes) == names
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    for number, cells in enumerate(serial):
        for layer, step, direction in cells:
            row = names.index(f'{layer} {direction}' if directions == 2 else str(layer))
            assert drawn(axes)[row, step] == number and texts[step, row] == str(number)
    assert len(texts) == 15 * directions
    assert axes.get_title() == f'5 × 3: {len(serial)} serial steps for {15 * directions} cells'
    assert len(axes.figure.axes) == 1  # numbers make a color bar superfluous


def test_numbers_stand_out_from_their_color(axes):
    plot_schedule(8, 4, axes=axes)
    colors = {text.get_text(): text.get_color() for text in axes.texts}
    assert colors['0'] == 'white' and colors['10'] == 'black'


def test_a_color_bar_instead_of_numbers_too_small_to_read(axes):
    plot_schedule(100, 3, axes=axes)
    assert not axes.texts and axes.figure.axes[1].get_ylabel() == 'serial step'
    assert drawn(axes)[2, 99] == 101


def test_no_schedule(axes):
    with pytest.raises(ValueError, match='num_layers must be an integer of at least 1, got 0'):
        plot_schedule(4, 0, axes=axes)


@pytest.mark.parametrize('log', [False, True])
def test_grid(axes, log):
    values = np.array([[1, 2, 3], [4, 5, 6]])
    plot_grid(values, 'step', 'layer', 'Norms', axes=axes, log=log)
    np.testing.assert_array_equal(drawn(axes), values)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ('step', 'layer', 'Norms')
    assert axes.get_xlim() == (-0.5, 2.5) and axes.get_ylim() == (-0.5, 1.5)  # row 0 at the bottom
    assert axes.figure.axes[1].get_yscale() == ('log' if log else 'linear')


def test_one_row_one_column_and_many(axes):
    for shape in (1, 3), (3, 1), (1, 1), (8, 1024):
        plot_grid(np.ones(shape), 'x', 'y', axes=axes)
        assert drawn(axes).shape == shape
        low, high = axes.get_ylim()
        ticks = [tick for tick in axes.get_yticks() if low < tick < high]
        assert ticks and all(tick == int(tick) for tick in ticks)


def test_zeros_have_no_color_on_a_logarithmic_scale(axes):
    plot_grid([[0, 1e-3], [1, 0]], 'x', 'y', axes=axes, log=True)
    np.testing.assert_array_equal(drawn(axes).mask, [[True, False], [False, True]])
    assert axes.collections[0].get_clim() == (1e-3, 1)
    assert axes.get_facecolor()[:3] == (0.75, 0.75, 0.75)


def test_truth_values_and_rows_of_a_framework(axes):
    class Scalar:
        def __float__(self):
            return 2.0

    plot_grid([[Scalar()] * 3], 'x', 'y', axes=axes)
    np.testing.assert_array_equal(drawn(axes), [[2, 2, 2]])
    plot_grid(np.eye(2, dtype=bool), 'x', 'y', axes=axes)
    np.testing.assert_array_equal(drawn(axes), np.eye(2))


@pytest.mark.parametrize('values, log, message', [
    (3, False, 'values must be a matrix, rows of numbers, got int'),
    ([1, 2], False, 'values must be a matrix, rows of numbers, got list'),
    (np.ones((2, 2, 2)), False, 'values must be a matrix, rows of numbers, got ndarray'),
    ([], False, r'values must be a matrix, got 0 rows of the lengths \[\]'),
    ([[], []], False, r'values must be a matrix, got 2 rows of the lengths \[0\]'),
    ([[1, 2], [3]], False, r'values must be a matrix, got 2 rows of the lengths \[1, 2\]'),
    ([[1, np.nan], [np.inf, 1]], True, 'values must be finite, got 2 of 4 that are not'),
    ([[1, -2]], True, 'on a logarithmic scale must be at least 0 .*, got -2 to 1; pass log=False'),
    ([[0, 0]], True, 'on a logarithmic scale must be .* some above it, got 0 to 0')])
def test_values_that_cannot_be_drawn(axes, values, log, message):
    with pytest.raises(ValueError, match=message):
        plot_grid(values, 'x', 'y', axes=axes, log=log)
    assert not axes.collections


def test_without_axes_each_has_a_figure_of_its_own():
    from matplotlib import pyplot
    plot_schedule(3, 2, figsize=(4, 1))
    plot_grid([[1, 2]], 'x', 'y', figsize=(3, 2))
    sizes = [tuple(pyplot.figure(number).get_size_inches()) for number in pyplot.get_fignums()]
    assert sizes == [(4, 1), (3, 2)]


@pytest.mark.parametrize('draw', [lambda axes: plot_schedule(4, 3, 2, axes=axes),
                                  lambda axes: plot_grid([[0, 1], [2, 3]], 'x', 'y', axes=axes)])
def test_svg_is_the_same_each_time(draw):
    written = []
    for _ in range(2):
        figure, axes = figures.new_axes((3, 2))
        draw(axes)
        buffer = io.StringIO()
        figures.to_svg(figure, buffer)
        written.append(buffer.getvalue())
    assert written[0] == written[1]
