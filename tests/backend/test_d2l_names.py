"""The rest of d2l's names: modules with a net, plots, the board, and how operations are called."""
import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from d2lrnn.core.data import batch_indices
from tests.adapters.cells import HOLDERS

from .support import HIDDENS, VOCAB, indices, windows

X = np.array([[1, 0], [0, 1], [2, 1], [1, 3], [0, 0], [3, 1], [0, 2], [2, 0]], dtype=np.float32)
TRAIN = 6


@pytest.fixture
def figure():
    with matplotlib.rc_context():
        matplotlib.use('agg')
        yield
        pyplot.close()


def points(d2l, Y):
    """Return a reader's data module over X and Y, in batches of 4."""
    class Points(d2l.DataModule):
        def __init__(self, batch_size=4):
            super().__init__()
            self.save_hyperparameters()
            self.X, self.Y = d2l.tensor(X), d2l.tensor(Y)

        def get_dataloader(self, train):
            part = slice(0, TRAIN) if train else slice(TRAIN, None)
            return self.get_tensorloader((self.X, self.Y), train, part)

    return Points()


@pytest.mark.parametrize('how', HOLDERS)
def test_layers_train_wherever_they_are_kept(fw, d2l, cells, how):
    if how in cells.NO_HOLDERS:
        pytest.skip(cells.NO_HOLDERS[how])
    with cells.chosen():
        model = d2l.RNNLMScratch(cells.Kept(VOCAB, HIDDENS, how), VOCAB, lr=2)
    net = fw.build(model, indices(2, 3))
    before = cells.kept(net)
    net = fw.fit(net, d2l.Trainer(max_epochs=2, gradient_clip_val=1), windows(d2l, 8, 4, 4)[0])
    moved = [abs(after - array).max() for after, array in zip(cells.kept(net), before)]
    assert len(moved) == 6 and min(moved) > 1e-5


def test_a_module_with_a_net_and_a_loss_trains(fw, d2l, cells):
    Y = (X @ np.array([[2.], [-1.]]) + 0.5).astype(np.float32)
    trainer = d2l.Trainer(max_epochs=4, seed=3)
    net = fw.fit(cells.prepared(cells.Line(lr=0.1), X, 0.25), trainer, points(d2l, Y))
    w, b, rng = np.full((2, 1), 0.25), 0.25, np.random.default_rng(3)
    for _ in range(4):
        losses = []
        for batch in batch_indices(TRAIN, 4, rng):
            error = X[batch] @ w + b - Y[batch]
            losses += list(error**2 / 2)
            w, b = w - 0.1 * X[batch].T @ error / len(batch), b - 0.1 * error.mean()
    np.testing.assert_allclose(cells.outputs(net, X), X @ w + b, rtol=1e-4, atol=1e-5)
    error = X[TRAIN:] @ w + b - Y[TRAIN:]
    assert trainer.history[-1] == pytest.approx({'train_loss': np.mean(losses),
                                                 'val_loss': (error**2).mean() / 2}, rel=1e-4)


@pytest.mark.parametrize('shape', [(-1,), (-1, 1)], ids=['a vector', 'a column'])
def test_a_classifier_plots_loss_and_accuracy(fw, d2l, cells, shape):
    Y = (X[:, 0] > X[:, 1]).astype(np.int32)
    trainer = d2l.Trainer(max_epochs=40)
    trainer.fit(model := cells.Digits(num_outputs=2, lr=0.5), points(d2l, Y.reshape(shape)))
    scores = cells.outputs(cells.trained(model, trainer), X[TRAIN:]).astype(np.float64)
    right = scores[np.arange(len(scores)), Y[TRAIN:]]
    loss = np.log(np.exp(scores).sum(1)) - right
    assert trainer.history[-1]['val_loss'] == pytest.approx(loss.mean(), rel=1e-4, abs=1e-5)
    assert trainer.history[-1]['val_acc'] == (scores.argmax(1) == Y[TRAIN:]).mean()
    assert trainer.history[-1]['train_loss'] < 0.5 * trainer.history[0]['train_loss']


def test_layer_summary_has_a_line_for_each_layer(d2l, cells, capsys):
    cells.Digits(num_outputs=3, lr=0.1).layer_summary((5, 2))
    lines = [line.split('output shape:') for line in capsys.readouterr().out.splitlines()]
    assert [shape.strip() for _, shape in lines] == ['(5, 4)', '(5, 4)', '(5, 3)']
    assert [name.strip() for name, _ in lines] == cells.LAYERS


def test_hyperparameters_are_kept_but_for_those_ignored(d2l):
    class Mine(d2l.HyperParameters):
        def __init__(self, a, b, c=3, _d=4):
            local = 5
            self.save_hyperparameters(ignore=['b'])
            assert local == 5

    mine = Mine(1, b=2)
    assert (mine.a, mine.c, mine.hparams) == (1, 3, {'a': 1, 'c': 3})
    assert not hasattr(mine, 'b') and not hasattr(mine, '_d')


def curves(axes):
    return [line.get_xydata().tolist() for line in axes.get_lines()]


