"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import jax
import numpy as np
from jax import numpy as jnp

from ..core.weights import check_names, check_weights

GATES = {1: 'h', 3: 'rzn', 4: 'ifgo'}  # by their number
DIRECTIONS = {'rnns': 'forward', 'f_rnns': 'forward', 'b_rnns': 'backward'}


def get_weights(model, params):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Two biases that are only ever added stand as their sum.

    Args:
        model: a language model.
        params: its parameters.
    """
    return {name: sum(parts)
            for name, parts in _parts(model, jax.tree.map(np.array, params)).items()}


def get_gradients(model, grads):
    """Return the gradients under the names and in the shapes of `get_weights`.

    Args:
        model: a language model.
        grads: the gradient of its parameters.
    """
    return {name: parts[0] for name, parts in _parts(model, jax.tree.map(np.array, grads)).items()}


def set_weights(model, params, weights):
    """Return the parameters with values from a dictionary like that of `get_weights`.

    The second of two biases that are only ever added becomes zero.

    Args:
        model: a language model.
        params: its parameters.
        weights: canonical names and arrays.

    Raises:
        ValueError: a name that is missing or not the model's, or another shape.
    """
    arrays = jax.tree.map(np.array, params)
    targets = _parts(model, arrays)
    weights = check_weights({name: parts[0].shape for name, parts in targets.items()}, weights)
    for name, (first, *rest) in targets.items():
        first[...] = weights[name]
        for part in rest:
            part[...] = 0
    return jax.tree.map(jnp.array, arrays)


def _parts(model, params):
    """Return, by canonical name, the list of arrays whose sum it is.

    Args:
        model: a language model.
        params: parameters in NumPy arrays; what is returned are views of these.
    """
    directions = getattr(model.rnn, 'directions', None)  # only a RecurrentStack has it
    layers = _stack(params['rnn'], directions) if directions else {
        at: _layer(layer) for at, layer in _layers(params['rnn']).items()}
    parts = {f'rnn.{at}.{name}': arrays for at, layer in layers.items()
             for name, arrays in layer.items()}
    if 'linear' in params:
        head = {'W_hq': [params['linear']['kernel']], 'b_q': [params['linear']['bias']]}
    else:
        head = {'W_hq': [params['W_hq']], 'b_q': [params['b_q']]}
    return check_names(model, {**parts, **head})


def _layers(block):
    """Return the parameters of each layer and direction."""
    if 'rnns_0' not in block and 'f_rnns_0' not in block:
        return {'0.forward': block}
    found = {}
    for name in sorted(block, key=lambda name: int(name.rpartition('_')[2])):
        kind, _, i = name.rpartition('_')
        both = {f'{i}.{direction}': block[name][f'{direction}_rnn']
                for direction in ('forward', 'backward') if f'{direction}_rnn' in block[name]}
        found.update(both or {f'{i}.{DIRECTIONS[kind]}': block[name]})
    return found


def _stack(block, directions):
    """Return the canonical parts of each layer and direction of a RecurrentStack."""
    names = sorted((name for name in block if name.startswith('rnns_')),
                   key=lambda name: int(name.rpartition('_')[2]))
    found = {}
    for j, name in enumerate(names):
        layer = block[name].get('rnns_0', block[name])  # a high-level layer holds one of Flax's
        states = {state: [block[state][j]] for state in ('H_0', 'C_0') if state in block}
        at = f'{j // directions}.{("forward", "backward")[j % directions]}'
        found[at] = {**_layer(layer), **states}
    return found


def _normalized(layer):
    gates = GATES[sum(name.startswith('norms_') for name in layer)]
    parts = {'b_hn': [layer['b_hn']]} if 'b_hn' in layer else {}
    chunks = (_chunks(layer[product], len(gates)) for product in 'xh')
    for i, (gate, x, h) in enumerate(zip(gates, *chunks)):
        norm, bias = layer[f'norms_{i}'], 'b_xn' if gate == 'n' else f'b_{gate}'
        parts.update({f'W_x{gate}': [x['kernel']], f'W_h{gate}': [h['kernel']],
                      f'g_{gate}': [norm['scale']], bias: [norm['bias']]})
    return parts


def _layer(layer):
    if 'norms_0' in layer:
        return _normalized(layer)
    if 'cell' not in layer:
        return {name: [array] for name, array in layer.items()}
    cell = layer['cell']
    if 'ii' in cell:
        gates = [(gate, cell[f'i{gate}'], cell[f'h{gate}']) for gate in 'ifgo']
    elif 'bias' in cell['h']:
        gates = zip('rzn', _chunks(cell['i'], 3), _chunks(cell['h'], 3))
    else:
        gates = [('h', cell['i'], cell['h'])]
    parts = {}
    for gate, x, h in gates:
        parts[f'W_x{gate}'], parts[f'W_h{gate}'] = [x['kernel']], [h['kernel']]
        if gate == 'n':
            parts['b_xn'], parts['b_hn'] = [x['bias']], [h['bias']]
        else:
            parts[f'b_{gate}'] = [product['bias'] for product in (x, h) if 'bias' in product]
    return parts


def _chunks(product, size):
    """Return `size` products that stand side by side in one."""
    arrays = {name: np.split(array, size, axis=-1) for name, array in product.items()}
    return [dict(zip(arrays, chunk)) for chunk in zip(*arrays.values())]
