"""RecurrentStack against the oracle, in every combination of its arguments."""
import itertools

import numpy as np
import pytest

from tests import reference_stack

from .support import HIDDENS, VALUES, VOCAB, as_float32, from_list, indices, to_list

CELLS = ('RNNScratch', 'GRUScratch', 'LSTMScratch', 'RNN', 'GRU', 'LSTM')
TAGS = 4
OPTIONS = ('layer_norm', 'residual', 'learn_state', 'bidirectional')
ALL = [dict(zip(OPTIONS, flags)) for flags in itertools.product((False, True), repeat=4)]
# Each option alone, all together, and all but the one that forbids a sequence to be split.
SOME = [how for how in ALL if sum(how.values()) in (0, 1, 4)] + [
    {**dict.fromkeys(OPTIONS, True), 'bidirectional': False}]


def named(how):
    return '-'.join(name for name, value in how.items() if value) or 'plain'


def stack(fw, cell, num_layers=3, seed=0, lr=0.01, **how):
    """Return the net of a Tagger over a stack, and its random weights."""
    rnn = fw.d2l.RecurrentStack(VOCAB, HIDDENS, num_layers, cell, **how)
    net = fw.build(fw.d2l.Tagger(rnn, TAGS, lr=lr), indices(2, 3))
    weights = random(cell, num_layers, seed, **how)
    return fw.load(net, as_float32(weights)), weights


def random(cell, num_layers, seed=0, layer_norm=False, learn_state=False, bidirectional=False,
           **unused):
    return reference_stack.random_weights(
        np.random.default_rng(seed), cell, VOCAB, HIDDENS, num_layers, TAGS, layer_norm,
        learn_state, 1 + bidirectional)


def labels(*shape):
    """Return random labels, some of them -1."""
    return np.random.default_rng(3).integers(-1, TAGS, shape).astype(np.int32)


@pytest.mark.parametrize('how', SOME, ids=named)
@pytest.mark.parametrize('cell', CELLS)
def test_outputs_states_loss_and_gradients(fw, cell, how):
    net, weights = stack(fw, cell, **how)
    X, Y, residual = indices(3, 5), labels(3, 5), how['residual']
    inputs = np.eye(VOCAB)[X.T]
    outputs, Hs = fw.run_block(net, inputs)
    expected, states = reference_stack.run(weights, inputs, residual=residual)
    np.testing.assert_allclose(outputs, expected, **VALUES)
    np.testing.assert_allclose(from_list(fw, Hs), states, **VALUES)

    loss, grads = fw.gradients(net, X, Y)
    assert loss == pytest.approx(reference_stack.loss(weights, X, Y, residual=residual), rel=1e-5)
    assert set(grads) == set(weights)
    rng = np.random.default_rng(1)
    for name, value in weights.items():
        for _ in range(2):
            d = rng.standard_normal(value.shape)
            slope = reference_stack.along(weights, {name: d}, X, Y, residual=residual)
            scale = np.sqrt((grads[name]**2).sum() * (d**2).sum())
            assert scale > 1e-6, name
            assert abs((grads[name] * d).sum() - slope) < 1e-4 * scale + 1e-7, name


@pytest.mark.parametrize('how', [how for how in SOME if not how['bidirectional']], ids=named)
@pytest.mark.parametrize('cell', CELLS)
def test_a_sequence_is_split_in_two(fw, cell, how):
    net, weights = stack(fw, cell, num_layers=2, **how)
    inputs = np.eye(VOCAB)[indices(7, 3)]
    state = 0.5 * np.random.default_rng(2).standard_normal(
        reference_stack.first_state(weights, 3).shape)
    first, Hs = fw.run_block(net, inputs[:3], to_list(fw, state))
    second, Hs = fw.run_block(net, inputs[3:], Hs)
    expected, states = reference_stack.run(weights, inputs, state, residual=how['residual'])
    np.testing.assert_allclose(np.concatenate([first, second]), expected, **VALUES)
    np.testing.assert_allclose(from_list(fw, Hs), states, **VALUES)


@pytest.mark.parametrize('cell', CELLS)
def test_one_layer(fw, cell):
    net, weights = stack(fw, cell, num_layers=1)
    X = indices(3, 4)
    np.testing.assert_allclose(fw.scores(net, X), reference_stack.scores(weights, X), **VALUES)


@pytest.mark.parametrize('how', [{}, {'learn_state': True, 'layer_norm': True, 'residual': True}],
                         ids=['plain', 'all'])
