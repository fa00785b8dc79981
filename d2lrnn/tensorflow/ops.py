"""d2l's short names for operations, on TensorFlow."""
import tensorflow as tf
from tensorflow import (abs, argmax, cast as astype, concat, cos, cosh, exp, expand_dims, eye,
                        float32, int32, int64, linspace, matmul, matmul as batch_matmul, meshgrid,
                        ones, ones_like, range as arange, reduce_mean, reduce_sum, repeat,
                        reshape, sigmoid, sin, sinh, stack, tanh, transpose, zeros, zeros_like,
                        constant as tensor)

log = tf.math.log
nn_Module = tf.keras.Model
normal = tf.random.normal
rand = tf.random.uniform


def size(a):
    """Return the number of a tensor's elements."""
    return a.shape.num_elements()


def numpy(x, *args, **kwargs):
    """Return a tensor's values as a NumPy array."""
    return x.numpy(*args, **kwargs)


__all__ = [name for name in dir() if not name.startswith('_') and name != 'tf']
