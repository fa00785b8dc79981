"""A reader's cells in d2l's conventions run, and compute what they should."""
import hashlib
import math
import re
import warnings

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from tests import reference
from tests.adapters.cells import MODELS, PATHS

from .support import (HIDDENS, VALUES, VOCAB, assert_close, indices, oracle_fit, perplexity,
                      windows)

TEXT = 'One day a stone rolls, two days a stone rests; ' * 8
TRAIN, VAL, BATCH = 16, 8, 8
SMALL = {'rtol': 2e-4, 'atol': 2e-5}


def alphabet(d2l):
    """Return windows whose next character is the next of the alphabet, which starts anew."""
    data, X, _ = windows(d2l, TRAIN, VAL, BATCH)
    Y = (X + 1) % VOCAB
    data.X, data.Y = data.tensors(X, Y)
    return data, X, Y


def made(cells, chapter):
    with cells.chosen():
        return MODELS[chapter](cells, VOCAB, HIDDENS)


def canonical(cells, net, chapter):
    """Return a net's weights under the oracle's names."""
    if chapter not in PATHS:
        return cells.layer_weights(net)
    return {name: cells.parameter(net, path) for name, path in PATHS[chapter].items()}


# text-sequence

@pytest.fixture
def corpus(d2l, tmp_path, monkeypatch):
    """A reader's corpus, which gets its methods after it was made; the file is in the cache."""
    (tmp_path / 'stones.txt').write_text(TEXT)
    monkeypatch.setenv('D2LRNN_DATA', str(tmp_path))

    class Corpus(d2l.DataModule):
        def _download(self):
            fname = d2l.download(d2l.DATA_URL + 'stones.txt', self.root,
                                 hashlib.sha1(TEXT.encode()).hexdigest())
            with open(fname) as f:
                return f.read()

    corpus = Corpus()

    @d2l.add_to_class(Corpus)
    def _preprocess(self, text):
        return re.sub('[^a-z]+', ' ', text.lower())

    @d2l.add_to_class(Corpus)
    def build(self, raw_text, vocab=None):
        tokens = self._preprocess(raw_text).split()
        vocab = d2l.Vocab(tokens) if vocab is None else vocab
        return [vocab[token] for token in tokens], vocab

    return corpus


def test_text_becomes_indices(d2l, corpus):
    found, vocab = corpus.build(corpus._download())
    assert vocab.idx_to_token == ['<unk>', 'a', 'day', 'days', 'one', 'rests', 'rolls', 'stone',
                                  'two']
    assert found[:5] == [4, 2, 1, 7, 6] and len(found) == 80
    assert vocab.to_tokens(found[:5]) == 'one day a stone rolls'.split()
    assert dict(vocab.token_freqs) == {'a': 16, 'stone': 16, **dict.fromkeys(
        ['one', 'day', 'rolls', 'two', 'days', 'rests'], 8)}
    rare = d2l.Vocab(['x', 'y', 'x'], min_freq=2, reserved_tokens=['<pad>'])
    assert rare[['x', 'y', '<pad>']] == [2, rare.unk, 0] and len(rare) == 3


def test_frequencies_are_plotted(d2l, corpus):
    matplotlib.use('agg')
    words = corpus._preprocess(TEXT).split()
    freqs = [[freq for _, freq in d2l.Vocab(tokens).token_freqs]
             for tokens in (words, ['--'.join(pair) for pair in zip(words[:-1], words[1:])])]
    d2l.plot(freqs, xlabel='token: x', ylabel='frequency: n(x)', xscale='log', yscale='log',
             legend=['unigram', 'bigram'])
    axes = pyplot.gca()
    assert [line.get_ydata().tolist() for line in axes.get_lines()] == freqs
    assert (axes.get_xlabel(), axes.get_xscale(), axes.get_yscale()) == ('token: x', 'log', 'log')
    pyplot.close()


# language-model

