"""Module and Classifier: what a model is."""
from mxnet import gluon, np, npx
from mxnet.gluon import nn
from mxnet.initializer import Uniform

from ..core.board import ProgressBoard
from ..core.module import ModuleBase, held


class Module(nn.Block, ModuleBase):
    """Base of all models: its loss, what it does with a batch, and its optimizer.

    Args:
        plot_train_per_epoch: points a training curve has an epoch.
        plot_valid_per_epoch: points a validation curve has an epoch.
    """

    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1):
        super().__init__()
        self.save_hyperparameters()
        self.board = ProgressBoard()
        self.trainer = None

    def __setattr__(self, name, value):
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == 'f'
        made = name in vars(self).get('_arrays', {})
        if is_array and '_reg_params' in vars(self) and (made or not vars(self).get('_ran')):
            self._set_array(name, value)
        else:
            super().__setattr__(name, value)

    def __call__(self, *args):
        self._ran = True  # an array that is set from now on is a result
        return super().__call__(*args)

    def collect_params(self, select=None):
        """Return the parameters, also those of layers in lists, tuples and dictionaries.

        Args:
            select: regular expression of their names; None for all.
        """
        found = dict(held(self, nn.Block))
        for name in vars(self).get('_found', set()) - set(found):
            del self._children[name]
        for name, layer in found.items():
            self.register_child(layer, name)
        self._found = set(found)
        return super().collect_params(select)

    def _set_array(self, name, value):
        # d2l's way to make a parameter is an array as an attribute; grad_req = 'null' fixes one.
        param = self.params.get(name, shape=value.shape, dtype=value.dtype)
        param.initialize(ctx=value.ctx)
        param.set_data(value)
        self._reg_params[name] = param
        self.__dict__.pop(name, None)
        self.__dict__.setdefault('_arrays', {})[name] = param

    def __getattr__(self, name):
        arrays = self.__dict__.get('_arrays', {})
        if name not in arrays:
            raise AttributeError(f'{type(self).__name__} has no attribute {name}')
        return arrays[name].data()

    def get_scratch_params(self):
        """Return nothing: Gluon attaches gradients itself where d2l's cells loop over these."""
        return []

    def initialize(self, init=None, ctx=None, verbose=False, force_reinit=False):
        """Initialize the parameters; with no argument but ctx those only that have no value yet.

        Args:
            init: initializer of the parameters that have none of their own.
            ctx: the device.
            verbose: passed on to Gluon.
            force_reinit: True also draws anew what has a value.
        """
        if init is not None or force_reinit:
            super().initialize(init or Uniform(), ctx, verbose, force_reinit)
            return
        for param in self.collect_params().values():
            if not _is_initialized(param):
                param.initialize(ctx=ctx)

    def parameters(self):
        """Return all parameters, by name."""
        return self.collect_params()

    def loss(self, y_hat, y):
        """Return the loss of predictions; for the subclass to define."""
        raise NotImplementedError(f'{type(self).__name__} must define loss(self, y_hat, y)')

    def forward(self, X):
        """Return `net(X)`."""
        if not hasattr(self, 'net'):
            raise NotImplementedError(f'{type(self).__name__} must define forward or net')
        return self.net(X)

    def plot(self, key, value, train, weight=1, transform=None):
        """Hand a batch's metric to the trainer, without what led to it; as in ModuleBase.

        Args:
            key: the metric's name.
            value: a scalar; it stays on its device until the end of the epoch.
            train: whether it is of a training batch.
            weight: how many examples or tokens the value is the mean of.
            transform: applied to the weighted mean.
        """
        value = value.detach() if isinstance(value, np.ndarray) else value
        super().plot(key, value, train, weight, transform)

    def training_step(self, batch):
        """Return the loss of a training batch, and plot it."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('loss', l, train=True, weight=len(batch[-1]))
        return l

    def validation_step(self, batch):
        """Plot the loss of a validation batch."""
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('loss', l, train=False, weight=len(batch[-1]))

    def configure_optimizers(self):
        """Return plain stochastic gradient descent at the learning rate `lr`."""
        return gluon.Trainer(self.parameters(), 'sgd', {'learning_rate': self.lr})

    def apply_init(self, inputs, init=None):
        """Run once, so that lazy parameters get their shapes, then initialize.

        Args:
            inputs: a list of the arguments of `forward`.
            init: initializer of the parameters that have none of their own.
        """
        self.initialize()
        self.forward(*inputs)
        if init is not None:
            self.initialize(init, force_reinit=True)


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
        Y_hat = Y_hat.reshape(-1, Y_hat.shape[-1])
        l = -npx.pick(npx.log_softmax(Y_hat), Y.reshape(-1))
        return l.mean() if averaged else l

    def check_indices(self, indices, size):
        """Raise ValueError unless all indices are in [0, size).

        Args:
            indices: a tensor of any shape.
            size: the number of classes or tokens.
        """
        indices = indices.asnumpy()  # MXNet itself would clip or ignore those outside
        if indices.size and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f'indices must be in [0, {size}), got {indices.min()} to '
                             f'{indices.max()}')

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the share of labels predicted right.

        Args:
            Y_hat: unnormalized scores, classes last.
            Y: class indices.
            averaged: the mean over all labels; False for one value a label.
        """
        best, Y = Y_hat.argmax(axis=-1).reshape(-1), Y.reshape(-1).astype(np.int64)
        right = (best == Y).astype(np.float32)
        return right.mean() if averaged else right

    def validation_step(self, batch):
        """Plot loss and accuracy of a validation batch."""
        Y_hat, Y = self(*batch[:-1]), batch[-1]
        self.plot('loss', self.loss(Y_hat, Y), train=False, weight=Y.size)
        self.plot('acc', self.accuracy(Y_hat, Y), train=False, weight=Y.size)

    def layer_summary(self, X_shape):
        """Print the output shape of each layer of `net`.

        Args:
            X_shape: shape of a random input.
        """
        X = np.random.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(type(layer).__name__, 'output shape:\t', X.shape)


def _is_initialized(param):
    try:
        param.list_ctx()
    except RuntimeError:
        return False
    return True
