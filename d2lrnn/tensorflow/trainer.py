"""The training loop."""
import numpy as np
import tensorflow as tf

from ..core.trainer import TrainerBase
from .devices import cpu, gpu, num_gpus
from .module import as_graph, named_variables


class Trainer(TrainerBase):
    __doc__ = TrainerBase.__doc__

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0):
        super().__init__(max_epochs, num_gpus, gradient_clip_val, seed)
        self.device = _device(num_gpus)

    def fit(self, model, data):
        """Train a model, and draw its metrics as it learns.

        Args:
            model: a Module.
            data: a DataModule.
        """
        with self.device:
            try:
                super().fit(model, data)
            finally:
                model.training = None

    def prepare_data(self, data):
        """Make the loaders, and start the order of the batches at `seed`."""
        loader = data.val_dataloader()
        self._sample = next(iter(data.train_dataloader() if loader is None else loader))
        super().prepare_data(data)

    def prepare_batch(self, batch):
        """Return the batch as tensors."""
        return [tf.convert_to_tensor(a) for a in batch]

    def prepare_model(self, model):
        """Tie model and trainer together; run one batch, so that all parameters have a shape."""
        super().prepare_model(model)
        model(*self.prepare_batch(self._sample)[:-1])

    def start(self):
        """Seed dropout and make the optimizer; the steps are compiled when they first run."""
        tf.random.set_seed(self.seed)
        states = [v for v in self.model.non_trainable_variables if v.name == 'seed_generator_state']
        for v, words in zip(states, np.random.SeedSequence(self.seed).spawn(len(states))):
            v.assign(words.generate_state(2))
        self._steps = {}
        super().start()

    def fit_epoch(self):
        """Run all training batches, then all validation batches."""
        self.model.training = True
        for batch in self.train_dataloader:
            self._run(self._train_step, self.prepare_batch(batch))
        self.model.training = False
        for batch in self.val_dataloader or ():
            self._run(self.model.validation_step, self.prepare_batch(batch))

    def end_epoch(self):
        """Read the epoch's metrics from the device, hand them to the board, return their means."""
        self.metrics = [metric._replace(weight=float(metric.weight)) for metric in self.metrics]
        return super().end_epoch()

    def _train_step(self, batch):
        with tf.GradientTape() as tape:
            loss = self.model.training_step(batch)
        variables = self.model.trainable_variables
        grads = tape.gradient(loss, variables)
        if self.gradient_clip_val > 0:
            _check_gradients(self.model, grads)
            grads = self.clip_gradients(self.gradient_clip_val, grads)
        self.optim.apply_gradients(zip(grads, variables))

    def clip_gradients(self, grad_clip_val, grads):
        r"""Return the gradient scaled so that its norm over all parameters is at most the limit.

        $$\mathbf{g} \leftarrow \min(1, \theta / \|\mathbf{g}\|)\, \mathbf{g}$$

        Args:
            grad_clip_val: the largest norm, theta.
            grads: list of the parameters' gradients.

        Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
        """
        return tf.clip_by_global_norm(grads, grad_clip_val)[0]

    def _run(self, step, batch):
        """Run a step, compiled once for each shape of batch, and keep the metrics it plots."""
        self.model.check_batch(batch)
        key = step.__name__, *((tuple(a.shape), a.dtype) for a in batch)
        if key not in self._steps:
            self._steps[key] = self._compile(step, batch)
        graph, plots = self._steps[key]
        for metric, (value, weight) in zip(plots, graph(batch)):
            self.metrics.append(metric._replace(value=value, weight=weight))

    def _compile(self, step, batch):
        """Return a step as a graph of its metrics' values and weights, and the metrics."""
        plots = []

        def run(batch):
            """Return the values and weights of the metrics that the step plots."""
            before, self.metrics = self.metrics, []
            try:
                step(batch)
                plots[:] = self.metrics
            finally:
                self.metrics = before
            return [(metric.value, metric.weight) for metric in plots]

        return as_graph(run, batch), plots


def _check_gradients(model, grads):
    missing = [name for (name, _), g in zip(named_variables(model), grads) if g is None]
    if missing:
        raise RuntimeError(f'no gradient reached {", ".join(missing)}; use every parameter in '
                           'forward, or set trainable=False on those that are fixed')


def _device(wanted):
    return gpu() if wanted and num_gpus() else cpu()
