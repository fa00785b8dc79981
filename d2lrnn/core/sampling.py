"""The choice of the next token from its scores, in NumPy and so equal on all backends."""
import numpy as np

from .checks import check_numbers, check_sizes


class Sampler:
    r"""Choose a token: the best one, or one drawn from the softmax of the scores.

    $$P(i) \propto \exp(o_i / \tau), \quad i \text{ among the } k \text{ best}$$

    Args:
        temperature: tau; 0 takes the best token. None is 0, or 1 where `top_k` is given.
        top_k: how many of the best tokens to draw from; None for all.
        seed: of the NumPy generator that draws.

    Raises:
        ValueError: a negative temperature, top_k below 1, or scores that are not finite.

    Source: Ackley, Hinton and Sejnowski (1985), doi:10.1207/s15516709cog0901_7 (temperature);
    Fan, Lewis and Dauphin (2018), arXiv:1805.04833 (top-k).
    """

    def __init__(self, temperature=None, top_k=None, seed=0):
        if temperature is None:
            temperature = 0 if top_k is None else 1
        check_numbers(temperature=temperature)
        if top_k is not None:
            check_sizes(top_k=top_k)
        self.temperature, self.top_k = temperature, top_k
        self.rng = np.random.default_rng(seed)

    def __call__(self, scores):
        """Return the index of the chosen token.

        Shapes:
            scores: (vocab_size,).
        """
        scores = np.asarray(scores, dtype=np.float64)
        if not np.isfinite(scores).all():
            raise ValueError(f'scores must be finite, got {scores}; the training has diverged')
        if self.temperature == 0:
            return int(scores.argmax())
        best = np.argsort(-scores, kind='stable')[:self.top_k]
        with np.errstate(over='ignore'):  # to minus infinity, where the weight is zero
            weights = np.exp((scores[best] - scores[best[0]]) / self.temperature)
        drawn = self.rng.random() * weights.sum()
        return int(best[min(np.searchsorted(weights.cumsum(), drawn, side='right'),
                            len(best) - 1)])
