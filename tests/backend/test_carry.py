"""States that go on from batch to batch, in training and validation, as the oracle carries them."""
import math

import numpy as np
import pytest

from tests import reference, reference_stack

from .support import (SINGLE, VOCAB, as_float32, assert_close, block, indices,
                      language_model, prepared)
from .test_stack import TAGS, stack

pytestmark = pytest.mark.filterwarnings('ignore:The Time Machine is not to be had')
BLOCKS = [(name, 1 if name in SINGLE else 2) for name in
          ('RNNScratch', 'GRUScratch', 'LSTMScratch', 'StackedRNNScratch', 'RNN', 'GRU', 'LSTM')]
NUM_BATCHES, BATCH, STEPS = 5, 3, 4
RESETS = np.zeros((NUM_BATCHES, BATCH), dtype=bool)
RESETS[0], RESETS[2, 1], RESETS[4, :2] = True, True, True
ALL = {'carry_state': True}


def continued(d2l, num_tags=VOCAB):
    """Return a DataModule of batches that continue one another, and its arrays and resets."""
    X, Y = indices(2, 2 * NUM_BATCHES * BATCH, STEPS, seed=5)
    Y = Y % num_tags

    class Continued(d2l.DataModule):
        batch_size = BATCH

        def get_dataloader(self, train):
            half = slice(0, len(X) // 2) if train else slice(len(X) // 2, None)
            loader = self.get_tensorloader(self.tensors(X, Y), False, half)
            loader.resets = RESETS
            return loader

    return Continued(), X.reshape(2, NUM_BATCHES, BATCH, STEPS), Y.reshape(
        2, NUM_BATCHES, BATCH, STEPS)


def kept(how, num_layers):
    """Return for each batch which layers and rows go on: (num_layers, batch_size)."""
    carry, every = how['carry_state'], how.get('reset_every')
    layers = np.array([carry] * num_layers if carry is True else carry)
    return [np.outer(layers, ~new) * (i > 0 and not (every and i % every == 0))
            for i, new in enumerate(RESETS)]


def oracle(weights, X, Y, keep, lr=0.0):
    """Return the weights after an epoch, and the mean loss of its batches."""
    state, losses = None, []
    for x, y, going_on in zip(X, Y, keep):
        if state is not None:
            state = state * going_on[:, None, :, None]
        loss, grads = reference.loss_and_gradients(weights, x, y, state)
        _, state, _ = reference.run(weights, reference.one_hot(weights, x), state)
        losses.append(loss)
        weights = reference.sgd(weights, grads, lr)
    return weights, np.mean(losses)


@pytest.mark.parametrize('name, num_layers', BLOCKS)
def test_training_and_validation_carry_the_state(fw, d2l, name, num_layers):
    check(fw, d2l, name, num_layers, ALL)


@pytest.mark.parametrize('how', [{'carry_state': [True, False]}, {'carry_state': [False, True]},
                                 {'carry_state': True, 'reset_every': 2},
                                 {'carry_state': True, 'reset_every': 1}], ids=str)
@pytest.mark.parametrize('name', ['StackedRNNScratch', 'LSTM'])
def test_some_layers_and_some_batches(fw, d2l, name, how):
    check(fw, d2l, name, 2, how)


def check(fw, d2l, name, num_layers, how):
    net, weights = prepared(fw, name, num_layers, lr=0.5)
    data, X, Y = continued(d2l)
    trainer = d2l.Trainer(max_epochs=1, **how)
    after = fw.weights(fw.fit(net, trainer, data))
    keep = kept(how, num_layers)
    expected, loss = oracle(weights, X[0], Y[0], keep, lr=0.5)
    assert trainer.history[0]['train_ppl'] == pytest.approx(math.exp(loss), rel=1e-4)
    _, loss = oracle(expected, X[1], Y[1], keep)
    assert trainer.history[0]['val_ppl'] == pytest.approx(math.exp(loss), rel=1e-4)
    assert_close(after, expected, rtol=0, atol=1e-5)
    without, _ = oracle(weights, X[0], Y[0], [0 * k for k in keep], lr=0.5)
    differs = max(abs(without[key] - expected[key]).max() for key in weights)
    assert (differs > 1e-3) == (how.get('reset_every') != 1)


@pytest.mark.parametrize('cell', ['GRUScratch', 'LSTM'])
def test_a_document_starts_from_the_learned_state(fw, d2l, cell):
    net, weights = stack(fw, cell, 2, lr=1e-9, learn_state=True, residual=True)
    data, X, Y = continued(d2l, TAGS)
    trainer = d2l.Trainer(max_epochs=1, **ALL)
    fw.fit(net, trainer, data)
    state, losses = None, []
    first = reference_stack.first_state(weights, BATCH)
    for x, y, going_on in zip(X[0], Y[0], kept(ALL, 2)):
        state = first if state is None else np.where(going_on[:, None, :, None], state, first)
        losses.append(reference_stack.loss(weights, x, y, state, residual=True))
        _, state = reference_stack.run(weights, np.eye(VOCAB)[x.T], state, residual=True)
    assert trainer.history[0]['train_loss'] == pytest.approx(np.mean(losses), rel=1e-3)


def test_a_learned_state_is_trained_where_states_are_carried(fw, d2l):
    net, weights = stack(fw, 'GRU', 2, learn_state=True)
    data, _, _ = continued(d2l, TAGS)
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=2, gradient_clip_val=1, **ALL), data))
    for key, value in as_float32(weights).items():
        assert abs(after[key] - value).max() > 1e-6, key


