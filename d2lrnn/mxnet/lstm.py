"""Long short-term memory, from scratch and by Gluon."""
import mxnet as mx
from mxnet import init
from mxnet.gluon import nn, rnn

from ..core.checks import check_dropout, check_inputs, check_pair, check_sizes, check_state
from .module import Module
from .rnn import RNN, affine, sigmoid, tanh


class LSTMScratch(Module):
    r"""An LSTM layer, from scratch.

    $$\begin{aligned}
    \mathbf{I}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xi} + \mathbf{H}_{t-1} \mathbf{W}_{hi}
    + \mathbf{b}_i) \\
    \mathbf{F}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xf} + \mathbf{H}_{t-1} \mathbf{W}_{hf}
    + \mathbf{b}_f) \\
    \mathbf{G}_t &= \tanh(\mathbf{X}_t \mathbf{W}_{xg} + \mathbf{H}_{t-1} \mathbf{W}_{hg}
    + \mathbf{b}_g) \\
    \mathbf{O}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xo} + \mathbf{H}_{t-1} \mathbf{W}_{ho}
    + \mathbf{b}_o) \\
    \mathbf{C}_t &= \mathbf{F}_t \odot \mathbf{C}_{t-1} + \mathbf{I}_t \odot \mathbf{G}_t \\
    \mathbf{H}_t &= \mathbf{O}_t \odot \tanh(\mathbf{C}_t)
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; biases start at zero.

    Shapes:
        W_xi, W_xf, W_xg, W_xo: (num_inputs, num_hiddens).
        W_hi, W_hf, W_hg, W_ho: (num_hiddens, num_hiddens). b_i, b_f, b_g, b_o: (num_hiddens,).

    Raises:
        ValueError: a size below 1, or inputs or a state of another shape.

    Source: Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735; Gers et al. (2000),
    doi:10.1162/089976600300015015.
    """

    gate_names = 'ifgo'

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens)
        self.W_xi, self.W_hi, self.b_i = self._gate('i')  # input gate
        self.W_xf, self.W_hf, self.b_f = self._gate('f')  # forget gate
        self.W_xg, self.W_hg, self.b_g = self._gate('g')  # input node
        self.W_xo, self.W_ho, self.b_o = self._gate('o')  # output gate
        self.initialize()

    def _gate(self, name):
        normal, h = init.Normal(self.sigma), self.num_hiddens
        return (self.params.get(f'W_x{name}', shape=(self.num_inputs, h), init=normal),
                self.params.get(f'W_h{name}', shape=(h, h), init=normal),
                self.params.get(f'b_{name}', shape=(h,), init=init.Zero()))

    def forward(self, inputs, H_C=None):
        """Return the hidden states of all steps, and the last (H, C).

        Args:
            inputs: one tensor, or a list with one for each step.
            H_C: pair of hidden state and memory cell before the first step; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). H, C: (batch_size, num_hiddens).
            outputs: list of num_steps tensors like H.
        """
        inputs = check_inputs(inputs, self.num_inputs)
        shape = (len(inputs[0]), self.num_hiddens)
        zeros = mx.np.zeros(shape, ctx=inputs[0].ctx)
        H, C = (zeros, zeros) if H_C is None else check_pair(H_C)
        check_state(H, shape, 'H')
        check_state(C, shape, 'C')
        outputs = []
        for X in inputs:
            H, C = self.step(X, (H, C))
            outputs.append(H)
        return outputs, (H, C)

    def step(self, X, H_C):
        """Return the hidden state and the memory cell after one more input.

        Shapes:
            X: (batch_size, num_inputs). H, C: (batch_size, num_hiddens).
        """
        H, C = H_C
        I, F, G, O = self.gates(X, H)
        C = F * C + I * G
        return O * tanh(C), C

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        I = sigmoid(affine(X, self.W_xi, self.b_i) + mx.np.dot(H, self.W_hi.data()))
        F = sigmoid(affine(X, self.W_xf, self.b_f) + mx.np.dot(H, self.W_hf.data()))
        G = tanh(affine(X, self.W_xg, self.b_g) + mx.np.dot(H, self.W_hg.data()))
        O = sigmoid(affine(X, self.W_xo, self.b_o) + mx.np.dot(H, self.W_ho.data()))
        return I, F, G, O


class LSTM(RNN):
    r"""A stack of LSTM layers, by Gluon.

    $$\begin{aligned}
    \mathbf{I}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xi} + \mathbf{H}_{t-1} \mathbf{W}_{hi}
    + \mathbf{b}_i) \\
    \mathbf{F}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xf} + \mathbf{H}_{t-1} \mathbf{W}_{hf}
    + \mathbf{b}_f) \\
    \mathbf{G}_t &= \tanh(\mathbf{X}_t \mathbf{W}_{xg} + \mathbf{H}_{t-1} \mathbf{W}_{hg}
    + \mathbf{b}_g) \\
    \mathbf{O}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xo} + \mathbf{H}_{t-1} \mathbf{W}_{ho}
    + \mathbf{b}_o) \\
    \mathbf{C}_t &= \mathbf{F}_t \odot \mathbf{C}_{t-1} + \mathbf{I}_t \odot \mathbf{G}_t \\
    \mathbf{H}_t &= \mathbf{O}_t \odot \tanh(\mathbf{C}_t)
    \end{aligned}$$

    Args:
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735; Gers et al. (2000),
    doi:10.1162/089976600300015015.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        # A block a layer, as rnn.LSTM(..., num_layers, dropout=dropout) drops nothing on the CPU.
        self.rnns = [rnn.LSTM(num_hiddens) for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self._keep_one_bias()
        self.initialize()

    def forward(self, inputs, H_C=None):
        """Return the top layer's hidden states of all steps, and every layer's last (H, C).

        Args:
            inputs: one tensor, or a list with one for each step.
            H_C: pair of hidden states and memory cells before the first step; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            H, C: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        H, C = (None, None) if H_C is None else check_pair(H_C)
        outputs, (H, C) = self._run(inputs, H=H, C=C)
        return outputs, (H, C)
