"""Which recurrent blocks are causal, and a measurement that does not take their word for it."""
import numpy as np

# Whether an output depends on inputs up to its own step alone, by the name of the block's class.
CAUSAL = {'RNNScratch': True, 'GRUScratch': True, 'LSTMScratch': True, 'StackedRNNScratch': True,
          'RNN': True, 'GRU': True, 'LSTM': True, 'BiRNNScratch': False, 'BiRNN': False,
          'BiGRU': False, 'BiLSTM': False, 'RecurrentStack': True, 'WavefrontStack': True}


def is_causal(block):
    """Return whether a block's outputs depend on no later inputs.

    An attribute `causal` of the block comes first, then `bidirectional`, then the table CAUSAL by
    the name of its class or of the nearest base in it. A block that none of them knows is taken
    for causal, as on d2l: `causality` measures it.

    Args:
        block: a recurrent block.
    """
    declared = getattr(block, 'causal', None)
    if declared is not None:
        return bool(declared)
    if getattr(block, 'bidirectional', False):
        return False
    names = (Class.__name__ for Class in type(block).__mro__)
    return next((CAUSAL[name] for name in names if name in CAUSAL), True)


def check_causal(block, what):
    """Raise ValueError where a block that reads in both directions cannot be used.

    Args:
        block: a recurrent block.
        what: what would use it, for the message.
    """
    if not is_causal(block):
        raise ValueError(
            f'rnn must be causal for {what}, got {type(block).__name__}, which reads in both '
            'directions: its output at step t depends on x_{t+1}, the token it is to predict; use '
            'a one-directional block such as GRU, or Tagger for labels of whole sequences')


def check_streaming(block):
    """Raise ValueError where a block cannot emit step by step.

    Args:
        block: a recurrent block.
    """
    if not is_causal(block):
        raise ValueError(
            f'stream needs a causal rnn, got {type(block).__name__}, which reads in both '
            'directions: its first output waits for the last input, so that all num_steps steps '
            'of a sequence must be buffered; call the model on the whole sequence instead')


def dependencies(run, X, others):
    """Return which output positions move when an input position changes.

    What moves an output by less than rounding is not seen.

    Args:
        run: function of inputs like X that returns the outputs as an array.
        X: inputs (batch_size, num_steps).
        others: inputs to put in their place, one position at a time.

    Shapes:
        outputs: (batch_size, num_steps, anything).
        returned: (num_steps, num_steps) of bool, row i for outputs at i and column j for inputs
            at j.

    Raises:
        ValueError: inputs that are no others, or outputs that are not finite.
    """
    X, others = np.asarray(X), np.asarray(others)
    if (X == others).any():
        raise ValueError('X must be such that every input can be changed, got a vocabulary of one '
                         'token, or inputs so large that adding 1 changes nothing')
    before, num_steps = np.asarray(run(X)), X.shape[1]
    if not np.isfinite(before).all():
        raise ValueError('the outputs for X must be finite, got NaN or infinity; check the '
                         'parameters')
    moved = np.zeros((before.shape[1], num_steps), dtype=bool)
    for j in range(num_steps):
        changed = X.copy()
        changed[:, j] = others[:, j]
        moved[:, j] = (np.asarray(run(changed)) != before).any(axis=(0, 2))
    return moved
