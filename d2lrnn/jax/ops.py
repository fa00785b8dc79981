"""d2l's short names for operations of JAX."""
import random

import jax
from flax import linen as nn
from jax.nn import sigmoid
from jax.numpy import (abs, arange, argmax, array as tensor, astype, concatenate as concat, cos,
                       cosh, exp, expand_dims, eye, float32, int32, int64, linspace, log, matmul,
                       mean as reduce_mean, meshgrid, ones, ones_like, repeat, sin, sinh, stack,
                       sum as reduce_sum, swapaxes, tanh, transpose, zeros, zeros_like)
from numpy import asarray as numpy

nn_Module = nn.Module
to = jax.device_put


def reshape(x, *args, **kwargs):
    """Return a tensor in another shape, given as one tuple or as several numbers."""
    return x.reshape(*args, **kwargs)


def get_seed():
    """Return a random seed."""
    return random.randint(0, 1_000_000)


def get_key():
    """Return a random key."""
    return jax.random.key(get_seed())


__all__ = [name for name in dir()
           if not name.startswith('_') and name not in ('jax', 'nn', 'random')]
