"""Module and Classifier: what a model is."""
import warnings

import tensorflow as tf

from ..core.board import ProgressBoard
from ..core.module import ModuleBase


class Module(tf.keras.Model, ModuleBase):
    """Base of all models: its loss, what it does with a batch, and its optimizer.

    Args:
        plot_train_per_epoch: points a training curve has an epoch.
        plot_valid_per_epoch: points a validation curve has an epoch.
    """

    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1):
        super().__init__()
        del self.loss  # Keras sets it to None, which would hide the method
        self.save_hyperparameters()
        self.board = ProgressBoard()
        self.trainer = None
        self.training = None  # None: as the caller's, and evaluation where there is none

    def __call__(self, *args, **kwargs):
        if not all(a is None or hasattr(a, 'shape') for a in tf.nest.flatten(args)):
            return self.call(*args, **kwargs)  # Keras would not say what `forward` expected
        # Keras hands `training` down from the outermost call, unless a call has its own.
        if self.training is not None:
            kwargs.setdefault('training', self.training)
        return super().__call__(*args, **kwargs)

    def build(self, input_shape):
        """Do nothing: the layers make their parameters when they are called."""

    def call(self, *args, training=None, method='forward', **kwargs):
        """Return `forward`, or another method, of the arguments; `training` is set meanwhile."""
        before, self.training = self.training, training
        try:
            return getattr(self, method)(*args, **kwargs)
        except Exception as error:
            error._keras_call_info_injected = True  # or Keras adds all arguments to the message
            raise
        finally:
            self.training = before

    @property
    def trainable_variables(self):
        """The parameters, those among them that Keras does not track: `tf.Variable`."""
        return [variable for _, variable in named_variables(self)]

    def loss(self, y_hat, y):
        """Return the loss of predictions; for the subclass to define."""
        raise NotImplementedError(f'{type(self).__name__} must define loss(self, y_hat, y)')

    def forward(self, X):
        """Return `net(X)`."""
        if not hasattr(self, 'net'):
            raise NotImplementedError(f'{type(self).__name__} must define forward or net')
        return self.net(X)

    def training_step(self, batch):
        """Return the loss of a training batch, and plot it."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('loss', l, train=True, weight=batch[-1].shape[0])
        return l

    def validation_step(self, batch):
        """Plot the loss of a validation batch."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('loss', l, train=False, weight=batch[-1].shape[0])

    def check_batch(self, batch):
        """Raise ValueError for a batch that a compiled step would misread; for the subclass."""

    def configure_optimizers(self):
        """Return plain stochastic gradient descent at the learning rate `lr`."""
        return tf.keras.optimizers.SGD(float(self.lr))  # Keras rejects an integer

    def apply_init(self, inputs, init=None):
        """Run once, so that lazy parameters get their shapes, then initialize.

        Args:
            inputs: a list of the arguments of `forward`.
            init: function of a layer that sets its parameters.
        """
        self(*inputs)
        if init is not None:
            for layer in self._flatten_layers():
                init(layer)


class Classifier(Module):
    """Base of models that predict one of several classes."""

    def loss(self, Y_hat, Y, averaged=True):
        """Return the cross-entropy in nats.

        Args:
            Y_hat: unnormalized scores, classes last.
            Y: class indices.
            averaged: the mean over all labels; False for one value a label.
        """
        self.check_indices(Y, Y_hat.shape[-1])
        Y_hat = tf.reshape(Y_hat, (-1, Y_hat.shape[-1]))
        l = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(Y, (-1,)), Y_hat)
        return tf.reduce_mean(l) if averaged else l

    def check_indices(self, indices, size):
        """Raise ValueError unless all indices are in [0, size): TensorFlow would ignore them.

        Args:
            indices: a tensor of any shape.
            size: the number of classes or tokens.

        Raises:
            ValueError: an index outside the range; InvalidArgumentError in a compiled step.
        """
        fit = tf.reduce_all((indices >= 0) & (indices < size))
        low, high = tf.reduce_min(indices), tf.reduce_max(indices)
        if not tf.executing_eagerly():
            tf.debugging.Assert(fit, [f'indices must be in [0, {size}), got', low, 'to', high])
        elif not fit:
            raise ValueError(f'indices must be in [0, {size}), got {low} to {high}')

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the share of labels predicted right.

        Args:
            Y_hat: unnormalized scores, classes last.
            Y: class indices.
            averaged: the mean over all labels; False for one value a label.
        """
        best = tf.reshape(tf.argmax(Y_hat, axis=-1), (-1,))
        right = tf.cast(tf.cast(best, Y.dtype) == tf.reshape(Y, (-1,)), tf.float32)
        return tf.reduce_mean(right) if averaged else right

    def validation_step(self, batch):
        """Plot loss and accuracy of a validation batch."""
        Y_hat, Y = self(*batch[:-1]), batch[-1]
        size = Y.shape.num_elements()
        self.plot('loss', self.loss(Y_hat, Y), train=False, weight=size)
        self.plot('acc', self.accuracy(Y_hat, Y), train=False, weight=size)

    def layer_summary(self, X_shape):
        """Print the output shape of each layer of `net`.

        Args:
            X_shape: shape of a random input.
        """
        X = tf.random.normal(X_shape)
        for layer in self.net.layers:
            X = layer(X)
            print(type(layer).__name__, 'output shape:\t', tuple(X.shape))


def named_variables(model):
    """Return pairs of a name and a trainable variable, also of those that Keras does not track.

    Keras 3 tracks its own variables only: not a `tf.Variable` that is an attribute of a layer, or
    in a list or dictionary that is one.

    Args:
        model: a Module.
    """
    named = {id(v): (v.path, v) for v in super(Module, model).trainable_variables}
    for layer in model._flatten_layers():
        # Attributes whose names begin with _self_ are TensorFlow's own record of the others.
        attributes = {name: value for name, value in vars(layer).items()
                      if layer.trainable and not name.startswith('_self_')}
        for name, v in _plain_variables(attributes, layer.name):
            if v.trainable:
                named.setdefault(id(v), (name, v))
    return list(named.values())


def _plain_variables(value, name):
    if isinstance(value, tf.Variable):
        yield name, value
    elif isinstance(value, tf.Module):
        yield from ((f'{name}/{v.name}', v) for v in value.variables)
    elif isinstance(value, (dict, list, tuple)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _plain_variables(item, f'{name}/{key}')


def as_graph(function, *args):
    """Return a function compiled for tensors of the shapes and types of these.

    A function that needs the values of tensors, which a graph does not have, is returned as it is,
    with a warning.

    Args:
        function: of tensors, or of nested structures of them.
        args: what it is to be called with.
    """
    if tf.config.functions_run_eagerly():
        return function
    try:
        return tf.function(function, autograph=False).get_concrete_function(*args)
    except TypeError:  # of TensorFlow, for an operation that a graph does not have
        warnings.warn('the model runs eagerly, several times slower than compiled, for it loops '
                      'over a tensor or asks for its value; to have it compiled, loop over '
                      'tf.unstack(tensor) and choose with tf.where')
        return function


def recomputed(function, variables):
    """Return a function that runs again for the gradient instead of keeping its activations.

    Args:
        function: of nested structures of tensors.
        variables: Keras's variables that it uses; in a loop, they have a gradient as arguments
            alone.
    """
    @tf.recompute_grad
    def run(values, *args):
        """Call the function with the variables' values."""
        with tf.keras.StatelessScope(zip(variables, values)):
            return function(*args)

    return lambda *args: run([tf.convert_to_tensor(v) for v in variables], *args)
