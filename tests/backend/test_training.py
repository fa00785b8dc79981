"""Trainer.fit, on windows so few that the oracle can train along."""
import math

import numpy as np
import pytest

from tests import reference

from .support import (BLOCKS, SINGLE, as_float32, assert_close, language_model, oracle_fit,
                      prepared, windows)

TRAIN, VAL, BATCH = 19, 8, 8  # batches of 8, 8, 3 and of 8
EVEN = (16, 8, 8)             # batches of one size only: one program less to compile
SMALL = {'rtol': 2e-4, 'atol': 2e-5}  # nine steps, each right to about 1e-6, at rates near 1


def layers_of(name):
    return 1 if name in SINGLE else 3


def total_change(before, after):
    return math.sqrt(sum(((after[name] - value)**2).sum() for name, value in before.items()))


@pytest.mark.parametrize('theta', [0, 0.05, 100])
@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
def test_steps_and_perplexities_equal_the_oracles(fw, d2l, name, theta):
    net, weights = prepared(fw, name, layers_of(name))
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    trainer = d2l.Trainer(max_epochs=3, gradient_clip_val=theta, seed=5)
    after = fw.weights(fw.fit(net, trainer, data))
    expected, history = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=3, lr=0.5, theta=theta,
                                   seed=5)
    assert_close(after, expected, **SMALL)
    assert len(trainer.history) == 3
    for record, wanted in zip(trainer.history, history):
        assert record == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize('name', BLOCKS)
def test_the_losses_of_fifty_steps_equal_the_oracles(fw, d2l, name):
    """To half of what any two frameworks may differ by."""
    net, weights = prepared(fw, name, layers_of(name))
    data, X, Y = windows(d2l, 40, 1, BATCH)
    data.val_dataloader = lambda: None
    losses = []

    class Recording(d2l.Trainer):
        def end_epoch(self):
            losses.extend(float(metric.value) for metric in self.metrics if metric.key != 'acc')
            return super().end_epoch()

    fw.fit(net, Recording(max_epochs=10, gradient_clip_val=1, seed=2), data)
    rng, expected = np.random.default_rng(2), []
    for _ in range(10):
        for batch in rng.permutation(40).reshape(-1, BATCH):
            loss, grads = reference.loss_and_gradients(weights, X[batch], Y[batch])
            weights = reference.sgd(weights, reference.clip(grads, 1), 0.5)
            expected.append(loss)
    assert len(losses) == len(expected) == 50 and max(expected) - min(expected) > 0.1
    np.testing.assert_allclose(losses, expected, rtol=0, atol=5e-4)


@pytest.mark.parametrize('name', ['RNNScratch', 'StackedRNNScratch', 'BiRNN', 'LSTM'])
def test_clipping_is_by_the_norm_over_all_parameters(fw, d2l, name):
    net, weights = prepared(fw, name, layers_of(name), lr=1)
    data, X, Y = windows(d2l, BATCH, VAL, BATCH)
    theta = 0.01
    _, grads = reference.loss_and_gradients(weights, X[:BATCH], Y[:BATCH])
    largest = max(reference.norm({key: grad}) for key, grad in grads.items())
    assert reference.norm(grads) > 1.05 * largest > theta  # else one array's norm would do
    trainer = d2l.Trainer(max_epochs=1, gradient_clip_val=theta)
    after = fw.weights(fw.fit(net, trainer, data))
    assert total_change(as_float32(weights), after) == pytest.approx(theta, rel=1e-3)


@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
def test_perplexity_is_over_all_tokens(fw, d2l, name):
    net, weights = prepared(fw, name, 2, lr=0)
    data, X, Y = windows(d2l, TRAIN, TRAIN, BATCH)
    trainer = d2l.Trainer(max_epochs=1)
    fw.fit(net, trainer, data)
    for key, part in ('train_ppl', slice(0, TRAIN)), ('val_ppl', slice(TRAIN, None)):
        expected = math.exp(reference.loss(weights, X[part], Y[part]))
        batches = [slice(i, i + BATCH) for i in range(part.start, part.start + TRAIN, BATCH)]
        stop = part.start + TRAIN
        losses = [reference.loss(weights, X[b.start:min(b.stop, stop)],
                                 Y[b.start:min(b.stop, stop)]) for b in batches]
        assert abs(np.exp(losses).mean() - expected) > 3e-4  # else the test could not tell
        assert trainer.history[0][key] == pytest.approx(expected, rel=1e-5)


def test_perplexity_falls(fw, d2l):
    data, X, _ = windows(d2l, *EVEN)
    data.X, data.Y = data.tensors(X, X)  # what comes next is what came last
    net, _ = prepared(fw, 'GRU', 2)
    trainer = d2l.Trainer(max_epochs=30, gradient_clip_val=1)
    fw.fit(net, trainer, data)
    first, last = trainer.history[0], trainer.history[-1]
    assert last['train_ppl'] < 0.7 * first['train_ppl']
    assert last['val_ppl'] < 0.7 * first['val_ppl']


