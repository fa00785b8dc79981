"""Recurrent layers in both directions, from scratch and by Gluon."""
import mxnet as mx
from mxnet.gluon import nn, rnn

from ..core.checks import check_dropout, check_inputs, check_states, check_sizes
from .gru import GRU
from .lstm import LSTM
from .module import Module
from .rnn import RNN, RNNScratch


class BiRNNScratch(Module):
    r"""A stack of bidirectional recurrent layers with tanh, from scratch.

    $$\begin{aligned}
    \overrightarrow{\mathbf{H}}_t^{(l)} &= \tanh(\mathbf{H}_t^{(l-1)}
    \overrightarrow{\mathbf{W}}_{xh}^{(l)} + \overrightarrow{\mathbf{H}}_{t-1}^{(l)}
    \overrightarrow{\mathbf{W}}_{hh}^{(l)} + \overrightarrow{\mathbf{b}}_h^{(l)}) \\
    \overleftarrow{\mathbf{H}}_t^{(l)} &= \tanh(\mathbf{H}_t^{(l-1)}
    \overleftarrow{\mathbf{W}}_{xh}^{(l)} + \overleftarrow{\mathbf{H}}_{t+1}^{(l)}
    \overleftarrow{\mathbf{W}}_{hh}^{(l)} + \overleftarrow{\mathbf{b}}_h^{(l)}) \\
    \mathbf{H}_t^{(l)} &= [\overrightarrow{\mathbf{H}}_t^{(l)},
    \overleftarrow{\mathbf{H}}_t^{(l)}], \quad \mathbf{H}_t^{(0)} = \mathbf{X}_t
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer and direction; outputs have twice as many.
        sigma: standard deviation of the initial weights; biases start at zero.
        num_layers: layers.

    Shapes:
        W_xh, in each direction: (num_inputs, num_hiddens) in the first layer,
        (2 * num_hiddens, num_hiddens) above it. W_hh: (num_hiddens, num_hiddens).
        b_h: (num_hiddens,).

    Raises:
        ValueError: a size below 1, or inputs or states of another shape or number.

    Source: Schuster and Paliwal (1997), doi:10.1109/78.650093.
    """

    def __init__(self, num_inputs, num_hiddens, sigma=0.01, num_layers=1):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens, num_layers=num_layers)
        self.num_outputs = 2 * num_hiddens
        widths = [num_inputs] + [self.num_outputs] * (num_layers - 1)
        self.f_rnns = [RNNScratch(width, num_hiddens, sigma) for width in widths]
        self.b_rnns = [RNNScratch(width, num_hiddens, sigma) for width in widths]

    def forward(self, inputs, Hs=None):
        """Return the top layer's hidden states of all steps, and every layer's last ones.

        The last state of the backward direction is that of the first step.

        Args:
            inputs: one tensor, or a list with one for each step.
            Hs: list of the hidden states to start from, forward and backward of the first layer,
                then of the next; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            Hs: 2 * num_layers tensors (batch_size, num_hiddens).
            outputs: list of num_steps tensors (batch_size, 2 * num_hiddens).
        """
        inputs = check_inputs(inputs, self.num_inputs)
        shape = inputs[0].shape[0], self.num_hiddens
        Hs = check_states(Hs, self.num_layers, shape, directions=2)
        outputs = list(inputs)
        for i, (f_rnn, b_rnn) in enumerate(zip(self.f_rnns, self.b_rnns)):
            f_outputs, Hs[2 * i] = f_rnn(outputs, Hs[2 * i])
            b_outputs, Hs[2 * i + 1] = b_rnn(outputs[::-1], Hs[2 * i + 1])
            outputs = [mx.np.concatenate(both, 1) for both in zip(f_outputs, b_outputs[::-1])]
        return outputs, Hs


