"""What a reader may override, and what happens to it in a compiled step."""
import math

import numpy as np
import pytest

from tests import reference

from .support import (VOCAB, as_float32, assert_close, indices, language_model, oracle_fit,
                      random_weights, windows)

TRAIN, VAL, BATCH = 8, 4, 4
SMALL = {'rtol': 2e-4, 'atol': 2e-5}


def fitted(fw, d2l, Class, num_layers=2, max_epochs=2, **kwargs):
    """Train a user's class as the oracle does; return the trainer and both results."""
    weights = random_weights('StackedRNNScratch', num_layers)
    model = language_model(fw, 'StackedRNNScratch', num_layers, Class=Class)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    trainer = d2l.Trainer(max_epochs=max_epochs, **kwargs)
    after = fw.weights(fw.fit(net, trainer, data))
    return trainer, after, oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=max_epochs, lr=0.5)


def test_an_overridden_training_step_is_used(fw, d2l):
    class Mine(d2l.RNNLMScratch):
        def training_step(self, *args):
            self.plot('mine', 2.5, train=True)
            return super().training_step(*args)

    trainer, after, (expected, history) = fitted(fw, d2l, Mine)
    assert_close(after, expected, **SMALL)
    assert trainer.history == [pytest.approx({**record, 'train_mine': 2.5}, rel=1e-4)
                               for record in history]


def test_an_overridden_validation_step_is_used(fw, d2l):
    class Mine(d2l.RNNLMScratch):
        def validation_step(self, *args):
            self.plot('mine', 1.0, train=False, transform=math.exp)
            return super().validation_step(*args)

    trainer, _, (_, history) = fitted(fw, d2l, Mine)
    assert trainer.history == [pytest.approx({**record, 'val_mine': math.e}, rel=1e-4)
                               for record in history]


def test_methods_added_after_the_model_was_made_are_used(fw, d2l):
    class Mine(d2l.RNNLMScratch):
        pass

    weights = random_weights('StackedRNNScratch', 2)
    model = language_model(fw, 'StackedRNNScratch', 2, Class=Mine)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))

    @d2l.add_to_class(Mine)
    def training_step(self, *args):
        self.plot('late', 1.5, train=True)
        return super(Mine, self).training_step(*args)

    data, _, _ = windows(d2l, TRAIN, VAL, BATCH)
    trainer = d2l.Trainer(max_epochs=1)
    fw.fit(net, trainer, data)
    assert trainer.history[0]['train_late'] == 1.5


def test_a_method_replaced_between_two_fits_is_used(fw, d2l):
    class Mine(d2l.RNNLMScratch):
        def training_step(self, *args):
            self.plot('first', 1.0, train=True)
            return super().training_step(*args)

    model = language_model(fw, 'StackedRNNScratch', 2, Class=Mine)
    net = fw.build(model, indices(2, 3))
    data, _, _ = windows(d2l, TRAIN, VAL, BATCH)
    trainer = d2l.Trainer(max_epochs=1)
    net = fw.fit(net, trainer, data)
    assert 'train_first' in trainer.history[0]

    @d2l.add_to_class(Mine)
    def training_step(self, *args):
        self.plot('second', 2.0, train=True)
        return super(Mine, self).training_step(*args)

    fw.fit(net, trainer, data)
    assert 'train_first' not in trainer.history[0] and trainer.history[0]['train_second'] == 2


def test_the_users_optimizer_is_used(fw, d2l):
    class Mine(d2l.RNNLMScratch):
        def configure_optimizers(self):
            return fw.adam(self, 0.01)

    weights = random_weights('StackedRNNScratch', 2)
    model = language_model(fw, 'StackedRNNScratch', 2, Class=Mine)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    data, X, Y = windows(d2l, BATCH, VAL, BATCH)  # one step
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=1), data))
    _, grads = reference.loss_and_gradients(weights, X[:BATCH], Y[:BATCH])
    for key, before in as_float32(weights).items():
        clear = abs(grads[key]) > 1e-3  # Adam's first step is lr times the sign of the gradient
        assert clear.any()
        np.testing.assert_allclose((before - after[key])[clear], 0.01 * np.sign(grads[key][clear]),
                                   rtol=0.01, err_msg=key)


def test_fit_epoch_can_be_overridden(fw, d2l):
    epochs = []

    class Mine(d2l.Trainer):
        def fit_epoch(self):
            epochs.append(self.epoch)
            super().fit_epoch()

    weights = random_weights('StackedRNNScratch', 2)
    model = language_model(fw, 'StackedRNNScratch', 2)
    net = fw.load(fw.build(model, indices(2, 3)), as_float32(weights))
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    after = fw.weights(fw.fit(net, Mine(max_epochs=2), data))
    expected, _ = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=2, lr=0.5)
    assert epochs == [0, 1]
    assert_close(after, expected, **SMALL)


def test_a_block_of_the_users_own_may_sit_below_the_head(fw, d2l):
    class Mine(d2l.StackedRNNScratch):
        pass

    model = d2l.RNNLMScratch(Mine(VOCAB, 5, 3), VOCAB, lr=0.5)
    net = fw.build(model, indices(2, 3))
    weights = random_weights('StackedRNNScratch', 3)
    net = fw.load(net, as_float32(weights))
    data, X, Y = windows(d2l, TRAIN, VAL, BATCH)
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=1), data))
    expected, _ = oracle_fit(weights, X, Y, TRAIN, BATCH, max_epochs=1, lr=0.5)
    assert_close(after, expected, **SMALL)


def test_layers_in_a_plain_list_train(fw, d2l):
    """The stack keeps its layers in a plain list; d2l's own on MXNet never trained them."""
    net = fw.build(language_model(fw, 'StackedRNNScratch', 3), indices(2, 3))
    before = fw.weights(net)
    data, _, _ = windows(d2l, TRAIN, VAL, BATCH)
    after = fw.weights(fw.fit(net, d2l.Trainer(max_epochs=2), data))
    for layer in range(3):
        assert abs(after[f'rnn.{layer}.forward.b_h'] - before[f'rnn.{layer}.forward.b_h']).max() > 0


def test_a_parameter_without_gradient_is_named(fw, d2l):
    if fw.CANNOT_TELL_UNUSED:
        pytest.skip(fw.CANNOT_TELL_UNUSED)
    net = fw.add_unused(fw.build(language_model(fw, 'RNNScratch'), indices(2, 3)))
    data, _, _ = windows(d2l, TRAIN, VAL, BATCH)
    with pytest.raises(RuntimeError, match='unused'):
        fw.fit(net, d2l.Trainer(max_epochs=1, gradient_clip_val=1), data)


def test_plot_outside_training_says_so(fw, d2l):
    model = language_model(fw, 'RNNScratch')
    with pytest.raises(RuntimeError, match='plot needs a trainer'):
        model.plot('loss', 1.0, train=True)


def test_a_model_without_loss_says_so(fw, d2l):
    with pytest.raises(NotImplementedError, match='Mine must define loss'):
        type('Mine', (d2l.Module,), {})().loss(None, None)


def test_data_without_loader_says_so(d2l):
    with pytest.raises(NotImplementedError, match='Mine must define get_dataloader'):
        type('Mine', (d2l.DataModule,), {})().train_dataloader()
