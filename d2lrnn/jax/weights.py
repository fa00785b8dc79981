"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict
from jax import numpy as jnp

from ..core.weights import check_weights
from .gru import GRU
from .lstm import LSTM
from .rnn import RNN

# Gates of the layers' classes, and which of a gate's two products has its bias in Flax.
GATES = {GRU: ('rzn', 'i'), LSTM: ('ifgo', 'h'), RNN: ('h', 'i')}


def get_weights(model, params):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Args:
        model: a language model.
        params: its parameters.
    """
    flat = flatten_dict(params)
    return {name: np.array(flat[path]) for name, path in _paths(model, params).items()}


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
    flat, paths = flatten_dict(params), _paths(model, params)
    check_weights({name: flat[path].shape for name, path in paths.items()}, weights)
    new = {path: jnp.array(weights[name], flat[path].dtype) for name, path in paths.items()}
    return unflatten_dict({**flat, **new})


def _paths(model, params):
    """Return, by canonical name, the path of a parameter in the tree of parameters."""
    paths = {f'rnn.{name}': ('rnn', *path) for name, path in _block(model.rnn).items()}
    if 'linear' in params:
        return {**paths, 'W_hq': ('linear', 'kernel'), 'b_q': ('linear', 'bias')}
    return {**paths, 'W_hq': ('W_hq',), 'b_q': ('b_q',)}


def _block(block):
    gates, biased = next((found for Class, found in GATES.items() if isinstance(block, Class)),
                         (None, None))
    if gates is None:
        names = ('W_xh', 'W_hh', 'b_h')
        layers = [(f'rnns_{i}',) for i in range(getattr(block, 'num_layers', 0))] or [()]
        return {f'{i}.forward.{name}': (*layer, name)
                for i, layer in enumerate(layers) for name in names}
    return {f'{i}.forward.{name}': (f'rnns_{i}', 'cell', *path)
            for i in range(block.num_layers) for gate in gates
            for name, path in _gate(gate, biased).items()}


def _gate(gate, biased):
    dense = {'i': 'i', 'h': 'h'} if gate == 'h' else {'i': f'i{gate}', 'h': f'h{gate}'}
    paths = {f'W_x{gate}': (dense['i'], 'kernel'), f'W_h{gate}': (dense['h'], 'kernel')}
    if gate == 'n':
        return {**paths, 'b_xn': (dense['i'], 'bias'), 'b_hn': (dense['h'], 'bias')}
    return {**paths, f'b_{gate}': (dense[biased], 'bias')}
