"""Bad input: what was received, what was expected, what to do."""
import numpy as np
import pytest

from tests import reference

from .support import (BLOCKS, HIDDENS, HIGH, MEMORY, SINGLE, STACKED, VOCAB, as_float32, block,
                      directions, prepared, random_state, to_state, windows)

X = np.ones((4, 3, VOCAB))
SIZES = [*((name, size) for name in SINGLE for size in ('num_inputs', 'num_hiddens')),
         *((name, size) for name in STACKED for size in ('num_inputs', 'num_hiddens',
                                                         'num_layers')),
         *((name, size) for name in HIGH for size in ('num_hiddens', 'num_layers'))]


@pytest.mark.parametrize('value', [0, -1, 2.5, None])
@pytest.mark.parametrize('name, argument', SIZES)
def test_sizes(fw, name, argument, value):
    sizes = {'num_layers': 2, argument: value}
    with pytest.raises(ValueError, match=f'{argument} must be an integer of at least 1, got '
                                         f'{value}'):
        block(fw, name, **sizes)


@pytest.mark.parametrize('shape', [(4, VOCAB), (2, 3, 4, VOCAB), (0, 3, VOCAB), (4, 0, VOCAB)])
@pytest.mark.parametrize('name', BLOCKS)
def test_inputs_have_three_axes(fw, name, shape):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError, match=r'inputs must have the shape \(num_steps, batch_size, '
                                         rf'{VOCAB}\), got \({", ".join(map(str, shape))}\)'):
        fw.run_block(net, np.ones(shape))


@pytest.mark.parametrize('name', BLOCKS)
def test_inputs_have_the_width_of_the_weights(fw, name):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError, match=rf'inputs must have the shape \(num_steps, batch_size, '
                                         rf'{VOCAB}\), got \(4, 3, {VOCAB + 1}\)'):
        fw.run_block(net, np.ones((4, 3, VOCAB + 1)))


@pytest.mark.parametrize('name', BLOCKS)
def test_inputs_are_a_tensor(fw, name):
    net, _ = prepared(fw, name)
    with pytest.raises(TypeError, match=r'inputs must be a tensor of the shape \(num_steps, '
                                        rf'batch_size, {VOCAB}\), got NoneType'):
        fw.run_block(net, None)


@pytest.mark.parametrize('given, batch_size', [(1, 2), (2, 3)])
@pytest.mark.parametrize('name', BLOCKS)
def test_a_state_of_another_shape(fw, name, given, batch_size):
    """Of another batch size, or with one layer too many."""
    net, _ = prepared(fw, name)
    if given > 1 and name in SINGLE:
        given = 1
        state = to_state(fw, name, random_state(name, 1, batch_size)[..., 1:])
        got = (batch_size, HIDDENS - 1)
    else:
        state = to_state(fw, name, random_state(name, given, batch_size))
        got = (batch_size, HIDDENS)
    n = directions(name)
    argument = 'Hs[0]' if name in STACKED else 'state' if name == 'RNNScratch' else 'H'
    shapes = ((n, 3, HIDDENS), (n * given, *got)) if name in HIGH else ((3, HIDDENS), got)
    words = (f'{argument} must have the shape {shapes[0]}, got {shapes[1]}; pass None to start '
             'from zeros')
    if name in STACKED and given > 1:
        words = (f'Hs must hold one state a layer{" and direction" if n > 1 else ""}, {n} in all, '
                 f'got {2 * n}; pass None to start from zeros')
    with pytest.raises(ValueError) as caught:
        fw.run_block(net, X, state)
    assert str(caught.value) == words


@pytest.mark.parametrize('name', BLOCKS)
def test_steps_have_equal_shapes(fw, name):
    net, _ = prepared(fw, name)
    steps = [fw.tensor(np.ones((3, VOCAB))), fw.tensor(np.ones((2, VOCAB)))]
    with pytest.raises(ValueError, match=rf'inputs must have the shape \(num_steps, batch_size, '
                                         rf'{VOCAB}\), got steps of the shapes \(2, {VOCAB}\), '):
        fw.run_block(net, steps)


@pytest.mark.parametrize('head', ['RNNLM', 'RNNLMScratch'])
@pytest.mark.parametrize('value', [0, -1, 2.5])
def test_vocabulary_sizes(fw, d2l, head, value):
    with pytest.raises(ValueError, match=f'vocab_size must be an integer of at least 1, got '
                                         f'{value}'):
        getattr(d2l, head)(block(fw, 'RNNScratch'), value)


@pytest.mark.parametrize('name', STACKED)
def test_a_stack_wants_a_list_of_states(fw, name):
    net, _ = prepared(fw, name, 2)
    with pytest.raises(TypeError, match='Hs must hold one state a layer.*, in a list, got'):
        fw.run_block(net, X, fw.tensor(np.ones((2 * directions(name), 3, HIDDENS))))


@pytest.mark.parametrize('name', [name for name in BLOCKS if name not in (*STACKED, *MEMORY)])
def test_one_state_is_not_two(fw, name):
    net, _ = prepared(fw, name)
    H = to_state(fw, name, random_state(name, 1, 3))
    argument = 'state' if name == 'RNNScratch' else 'H'
    with pytest.raises(ValueError, match=f'{argument} must be one tensor, got tuple of length 2; '
                                         'pass None to start from zeros'):
        fw.run_block(net, X, (H, H))