def test_there_need_be_no_validation(fw, d2l):
    net, _ = prepared(fw, 'GRU', 1)
    data, _, _ = continued(d2l)
    data.val_dataloader = lambda: None
    trainer = d2l.Trainer(max_epochs=1, **ALL)
    fw.fit(net, trainer, data)
    assert set(trainer.history[0]) == {'train_ppl'}


def test_sequential_batches_of_a_corpus(fw, d2l, embedded):
    data = d2l.TimeMachine(batch_size=4, num_steps=8, num_train=20000, num_val=4000,
                           sequential=True)
    loader = data.train_dataloader()
    batches = [(fw.numpy(X), fw.numpy(Y)) for X, Y in loader]
    assert len(batches) == len(loader.resets) == 20000 // 8 // 4
    assert loader.resets[0].all() and 0 < loader.resets[1:].sum() < 20
    for (X, Y), (X_next, _), new in zip(batches, batches[1:], loader.resets[1:]):
        np.testing.assert_array_equal(X[:, 1:], Y[:, :-1])
        np.testing.assert_array_equal(X_next[~new, 0], Y[~new, -1])
    model = language_model(fw, 'GRU', 1, vocab_size=len(data.vocab), num_hiddens=16)
    trainer = d2l.Trainer(max_epochs=1, gradient_clip_val=1, **ALL)
    trainer.fit(model, data)
    assert trainer.history[-1]['val_ppl'] < len(data.vocab)


@pytest.mark.parametrize('how, words', [
    ({'carry_state': 'all'}, "carry_state must be True or False, or a list.*got 'all'"),
    ({'carry_state': []}, r'carry_state must be True or False, or a list.*got \[\]'),
    ({'carry_state': True, 'reset_every': 0}, 'reset_every must be an integer of at least 1, got '
                                              '0'),
    ({'reset_every': 3}, 'reset_every=3 resets a state that carry_state=False does not carry')])
def test_wrong_arguments(d2l, how, words):
    with pytest.raises(ValueError, match=words):
        d2l.Trainer(max_epochs=1, **how)


def test_as_many_entries_as_layers(fw, d2l):
    net, _ = prepared(fw, 'GRU', 2)
    with pytest.raises(ValueError, match='one entry for each of the 2 layers of GRU, got 3'):
        fw.fit(net, d2l.Trainer(max_epochs=1, carry_state=[True] * 3), continued(d2l)[0])


def test_random_windows_carry_nothing(fw, d2l, embedded):
    data = d2l.TimeMachine(batch_size=4, num_steps=5, num_train=16, num_val=8)
    model = language_model(fw, 'GRU', 1, vocab_size=len(data.vocab))
    with pytest.raises(ValueError, match='carry_state needs batches that continue one another.*'
                                         'sequential=True'):
        d2l.Trainer(max_epochs=1, **ALL).fit(model, data)


def test_a_block_that_reads_backward_carries_nothing(fw, d2l):
    model = d2l.Tagger(block(fw, 'BiGRU'), VOCAB, VOCAB)
    with pytest.raises(ValueError, match='carry_state needs a causal rnn, got BiGRU'):
        d2l.Trainer(max_epochs=1, **ALL).fit(model, continued(d2l)[0])


def test_a_model_that_has_no_state(d2l):
    class Other(d2l.Module):
        pass

    with pytest.raises(TypeError, match='carry_state needs a model with the method carried_step, '
                                        'such as RNNLM, got Other'):
        d2l.Trainer(max_epochs=1, **ALL).fit(Other(), continued(d2l)[0])


@pytest.mark.parametrize('how, words', [
    ({'num_train': 30}, r'num_train must be at least batch_size \* num_steps = 4 \* 8 '
                        'characters for one sequential batch, got 30'),
    ({'num_val': 30}, 'num_val must be at least .*got 30'),
    ({'num_val': 10**6}, '[0-9]+ characters in windows of 8, but num_train and num_val take '
                         '1001008 with the gap between them; lower num_train or num_val'),
    ({'num_train': 10**6}, 'num_train and num_val take 1000508'),
    ({'sequential': 'no'}, "sequential must be True or False, got 'no'")])
def test_too_little_for_one_batch(d2l, embedded, how, words):
    how = {'batch_size': 4, 'num_steps': 8, 'num_train': 1000, 'num_val': 500,
           'sequential': True, **how}
    with pytest.raises(ValueError, match=words):
        d2l.TimeMachine(**how)


def test_a_step_of_the_readers_own_is_not_passed_over(fw, d2l):
    class Mine(d2l.RNNLM):
        def training_step(self, *args):
            return super().training_step(*args)

    with pytest.raises(TypeError, match='carried_step instead of training_step and '
                                        'validation_step, of which Mine has its own; define'):
        d2l.Trainer(max_epochs=1, **ALL).fit(Mine(block(fw, 'GRU'), VOCAB), continued(d2l)[0])
