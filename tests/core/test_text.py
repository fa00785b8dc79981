import collections

import numpy as np
import pytest

from d2lrnn.core import corpora, text
from d2lrnn.core.data import DataModule, batch_indices
from d2lrnn.core.text import TextWindows, Vocab, prefix_indices


class Windows(TextWindows):
    """TextWindows over NumPy, as a backend completes it."""

    def __init__(self, batch_size, num_steps, num_train=10000, num_val=5000):
        super().__init__()
        self.save_hyperparameters()
        self._read()

    def tensors(self, *arrays):
        return arrays

    def get_tensorloader(self, tensors, train, indices):
        return [tensor[indices] for tensor in tensors]


@pytest.fixture
def corpus(monkeypatch):
    """Let the corpus be what a test says."""
    def become(raw):
        monkeypatch.setattr(text, 'time_machine', lambda root: corpora.Corpus('A', raw, 'x', None))
    become('Abc -- dE. ' * 20)
    return become


def test_vocab_is_sorted_and_has_the_unknown():
    vocab = Vocab(list('banana'))
    assert vocab.idx_to_token == ['<unk>', 'a', 'b', 'n'] and len(vocab) == 4
    assert [vocab[token] for token in vocab.idx_to_token] == [0, 1, 2, 3]
    assert vocab['x'] == vocab.unk == 0
    assert vocab[['b', ['a', 'x']]] == [2, [1, 0]]


def test_vocab_of_lists_counts_all_tokens():
    vocab = Vocab([['a', 'b'], ['a']], min_freq=2, reserved_tokens=['<pad>'])
    assert vocab.token_freqs == [('a', 2), ('b', 1)]
    assert vocab.idx_to_token == ['<pad>', '<unk>', 'a'] and vocab['b'] == vocab.unk


def test_vocab_without_tokens():
    assert Vocab().idx_to_token == ['<unk>']


def test_vocab_back_to_tokens():
    vocab = Vocab(list('ab'))
    assert vocab.to_tokens(1) == 'a' and vocab.to_tokens([2, 1]) == ['b', 'a']
    assert vocab.to_tokens(np.array([[1], [2]])) == [['a'], ['b']]
    assert vocab.to_tokens(np.int64(2)) == 'b'
    for index in 3, -1:
        with pytest.raises(IndexError, match=f'index {index} is outside the vocabulary of 3'):
            vocab.to_tokens(index)


def test_prefix_is_preprocessed_as_the_corpus(corpus):
    vocab = Windows(2, 3, num_train=5, num_val=5).vocab
    assert prefix_indices('A?B', vocab) == vocab[['a', ' ', 'b']]
    assert prefix_indices('A', Vocab(['A'])) == [1]  # another corpus, kept as it is


def test_prefix_of_nothing(corpus):
    vocab = Windows(2, 3, num_train=5, num_val=5).vocab
    with pytest.raises(ValueError, match="prefix must not be empty, got ''; start from at least"):
        prefix_indices('', vocab)


def test_windows_start_one_character_apart(corpus):
    data = Windows(2, 3, num_train=5, num_val=5)
    letters = 'abc de ' * 20
    assert data.X.shape == data.Y.shape == (len(letters) - 3, 3)
    for i in 0, 1, len(letters) - 4:
        assert ''.join(data.vocab.to_tokens(data.X[i])) == letters[i:i + 3]
        assert ''.join(data.vocab.to_tokens(data.Y[i])) == letters[i + 1:i + 4]
    assert data.vocab.idx_to_token == [' ', '<unk>', 'a', 'b', 'c', 'd', 'e']
    assert data.corpus_name == 'A'


@pytest.mark.parametrize('num_steps', [1, 3, 10])
def test_validation_begins_behind_the_last_character_of_training(corpus, num_steps):
    data = Windows(2, num_steps, num_train=7, num_val=4)
    position = np.arange(len(data.X) + num_steps)
    data.X = np.lib.stride_tricks.sliding_window_view(position, num_steps)[:len(data.X)]
    data.Y = data.X + 1
    trained, validated = (set(np.concatenate(data.get_dataloader(train)).ravel().tolist())
                          for train in (True, False))
    assert trained == set(range(7 + num_steps))
    assert validated == set(range(7 + num_steps, 7 + num_steps + 4 + num_steps))


def test_windows_that_just_fit(corpus):
    corpus('abcdefghij')
    data = Windows(2, 2, num_train=3, num_val=3)  # 8 windows, 3 + 2 + 3 are taken
    assert len(data.get_dataloader(False)[0]) == 3
    with pytest.raises(ValueError, match='A has 8 windows, but num_train and num_val take 9 with '
                                         'the gap between them; lower num_train or num_val'):
        Windows(2, 2, num_train=4, num_val=3)


def test_a_corpus_shorter_than_one_window(corpus):
    corpus('abc')
    with pytest.raises(ValueError, match='A has 0 windows, but num_train and num_val take 7'):
        Windows(2, 5, num_train=1, num_val=1)


@pytest.mark.parametrize('name', ['batch_size', 'num_steps', 'num_train', 'num_val'])
@pytest.mark.parametrize('size', [0, -1, 1.5, True, None])
def test_sizes(corpus, name, size):
    sizes = {'batch_size': 2, 'num_steps': 3, 'num_train': 5, 'num_val': 5, name: size}
    with pytest.raises(ValueError, match=f'{name} must be an integer of at least 1, got {size}'):
        Windows(**sizes)


def test_build_of_one_text_with_the_vocabulary_of_another(corpus):
    data = Windows(2, 3, num_train=5, num_val=5)
    indices, vocab = data.build('A, dead bee!', data.vocab)
    assert vocab is data.vocab and ''.join(vocab.to_tokens(indices)) == 'a dead bee '
    indices, vocab = data.build('xyz')
    assert vocab.idx_to_token == ['<unk>', 'x', 'y', 'z'] and vocab.preprocess('X-y') == 'x y'


def test_batch_indices_keep_what_is_left():
    batches = [batch.tolist() for batch in batch_indices(7, 3)]
    assert batches == [[0, 1, 2], [3, 4, 5], [6]]
    assert [len(batch) for batch in batch_indices(6, 3)] == [3, 3]
    assert [len(batch) for batch in batch_indices(2, 3)] == [2]


def test_batch_indices_are_one_permutation_a_pass():
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(2):
        flat = np.concatenate(list(batch_indices(10, 4, rng)))
        np.testing.assert_array_equal(flat, again.permutation(10))
        assert collections.Counter(flat.tolist()) == collections.Counter(range(10))


def test_data_module_seeds_its_order():
    data = DataModule()
    first = data.rng.permutation(5).tolist()
    data.seed(0)
    assert data.rng.permutation(5).tolist() == first
    with pytest.raises(NotImplementedError, match='DataModule must define get_dataloader'):
        data.val_dataloader()