def test_plot_over_tensors_with_all_that_it_takes(fw, d2l, figure):
    x, axes = d2l.arange(1., 4.), Figure().add_subplot()
    d2l.plot(x, [x, d2l.stack([x, x], 0)[1] * 2], 'x', 'y', legend=['once', 'twice'], xlim=[1, 9],
             ylim=[1, 8], xscale='log', yscale='log', fmts=['r:', 'b-'], figsize=(4, 2), axes=axes)
    assert curves(axes) == [[[1, 1], [2, 2], [3, 3]], [[1, 2], [2, 4], [3, 6]]]
    assert [(line.get_color(), line.get_linestyle()) for line in axes.get_lines()] == [
        ('r', ':'), ('b', '-')]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale()) == ('x', 'y', 'log')
    assert (axes.get_xlim(), axes.get_ylim()) == ((1, 9), (1, 8))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ['once', 'twice']


def test_plot_in_its_shorter_forms(fw, d2l, figure):
    y = d2l.tensor([3., 1.])
    d2l.plot(y, figsize=(4, 2))
    assert curves(pyplot.gca()) == [[[0, 3], [1, 1]]]
    d2l.plot([y, [4, 5]], legend=['a', 'b'])  # in place of what was there
    assert curves(pyplot.gca()) == [[[0, 3], [1, 1]], [[0, 4], [1, 5]]]
    d2l.plot([[1, 2], [5, 6]], [y, y], 'x')
    assert curves(pyplot.gca()) == [[[1, 3], [2, 1]], [[5, 3], [6, 1]]]
    d2l.plot(y, d2l.tensor([[1., 2.], [3., 4.]]))
    assert curves(pyplot.gca()) == [[[3, 1], [1, 2]], [[3, 3], [1, 4]]]


def test_figures_get_a_size_and_are_shown_as_svg(d2l, figure):
    d2l.set_figsize((5, 1))
    assert pyplot.rcParams['figure.figsize'] == [5, 1]
    d2l.set_figsize()
    assert pyplot.rcParams['figure.figsize'] == [3.5, 2.5]
    pyplot.rcParams['svg.hashsalt'] = None
    d2l.use_svg_display()
    assert pyplot.rcParams['svg.hashsalt']


def test_a_board_draws_means_of_every_n_points(fw, d2l, capsys):
    board = d2l.ProgressBoard('x')
    for x in np.arange(0, 4, 0.5):
        board.draw(x, d2l.sin(d2l.tensor(x)), 'sin', every_n=2)
        board.draw(x, np.cos(x), 'cos', every_n=4)
    x = np.arange(0, 4, 0.5)
    for label, n, y in ('sin', 2, np.sin(x)), ('cos', 4, np.cos(x)):
        expected = np.stack([x, y], 1).reshape(-1, n, 2).mean(1)
        np.testing.assert_allclose(board.lines[label], expected, rtol=1e-5)
    board.flush()
    assert 'cos' in capsys.readouterr().out and board.svg().startswith('<?xml')


# As the chapters call them, with the arguments' names.
CALLS = {
    'reshape to what fits': (lambda d2l, a: d2l.reshape(a, (-1, 2)), X.reshape(-1, 2)),
    'reshape to a vector': (lambda d2l, a: d2l.reshape(a, (-1,)), X.reshape(-1)),
    'sum': (lambda d2l, a: d2l.reduce_sum(a, axis=0), X.sum(0)),
    'mean': (lambda d2l, a: d2l.reduce_mean(a, axis=1), X.mean(1)),
    'argmax': (lambda d2l, a: d2l.argmax(a, axis=1), X.argmax(1)),
    'concat of a pair': (lambda d2l, a: d2l.concat((a, a), -1), np.concatenate([X, X], -1)),
    'stack': (lambda d2l, a: d2l.stack([a, a], 1), np.stack([X, X], 1)),
    'ones of a type': (lambda d2l, a: d2l.ones((2, 3), dtype=d2l.int32), np.ones((2, 3))),
    'zeros of one size': (lambda d2l, a: d2l.zeros(3), np.zeros(3)),
    'product': (lambda d2l, a: d2l.matmul(a, d2l.transpose(a)) + d2l.ones(8), X @ X.T + 1),
    'a new last axis': (lambda d2l, a: d2l.expand_dims(a, -1), X[..., None]),
    'range': (lambda d2l, a: d2l.arange(1., 4.), np.arange(1., 4.)),
}


@pytest.mark.parametrize('call', CALLS)
def test_operations_as_they_are_called(fw, d2l, call):
    function, expected = CALLS[call]
    result = fw.numpy(function(d2l, fw.tensor(X)))
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert result.shape == expected.shape


@pytest.mark.parametrize('name, mean, deviation', [('randn', 0, 1), ('normal', 0, 1),
                                                   ('rand', 0.5, 12**-0.5)])
def test_random_numbers(fw, d2l, cells, name, mean, deviation):
    if name in fw.ABSENT_OPS:
        pytest.skip(fw.ABSENT_OPS[name])
    values = fw.numpy(getattr(d2l, name)(*cells.RANDOM[name]))
    assert values.shape == (100, 100)
    assert values.mean() == pytest.approx(mean, abs=0.05)
    assert values.std() == pytest.approx(deviation, rel=0.05)
