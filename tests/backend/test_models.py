"""Every block in a language model against the oracle: random weights, no bias zero."""
import numpy as np
import pytest

from tests import reference

from .support import (CASES, DEEP, HIDDENS, SCRATCH, SINGLE, VALUES, VOCAB, as_float32,
                      assert_close, assert_gradients, directions, from_state, indices,
                      language_model, oracle_fit, prepared, random_state, random_weights, to_state,
                      windows)


@pytest.mark.parametrize('num_steps', [1, 2, 5])
@pytest.mark.parametrize('name, num_layers', CASES)
def test_outputs_states_loss_and_gradients(fw, name, num_layers, num_steps):
    net, weights = prepared(fw, name, num_layers, seed=num_layers)
    X, Y = indices(2, 3, num_steps, seed=num_steps)
    inputs = reference.one_hot(weights, X)
    outputs, state = fw.run_block(net, inputs)
    expected_outputs, expected_state, _ = reference.run(weights, inputs)
    np.testing.assert_allclose(outputs, expected_outputs, **VALUES)
    np.testing.assert_allclose(from_state(fw, name, state), expected_state, **VALUES)

    loss, grads = fw.gradients(net, X, Y)
    expected_loss, expected = reference.loss_and_gradients(weights, X, Y)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert_gradients(grads, expected)


@pytest.mark.parametrize('num_steps', [1, 2, 5])
@pytest.mark.parametrize('name, num_layers', CASES)
def test_weights_after_three_clipped_steps(fw, d2l, name, num_layers, num_steps):
    lr, theta = 1, 0.1
    net, weights = prepared(fw, name, num_layers, lr=lr)
    data, X, Y = windows(d2l, 9, 1, 3, num_steps)  # three batches of three
    data.val_dataloader = lambda: None
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=1, gradient_clip_val=theta), data))
    expected, _ = oracle_fit(weights, X, Y, 9, 3, max_epochs=1, lr=lr, theta=theta)
    _, grads = reference.loss_and_gradients(weights, X[:9], Y[:9])
    assert reference.norm(grads) > 2 * theta  # else there was nothing to clip
    assert_close(after, expected, rtol=0, atol=1e-5)
    if num_steps > 1:  # the first step has no state to multiply
        for key, value in as_float32(weights).items():
            assert abs(after[key] - value).max() > 1e-6, key


@pytest.mark.parametrize('name, num_layers', DEEP)
def test_scores_from_a_state(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    X, state = indices(3, 4), random_state(name, num_layers, batch_size=3)
    np.testing.assert_allclose(fw.scores(net, X, to_state(fw, name, state)),
                               reference.scores(weights, X, state), **VALUES)


@pytest.mark.parametrize('name, head', [
    ('StackedRNNScratch', 'RNNLM'), ('GRU', 'RNNLMScratch'), ('LSTM', 'RNNLMScratch')])
def test_either_head_fits_a_stack(fw, d2l, name, head):
    weights = random_weights(name, 2)
    model = language_model(fw, name, 2, Class=getattr(d2l, head))
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    X = indices(3, 4)
    np.testing.assert_allclose(fw.scores(net, X), reference.scores(weights, X), **VALUES)


@pytest.mark.parametrize('name, num_layers', DEEP)
def test_weights_come_back_as_they_were_set(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    found = fw.weights(net)
    assert set(found) == set(weights)
    for key, value in as_float32(weights).items():
        assert isinstance(found[key], np.ndarray) and found[key].dtype == np.float32
        np.testing.assert_array_equal(found[key], value, err_msg=key)


@pytest.mark.parametrize('name', SCRATCH)
def test_initial_weights_from_scratch(fw, d2l, name):
    more = {} if name in SINGLE else {'num_layers': 2}
    rnn = getattr(d2l, name)(VOCAB, 100, sigma=0.1, **more)
    causal = directions(name) == 1
    model = d2l.RNNLMScratch(rnn, VOCAB) if causal else d2l.Tagger(rnn, VOCAB)
    weights = fw.weights(fw.build(model, indices(2, 3)))
    for key, value in weights.items():
        if key in ('W_hq', 'b_q') and not causal:  # the framework's layer draws them
            continue
        if key.rsplit('.', 1)[-1].startswith('b_'):
            np.testing.assert_array_equal(value, 0, err_msg=key)
        else:
            assert abs(value.mean()) < 0.03, key  # 5 standard errors of 600 draws are 0.02
            assert value.std() == pytest.approx(0.1, rel=0.2), key


def test_two_layers_do_not_start_equal(fw):
    weights = fw.weights(fw.build(language_model(fw, 'StackedRNNScratch', 3), indices(2, 3)))
    first, second = (weights[f'rnn.{i}.forward.W_xh'] for i in (1, 2))
    assert first.shape == second.shape == (HIDDENS, HIDDENS)
    assert abs(first - second).min() > 0
