"""Gated recurrent units, by Gluon."""
from mxnet.gluon import nn, rnn

from ..core.checks import check_dropout, check_sizes
from .module import Module
from .rnn import RNN


class GRU(RNN):
    r"""A stack of GRU layers that reset after the recurrent product, by Gluon.

    $$\begin{aligned}
    \mathbf{R}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xr} + \mathbf{H}_{t-1} \mathbf{W}_{hr}
    + \mathbf{b}_r) \\
    \mathbf{Z}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xz} + \mathbf{H}_{t-1} \mathbf{W}_{hz}
    + \mathbf{b}_z) \\
    \mathbf{N}_t &= \tanh(\mathbf{X}_t \mathbf{W}_{xn} + \mathbf{b}_{xn}
    + \mathbf{R}_t \odot (\mathbf{H}_{t-1} \mathbf{W}_{hn} + \mathbf{b}_{hn})) \\
    \mathbf{H}_t &= \mathbf{Z}_t \odot \mathbf{H}_{t-1} + (1 - \mathbf{Z}_t) \odot \mathbf{N}_t
    \end{aligned}$$

    Args:
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Shapes:
        As in RNN.

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Cho et al. (2014), arXiv:1406.1078v3, with the reset moved after the product.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        # A block a layer, as rnn.GRU(..., num_layers, dropout=dropout) drops nothing on the CPU.
        self.rnns = [rnn.GRU(num_hiddens) for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self.initialize()
