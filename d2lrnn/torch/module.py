"""Module and Classifier: what a model is."""
import torch
from torch import nn
from torch.nn import functional as F

from ..core.board import ProgressBoard
from ..core.module import ModuleBase, held


class Module(nn.Module, ModuleBase):
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
        # A plain list would hide its layers from parameters().
        if isinstance(value, list) and value and all(isinstance(v, nn.Module) for v in value):
            value = nn.ModuleList(value)
        super().__setattr__(name, value)

    def named_modules(self, *args, **kwargs):
        """Yield names and modules, also those in lists that were filled later, and the like."""
        self._find_layers()
        return super().named_modules(*args, **kwargs)

    def named_children(self):
        """Yield names and layers, also those in lists that were filled later, and the like."""
        self._find_layers()
        return super().named_children()

    def _find_layers(self):
        found = dict(held(self, nn.Module))
        for name in self.__dict__.setdefault('_found', set()) - set(found):
            del self._modules[name]
        self._modules.update(found)
        self._found = set(found)

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
        value = value.detach() if isinstance(value, torch.Tensor) else value
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
        return torch.optim.SGD(self.parameters(), lr=self.lr)

    def apply_init(self, inputs, init=None):
        """Run once, so that lazy parameters get their shapes, then initialize.

        Args:
            inputs: a list of the arguments of `forward`.
            init: function of a module that sets its parameters.
        """
        self.forward(*inputs)
        if init is not None:
            self.apply(init)


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
        return F.cross_entropy(Y_hat, Y.reshape(-1).long(),
                               reduction='mean' if averaged else 'none')

    def check_indices(self, indices, size):
        """Raise ValueError unless all indices are in [0, size).

        Args:
            indices: a tensor of any shape.
            size: the number of classes or tokens.
        """
        if indices.numel() and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f'indices must be in [0, {size}), got {indices.min()} to '
                             f'{indices.max()}')

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the share of labels predicted right.

        Args:
            Y_hat: unnormalized scores, classes last.
            Y: class indices.
            averaged: the mean over all labels; False for one value a label.
        """
        right = (Y_hat.argmax(dim=-1).reshape(-1) == Y.reshape(-1)).float()
        return right.mean() if averaged else right

    def validation_step(self, batch):
        """Plot loss and accuracy of a validation batch."""
        Y_hat, Y = self(*batch[:-1]), batch[-1]
        self.plot('loss', self.loss(Y_hat, Y), train=False, weight=Y.numel())
        self.plot('acc', self.accuracy(Y_hat, Y), train=False, weight=Y.numel())

    def layer_summary(self, X_shape):
        """Print the output shape of each layer of `net`.

        Args:
            X_shape: shape of a random input.
        """
        X = torch.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(type(layer).__name__, 'output shape:\t', tuple(X.shape))
