"""Companion package of a textbook on recurrent networks, for four frameworks at once.

Import one backend under d2l's name: ``from d2lrnn import torch as d2l``.
Importing this package loads no framework.
"""
from typing import NamedTuple

__version__ = '0.1.0'


class Backend(NamedTuple):
    """One row of the table of backends."""
    module: str  # d2lrnn.<module>
    tab: str     # name of its tabs in the chapters, and of ?fw= in a link
    title: str   # as readers write it
    extra: str   # pip install d2lrnn[<extra>]


BACKENDS = (
    Backend('torch', 'pytorch', 'PyTorch', 'torch'),
    Backend('tensorflow', 'tensorflow', 'TensorFlow', 'tensorflow'),
    Backend('jax', 'jax', 'JAX', 'jax'),
    Backend('mxnet', 'mxnet', 'MXNet', 'mxnet'),
)
