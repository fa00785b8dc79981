"""predict: greedy decoding, as the oracle decodes."""
import pytest

from tests import reference

from .support import BLOCKS, as_float32, indices, language_model, prepared, random_weights, windows

pytestmark = pytest.mark.filterwarnings('ignore:The Time Machine is not to be had')
PREDS = 50


@pytest.fixture(scope='module')
def vocab(d2l, embedded):
    return d2l.TimeMachine(batch_size=4, num_steps=5, num_train=10, num_val=5).vocab


def decoder(fw, vocab, name, num_layers, dropout=0, seed=0):
    """Return a net over the vocabulary, and its weights: far from zero, so that scores are too."""
    weights = random_weights(name, num_layers, seed, vocab_size=len(vocab), sigma=1.5)
    model = language_model(fw, name, num_layers, dropout, vocab_size=len(vocab))
    return fw.load(fw.build(model, indices(2, 3)), as_float32(weights)), weights


def oracle(weights, prefix, vocab, num_preds=PREDS):
    found, margin = reference.greedy(weights, vocab[list(prefix)], num_preds)
    assert margin > 1e-3, 'too close for float32: take another seed'
    return ''.join(vocab.to_tokens(found))


@pytest.mark.parametrize('name, num_layers', [(name, 1 if name == 'RNNScratch' else 2)
                                              for name in BLOCKS])
def test_prediction_is_greedy_decoding(fw, vocab, name, num_layers):
    net, weights = decoder(fw, vocab, name, num_layers)
    expected = oracle(weights, 'it has', vocab)
    assert len(set(expected[6:])) > 2  # else a model that repeats itself would pass
    assert fw.predict(net, 'it has', PREDS, vocab) == expected


def test_the_prefix_is_preprocessed_as_the_corpus_was(fw, vocab):
    net, weights = decoder(fw, vocab, 'GRU', 2)
    assert fw.predict(net, 'It -- HAS?', 20, vocab) == oracle(weights, 'it has ', vocab, 20)


def test_one_character_is_prefix_enough(fw, vocab):
    net, weights = decoder(fw, vocab, 'StackedRNNScratch', 2)
    assert fw.predict(net, 't', 20, vocab) == oracle(weights, 't', vocab, 20)


def test_nothing_to_add(fw, vocab):
    net, _ = decoder(fw, vocab, 'StackedRNNScratch', 2)
    assert fw.predict(net, 'it has', 0, vocab) == 'it has'


def test_an_empty_prefix_is_refused(fw, vocab):
    net, _ = decoder(fw, vocab, 'GRU', 1)
    with pytest.raises(ValueError, match="prefix must not be empty, got ''"):
        fw.predict(net, '', 5, vocab)


@pytest.mark.parametrize('name', ['RNN', 'GRU', 'LSTM'])
def test_dropout_takes_no_part(fw, vocab, name):
    net, weights = decoder(fw, vocab, name, 2, dropout=0.5)
    expected = oracle(weights, 'it has', vocab)
    assert [fw.predict(net, 'it has', PREDS, vocab) for _ in range(2)] == [expected] * 2


def test_training_goes_on_after_prediction(fw, d2l, vocab):
    net, before = prepared(fw, 'GRU', 2, dropout=0.5)
    letters = d2l.Vocab(list('abcde'))
    fw.predict(net, 'abc', 3, letters)
    data, _, _ = windows(d2l, 8, 4, 4)
    net = fw.fit(net, d2l.Trainer(max_epochs=1), data)
    after = fw.weights(net)
    assert abs(after['W_hq'] - before['W_hq']).max() > 1e-3
    assert len(fw.predict(net, 'abc', 3, letters)) >= 6
