"""Arrays to tensors to batches."""
import tensorflow as tf

from ..core import data, text, text_labels


class TensorLoader:
    """Batches of tensors, in an order that NumPy draws and that is equal on all backends.

    Args:
        tensors: list of tensors of the same length.
        batch_size: examples in a batch.
        rng: NumPy generator that shuffles at each pass; None keeps the order.
    """

    def __init__(self, tensors, batch_size, rng=None):
        self.tensors, self.batch_size, self.rng = tensors, batch_size, rng

    def __len__(self):
        return -(-len(self.tensors[0]) // self.batch_size)

    def __iter__(self):
        size = len(self.tensors[0])
        for indices in data.batch_indices(size, self.batch_size, self.rng):
            yield tuple(tf.gather(tensor, indices) for tensor in self.tensors)


class DataModule(data.DataModule):
    """Base of the data modules.

    Args:
        root: folder of cached files; None for $D2LRNN_DATA or the user's cache folder.
    """

    def tensors(self, *arrays):
        """Return NumPy arrays of indices as tensors."""
        return [tf.constant(array, dtype=tf.int32) for array in arrays]

    def get_tensorloader(self, tensors, train, indices=slice(0, None)):
        """Return the batches of a range of examples.

        Args:
            tensors: tensors of the same length.
            train: True shuffles, anew at each pass.
            indices: slice of the examples to take.
        """
        return TensorLoader([tf.convert_to_tensor(tensor[indices]) for tensor in tensors],
                            self.batch_size, self.rng if train else None)


class TimeMachine(text.TextWindows, DataModule):
    __doc__ = text.TextWindows.__doc__

    def __init__(self, batch_size, num_steps, num_train=10000, num_val=5000, sequential=False):
        super().__init__()
        self.save_hyperparameters()
        self._read()


class MaskedVowels(text_labels.VowelWindows, DataModule):
    __doc__ = text_labels.VowelWindows.__doc__

    def __init__(self, batch_size, num_steps, num_train=1000, num_val=300, text=None):
        super().__init__()
        self.save_hyperparameters()
        self._read()
