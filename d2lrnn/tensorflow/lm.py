"""Character language models over any recurrent block."""
import contextlib
import math

import tensorflow as tf

from ..core.causality import check_causal
from ..core.checks import check_sizes
from ..core.sampling import Sampler
from ..core.text import prefix_indices
from .module import as_graph
from .tokens import TokenModel


class RNNLMScratch(TokenModel):
    r"""A language model over a recurrent block, its output layer from scratch.

    $$\mathbf{O}_t = \mathbf{H}_t \mathbf{W}_{hq} + \mathbf{b}_q$$

    It plots perplexity: the exponential of the mean cross-entropy over all tokens.

    Args:
        rnn: a causal recurrent block; its outputs have the width `num_outputs`, or `num_hiddens`
            where it has no such attribute.
        vocab_size: tokens in the vocabulary.
        lr: learning rate.

    Shapes:
        W_hq: (num_outputs, vocab_size). b_q: (vocab_size,).

    Raises:
        ValueError: a block that reads in both directions, an empty prefix, or an index outside the
            vocabulary.

    Source: Mikolov et al. (2010), doi:10.21437/Interspeech.2010-343.
    """

    def __init__(self, rnn, vocab_size, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(vocab_size=vocab_size)
        check_causal(rnn, 'a language model')
        self.init_params()

    def init_params(self):
        """Make the output layer's parameters."""
        num_outputs = getattr(self.rnn, 'num_outputs', self.rnn.num_hiddens)
        normal = tf.keras.initializers.RandomNormal(stddev=getattr(self.rnn, 'sigma', 0.01))
        self.W_hq = self.add_weight((num_outputs, self.vocab_size), normal, name='W_hq')
        self.b_q = self.add_weight((self.vocab_size,), 'zeros', name='b_q')

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: num_steps tensors (batch_size, num_outputs).
            scores: (batch_size, num_steps, vocab_size).
        """
        H = tf.transpose(tf.convert_to_tensor(rnn_outputs), (1, 0, 2))  # batch first
        return tf.tensordot(H, self.W_hq, 1) + self.b_q

    def plot_step(self, l, scores, Y, train):
        """Plot the perplexity of a batch.

        Args:
            l: its loss.
            scores: of all positions.
            Y: the tokens that follow.
            train: whether it is a training batch.
        """
        self.plot('ppl', l, train, weight=Y.shape.num_elements(), transform=math.exp)

    def check_batch(self, batch):
        """Raise ValueError where an index is outside the vocabulary."""
        super().check_batch(batch)
        self.check_indices(batch[-1], self.vocab_size)

    def predict(self, prefix, num_preds, vocab, device=None, temperature=None, top_k=None, seed=0):
        """Return the prefix continued by `num_preds` tokens, each the most likely one or drawn.

        The model is left in evaluation mode.

        Args:
            prefix: text to start from, preprocessed as the corpus was.
            num_preds: tokens to add.
            vocab: the vocabulary.
            device: a context such as `try_gpu()`; None for TensorFlow's default device.
            temperature: of the draw, 1 where only `top_k` is given; without both, no draw.
            top_k: how many of the most likely tokens to draw from; None for all.
            seed: of the draw; another seed, another text.
        """
        check_causal(self.rnn, 'predict')
        self.training = None
        check_sizes(least=0, num_preds=num_preds)
        choose, outputs = Sampler(temperature, top_k, seed), prefix_indices(prefix, vocab)

        def step(X, state):
            """Return the scores (1, 1, vocab_size) of the next token, and the state after X."""
            rnn_outputs, state = self.rnn(self.one_hot(X), state)
            return self.output_layer(rnn_outputs[-1:]), state

        with device or contextlib.nullcontext():
            X, state = tf.constant([outputs], tf.int32), None
            for i in range(num_preds):
                # The prefix has a length of its own; all that follows has the same shapes.
                step = as_graph(step, X, state) if i == 1 else step
                scores, state = step(X, state)
                outputs.append(choose(scores.numpy().flatten()))
                X = tf.constant([outputs[-1:]], tf.int32)
        return ''.join(vocab.to_tokens(outputs))


class RNNLM(RNNLMScratch):
    r"""A language model over a recurrent block, its output layer by Keras.

    $$\mathbf{O}_t = \mathbf{H}_t \mathbf{W}_{hq} + \mathbf{b}_q$$

    Args:
        rnn: a causal recurrent block.
        vocab_size: tokens in the vocabulary.
        lr: learning rate.

    Raises:
        ValueError: a block that reads in both directions, an empty prefix, or an index outside the
            vocabulary.

    Source: Mikolov et al. (2010), doi:10.21437/Interspeech.2010-343.
    """

    def init_params(self):
        """Make the output layer; it takes its input width from the first batch."""
        self.linear = tf.keras.layers.Dense(self.vocab_size)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, vocab_size).
        """
        return tf.transpose(self.linear(tf.convert_to_tensor(rnn_outputs)), (1, 0, 2))
