"""Checks of sizes and shapes, worded alike on all backends."""
import math
import numbers
from collections.abc import Iterator

LAYER_NORM_EPS = 1e-5  # added to the variance, so that it is never zero


def check_len(a, n):
    """Raise ValueError unless `a` has length `n`."""
    if len(a) != n:
        raise ValueError(f'list of length {len(a)}, expected length {n}')


def check_shape(a, shape):
    """Raise ValueError unless the tensor `a` has the shape `shape`."""
    if tuple(a.shape) != tuple(shape):
        raise ValueError(f'tensor of shape {tuple(a.shape)}, expected shape {tuple(shape)}')


def check_sizes(least=1, **sizes):
    """Raise ValueError unless every named size is an integer of at least `least`."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, numbers.Integral) or size < least:
            raise ValueError(f'{name} must be an integer of at least {least}, got {size!r}')


def check_flags(**flags):
    """Raise ValueError unless every named value is True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f'{name} must be True or False, got {flag!r}')


def check_stack(cells, cell, num_inputs, num_hiddens, num_layers, sigma, bidirectional=False,
                remat=None, dropouts=(), **flags):
    """Raise ValueError for arguments of a stack of recurrent layers out of their range.

    Args:
        cells: names that `cell` may be.
        cell, num_inputs, num_hiddens, num_layers, sigma, bidirectional, remat: the arguments.
        dropouts: dictionary of names and probabilities.
        flags: what must be True or False.
    """
    check_choice(cells, cell=cell)
    check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens, num_layers=num_layers)
    check_numbers(sigma=sigma)
    check_flags(bidirectional=bidirectional, **flags)
    for name, dropout in dict(dropouts).items():
        check_dropout(dropout, name)
    if remat is not None:
        check_sizes(remat=remat)
        if bidirectional:
            raise ValueError(f'remat={remat} needs bidirectional=False: a layer that reads '
                             'backward needs all steps of the layer below before its first one')


def check_vocab_size(vocab_size, rnn):
    """Return the size of the vocabulary, `num_inputs` of the block where it is None.

    Args:
        vocab_size: tokens in the vocabulary, or None.
        rnn: a recurrent block.

    Raises:
        ValueError: a size below 1, or None and the block has no `num_inputs`.
    """
    if vocab_size is None:
        vocab_size = getattr(rnn, 'num_inputs', None)
    if vocab_size is None:
        raise ValueError(f'vocab_size must be given, as {type(rnn).__name__} has no num_inputs to '
                         'take it from; pass len(data.vocab)')
    check_sizes(vocab_size=vocab_size)
    return vocab_size


def check_dropout(dropout, name='dropout'):
    """Raise ValueError unless `dropout` is a probability below 1."""
    number = isinstance(dropout, numbers.Real) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout < 1:
        raise ValueError(f'{name} must be in [0, 1), got {dropout!r}')


def check_choice(choices, **values):
    """Raise ValueError unless every named value is one of `choices`."""
    for name, value in values.items():
        if value not in tuple(choices):
            raise ValueError(f'{name} must be one of {", ".join(map(str, choices))}, got {value!r}')


def check_numbers(**values):
    """Raise ValueError unless every named value is a finite number of at least 0."""
    for name, value in values.items():
        if not isinstance(value, numbers.Real) or not 0 <= value < math.inf:
            raise ValueError(f'{name} must be a number of at least 0, got {value!r}')


def check_inputs(inputs, num_inputs):
    """Return inputs, or raise an error unless they are time-major with the width `num_inputs`.

    Args:
        inputs: a tensor, or a list with a tensor for each step; an iterator becomes a list, such
            as `reversed(inputs)`.
        num_inputs: expected size of the last axis; None where any width will do.

    Raises:
        TypeError: no tensor. ValueError: a tensor of another shape.
    """
    inputs = list(inputs) if isinstance(inputs, Iterator) else inputs
    width = 'num_inputs' if num_inputs is None else num_inputs
    expected = f'the shape (num_steps, batch_size, {width})'
    is_list = isinstance(inputs, (list, tuple)) and len(inputs) > 0
    if not all(hasattr(step, 'shape') for step in (inputs if is_list else [inputs])):
        raise TypeError(f'inputs must be a tensor of {expected}, got {type(inputs).__name__}')
    shapes = sorted({tuple(step.shape) for step in inputs}) if is_list else []
    if len(shapes) > 1:
        raise ValueError(f'inputs must have {expected}, got steps of the shapes '
                         f'{", ".join(map(str, shapes))}')
    shape = (len(inputs), *shapes[0]) if is_list else tuple(inputs.shape)
    if len(shape) != 3 or num_inputs not in (None, shape[-1]) or 0 in shape:
        raise ValueError(f'inputs must have {expected}, got {shape}')
    return inputs


