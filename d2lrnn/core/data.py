"""DataModule: what a training run reads, in an order that does not depend on the backend."""
import numpy as np

from .hyperparameters import HyperParameters


def batch_indices(num_examples, batch_size, rng=None):
    """Yield the indices of each batch; the last one holds what is left.

    Args:
        num_examples: how many examples there are.
        batch_size: examples in a batch.
        rng: NumPy generator that shuffles; None keeps the order.
    """
    order = np.arange(num_examples) if rng is None else rng.permutation(num_examples)
    for first in range(0, num_examples, batch_size):
        yield order[first:first + batch_size]


class DataModule(HyperParameters):
    """Base of the data modules. A backend adds `get_tensorloader` and `tensors`.

    Args:
        root: folder of cached files; None for $D2LRNN_DATA or the user's cache folder.
    """

    corpus_name = None

    def __init__(self, root=None):
        self.save_hyperparameters()
        self.seed(0)

    def seed(self, seed):
        """Start the order of the training batches anew.

        Args:
            seed: of the NumPy generator.
        """
        self.rng = np.random.default_rng(seed)

    def get_dataloader(self, train):
        """Return an iterable over batches; for the subclass to define."""
        raise NotImplementedError(f'{type(self).__name__} must define get_dataloader(self, train)')

    def train_dataloader(self):
        """Return the training batches."""
        return self.get_dataloader(train=True)

    def val_dataloader(self):
        """Return the validation batches."""
        return self.get_dataloader(train=False)