@pytest.mark.parametrize('name', MEMORY)
def test_a_memory_cell_of_another_shape(fw, name):
    net, _ = prepared(fw, name)
    H, _ = to_state(fw, name, random_state(name, 1, 3))
    _, C = to_state(fw, name, random_state(name, 1, 4))
    with pytest.raises(ValueError, match=rf'C must have the shape \((\d, )?3, {HIDDENS}\), got '
                                         rf'\(.*4, {HIDDENS}\); pass None'):
        fw.run_block(net, X, (H, C))


@pytest.mark.parametrize('length', [1, 3])
@pytest.mark.parametrize('name', MEMORY)
def test_an_lstm_wants_a_pair(fw, name, length):
    net, _ = prepared(fw, name)
    H, _ = to_state(fw, name, random_state(name, 1, 3))
    with pytest.raises(ValueError, match=rf'H_C must be the pair \(H, C\), got tuple of length '
                                         rf'{length}; pass None'):
        fw.run_block(net, X, (H,) * length)


@pytest.mark.parametrize('name', MEMORY)
def test_an_lstm_wants_both(fw, name):
    net, _ = prepared(fw, name)
    H, _ = to_state(fw, name, random_state(name, 1, 3))
    with pytest.raises(ValueError, match=r'H_C must be the pair \(H, C\), got None in it; pass'):
        fw.run_block(net, X, (H, None))


@pytest.mark.parametrize('name', MEMORY)
def test_an_lstm_wants_more_than_h(fw, name):
    net, _ = prepared(fw, name)
    H, _ = to_state(fw, name, random_state(name, 1, 3))
    with pytest.raises(ValueError) as caught:
        fw.run_block(net, X, H)
    shape = (3, HIDDENS) if name in SINGLE else (directions(name), 3, HIDDENS)
    assert str(caught.value) == (f'H_C must be the pair (H, C), got a tensor of the shape {shape}; '
                                 'pass None to start from zeros')


@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
def test_weights_that_do_not_fit_change_nothing(fw, name):
    net, weights = prepared(fw, name, 2)
    gate = reference.CELLS[name].gates[0]
    wrong = {key: value + 1 for key, value in as_float32(weights).items()}
    missing, shape = f'rnn.1.forward.W_x{gate}', f'rnn.0.forward.W_h{gate}'
    del wrong[missing]
    wrong[shape] = wrong[shape][:, 1:]
    wrong['W_zz'] = np.ones(3, dtype=np.float32)
    with pytest.raises(ValueError, match='weights do not fit the model') as caught:
        fw.load(net, wrong)
    for fault in (f'{missing} is missing', 'W_zz is not a parameter of the model',
                  f'{shape} has the shape ({HIDDENS}, {HIDDENS - 1}), expected '
                  f'({HIDDENS}, {HIDDENS})'):
        assert fault in str(caught.value)
    for key, value in as_float32(weights).items():
        np.testing.assert_array_equal(fw.weights(net)[key], value)


def test_weights_of_another_depth_do_not_fit(fw):
    net, _ = prepared(fw, 'GRU', 2)
    _, three = prepared(fw, 'GRU', 3)
    with pytest.raises(ValueError, match='rnn.2.forward.W_xr is not a parameter of the model'):
        fw.load(net, as_float32(three))


def test_a_prefix_token_outside_the_vocabulary_counts_as_unknown(fw, d2l):
    net, _ = prepared(fw, 'RNNScratch')
    vocab = d2l.Vocab(list('abcde'))
    assert fw.predict(net, 'a?', 0, vocab) == 'a<unk>'


def test_a_model_wider_than_the_vocabulary_says_so(fw, d2l):
    """A net over more tokens than the vocabulary has may predict one that it lacks."""
    net, weights = prepared(fw, 'RNNScratch')
    weights['b_q'][-1] = 50
    net = fw.load(net, as_float32(weights))
    with pytest.raises(IndexError, match='index 5 is outside the vocabulary of 3 tokens'):
        fw.predict(net, 'a', 2, d2l.Vocab(list('ab')))


@pytest.mark.parametrize('shape', [(3,), (2, 3, 4)])
@pytest.mark.parametrize('name', ['RNNScratch', 'GRU'])
def test_tokens_are_a_batch_of_sequences(fw, name, shape):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError) as caught:
        fw.scores(net, np.zeros(shape, dtype=np.int32))
    assert str(caught.value) == f'X must have the shape (batch_size, num_steps), got {shape}'


@pytest.mark.parametrize('index', [-1, VOCAB])
@pytest.mark.parametrize('name', ['RNNScratch', 'GRU'])
def test_an_index_outside_the_vocabulary(fw, name, index):
    net, _ = prepared(fw, name)
    low, high = min(0, index), max(1, index)
    with pytest.raises(ValueError, match=rf'indices must be in \[0, {VOCAB}\), got {low} to '
                                         f'{high}'):
        fw.scores(net, np.array([[0, 1], [index, 0]], dtype=np.int32))


@pytest.mark.parametrize('which', ['X', 'Y'])
def test_an_index_outside_the_vocabulary_in_training(fw, d2l, which):
    net, _ = prepared(fw, 'GRU', 2)
    data, *arrays = windows(d2l, 8, 4, 4)
    arrays = dict(zip('XY', arrays))
    arrays[which][2, 1] = VOCAB
    data.X, data.Y = data.tensors(*arrays.values())
    with pytest.raises(ValueError, match=rf'indices must be in \[0, {VOCAB}\), got 0 to {VOCAB}'):
        fw.fit(net, d2l.Trainer(max_epochs=1), data)
