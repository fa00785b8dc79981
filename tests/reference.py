"""The oracle: recurrent language models in NumPy, float64, with gradients derived by hand.

Weights are dictionaries under the canonical names of d2lrnn/core/weights.py; which cell a layer
has, and how many directions, follows from the names. The state of a stack is an array of its
layers' states (see reference_cells.py), in a bidirectional stack forward and backward of the first
layer, then of the next.
"""
import math

import numpy as np

from . import reference_cells
from .reference_cells import GRUCell, LSTMCell, ResetFirstGRUCell, TanhCell

CELLS = {'RNNScratch': TanhCell, 'StackedRNNScratch': TanhCell, 'RNN': TanhCell,
         'GRUScratch': ResetFirstGRUCell, 'GRU': GRUCell, 'LSTMScratch': LSTMCell,
         'LSTM': LSTMCell, 'BiRNNScratch': TanhCell, 'BiRNN': TanhCell, 'BiGRU': GRUCell,
         'BiLSTM': LSTMCell}
DIRECTIONS = ('forward', 'backward')


def random_weights(rng, cell, num_inputs, num_hiddens, num_layers, vocab_size, sigma=0.5,
                   directions=1):
    """Return weights and biases, none of them zero."""
    shapes = {}
    for layer in range(num_layers):
        width = directions * num_hiddens if layer else num_inputs
        for direction in DIRECTIONS[:directions]:
            at = f'rnn.{layer}.{direction}.'
            for gate in cell.gates:
                shapes.update({f'{at}W_x{gate}': (width, num_hiddens),
                               f'{at}W_h{gate}': (num_hiddens, num_hiddens)})
            shapes.update({at + bias: (num_hiddens,) for bias in cell.biases})
    shapes.update({'W_hq': (directions * num_hiddens, vocab_size), 'b_q': (vocab_size,)})
    return {name: sigma * rng.standard_normal(shape) for name, shape in shapes.items()}


def layers(weights):
    """Return for each layer a list: each direction's name prefix, cell and weights."""
    found = []
    while True:
        layer = []
        for direction in DIRECTIONS:
            at = f'rnn.{len(found)}.{direction}.'
            w = {name[len(at):]: value for name, value in weights.items() if name.startswith(at)}
            layer += [(at, reference_cells.of(w), w)] if w else []
        if not layer:
            return found
        found.append(layer)


def zeros(weights, batch_size):
    """Return a stack's state before the first step."""
    return np.array([np.zeros((cell.states, batch_size, len(w[f'W_h{cell.gates[0]}'])))
                     for layer in layers(weights) for _, cell, w in layer])


def run(weights, inputs, state=None):
    """Return the top layer's outputs, all last states, and what `run_back` needs.

    Args:
        inputs: (num_steps, batch_size, num_inputs).
        state: (num_layers * directions, 1 or 2, batch_size, num_hiddens); None for zeros.
    """
    state = list(zeros(weights, inputs.shape[1]) if state is None else state)
    outputs, caches, i = inputs, [], 0
    for layer in layers(weights):
        both = []
        for order, (_, cell, w) in zip((1, -1), layer):
            steps, cache = [], []
            for X in outputs[::order]:
                state[i], kept = cell.step(w, X, state[i])
                steps.append(state[i][0])
                cache.append(kept)
            both.append(np.array(steps)[::order])
            caches.append(cache)
            i += 1
        outputs = np.concatenate(both, -1)
    return outputs, np.array(state), caches


def run_back(weights, caches, d_outputs):
    """Return the weights' gradients, given the gradient with respect to the outputs."""
    grads, caches = {}, list(caches)
    for layer in reversed(layers(weights)):
        parts = np.split(d_outputs, len(layer), -1)
        d_outputs = 0
        for order, part, (at, cell, w) in reversed(list(zip((1, -1), parts, layer))):
            total = {name: np.zeros_like(value) for name, value in w.items()}
            dS = np.zeros((cell.states, *part.shape[1:]))
            d_inputs = []
            for cache, dH in zip(reversed(caches.pop()), reversed(part[::order])):
                dS[0] += dH
                dX, dS, dw = cell.back(w, cache, dS)
                d_inputs.append(dX)
                for name, value in dw.items():
                    total[name] += value
            d_outputs = d_outputs + np.array(d_inputs[::-1])[::order]
            grads.update({at + name: value for name, value in total.items()})
    return grads


def one_hot(weights, X):
    """Return indices (batch_size, num_steps) as (num_steps, batch_size, vocab_size)."""
    return np.eye(len(weights['b_q']))[X.T]


def scores(weights, X, state=None):
    """Return the scores (batch_size, num_steps, vocab_size) of the next tokens of X."""
    outputs, _, _ = run(weights, one_hot(weights, X), state)
    return (outputs @ weights['W_hq'] + weights['b_q']).swapaxes(0, 1)


def log_softmax(O):
    shifted = O - O.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def loss(weights, X, Y, state=None):
    """Return the mean cross-entropy over all tokens, in nats."""
    log_p = log_softmax(scores(weights, X, state))
    return -np.take_along_axis(log_p, Y[..., None], -1).mean()


def loss_and_gradients(weights, X, Y, state=None):
    """Return the loss and its gradients, by backpropagation through time."""
    outputs, _, caches = run(weights, one_hot(weights, X), state)
    O = outputs @ weights['W_hq'] + weights['b_q']  # (num_steps, batch_size, vocab_size)
    d_O = (np.exp(log_softmax(O)) - np.eye(O.shape[-1])[Y.T]) / Y.size
    grads = run_back(weights, caches, d_O @ weights['W_hq'].T)
    grads['W_hq'] = np.einsum('tbh,tbq->hq', outputs, d_O)
    grads['b_q'] = d_O.sum((0, 1))
    return loss(weights, X, Y, state), grads


def copies(name, weights):
    """Return how many parameters the frameworks train for a canonical one.

    The GRU that resets after the product has two biases for r and z on all of them. Each gets the
    gradient of their sum, which is the canonical bias.
    """
    at, _, bias = name.rpartition('.')
    return 2 if bias in ('b_r', 'b_z') and f'{at}.b_hn' in weights else 1


def norm(grads):
    """Return the norm over all gradients taken together."""
    return math.sqrt(sum(copies(name, grads) * (grad**2).sum() for name, grad in grads.items()))


def clip(grads, theta):
    """Return gradients whose norm over all of them is at most `theta`; 0 does not clip."""
    scale = min(1, theta / norm(grads)) if theta else 1
    return {name: scale * grad for name, grad in grads.items()}


def sgd(weights, grads, lr):
    """Return the weights after one step."""
    return {name: value - lr * copies(name, weights) * grads[name]
            for name, value in weights.items()}


def decode(weights, indices, num_preds, choose):
    """Return the continued indices, and the smallest margin by which a token was the best.

    Args:
        choose: function of the scores of the next token that returns its index.
    """
    indices, margin, state = list(indices), math.inf, None
    for i in range(num_preds):
        inputs = one_hot(weights, np.array([indices if i == 0 else indices[-1:]]))
        outputs, state, _ = run(weights, inputs, state)
        scored = outputs[-1, 0] @ weights['W_hq'] + weights['b_q']
        second, best = np.sort(scored)[-2:]
        margin = min(margin, best - second)
        indices.append(int(choose(scored)))
    return indices, margin
