"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import numpy
from mxnet import np
from mxnet.gluon import rnn

from ..core.weights import check_names, check_weights

# Gates in MXNet's order, by the layer's class.
GATES = {rnn.RNN: 'h', rnn.GRU: 'rzn', rnn.LSTM: 'ifgo'}


def get_weights(model):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Two biases that are only ever added stand as their sum.

    Args:
        model: a language model, its parameters initialized.
    """
    return {name: sum(parts) for name, parts in _parts(model, _values).items()}


def get_gradients(model):
    """Return the gradients under the names and in the shapes of `get_weights`.

    Args:
        model: a language model after `backward`.
    """
    return {name: parts[0] for name, parts in _parts(model, _gradients).items()}


def set_weights(model, weights):
    """Set the parameters from a dictionary like that of `get_weights`.

    The second of two biases that are only ever added becomes zero.

    Args:
        model: a language model, its parameters initialized.
        weights: canonical names and arrays.

    Raises:
        ValueError: a name that is missing or not the model's, or another shape.
    """
    arrays = {}  # the parameters and their new values
    targets = _parts(model, lambda param: arrays.setdefault(param, _values(param)))
    weights = check_weights({name: parts[0].shape for name, parts in targets.items()}, weights)
    for name, (first, *rest) in targets.items():
        first[...] = weights[name]
        for part in rest:
            part[...] = 0
    for param, array in arrays.items():
        param.set_data(np.array(array))


def _values(param):
    return param.data().asnumpy()


def _gradients(param):
    fixed = param.grad_req == 'null'  # the bias that stays zero
    return numpy.zeros(param.shape) if fixed else param.grad().asnumpy()


def _parts(model, view):
    """Return, by canonical name, the list of arrays whose sum it is.

    Args:
        view: function of a parameter that returns its values or its gradient in NumPy.
    """
    parts = {f'rnn.{name}': arrays for name, arrays in _block(model.rnn, view).items()}
    if hasattr(model, 'linear'):
        head = {'W_hq': [view(model.linear.weight).T], 'b_q': [view(model.linear.bias)]}
    else:
        head = {'W_hq': [view(model.W_hq)], 'b_q': [view(model.b_q)]}
    return check_names(model, {**parts, **head})


def _block(block, view):
    if hasattr(block, 'directions'):
        return _stack(block, view)
    if hasattr(block, 'norms'):
        return {f'0.forward.{name}': part for name, part in _normalized(block, view).items()}
    layers = getattr(block, 'rnns', [getattr(block, 'rnn', block)])
    if type(layers[0]) in GATES:
        return _layers(layers, view)
    stacks = ({'forward': block.f_rnns, 'backward': block.b_rnns} if hasattr(block, 'f_rnns')
              else {'forward': layers})
    return {f'{i}.{direction}.{name[len(layer.prefix):]}': [view(p)]
            for direction, stack in stacks.items()
            for i, layer in enumerate(stack) for name, p in layer.params.items()}


def _stack(block, view):
    parts = {}
    for j, rnn in enumerate(block.rnns):
        at = f'{j // block.directions}.{("forward", "backward")[j % block.directions]}.'
        layer = _block(rnn, view)
        parts.update({at + name.rsplit('.', 1)[-1]: arrays for name, arrays in layer.items()})
        parts.update({at + name: [view(getattr(block, name)[j])] for name in ('H_0', 'C_0')
                      if hasattr(block, name)})
    return parts


def _normalized(rnn, view):
    parts = {'b_hn': [view(rnn.b_hn)]} if hasattr(rnn, 'b_hn') else {}
    chunks = (numpy.split(view(dense.weight), len(rnn.gate_names)) for dense in (rnn.x, rnn.h))
    for gate, norm, W_x, W_h in zip(rnn.gate_names, rnn.norms, *chunks):
        bias = 'b_xn' if gate == 'n' else f'b_{gate}'
        parts.update({f'W_x{gate}': [W_x.T], f'W_h{gate}': [W_h.T],
                      f'g_{gate}': [view(norm.gamma)], bias: [view(norm.beta)]})
    return parts


def _layers(layers, view):
    parts, i = {}, 0
    for layer in layers:  # a reader's own may be several of the model's
        sides = {'l': 'forward'}
        if hasattr(layer, 'r0_i2h_weight'):
            sides['r'] = 'backward'
        for k in range(layer.state_info()[0]['shape'][0] // len(sides)):
            for side, direction in sides.items():
                parts.update({f'{i}.{direction}.{name}': arrays for name, arrays
                              in _gates(layer, f'{side}{k}', view).items()})
            i += 1
    return parts


def _gates(layer, at, view):
    gates, parts = GATES[type(layer)], {}
    W_x, W_h, b_x, b_h = (numpy.split(view(getattr(layer, f'{at}_{kind}')), len(gates)) for kind in
                          ('i2h_weight', 'h2h_weight', 'i2h_bias', 'h2h_bias'))
    for k, gate in enumerate(gates):
        parts[f'W_x{gate}'], parts[f'W_h{gate}'] = [W_x[k].T], [W_h[k].T]
        if gate == 'n':
            parts['b_xn'], parts['b_hn'] = [b_x[k]], [b_h[k]]
        else:
            parts[f'b_{gate}'] = [b_x[k], b_h[k]]
    return parts
