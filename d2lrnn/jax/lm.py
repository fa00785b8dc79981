"""Character language models over any recurrent block."""
import math

import numpy as np
from flax import linen as nn
from jax import numpy as jnp

from ..core.causality import check_causal
from ..core.checks import check_sizes
from ..core.sampling import Sampler
from ..core.text import prefix_indices
from .ops import compiled
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
    rnn: nn.Module
    vocab_size: int
    lr: float = 0.01

    def __post_init__(self):
        check_sizes(vocab_size=self.vocab_size)
        check_causal(self.rnn, 'a language model')
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

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: num_steps tensors (batch_size, num_outputs).
            scores: (batch_size, num_steps, vocab_size).
        """
        return (jnp.stack(rnn_outputs) @ self.W_hq + self.b_q).swapaxes(0, 1)

    def plot_step(self, l, scores, Y, train):
        """Plot the perplexity of a batch.

        Args:
            l: its loss.
            scores: of all positions.
            Y: the tokens that follow.
            train: whether it is a training batch.
        """
        self.plot('ppl', l, train, weight=Y.size, transform=math.exp)

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
        check_causal(self.rnn, 'predict')
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


class RNNLM(RNNLMScratch):
    r"""A language model over a recurrent block, its output layer by Flax.

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
        self.linear = nn.Dense(self.vocab_size)

    def output_layer(self, rnn_outputs):
        """Return the scores of all steps.

        Shapes:
            rnn_outputs: (num_steps, batch_size, num_outputs), or a list of num_steps tensors.
            scores: (batch_size, num_steps, vocab_size).
        """
        return self.linear(jnp.asarray(rnn_outputs)).swapaxes(0, 1)
