"""Module and Classifier: what a model is."""
from dataclasses import field

import jax
import numpy as np
import optax
from flax import linen as nn
from jax import numpy as jnp

from ..core.board import ProgressBoard
from ..core.module import ModuleBase
from .ops import compiled


class Module(nn.Module, ModuleBase):
    """Base of all models: its loss, what it does with a batch, and its optimizer.

    A model holds no parameters: `init` returns them, and `apply` takes them.

    Attributes:
        plot_train_per_epoch: points a training curve has an epoch.
        plot_valid_per_epoch: points a validation curve has an epoch.
    """
    plot_train_per_epoch: int = field(default=2, init=False, repr=False, compare=False)
    plot_valid_per_epoch: int = field(default=1, init=False, repr=False, compare=False)
    board: ProgressBoard = field(default_factory=ProgressBoard, init=False, repr=False,
                                 compare=False)
    trainer: object = field(default=None, init=False, repr=False, compare=False)

    def loss(self, params, X, Y=None, state=None):
        """Return the loss of a batch; for the subclass to define.

        Args:
            params: the model's parameters.
            X: a list of the arguments of `forward`.
            Y: what is to be predicted.
            state: the trainer's state; its `apply_fn` is the model's `apply`.
        """
        raise NotImplementedError(f'{type(self).__name__} must define '
                                  'loss(self, params, X, Y, state)')

    def forward(self, X):
        """Return `net(X)`."""
        if not hasattr(self, 'net'):
            raise NotImplementedError(f'{type(self).__name__} must define forward or net')
        return self.net(X)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def training_step(self, params, batch, state):
        """Return the loss of a training batch and its gradient, and plot the loss."""
        l, grads = jax.value_and_grad(self.loss)(params, batch[:-1], batch[-1], state)
        self.plot('loss', l, train=True, weight=len(batch[-1]))
        return l, grads

    def validation_step(self, params, batch, state):
        """Plot the loss of a validation batch."""
        l = self.loss(params, batch[:-1], batch[-1], state)
        self.plot('loss', l, train=False, weight=len(batch[-1]))

    def check_batch(self, batch):
        """Raise ValueError for a batch that a compiled step would misread; for the subclass."""

    def configure_optimizers(self):
        """Return plain stochastic gradient descent at the learning rate `lr`."""
        return optax.sgd(self.lr)

    def apply_init(self, dummy_input, key):
        """Return the initial variables: the parameters, and the statistics of normalization.

        Args:
            dummy_input: a list of the arguments of `forward`.
            key: random key, or a dictionary of the keys of 'params' and 'dropout'.
        """
        init = compiled(lambda key, inputs: self.init(key, *inputs), key, dummy_input)
        return init(key, dummy_input)


class Classifier(Module):
    """Base of models that predict one of several classes."""

    def training_step(self, params, batch, state):
        """Return the loss of a training batch, what else `loss` returns, and the gradient."""
        value, grads = jax.value_and_grad(self.loss, has_aux=True)(
            params, batch[:-1], batch[-1], state)
        self.plot('loss', value[0], train=True, weight=len(batch[-1]))
        return value, grads

    def loss(self, params, X, Y, state, averaged=True):
        """Return the cross-entropy in nats, and the new statistics of normalization.

        Args:
            params: the model's parameters.
            X: a list of the arguments of `forward`.
            Y: class indices.
            state: the trainer's state.
            averaged: the mean over all labels; False for one value a label.
        """
        Y_hat, statistics = state.apply_fn(
            {'params': params, 'batch_stats': state.batch_stats}, *X, mutable=['batch_stats'],
            rngs={'dropout': state.dropout_rng})
        self.check_indices(Y, Y_hat.shape[-1])
        Y_hat = Y_hat.reshape(-1, Y_hat.shape[-1])
        l = optax.softmax_cross_entropy_with_integer_labels(Y_hat, Y.reshape(-1))
        return (l.mean() if averaged else l), statistics

    def check_indices(self, indices, size):
        """Raise ValueError unless all indices are in [0, size): JAX would clip or ignore them.

        Args:
            indices: an array of any shape; while a step is being compiled, nothing is checked.
            size: the number of classes or tokens.
        """
        if isinstance(indices, jax.core.Tracer):
            return
        indices = np.asarray(indices)
        if indices.size and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f'indices must be in [0, {size}), got {indices.min()} to '
                             f'{indices.max()}')

    def accuracy(self, params, X, Y, state, averaged=True):
        """Return the share of labels predicted right.

        Args:
            params: the model's parameters.
            X: a list of the arguments of `forward`.
            Y: class indices.
            state: the trainer's state.
            averaged: the mean over all labels; False for one value a label.
        """
        Y_hat = state.apply_fn({'params': params, 'batch_stats': state.batch_stats}, *X)
        right = (Y_hat.argmax(axis=-1).reshape(-1) == Y.reshape(-1)).astype(jnp.float32)
        return right.mean() if averaged else right

    def validation_step(self, params, batch, state):
        """Plot loss and accuracy of a validation batch."""
        X, Y = batch[:-1], batch[-1]
        l, _ = self.loss(params, X, Y, state)
        self.plot('loss', l, train=False, weight=Y.size)
        self.plot('acc', self.accuracy(params, X, Y, state), train=False, weight=Y.size)

    def layer_summary(self, X_shape):
        """Print the output shape of each layer of `net`.

        Args:
            X_shape: shape of a random input.
        """
        key = jax.random.key(0)
        X = jax.random.normal(key, X_shape)
        for layer in self.bind(self.init(key, X)).net.layers:
            X = layer(X)
            print(type(layer).__name__, 'output shape:\t', X.shape)
