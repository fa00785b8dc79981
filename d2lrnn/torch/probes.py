"""What happens inside a model: dependencies, gradients and saturation, step by step."""
import torch

from ..core.causality import dependencies
from ..core.checks import check_dropout
from ..core.probing import check_gates, check_layers, changed, saturated


def causality(model, X):
    """Return which outputs move when an input is changed, one position at a time.

    The model is left in evaluation mode.

    Args:
        model: a language model or a Tagger; or a recurrent block.
        X: indices (batch_size, num_steps) to start from; for a block, inputs.

    Shapes:
        X: (batch_size, num_steps), or (num_steps, batch_size, num_inputs) for a block.
        returned: (num_steps, num_steps), a NumPy array of bool; row i is of the output at step i,
            column j of the input at step j.
    """
    model.eval()
    device, X = next(model.parameters()).device, torch.as_tensor(X)
    is_block = X.dim() == 3

    @torch.no_grad()
    def run(X):
        """Return the outputs, batch first."""
        X = torch.as_tensor(X, device=device)
        outputs = model(X.swapaxes(0, 1))[0] if is_block else model(X)
        outputs = torch.stack(list(outputs), 1) if is_block else outputs
        return outputs.cpu().numpy()

    X = (X.swapaxes(0, 1) if is_block else X).cpu().numpy()
    return dependencies(run, X, changed(X, getattr(model, 'vocab_size', None)))


def gradient_norms(model, X, Y):
    r"""Return the norm of the loss's gradient with respect to the state of each layer and step.

    $$G_{lt} = \left\| \frac{\partial L}{\partial \mathbf{H}_t^{(l)}} \right\|$$

    The norm is over the batch and the units. The model is left in evaluation mode.

    Args:
        model: a language model or a Tagger over a `RecurrentStack` in one direction.
        X: indices.
        Y: what is to be predicted.

    Shapes:
        X, Y: (batch_size, num_steps).
        returned: (num_layers, num_steps), a NumPy array.

    Raises:
        TypeError: another block. ValueError: a block that reads in both directions.

    Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
    """
    stack, nudges = check_layers(model), []

    def nudged(i, inputs, state):
        """Return what the layer returns, with a zero added to its state, for its gradient."""
        outputs, state = stack.run_layer(i, inputs, state)
        nudges.append(torch.zeros_like(outputs[0], requires_grad=True))
        H, *C = state if stack.has_memory else [state]
        H = H + nudges[-1]
        return outputs + nudges[-1], (H, *C) if stack.has_memory else H

    outputs = _step_by_step(model, X, nudged)
    l = model.loss(model.output_layer(outputs), torch.as_tensor(Y, device=outputs.device))
    norms = torch.stack([grad.norm() for grad in torch.autograd.grad(l, nudges)])
    return norms.reshape(-1, stack.num_layers).T.cpu().numpy()


@torch.no_grad()
def saturation(model, X, limit=0.9):
    """Return the share of units that a nonlinearity holds near its bounds, by layer and step.

    A tanh is saturated where its absolute value is above `limit`; a gate where it is that near to
    0 or 1 in proportion, so above (1 + limit) / 2 or below (1 - limit) / 2. The model is left in
    evaluation mode.

    Args:
        model: a language model or a Tagger over a `RecurrentStack` in one direction, of layers
            from scratch or with layer normalization.
        X: indices.
        limit: at least 0 and below 1.

    Shapes:
        X: (batch_size, num_steps).
        returned: a dictionary, by the name of the gate (h; r z n; i f g o, and c for the tanh
            of the memory cell), of NumPy arrays (num_layers, num_steps).

    Raises:
        TypeError: another block. ValueError: a block that reads in both directions, or a limit out
            of its range.
    """
    stack = check_gates(check_layers(model))
    check_dropout(limit, 'limit')
    seen = []

    def noted(i, inputs, state):
        """Return what the layer returns, and note its gates."""
        H = state[0] if stack.has_memory else state
        values = [gate.cpu().numpy() for gate in stack.rnns[i].gates(inputs[0], H)]
        outputs, state = stack.run_layer(i, inputs, state)
        seen.append(values + [torch.tanh(state[1]).cpu().numpy()] * stack.has_memory)
        return outputs, state

    _step_by_step(model, X, noted)
    return saturated(stack.rnns[0].gate_names, seen, stack.num_layers, limit)


def _step_by_step(model, X, run_layer):
    """Return the stack's outputs; each step goes through all layers before the next."""
    model.eval()
    X = torch.as_tensor(X, device=next(model.parameters()).device)
    stack, inputs, outputs = model.rnn, model.one_hot(X), []
    Hs, masks = stack.initial_state(X.shape[0]), stack.draw_masks(inputs)
    for t in range(len(inputs)):
        H, Hs = stack.run(inputs[t:t + 1], Hs, masks, run_layer)
        outputs.append(H)
    return torch.cat(outputs)
