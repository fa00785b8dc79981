"""A model's parameters under canonical names, as NumPy arrays shaped as in the equations."""
import itertools

import torch
from torch import nn

from ..core.weights import check_names, check_weights

# Gates in PyTorch's order, by the layer's class.
GATES = {nn.RNN: 'h', nn.GRU: 'rzn', nn.LSTM: 'ifgo'}


def get_weights(model):
    """Return a dictionary of canonical names, such as rnn.0.forward.W_xh, and arrays.

    Two biases that are only ever added stand as their sum.

    Args:
        model: a language model, its parameters initialized.
    """
    return {name: _array(sum(parts)) for name, parts in _parts(model, torch.detach).items()}


def get_gradients(model):
    """Return the gradients under the names and in the shapes of `get_weights`.

    Args:
        model: a language model after `backward`.
    """
    # A second bias that is fixed has no gradient; the first one's is that of their sum.
    parts = _parts(model, lambda p: p.grad if p.requires_grad else p)
    return {name: _array(gradients[0]) for name, gradients in parts.items()}


def set_weights(model, weights):
    """Set the parameters from a dictionary like that of `get_weights`.

    The second of two biases that are only ever added becomes zero.

    Args:
        model: a language model, its parameters initialized.
        weights: canonical names and arrays.

    Raises:
        ValueError: a name that is missing or not the model's, or another shape.
    """
    targets = _parts(model, torch.detach)
    weights = check_weights({name: parts[0].shape for name, parts in targets.items()}, weights)
    for name, (first, *rest) in targets.items():
        first.copy_(torch.as_tensor(weights[name]))
        for part in rest:
            part.zero_()


def _array(tensor):
    return tensor.cpu().numpy().copy()


def _parts(model, view):
    """Return, by canonical name, the list of tensors whose sum it is.

    Args:
        view: what to take of a parameter, its values or its gradient.
    """
    parts = {f'rnn.{name}': tensors for name, tensors in _block(model.rnn, view).items()}
    if hasattr(model, 'linear'):
        head = {'W_hq': [view(model.linear.weight).T], 'b_q': [view(model.linear.bias)]}
    else:
        head = {'W_hq': [view(model.W_hq)], 'b_q': [view(model.b_q)]}
    return check_names(model, {**parts, **head})


def _block(block, view):
    if isinstance(getattr(block, 'rnn', None), nn.RNNBase):
        return _layers(block.rnn, view)
    if hasattr(block, 'directions'):
        return _stack(block, view)
    if hasattr(block, 'norms'):
        return {f'0.forward.{name}': part for name, part in _normalized(block, view).items()}
    stacks = ({'forward': block.f_rnns, 'backward': block.b_rnns} if hasattr(block, 'f_rnns')
              else {'forward': getattr(block, 'rnns', [block])})
    return {f'{i}.{direction}.{name}': [view(p)] for direction, rnns in stacks.items()
            for i, rnn in enumerate(rnns) for name, p in rnn.named_parameters()}


def _stack(block, view):
    parts = {}
    for j, rnn in enumerate(block.rnns):
        at = f'{j // block.directions}.{("forward", "backward")[j % block.directions]}.'
        layer = _block(rnn, view)
        parts.update({at + name.rsplit('.', 1)[-1]: tensors for name, tensors in layer.items()})
        parts.update({at + name: [view(getattr(block, name)[j])] for name in ('H_0', 'C_0')
                      if hasattr(block, name)})
    return parts


def _normalized(rnn, view):
    parts = {'b_hn': [view(rnn.b_hn)]} if hasattr(rnn, 'b_hn') else {}
    chunks = (view(linear.weight).chunk(len(rnn.gate_names)) for linear in (rnn.x, rnn.h))
    for gate, norm, W_x, W_h in zip(rnn.gate_names, rnn.norms, *chunks):
        bias = 'b_xn' if gate == 'n' else f'b_{gate}'
        parts.update({f'W_x{gate}': [W_x.T], f'W_h{gate}': [W_h.T],
                      f'g_{gate}': [view(norm.weight)], bias: [view(norm.bias)]})
    return parts


def _layers(rnn, view):
    gates, parts = GATES[type(rnn)], {}
    directions = {'forward': '', 'backward': '_reverse'} if rnn.bidirectional else {'forward': ''}
    for i, (direction, suffix) in itertools.product(range(rnn.num_layers), directions.items()):
        W_x, W_h, b_x, b_h = (view(getattr(rnn, f'{kind}_l{i}{suffix}')).chunk(len(gates))
                              for kind in ('weight_ih', 'weight_hh', 'bias_ih', 'bias_hh'))
        for k, gate in enumerate(gates):
            at = f'{i}.{direction}.'
            parts[f'{at}W_x{gate}'], parts[f'{at}W_h{gate}'] = [W_x[k].T], [W_h[k].T]
            if gate == 'n':
                parts[f'{at}b_xn'], parts[f'{at}b_hn'] = [b_x[k]], [b_h[k]]
            else:
                parts[f'{at}b_{gate}'] = [b_x[k], b_h[k]]
    return parts
