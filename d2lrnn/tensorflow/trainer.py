"""The training loop."""
import numpy as np
import tensorflow as tf

from ..core.carry import carried_batches
from ..core.trainer import TrainerBase
from .devices import cpu, gpu, num_gpus
from .module import as_graph, named_variables


class Trainer(TrainerBase):
    __doc__ = TrainerBase.__doc__

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0, carry_state=False,
                 reset_every=None):
        super().__init__(max_epochs, num_gpus, gradient_clip_val, seed, carry_state, reset_every)
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
        for train, loader in (True, self.train_dataloader), (False, self.val_dataloader or ()):
            self.model.training = train
            self._run_batches(loader, self._train_step if train else self._val_step)

    def _run_batches(self, loader, step):
        """Run a step, batch by batch; the state goes along where it is carried."""
        if not any(self.carried_layers):
            for batch in loader:
                self._run(step, self.prepare_batch(batch))
            return
        state = None
        for batch, keep in carried_batches(loader, self.carried_layers, self.reset_every):
            state = self._run(step, self.prepare_batch(batch), state, tf.constant(keep))

    def _val_step(self, batch, *carried):
        """Return the state after the batch."""
        if carried:
            return self.model.carried_step(batch, *carried, train=False)[1]
        self.model.validation_step(batch)

    def _train_step(self, batch, *carried):
        """Return the state after the batch, the parameters updated."""
        with tf.GradientTape() as tape:
            loss, state = (self.model.carried_step(batch, *carried, train=True) if carried
                           else (self.model.training_step(batch), None))
        variables = self.model.trainable_variables
        grads = tape.gradient(loss, variables)
        if self.gradient_clip_val > 0:
            _check_gradients(self.model, grads)
            grads = self.clip_gradients(self.gradient_clip_val, grads)
        self.optim.apply_gradients(zip(grads, variables))
        return state

    def clip_gradients(self, grad_clip_val, grads):
        r"""Return the gradient scaled so that its norm over all parameters is at most the limit.

        $$\mathbf{g} \leftarrow \min(1, \theta / \|\mathbf{g}\|)\, \mathbf{g}$$

        Args:
            grad_clip_val: the largest norm, theta.
            grads: list of the parameters' gradients.

        Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
        """
        return tf.clip_by_global_norm(grads, grad_clip_val)[0]

    def _run(self, step, batch, *carried):
        """Return what a step does, compiled once for each shape, and keep the metrics it plots."""
        self.model.check_batch(batch)
        key = step.__name__, *((tuple(a.shape), a.dtype) if a is not None else None
                               for a in tf.nest.flatten((batch, carried)))
        if key not in self._steps:
            self._steps[key] = self._compile(step, batch, *carried)
        graph, plots = self._steps[key]
        state, values = graph(batch, *carried)
        self.metrics += [metric._replace(value=value, weight=weight)
                         for metric, (value, weight) in zip(plots, values)]
        return state

    def _compile(self, step, *args):
        """Return a step as a graph of its result and its metrics' values, and the metrics."""
        plots = []

        def run(*args):
            """Return what the step does, and the values and weights of the metrics it plots."""
            before, self.metrics = self.metrics, []
            try:
                state = step(*args)
                plots[:] = self.metrics
            finally:
                self.metrics = before
            return state, [(metric.value, metric.weight) for metric in plots]

        return as_graph(run, *args), plots


def _check_gradients(model, grads):
    missing = [name for (name, _), g in zip(named_variables(model), grads) if g is None]
    if missing:
        raise RuntimeError(f'no gradient reached {", ".join(missing)}; use every parameter in '
                           'forward, or set trainable=False on those that are fixed')


def _device(wanted):
    return gpu() if wanted and num_gpus() else cpu()
