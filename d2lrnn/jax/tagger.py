"""Labels for every token of a sequence."""
import jax
import numpy as np
from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import check_sizes, check_vocab_size
from ..core.text_labels import NO_TAG
from .tokens import TokenModel


class Tagger(TokenModel):
    r"""A classifier of every token, over any recurrent block.

    $$\mathbf{O}_t = \mathbf{H}_t \mathbf{W}_{hq} + \mathbf{b}_q$$

    The whole sequence is there at once, so that the block may read in both directions. A position
    with the label -1 counts for nothing. It plots loss and accuracy over the others.

    Args:
        rnn: a recurrent block, causal or not.
        num_tags: labels there are.
        vocab_size: tokens in the vocabulary; None for `num_inputs` of the block.
        lr: learning rate.

    Shapes:
        W_hq: (num_outputs, num_tags). b_q: (num_tags,).

    Raises:
        ValueError: a size below 1 or missing, or a label or token outside its range.

    Source: Graves and Schmidhuber (2005), doi:10.1016/j.neunet.2005.06.042.
    """
    rnn: nn.Module
    num_tags: int
    vocab_size: int = None
    lr: float = 0.01

    def __post_init__(self):
        check_sizes(num_tags=self.num_tags)
        self.vocab_size = check_vocab_size(self.vocab_size, self.rnn)
        super().__post_init__()

    def setup(self):
        """Make the output layer."""
        self.linear = nn.Dense(self.num_tags)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, num_tags).
        """
        return self.linear(jnp.asarray(rnn_outputs)).swapaxes(0, 1)

    def loss(self, params, X, Y, state, averaged=True):
        """Return the cross-entropy in nats over the positions that have a label, and statistics.

        Args:
            params: the model's parameters.
            X: a list of the arguments of `forward`.
            Y: labels (batch_size, num_steps), -1 for none.
            state: the trainer's state.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        self._check_labels(Y)
        known = Y != NO_TAG
        l, statistics = super().loss(params, X, jnp.where(known, Y, 0), state, averaged=False)
        l = jnp.where(known.reshape(-1), l, 0)
        return (l.sum() / self._count(Y).clip(1) if averaged else l), statistics

    def accuracy(self, params, X, Y, state, averaged=True):
        """Return the share of labels predicted right.

        Args:
            params: the model's parameters.
            X: a list of the arguments of `forward`.
            Y: labels (batch_size, num_steps), -1 for none.
            state: the trainer's state.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        right = super().accuracy(params, X, Y, state, averaged=False)
        return right.sum() / self._count(Y).clip(1) if averaged else right

    def plot_step(self, l, scores, Y, train):
        """Plot loss and accuracy of a batch.

        Args:
            l: its loss.
            scores: of all positions.
            Y: their labels.
            train: whether it is a training batch.
        """
        right = (scores.argmax(axis=-1) == Y).sum()
        self.plot('loss', l, train, weight=self._count(Y))
        self.plot('acc', right / self._count(Y).clip(1), train, weight=self._count(Y))

    def check_batch(self, batch):
        """Raise ValueError where a token or a label is outside its range."""
        self.check_indices(batch[0], self.vocab_size)
        self._check_labels(batch[-1])

    def _check_labels(self, Y):
        if not isinstance(Y, jax.core.Tracer):  # a compiled step cannot raise for a value
            Y = np.asarray(Y)
            self.check_indices(Y[Y != NO_TAG], self.num_tags)

    def _count(self, Y):
        return (Y != NO_TAG).sum()
