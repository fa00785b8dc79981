import numpy as np
import pytest

from d2lrnn.core import checks
from d2lrnn.core.weights import check_weights


def test_lengths_and_shapes():
    checks.check_len('abc', 3)
    checks.check_shape(np.ones((2, 3)), [2, 3])
    with pytest.raises(ValueError, match='list of length 3, expected length 2'):
        checks.check_len('abc', 2)
    with pytest.raises(ValueError, match=r'tensor of shape \(2, 3\), expected shape \(2,\)'):
        checks.check_shape(np.ones((2, 3)), (2,))


@pytest.mark.parametrize('size', [1, np.int32(4), 10**9])
def test_sizes_that_pass(size):
    checks.check_sizes(num_hiddens=size)


@pytest.mark.parametrize('size', [0, -3, 2.0, '4', None, True])
def test_sizes_that_do_not(size):
    with pytest.raises(ValueError, match='num_layers must be an integer of at least 1, got '):
        checks.check_sizes(num_hiddens=2, num_layers=size)


def test_dropout():
    for dropout in 0, 0.5, 0.999:
        checks.check_dropout(dropout)
    for dropout in -0.01, 1, float('nan'), None, '0.5', False:
        with pytest.raises(ValueError, match=r'dropout must be in \[0, 1\), got '):
            checks.check_dropout(dropout)


def test_inputs():
    checks.check_inputs(np.ones((4, 3, 2)), 2)
    checks.check_inputs([np.ones((3, 2))] * 4, None)
    for shape, width, words in (((4, 3), 2, '2), got (4, 3)'), ((4, 3, 5), 2, '2), got (4, 3, 5)'),
                                ((4,), None, 'num_inputs), got (4,)'),
                                ((0, 3, 2), 2, '2), got (0, 3, 2)')):
        with pytest.raises(ValueError) as caught:
            checks.check_inputs(np.ones(shape), width)
        assert str(caught.value) == f'inputs must have the shape (num_steps, batch_size, {words}'
    steps = [np.ones((3, 2)), np.zeros((3, 2))]
    assert checks.check_inputs(steps, 2) is steps
    assert [step.sum() for step in checks.check_inputs(reversed(steps), 2)] == [0, 6]
    with pytest.raises(TypeError, match='got list'):
        checks.check_inputs([np.ones((3, 2)), None], 2)
    with pytest.raises(ValueError, match=r'got steps of the shapes \(3, 2\), \(4, 2\)'):
        checks.check_inputs([np.ones((3, 2)), np.ones((4, 2))], 2)
    for wrong, name in ((None, 'NoneType'), ([], 'list'), ([1, 2], 'list')):
        with pytest.raises(TypeError, match=r'inputs must be a tensor of the shape \(num_steps, '
                                            rf'batch_size, 2\), got {name}'):
            checks.check_inputs(wrong, 2)


def test_states():
    checks.check_state(np.ones((2, 3)), [2, 3])
    with pytest.raises(ValueError, match=r'C must have the shape \(2, 3\), got \(3, 3\); pass None '
                                         'to start from zeros'):
        checks.check_state(np.ones((3, 3)), (2, 3), 'C')
    with pytest.raises(TypeError, match=r'H must be a tensor of the shape \(2, 3\), got tuple; '
                                        'pass None to start from zeros'):
        checks.check_state((1, 2), (2, 3), 'H')


def test_a_single_state():
    assert checks.check_single(None) is None
    state = np.ones(2)
    for given in state, (state,), [state]:
        assert checks.check_single(given) is state
    with pytest.raises(ValueError, match='H must be one tensor, got tuple of length 2; pass None'):
        checks.check_single((state, state), 'H')


def test_tokens():
    checks.check_tokens(np.ones((3, 4)))
    for shape in (3,), (3, 4, 5), ():
        with pytest.raises(ValueError) as caught:
            checks.check_tokens(np.ones(shape))
        assert str(caught.value) == f'X must have the shape (batch_size, num_steps), got {shape}'


def test_one_state_for_each_layer_and_direction():
    states = [np.ones((2, 3)), None]
    assert checks.check_states(None, 2, (2, 3), directions=2) == [None] * 4
    found = checks.check_states(states, 2, (2, 3))
    assert found == states and found is not states and found[0] is states[0]
    assert checks.check_states(((states[0],), None), 2, (2, 3))[0] is states[0]
    with pytest.raises(ValueError, match='Hs must hold one state a layer, 2 in all, got 3; pass'):
        checks.check_states([None] * 3, 2, (2, 3))
    with pytest.raises(ValueError, match='Hs must hold one state a layer and direction, 4 in all, '
                                         'got 2; pass'):
        checks.check_states([None] * 2, 2, (2, 3), directions=2)
    with pytest.raises(TypeError, match='Hs must hold one state a layer, 2 in all, in a list, got '
                                        'ndarray; pass'):
        checks.check_states(np.ones((2, 3)), 2, (2, 3))
    with pytest.raises(ValueError, match=r'Hs\[1\] must have the shape \(2, 3\), got \(4, 3\); p'):
        checks.check_states([None, np.ones((4, 3))], 2, (2, 3))
    with pytest.raises(TypeError, match=r'Hs\[0\] must be a tensor of the shape \(2, 3\), got int'):
        checks.check_states([5, None], 2, (2, 3))


def test_pair():
    assert checks.check_pair((1, 2)) == (1, 2) and checks.check_pair([1, 2]) == [1, 2]
    for wrong, words in (((1,), 'tuple of length 1'), (5, 'int'), ((None, 1), 'None in it'),
                         (np.ones((2, 3)), r'a tensor of the shape \(2, 3\)'),
                         ([None, None], 'None in it')):
        with pytest.raises(ValueError, match=rf'H_C must be the pair \(H, C\), got {words}; pass'):
            checks.check_pair(wrong)


def test_lengths_of_a_corpus():
    checks.check_finite_lengths(10, 10, 'A')
    with pytest.raises(ValueError, match='A has 9 windows, but num_train and num_val take 10 '):
        checks.check_finite_lengths(9, 10, 'A')


def test_weights_name_every_fault():
    shapes = {'a': (2,), 'b': (1, 2), 'c': (3,)}
    fits = {name: np.ones(shape) for name, shape in shapes.items()}
    found = check_weights(shapes, fits)
    assert {name: (array.dtype, array.shape) for name, array in found.items()} == {
        name: (np.float32, shape) for name, shape in shapes.items()}
    wrong = {'a': fits['a'], 'b': fits['c'], 'd': fits['a']}
    with pytest.raises(ValueError) as caught:
        check_weights(shapes, wrong)
    assert str(caught.value) == (
        'weights do not fit the model: c is missing; d is not a parameter of the model; '
        'b has the shape (3,), expected (1, 2)')
    with pytest.raises(ValueError, match='could not convert'):
        check_weights(shapes, {**fits, 'a': np.array(['x', 'y'])})
