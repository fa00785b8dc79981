"""The training loop's frame, with a backend that only counts."""
import math
import warnings

import pytest

from d2lrnn.core.board import ProgressBoard
from d2lrnn.core.module import Metric, ModuleBase
from d2lrnn.core.trainer import TrainerBase, weighted_mean

BATCHES = ((2.0, 8), (1.0, 8), (4.0, 2))  # loss and tokens of a batch


class Data:
    corpus_name = 'A corpus'
    seeds = ()

    def seed(self, seed):
        self.seeds = (*self.seeds, seed)

    def train_dataloader(self):
        return BATCHES

    def val_dataloader(self):
        return BATCHES[:1]


class Model(ModuleBase):
    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1):
        self.save_hyperparameters()
        self.board = ProgressBoard(display=False)

    def configure_optimizers(self):
        return 'optimizer'


class Trainer(TrainerBase):
    def fit_epoch(self):
        for batches, train in (self.train_dataloader, True), (self.val_dataloader or (), False):
            for loss, tokens in batches:
                self.model.plot('ppl', loss, train, weight=tokens, transform=math.exp)


def metrics(*values, transform=None):
    return [Metric('a', value, True, weight, transform) for value, weight in values]


def test_weighted_mean():
    assert weighted_mean(metrics((1, 1), (4, 3))) == pytest.approx(13 / 4)
    assert weighted_mean(metrics((1, 1), (4, 3), transform=math.exp)) == pytest.approx(
        math.exp(13 / 4))


def test_a_perplexity_too_large_is_infinite():
    assert weighted_mean(metrics((1000, 1), transform=math.exp)) == math.inf


def test_the_mean_over_nothing_is_no_number():
    assert math.isnan(weighted_mean(metrics((0, 0), (0, 0))))


def test_history_is_over_all_tokens():
    trainer, data = Trainer(max_epochs=2, seed=7), Data()
    trainer.fit(Model(), data)
    expected = {'train_ppl': math.exp((2 * 8 + 1 * 8 + 4 * 2) / 18), 'val_ppl': math.exp(2)}
    assert trainer.history == [pytest.approx(expected)] * 2
    assert data.seeds == (7,) and trainer.optim == 'optimizer'
    assert (trainer.num_train_batches, trainer.num_val_batches) == (3, 1)


def test_points_of_the_curves():
    model = Model()
    Trainer(max_epochs=2).fit(model, Data())
    first, second = math.exp((2 * 8 + 1 * 8) / 16), math.exp(4)
    # Two batches, then one: their middles, in epochs.
    expected = [(epoch + x, y) for epoch in (0, 1) for x, y in ((1 / 3, first), (5 / 6, second))]
    assert [point for point in model.board.lines['train_ppl']] == [
        pytest.approx(point) for point in expected]
    assert model.board.lines['val_ppl'] == [pytest.approx((1, math.exp(2))),
                                            pytest.approx((2, math.exp(2)))]
    assert model.board.xlim == [0, 2] and model.board.title == 'A corpus'


def test_fit_twice_starts_a_new_drawing():
    model, trainer = Model(), Trainer(max_epochs=1)
    for _ in range(2):
        trainer.fit(model, Data())
        assert len(model.board.lines['val_ppl']) == 1 and len(trainer.history) == 1


def test_no_curve_where_none_is_wanted():
    model = Model(plot_train_per_epoch=0)
    trainer = Trainer(max_epochs=1)
    trainer.fit(model, Data())
    assert list(model.board.lines) == ['val_ppl'] and 'train_ppl' in trainer.history[0]


def test_without_validation_data(monkeypatch):
    monkeypatch.setattr(Data, 'val_dataloader', lambda self: None)
    trainer = Trainer(max_epochs=1)
    trainer.fit(Model(), Data())
    assert list(trainer.history[0]) == ['train_ppl'] and trainer.num_val_batches == 0


def test_metrics_of_a_run_that_broke_do_not_count_in_the_next():
    trainer, model, data = Trainer(max_epochs=1), Model(), Data()

    def broken():
        model.plot('ppl', 9.0, True)
        raise KeyboardInterrupt

    trainer.fit_epoch = broken
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(model, data)
    del trainer.fit_epoch
    trainer.fit(model, data)
    assert trainer.history[0]['val_ppl'] == pytest.approx(math.exp(2))
    assert trainer.history[0]['train_ppl'] < math.exp(2)


def test_what_is_not_finite_is_said_once():
    trainer, model = Trainer(max_epochs=4), Model()

    def diverging():
        model.plot('loss', 1.0 if trainer.epoch == 0 else math.nan, True)

    trainer.fit_epoch = diverging
    with pytest.warns(UserWarning, match='epoch 2: .*train_loss.*nan.* is not finite; lower lr, or '
                                         'set gradient_clip_val') as caught:
        trainer.fit(model, Data())
    assert len(caught) == 1 and len(trainer.history) == 4


def test_finite_values_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        Trainer(max_epochs=2).fit(Model(), Data())


def test_fewer_epochs_are_announced(monkeypatch, capsys):
    monkeypatch.setenv('D2LRNN_MAX_EPOCHS', '2')
    trainer = Trainer(max_epochs=100)
    assert trainer.max_epochs == 2
    assert capsys.readouterr().out == 'D2LRNN_MAX_EPOCHS=2: training 2 instead of 100 epochs\n'
    trainer.fit(Model(), Data())
    assert len(trainer.history) == 2


@pytest.mark.parametrize('limit', ['', '3', '10'])
def test_a_limit_that_does_not_bind_is_silent(monkeypatch, capsys, limit):
    monkeypatch.setenv('D2LRNN_MAX_EPOCHS', limit)
    assert Trainer(max_epochs=3).max_epochs == 3
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize('limit', ['many', '-1', '0'])
def test_a_limit_that_is_no_number_of_epochs(monkeypatch, limit):
    monkeypatch.setenv('D2LRNN_MAX_EPOCHS', limit)
    with pytest.raises(ValueError, match=f"D2LRNN_MAX_EPOCHS.* integer of at least 1.*'{limit}'"):
        Trainer(max_epochs=3)


@pytest.mark.parametrize('max_epochs', [0, -1, 2.5, '3', None])
def test_epochs(max_epochs):
    with pytest.raises(ValueError, match='max_epochs must be an integer of at least 1, got '):
        Trainer(max_epochs)


def test_other_arguments():
    for num_gpus in 2, -1, 'all':
        with pytest.raises(ValueError, match=f'num_gpus must be 0 or 1, got {num_gpus!r}'):
            Trainer(1, num_gpus=num_gpus)
    with pytest.raises(ValueError, match='gradient_clip_val must be a number of at least 0, got '
                                         '-0.5'):
        Trainer(1, gradient_clip_val=-0.5)


def test_a_backend_must_say_what_an_epoch_is():
    with pytest.raises(NotImplementedError, match='TrainerBase must define fit_epoch'):
        TrainerBase(1).fit(Model(), Data())