def test_time_machine_is_rewritten(fw, d2l, monkeypatch):
    for name in '__init__', 'get_dataloader', '_download':  # to be undone
        monkeypatch.setattr(d2l.TimeMachine, name, getattr(d2l.TimeMachine, name))

    @d2l.add_to_class(d2l.TimeMachine)
    def _download(self):
        return TEXT

    @d2l.add_to_class(d2l.TimeMachine)
    def __init__(self, batch_size, num_steps, num_train=20, num_val=10):
        super(d2l.TimeMachine, self).__init__()
        self.save_hyperparameters()
        corpus, self.vocab = self.build(self._download())
        array = d2l.tensor([corpus[i:i + num_steps + 1] for i in range(len(corpus) - num_steps)])
        self.X, self.Y = array[:, :-1], array[:, 1:]

    @d2l.add_to_class(d2l.TimeMachine)
    def get_dataloader(self, train):
        first, size = (0, self.num_train) if train else (self.num_train, self.num_val)
        return self.get_tensorloader([self.X, self.Y], train, slice(first, first + size))

    data = d2l.TimeMachine(batch_size=4, num_steps=7)
    text = re.sub('[^a-z]+', ' ', TEXT.lower())
    for train, starts in (True, range(20)), (False, range(20, 30)):
        loader = data.train_dataloader() if train else data.val_dataloader()
        pairs = [tuple(''.join(data.vocab.to_tokens(row)) for row in pair)
                 for X, Y in loader for pair in zip(fw.numpy(X), fw.numpy(Y))]
        expected = [(text[i:i + 7], text[i + 1:i + 8]) for i in starts]
        assert sorted(pairs) == sorted(expected) and (pairs == expected) is not train


# rnn-scratch, rnn-concise, lstm, gru, deep-rnn, bi-rnn

