import pytest

from d2lrnn.core.hyperparameters import HyperParameters, add_to_class
from d2lrnn.core.module import Metric, ModuleBase


class Kept(HyperParameters):
    def __init__(self, a, b=2, *, c=None, _hidden=0, skipped=5, **rest):
        local = a  # not an argument
        self.save_hyperparameters(ignore=['skipped'])
        self.local_was = local


def test_arguments_become_attributes():
    kept = Kept('x', c=[1])
    assert (kept.a, kept.b) == ('x', 2)
    assert not hasattr(kept, 'local') and not hasattr(kept, 'skipped')
    assert not hasattr(kept, '_hidden') and 'self' not in kept.hparams


def test_keyword_arguments_are_kept():
    kept = Kept(1, extra=3)
    assert kept.extra == 3 and kept.hparams['extra'] == 3


def test_keyword_only_arguments_are_kept():
    assert Kept(1, c='only by name').c == 'only by name'


def test_a_subclass_keeps_its_own_arguments():
    class Sub(Kept):
        def __init__(self, d):
            super().__init__(a=d + 1)
            self.save_hyperparameters()

    sub = Sub(1)
    assert (sub.a, sub.d) == (2, 1) and sub.hparams == {'d': 1}


def test_add_to_class_reaches_existing_objects():
    class Class:
        pass

    existing = Class()

    @add_to_class(Class)
    def method(self, x):
        return self, x

    assert existing.method(3) == (existing, 3)
    assert method(1, 2) == (1, 2)  # the name stays usable


def test_plot_hands_the_metric_to_the_trainer():
    class Trainer:
        metrics = []

    model = ModuleBase()
    with pytest.raises(RuntimeError, match='plot needs a trainer'):
        model.plot('ppl', 1, train=True)
    model.trainer = Trainer()
    model.plot('ppl', 1.5, train=False, weight=4, transform=abs)
    assert model.trainer.metrics == [Metric('ppl', 1.5, False, 4, abs)]
