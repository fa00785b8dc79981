"""The oracle of RecurrentStack: NumPy, with layer normalization, residuals and learned states.

Gradients come from complex steps: the derivative of f along d is Im f(w + i h d) / h, exact to
rounding, as nothing is subtracted. So all of this is written for complex numbers, too.
"""
import numpy as np

from . import reference

STEP = 1e-30
EPS = 1e-5


def random_weights(rng, cell, num_inputs, num_hiddens, num_layers, num_tags, layer_norm=False,
                   learn_state=False, directions=1):
    """Return canonical weights, none of them zero."""
    weights = reference.random_weights(rng, reference.CELLS[cell], num_inputs, num_hiddens,
                                       num_layers, num_tags, 0.7, directions)
    more = {}
    for name in weights:
        at, _, last = name.rpartition('.')
        if layer_norm and last.startswith('W_h') and at:
            more[f'{at}.g_{last[-1]}'] = (num_hiddens,)
        if learn_state and last.startswith('W_h') and at:
            more[f'{at}.H_0'] = (num_hiddens,)
            if cell.startswith('LSTM'):
                more[f'{at}.C_0'] = (num_hiddens,)
    more = {name: rng.standard_normal(shape) + (name.split('.')[-1][0] == 'g')
            for name, shape in more.items()}
    if layer_norm:  # so that the scores are of the usual size
        more = {name: value / 2 for name, value in more.items()}
    return {**weights, **more}


def sigmoid(A):
    return 1 / (1 + np.exp(-A))


def _norm(w, gate, A, bias):
    if f'g_{gate}' not in w:
        return A + w[bias]
    A = A - A.mean(-1, keepdims=True)
    return w[f'g_{gate}'] * A / np.sqrt((A**2).mean(-1, keepdims=True) + EPS) + w[bias]


def gates(w, X, S):
    """Return a dictionary of the gates' values by letter, given a layer's weights."""
    H = S[0]

    def affine(gate, H=H):
        return _norm(w, gate, X @ w[f'W_x{gate}'] + H @ w[f'W_h{gate}'], f'b_{gate}')

    if 'W_hh' in w:
        return {'h': np.tanh(affine('h'))}
    if 'W_hi' in w:
        return {**{gate: sigmoid(affine(gate)) for gate in 'ifo'}, 'g': np.tanh(affine('g'))}
    R, Z = sigmoid(affine('r')), sigmoid(affine('z'))
    if 'b_hn' not in w:
        return {'r': R, 'z': Z, 'n': np.tanh(affine('n', R * H))}
    A = X @ w['W_xn'] + R * (H @ w['W_hn'] + w['b_hn'])
    return {'r': R, 'z': Z, 'n': np.tanh(_norm(w, 'n', A, 'b_xn'))}


def step(w, X, S):
    """Return the state, an array (1 or 2, batch_size, num_hiddens), after one more input."""
    g = gates(w, X, S)
    if 'h' in g:
        return np.stack([g['h']])
    if 'i' in g:
        C = g['f'] * S[1] + g['i'] * g['g']
        return np.stack([g['o'] * np.tanh(C), C])
    return np.stack([g['z'] * S[0] + (1 - g['z']) * g['n']])


def first_state(weights, batch_size):
    """Return the states before the first step, zeros or the learned ones."""
    found = reference.zeros(weights, batch_size) + 0 * next(iter(weights.values())).flat[0]
    for i, (at, _, w) in enumerate(part for layer in reference.layers(weights) for part in layer):
        for k, name in enumerate(('H_0', 'C_0')):
            if name in w:
                found = found.astype(np.result_type(found, w[name]))
                found[i, k] = w[name]
    return found


def run(weights, inputs, state=None, residual=False, masks=None, nudge=None, seen=None):
    """Return the top layer's outputs and all last states.

    Args:
        inputs: (num_steps, batch_size, num_inputs).
        state: (num_layers * directions, 1 or 2, batch_size, num_hiddens).
        masks: what the outputs of each layer but the last are multiplied with.
        nudge: what is added to the hidden states: (num_steps, num_layers, batch_size, num_hiddens).
        seen: list for the gates of each layer and step, with c for the tanh of the memory cell.
    """
    state = list(first_state(weights, inputs.shape[1]) if state is None else state)
    outputs, i = inputs, 0
    for depth, layer in enumerate(reference.layers(weights)):
        below, both = outputs, []
        if masks is not None and depth:
            outputs = outputs * masks[depth - 1]
        for order, (_, _, w) in zip((1, -1), layer):
            steps = []
            for t, X in enumerate(outputs[::order]):
                before, state[i] = state[i], step(w, X, state[i])
                if seen is not None:
                    memory = {'c': np.tanh(state[i][1])} if len(state[i]) > 1 else {}
                    seen.append((depth, t, {**gates(w, X, before), **memory}))
                if nudge is not None:
                    state[i] = np.concatenate([state[i][:1] + nudge[t, depth], state[i][1:]])
                steps.append(state[i][0])
            both.append(np.array(steps)[::order])
            i += 1
        outputs = np.concatenate(both, -1)
        if residual and outputs.shape == below.shape:
            outputs = outputs + below
    return outputs, np.array(state)


def scores(weights, X, state=None, **how):
    """Return the scores (batch_size, num_steps, num_tags)."""
    inputs = np.eye(reference.layers(weights)[0][0][2][_first(weights)].shape[0])[X.T]
    outputs, _ = run(weights, inputs, state, **how)
    return (outputs @ weights['W_hq'] + weights['b_q']).swapaxes(0, 1)


def _first(weights):
    return next(name.split('.')[-1] for name in weights if name.startswith('rnn.0.forward.W_x'))


def loss(weights, X, Y, state=None, **how):
    """Return the mean cross-entropy over the positions whose label is not -1."""
    O = scores(weights, X, state, **how)
    log_p = O - np.log(np.exp(O).sum(-1, keepdims=True))
    picked = np.take_along_axis(log_p, np.maximum(Y, 0)[..., None], -1)[..., 0]
    return -(picked * (Y >= 0)).sum() / (Y >= 0).sum()


def along(weights, directions, X, Y, state=None, **how):
    """Return the derivative of the loss along directions in the space of the weights."""
    moved = {name: value + 1j * STEP * directions.get(name, 0) for name, value in weights.items()}
    return loss(moved, X, Y, state, **how).imag / STEP