@pytest.mark.parametrize('chapter', MODELS)
def test_a_model_learns_and_continues_a_text(fw, d2l, cells, chapter):
    data, X, Y = alphabet(d2l)
    model = made(cells, chapter)
    trainer = d2l.Trainer(max_epochs=30, gradient_clip_val=1, num_gpus=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        trainer.fit(model, data)
    assert (caught != []) is (chapter in cells.WARNINGS)
    assert all(cells.WARNINGS[chapter] in str(warning.message) for warning in caught)
    net = cells.trained(model, trainer)
    first, last = trainer.history[0], trainer.history[-1]
    assert perplexity(last, 'train') < 0.5 * perplexity(first, 'train')
    assert perplexity(last, 'val') < 0.7 * perplexity(first, 'val')
    weights = canonical(cells, net, chapter)
    if 'bi-rnn' not in chapter:  # no language model: it has seen what is to come
        vocab = d2l.Vocab(list('abcde'))
        found, margin = reference.decode(weights, vocab[list('ab')], 10, np.argmax)
        assert margin > 1e-3 and len(set(found)) > 3
        assert cells.continued(net, 'ab', 10, vocab) == ''.join(vocab.to_tokens(found))


@pytest.mark.parametrize('chapter', MODELS)
def test_every_parameter_is_trained_as_the_oracle_does(fw, d2l, cells, chapter, monkeypatch):
    net = fw.build(made(cells, chapter), indices(2, 3))
    before = canonical(cells, net, chapter)
    data, X, Y = alphabet(d2l)
    trainer = d2l.Trainer(max_epochs=2, gradient_clip_val=1)
    after = canonical(cells, fw.fit(net, trainer, data), chapter)
    if chapter not in PATHS:
        monkeypatch.setattr(reference, 'copies',
                            lambda name, _: 1 + (name.rpartition('.')[2] in cells.TWICE))
    expected, history = oracle_fit(before, X, Y, TRAIN, BATCH, max_epochs=2, lr=2, theta=1)
    assert all(abs(after[name] - before[name]).max() > 1e-5 for name in before)
    assert_close(after, expected, **SMALL)
    assert perplexity(trainer.history[-1], 'val') == pytest.approx(history[-1]['val_ppl'], rel=1e-4)


@pytest.mark.parametrize('chapter', [name for name in MODELS if 'bi-rnn' not in name])
def test_a_state_comes_out_and_goes_in(fw, cells, chapter):
    net = fw.build(made(cells, chapter), indices(2, 3))
    inputs = np.eye(VOCAB, dtype=np.float32)[indices(7, 3)]
    whole, _ = fw.run_block(net, inputs)
    first, state = fw.run_block(net, inputs[:3])
    second, _ = fw.run_block(net, inputs[3:], state)
    np.testing.assert_allclose(np.concatenate([first, second]), whole, rtol=0, atol=1e-6)


def test_a_block_made_before_its_forward_has_it(fw, d2l, cells):
    class Late(cells.Gated):
        gates, num_states = 'h', 1

    model = d2l.RNNLMScratch(Late(VOCAB, HIDDENS, 0.5), VOCAB)

    @d2l.add_to_class(Late)
    def forward(self, inputs, state=None):
        return [d2l.tanh(self.affine('h', X, X[:, :HIDDENS])) for X in inputs], state

    net = fw.build(model, indices(2, 3))
    w = canonical(cells, net, 'rnn-scratch')
    inputs = np.eye(VOCAB, dtype=np.float32)[indices(4, 2)]
    outputs, _ = fw.run_block(net, inputs)
    expected = np.tanh(inputs @ w['rnn.0.forward.W_xh'] + w['rnn.0.forward.b_h']
                       + inputs[..., :HIDDENS] @ w['rnn.0.forward.W_hh'])
    np.testing.assert_allclose(outputs, expected, **VALUES)


def test_the_readers_clipping_is_used(fw, d2l, cells):
    net = fw.build(made(cells, 'rnn-scratch'), indices(2, 3))
    before = canonical(cells, net, 'rnn-scratch')
    data, _, _ = windows(d2l, BATCH, VAL, BATCH)
    net = fw.fit(net, cells.Clipping(max_epochs=1, gradient_clip_val=0.01), data)
    after = canonical(cells, net, 'rnn-scratch')
    moved = math.sqrt(sum(((after[name] - before[name])**2).sum() for name in before))
    assert moved == pytest.approx(2 * 0.01, rel=1e-3)  # of one step, at the learning rate 2


def test_what_the_readers_trainer_prepares_is_used(fw, d2l, cells):
    class Mine(d2l.Trainer):
        def prepare_data(self, data):
            super().prepare_data(data)
            self.prepared = [data]

        def prepare_model(self, model):
            super().prepare_model(model)
            self.prepared.append(model)

        def prepare_batch(self, batch):
            X, Y = super().prepare_batch(batch)
            return X, X

    net = fw.build(made(cells, 'deep-rnn'), indices(2, 3))
    before = canonical(cells, net, 'deep-rnn')
    data, X, _ = windows(d2l, TRAIN, VAL, BATCH)
    trainer = Mine(max_epochs=1, gradient_clip_val=1)
    after = canonical(cells, fw.fit(net, trainer, data), 'deep-rnn')
    expected, _ = oracle_fit(before, X, X, TRAIN, BATCH, max_epochs=1, lr=2, theta=1)
    assert_close(after, expected, **SMALL)
    assert trainer.prepared == [data, trainer.model]


def test_weights_without_canonical_names_are_not_lost_but_refused(fw, cells, tmp_path):
    net = fw.build(made(cells, 'bi-rnn'), indices(2, 3))
    with pytest.raises(ValueError, match='the parameters of BothWays have no canonical names'):
        fw.weights(net)
    with pytest.raises(ValueError, match='the parameters of BothWays have no canonical names'):
        fw.save_file(net, tmp_path / 'file')
    assert not list(tmp_path.iterdir())
