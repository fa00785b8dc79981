"""What the tests of the backends share: small models, states, data, and the oracle's training."""
import math

import numpy as np

from tests import reference

VOCAB, HIDDENS = 6, 5
SCRATCH = ('RNNScratch', 'StackedRNNScratch')
HIGH = ('RNN', 'GRU', 'LSTM')
STACKS = ('StackedRNNScratch', *HIGH)
BLOCKS = SCRATCH + HIGH
CASES = [('RNNScratch', 1), *((name, layers) for name in STACKS for layers in (1, 2, 3))]
DEEP = [('RNNScratch', 1), *((name, 3) for name in STACKS)]

# float32 against float64: a sum of some tens of products is right to about 1e-6, and what this
# becomes over five steps and three layers stays below ten times that. Gradients are measured
# against the largest entry of their array.
VALUES = {'rtol': 1e-5, 'atol': 1e-5}
GRADIENTS = 1e-4


def block(fw, name, num_layers=1, dropout=0, num_inputs=VOCAB, num_hiddens=HIDDENS):
    """Return a recurrent block."""
    Class = getattr(fw.d2l, name)
    if name in HIGH:
        return fw.layer(Class, num_inputs, num_hiddens, num_layers, dropout)
    sizes = (num_inputs, num_hiddens, num_layers)
    return Class(*sizes) if name in STACKS else Class(*sizes[:2])


def language_model(fw, name, num_layers=1, dropout=0, lr=0.5, Class=None, vocab_size=VOCAB):
    """Return a language model over a block, with the head that goes with it unless one is named."""
    Class = Class or (fw.d2l.RNNLM if name in HIGH else fw.d2l.RNNLMScratch)
    return Class(block(fw, name, num_layers, dropout, num_inputs=vocab_size), vocab_size, lr=lr)


def random_weights(name, num_layers=1, seed=0, vocab_size=VOCAB, sigma=0.5):
    """Return canonical weights for a block of this name."""
    return reference.random_weights(np.random.default_rng(seed), reference.CELLS[name], vocab_size,
                                    HIDDENS, num_layers, vocab_size, sigma)


def indices(*shape, seed=0):
    """Return random token indices."""
    return np.random.default_rng(seed).integers(0, VOCAB, shape).astype(np.int32)


def prepared(fw, name, num_layers=1, seed=0, **kwargs):
    """Return the net of a language model with random weights, and these weights."""
    weights = random_weights(name, num_layers, seed)
    net = fw.build(language_model(fw, name, num_layers, **kwargs), indices(2, 3))
    return fw.load(net, as_float32(weights)), weights


def as_float32(weights):
    """Return weights as the frameworks compute with them."""
    return {name: value.astype(np.float32) for name, value in weights.items()}


def to_state(fw, name, states):
    """Return the oracle's state as the block takes it."""
    states = states.astype(np.float32)
    if name == 'RNNScratch':
        return fw.tensor(states[0, 0])
    if name == 'StackedRNNScratch':
        return [fw.tensor(S[0]) for S in states]
    parts = tuple(fw.tensor(states[:, i]) for i in range(states.shape[1]))
    return parts if name == 'LSTM' else parts[0]


def from_state(fw, name, state):
    """Return a block's state as the oracle's."""
    if name == 'RNNScratch':
        return fw.numpy(state)[None, None]
    if name == 'StackedRNNScratch':
        return np.array([fw.numpy(H)[None] for H in state])
    parts = state if name == 'LSTM' else (state,)
    return np.stack([fw.numpy(part) for part in parts], 1)


def random_state(name, num_layers, batch_size, seed=0):
    """Return a random state of the oracle."""
    shape = (num_layers, reference.CELLS[name].states, batch_size, HIDDENS)
    return 0.5 * np.random.default_rng(seed).standard_normal(shape)


def windows(d2l, num_train, num_val, batch_size, num_steps=4):
    """Return a DataModule over random windows, and its NumPy arrays X and Y."""
    X, Y = indices(2, num_train + num_val, num_steps, seed=7)

    class Windows(d2l.DataModule):
        def __init__(self):
            super().__init__()
            self.batch_size = batch_size
            self.X, self.Y = self.tensors(X, Y)

        def get_dataloader(self, train):
            part = slice(0, num_train) if train else slice(num_train, None)
            return self.get_tensorloader([self.X, self.Y], train, part)

    return Windows(), X, Y


def oracle_fit(weights, X, Y, num_train, batch_size, *, max_epochs, lr, theta=0, seed=0):
    """Train as Trainer does; return the weights and the history of perplexities.

    The order of the batches is that of one NumPy generator, a permutation an epoch.
    """
    rng, history = np.random.default_rng(seed), []
    for _ in range(max_epochs):
        total = 0
        order = rng.permutation(num_train)
        for first in range(0, num_train, batch_size):
            batch = order[first:first + batch_size]
            loss, grads = reference.loss_and_gradients(weights, X[batch], Y[batch])
            weights = reference.sgd(weights, reference.clip(grads, theta), lr)
            total += loss * Y[batch].size
        val = reference.loss(weights, X[num_train:], Y[num_train:])
        history.append({'train_ppl': math.exp(total / Y[:num_train].size),
                        'val_ppl': math.exp(val)})
    return weights, history


def assert_close(actual, expected, rtol, atol):
    """Compare two dictionaries of arrays, name by name."""
    assert set(actual) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(actual[name], value, rtol=rtol, atol=atol, err_msg=name)
