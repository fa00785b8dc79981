"""Canonical names of parameters, shaped as in the equations.

``rnn.{layer}.forward.`` and W_xh W_hh b_h for a plain layer; a gate's letter instead of h for a
gated one: r z n (GRU, with b_xn and b_hn apart) and i f g o (LSTM). ``W_hq b_q`` for the head.
"""


def check_weights(shapes, weights):
    """Raise ValueError, with all differences, unless names and shapes agree.

    Args:
        shapes: the model's canonical names and shapes.
        weights: dictionary of the arrays given.
    """
    faults = [f'{name} is missing' for name in shapes if name not in weights]
    faults += [f'{name} is not a parameter of the model' for name in weights if name not in shapes]
    faults += [f'{name} has the shape {tuple(weights[name].shape)}, expected {tuple(shape)}'
               for name, shape in shapes.items()
               if name in weights and tuple(weights[name].shape) != tuple(shape)]
    if faults:
        raise ValueError('weights do not fit the model: ' + '; '.join(faults))
