"""The training loop."""
import functools
import itertools
from typing import Any

import jax
import optax
from flax.training import train_state
from flax.traverse_util import flatten_dict
from jax import numpy as jnp

from ..core.carry import carried_batches
from ..core.module import Metric
from ..core.trainer import TrainerBase
from ..core.weights import check_weights
from .devices import cpu, gpu, num_gpus
from .ops import compiled

# So that a compiled function can return metrics: numbers are traced, the rest is known by then.
jax.tree_util.register_pytree_node(
    Metric, lambda m: ((m.value, m.weight), (m.key, m.train, m.transform)),
    lambda known, traced: Metric(known[0], traced[0], known[1], traced[1], known[2]))

MAX_BATCHES = 16  # in one compiled loop: they are on the device together


class TrainState(train_state.TrainState):
    """What training changes: the parameters, the optimizer's state, and what follows.

    Args:
        batch_stats: statistics of normalization layers.
        dropout_rng: key of the dropout masks, another one at each step.
    """
    batch_stats: Any
    dropout_rng: jax.Array


class Trainer(TrainerBase):
    __doc__ = TrainerBase.__doc__

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0, carry_state=False,
                 reset_every=None):
        super().__init__(max_epochs, num_gpus, gradient_clip_val, seed, carry_state, reset_every)
        self.device = _device(num_gpus)

    def fit(self, model, data, params=None):
        """Train a model, and draw its metrics as it learns; `state.params` are what it learned.

        Args:
            model: a Module.
            data: a DataModule.
            params: parameters to start from; None draws them from `seed`.

        Raises:
            ValueError: `params` are not the model's, or of another shape.
        """
        self.initial_params = params
        super().fit(model, data)

    def prepare_data(self, data):
        """Take a batch for its shapes, then make the loaders and start their order at `seed`."""
        self.dummy_input = self.prepare_batch(next(iter(data.train_dataloader())))[:-1]
        super().prepare_data(data)

    def prepare_batch(self, batch):
        """Return the batch on the trainer's device."""
        return [jax.device_put(a, self.device) for a in batch]

    def prepare_model(self, model):
        """Draw the initial variables, except parameters that `fit` got."""
        super().prepare_model(model)
        params_key, self.dropout_key = jax.random.split(jax.random.key(self.seed))
        keys = {'params': params_key, 'dropout': self.dropout_key}
        shapes = jax.eval_shape(model.init, keys, *self.dummy_input)
        given = {}
        if self.initial_params is not None:
            given = {'params': self.initial_params}
            check_weights({name: value.shape for name, value
                           in flatten_dict(shapes['params'], sep='/').items()},
                          flatten_dict(self.initial_params, sep='/'))
        # To draw takes seconds to compile.
        drawn = model.apply_init(self.dummy_input, keys) if set(shapes) > set(given) else {}
        self.variables = {'batch_stats': {}, **drawn, **given}

    def start(self):
        """Make the optimizer and the state of training, and forget what was compiled."""
        super().start()
        self.state = jax.device_put(TrainState.create(
            apply_fn=self.model.apply, params=self.variables['params'], tx=self.optim,
            batch_stats=self.variables['batch_stats'], dropout_rng=self.dropout_key), self.device)
        self.loops, self.zeros = {}, {}

    def fit_epoch(self):
        """Run all training batches, then all validation batches, in compiled loops."""
        self._run(self._train, self.train_dataloader)
        if self.val_dataloader is not None:
            self._run(self._validate, self.val_dataloader)

    def _run(self, step, loader):
        """Run a step over a loader; equal batches are one loop, which gets its memory only once."""
        self.model.training, carried = step == self._train, None
        for batches in _stacked(self._batches(loader)):
            shapes = tuple((a.shape, a.dtype) for a in jax.tree.leaves(batches))
            if carried is None and any(self.carried_layers):
                if shapes not in self.zeros:
                    self.zeros[shapes] = self._zeros(batches)
                carried = self.zeros[shapes]
            if (step, shapes) not in self.loops:
                self.loops[step, shapes] = compiled(lambda *args: jax.lax.scan(
                    lambda carry, xs: step(*carry, *xs), *args), (self.state, carried), batches)
            (self.state, carried), metrics = self.loops[step, shapes](
                (self.state, carried), batches)
            for metric in metrics:  # with the values of all batches
                self.metrics += [metric._replace(value=value, weight=weight) for value, weight
                                 in zip(metric.value.tolist(), metric.weight.tolist())]

    def _batches(self, loader):
        """Yield batches and, where a state is carried, what of it goes on."""
        pairs = carried_batches(loader, self.carried_layers, self.reset_every) if any(
            self.carried_layers) else ((batch, None) for batch in loader)
        for batch, keep in pairs:
            self.model.check_batch(batch)
            yield self.prepare_batch(batch), keep

    def _zeros(self, batches):
        """Return a state of the block for a first batch, where no value of it goes on."""
        batch, keep = jax.tree.map(lambda stack: stack[0], batches)
        step = functools.partial(self._plotted, self.model.carried_step, train=False)
        (_, carried), _ = jax.eval_shape(step, self.state.params, batch, self.state, None, keep)
        return jax.tree.map(lambda part: jnp.zeros(part.shape, part.dtype, device=self.device),
                            carried)

    def _train(self, state, carried, batch, keep):
        """Return the states after one training batch, and the metrics."""
        rng, key = jax.random.split(state.dropout_rng)
        args = state.params, batch, state.replace(dropout_rng=key)
        if keep is None:
            (value, grads), metrics = self._plotted(self.model.training_step, *args)
        else:
            ((value, grads), carried), metrics = self._plotted(
                self.model.carried_step, *args, carried, keep, train=True)
        if self.gradient_clip_val > 0:
            grads = self.clip_gradients(self.gradient_clip_val, grads)
        state = state.apply_gradients(grads=grads).replace(dropout_rng=rng)
        if state.batch_stats:
            state = state.replace(batch_stats=value[1]['batch_stats'])
        return (state, carried), metrics

    def _validate(self, state, carried, batch, keep):
        """Return the trainer's state as it is, the block's after one batch, and the metrics."""
        args = state.params, batch, state.replace(apply_fn=_without_dropout(state.apply_fn))
        if keep is None:
            _, metrics = self._plotted(self.model.validation_step, *args)
        else:
            (_, carried), metrics = self._plotted(
                self.model.carried_step, *args, carried, keep, train=False)
        return (state, carried), metrics

    def _plotted(self, step, *args, **kwargs):
        """Return what a step of the model returns, and what it plotted."""
        kept, self.metrics = self.metrics, []
        try:
            return step(*args, **kwargs), self.metrics
        finally:
            self.metrics = kept

    def clip_gradients(self, grad_clip_val, grads):
        r"""Return the gradient scaled so that its norm over all parameters is at most the limit.

        $$\mathbf{g} \leftarrow \min(1, \theta / \|\mathbf{g}\|)\, \mathbf{g}$$

        A parameter that no step uses has the gradient zero in JAX, so there is none to be missed.

        Args:
            grad_clip_val: the largest norm, theta.
            grads: the gradient of the parameters.

        Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
        """
        scale = jnp.minimum(1, grad_clip_val / optax.tree.norm(grads))
        return jax.tree.map(lambda grad: grad * scale, grads)


def _stacked(batches):
    """Yield stacks of consecutive batches of equal shapes."""
    for _, run in itertools.groupby(batches, lambda batch: jax.tree.map(jnp.shape, batch)):
        while stack := list(itertools.islice(run, MAX_BATCHES)):
            yield jax.tree.map(lambda *arrays: jnp.stack(arrays), *stack)


def _without_dropout(apply_fn):
    return lambda *args, rngs=None, **kwargs: apply_fn(*args, **kwargs)


def _device(wanted):
    return gpu() if wanted and num_gpus() else cpu()
