"""The training loop's frame: what comes before, after and between the tensors."""
import collections
import math
import os
import sys
import time
import warnings

from tqdm import tqdm

from .carry import check_carry, check_steps, layers_that_carry
from .checks import check_numbers, check_sizes
from .hyperparameters import HyperParameters


def weighted_mean(metrics):
    """Return the transformed weighted mean of one metric's values.

    Args:
        metrics: the batches' `Metric`s, all of one key.
    """
    total = sum(float(m.value) * m.weight for m in metrics)
    weight = sum(m.weight for m in metrics)
    mean = total / weight if weight else math.nan  # a Tagger's batches may have no label
    if metrics[-1].transform is None:
        return mean
    try:
        return metrics[-1].transform(mean)
    except OverflowError:
        return math.inf


def _finite(record):
    return all(map(math.isfinite, record.values()))


class TrainerBase(HyperParameters):
    """The training loop: `fit` runs it for a number of epochs.

    After `fit`, `history` has one dictionary an epoch: the mean of every metric over the epoch's
    tokens, as 'train_ppl', 'val_ppl' and so on. `seconds` has how long each epoch took, drawing
    left out.

    Args:
        max_epochs: passes over the training data.
        num_gpus: 1 uses a GPU where there is one, and the CPU where there is none.
        gradient_clip_val: largest global norm of the gradient; 0 does not clip.
        seed: of the order of the batches, of dropout and, on JAX, of the initial weights.
        carry_state: whether the state after a batch is the one before the next, for all layers, or
            a list that says it for each. No gradient goes back into the batch before. It needs
            batches that continue one another, as those of `TimeMachine(sequential=True)`; rows that
            start a document start anew, as does the first batch of an epoch.
        reset_every: batches after which all states start anew; None for never.

    Raises:
        ValueError: an argument out of its range.
        TypeError: in `fit`, a model without the steps that carrying its state takes.
    """

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0, carry_state=False,
                 reset_every=None):
        self.save_hyperparameters()
        if num_gpus not in (0, 1):
            raise ValueError(f'num_gpus must be 0 or 1, got {num_gpus!r}')
        check_numbers(gradient_clip_val=gradient_clip_val)
        check_sizes(max_epochs=max_epochs)
        check_carry(carry_state, reset_every)
        self.max_epochs = self._limit(max_epochs)
        self.metrics = []

    @staticmethod
    def _limit(max_epochs):
        limit = os.environ.get('D2LRNN_MAX_EPOCHS') or str(max_epochs)
        if not limit.isdecimal() or int(limit) < 1:
            raise ValueError('the environment variable D2LRNN_MAX_EPOCHS must be an integer of at '
                             f'least 1, got {limit!r}; correct it or unset it')
        if int(limit) >= max_epochs:
            return max_epochs
        print(f'D2LRNN_MAX_EPOCHS={limit}: training {limit} instead of {max_epochs} epochs')
        return int(limit)

    def prepare_data(self, data):
        """Make the loaders, and start the order of the batches at `seed`."""
        self.data = data
        data.seed(self.seed)
        self.train_dataloader = data.train_dataloader()
        self.val_dataloader = data.val_dataloader()
        self.num_train_batches = len(self.train_dataloader)
        self.num_val_batches = len(self.val_dataloader) if self.val_dataloader is not None else 0

    def prepare_model(self, model):
        """Tie model and trainer together."""
        if self.carry_state is not False and not hasattr(model, 'carried_step'):
            raise TypeError(f'carry_state needs a model with the method carried_step, such as '
                            f'RNNLM, got {type(model).__name__}')
        if self.carry_state is not False:
            check_steps(type(model))
        model.trainer = self
        self.model = model
        self.carried_layers = layers_that_carry(self.carry_state, getattr(model, 'rnn', None))

    def prepare_batch(self, batch):
        """Return the batch where the model can use it."""
        return batch

    def fit(self, model, data):
        """Train a model, and draw its metrics as it learns.

        Args:
            model: a Module.
            data: a DataModule.
        """
        self.epoch, self.history, self.seconds, self.metrics = 0, [], [], []
        self.prepare_data(data)
        self.prepare_model(model)
        model.board.start(xlabel='epoch', xlim=[0, self.max_epochs], title=data.corpus_name)
        self.start()
        with tqdm(total=self.max_epochs, unit='epoch', leave=False, disable=None,
                  file=sys.stderr) as bar:
            for self.epoch in range(self.max_epochs):
                began = time.perf_counter()
                self.fit_epoch()
                record = self.end_epoch()
                self.seconds.append(time.perf_counter() - began)
                model.board.refresh(epoch=self.epoch + 1, max_epochs=self.max_epochs,
                                    values=record)
                bar.update()
        model.board.flush()

    def start(self):
        """Make what the first step needs, once the data and the model are prepared."""
        self.optim = self.model.configure_optimizers()

    def fit_epoch(self):
        """Run all training batches, then all validation batches; for the backend to define."""
        raise NotImplementedError(f'{type(self).__name__} must define fit_epoch(self)')

    def end_epoch(self):
        """Read the epoch's metrics from the device, hand them to the board, return their means."""
        series = collections.defaultdict(list)
        for metric in self.metrics:
            series['train' if metric.train else 'val', metric.key].append(metric)
        self.metrics = []
        record = {}
        for (part, key), metrics in series.items():
            values = [metric._replace(value=float(metric.value), weight=float(metric.weight))
                      for metric in metrics]
            record[f'{part}_{key}'] = weighted_mean(values)
            self._draw(part, key, values)
        self.history.append(record)
        if not _finite(record) and all(map(_finite, self.history[:-1])):
            warnings.warn(f'epoch {self.epoch + 1}: {record} is not finite; lower lr, or set '
                          'gradient_clip_val')
        return record

    def _draw(self, part, key, values):
        per_epoch = getattr(self.model, 'plot_train_per_epoch' if part == 'train'
                            else 'plot_valid_per_epoch')
        if per_epoch <= 0:
            return
        size = max(1, math.ceil(len(values) / per_epoch))
        for first in range(0, len(values), size):
            chunk = values[first:first + size]
            last = first + len(chunk)
            middle = (first + last) / 2 if part == 'train' else last
            self.model.board.add(self.epoch + middle / len(values), weighted_mean(chunk),
                                 f'{part}_{key}')