@pytest.mark.parametrize('cell', ['RNNScratch', 'GRU', 'LSTM'])
@pytest.mark.parametrize('remat', [1, 3, 9])
def test_recomputation_changes_nothing(fw, cell, remat, how):
    if fw.CANNOT_RECOMPUTE:
        pytest.skip(fw.CANNOT_RECOMPUTE)
    X, Y = indices(3, 7), labels(3, 7)
    (net, weights), (again, _) = stack(fw, cell, 2, **how), stack(fw, cell, 2, remat=remat, **how)
    loss, grads = fw.gradients(net, X, Y)
    other, others = fw.gradients(again, X, Y)
    assert other == pytest.approx(loss, rel=1e-6)
    for name in weights:
        np.testing.assert_allclose(others[name], grads[name], rtol=0, atol=1e-5, err_msg=name)


def test_where_nothing_can_be_recomputed_it_is_said(fw):
    if not fw.CANNOT_RECOMPUTE:
        pytest.skip('this framework recomputes')
    with pytest.raises(NotImplementedError, match='remat=4'):
        fw.d2l.RecurrentStack(VOCAB, HIDDENS, 2, remat=4)


# dropout

@pytest.mark.parametrize('cell', CELLS)
@pytest.mark.parametrize('how', [{'dropout': 0.5}, {'variational_dropout': 0.5}], ids=named)
def test_evaluation_drops_nothing(fw, cell, how):
    net, weights = stack(fw, cell, num_layers=2, **how)
    X = indices(3, 4)
    np.testing.assert_allclose(fw.scores(net, X), reference_stack.scores(weights, X), **VALUES)
    first, second = (fw.run_block(net, np.eye(VOCAB)[X.T], train=True)[0] for _ in range(2))
    assert abs(first - second).max() > 1e-3


@pytest.mark.parametrize('cell', ['RNNScratch', 'GRU', 'LSTM'])
def test_no_dropout_below_the_first_layer_or_above_the_last(fw, cell):
    how = {'dropout': 0.5, 'variational_dropout': 0.5}
    net, weights = stack(fw, cell, num_layers=1, **how)
    inputs = np.eye(VOCAB)[indices(4, 3)]
    np.testing.assert_allclose(fw.run_block(net, inputs, train=True)[0],
                               reference_stack.run(weights, inputs)[0], **VALUES)


@pytest.mark.parametrize('remat', [None, 4])
@pytest.mark.parametrize('kind', ['dropout', 'variational_dropout'])
def test_masks_between_layers(fw, kind, remat):
    """What comes out of two layers tells the mask, which is the same at all steps or is not."""
    if remat and fw.CANNOT_RECOMPUTE:
        pytest.skip(fw.CANNOT_RECOMPUTE)
    p, size, num_steps, batch_size = 0.3, 12, 8, 30
    rnn = fw.d2l.RecurrentStack(VOCAB, size, 2, 'RNNScratch', remat=remat, **{kind: p})
    net = fw.build(fw.d2l.Tagger(rnn, TAGS), indices(2, 3))
    weights = {name: np.zeros_like(value) for name, value in fw.weights(net).items()}
    weights['rnn.0.forward.b_h'] += 0.5  # so every unit of the first layer is tanh 0.5
    weights['rnn.1.forward.W_xh'] = np.eye(size, dtype=np.float32) / np.tanh(0.5) / 4
    net = fw.load(net, weights)
    inputs = np.zeros((num_steps, batch_size, VOCAB))
    mask = 4 * np.arctanh(fw.run_block(net, inputs, train=True)[0].astype(np.float64))
    kept = mask > 0.5
    np.testing.assert_allclose(mask, kept / (1 - p), atol=1e-3)
    assert abs(kept.mean() - (1 - p)) < (0.1 if kind == 'variational_dropout' else 0.05)
    assert (kept == kept[:1]).all() == (kind == 'variational_dropout')
    assert not (kept == kept[:, :1]).all() and not (kept == kept[..., :1]).all()


def test_variational_dropout_alone(fw):
    X = np.ones((5, 20, 8), dtype=np.float32)
    for train in (True, False):
        Y = fw.run_layer(fw.d2l.VariationalDropout(0.25), X, train)
        kept = Y > 0
        np.testing.assert_allclose(Y, kept / 0.75 if train else X, rtol=1e-6)
        assert (kept == kept[:1]).all() and kept.all() == (not train)


