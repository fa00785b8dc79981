"""What the probes of all backends share."""
import numpy as np

TANH = 'hngc'  # what is a tanh, c that of the memory cell; the others are sigmoids


def changed(X, vocab_size=None):
    """Return inputs of which none equals that of X.

    Args:
        X: indices, or inputs of a block.
        vocab_size: tokens there are, for indices.
    """
    return X + 1 if vocab_size is None else (X + 1) % vocab_size


def check_layers(model):
    """Return a model's block, whose layers can be run one step at a time, or raise an error.

    Args:
        model: a language model or a Tagger.

    Raises:
        TypeError: no `RecurrentStack`. ValueError: one that reads in both directions.
    """
    block = getattr(model, 'rnn', None)
    if block is None or not hasattr(model, 'output_layer'):
        raise TypeError('model must be a language model or a Tagger over a RecurrentStack, got '
                        f'{type(model).__name__}')
    if not hasattr(block, 'run_layer'):
        raise TypeError(f'the model must have a RecurrentStack, whose layers run one by one, got '
                        f'{type(block).__name__}; build one with the same cell and copy the '
                        'weights with set_weights and get_weights')
    if block.directions != 1:
        raise ValueError('the stack must read in one direction to be run step by step, got '
                         'bidirectional=True')
    return block


def check_gates(block):
    """Return a stack whose layers show their gates, or raise TypeError.

    Args:
        block: a `RecurrentStack`.
    """
    if not hasattr(block.rnns[0], 'gates'):
        raise TypeError('the stack must be of layers that show their gates, got '
                        f'cell={block.cell!r}; use cell={block.cell + "Scratch"!r} (a GRU then '
                        'resets before the product, and has other weights), or layer_norm=True')
    return block


def saturated(gate_names, seen, num_layers, limit):
    """Return the share of saturated units of each gate, by layer and step.

    Args:
        gate_names: in the order of `seen`.
        seen: for each step and layer the list of the gates' values, and of tanh(C) where there is a
            forget gate.
        num_layers: layers.
        limit: absolute value above which a tanh is saturated; a gate s counts as 2 s - 1.

    Shapes:
        returned: a dictionary of arrays (num_layers, num_steps).
    """
    found = {}
    for k, name in enumerate(gate_names + 'c' * ('f' in gate_names)):
        values = np.array([gates[k] for gates in seen])
        values = values if name in TANH else 2 * values - 1
        found[name] = (abs(values) > limit).mean((1, 2)).reshape(-1, num_layers).T
    return found
