"""d2l's short names for operations, on JAX, and how its programs are compiled."""
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
_programs = {}  # compiled programs by their text and devices, the oldest first


def reshape(x, *args, **kwargs):
    """Return a tensor in another shape, given as one tuple or as several numbers."""
    return x.reshape(*args, **kwargs)


def get_seed():
    """Return a random seed."""
    return random.randint(0, 1_000_000)


def get_key():
    """Return a random key."""
    return jax.random.key(get_seed())


def compiled(function, *args):
    """Return a function compiled for arguments of these shapes.

    Each call traces the function anew, so that it does what the methods it calls do now. Tracing
    is quick; compiling is not, and is left out where the program is one that was compiled before.

    Args:
        function: takes trees of arrays, and returns one.
        args: its arguments.
    """
    leaves, tree = jax.tree.flatten(args)
    # Unused arguments are kept so that equal programs take equal arguments.
    lowered = jax.jit(lambda *leaves: function(*tree.unflatten(leaves)),
                      keep_unused=True).lower(*leaves)
    key = lowered.as_text(), *(leaf.sharding for leaf in leaves if isinstance(leaf, jax.Array))
    if key not in _programs:
        if len(_programs) >= 32:
            del _programs[next(iter(_programs))]
        _programs[key] = lowered.compile()
    program, out_tree = _programs[key], lowered.out_tree
    return lambda *args: out_tree.unflatten(jax.tree.leaves(program(*jax.tree.leaves(args))))


__all__ = [name for name in dir()
           if not name.startswith('_') and name not in ('jax', 'nn', 'random')]
