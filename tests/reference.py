"""The oracle: recurrent language models in NumPy, float64, with gradients derived by hand.

Weights are dictionaries under the canonical names of d2lrnn/core/weights.py; which cell a layer is
follows from the names. A layer's state is an array (1, batch_size, num_hiddens), or
(2, batch_size, num_hiddens) where it has a memory cell: H first. The state of a stack is an array
of its layers' states.
"""
import math

import numpy as np


def sigmoid(A):
    return 1 / (1 + np.exp(-A))


def _affine(w, gate, X, H):
    return X @ w[f'W_x{gate}'] + H @ w[f'W_h{gate}'] + w[f'b_{gate}']


def _affine_back(w, X, H, deltas):
    """Return the gradients with respect to X, to H and to the weights.

    Args:
        deltas: by gate, the gradient with respect to the input's part and to the state's part of
            what goes into the gate; the two differ only where something stands between them.
    """
    dX, dH, dw = np.zeros_like(X), np.zeros_like(H), {}
    for gate, (from_x, from_h) in deltas.items():
        dX += from_x @ w[f'W_x{gate}'].T
        dH += from_h @ w[f'W_h{gate}'].T
        dw[f'W_x{gate}'], dw[f'W_h{gate}'] = X.T @ from_x, H.T @ from_h
        if f'b_{gate}' in w:
            dw[f'b_{gate}'] = from_x.sum(0)
        else:
            dw[f'b_x{gate}'], dw[f'b_h{gate}'] = from_x.sum(0), from_h.sum(0)
    return dX, dH, dw


class TanhCell:
    """H = tanh(X W_xh + H' W_hh + b_h)."""
    gates, states = 'h', 1

    @staticmethod
    def step(w, X, S):
        H = np.tanh(_affine(w, 'h', X, S[0]))
        return np.stack([H]), (X, S, H)

    @staticmethod
    def back(w, cache, dS):
        X, S, H = cache
        delta = dS[0] * (1 - H**2)
        dX, dH, dw = _affine_back(w, X, S[0], {'h': (delta, delta)})
        return dX, np.stack([dH]), dw


class GRUCell:
    """Reset after the product: N = tanh(X W_xn + b_xn + R (H' W_hn + b_hn))."""
    gates, states = 'rzn', 1

    @staticmethod
    def step(w, X, S):
        H = S[0]
        R, Z = sigmoid(_affine(w, 'r', X, H)), sigmoid(_affine(w, 'z', X, H))
        P = H @ w['W_hn'] + w['b_hn']
        N = np.tanh(X @ w['W_xn'] + w['b_xn'] + R * P)
        return np.stack([Z * H + (1 - Z) * N]), (X, S, R, Z, P, N)

    @staticmethod
    def back(w, cache, dS):
        X, S, R, Z, P, N = cache
        dn = dS[0] * (1 - Z) * (1 - N**2)
        dz = dS[0] * (S[0] - N) * Z * (1 - Z)
        dr = dn * P * R * (1 - R)
        dX, dH, dw = _affine_back(w, X, S[0], {'r': (dr, dr), 'z': (dz, dz), 'n': (dn, dn * R)})
        return dX, np.stack([dH + dS[0] * Z]), dw


class LSTMCell:
    """C = F C' + I G, H = O tanh(C)."""
    gates, states = 'ifgo', 2

    @staticmethod
    def step(w, X, S):
        H, C = S
        I, F, O = (sigmoid(_affine(w, gate, X, H)) for gate in 'ifo')
        G = np.tanh(_affine(w, 'g', X, H))
        new = F * C + I * G
        return np.stack([O * np.tanh(new), new]), (X, S, I, F, G, O, np.tanh(new))

    @staticmethod
    def back(w, cache, dS):
        X, S, I, F, G, O, T = cache
        dC = dS[1] + dS[0] * O * (1 - T**2)
        deltas = {'i': dC * G * I * (1 - I), 'f': dC * S[1] * F * (1 - F),
                  'g': dC * I * (1 - G**2), 'o': dS[0] * T * O * (1 - O)}
        dX, dH, dw = _affine_back(w, X, S[0], {gate: (d, d) for gate, d in deltas.items()})
        return dX, np.stack([dH, dC * F]), dw