def test_variational_dropout_takes_what_a_layer_from_scratch_returns(fw):
    steps = [fw.tensor(np.full((3, 4), i, dtype=np.float32)) for i in (1, 2)]
    found = fw.run_layer(fw.d2l.VariationalDropout(0.5), steps)
    np.testing.assert_array_equal(found, np.stack([np.full((3, 4), i) for i in (1, 2)]))


@pytest.mark.parametrize('cell', CELLS)
def test_a_normalized_layer_alone(fw, d2l, cell, tmp_path):
    """It is saved and loaded as a stack of one is."""
    name = 'LayerNorm' + cell
    model, other = (d2l.Tagger(getattr(d2l, name)(VOCAB, HIDDENS), TAGS) for _ in range(2))
    weights = random(cell, 1, layer_norm=True)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    X = indices(3, 4)
    np.testing.assert_allclose(fw.scores(net, X), reference_stack.scores(weights, X), **VALUES)
    fw.save_file(net, tmp_path / 'file')
    np.testing.assert_array_equal(fw.scores(fw.load_file(other, tmp_path / 'file'), X),
                                  fw.scores(net, X))


# bad input

@pytest.mark.parametrize('wrong, words', [
    ({'cell': 'Gru'}, "cell must be one of RNNScratch, GRUScratch, .*got 'Gru'"),
    ({'cell': None}, 'cell must be one of .*got None'),
    ({'num_layers': 0}, 'num_layers must be an integer of at least 1, got 0'),
    ({'num_hiddens': 2.5}, 'num_hiddens must be an integer of at least 1, got 2.5'),
    ({'dropout': 1}, r'dropout must be in \[0, 1\), got 1'),
    ({'variational_dropout': -0.1}, r'variational_dropout must be in \[0, 1\), got -0.1'),
    ({'remat': 0}, 'remat must be an integer of at least 1, got 0'),
    ({'remat': 2, 'bidirectional': True}, 'remat=2 needs bidirectional=False'),
    ({'bidirectional': 'no'}, "bidirectional must be True or False, got 'no'"),
    ({'layer_norm': 1}, 'layer_norm must be True or False, got 1'),
    ({'sigma': -1}, 'sigma must be a number of at least 0, got -1'),
    ({'cell': ['GRU']}, r"cell must be one of .*got \['GRU'\]"),
])
def test_wrong_arguments(fw, wrong, words):
    how = {'num_inputs': VOCAB, 'num_hiddens': HIDDENS, **wrong}
    with pytest.raises(ValueError, match=words):
        fw.d2l.RecurrentStack(**how)


@pytest.mark.parametrize('cell, state, words', [
    ('GRU', [np.zeros((3, HIDDENS))], 'Hs must hold one state a layer, 2 in all.*got 1'),
    ('GRU', np.zeros((2, 3, HIDDENS)), 'Hs must hold one state a layer, 2 in all, in a list'),
    ('GRU', [None, np.zeros((2, HIDDENS))], r'Hs\[1\] must have the shape \(3, 5\), got \(2, 5\)'),
    ('LSTM', [None, np.zeros((3, HIDDENS))], r'Hs\[1\] must be the pair \(H, C\), got a tensor'),
    ('LSTM', [None, (np.zeros((3, HIDDENS)), np.zeros((3, 4)))],
     r'the C of Hs\[1\] must have the shape \(3, 5\), got \(3, 4\)'),
])
def test_wrong_states(fw, cell, state, words):
    net, _ = stack(fw, cell, num_layers=2)

    def tensors(value):
        if isinstance(value, (list, tuple)):
            return type(value)(map(tensors, value))
        return value if value is None else fw.tensor(value.astype(np.float32))

    with pytest.raises((ValueError, TypeError), match=words):
        fw.run_block(net, np.zeros((4, 3, VOCAB)), tensors(state))


def test_a_file_says_what_no_array_tells(fw, tmp_path):
    net, weights = stack(fw, 'GRU', num_layers=2, residual=True, layer_norm=True, learn_state=True)
    fw.save_file(net, tmp_path / 'file')
    how = {'layer_norm': True, 'learn_state': True}
    same, plain = (fw.d2l.Tagger(fw.d2l.RecurrentStack(VOCAB, HIDDENS, 2, 'GRU', residual=residual,
                                                       **how), TAGS) for residual in (True, False))
    X = indices(3, 4)
    np.testing.assert_allclose(fw.scores(fw.load_file(same, tmp_path / 'file'), X),
                               reference_stack.scores(weights, X, residual=True), **VALUES)
    with pytest.raises(ValueError, match='rnn is RecurrentStack with residual=True, expected'):
        fw.load_file(plain, tmp_path / 'file')
