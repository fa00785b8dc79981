"""Character language models over any recurrent block."""
import math

from mxnet import autograd, init, np, npx
from mxnet.gluon import nn
from mxnet.gluon.utils import shape_is_known

from ..core.checks import check_sizes, check_tokens
from ..core.sampling import Sampler
from ..core.text import prefix_indices
from ..core.weights import read_weights, write_weights
from .module import Classifier
from .weights import get_weights, set_weights


class RNNLMScratch(Classifier):
    r"""A language model over a recurrent block, its output layer from scratch.

    $$\mathbf{O}_t = \mathbf{H}_t \mathbf{W}_{hq} + \mathbf{b}_q$$

    It plots perplexity: the exponential of the mean cross-entropy over all tokens.

    Args:
        rnn: a recurrent block; its outputs have the width `num_outputs`, or `num_hiddens` where
            it has no such attribute.
        vocab_size: tokens in the vocabulary.
        lr: learning rate.

    Shapes:
        W_hq: (num_outputs, vocab_size). b_q: (vocab_size,).

    Raises:
        ValueError: an empty prefix, or an index outside the vocabulary.

    Source: Mikolov et al. (2010), doi:10.21437/Interspeech.2010-343.
    """

    def __init__(self, rnn, vocab_size, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(vocab_size=vocab_size)
        self.init_params()

    def init_params(self):
        """Make the output layer's parameters."""
        num_outputs = getattr(self.rnn, 'num_outputs', self.rnn.num_hiddens)
        sigma = getattr(self.rnn, 'sigma', 0.01)
        self.W_hq = self.params.get('W_hq', shape=(num_outputs, self.vocab_size),
                                    init=init.Normal(sigma))
        self.b_q = self.params.get('b_q', shape=(self.vocab_size,), init=init.Zero())
        self.initialize()

    def one_hot(self, X):
        """Return indices (batch_size, num_steps) as (num_steps, batch_size, vocab_size)."""
        check_tokens(X)
        self.check_indices(X, self.vocab_size)
        return npx.one_hot(X.T, self.vocab_size)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: num_steps tensors (batch_size, num_outputs).
            scores: (batch_size, num_steps, vocab_size).
        """
        if isinstance(rnn_outputs, list):
            rnn_outputs = np.stack(rnn_outputs)
        return np.dot(rnn_outputs.swapaxes(0, 1), self.W_hq.data()) + self.b_q.data()

    def forward(self, X, state=None):
        """Return the scores (batch_size, num_steps, vocab_size) of the next tokens of X.

        Args:
            X: indices (batch_size, num_steps).
            state: the block's state before the first step; None for zeros.
        """
        rnn_outputs, _ = self.rnn(self.one_hot(X), state)
        return self.output_layer(rnn_outputs)

    def training_step(self, batch):
        """Return the loss of a training batch, and plot perplexity."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('ppl', l, train=True, weight=batch[-1].size, transform=math.exp)
        return l

    def validation_step(self, batch):
        """Plot the perplexity of a validation batch."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('ppl', l, train=False, weight=batch[-1].size, transform=math.exp)

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
        params = self.collect_params()
        if not all(shape_is_known(param.shape) for param in params.values()):
            device, = params.list_ctx()
            self(np.zeros((1, 1), dtype=np.int32, ctx=device))


class RNNLM(RNNLMScratch):
    r"""A language model over a recurrent block, its output layer by Gluon.

    $$\mathbf{O}_t = \mathbf{H}_t \mathbf{W}_{hq} + \mathbf{b}_q$$

    Args:
        rnn: a recurrent block.
        vocab_size: tokens in the vocabulary.
        lr: learning rate.

    Raises:
        ValueError: an empty prefix, or an index outside the vocabulary.

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
