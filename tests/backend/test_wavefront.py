"""WavefrontStack is the layers one by one: against the oracle, which runs them so."""
import numpy as np
import pytest

from tests import reference

from .support import (HIDDENS, VALUES, VOCAB, as_float32, assert_close, assert_gradients,
                      from_list, indices, oracle_fit, random_state, random_weights, to_list,
                      windows)

CELLS = ('RNNScratch', 'GRUScratch', 'LSTMScratch')
# Layers, steps and batch size: also fewer steps than layers, and one of each.
SHAPES = [(1, 4, 3), (2, 5, 1), (3, 1, 2), (8, 3, 2)]


def prepared(fw, cell, num_layers):
    """Return the net of a language model over a wavefront with random weights, and these."""
    d2l, weights = fw.d2l, random_weights(cell, num_layers)
    model = d2l.RNNLM(d2l.WavefrontStack(VOCAB, HIDDENS, num_layers, cell=cell), VOCAB, lr=1)
    return fw.load(fw.build(model, indices(2, 3)), as_float32(weights)), weights


@pytest.mark.parametrize('num_layers, num_steps, batch_size', SHAPES)
@pytest.mark.parametrize('cell', CELLS)
def test_outputs_states_and_gradients(fw, cell, num_layers, num_steps, batch_size):
    net, weights = prepared(fw, cell, num_layers)
    X, Y = indices(2, batch_size, num_steps)
    inputs, state = reference.one_hot(weights, X), random_state(cell, 1, batch_size)
    state = np.concatenate([state * (-1) ** layer for layer in range(num_layers)])
    outputs, Hs = fw.run_block(net, inputs, to_list(fw, state))
    expected_outputs, expected_states, _ = reference.run(weights, inputs, state)
    np.testing.assert_allclose(outputs, expected_outputs, **VALUES)
    assert isinstance(Hs, list)
    np.testing.assert_allclose(from_list(fw, Hs), expected_states, **VALUES)

    loss, grads = fw.gradients(net, X, Y)
    expected_loss, expected = reference.loss_and_gradients(weights, X, Y)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert_gradients(grads, expected)


@pytest.mark.parametrize('cell', CELLS)
def test_states_go_back_in(fw, cell):
    net, weights = prepared(fw, cell, 3)
    inputs = reference.one_hot(weights, indices(2, 7))
    whole, last = fw.run_block(net, inputs)
    first, Hs = fw.run_block(net, inputs[:3])
    second, end = fw.run_block(net, inputs[3:], Hs)
    np.testing.assert_allclose(np.concatenate([first, second]), whole, rtol=0, atol=1e-6)
    np.testing.assert_allclose(from_list(fw, end), from_list(fw, last), rtol=0, atol=1e-6)


@pytest.mark.parametrize('cell', CELLS)
def test_none_in_the_list_is_zeros(fw, cell):
    net, weights = prepared(fw, cell, 2)
    inputs, state = reference.one_hot(weights, indices(3, 4)), random_state(cell, 2, 3)
    state = np.concatenate([state[:1], 0 * state[:1]])
    Hs = [to_list(fw, state)[0], None]
    expected, _, _ = reference.run(weights, inputs, state)
    np.testing.assert_allclose(fw.run_block(net, inputs, Hs)[0], expected, **VALUES)
    assert len(Hs) == 2 and Hs[1] is None


@pytest.mark.parametrize('cell', CELLS)
def test_weights_after_three_clipped_steps(fw, d2l, cell):
    """As the trainer runs it: compiled, where the framework compiles."""
    net, weights = prepared(fw, cell, 2)
    data, X, Y = windows(d2l, 9, 1, 3)  # three batches of three
    data.val_dataloader = lambda: None
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=1, gradient_clip_val=0.1), data))
    expected, _ = oracle_fit(weights, X, Y, 9, 3, max_epochs=1, lr=1, theta=0.1)
    assert_close(after, expected, rtol=0, atol=1e-5)


def test_initial_weights(fw):
    d2l = fw.d2l
    model = d2l.RNNLM(d2l.WavefrontStack(VOCAB, 100, 2, cell='LSTMScratch', sigma=0.1), VOCAB)
    weights = fw.weights(fw.build(model, indices(2, 3)))
    assert weights['rnn.0.forward.W_xi'].std() == pytest.approx(0.1, rel=0.2)
    assert weights['rnn.1.forward.W_xi'].shape == weights['rnn.1.forward.W_hi'].shape == (100, 100)
    assert abs(weights['rnn.1.forward.W_xi'] - weights['rnn.1.forward.W_hi']).max() > 0.1


@pytest.mark.parametrize('arguments, words', [
    ({'cell': 'GRU'}, r"cell must be one of RNNScratch, GRUScratch, LSTMScratch, got 'GRU'"),
    ({'num_layers': 0}, 'num_layers must be an integer of at least 1, got 0'),
    ({'num_inputs': 0}, 'num_inputs must be an integer of at least 1, got 0'),
    ({'num_hiddens': 2.5}, 'num_hiddens must be an integer of at least 1, got 2.5')])
def test_arguments_out_of_range(d2l, arguments, words):
    with pytest.raises(ValueError, match=words):
        d2l.WavefrontStack(**{'num_inputs': VOCAB, 'num_hiddens': HIDDENS, **arguments})


def test_inputs_of_another_width(fw):
    net, _ = prepared(fw, 'RNNScratch', 2)
    with pytest.raises(ValueError, match=rf'inputs must have the shape \(num_steps, batch_size, '
                                         rf'{VOCAB}\), got \(4, 3, {VOCAB + 1}\)'):
        fw.run_block(net, np.ones((4, 3, VOCAB + 1)))


@pytest.mark.parametrize('cell, given, words', [
    ('GRUScratch', (3, 1, 3), r'Hs must hold one state a layer, 2 in all, got 3; pass None'),
    ('GRUScratch', (2, 1, 2), rf'Hs\[0\] must have the shape \(3, {HIDDENS}\), '
                              rf'got \(2, {HIDDENS}\); pass None to start from zeros'),
    ('LSTMScratch', (2, 1, 3), r'Hs\[0\] must be the pair \(H, C\), got a tensor of the shape'),
    ('LSTMScratch', (2, 2, 2), rf'the H of Hs\[0\] must have the shape \(3, {HIDDENS}\), '
                               rf'got \(2, {HIDDENS}\); pass None to start from zeros')])
def test_states_that_do_not_fit(fw, cell, given, words):
    num_layers, parts, batch_size = given
    net, _ = prepared(fw, cell, 2)
    Hs = to_list(fw, np.zeros((num_layers, parts, batch_size, HIDDENS)))
    with pytest.raises(ValueError, match=words):
        fw.run_block(net, np.ones((4, 3, VOCAB)), Hs)
