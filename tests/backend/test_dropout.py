"""dropout: between layers only, in training only, drawn anew at each step."""
import numpy as np
import pytest

from tests import reference

from .support import (HIDDENS, HIGH, VALUES, VOCAB, as_float32, block, directions, from_state,
                      indices, prepared, windows)

pytestmark = pytest.mark.filterwarnings('ignore:dropout option adds dropout after all but last')
P = 0.4


@pytest.mark.parametrize('name', HIGH)
def test_evaluation_has_no_dropout(fw, name):
    net, weights = prepared(fw, name, 3, dropout=P)
    inputs = reference.one_hot(weights, indices(3, 5))
    expected, _, _ = reference.run(weights, inputs)
    np.testing.assert_allclose(fw.run_block(net, inputs)[0], expected, **VALUES)
    np.testing.assert_allclose(fw.scores(net, indices(3, 5)),
                               reference.scores(weights, indices(3, 5)), **VALUES)


@pytest.mark.parametrize('name', HIGH)
def test_one_layer_has_nothing_to_drop(fw, name):
    net, weights = prepared(fw, name, 1, dropout=P)
    inputs = reference.one_hot(weights, indices(3, 5))
    expected, _, _ = reference.run(weights, inputs)
    np.testing.assert_allclose(fw.run_block(net, inputs, train=True)[0], expected, **VALUES)


@pytest.mark.parametrize('name', HIGH)
def test_training_drops_between_layers_only(fw, name):
    net, weights = prepared(fw, name, 2, dropout=P)
    inputs = reference.one_hot(weights, indices(3, 5))
    expected, states, _ = reference.run(weights, inputs)
    first, state = fw.run_block(net, inputs, train=True)
    state, n = from_state(fw, name, state), directions(name)
    ends = np.concatenate([first[-1, :, :HIDDENS], *([first[0, :, HIDDENS:]] if n > 1 else ())])
    np.testing.assert_allclose(state[:n], states[:n], **VALUES)  # nothing below the first layer
    np.testing.assert_allclose(ends, np.concatenate(state[n:, 0]), **VALUES)  # nor above the last
    assert abs(first - expected).max() > 1e-2  # but between them
    second, _ = fw.run_block(net, inputs, train=True)
    assert abs(first - second).max() > 1e-3    # and differently each time


def test_what_is_dropped(fw):
    """A first layer that always says tanh(1), and a second that shows what arrives."""
    size, batch_size, num_steps = 24, 10, 12
    weights = reference.random_weights(np.random.default_rng(0), reference.TanhCell, VOCAB, size, 2,
                                       VOCAB)
    weights = {name: 0 * value for name, value in weights.items()}
    weights['rnn.0.forward.b_h'] += 1
    weights['rnn.1.forward.W_xh'] += np.eye(size)
    model = fw.d2l.RNNLM(fw.layer(fw.d2l.RNN, VOCAB, size, 2, P), VOCAB)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    inputs = reference.one_hot(weights, indices(batch_size, num_steps))
    outputs, _ = fw.run_block(net, inputs, train=True)
    kept = outputs != 0
    np.testing.assert_allclose(outputs[kept], np.tanh(np.tanh(1) / (1 - P)), **VALUES)
    assert kept.mean() == pytest.approx(1 - P, abs=0.05)  # 5 standard errors of 2880 draws: 0.046
    for axis in range(3):  # anew at each step, for each example and each unit
        assert abs(np.diff(kept.astype(int), axis=axis)).mean() == pytest.approx(
            2 * P * (1 - P), abs=0.1)


def test_training_draws_dropout(fw, d2l):
    data, X, Y = windows(d2l, 8, 8, 8)
    net, weights = prepared(fw, 'GRU', 2, dropout=P, lr=0)
    trainer = d2l.Trainer(max_epochs=3)
    fw.fit(net, trainer, data)
    for record in trainer.history:  # lr=0: only dropout makes training differ from the oracle
        assert record['val_ppl'] == pytest.approx(np.exp(reference.loss(weights, X[8:], Y[8:])),
                                                  rel=1e-5)
        assert abs(record['train_ppl'] - np.exp(reference.loss(weights, X[:8], Y[:8]))) > 1e-4
    assert len({record['train_ppl'] for record in trainer.history}) == 3


@pytest.mark.parametrize('dropout', [-0.1, 1, 1.5, None])
@pytest.mark.parametrize('name', HIGH)
def test_probabilities_only(fw, name, dropout):
    with pytest.raises(ValueError, match=rf'dropout must be in \[0, 1\), got {dropout}'):
        block(fw, name, 2, dropout)
