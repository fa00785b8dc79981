"""Character language models over any recurrent block."""
import math

import jax
import numpy as np
from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import check_sizes, check_tokens
from ..core.sampling import Sampler
from ..core.text import prefix_indices
from ..core.weights import read_weights, write_weights
from .module import Classifier
from .ops import compiled
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
    rnn: nn.Module
    vocab_size: int
    lr: float = 0.01

    def __post_init__(self):
        check_sizes(vocab_size=self.vocab_size)
        super().__post_init__()

    def setup(self):
        """Make the output layer."""
        self.init_params()

    def init_params(self):
        """Make the output layer's parameters."""
        normal = nn.initializers.normal(getattr(self.rnn, 'sigma', 0.01))
        num_outputs = getattr(self.rnn, 'num_outputs', self.rnn.num_hiddens)
        self.W_hq = self.param('W_hq', normal, (num_outputs, self.vocab_size))
        self.b_q = self.param('b_q', nn.initializers.zeros, (self.vocab_size,))

    def one_hot(self, X):
        """Return indices (batch_size, num_steps) as (num_steps, batch_size, vocab_size)."""
        check_tokens(X)
        self.check_indices(X, self.vocab_size)
        return jax.nn.one_hot(X.T, self.vocab_size)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: num_steps tensors (batch_size, num_outputs).
            scores: (batch_size, num_steps, vocab_size).
        """
        return (jnp.stack(rnn_outputs) @ self.W_hq + self.b_q).swapaxes(0, 1)

    def forward(self, X, state=None):
        """Return the scores (batch_size, num_steps, vocab_size) of the next tokens of X.

        Args:
            X: indices (batch_size, num_steps).
            state: the block's state before the first step; None for zeros.
        """
        rnn_outputs, _ = self.rnn(self.one_hot(X), state)
        return self.output_layer(rnn_outputs)

    def training_step(self, params, batch, state):
        """Return what `loss` returns for a training batch and the gradient; plot perplexity."""
        value, grads = jax.value_and_grad(self.loss, has_aux=True)(
            params, batch[:-1], batch[-1], state)
        self.plot('ppl', value[0], train=True, weight=batch[-1].size, transform=math.exp)
        return value, grads

    def validation_step(self, params, batch, state):
        """Plot the perplexity of a validation batch."""
        l, _ = self.loss(params, batch[:-1], batch[-1], state)
        self.plot('ppl', l, train=False, weight=batch[-1].size, transform=math.exp)

    def check_batch(self, batch):
        """Raise ValueError where an index is outside the vocabulary."""
        for indices in batch[0], batch[-1]:
            self.check_indices(indices, self.vocab_size)

    def predict(self, prefix, num_preds, vocab, params, temperature=None, top_k=None, seed=0):
        """Return the prefix continued by `num_preds` tokens, each the most likely one or drawn.

        Args:
            prefix: text to start from, preprocessed as the corpus was.
            num_preds: tokens to add.
            vocab: the vocabulary.
            params: the model's parameters, such as `trainer.state.params`.
            temperature: of the draw, 1 where only `top_k` is given; without both, no draw.
            top_k: how many of the most likely tokens to draw from; None for all.
            seed: of the draw; another seed, another text.
        """
        check_sizes(least=0, num_preds=num_preds)
        choose, outputs = Sampler(temperature, top_k, seed), prefix_indices(prefix, vocab)
        X, state = np.array([outputs], dtype=np.int32), None
        self.check_indices(X, self.vocab_size)
        for i in range(num_preds):
            if i < 2:  # the whole prefix, then one token at a time
                step = compiled(lambda params, *args: self.apply(
                    {'params': params}, *args, method='_next_scores'), params, X, state)
            scores, state = step(params, X, state)
            outputs.append(choose(scores))
            X = np.array([outputs[-1:]], dtype=np.int32)
        return ''.join(vocab.to_tokens(outputs))

    def _next_scores(self, X, state):
        rnn_outputs, state = self.rnn(self.one_hot(X), state)
        return self.output_layer(rnn_outputs[-1:]).flatten(), state  # (vocab_size,)

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


class RNNLM(RNNLMScratch):
    r"""A language model over a recurrent block, its output layer by Flax.

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
        self.linear = nn.Dense(self.vocab_size)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, vocab_size).
        """
        return self.linear(jnp.asarray(rnn_outputs)).swapaxes(0, 1)
