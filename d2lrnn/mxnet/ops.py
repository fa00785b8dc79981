"""d2l's short names for operations, on MXNet."""
from mxnet import np, npx
from mxnet.gluon.nn import Block as nn_Module
from mxnet.numpy import (abs, arange, array as tensor, concatenate as concat, cos, cosh,
                         dot as matmul, exp, expand_dims, eye, float32, int32, int64, linspace, log,
                         meshgrid, ones, ones_like, sin, sinh, stack, tanh, zeros, zeros_like)
from mxnet.numpy.random import normal, rand, randn
from mxnet.numpy_extension import batch_dot as batch_matmul, sigmoid

npx.set_np()  # arrays and shapes as NumPy's, in all of MXNet

argmax = np.ndarray.argmax
astype = np.ndarray.astype
numpy = np.ndarray.asnumpy
reduce_mean = np.ndarray.mean
reduce_sum = np.ndarray.sum
repeat = np.ndarray.repeat
reshape = np.ndarray.reshape
swapaxes = np.ndarray.swapaxes
to = np.ndarray.as_in_context


def size(x):
    """Return the number of a tensor's elements."""
    return x.size


def transpose(x):
    """Return a matrix with its axes exchanged."""
    return x.T


__all__ = [name for name in dir() if not name.startswith('_') and name not in ('np', 'npx')]
