"""A recurrent block between one-hot tokens and the scores of each position."""
import tensorflow as tf

from ..core.causality import check_streaming
from ..core.checks import check_stream, check_tokens
from ..core.weights import read_weights, write_weights
from .module import Classifier, as_graph
from .weights import get_weights, set_weights


class TokenModel(Classifier):
    """What models that give scores to every token of a sequence have in common.

    A subclass has `rnn`, a recurrent block, `vocab_size` and `output_layer`.
    """

    def one_hot(self, X):
        """Return indices (batch_size, num_steps) as (num_steps, batch_size, vocab_size)."""
        check_tokens(X)
        self.check_indices(X, self.vocab_size)
        return tf.transpose(tf.one_hot(X, self.vocab_size), (1, 0, 2))

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

    def stream(self, tokens, state=None):
        """Return an iterator over the scores after each token, which reads one token at a time.

        What it remembers does not grow: the block's state. The scores are those of the whole
        sequence, in evaluation mode.

        Args:
            tokens: iterable of indices, or of tensors of indices, one for each sequence.
            state: the block's state before the first token; None for zeros.

        Shapes:
            scores: (number of classes,), or (batch_size, number of classes).

        Raises:
            TypeError: no indices. ValueError: an index outside the vocabulary, or a block that
                reads in both directions.
        """
        check_streaming(self.rnn)
        return self._stream(check_stream(tokens), state)

    def _stream(self, tokens, state):
        def step(X, state):
            """Return the scores (batch_size, 1, number of classes), and the state after X."""
            return self(X, state, method='advance')

        graphs = {}
        for i, token in enumerate(tokens):
            self.training = None
            token = tf.cast(token, tf.int32)
            X = tf.reshape(token, (-1, 1))
            self.check_indices(X, self.vocab_size)
            # The first token makes parameters and states; all that follow have the same shapes.
            if i > 0 and X.shape[0] not in graphs:
                graphs[X.shape[0]] = as_graph(step, X, state)
            scores, state = graphs.get(X.shape[0], step)(X, state)
            yield tf.reshape(scores, (*token.shape, -1))

    def carried_step(self, batch, state, keep, train):
        """Return the loss of a batch that continues the one before, and the state after it.

        Args:
            batch: X and Y.
            state: the block's state after the batch before; None where there is none.
            keep: for each layer and row 1 where the state goes on, and 0 where it starts anew.
            train: whether to plot as training or as validation.
        """
        if state is not None:
            state = restart(self.rnn, state, keep)
        scores, state = self(batch[0], state, method='advance')  # called, so that dropout draws
        l = self.loss(scores, batch[-1])
        self.plot_step(l, scores, batch[-1], train)
        return l, state

    def training_step(self, batch):
        """Return the loss of a training batch, and plot it."""
        return self._step(batch, train=True)

    def validation_step(self, batch):
        """Plot the loss of a validation batch."""
        self._step(batch, train=False)

    def _step(self, batch, train):
        scores = self(*batch[:-1])
        l = self.loss(scores, batch[-1])
        self.plot_step(l, scores, batch[-1], train)
        return l

    def check_batch(self, batch):
        """Raise ValueError where a token is outside the vocabulary."""
        self.check_indices(batch[0], self.vocab_size)

    def save_weights(self, path, data=None):
        """Write the parameters to a safetensors file, under canonical names.

        Args:
            path: of the file; one that is there is replaced.
            data: whose vocabulary and corpus to note in the file; None for what `fit` got.
        """
        self._give_shapes()
        write_weights(path, self, get_weights(self), data or getattr(self.trainer, 'data', None))

    def load_weights(self, path):
        """Set the parameters from a file that `save_weights` wrote, on whichever framework.

        Args:
            path: of the file.

        Raises:
            ValueError: the file does not fit, with all differences; the model is unchanged.
        """
        self._give_shapes()
        set_weights(self, read_weights(path, self, get_weights(self)))

    def _give_shapes(self):
        # Keras's layers have no weights before their first batch.
        if not all(layer.built for layer in self._flatten_layers()):
            self(tf.zeros((1, 1), tf.int32), training=False)


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
    keep = tf.cast(keep, tf.bool)
    start = rnn.initial_state(keep.shape[1]) if hasattr(rnn, 'initial_state') else None
    return _restart(state, start, keep)


def _restart(state, start, keep):
    if isinstance(state, list):  # a state for each layer
        return [_restart(S, start and start[i], keep[i:i + 1]) for i, S in enumerate(state)]
    if isinstance(state, tuple):  # H and C
        return tuple(_restart(S, start and start[i], keep) for i, S in enumerate(state))
    keep = keep[..., None]  # (num_layers, batch_size, 1)
    keep = keep if state.shape.rank == 3 else keep[0]
    return tf.where(keep, tf.stop_gradient(state), tf.zeros_like(state) if start is None else start)
