"""Labels derived from a text, for which both sides of a character matter."""
import re

import numpy as np

from .checks import check_sizes
from .corpora import embedded
from .data import DataModule
from .sequential import document_windows
from .text import Vocab

NO_TAG = -1  # of a character that has no label


class VowelWindows(DataModule):
    """A text without its vowels, and for each gap the vowel that belongs there.

    Every vowel is replaced by '_'. Which one it was follows from the letters on both sides, so
    that a model that reads in one direction only knows half of what there is to know. Windows do
    not overlap; training takes the first ones, validation those that follow.

    Args:
        batch_size: windows in a batch.
        num_steps: characters in a window.
        num_train: training windows.
        num_val: validation windows.
        text: what to read; None for the embedded text "Tides", for which nothing is downloaded.

    Shapes:
        X: (number of windows, num_steps), indices into `vocab`. Y: the same, indices into `tags`,
        the vowels, and -1 where no vowel is missing: such a position counts for nothing.

    Raises:
        ValueError: a size below 1, or a text too short for num_train and num_val.
    """

    tags = ('a', 'e', 'i', 'o', 'u')

    def _read(self):
        """Take the vowels out of the text and make the windows."""
        check_sizes(batch_size=self.batch_size, num_steps=self.num_steps,
                    num_train=self.num_train, num_val=self.num_val)
        raw, self.corpus_name = self.text, 'the given text'
        if raw is None:
            corpus = embedded()
            raw, self.corpus_name = corpus.text, corpus.name
        if not isinstance(raw, str):
            raise TypeError(f'text must be a str or None, got {type(raw).__name__}')
        characters = re.sub('[^A-Za-z]+', ' ', raw).lower()
        masked = re.sub(f'[{"".join(self.tags)}]', '_', characters)
        self.vocab = Vocab(list(masked))
        index = {tag: i for i, tag in enumerate(self.tags)}
        tags = [index.get(character, NO_TAG) for character in characters]
        X, _, _ = document_windows([self.vocab[list(masked)]], self.num_steps)
        Y, _, _ = document_windows([tags], self.num_steps)
        if len(X) < self.num_train + self.num_val:
            raise ValueError(f'{self.corpus_name} has {len(X)} windows of {self.num_steps} '
                             f'characters, but num_train and num_val take '
                             f'{self.num_train + self.num_val}; lower num_train or num_val')
        if (Y == NO_TAG).all():
            raise ValueError(f'{self.corpus_name} must have vowels, got none in {len(X)} windows')
        self.X, self.Y = self.tensors(X, Y)

    def get_dataloader(self, train):
        """Return the batches of the training or of the validation windows.

        Args:
            train: True for training windows, in a new random order each time.
        """
        part = (slice(0, self.num_train) if train
                else slice(self.num_train, self.num_train + self.num_val))
        return self.get_tensorloader([self.X, self.Y], train, part)

    def restore(self, X, tags):
        """Return windows as text, each gap filled with its tag.

        Args:
            X: indices into `vocab`, (number of windows, num_steps).
            tags: indices into `tags`, of the same shape.

        Raises:
            ValueError: another shape, or a gap whose tag is no index into `tags`.
        """
        X, tags = np.asarray(X), np.asarray(tags)
        if X.shape != tags.shape or X.ndim != 2:
            raise ValueError('X and tags must have one shape (number of windows, num_steps), got '
                             f'{X.shape} and {tags.shape}')
        wanted = tags[X == self.vocab['_']]
        if wanted.size and not 0 <= wanted.min() <= wanted.max() < len(self.tags):
            raise ValueError(f'tags of gaps must be in [0, {len(self.tags)}), got {wanted.min()} '
                             f'to {wanted.max()}')
        return [''.join(self.tags[int(tag)] if token == '_' else token
                        for token, tag in zip(self.vocab.to_tokens(x), row))
                for x, row in zip(X, tags)]