def check_stream(tokens):
    """Return an iterator over tokens, each an index or a tensor of indices, or raise TypeError."""
    if isinstance(tokens, (str, bytes)) or not hasattr(tokens, '__iter__'):
        raise TypeError('tokens must be an iterable of indices, or of tensors of indices, got '
                        f'{tokens!r}; use vocab[list(text)] for the indices of a text')

    def checked():
        for token in tokens:
            if not isinstance(token, numbers.Integral) and not hasattr(token, 'shape'):
                raise TypeError(f'a token must be an index or a tensor of indices, got {token!r}')
            yield token

    return checked()


def check_tokens(X):
    """Raise ValueError unless X has the two axes of a batch of sequences."""
    if len(X.shape) != 2:
        raise ValueError(f'X must have the shape (batch_size, num_steps), got {tuple(X.shape)}')


def check_state(state, expected, name='state'):
    """Raise an error unless a state has the expected shape.

    Args:
        state: the state given.
        expected: shape that fits the inputs and the layer.
        name: the argument's name in the message.

    Raises:
        TypeError: no tensor. ValueError: a tensor of another shape.
    """
    if not hasattr(state, 'shape'):
        raise TypeError(f'{name} must be a tensor of the shape {tuple(expected)}, got '
                        f'{type(state).__name__}; pass None to start from zeros')
    if tuple(state.shape) != tuple(expected):
        raise ValueError(f'{name} must have the shape {tuple(expected)}, got '
                         f'{tuple(state.shape)}; pass None to start from zeros')


def check_single(state, name='state'):
    """Return a state that may stand alone in a tuple or list.

    Args:
        state: the state, or a sequence that holds it and nothing else.
        name: the argument's name in the message.

    Raises:
        ValueError: the sequence has another length.
    """
    if not isinstance(state, (tuple, list)):
        return state
    if len(state) != 1:
        raise ValueError(f'{name} must be one tensor, got {type(state).__name__} of length '
                         f'{len(state)}; pass None to start from zeros')
    return state[0]


def check_states(states, num_layers, shape, directions=1, name='Hs', pairs=False):
    """Return the list of states, or raise an error unless each layer and direction has one.

    Args:
        states: list of the states, in which None stands for zeros; None for zeros in all.
        num_layers: layers.
        shape: shape that fits each.
        directions: 2 for a bidirectional stack.
        name: the argument's name in the message.
        pairs: whether each is a pair (H, C) of such tensors, as an LSTM has it.

    Raises:
        TypeError: no list, or something else than tensors in it. ValueError: another number or
            shape.
    """
    if states is None:
        return [None] * (directions * num_layers)
    each = 'one state a layer' + (' and direction' if directions > 1 else '')
    expected = f'{name} must hold {each}, {directions * num_layers} in all'
    if not isinstance(states, (list, tuple)):
        raise TypeError(f'{expected}, in a list, got {type(states).__name__}; '
                        'pass None to start from zeros')
    if len(states) != directions * num_layers:
        raise ValueError(f'{expected}, got {len(states)}; pass None to start from zeros')
    found = []
    for i, state in enumerate(states):
        at = f'{name}[{i}]'
        parts = {at: check_single(state, at)} if not pairs or state is None else dict(
            zip((f'the H of {at}', f'the C of {at}'), check_pair(state, at)))
        for part_name, part in parts.items():
            if part is not None:
                check_state(part, shape, part_name)
        found.append(tuple(parts.values()) if len(parts) > 1 else parts[at])
    return found


def check_finite_lengths(num_windows, wanted, name):
    """Raise ValueError where a corpus has fewer windows than training and validation take.

    Args:
        num_windows: windows the corpus has.
        wanted: windows that are needed.
        name: the corpus.
    """
    if num_windows < wanted:
        raise ValueError(f'{name} has {num_windows} windows, but num_train and num_val take '
                         f'{wanted} with the gap between them; lower num_train or num_val')


def check_pair(H_C, name='H_C'):
    """Return the pair (H, C), or raise ValueError where an LSTM got something else."""
    is_list = isinstance(H_C, (tuple, list))
    if is_list and len(H_C) == 2 and all(part is not None for part in H_C):
        return H_C
    what = (f'a tensor of the shape {tuple(H_C.shape)}' if hasattr(H_C, 'shape') else
            f'{type(H_C).__name__} of length {len(H_C)}' if is_list and len(H_C) != 2 else
            'None in it' if is_list else type(H_C).__name__)
    raise ValueError(f'{name} must be the pair (H, C), got {what}; pass None to start from zeros')
