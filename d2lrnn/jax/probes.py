"""What happens inside a model: dependencies, gradients and saturation, step by step."""
from types import SimpleNamespace

import jax
import numpy as np
from flax import linen as nn
from jax import numpy as jnp

from ..core.causality import dependencies
from ..core.checks import check_dropout
from ..core.probing import check_gates, check_layers, changed, saturated
from .ops import compiled


def causality(model, params, X):
    """Return which outputs move when an input is changed, one position at a time.

    Args:
        model: a language model or a Tagger; or a recurrent block.
        params: its parameters.
        X: indices (batch_size, num_steps) to start from; for a block, inputs.

    Shapes:
        X: (batch_size, num_steps), or (num_steps, batch_size, num_inputs) for a block.
        returned: (num_steps, num_steps), a NumPy array of bool; row i is of the output at step i,
            column j of the input at step j.
    """
    X = np.asarray(X)
    is_block = X.ndim == 3
    X = X.swapaxes(0, 1) if is_block else X
    if not is_block:
        model.check_indices(X, model.vocab_size)

    def run(params, X):
        """Return the outputs, batch first."""
        outputs = model.apply({'params': params}, X.swapaxes(0, 1) if is_block else X)
        return jnp.asarray(outputs[0]).swapaxes(0, 1) if is_block else outputs

    program = compiled(run, params, X)
    return dependencies(lambda X: program(params, X), X,
                        changed(X, getattr(model, 'vocab_size', None)))


def gradient_norms(model, params, X, Y):
    r"""Return the norm of the loss's gradient with respect to the state of each layer and step.

    $$G_{lt} = \left\| \frac{\partial L}{\partial \mathbf{H}_t^{(l)}} \right\|$$

    The norm is over the batch and the units.

    Args:
        model: a language model or a Tagger over a `RecurrentStack` in one direction.
        params: its parameters.
        X: indices.
        Y: what is to be predicted.

    Shapes:
        X, Y: (batch_size, num_steps).
        returned: (num_layers, num_steps), a NumPy array.

    Raises:
        TypeError: another block. ValueError: a block that reads in both directions.

    Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
    """
    stack, (X, Y) = check_layers(model), map(np.asarray, (X, Y))
    model.check_batch((X, Y))

    def loss(nudges, params, X, Y):
        """Return the model's loss."""
        def apply_fn(variables, X, rngs=None, **kwargs):
            """Return what `apply` of the model does, in evaluation mode."""
            return model.apply(variables, X, nudges, method=_nudged_scores, **kwargs)

        state = SimpleNamespace(apply_fn=apply_fn, batch_stats={}, dropout_rng=None)
        return model.loss(params, (X,), Y, state)[0]

    nudges = jnp.zeros((X.shape[1], stack.num_layers, X.shape[0], stack.num_hiddens))
    args = nudges, params, X, Y
    gradient = compiled(jax.grad(loss), *args)(*args)
    return np.array(jnp.linalg.norm(gradient, axis=(2, 3)).T)


def saturation(model, params, X, limit=0.9):
    """Return the share of units that a nonlinearity holds near its bounds, by layer and step.

    A tanh is saturated where its absolute value is above `limit`; a gate where it is that near to
    0 or 1 in proportion, so above (1 + limit) / 2 or below (1 - limit) / 2.

    Args:
        model: a language model or a Tagger over a `RecurrentStack` in one direction, of layers
            from scratch or with layer normalization.
        params: its parameters.
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
    stack, X = check_layers(model), np.asarray(X)
    rnns = check_gates(model.bind({'params': params}).rnn).rnns
    check_dropout(limit, 'limit')
    model.check_indices(X, model.vocab_size)

    def gates(params, X):
        """Return all gates."""
        return model.apply({'params': params}, X, _noted_layer, method=_step_by_step)[1]

    layers = jax.tree.map(np.asarray, compiled(gates, params, X)(params, X))
    seen = [[gate[t] for gate in layer] for t in range(X.shape[1]) for layer in layers]
    return saturated(rnns[0].gate_names, seen, stack.num_layers, limit)


def _nudged_scores(model, X, nudges):
    return model.output_layer(_step_by_step(model, X, _nudged_layer, nudges)[0])


def _nudged_layer(stack, nudge, i, inputs, state):
    """Return what the layer returns, with a zero added to its state, for its gradient."""
    outputs, state = stack.run_layer(i, inputs, state)
    state = (state[0] + nudge[i], state[1]) if stack.has_memory else state + nudge[i]
    return outputs + nudge[i], state, None


def _noted_layer(stack, _, i, inputs, state):
    """Return what the layer returns, and its gates."""
    H = state[0] if stack.has_memory else state
    gates = list(stack.rnns[i].gates(inputs[0], H))
    outputs, state = stack.run_layer(i, inputs, state)
    return outputs, state, gates + [jnp.tanh(state[1])] * stack.has_memory


def _step_by_step(model, X, run_layer, extras=None):
    """Return the stack's outputs, and what is noted in each layer, both of all steps.

    Args:
        model: a language model or a Tagger, bound to its parameters.
        X: indices.
        run_layer: function of the stack, the step's part of `extras`, and the arguments of the
            stack's `run_layer`; returns what that one does, and what to note.
        extras: arrays with a part for each step.
    """
    inputs = model.one_hot(X)
    masks = model.rnn.draw_masks(inputs)

    def step(stack, Hs, inputs_extra):
        """Return the states after a step, its outputs, and what is noted in each layer."""
        (inputs, extra), notes = inputs_extra, []

        def noting(*args):
            """Return what the layer returns, and keep the note."""
            outputs, state, note = run_layer(stack, extra, *args)
            notes.append(note)
            return outputs, state

        outputs, Hs = stack.run(inputs[None], Hs, masks, noting)
        return Hs, (outputs[0], notes)

    scan = nn.scan(step, variable_broadcast='params', split_rngs={'params': False})
    return scan(model.rnn, model.rnn.initial_state(X.shape[0]), (inputs, extras))[1]
