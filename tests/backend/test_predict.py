"""predict: greedy decoding and drawing, as the oracle decodes."""
import pytest

from d2lrnn.core.sampling import Sampler
from tests import reference

from .support import (CAUSAL, decisive, indices, language_model, prepared,
                      windows)

pytestmark = pytest.mark.filterwarnings('ignore:The Time Machine is not to be had')
PREFIX, PREDS = 'it has', 50


@pytest.fixture(scope='module')
def vocab(d2l, embedded):
    return d2l.TimeMachine(batch_size=4, num_steps=5, num_train=10, num_val=5).vocab


def decoder(fw, vocab, name, num_layers, prefix=PREFIX, dropout=0):
    """Return a net over the vocabulary, its weights, and what the oracle decodes with them."""
    weights, text = decisive(name, num_layers, vocab, prefix, PREDS)
    model = language_model(fw, name, num_layers, dropout, vocab_size=len(vocab))
    return fw.load(fw.build(model, indices(2, 3)), weights), weights, text


@pytest.mark.parametrize('name, num_layers', [(name, min(layers, 2)) for name, layers in CAUSAL])
def test_prediction_is_greedy_decoding(fw, vocab, name, num_layers):
    net, _, text = decoder(fw, vocab, name, num_layers)
    assert fw.predict(net, PREFIX, PREDS, vocab) == text


@pytest.mark.parametrize('how', [{'temperature': 0.8}, {'top_k': 3}, {'temperature': 3, 'top_k': 4,
                                                                      'seed': 5}])
@pytest.mark.parametrize('name, num_layers', CAUSAL)
def test_tokens_are_drawn(fw, vocab, name, num_layers, how):
    net, weights, text = decoder(fw, vocab, name, num_layers)
    found, _ = reference.decode(weights, vocab[list(PREFIX)], PREDS, Sampler(**how))
    drawn = ''.join(vocab.to_tokens(found))
    assert drawn != text
    assert fw.predict(net, PREFIX, PREDS, vocab, **how) == drawn


def test_the_seed_decides_what_is_drawn(fw, vocab):
    net, *_ = decoder(fw, vocab, 'GRU', 2)
    texts = [fw.predict(net, PREFIX, PREDS, vocab, temperature=2, seed=seed) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_negative_temperature_is_refused(fw, vocab):
    net, *_ = decoder(fw, vocab, 'GRU', 1)
    with pytest.raises(ValueError, match='temperature must be a number of at least 0, got -1'):
        fw.predict(net, PREFIX, 5, vocab, temperature=-1)


def test_the_prefix_is_preprocessed_as_the_corpus_was(fw, vocab):
    net, _, text = decoder(fw, vocab, 'GRU', 2, 'it has ')
    assert fw.predict(net, 'It -- HAS?', PREDS, vocab) == text


def test_one_character_is_prefix_enough(fw, vocab):
    net, _, text = decoder(fw, vocab, 'StackedRNNScratch', 2, 't')
    assert fw.predict(net, 't', PREDS, vocab) == text


def test_nothing_to_add(fw, vocab):
    net, *_ = decoder(fw, vocab, 'StackedRNNScratch', 2)
    assert fw.predict(net, PREFIX, 0, vocab) == PREFIX


@pytest.mark.parametrize('num_preds', [-1, 2.5])
def test_a_number_of_tokens_is_wanted(fw, vocab, num_preds):
    net, *_ = decoder(fw, vocab, 'GRU', 1)
    with pytest.raises(ValueError, match='num_preds must be an integer of at least 0, got '
                                         f'{num_preds}'):
        fw.predict(net, PREFIX, num_preds, vocab)


def test_an_empty_prefix_is_refused(fw, vocab):
    net, *_ = decoder(fw, vocab, 'GRU', 1)
    with pytest.raises(ValueError, match="prefix must not be empty, got ''"):
        fw.predict(net, '', 5, vocab)


@pytest.mark.parametrize('name', ['RNN', 'GRU', 'LSTM'])
def test_dropout_takes_no_part(fw, vocab, name):
    net, _, text = decoder(fw, vocab, name, 2, dropout=0.5)
    assert [fw.predict(net, PREFIX, PREDS, vocab) for _ in range(2)] == [text] * 2


def test_training_goes_on_after_prediction(fw, d2l, vocab):
    net, before = prepared(fw, 'GRU', 2, dropout=0.5)
    letters = d2l.Vocab(list('abcde'))
    fw.predict(net, 'abc', 3, letters)
    data, _, _ = windows(d2l, 8, 4, 4)
    net = fw.fit(net, d2l.Trainer(max_epochs=1), data)
    after = fw.weights(net)
    assert abs(after['W_hq'] - before['W_hq']).max() > 1e-3
    assert len(fw.predict(net, 'abc', 3, letters)) >= 6
