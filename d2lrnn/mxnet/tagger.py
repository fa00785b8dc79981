"""Labels for every token of a sequence."""
from mxnet import np, npx
from mxnet.gluon import nn

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
        self.linear = nn.Dense(num_tags, flatten=False)
        self.initialize()

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, num_tags).
        """
        if isinstance(rnn_outputs, list):
            rnn_outputs = np.stack(rnn_outputs)
        return self.linear(rnn_outputs).swapaxes(0, 1)

    def loss(self, Y_hat, Y, averaged=True):
        """Return the cross-entropy in nats over the positions that have a label.

        Args:
            Y_hat: scores (batch_size, num_steps, num_tags).
            Y: labels (batch_size, num_steps), -1 for none.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        self.check_indices(Y[Y != NO_TAG], self.num_tags)
        Y_hat, Y = Y_hat.reshape(-1, Y_hat.shape[-1]), Y.reshape(-1)
        l = -npx.pick(npx.log_softmax(Y_hat), Y) * (Y != NO_TAG)
        return l.sum() / np.maximum(self._count(Y), 1) if averaged else l

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the share of labels predicted right.

        Args:
            Y_hat: scores (batch_size, num_steps, num_tags).
            Y: labels (batch_size, num_steps), -1 for none.
            averaged: the mean over all labels; False for one value a position, zero without label.
        """
        best, Y = Y_hat.argmax(axis=-1).reshape(-1), Y.reshape(-1).astype(np.int64)
        right = (best == Y).astype(np.float32)
        return right.sum() / np.maximum(self._count(Y), 1) if averaged else right

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
        return (Y != NO_TAG).astype(np.float32).sum()
