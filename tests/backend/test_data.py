"""TimeMachine: windows, vocabulary, batches."""
import hashlib
import re

import numpy as np
import pytest

from d2lrnn.core import corpora
from d2lrnn.core.data import batch_indices

pytestmark = pytest.mark.filterwarnings('ignore:The Time Machine is not to be had')
STEPS, TRAIN, VAL, BATCH = 6, 23, 10, 5


@pytest.fixture(scope='module')
def data(d2l, embedded):
    return d2l.TimeMachine(BATCH, STEPS, num_train=TRAIN, num_val=VAL)


@pytest.fixture(scope='module')
def text(embedded):
    return re.sub('[^a-z]+', ' ', embedded.lower())


def read(fw, data, window):
    return ''.join(data.vocab.to_tokens(fw.numpy(window)))


def test_windows_are_the_text_and_its_next_characters(fw, data, text):
    X, Y = fw.numpy(data.X), fw.numpy(data.Y)
    assert X.shape == Y.shape == (len(text) - STEPS, STEPS)
    for i in 0, 1, 500, len(X) - 1:
        assert read(fw, data, data.X[i]) == text[i:i + STEPS]
        assert read(fw, data, data.Y[i]) == text[i + 1:i + STEPS + 1]
    np.testing.assert_array_equal(X[:, 1:], Y[:, :-1])


def test_indices_are_integers(fw, data):
    X, Y = next(iter(data.train_dataloader()))
    assert fw.numpy(X).dtype.kind == fw.numpy(Y).dtype.kind == 'i'


def test_vocabulary_is_the_alphabet_a_space_and_the_unknown(data, text):
    assert len(data.vocab) == len(set(text)) + 1 == 28
    assert data.vocab['a'] == data.vocab.token_to_idx['a'] and data.vocab['?'] == data.vocab.unk


def test_sizes_and_the_last_batch(fw, data):
    for loader, sizes in ((data.train_dataloader(), [5, 5, 5, 5, 3]),
                          (data.val_dataloader(), [5, 5])):
        batches = list(loader)
        assert len(loader) == len(batches)
        assert [fw.numpy(X).shape for X, _ in batches] == [(size, STEPS) for size in sizes]
        assert [fw.numpy(Y).shape for _, Y in batches] == [(size, STEPS) for size in sizes]


def test_no_character_is_in_both_training_and_validation(d2l, fw, embedded, monkeypatch):
    """The corpus is replaced by its positions, so that windows say what they hold."""
    monkeypatch.setattr(d2l.TimeMachine, 'build', lambda self, text: (range(len(text)), None))
    data = d2l.TimeMachine(BATCH, STEPS, num_train=TRAIN, num_val=VAL)
    trained, validated = (
        {int(i) for batch in loader for part in batch for i in fw.numpy(part).reshape(-1)}
        for loader in (data.train_dataloader(), data.val_dataloader()))
    assert trained == set(range(TRAIN + STEPS))
    assert validated == set(range(TRAIN + STEPS, TRAIN + STEPS + VAL + STEPS))


def test_training_order_is_the_generators(fw, data):
    data.seed(4)
    rng = np.random.default_rng(4)
    X, Y = fw.numpy(data.X), fw.numpy(data.Y)
    loader = data.train_dataloader()
    for _ in range(2):  # the second pass is in another order
        expected = list(batch_indices(TRAIN, BATCH, rng))
        for (got_X, got_Y), wanted in zip(list(loader), expected):
            np.testing.assert_array_equal(fw.numpy(got_X), X[wanted])
            np.testing.assert_array_equal(fw.numpy(got_Y), Y[wanted])


def test_each_pass_takes_every_training_window_once(fw, data):
    passes = [np.concatenate([fw.numpy(X) for X, _ in data.train_dataloader()]) for _ in range(2)]
    assert not np.array_equal(*passes)
    expected = sorted(map(tuple, fw.numpy(data.X)[:TRAIN]))
    for taken in passes:
        assert sorted(map(tuple, taken)) == expected


def test_default_sizes(d2l, embedded):
    data = d2l.TimeMachine(batch_size=1024, num_steps=32)
    assert (data.num_train, data.num_val) == (10000, 5000)
    sizes = [len(X) for X, _ in data.train_dataloader()]
    assert sizes == [1024] * 9 + [784]
    assert sum(len(X) for X, _ in data.val_dataloader()) == 5000


def test_get_tensorloader_takes_a_slice(fw, data):
    batches = list(data.get_tensorloader([data.X], False, slice(2, 9)))
    got = np.concatenate([fw.numpy(X) for X, in batches])
    np.testing.assert_array_equal(got, fw.numpy(data.X)[2:9])


def test_a_corpus_too_short_says_by_how_much(d2l, embedded, text):
    windows = len(text) - STEPS
    d2l.TimeMachine(BATCH, STEPS, num_train=windows - STEPS - VAL, num_val=VAL)
    with pytest.raises(ValueError, match=rf'Tides .* has {windows} windows, but num_train and '
                                         rf'num_val take {windows + 1} .*lower num_train'):
        d2l.TimeMachine(BATCH, STEPS, num_train=windows - STEPS - VAL + 1, num_val=VAL)


@pytest.mark.parametrize('wrong', [{'batch_size': 0}, {'num_steps': -1}, {'num_train': 0},
                                   {'num_val': 2.5}])
def test_sizes_below_one(d2l, embedded, wrong):
    name, size = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f'{name} must be an integer of at least 1, got {size}'):
        d2l.TimeMachine(**{'batch_size': 4, 'num_steps': 5, **wrong})


def test_the_folder_of_the_environment_is_read(d2l, tmp_path, monkeypatch):
    text = 'One day a stone, two days a stone. ' * 40
    (tmp_path / 'timemachine.txt').write_text(text)
    monkeypatch.setenv('D2LRNN_DATA', str(tmp_path))
    monkeypatch.setattr(corpora, 'TIME_MACHINE_SHA1', hashlib.sha1(text.encode()).hexdigest())
    data = d2l.TimeMachine(BATCH, STEPS, num_train=TRAIN, num_val=VAL)
    assert data.corpus_name == 'The Time Machine'
    assert sorted(data.vocab.token_to_idx) == sorted({*text.lower().replace(',', '').replace(
        '.', ''), '<unk>'})


def test_without_file_and_network_the_embedded_text_is_read_and_named(d2l, embedded):
    with pytest.warns(UserWarning, match='Using the embedded text "Tides"'):
        data = d2l.TimeMachine(BATCH, STEPS, num_train=TRAIN, num_val=VAL)
    assert data.corpus_name == 'Tides (embedded text)'


def test_build_uses_a_given_vocabulary(d2l, data):
    corpus, vocab = data.build('A tide, again!', data.vocab)
    assert vocab is data.vocab
    assert ''.join(vocab.to_tokens(corpus)) == 'a tide again '
