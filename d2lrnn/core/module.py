"""The part of Module that touches no tensor: metrics on their way to the trainer."""
from typing import Any, Callable, NamedTuple, Optional

from .hyperparameters import HyperParameters


class Metric(NamedTuple):
    """One batch's value of a metric.

    Args:
        key: its name, 'loss' or 'ppl'.
        value: a scalar, still on its device.
        train: whether it is of a training batch.
        weight: how many examples or tokens the value is the mean of.
        transform: applied to the weighted mean over the batches; None for the mean itself.
    """
    key: str
    value: Any
    train: bool
    weight: int = 1
    transform: Optional[Callable] = None


def held(layer, kind):
    """Yield names and objects of a kind that a layer has in lists, tuples and dictionaries.

    Args:
        layer: its attributes are looked through, but for those that begin with _ and `hparams`.
        kind: class of the objects.
    """
    pending = [(name, value) for name, value in vars(layer).items()
               if not name.startswith('_') and name != 'hparams']
    while pending:
        name, value = pending.pop(0)
        if isinstance(value, (list, tuple, dict)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in items:
                if isinstance(item, kind):
                    yield f'{name}_{key}', item
                else:
                    pending.append((f'{name}_{key}', item))


class ModuleBase(HyperParameters):
    """Base of every backend's Module."""

    def plot(self, key, value, train, weight=1, transform=None):
        """Hand a batch's metric to the trainer, which averages it and draws the average.

        Perplexity is plotted as ``plot('ppl', loss, train, weight=tokens, transform=math.exp)``:
        the exponential of the mean loss over all tokens, not the mean of exponentials.

        Args:
            key: the metric's name.
            value: a scalar; it stays on its device until the end of the epoch.
            train: whether it is of a training batch.
            weight: how many examples or tokens the value is the mean of.
            transform: applied to the weighted mean.

        Raises:
            RuntimeError: the model is not in training.
        """
        if getattr(self, 'trainer', None) is None:
            raise RuntimeError('plot needs a trainer: call it in training_step or validation_step, '
                               'during Trainer.fit')
        self.trainer.metrics.append(Metric(key, value, train, weight, transform))
