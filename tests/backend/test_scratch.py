"""What is written from scratch is what the framework's own layer computes."""
import numpy as np
import pytest

from .support import GRADIENTS, VALUES, VOCAB, as_float32, indices, prepared

PAIRS = [('RNNScratch', 'RNN', 1), ('LSTMScratch', 'LSTM', 1),
         *(('StackedRNNScratch', 'RNN', layers) for layers in (1, 2, 3)),
         *(('BiRNNScratch', 'BiRNN', layers) for layers in (1, 2, 3))]


def compare(fw, scratch, high):
    X, Y = indices(2, 3, 5)
    np.testing.assert_allclose(fw.scores(scratch, X), fw.scores(high, X), **VALUES)
    (loss, grads), (expected_loss, expected) = (fw.gradients(net, X, Y) for net in (scratch, high))
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    for key in set(grads) & set(expected):
        np.testing.assert_allclose(grads[key], expected[key], rtol=0, err_msg=key,
                                   atol=GRADIENTS * abs(expected[key]).max())


@pytest.mark.parametrize('scratch, high, num_layers', PAIRS)
def test_the_same_weights_give_the_same(fw, scratch, high, num_layers):
    ours, _ = prepared(fw, scratch, num_layers)
    theirs, _ = prepared(fw, high, num_layers, seed=1)
    theirs = fw.load(theirs, fw.weights(ours))
    assert set(fw.weights(ours)) == set(fw.weights(theirs))
    compare(fw, ours, theirs)


def two_grus(fw, b_r=None):
    """Return a GRU of each kind with the same weights; the second has no bias inside the reset.

    Args:
        b_r: the bias of the reset gate; None for a random one.
    """
    ours, weights = prepared(fw, 'GRUScratch')
    if b_r is not None:
        weights['rnn.0.forward.b_r'][:] = b_r
    ours = fw.load(ours, as_float32(weights))
    bias = weights.pop('rnn.0.forward.b_n')
    weights.update({'rnn.0.forward.b_xn': bias, 'rnn.0.forward.b_hn': 0 * bias})
    theirs, _ = prepared(fw, 'GRU')
    return ours, fw.load(theirs, as_float32(weights))


def test_grus_that_reset_before_and_after_the_product_differ(fw):
    ours, theirs = two_grus(fw)
    X = indices(3, 5)
    difference = abs(fw.scores(ours, X) - fw.scores(theirs, X))
    assert difference[:, 0].max() < 1e-6          # the first step has no state to reset
    assert difference[:, 1:].max() > 1e-2


def test_grus_that_reset_nothing_are_equal(fw):
    """With the reset gate wide open, only where the reset stands could make a difference."""
    compare(fw, *two_grus(fw, b_r=50))


def test_a_gru_from_scratch_has_one_bias_a_gate(fw):
    ours, theirs = two_grus(fw)
    assert {key.rsplit('.', 1)[-1] for key in set(fw.weights(theirs)) ^ set(fw.weights(ours))} == {
        'b_n', 'b_xn', 'b_hn'}
    assert fw.weights(ours)['rnn.0.forward.W_xn'].shape[0] == VOCAB
