"""What happens inside a model: dependencies, gradients and saturation, step by step."""
import torch

from ..core.causality import dependencies
from ..core.checks import check_numbers
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
    X = torch.as_tensor(X)
    is_block = X.dim() == 3

    @torch.no_grad()
    def run(X):
        """Return the outputs, batch first."""
        outputs = model(torch.as_tensor(X).swapaxes(0, 1))[0] if is_block else model(
            torch.as_tensor(X))
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
    stack = check_layers(model.rnn)
    model.eval()
    inputs = model.one_hot(X)
    nudges = inputs.new_zeros(X.shape[1], stack.num_layers, X.shape[0], stack.num_hiddens,
                              requires_grad=True)

    def nudged(t):
        """Return a function that runs a layer for step t, and adds zero to its state."""
        def run_layer(i, inputs, state):
            """Return the state with a zero added, for its gradient."""
            outputs, state = stack.run_layer(i, inputs, state)
            nudge = nudges[t, i]
            state = (state[0] + nudge, state[1]) if stack.has_memory else state + nudge
            return outputs + nudge, state
        return run_layer

    outputs, Hs = [], stack.initial_state(X.shape[0])
    masks = stack.draw_masks(inputs)
    for t in range(len(inputs)):
        H, Hs = stack.run(inputs[t:t + 1], Hs, masks, nudged(t))
        outputs.append(H)
    l = model.loss(model.output_layer(torch.cat(outputs)), Y)
    gradient, = torch.autograd.grad(l, nudges)
    return torch.linalg.vector_norm(gradient, dim=(2, 3)).T.cpu().numpy()


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
        limit: between 0 and 1.

    Shapes:
        X: (batch_size, num_steps).
        returned: a dictionary, by the name of the gate (h; r z n; i f g o), of NumPy arrays
            (num_layers, num_steps).

    Raises:
        TypeError: another block. ValueError: a block that reads in both directions.
    """
    stack = check_gates(check_layers(model.rnn))
    check_numbers(limit=limit)
    model.eval()
    inputs, seen = model.one_hot(X), []

    def run_layer(i, inputs, state):
        """Return what the layer returns, and note its gates."""
        H = state[0] if stack.has_memory else state
        seen.append([gate.cpu().numpy() for gate in stack.rnns[i].gates(inputs[0], H)])
        return stack.run_layer(i, inputs, state)

    Hs, masks = stack.initial_state(X.shape[0]), stack.draw_masks(inputs)
    for t in range(len(inputs)):
        _, Hs = stack.run(inputs[t:t + 1], Hs, masks, run_layer)
    return saturated(stack.rnns[0].gate_names, seen, stack.num_layers, limit)
