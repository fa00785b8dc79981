"""Tagger and MaskedVowels: labels that need both sides, against the oracle."""
import math

import numpy as np
import pytest

from tests import reference, reference_stack

from .support import (DEEP, HIDDENS, VALUES, VOCAB, as_float32, block, directions, indices,
                      windows)

TAGS = 4
TEXT = 'The tide came in, and the boats went out over the bar to fish until evening. ' * 30


def prepared(fw, name, num_layers, **how):
    net = fw.build(fw.d2l.Tagger(block(fw, name, num_layers), TAGS, VOCAB, **how), indices(2, 3))
    weights = reference.random_weights(np.random.default_rng(0), reference.CELLS[name], VOCAB,
                                       HIDDENS, num_layers, TAGS, 0.5, directions(name))
    return fw.load(net, as_float32(weights)), weights


def labels(*shape, seed=3):
    return np.random.default_rng(seed).integers(-1, TAGS, shape).astype(np.int32)


@pytest.mark.parametrize('name, num_layers', DEEP)
def test_scores_loss_and_gradients(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    X, Y = indices(3, 5), labels(3, 5)
    np.testing.assert_allclose(fw.scores(net, X), reference_stack.scores(weights, X), **VALUES)
    loss, grads = fw.gradients(net, X, Y)
    assert loss == pytest.approx(reference_stack.loss(weights, X, Y), rel=1e-5)
    d = {key: np.random.default_rng(1).standard_normal(value.shape)
         for key, value in weights.items()}
    for key in weights:
        slope = reference_stack.along(weights, {key: d[key]}, X, Y)
        scale = np.sqrt((grads[key]**2).sum() * (d[key]**2).sum())
        assert scale > 1e-6 and abs((grads[key] * d[key]).sum() - slope) < 1e-4 * scale, key


def test_loss_and_accuracy_are_means_over_all_labels(fw, d2l):
    net, weights = prepared(fw, 'BiGRU', 2, lr=1e-9)
    data, X, _ = windows(d2l, 8, 7, 4)
    Y = labels(*X.shape)
    Y[8:12] = np.where(np.arange(Y.shape[1]) == 0, 2, -1)  # batches of unequal weight
    data.X, data.Y = data.tensors(X, Y)
    trainer = d2l.Trainer(max_epochs=1)
    fw.fit(net, trainer, data)
    for part, rows in ('train', slice(0, 8)), ('val', slice(8, None)):
        right = reference_stack.scores(weights, X[rows]).argmax(-1) == Y[rows]
        assert trainer.history[0][f'{part}_acc'] == pytest.approx(
            right[Y[rows] >= 0].mean(), abs=1e-6)
        assert trainer.history[0][f'{part}_loss'] == pytest.approx(
            reference_stack.loss(weights, X[rows], Y[rows]), rel=1e-4)


def test_a_batch_without_labels_counts_for_nothing(fw, d2l):
    net, weights = prepared(fw, 'GRU', 1)
    X, Y = indices(2, 3), np.full((2, 3), -1, dtype=np.int32)
    loss, grads = fw.gradients(net, X, Y)
    assert loss == 0 and all((value == 0).all() for value in grads.values())


def test_both_directions_restore_what_one_cannot(fw, d2l):
    """A label that is the next token: only a block that reads backward can know it."""
    data, X, _ = windows(d2l, 64, 32, 16)
    Y = np.where(np.arange(X.shape[1]) < X.shape[1] - 1, np.roll(X, -1, 1) % TAGS, -1)
    data.X, data.Y = data.tensors(X, Y.astype(np.int32))
    found = {}
    for name in 'GRU', 'BiGRU':
        model = d2l.Tagger(block(fw, name, 1, num_hiddens=16), TAGS, VOCAB, lr=1)
        trainer = d2l.Trainer(max_epochs=40, gradient_clip_val=1)
        trainer.fit(model, data)
        found[name] = trainer.history[-1]['val_acc']
    assert found['BiGRU'] > 0.9 > 0.6 > found['GRU']


def test_the_size_of_the_vocabulary_is_that_of_the_block(fw, d2l):
    model = d2l.Tagger(d2l.BiRNNScratch(VOCAB, HIDDENS), TAGS)
    assert fw.scores(fw.build(model, indices(2, 3)), indices(2, 3)).shape == (2, 3, TAGS)


@pytest.mark.parametrize('how, words', [
    ({'num_tags': 0}, 'num_tags must be an integer of at least 1, got 0'),
    ({'vocab_size': 2.0}, 'vocab_size must be an integer of at least 1, got 2.0')])
def test_wrong_sizes(d2l, how, words):
    with pytest.raises(ValueError, match=words):
        d2l.Tagger(**{'rnn': d2l.RNNScratch(VOCAB, HIDDENS), 'num_tags': TAGS, **how})


def test_a_block_of_unknown_width_needs_the_size(d2l):
    class Wide:
        num_hiddens = 3

    with pytest.raises(ValueError, match='vocab_size must be given, as Wide has no num_inputs'):
        d2l.Tagger(Wide(), TAGS)


@pytest.mark.parametrize('part', ['X', 'Y'])
@pytest.mark.parametrize('wrong', [-2, 9])
def test_wrong_indices(fw, d2l, part, wrong):
    net, _ = prepared(fw, 'BiGRU', 1)
    data, X, _ = windows(d2l, 8, 4, 4)
    arrays = {'X': X.copy(), 'Y': labels(*X.shape)}
    arrays[part][5, 1] = wrong
    data.X, data.Y = data.tensors(arrays['X'], arrays['Y'])
    size = VOCAB if part == 'X' else TAGS
    with pytest.raises(ValueError, match=rf'indices must be in \[0, {size}\), got -?\d to -?\d'):
        fw.fit(net, d2l.Trainer(max_epochs=1), data)


# MaskedVowels

def test_vowels_are_taken_out_and_can_be_put_back(fw, d2l):
    data = d2l.MaskedVowels(batch_size=4, num_steps=16, num_train=30, num_val=10, text=TEXT)
    X, Y = fw.numpy(data.X), fw.numpy(data.Y)
    text = ''.join(data.restore(X, Y))
    assert text == ' '.join(TEXT.replace(',', '').replace('.', '').lower().split())[:len(text)]
    shown = [''.join(data.vocab.to_tokens(row)) for row in X]
    assert shown[0] == 'th_ t_d_ c_m_ _n'
    assert ((Y >= 0) == (X == data.vocab['_'])).all()
    assert sorted(set(Y.flatten())) == [-1, 0, 1, 2, 3, 4] and len(data.tags) == 5


def test_windows_for_training_and_validation_do_not_overlap(fw, d2l):
    data = d2l.MaskedVowels(batch_size=4, num_steps=16, num_train=30, num_val=10, text=TEXT)
    train, val = ([row for X, _ in loader for row in fw.numpy(X)]
                  for loader in (data.train_dataloader(), data.val_dataloader()))
    assert len(train) == 30 and len(val) == 10
    np.testing.assert_array_equal(np.array(val), fw.numpy(data.X)[30:40])
    assert sorted(map(tuple, train)) == sorted(map(tuple, fw.numpy(data.X)[:30]))


def test_the_embedded_text_is_read_without_a_download(d2l, monkeypatch):
    monkeypatch.setenv('D2LRNN_DATA', '/nowhere')
    monkeypatch.setenv('D2LRNN_OFFLINE', '1')
    data = d2l.MaskedVowels(batch_size=32, num_steps=32)
    assert 'Tides' in data.corpus_name and len(data.X) >= 1300


def test_a_text_too_short(d2l):
    with pytest.raises(ValueError, match='the given text has 0 windows of 16 characters, but '
                                         'num_train and num_val take 1300; lower'):
        d2l.MaskedVowels(batch_size=4, num_steps=16, text='too short')


@pytest.mark.parametrize('text, error, words', [
    ('bcd fgh jkl ' * 300, ValueError, 'the given text must have vowels, got none in'),
    (5, TypeError, 'text must be a str or None, got int')])
def test_a_text_that_has_no_vowels(d2l, text, error, words):
    with pytest.raises(error, match=words):
        d2l.MaskedVowels(batch_size=4, num_steps=16, num_train=30, num_val=10, text=text)


def test_only_vowels_fill_the_gaps(fw, d2l):
    data = d2l.MaskedVowels(batch_size=4, num_steps=16, num_train=30, num_val=10, text=TEXT)
    X, Y = fw.numpy(data.X), fw.numpy(data.Y)
    with pytest.raises(ValueError, match=r'tags of gaps must be in \[0, 5\), got -1 to -1'):
        data.restore(X, np.full_like(Y, -1))
    with pytest.raises(ValueError, match=r'one shape .*got \(\d+, 16\) and \(2, 16\)'):
        data.restore(X, Y[:2])


def test_a_tagger_is_trained_on_it(fw, d2l):
    data = d2l.MaskedVowels(batch_size=8, num_steps=16, num_train=64, num_val=16, text=TEXT)
    model = d2l.Tagger(block(fw, 'BiGRU', 1, num_inputs=len(data.vocab), num_hiddens=16), 5,
                       len(data.vocab), lr=1)
    trainer = d2l.Trainer(max_epochs=30, gradient_clip_val=1)
    trainer.fit(model, data)
    first, last = trainer.history[0], trainer.history[-1]
    assert last['train_loss'] < 0.7 * math.log(5) and last['train_acc'] > first['train_acc'] + 0.2
