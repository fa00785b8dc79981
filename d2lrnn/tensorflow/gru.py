"""Gated recurrent units, from scratch and by Keras."""
import tensorflow as tf

from ..core.checks import check_dropout, check_inputs, check_single, check_sizes, check_state
from .module import Module
from .rnn import RNN


class GRUScratch(Module):
    r"""A GRU layer that resets before the recurrent product, from scratch.

    $$\begin{aligned}
    \mathbf{R}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xr} + \mathbf{H}_{t-1} \mathbf{W}_{hr}
    + \mathbf{b}_r) \\
    \mathbf{Z}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xz} + \mathbf{H}_{t-1} \mathbf{W}_{hz}
    + \mathbf{b}_z) \\
    \mathbf{N}_t &= \tanh(\mathbf{X}_t \mathbf{W}_{xn}
    + (\mathbf{R}_t \odot \mathbf{H}_{t-1}) \mathbf{W}_{hn} + \mathbf{b}_n) \\
    \mathbf{H}_t &= \mathbf{Z}_t \odot \mathbf{H}_{t-1} + (1 - \mathbf{Z}_t) \odot \mathbf{N}_t
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; biases start at zero.

    Shapes:
        W_xr, W_xz, W_xn: (num_inputs, num_hiddens). W_hr, W_hz, W_hn: (num_hiddens, num_hiddens).
        b_r, b_z, b_n: (num_hiddens,).

    Raises:
        ValueError: a size below 1, or inputs or a state of another shape.

    Source: Cho et al. (2014), arXiv:1406.1078v3.
    """

    gate_names = 'rzn'

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens)
        self.W_xr, self.W_hr, self.b_r = self._gate('r')  # reset gate
        self.W_xz, self.W_hz, self.b_z = self._gate('z')  # update gate
        self.W_xn, self.W_hn, self.b_n = self._gate('n')  # candidate state

    def _gate(self, gate):
        normal = tf.keras.initializers.RandomNormal
        W_x = self.add_weight((self.num_inputs, self.num_hiddens), normal(stddev=self.sigma),
                              name=f'W_x{gate}')
        W_h = self.add_weight((self.num_hiddens, self.num_hiddens), normal(stddev=self.sigma),
                              name=f'W_h{gate}')
        return W_x, W_h, self.add_weight((self.num_hiddens,), 'zeros', name=f'b_{gate}')

    def forward(self, inputs, H=None):
        """Return the hidden states of all steps, and the last one.

        Args:
            inputs: one tensor, or a list with one for each step.
            H: hidden state before the first step, alone or in a tuple; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). H: (batch_size, num_hiddens).
            outputs: list of num_steps tensors like H.
        """
        inputs = check_inputs(inputs, self.num_inputs)
        inputs = tf.convert_to_tensor(inputs)
        H = check_single(H, 'H')
        if H is None:
            H = tf.zeros((inputs.shape[1], self.num_hiddens), inputs.dtype)
        check_state(H, (inputs.shape[1], self.num_hiddens), 'H')
        outputs = []
        for X in tf.unstack(inputs):
            H = self.step(X, H)
            outputs.append(H)
        return outputs, H

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        _, Z, N = self.gates(X, H)
        return Z * H + (1 - Z) * N

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: R, Z and N.

        Shapes:
            As in step.
        """
        R = tf.sigmoid(X @ self.W_xr + H @ self.W_hr + self.b_r)
        Z = tf.sigmoid(X @ self.W_xz + H @ self.W_hz + self.b_z)
        N = tf.tanh(X @ self.W_xn + (R * H) @ self.W_hn + self.b_n)
        return R, Z, N


class GRU(RNN):
    r"""A stack of GRU layers that reset after the recurrent product, by Keras.

    $$\begin{aligned}
    \mathbf{R}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xr} + \mathbf{H}_{t-1} \mathbf{W}_{hr}
    + \mathbf{b}_r) \\
    \mathbf{Z}_t &= \sigma(\mathbf{X}_t \mathbf{W}_{xz} + \mathbf{H}_{t-1} \mathbf{W}_{hz}
    + \mathbf{b}_z) \\
    \mathbf{N}_t &= \tanh(\mathbf{X}_t \mathbf{W}_{xn} + \mathbf{b}_{xn}
    + \mathbf{R}_t \odot (\mathbf{H}_{t-1} \mathbf{W}_{hn} + \mathbf{b}_{hn})) \\
    \mathbf{H}_t &= \mathbf{Z}_t \odot \mathbf{H}_{t-1} + (1 - \mathbf{Z}_t) \odot \mathbf{N}_t
    \end{aligned}$$

    As in cuDNN, there are two biases for each gate, and both are trained: a step moves their sum,
    which is b_r or b_z, twice as far as that of a single bias.

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
        # One product for each gate: faster on a CPU than one product for all gates.
        self.rnns = [tf.keras.layers.GRU(num_hiddens, return_sequences=True, return_state=True,
                                         implementation=1) for _ in range(num_layers)]
        self.between = tf.keras.layers.Dropout(dropout)