class BiRNN(RNN):
    r"""A stack of bidirectional recurrent layers with tanh, by Gluon.

    $$\begin{aligned}
    \overrightarrow{\mathbf{H}}_t^{(l)} &= \mathrm{RNN}(\mathbf{H}_t^{(l-1)},
    \overrightarrow{\mathbf{H}}_{t-1}^{(l)}), \quad
    \overleftarrow{\mathbf{H}}_t^{(l)} = \mathrm{RNN}(\mathbf{H}_t^{(l-1)},
    \overleftarrow{\mathbf{H}}_{t+1}^{(l)}) \\
    \mathbf{H}_t^{(l)} &= [\overrightarrow{\mathbf{H}}_t^{(l)},
    \overleftarrow{\mathbf{H}}_t^{(l)}], \quad \mathbf{H}_t^{(0)} = \mathbf{X}_t
    \end{aligned}$$

    Args:
        num_hiddens: hidden units of each layer and direction; outputs have twice as many.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Shapes:
        As in RNN, with 2 * num_layers states, forward and backward of the first layer, then of
        the next, and outputs (num_steps, batch_size, 2 * num_hiddens).

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Schuster and Paliwal (1997), doi:10.1109/78.650093.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        self.num_outputs = 2 * num_hiddens
        self.rnns = [rnn.RNN(num_hiddens, activation='tanh', bidirectional=True)
                     for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self._keep_one_bias()
        self.initialize()


class BiGRU(GRU):
    r"""A stack of bidirectional GRU layers that reset after the recurrent product, by Gluon.

    $$\begin{aligned}
    \overrightarrow{\mathbf{H}}_t^{(l)} &= \mathrm{GRU}(\mathbf{H}_t^{(l-1)},
    \overrightarrow{\mathbf{H}}_{t-1}^{(l)}), \quad
    \overleftarrow{\mathbf{H}}_t^{(l)} = \mathrm{GRU}(\mathbf{H}_t^{(l-1)},
    \overleftarrow{\mathbf{H}}_{t+1}^{(l)}) \\
    \mathbf{H}_t^{(l)} &= [\overrightarrow{\mathbf{H}}_t^{(l)},
    \overleftarrow{\mathbf{H}}_t^{(l)}], \quad \mathbf{H}_t^{(0)} = \mathbf{X}_t
    \end{aligned}$$

    Args:
        num_hiddens: hidden units of each layer and direction; outputs have twice as many.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Shapes:
        As in GRU, with 2 * num_layers states, forward and backward of the first layer, then of
        the next, and outputs (num_steps, batch_size, 2 * num_hiddens).

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Schuster and Paliwal (1997), doi:10.1109/78.650093.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        self.num_outputs = 2 * num_hiddens
        self.rnns = [rnn.GRU(num_hiddens, bidirectional=True) for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self.initialize()


class BiLSTM(LSTM):
    r"""A stack of bidirectional LSTM layers, by Gluon.

    $$\begin{aligned}
    \overrightarrow{\mathbf{H}}_t^{(l)} &= \mathrm{LSTM}(\mathbf{H}_t^{(l-1)},
    \overrightarrow{\mathbf{H}}_{t-1}^{(l)}), \quad
    \overleftarrow{\mathbf{H}}_t^{(l)} = \mathrm{LSTM}(\mathbf{H}_t^{(l-1)},
    \overleftarrow{\mathbf{H}}_{t+1}^{(l)}) \\
    \mathbf{H}_t^{(l)} &= [\overrightarrow{\mathbf{H}}_t^{(l)},
    \overleftarrow{\mathbf{H}}_t^{(l)}], \quad \mathbf{H}_t^{(0)} = \mathbf{X}_t
    \end{aligned}$$

    Args:
        num_hiddens: hidden units of each layer and direction; outputs have twice as many.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Shapes:
        As in LSTM, with 2 * num_layers states, forward and backward of the first layer, then of
        the next, and outputs (num_steps, batch_size, 2 * num_hiddens).

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Graves and Schmidhuber (2005), doi:10.1016/j.neunet.2005.06.042.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        self.num_outputs = 2 * num_hiddens
        self.rnns = [rnn.LSTM(num_hiddens, bidirectional=True) for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self._keep_one_bias()
        self.initialize()
