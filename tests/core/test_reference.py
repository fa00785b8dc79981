"""The oracle itself: its gradients against central differences, its cells against loops."""
import math

import numpy as np
import pytest

from tests import reference
from tests.reference_cells import GRUCell, LSTMCell, ResetFirstGRUCell, TanhCell

CELLS = [TanhCell, GRUCell, ResetFirstGRUCell, LSTMCell]
H = 4      # num_hiddens
V = 3      # num_inputs and vocab_size


def problem(cell, num_layers, num_steps=4, batch_size=2, directions=1):
    rng = np.random.default_rng(num_layers)
    weights = reference.random_weights(rng, cell, V, H, num_layers, V, directions=directions)
    X, Y = rng.integers(0, V, (2, batch_size, num_steps))
    state = rng.standard_normal((num_layers * directions, cell.states, batch_size, H))
    return weights, X, Y, state


@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('num_layers', [1, 2, 3])
@pytest.mark.parametrize('cell', CELLS)
def test_gradients_equal_central_differences(cell, num_layers, directions):
    weights, X, Y, state = problem(cell, num_layers, directions=directions)
    _, grads = reference.loss_and_gradients(weights, X, Y, state)
    assert set(grads) == set(weights)
    step = 1e-5
    for name, value in weights.items():
        numeric = np.zeros_like(value)
        for at in np.ndindex(value.shape):
            around = []
            for sign in 1, -1:
                moved = value.copy()
                moved[at] += sign * step
                around.append(reference.loss({**weights, name: moved}, X, Y, state))
            numeric[at] = (around[0] - around[1]) / (2 * step)
        np.testing.assert_allclose(grads[name], numeric, rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize('cell', CELLS)
def test_no_gradient_is_negligible(cell):
    weights, X, Y, _ = problem(cell, 3)
    _, grads = reference.loss_and_gradients(weights, X, Y)
    for name, grad in grads.items():
        assert abs(grad).max() > 1e-5, name


def plain_gru(w, X, H, reset_first):
    """One example, one step, unit by unit, from the equations."""
    def dot(vector, name):
        return np.array([sum(vector[i] * w[name][i, j] for i in range(len(vector)))
                         for j in range(w[name].shape[1])])
    R = 1 / (1 + np.exp(-dot(X, 'W_xr') - dot(H, 'W_hr') - w['b_r']))
    Z = 1 / (1 + np.exp(-dot(X, 'W_xz') - dot(H, 'W_hz') - w['b_z']))
    N = np.tanh(dot(X, 'W_xn') + dot(R * H, 'W_hn') + w['b_n'] if reset_first else
                dot(X, 'W_xn') + w['b_xn'] + R * (dot(H, 'W_hn') + w['b_hn']))
    return Z * H + (1 - Z) * N


@pytest.mark.parametrize('cell, reset_first', [(GRUCell, False), (ResetFirstGRUCell, True)])
def test_where_a_gru_resets(cell, reset_first):
    weights, _, _, state = problem(cell, 1)
    ((_, found, w),), = reference.layers(weights)
    assert found is cell
    X = np.random.default_rng(0).standard_normal((2, V))
    (new,), _ = cell.step(w, X, state[0])
    for row in range(2):
        np.testing.assert_allclose(new[row], plain_gru(w, X[row], state[0, 0, row],
                                                      reset_first))


def test_a_layer_reads_the_layer_below():
    weights, X, _, _ = problem(TanhCell, 2)
    inputs = reference.one_hot(weights, X)
    bottom = {name: value for name, value in weights.items() if not name.startswith('rnn.1.')}
    between, _, _ = reference.run(bottom, inputs)
    top = {name.replace('rnn.1.', 'rnn.0.'): value for name, value in weights.items()
           if not name.startswith('rnn.0.')}
    expected, _, _ = reference.run(top, between)
    outputs, state, _ = reference.run(weights, inputs)
    np.testing.assert_array_equal(outputs, expected)
    np.testing.assert_array_equal(state[1, 0], outputs[-1])
    np.testing.assert_array_equal(state[0, 0], between[-1])


def test_directions_are_two_runs_side_by_side():
    weights, X, _, _ = problem(LSTMCell, 1, directions=2)
    inputs = reference.one_hot(weights, X)
    forward = {name: value for name, value in weights.items() if '.backward.' not in name}
    backward = {name.replace('.backward.', '.forward.'): value for name, value in weights.items()
                if '.forward.' not in name}
    there, first, _ = reference.run(forward, inputs)
    back, last, _ = reference.run(backward, inputs[::-1])
    outputs, state, _ = reference.run(weights, inputs)
    np.testing.assert_array_equal(outputs, np.concatenate([there, back[::-1]], -1))
    np.testing.assert_array_equal(state, np.concatenate([first, last]))


def test_loss_of_equal_scores_is_the_log_of_the_vocabulary():
    weights, X, Y, _ = problem(LSTMCell, 1)
    weights = {**weights, 'W_hq': 0 * weights['W_hq'], 'b_q': 0 * weights['b_q']}
    assert reference.loss(weights, X, Y) == pytest.approx(math.log(V))


def test_clip_scales_all_gradients_by_one_factor():
    grads = {'a': np.array([3., 0.]), 'b': np.array([[4.]])}
    assert reference.norm(grads) == pytest.approx(5)
    clipped = reference.clip(grads, 1)
    np.testing.assert_allclose(clipped['a'], [0.6, 0])
    np.testing.assert_allclose(clipped['b'], [[0.8]])
    for theta in 0, 6:
        np.testing.assert_array_equal(reference.clip(grads, theta)['a'], grads['a'])


def test_sgd_goes_down_the_gradient():
    weights, X, Y, _ = problem(GRUCell, 2)
    before, grads = reference.loss_and_gradients(weights, X, Y)
    assert reference.loss(reference.sgd(weights, grads, 0.1), X, Y) < before
    np.testing.assert_allclose(reference.sgd({'a': np.ones(2)}, {'a': np.ones(2)}, 0.25)['a'], .75)


def test_two_biases_are_trained_where_the_reset_comes_after():
    for cell, factor in (GRUCell, 2), (ResetFirstGRUCell, 1):
        weights, X, Y, _ = problem(cell, 1)
        _, grads = reference.loss_and_gradients(weights, X, Y)
        after = reference.sgd(weights, grads, 0.1)
        np.testing.assert_allclose((weights['rnn.0.forward.b_z'] - after['rnn.0.forward.b_z'])
                                   / grads['rnn.0.forward.b_z'], 0.1 * factor)
        np.testing.assert_allclose((weights['b_q'] - after['b_q']) / grads['b_q'], 0.1)
        twice = {name: [grad] * (factor if name[-3:] in ('b_r', 'b_z') else 1)
                 for name, grad in grads.items()}
        assert reference.norm(grads) == pytest.approx(
            np.linalg.norm(np.concatenate([g.ravel() for gs in twice.values() for g in gs])))


@pytest.mark.parametrize('cell', CELLS)
def test_decoding_carries_the_state_on(cell):
    weights, _, _, _ = problem(cell, 2)
    indices, margin = reference.decode(weights, [0, 1], 3, np.argmax)
    whole = reference.scores(weights, np.array([indices[:-1]]))[0]
    assert indices[:2] == [0, 1] and indices[2:] == list(whole[1:].argmax(-1))
    last = np.sort(whole[1:], -1)
    assert margin == pytest.approx((last[:, -1] - last[:, -2]).min())
