"""Text to tokens, tokens to indices, indices to windows; in NumPy."""
import collections
import re

import numpy as np

from .checks import check_finite_lengths, check_flags, check_sizes
from .corpora import time_machine
from .data import DataModule
from .sequential import Partition, document_windows

CHAPTER = re.compile(r'^(?=[IVXLC]+(?:\. .*)?$)', re.MULTILINE)  # a Roman number, and its title


class Vocab:
    """Map tokens to indices and back; tokens are indexed in sorted order.

    Args:
        tokens: a list of tokens, or a list of lists of tokens.
        min_freq: tokens that occur less often become '<unk>'.
        reserved_tokens: tokens that get an index even if the text lacks them.

    Raises:
        IndexError: an index outside the vocabulary.
    """

    def __init__(self, tokens=(), min_freq=0, reserved_tokens=()):
        if tokens and isinstance(tokens[0], (list, tuple)):
            tokens = [token for line in tokens for token in line]
        self.token_freqs = collections.Counter(tokens).most_common()
        kept = {token for token, freq in self.token_freqs if freq >= min_freq}
        self.idx_to_token = sorted(kept | {'<unk>', *reserved_tokens})
        self.token_to_idx = {token: i for i, token in enumerate(self.idx_to_token)}
        self.preprocess = str  # what was done to the text before tokenizing it

    def __len__(self):
        return len(self.idx_to_token)

    def __getitem__(self, tokens):
        if isinstance(tokens, (list, tuple)):
            return [self[token] for token in tokens]
        return self.token_to_idx.get(tokens, self.unk)

    def to_tokens(self, indices):
        """Return the token of one index, or the list of tokens of several.

        Args:
            indices: an integer, or any sequence or array of integers.

        Raises:
            IndexError: an index outside the vocabulary.
        """
        if np.ndim(indices):
            return [self.to_tokens(i) for i in indices]
        if not 0 <= int(indices) < len(self):
            raise IndexError(f'index {int(indices)} is outside the vocabulary of {len(self)} '
                             'tokens')
        return self.idx_to_token[int(indices)]

    @property
    def unk(self):
        """Index of the unknown token."""
        return self.token_to_idx['<unk>']


class TextWindows(DataModule):
    """Characters of The Time Machine, as all windows of `num_steps` and the next character of each.

    Windows start one character apart. The first `num_train` are for training. Validation takes
    the `num_val` that follow `num_steps` characters later, so that no character is in both.

    With `sequential`, windows of the same text do not overlap, and row r of a batch continues row
    r of the batch before. `resets` of the loader says which rows start a document instead: a
    chapter, by default. The end of a document that fills no window is left out.

    Args:
        batch_size: windows in a batch.
        num_steps: characters in a window.
        num_train: training windows; with `sequential`, characters of the training text.
        num_val: validation windows; with `sequential`, characters of the validation text.
        sequential: whether batches continue one another, instead of random windows.

    Shapes:
        X, Y: (number of windows, num_steps), integer indices into `vocab`; Y is X one step later.

    Raises:
        ValueError: a size below 1, or a corpus too short for num_train and num_val, or num_train
            or num_val too small for one sequential batch.

    Source: H. G. Wells (1895), The Time Machine.
    """

    sequential = False

    def _read(self):
        """Read the corpus and make the windows."""
        check_sizes(batch_size=self.batch_size, num_steps=self.num_steps,
                    num_train=self.num_train, num_val=self.num_val)
        check_flags(sequential=self.sequential)
        text = self._download()
        corpus, self.vocab = self.build(text)
        if self.sequential:
            self._partition([self.build(part, self.vocab)[0] for part in self.documents(text)])
            return
        check_finite_lengths(max(0, len(corpus) - self.num_steps),
                             self.num_train + self.num_steps + self.num_val, self.corpus_name)
        windows = np.lib.stride_tricks.sliding_window_view(
            np.array(corpus, dtype=np.int32), self.num_steps + 1)
        self.X, self.Y = self.tensors(windows[:, :-1], windows[:, 1:])

    def _partition(self, documents):
        X, Y, starts = document_windows(documents, self.num_steps)
        if X.size < self.num_train + self.num_steps + self.num_val:
            raise ValueError(f'{self.corpus_name} has {X.size} characters in windows of '
                             f'{self.num_steps}, but num_train and num_val take '
                             f'{self.num_train + self.num_steps + self.num_val} with the gap '
                             'between them; lower num_train or num_val')
        num_train, num_val = self.num_train // self.num_steps, self.num_val // self.num_steps
        self.parts = (Partition(starts, 0, num_train, self.batch_size),
                      Partition(starts, num_train + 1, num_val, self.batch_size))
        for part, name in zip(self.parts, ('num_train', 'num_val')):
            if not part.num_batches:
                raise ValueError(
                    f'{name} must be at least batch_size * num_steps = {self.batch_size} * '
                    f'{self.num_steps} characters for one sequential batch, got '
                    f'{getattr(self, name)}; lower batch_size or num_steps')
        order = np.concatenate([part.order for part in self.parts])
        self.X, self.Y = self.tensors(X[order], Y[order])

    def _sequential_loader(self, part):
        first = 0 if part is self.parts[0] else len(self.parts[0].order)
        loader = self.get_tensorloader([self.X, self.Y], False,
                                       slice(first, first + len(part.order)))
        loader.resets = part.resets
        return loader

    def documents(self, text):
        """Return the texts that have nothing to do with one another: the chapters, here.

        Args:
            text: the whole corpus.
        """
        return CHAPTER.split(text)

    def _download(self):
        corpus = time_machine(self.root)
        self.corpus_name = corpus.name
        return corpus.text

    def _preprocess(self, text):
        return re.sub('[^A-Za-z]+', ' ', text).lower()

    def _tokenize(self, text):
        return list(text)

    def build(self, raw_text, vocab=None):
        """Return the indices of a text's tokens and their vocabulary.

        Args:
            raw_text: the text.
            vocab: a vocabulary to use instead of one made from the text.
        """
        tokens = self._tokenize(self._preprocess(raw_text))
        if vocab is None:
            vocab = Vocab(tokens)
            vocab.preprocess = self._preprocess
        return vocab[tokens], vocab

    def get_dataloader(self, train):
        """Return the batches of the training or of the validation windows.

        Args:
            train: True for training windows, in a new random order each time unless they are
                sequential.
        """
        if self.sequential:
            return self._sequential_loader(self.parts[0 if train else 1])
        first = 0 if train else self.num_train + self.num_steps
        size = self.num_train if train else self.num_val
        return self.get_tensorloader([self.X, self.Y], train, slice(first, first + size))


def prefix_indices(prefix, vocab):
    """Return the indices of a prefix's tokens, preprocessed as the vocabulary's corpus was.

    Args:
        prefix: the text.
        vocab: the vocabulary.

    Raises:
        ValueError: nothing is left of the prefix.
    """
    text = vocab.preprocess(prefix)
    if not text:
        raise ValueError(f'prefix must not be empty, got {prefix!r}; start from at least one '
                         'character')
    return vocab[list(text)]
