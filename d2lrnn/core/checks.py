"""Checks of sizes and shapes, worded alike on all backends. Shapes are tuples of integers."""


def check_len(a, n):
    """Raise ValueError unless `a` has length `n`."""
    if len(a) != n:
        raise ValueError(f'list of length {len(a)}, expected length {n}')


def check_shape(a, shape):
    """Raise ValueError unless the tensor `a` has the shape `shape`."""
    if tuple(a.shape) != tuple(shape):
        raise ValueError(f'tensor of shape {tuple(a.shape)}, expected shape {tuple(shape)}')


def check_sizes(**sizes):
    """Raise ValueError unless every named size is a positive integer."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not hasattr(size, '__index__') or size < 1:
            raise ValueError(f'{name} must be an integer of at least 1, got {size!r}')


def check_dropout(dropout):
    """Raise ValueError unless `dropout` is a probability below 1."""
    if not 0 <= dropout < 1:
        raise ValueError(f'dropout must be in [0, 1), got {dropout!r}')


def check_inputs(shape, num_inputs):
    """Raise ValueError unless inputs are time-major with the width `num_inputs`.

    Args:
        shape: shape of `inputs`.
        num_inputs: expected size of the last axis; None where any width will do.
    """
    if len(shape) != 3 or num_inputs not in (None, shape[-1]):
        width = 'num_inputs' if num_inputs is None else num_inputs
        raise ValueError(f'inputs must have the shape (num_steps, batch_size, {width}), '
                         f'got {tuple(shape)}')


def check_state(shape, expected, name='state'):
    """Raise ValueError unless a state has the expected shape.

    Args:
        shape: shape of the state given.
        expected: shape that fits the inputs and the layer.
        name: the argument's name in the message.
    """
    if tuple(shape) != tuple(expected):
        raise ValueError(f'{name} must have the shape {tuple(expected)}, got {tuple(shape)}; '
                         'pass None to start from zeros')


def check_num_states(states, num_layers, name='Hs'):
    """Raise ValueError unless there is one state a layer."""
    if len(states) != num_layers:
        raise ValueError(f'{name} must hold one state a layer, {num_layers} in all, '
                         f'got {len(states)}; pass None to start from zeros')


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


def check_pair(H_C):
    """Return the pair (H, C), or raise ValueError where an LSTM got something else."""
    if not isinstance(H_C, (tuple, list)) or len(H_C) != 2:
        length = f' of length {len(H_C)}' if hasattr(H_C, '__len__') else ''
        raise ValueError(f'H_C must be the pair (H, C), got {type(H_C).__name__}{length}; '
                         'pass None to start from zeros')
    return H_C
