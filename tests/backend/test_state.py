"""The state: what comes out can go in."""
import numpy as np
import pytest

from tests import reference

from .support import (DEEP, MEMORY, STACKED, VALUES, directions, from_state, indices, prepared,
                      random_state, to_state)

SAME = {'rtol': 0, 'atol': 1e-6}  # the same sums in another order


@pytest.mark.parametrize('batch_size', [1, 3])
@pytest.mark.parametrize('name, num_layers', [(name, layers) for name, layers in DEEP
                                              if directions(name) == 1])
def test_seven_steps_are_three_and_four(fw, name, num_layers, batch_size):
    net, weights = prepared(fw, name, num_layers)
    inputs = reference.one_hot(weights, indices(batch_size, 7))
    whole, last = fw.run_block(net, inputs)
    first, state = fw.run_block(net, inputs[:3])
    second, end = fw.run_block(net, inputs[3:], state)
    np.testing.assert_allclose(np.concatenate([first, second]), whole, **SAME)
    np.testing.assert_allclose(from_state(fw, name, end), from_state(fw, name, last), **SAME)


@pytest.mark.parametrize('name, num_layers', [(name, layers) for name, layers in DEEP
                                              if directions(name) == 2])
def test_both_directions_go_on_from_their_states(fw, name, num_layers):
    """Not the whole sequence's result, as the backward pass of the first part came too early."""
    net, weights = prepared(fw, name, num_layers)
    inputs = reference.one_hot(weights, indices(3, 7))
    _, state = fw.run_block(net, inputs[:3])
    outputs, end = fw.run_block(net, inputs[3:], state)
    _, between, _ = reference.run(weights, inputs[:3])
    expected, last, _ = reference.run(weights, inputs[3:], between)
    np.testing.assert_allclose(outputs, expected, **VALUES)
    np.testing.assert_allclose(from_state(fw, name, end), last, **VALUES)


@pytest.mark.parametrize('name, num_layers', DEEP)
def test_none_is_zeros(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    inputs = reference.one_hot(weights, indices(3, 4))
    zeros = to_state(fw, name, reference.zeros(weights, 3))
    np.testing.assert_allclose(fw.run_block(net, inputs, zeros)[0],
                               fw.run_block(net, inputs, None)[0], **SAME)


@pytest.mark.parametrize('name, num_layers', [('RNNScratch', 1), ('GRUScratch', 1), ('RNN', 2),
                                              ('GRU', 2), ('BiGRU', 2)])
def test_a_tuple_of_one_is_its_state(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    inputs = reference.one_hot(weights, indices(3, 4))
    state = random_state(name, num_layers, 3)
    expected, end, _ = reference.run(weights, inputs, state)
    outputs, new = fw.run_block(net, inputs, (to_state(fw, name, state),))
    np.testing.assert_allclose(outputs, expected, **VALUES)
    np.testing.assert_allclose(from_state(fw, name, new), end, **VALUES)


@pytest.mark.parametrize('name', STACKED)
def test_lists_of_states_may_hold_none(fw, name):
    net, weights = prepared(fw, name, 2)
    inputs = reference.one_hot(weights, indices(3, 4))
    state = random_state(name, 2, 3)
    state[1] = 0
    expected, _, _ = reference.run(weights, inputs, state)
    Hs = to_state(fw, name, state)
    Hs[1] = None
    np.testing.assert_allclose(fw.run_block(net, inputs, Hs)[0], expected, **VALUES)
    np.testing.assert_allclose(fw.run_block(net, inputs, tuple(Hs))[0], expected, **VALUES)


@pytest.mark.parametrize('name', STACKED)
def test_the_callers_list_is_left_alone(fw, name):
    net, weights = prepared(fw, name, 2)
    inputs = reference.one_hot(weights, indices(3, 4))
    state = random_state(name, 2, 3)
    Hs = to_state(fw, name, state)
    before = list(Hs)
    fw.run_block(net, inputs, Hs)
    assert len(Hs) == len(before) and all(H is kept for H, kept in zip(Hs, before))
    np.testing.assert_array_equal([fw.numpy(H) for H in Hs], state[:, 0].astype(np.float32))


@pytest.mark.parametrize('name, num_layers', [('RNN', 1), ('GRU', 2), ('LSTM', 2), ('BiRNN', 1),
                                              ('BiGRU', 2), ('BiLSTM', 3)])
def test_shapes_of_high_level_states(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    outputs, state = fw.run_block(net, reference.one_hot(weights, indices(3, 4)))
    assert isinstance(state, tuple) == (name in MEMORY)
    for part in state if name in MEMORY else (state,):
        assert tuple(part.shape) == (directions(name) * num_layers, 3,
                                     outputs.shape[-1] // directions(name))


def test_the_last_output_is_the_state(fw):
    net, weights = prepared(fw, 'RNNScratch')
    outputs, state = fw.run_block(net, reference.one_hot(weights, indices(3, 4)))
    assert outputs.shape == (4, 3, len(weights['W_hq']))
    np.testing.assert_array_equal(outputs[-1], fw.numpy(state))
