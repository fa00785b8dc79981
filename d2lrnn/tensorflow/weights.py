"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import numpy as np
import tensorflow as tf

from ..core.weights import check_names, check_weights

# Gates in Keras's order, by the cell's class.
GATES = {tf.keras.layers.SimpleRNNCell: 'h', tf.keras.layers.GRUCell: 'zrn',
         tf.keras.layers.LSTMCell: 'ifgo'}


def get_weights(model):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Two biases that are only ever added stand as their sum.

    Args:
        model: a language model, its parameters initialized.
    """
    return {name: sum(v.numpy()[index] for v, index in parts)
            for name, parts in _parts(model).items()}


def get_gradients(model, grads):
    """Return the gradients under the names and in the shapes of `get_weights`.

    Args:
        model: a language model.
        grads: list of the gradients of `model.trainable_variables`.
    """
    arrays = {id(v): tf.convert_to_tensor(g).numpy()
              for v, g in zip(model.trainable_variables, grads)}
    return {name: arrays[id(parts[0][0])][parts[0][1]] for name, parts in _parts(model).items()}


def set_weights(model, weights):
    """Set the parameters from a dictionary like that of `get_weights`.

    The second of two biases that are only ever added becomes zero.

    Args:
        model: a language model, its parameters initialized.
        weights: canonical names and arrays.

    Raises:
        ValueError: a name that is missing or not the model's, or another shape.
    """
    targets = _parts(model)
    variables = {id(v): v for places in targets.values() for v, _ in places}
    arrays = {key: v.numpy() for key, v in variables.items()}
    shapes = {name: arrays[id(v)][index].shape for name, ((v, index), *_) in targets.items()}
    weights = check_weights(shapes, weights)
    for name, ((v, index), *rest) in targets.items():
        arrays[id(v)][index] = weights[name]
        for v, index in rest:
            arrays[id(v)][index] = 0
    for key, v in variables.items():
        v.assign(arrays[key])


def _parts(model):
    """Return, by canonical name, the list of variables and places in them whose sum it is."""
    parts = {f'rnn.{name}': places for name, places in _block(model.rnn).items()}
    if hasattr(model, 'linear'):
        W_hq, b_q = model.linear.kernel, model.linear.bias
    else:
        W_hq, b_q = model.W_hq, model.b_q
    return check_names(model, {**parts, 'W_hq': [(W_hq, ...)], 'b_q': [(b_q, ...)]})


def _block(block):
    if hasattr(block, 'directions'):
        return _stack(block)
    if hasattr(block, 'norms'):
        return {f'0.forward.{name}': part for name, part in _normalized(block).items()}
    return {f'{i}.{direction}.{name}': places
            for direction, rnns in _stacks(block).items() for i, rnn in enumerate(rnns)
            for name, places in (_cell(rnn) if type(rnn) in GATES else _scratch(rnn)).items()}


def _stack(block):
    parts = {}
    for j, rnn in enumerate(block.rnns):
        at = f'{j // block.directions}.{("forward", "backward")[j % block.directions]}.'
        layer = _block(rnn)
        parts.update({at + name.rsplit('.', 1)[-1]: places for name, places in layer.items()})
        parts.update({at + name: [(getattr(block, name)[j], ...)] for name in ('H_0', 'C_0')
                      if hasattr(block, name)})
    return parts


def _normalized(rnn):
    parts = {'b_hn': [(rnn.b_hn, ...)]} if hasattr(rnn, 'b_hn') else {}
    for k, (gate, norm) in enumerate(zip(rnn.gate_names, rnn.norms)):
        columns = np.s_[:, k * rnn.num_hiddens:(k + 1) * rnn.num_hiddens]
        bias = 'b_xn' if gate == 'n' else f'b_{gate}'
        parts.update({f'W_x{gate}': [(rnn.x.kernel, columns)],
                      f'W_h{gate}': [(rnn.h.kernel, columns)],
                      f'g_{gate}': [(norm.gamma, ...)], bias: [(norm.beta, ...)]})
    return parts


def _stacks(block):
    """Return a list for each direction: the layers from scratch, or Keras's cells."""
    if hasattr(block, 'f_rnns'):
        return {'forward': block.f_rnns, 'backward': block.b_rnns}
    rnns = getattr(block, 'rnns', None) or [getattr(block, 'rnn', block)]
    if isinstance(rnns[0], tf.keras.layers.Bidirectional):
        return {'forward': _cells(rnn.forward_layer for rnn in rnns),
                'backward': _cells(rnn.backward_layer for rnn in rnns)}
    return {'forward': _cells(rnns)}


def _cells(rnns):
    """Return Keras's cells, of which one layer may have several; other layers as they are."""
    cells = [getattr(rnn, 'cell', rnn) for rnn in rnns]
    return [part for cell in cells for part in getattr(cell, 'cells', [cell])]


def _scratch(rnn):
    return {name: [(v, ...)] for name, v in vars(rnn).items()
            if isinstance(v, (tf.Variable, tf.keras.Variable))}


def _cell(cell):
    kernel, recurrent, bias = cell.kernel, cell.recurrent_kernel, cell.bias
    parts = {}
    for k, gate in enumerate(GATES[type(cell)]):
        columns = np.s_[k * cell.units:(k + 1) * cell.units]
        parts[f'W_x{gate}'] = [(kernel, np.s_[:, columns])]
        parts[f'W_h{gate}'] = [(recurrent, np.s_[:, columns])]
        if bias.shape.rank == 1:
            parts[f'b_{gate}'] = [(bias, columns)]
        elif gate == 'n':
            parts['b_xn'], parts['b_hn'] = [(bias, (0, columns))], [(bias, (1, columns))]
        else:
            parts[f'b_{gate}'] = [(bias, (0, columns)), (bias, (1, columns))]
    return parts
