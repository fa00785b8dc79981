import io

import matplotlib
import numpy as np
import pytest

from d2lrnn.core import figures


@pytest.fixture(autouse=True)
def own_settings():
    with matplotlib.rc_context():
        matplotlib.use('agg')
        yield


@pytest.fixture
def axes():
    return figures.new_axes((3, 2))[1]


def curves(axes):
    return [line.get_xydata().tolist() for line in axes.get_lines()]


def test_one_curve_over_its_position(axes):
    figures.plot([3, 1], axes=axes)
    assert curves(axes) == [[[0, 3], [1, 1]]]


def test_several_curves_over_one_x(axes):
    figures.plot([1, 2], [[3, 4], [5, 6]], legend=['a', 'b'], axes=axes)
    assert curves(axes) == [[[1, 3], [2, 4]], [[1, 5], [2, 6]]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ['a', 'b']


def test_each_curve_over_its_own_x(axes):
    figures.plot([[1, 2], [3]], [[5, 6], [7]], axes=axes)
    assert curves(axes) == [[[1, 5], [2, 6]], [[3, 7]]]


def test_arrays(axes):
    figures.plot(np.arange(2), [np.ones(2), np.zeros(2)], axes=axes)
    assert curves(axes) == [[[0, 1], [1, 1]], [[0, 0], [1, 0]]]
    figures.plot(np.arange(2), np.ones(2), axes=axes)
    assert curves(axes) == [[[0, 1], [1, 1]]]  # in place of those before


def test_several_curves_without_x(axes):
    figures.plot([[3, 4], [5, 6, 7]], axes=axes)
    assert curves(axes) == [[[0, 3], [1, 4]], [[0, 5], [1, 6], [2, 7]]]


def test_axes_are_set(axes):
    figures.plot([1, 2], [3, 4], 'x', 'y', xlim=[1, 9], ylim=[1, 8], xscale='log', yscale='log',
                 axes=axes)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ('x', 'y')
    assert axes.get_ylim() == (1, 8) and axes.get_xscale() == axes.get_yscale() == 'log'
    assert axes.get_legend() is None


def test_formats_go_round(axes):
    figures.plot([1, 2], [[i, i] for i in range(5)], fmts=('-', 'm--'), axes=axes)
    assert [line.get_linestyle() for line in axes.get_lines()] == ['-', '--', '-', '--', '-']


def test_without_axes_the_current_figure_is_drawn_into():
    from matplotlib import pyplot
    figures.plot([1, 2], figsize=(4, 1))
    assert curves(pyplot.gca()) == [[[0, 1], [1, 2]]]
    assert matplotlib.rcParams['figure.figsize'] == [4, 1]
    pyplot.close()


def test_svg_depends_on_the_figure_alone():
    written = []
    for _ in range(2):
        figure, axes = figures.new_axes((3, 2))
        figures.plot([1, 2], [[3, 4], [4, 3]], legend=['a', 'b'], axes=axes)
        buffer = io.StringIO()
        figures.to_svg(figure, buffer)
        written.append(buffer.getvalue())
    assert written[0] == written[1] and '<dc:date>' not in written[0]
