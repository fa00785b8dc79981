"""Labels for every token of a sequence."""
import tensorflow as tf

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

    def __init__(self, rnn, num_tags, vocab_size=None, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_tags=num_tags)
        self.vocab_size = check_vocab_size(vocab_size, rnn)
        self.linear = tf.keras.layers.Dense(num_tags)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, num_tags).
        """
        return tf.transpose(self.linear(tf.convert_to_tensor(rnn_outputs)), (1, 0, 2))

    def check_batch(self, batch):
        """Raise ValueError where a token or a label is outside its range."""
        super().check_batch(batch)
        self._check_labels(batch[-1])

    def loss(self, Y_hat, Y, averaged=True):
        """Return the cross-entropy in nats over the positions that have a label.

        Args:
            Y_hat: scores (batch_size, num_steps, num_tags).
            Y: labels (batch_size, num_steps), -1 for none.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        self._check_labels(Y)
        l = super().loss(Y_hat, tf.where(Y == NO_TAG, 0, Y), averaged=False)
        l = tf.where(tf.reshape(Y, (-1,)) == NO_TAG, 0.0, l)
        return tf.reduce_sum(l) / tf.maximum(self._count(Y), 1) if averaged else l

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the share of labels predicted right.

        Args:
            Y_hat: scores (batch_size, num_steps, num_tags).
            Y: labels (batch_size, num_steps), -1 for none.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        right = super().accuracy(Y_hat, Y, averaged=False)  # the best class is never -1
        return tf.reduce_sum(right) / tf.maximum(self._count(Y), 1) if averaged else right

    def plot_step(self, l, scores, Y, train):
        """Plot loss and accuracy of a batch.

        Args:
            l: its loss.
            scores: of all positions.
            Y: their labels.
            train: whether it is a training batch.
        """
        self.plot('loss', l, train, weight=self._count(Y))
        self.plot('acc', self.accuracy(scores, Y), train, weight=self._count(Y))

    def _count(self, Y):
        return tf.reduce_sum(tf.cast(Y != NO_TAG, tf.float32))

    def _check_labels(self, Y):
        self.check_indices(tf.boolean_mask(Y, Y != NO_TAG), self.num_tags)