CELLS = {'RNNScratch': TanhCell, 'StackedRNNScratch': TanhCell, 'RNN': TanhCell, 'GRU': GRUCell,
         'LSTM': LSTMCell}


def random_weights(rng, cell, num_inputs, num_hiddens, num_layers, vocab_size, sigma=0.5):
    """Return weights and biases, none of them zero."""
    shapes = {}
    for layer in range(num_layers):
        width = num_hiddens if layer else num_inputs
        for gate in cell.gates:
            biases = ('b_xn', 'b_hn') if gate == 'n' else (f'b_{gate}',)
            shapes.update({f'rnn.{layer}.forward.W_x{gate}': (width, num_hiddens),
                           f'rnn.{layer}.forward.W_h{gate}': (num_hiddens, num_hiddens)})
            shapes.update({f'rnn.{layer}.forward.{bias}': (num_hiddens,) for bias in biases})
    shapes.update({'W_hq': (num_hiddens, vocab_size), 'b_q': (vocab_size,)})
    return {name: sigma * rng.standard_normal(shape) for name, shape in shapes.items()}


def layers(weights):
    """Return each layer's cell and its weights under the equations' names."""
    found = []
    while True:
        prefix = f'rnn.{len(found)}.forward.'
        w = {name[len(prefix):]: value for name, value in weights.items()
             if name.startswith(prefix)}
        if not w:
            return found
        cell = GRUCell if 'b_hn' in w else LSTMCell if 'b_i' in w else TanhCell
        found.append((cell, w))


def zeros(weights, batch_size):
    """Return a stack's state before the first step."""
    num_hiddens = len(weights['W_hq'])
    return np.array([np.zeros((cell.states, batch_size, num_hiddens))
                     for cell, _ in layers(weights)])


def run(weights, inputs, state=None):
    """Return the top layer's outputs, every layer's last state, and what `run_back` needs.

    Args:
        inputs: (num_steps, batch_size, num_inputs).
        state: (num_layers, 1 or 2, batch_size, num_hiddens); None for zeros.
    """
    state = list(zeros(weights, inputs.shape[1]) if state is None else state)
    outputs, caches = inputs, []
    for i, (cell, w) in enumerate(layers(weights)):
        steps, cache = [], []
        for X in outputs:
            state[i], kept = cell.step(w, X, state[i])
            steps.append(state[i][0])
            cache.append(kept)
        outputs = np.array(steps)
        caches.append(cache)
    return outputs, np.array(state), caches


def run_back(weights, caches, d_outputs):
    """Return the weights' gradients, given the gradient with respect to the outputs."""
    grads = {}
    for i, (cell, w) in reversed(list(enumerate(layers(weights)))):
        total = {name: np.zeros_like(value) for name, value in w.items()}
        dS = np.zeros((cell.states, *d_outputs.shape[1:]))
        d_inputs = []
        for cache, dH in zip(reversed(caches[i]), reversed(d_outputs)):
            dS[0] += dH
            dX, dS, dw = cell.back(w, cache, dS)
            d_inputs.append(dX)
            for name, value in dw.items():
                total[name] += value
        d_outputs = np.array(d_inputs[::-1])
        grads.update({f'rnn.{i}.forward.{name}': value for name, value in total.items()})
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


def norm(grads):
    """Return the norm over all gradients taken together."""
    return math.sqrt(sum((grad**2).sum() for grad in grads.values()))


def clip(grads, theta):
    """Return gradients whose norm over all of them is at most `theta`; 0 does not clip."""
    scale = min(1, theta / norm(grads)) if theta else 1
    return {name: scale * grad for name, grad in grads.items()}


def sgd(weights, grads, lr):
    """Return the weights after one step."""
    return {name: value - lr * grads[name] for name, value in weights.items()}


def greedy(weights, indices, num_preds):
    """Return the continued indices, and the smallest margin by which a token was the best."""
    indices, margin = list(indices), math.inf
    for _ in range(num_preds):
        ranking = (last := scores(weights, np.array([indices]))[0, -1]).argsort()
        margin = min(margin, last[ranking[-1]] - last[ranking[-2]])
        indices.append(int(ranking[-1]))
    return indices, margin
