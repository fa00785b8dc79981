"""What the tests of the backends share: small models, states, data, and the oracle's training."""
import itertools
import math

import numpy as np

from tests import reference

VOCAB, HIDDENS = 6, 5
SINGLE = ('RNNScratch', 'GRUScratch', 'LSTMScratch')
STACKED = ('StackedRNNScratch', 'BiRNNScratch')
SCRATCH = SINGLE + STACKED
HIGH = ('RNN', 'GRU', 'LSTM', 'BiRNN', 'BiGRU', 'BiLSTM')
BLOCKS = SCRATCH + HIGH
MEMORY = ('LSTMScratch', 'LSTM', 'BiLSTM')
CASES = [*((name, 1) for name in SINGLE),
         *((name, layers) for name in STACKED + HIGH for layers in (1, 2, 3))]
DEEP = [(name, 1 if name in SINGLE else 3) for name in BLOCKS]
CAUSAL = [(name, layers) for name, layers in DEEP if not name.startswith('Bi')]

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
    return Class(num_inputs, num_hiddens, **({} if name in SINGLE else {'num_layers': num_layers}))


def directions(name):
    """Return in how many directions a block runs."""
    return 2 if name.startswith('Bi') else 1


def language_model(fw, name, num_layers=1, dropout=0, lr=0.5, Class=None, vocab_size=VOCAB,
                   num_hiddens=HIDDENS):
    """Return a model over a block, with the head that goes with it unless one is named.

    Over a block that reads in both directions, it is a Tagger with as many tags as tokens.
    """
    rnn = block(fw, name, num_layers, dropout, vocab_size, num_hiddens)
    if Class is None and directions(name) == 2:
        return fw.d2l.Tagger(rnn, vocab_size, vocab_size, lr=lr)
    Class = Class or (fw.d2l.RNNLM if name in HIGH else fw.d2l.RNNLMScratch)
    return Class(rnn, vocab_size, lr=lr)


def random_weights(name, num_layers=1, seed=0, vocab_size=VOCAB, sigma=0.5):
    """Return canonical weights for a block of this name."""
    return reference.random_weights(np.random.default_rng(seed), reference.CELLS[name], vocab_size,
                                    HIDDENS, num_layers, vocab_size, sigma, directions(name))


def perplexity(record, part):
    """Return the perplexity in a record of the trainer's history, also of one that has a loss.

    Args:
        part: 'train' or 'val'.
    """
    return record.get(f'{part}_ppl') or math.exp(record[f'{part}_loss'])


def decisive(name, num_layers, vocab, prefix, num_preds):
    """Return weights, and the prefix continued greedily where float32 cannot mistake the best.

    The weights are far from zero, so that scores are, too.
    """
    for seed in itertools.count():
        weights = as_float32(random_weights(name, num_layers, seed, len(vocab), sigma=1.5))
        found, margin = reference.decode(weights, vocab[list(prefix)], num_preds, np.argmax)
        if margin > 1e-3 and len(set(found[len(prefix):])) > 2:  # nor does it repeat itself
            return weights, ''.join(vocab.to_tokens(found))


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
    if name in STACKED:
        return to_list(fw, states)
    states = states.astype(np.float32)
    states = states[0] if name in SINGLE else states.swapaxes(0, 1)
    parts = tuple(fw.tensor(part) for part in states)
    return parts if name in MEMORY else parts[0]


def from_state(fw, name, state):
    """Return a block's state as the oracle's."""
    if name in STACKED:
        return from_list(fw, state)
    parts = np.stack([fw.numpy(part) for part in (state if name in MEMORY else (state,))])
    return parts[None] if name in SINGLE else parts.swapaxes(0, 1)


def to_list(fw, states):
    """Return the oracle's states as a stack takes them that has a state, or a pair, for a layer."""
    parts = [[fw.tensor(part) for part in state.astype(np.float32)] for state in states]
    return [tuple(state) if len(state) == 2 else state[0] for state in parts]


def from_list(fw, Hs):
    """Return such states as the oracle's."""
    return np.array([[fw.numpy(part) for part in (H if isinstance(H, tuple) else (H,))]
                     for H in Hs])


def random_state(name, num_layers, batch_size, seed=0):
    """Return a random state of the oracle."""
    shape = (num_layers * directions(name), reference.CELLS[name].states, batch_size, HIDDENS)
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


def assert_gradients(actual, expected):
    """Compare gradients, each with regard to the largest entry of its array."""
    assert set(actual) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(actual[name], value, rtol=0, err_msg=name,
                                   atol=GRADIENTS * abs(value).max() + 1e-7)


def assert_close(actual, expected, rtol, atol):
    """Compare two dictionaries of arrays, name by name."""
    assert set(actual) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(actual[name], value, rtol=rtol, atol=atol, err_msg=name)
