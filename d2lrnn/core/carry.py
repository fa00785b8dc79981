"""Where a state may go on from one batch to the next, and where it starts anew."""
import numpy as np

from .causality import is_causal
from .checks import check_sizes


def check_carry(carry_state, reset_every):
    """Raise ValueError unless the arguments of `Trainer` say which layers carry their state.

    Args:
        carry_state: True or False, or a list of them, one for each layer.
        reset_every: batches until all start anew; None for never.
    """
    each = carry_state if isinstance(carry_state, (list, tuple)) else [carry_state]
    if not each or not all(isinstance(layer, bool) for layer in each):
        raise ValueError('carry_state must be True or False, or a list of them with one for each '
                         f'layer, got {carry_state!r}')
    if reset_every is not None:
        check_sizes(reset_every=reset_every)
        if not any(each):
            raise ValueError(f'reset_every={reset_every} resets a state that carry_state='
                             f'{carry_state!r} does not carry; set carry_state, or leave it out')


def check_steps(Class):
    """Raise TypeError where a model has a step of its own that carrying the state would not call.

    Args:
        Class: of the model; it has `carried_step`.
    """
    steps = {'carried_step', 'training_step', 'validation_step'}
    nearest = next(base for base in Class.__mro__ if steps & vars(base).keys())
    if 'carried_step' not in vars(nearest):
        raise TypeError('carry_state calls carried_step instead of training_step and '
                        f'validation_step, of which {nearest.__name__} has its own; define '
                        'carried_step there, too')


def layers_that_carry(carry_state, block):
    """Return for each layer of a block whether it carries its state.

    Args:
        carry_state: as in `check_carry`.
        block: a recurrent block.

    Raises:
        ValueError: a list of another length than the block has layers, or a block that reads in
            both directions.
    """
    if carry_state is not False and not is_causal(block):
        raise ValueError(f'carry_state needs a causal rnn, got {type(block).__name__}, which reads '
                         'in both directions: the backward state of a batch comes from the batch '
                         'after it, not from the one before')
    num_layers = getattr(block, 'num_layers', 1)
    if isinstance(carry_state, bool):
        return [carry_state] * num_layers
    if len(carry_state) != num_layers:
        raise ValueError(f'carry_state must have one entry for each of the {num_layers} layers of '
                         f'{type(block).__name__}, got {len(carry_state)}')
    return list(carry_state)


def carried_batches(loader, layers, reset_every=None):
    """Yield each batch, and for each layer and row whether the state goes on into it.

    Args:
        loader: batches; its attribute `resets` says, batch by batch, which rows start a document.
        layers: for each layer whether it carries its state.
        reset_every: batches until all start anew; None for never.

    Shapes:
        keep: (num_layers, batch_size) of float32, 1 where the state goes on and 0 where it starts
            anew.

    Raises:
        ValueError: the batches do not continue one another.
    """
    resets = getattr(loader, 'resets', [] if len(loader) == 0 else None)
    if resets is None:
        raise ValueError('carry_state needs batches that continue one another, got a loader '
                         'without `resets`; use data that report them, such as '
                         'TimeMachine(..., sequential=True)')
    for i, (batch, new) in enumerate(zip(loader, resets)):
        keep = np.outer(layers, ~np.asarray(new, dtype=bool)).astype(np.float32)
        if i == 0 or (reset_every and i % reset_every == 0):
            keep[:] = 0
        yield batch, keep
