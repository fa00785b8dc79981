"""Bad input: what was received, what was expected, what to do."""
import numpy as np
import pytest

from tests import reference

from .support import (BLOCKS, HIDDENS, HIGH, SCRATCH, VOCAB, as_float32, block, indices, prepared,
                      random_state, to_state)

SIZES = [('RNNScratch', 'num_inputs', -1), ('RNNScratch', 'num_hiddens', 0),
         ('StackedRNNScratch', 'num_layers', 0), ('StackedRNNScratch', 'num_hiddens', 2.5),
         *((name, size, 0) for name in HIGH for size in ('num_hiddens', 'num_layers'))]


@pytest.mark.parametrize('name, argument, value', SIZES)
def test_sizes(fw, name, argument, value):
    sizes = {'num_inputs': VOCAB, 'num_hiddens': HIDDENS, 'num_layers': 2, argument: value}
    with pytest.raises(ValueError, match=f'{argument} must be an integer of at least 1, got '
                                         f'{value}'):
        fw.build(fw.d2l.RNNLM(block(fw, name, **sizes), VOCAB), indices(2, 3))


@pytest.mark.parametrize('shape', [(4, VOCAB), (2, 3, 4, VOCAB)])
@pytest.mark.parametrize('name', BLOCKS)
def test_inputs_have_three_axes(fw, name, shape):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError, match=r'inputs must have the shape \(num_steps, batch_size, '
                                         rf'\w+\), got \({", ".join(map(str, shape))}\)'):
        fw.run_block(net, np.ones(shape))


@pytest.mark.parametrize('name', BLOCKS)
def test_inputs_have_the_width_of_the_weights(fw, name):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError, match=rf'inputs must have the shape \(num_steps, batch_size, '
                                         rf'{VOCAB}\), got \(4, 3, {VOCAB + 1}\)'):
        fw.run_block(net, np.ones((4, 3, VOCAB + 1)))


@pytest.mark.parametrize('name', SCRATCH)
def test_a_state_of_another_batch_size_from_scratch(fw, name):
    net, weights = prepared(fw, name)
    state = to_state(fw, name, random_state(name, 1, batch_size=2))
    with pytest.raises(ValueError, match=rf'state must have the shape \(3, {HIDDENS}\), got '
                                         rf'\(2, {HIDDENS}\); pass None to start from zeros'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), state)


@pytest.mark.parametrize('name', HIGH)
@pytest.mark.parametrize('num_layers, batch_size', [(2, 2), (1, 3)])
def test_a_state_of_another_shape(fw, name, num_layers, batch_size):
    net, _ = prepared(fw, name, 2)
    state = to_state(fw, name, random_state(name, num_layers, batch_size))
    with pytest.raises(ValueError, match=rf'H must have the shape \(2, 3, {HIDDENS}\), got '
                                         rf'\({num_layers}, {batch_size}, {HIDDENS}\); pass None'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), state)


def test_a_memory_cell_of_another_shape(fw):
    net, _ = prepared(fw, 'LSTM', 2)
    H, _ = to_state(fw, 'LSTM', random_state('LSTM', 2, 3))
    _, C = to_state(fw, 'LSTM', random_state('LSTM', 2, 4))
    with pytest.raises(ValueError, match=rf'C must have the shape \(2, 3, {HIDDENS}\), got '
                                         rf'\(2, 4, {HIDDENS}\)'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), (H, C))


@pytest.mark.parametrize('length', [1, 3])
def test_an_lstm_wants_a_pair(fw, length):
    net, _ = prepared(fw, 'LSTM', 1)
    H, _ = to_state(fw, 'LSTM', random_state('LSTM', 1, 3))
    with pytest.raises(ValueError, match=rf'H_C must be the pair \(H, C\), got tuple of length '
                                         rf'{length}; pass None'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), (H,) * length)


def test_an_lstm_wants_more_than_h(fw):
    net, _ = prepared(fw, 'LSTM', 2)
    H, _ = to_state(fw, 'LSTM', random_state('LSTM', 2, 3))
    with pytest.raises(ValueError, match=r'H_C must be the pair \(H, C\)'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), H)


@pytest.mark.parametrize('given', [1, 3])
def test_a_stack_wants_one_state_a_layer(fw, given):
    net, _ = prepared(fw, 'StackedRNNScratch', 2)
    Hs = to_state(fw, 'StackedRNNScratch', random_state('StackedRNNScratch', given, 3))
    with pytest.raises(ValueError, match=f'Hs must hold one state a layer, 2 in all, got {given}; '
                                         'pass None'):
        fw.run_block(net, np.ones((4, 3, VOCAB)), Hs)


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


@pytest.mark.parametrize('index', [-1, VOCAB])
@pytest.mark.parametrize('name', ['RNNScratch', 'GRU'])
def test_an_index_outside_the_vocabulary(fw, name, index):
    net, _ = prepared(fw, name)
    with pytest.raises(ValueError, match=str(index)):
        fw.scores(net, np.array([[0, 1], [index, 0]], dtype=np.int32))