@pytest.mark.parametrize('name, dropout', [('StackedRNNScratch', 0), ('GRU', 0), ('GRU', 0.5)])
def test_the_same_weights_and_seed_give_the_same_result(fw, d2l, name, dropout):
    runs = []
    for seed in 3, 3, 4:
        net, _ = prepared(fw, name, 2, **({'dropout': dropout} if dropout else {}))
        data, _, _ = windows(d2l, *EVEN)
        trainer = d2l.Trainer(max_epochs=2, gradient_clip_val=1, seed=seed)
        runs.append((fw.weights(fw.fit(net, trainer, data)), trainer.history))
    (first, history), (again, same), (other, _) = runs
    assert_close(again, first, rtol=0, atol=1e-6)
    for record, wanted in zip(same, history):
        assert record == pytest.approx(wanted, rel=1e-6)
    assert total_change(first, other) > 1e-4


def test_one_trainer_and_one_data_module_fit_twice(fw, d2l):
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    trainer = d2l.Trainer(max_epochs=1, gradient_clip_val=1)
    for name in ('RNNScratch', 'StackedRNNScratch', 'RNNScratch'):
        net, weights = prepared(fw, name, layers_of(name))
        after = fw.weights(fw.fit(net, trainer, data))
        expected, history = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=1, lr=0.5, theta=1)
        assert_close(after, expected, **SMALL)
        assert trainer.history == [pytest.approx(history[0], rel=1e-4)]


def test_training_goes_on_from_where_it_was(fw, d2l):
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    net, weights = prepared(fw, 'StackedRNNScratch', 2)
    for _ in range(2):
        net = fw.fit(net, d2l.Trainer(max_epochs=1), data)
        weights, _ = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=1, lr=0.5)
    assert_close(fw.weights(net), weights, **SMALL)


def test_without_validation_data(fw, d2l):
    net, weights = prepared(fw, 'StackedRNNScratch', 2)
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    data.val_dataloader = lambda: None
    trainer = d2l.Trainer(max_epochs=2)
    after = fw.weights(fw.fit(net, trainer, data))
    expected, history = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=2, lr=0.5)
    assert_close(after, expected, **SMALL)
    assert trainer.history == [pytest.approx({'train_ppl': record['train_ppl']}, rel=1e-4)
                               for record in history]


@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
@pytest.mark.parametrize('validated', [True, False])
def test_a_model_that_never_ran_trains(fw, d2l, name, validated):
    data, _, _ = windows(d2l, *EVEN)
    if not validated:
        data.val_dataloader = lambda: None
    trainer = d2l.Trainer(max_epochs=20, gradient_clip_val=1)
    trainer.fit(language_model(fw, name, 2), data)
    perplexities = [record['train_ppl'] for record in trainer.history]
    assert len(perplexities) == 20 and perplexities[-1] < perplexities[0] < 10
    rng = np.random.default_rng(trainer.seed)  # a look at a batch must not change the order
    for _ in range(20):
        rng.permutation(EVEN[0])
    assert data.rng.bit_generator.state == rng.bit_generator.state


@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
def test_num_gpus_1_works_with_and_without_a_gpu(fw, d2l, name):
    net, before = prepared(fw, name, 2)
    data, _, _ = windows(d2l, *EVEN)
    trainer = d2l.Trainer(max_epochs=1, num_gpus=1)
    after = fw.weights(fw.fit(net, trainer, data))
    assert total_change(as_float32(before), after) > 1e-3
    assert all(map(math.isfinite, trainer.history[0].values()))


def test_max_epochs_can_be_limited_from_outside(fw, d2l, monkeypatch, capsys):
    monkeypatch.setenv('D2LRNN_MAX_EPOCHS', '1')
    net, _ = prepared(fw, 'RNNScratch')
    data, _, _ = windows(d2l, *EVEN)
    trainer = d2l.Trainer(max_epochs=5)
    fw.fit(net, trainer, data)
    assert len(trainer.history) == 1 and '1 instead of 5 epochs' in capsys.readouterr().out


def test_users_arguments_are_checked(d2l):
    with pytest.raises(ValueError, match='num_gpus must be 0 or 1, got 2'):
        d2l.Trainer(max_epochs=1, num_gpus=2)
    for value in -1, math.nan, math.inf, None:
        with pytest.raises(ValueError, match='gradient_clip_val must be a number of at least 0, '
                                             f'got {value}'):
            d2l.Trainer(max_epochs=1, gradient_clip_val=value)
