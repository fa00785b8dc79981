"""Character language models over any recurrent block."""
import math

from mxnet import autograd, init, np
from mxnet.gluon import nn

from ..core.causality import check_causal
from ..core.checks import check_sizes
from ..core.sampling import Sampler
from ..core.text import prefix_indices
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
        sigma = getattr(self.rnn, 'sigma', 0.01)
        self.W_hq = self.params.get('W_hq', shape=(num_outputs, self.vocab_size),
                                    init=init.Normal(sigma))
        self.b_q = self.params.get('b_q', shape=(self.vocab_size,), init=init.Zero())
        self.initialize()

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: num_steps tensors (batch_size, num_outputs).
            scores: (batch_size, num_steps, vocab_size).
        """
        if isinstance(rnn_outputs, list):
            rnn_outputs = np.stack(rnn_outputs)
        return np.dot(rnn_outputs.swapaxes(0, 1), self.W_hq.data()) + self.b_q.data()

    def plot_step(self, l, scores, Y, train):
        """Plot the perplexity of a batch.

        Args:
            l: its loss.
            scores: of all positions.
            Y: the tokens that follow.
            train: whether it is a training batch.
        """
        self.plot('ppl', l, train, weight=Y.size, transform=math.exp)

    def predict(self, prefix, num_preds, vocab, device=None, temperature=None, top_k=None, seed=0):
        """Return the prefix continued by `num_preds` tokens, each the most likely one or drawn.

        Args:
            prefix: text to start from, preprocessed as the corpus was.
            num_preds: tokens to add.
            vocab: the vocabulary.
            device: where to compute; None for where the model is.
            temperature: of the draw, 1 where only `top_k` is given; without both, no draw.
            top_k: how many of the most likely tokens to draw from; None for all.
            seed: of the draw; another seed, another text.
        """
        check_causal(self.rnn, 'predict')
        if device is not None:
            self.collect_params().reset_ctx(device)
        device, = self.collect_params().list_ctx()
        check_sizes(least=0, num_preds=num_preds)
        choose, outputs = Sampler(temperature, top_k, seed), prefix_indices(prefix, vocab)
        X, state = np.array([outputs], dtype=np.int32, ctx=device), None
        with autograd.pause():  # and in evaluation mode
            for _ in range(num_preds):
                rnn_outputs, state = self.rnn(self.one_hot(X), state)
                scores = self.output_layer(rnn_outputs[-1:])  # (1, 1, vocab_size)
                outputs.append(choose(scores.asnumpy().ravel()))
                X = np.array([outputs[-1:]], dtype=np.int32, ctx=device)
        return ''.join(vocab.to_tokens(outputs))


class RNNLM(RNNLMScratch):
    r"""A language model over a recurrent block, its output layer by Gluon.

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
        self.linear = nn.Dense(self.vocab_size, flatten=False)
        self.initialize()

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, vocab_size).
        """
        if isinstance(rnn_outputs, list):
            rnn_outputs = np.stack(rnn_outputs)
        return self.linear(rnn_outputs).swapaxes(0, 1)
