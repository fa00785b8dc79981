"""The training loop."""
import itertools
from typing import Any

import jax
import numpy as np
import optax
from flax.training import train_state
from flax.traverse_util import flatten_dict
from jax import numpy as jnp

from ..core.module import Metric
from ..core.trainer import TrainerBase
from ..core.weights import check_weights
from .devices import cpu, gpu, num_gpus
from .module import compiled

# So that a compiled function can return metrics: numbers are traced, the rest is known by then.
jax.tree_util.register_pytree_node(
    Metric, lambda m: ((m.value, m.weight), (m.key, m.train, m.transform)),
    lambda known, traced: Metric(known[0], traced[0], known[1], traced[1], known[2]))

MAX_BATCHES = 16  # in one compiled loop, as they are on the device together


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

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0):
        super().__init__(max_epochs, num_gpus, gradient_clip_val, seed)
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
        """Draw the parameters, unless `fit` got some, and make the state of training."""
        super().prepare_model(model)
        params_key, dropout_key = jax.random.split(jax.random.key(self.seed))
        variables = model.apply_init(self.dummy_input,
                                     {'params': params_key, 'dropout': dropout_key})
        params = variables['params']
        if self.initial_params is not None:
            check_weights(_shapes(params), _leaves(self.initial_params))
            params = self.initial_params
        self.state = jax.device_put(TrainState.create(
            apply_fn=model.apply, params=params, tx=model.configure_optimizers(),
            batch_stats=variables.get('batch_stats', {}), dropout_rng=dropout_key), self.device)
