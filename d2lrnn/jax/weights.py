"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict
from jax import numpy as jnp

from ..core.weights import check_weights

# By a product that only this cell of Flax has: the gates, and which of a gate's two products has
# its bias.
GATES = {'ir': ('rzn', 'i'), 'ii': ('ifgo', 'h'), 'i': ('h', 'i')}


def get_weights(model, params):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Args:
        model: a language model.
        params: its parameters.
    """
    flat = flatten_dict(params)
    return {name: np.array(flat[path]) for name, path in _paths(params).items()}


def get_gradients(model, grads):
    """Return the gradients under the names and in the shapes of `get_weights`.

    Args:
        model: a language model.
        grads: the gradient of its parameters.
    """
    return get_weights(model, grads)


def set_weights(model, params, weights):
    """Return the parameters with values from a dictionary like that of `get_weights`.

    Args:
        model: a language model.
        params: its parameters.
        weights: canonical names and arrays.

    Raises:
        ValueError: a name that is missing or not the model's, or another shape.
    """
    flat, paths = flatten_dict(params), _paths(params)
    check_weights({name: flat[path].shape for name, path in paths.items()}, weights)
    new = {path: jnp.array(weights[name], flat[path].dtype) for name, path in paths.items()}
    return unflatten_dict({**flat, **new})


def _paths(params):
    """Return, by canonical name, the path of a parameter in the tree of parameters."""
    paths = {f'rnn.{name}': ('rnn', *path) for name, path in _block(params['rnn']).items()}
    if 'linear' in params:
        return {**paths, 'W_hq': ('linear', 'kernel'), 'b_q': ('linear', 'bias')}
    return {**paths, 'W_hq': ('W_hq',), 'b_q': ('b_q',)}


def _block(params):
    layers = sorted((name for name in params if name.startswith('rnns_')),
                    key=lambda name: int(name[5:]))
    cell = params[layers[0]].get('cell') if layers else None
    if cell is None:
        return {f'{i}.forward.{name}': (*layer, name)
                for i, layer in enumerate([(layer,) for layer in layers] or [()])
                for name in ('W_xh', 'W_hh', 'b_h')}
    gates, biased = next(found for product, found in GATES.items() if product in cell)
    return {f'{i}.forward.{name}': (layer, 'cell', *path)
            for i, layer in enumerate(layers) for gate in gates
            for name, path in _gate(gate, biased).items()}


def _gate(gate, biased):
    dense = {'i': 'i', 'h': 'h'} if gate == 'h' else {'i': f'i{gate}', 'h': f'h{gate}'}
    paths = {f'W_x{gate}': (dense['i'], 'kernel'), f'W_h{gate}': (dense['h'], 'kernel')}
    if gate == 'n':
        return {**paths, 'b_xn': (dense['i'], 'bias'), 'b_hn': (dense['h'], 'bias')}
    return {**paths, f'b_{gate}': (dense[biased], 'bias')}
