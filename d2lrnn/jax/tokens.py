"""A recurrent block between one-hot tokens and the scores of each position."""
import functools

import jax
import numpy as np
from jax import numpy as jnp

from ..core.causality import check_streaming
from ..core.checks import check_stream, check_tokens
from ..core.weights import read_weights, write_weights
from .module import Classifier
from .ops import compiled
from .weights import get_weights, set_weights


class TokenModel(Classifier):
    """What models that give scores to every token of a sequence have in common.

    A subclass has `rnn`, a recurrent block, `vocab_size` and `output_layer`.
    """

    def one_hot(self, X):
        """Return indices (batch_size, num_steps) as (num_steps, batch_size, vocab_size)."""
        check_tokens(X)
        self.check_indices(X, self.vocab_size)
        return jax.nn.one_hot(X.T, self.vocab_size)

    def forward(self, X, state=None):
        """Return the scores (batch_size, num_steps, number of classes) of all positions of X.

        Args:
            X: indices (batch_size, num_steps).
            state: the block's state before the first step; None for zeros.
        """
        return self.advance(X, state)[0]

    def advance(self, X, state=None):
        """Return the scores of all positions of X, and the block's state after the last.

        Args:
            X: indices (batch_size, num_steps).
            state: the block's state before the first step; None for zeros.
        """
        rnn_outputs, state = self.rnn(self.one_hot(X), state)
        return self.output_layer(rnn_outputs), state

    def stream(self, tokens, params, state=None):
        """Return an iterator over the scores after each token, which reads one token at a time.

        What it remembers does not grow: the block's state. The scores are those of the whole
        sequence, in evaluation mode.

        Args:
            tokens: iterable of indices, or of tensors of indices, one for each sequence.
            params: the model's parameters, such as `trainer.state.params`.
            state: the block's state before the first token; None for zeros.

        Shapes:
            scores: (number of classes,), or (batch_size, number of classes).

        Raises:
            TypeError: no indices. ValueError: an index outside the vocabulary, or a block that
                reads in both directions.
        """
        check_streaming(self.rnn)
        return self._stream(check_stream(tokens), params, state)

    def _stream(self, tokens, params, state):
        def step(params, token, state):
            """Return the scores after a token, and the state."""
            scores, state = self.apply({'params': params}, token.reshape(-1, 1), state,
                                       method='advance')
            return scores.reshape(*token.shape, -1), state

        shapes = None
        for token in tokens:
            token = np.asarray(token, dtype=np.int32)
            self.check_indices(token, self.vocab_size)
            if shapes != (shapes := jax.tree.map(np.shape, (token, state))):
                program = compiled(step, params, token, state)
            scores, state = program(params, token, state)
            yield scores

    def carried_step(self, params, batch, state, carried, keep, train):
        """Return what `training_step` does, for a batch that continues the one before, and a state.

        The state is the block's after the batch. In validation None stands for the gradient.

        Args:
            params: the model's parameters.
            batch: X and Y.
            state: the trainer's state.
            carried: the block's state after the batch before; None where there is none.
            keep: for each layer and row 1 where the state goes on, and 0 where it starts anew.
            train: whether to plot as training or as validation.

        Raises:
            TypeError: a loss that leaves out what `state.apply_fn` returns besides the scores.
        """
        apply_fn = _noting(functools.partial(state.apply_fn, method='_continue'),
                           lambda made: (made[0], {'carried': made[1]}))
        (l, found), grads = self._step(params, (batch[0], carried, keep, batch[-1]),
                                       state.replace(apply_fn=apply_fn), train)
        if 'carried' not in found:
            raise TypeError(f'carry_state needs a loss that returns what state.apply_fn returns '
                            f"for mutable=['batch_stats'], as Classifier.loss does; got "
                            f'{type(self).__name__}.loss, which does not')
        carried = found.pop('carried')
        return ((l, found), grads), carried

    def _continue(self, X, carried, keep):
        return self.advance(X, None if carried is None else restart(self.rnn, carried, keep))

    def training_step(self, params, batch, state):
        """Return what `loss` returns for a training batch and the gradient, and plot it."""
        return self._step(params, batch, state, train=True)

    def validation_step(self, params, batch, state):
        """Plot the loss of a validation batch."""
        self._step(params, batch, state, train=False)

    def _step(self, params, batch, state, train):
        apply_fn = _noting(state.apply_fn, lambda scores: (scores, {'scores': scores}))
        loss = jax.value_and_grad(self.loss, has_aux=True) if train else (
            lambda *args: (self.loss(*args), None))
        (l, found), grads = loss(params, batch[:-1], batch[-1], state.replace(apply_fn=apply_fn))
        found = dict(found)
        self.plot_step(l, found.pop('scores', None), batch[-1], train)
        return (l, found), grads

    def save_weights(self, path, params, data=None):
        """Write the parameters to a safetensors file, under canonical names.

        Args:
            path: of the file; one that is there is replaced.
            params: the model's parameters.
            data: whose vocabulary and corpus to note in the file; None for what `fit` got.
        """
        write_weights(path, self, get_weights(self, params),
                      data or getattr(self.trainer, 'data', None))

    def load_weights(self, path):
        """Return the parameters of a file that `save_weights` wrote, on whichever framework.

        Args:
            path: of the file.

        Raises:
            ValueError: the file does not fit, with all differences.
        """
        shapes = jax.eval_shape(self.init, jax.random.key(0), jnp.zeros((1, 1), dtype=jnp.int32))
        zeros = jax.tree.map(lambda array: np.zeros(array.shape, array.dtype), shapes['params'])
        weights = read_weights(path, self, get_weights(self, zeros))
        return set_weights(self, zeros, weights)


def _noting(apply_fn, note):
    """Return an `apply` that also returns, where it returns what is mutable, what is noted there.

    Args:
        apply_fn: as `apply` of a model.
        note: function of its first value that returns the one to return, and a dictionary.
    """
    def noting(*args, **kwargs):
        """Return what `apply_fn` does, and what is noted."""
        if not kwargs.get('mutable'):
            return note(apply_fn(*args, **kwargs))[0]
        value, mutable = apply_fn(*args, **kwargs)
        value, noted = note(value)
        return value, {**mutable, **noted}

    return noting


def restart(rnn, state, keep):
    """Return a state that goes on where `keep` says so, and starts anew elsewhere.

    It is cut off from what led to it, so that no gradient goes back further.

    Args:
        rnn: the block; its `initial_state(batch_size)` is where a state starts, or zeros.
        state: the block's state.
        keep: array of 1 and 0.

    Shapes:
        keep: (num_layers, batch_size).
    """
    keep = jnp.asarray(keep, dtype=bool)
    start = rnn.initial_state(keep.shape[1]) if hasattr(rnn, 'initial_state') else None
    return _restart(state, start, keep)


def _restart(state, start, keep):
    if isinstance(state, list):  # a state for each layer
        return [_restart(S, start and start[i], keep[i:i + 1]) for i, S in enumerate(state)]
    if isinstance(state, tuple):  # H and C
        return tuple(_restart(S, start and start[i], keep) for i, S in enumerate(state))
    keep = keep[..., None] if state.ndim == 3 else keep[0, :, None]  # a high-level layer's has 3
    return jnp.where(keep, jax.lax.stop_gradient(state), 0 if start is None else start)
