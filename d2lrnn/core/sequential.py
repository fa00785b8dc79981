"""Windows that do not overlap, in batches that continue one another."""
import numpy as np


def document_windows(documents, num_steps):
    """Return the windows of documents one after the other, and which of them start a document.

    Args:
        documents: list of sequences of indices; what fills no window at the end is left out.
        num_steps: indices in a window.

    Shapes:
        X, Y: (number of windows, num_steps); Y is X one step later. starts: (number of windows,).
    """
    X, Y, starts = [np.zeros((0, num_steps), np.int32)], [np.zeros((0, num_steps), np.int32)], []
    for document in documents:
        size = (len(document) - 1) // num_steps if len(document) else 0
        indices = np.array(document[:size * num_steps + 1], dtype=np.int32)
        if size:
            X.append(indices[:-1].reshape(size, num_steps))
            Y.append(indices[1:].reshape(size, num_steps))
            starts += [True] + [False] * (size - 1)
    return np.concatenate(X), np.concatenate(Y), np.array(starts, dtype=bool)


class Partition:
    """A range of windows dealt out to the rows of batches, in runs of consecutive windows.

    `order` has the windows batch by batch, `resets` says for each batch which rows start a
    document, or the range.

    Args:
        starts: for each window whether it starts a document.
        first: the first window.
        size: windows of the range; what fills no batch at its end is left out.
        batch_size: rows.

    Shapes:
        order: (num_batches * batch_size,). resets: (num_batches, batch_size).
    """

    def __init__(self, starts, first, size, batch_size):
        size = max(0, min(size, len(starts) - first))
        self.num_batches = size // batch_size
        rows = first + np.arange(self.num_batches * batch_size).reshape(batch_size, -1)
        self.order = rows.T.flatten()
        self.resets = starts[rows.T].copy()
        self.resets[:1] = True  # nothing came before
