"""Long short-term memory, from scratch and by Flax."""
import jax
from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import check_inputs, check_pair, check_sizes, check_state
from .module import Module
from .rnn import RNN


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
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def __post_init__(self):
        check_sizes(num_inputs=self.num_inputs, num_hiddens=self.num_hiddens)
        super().__post_init__()

    def setup(self):
        """Make the parameters."""
        self.W_xi, self.W_hi, self.b_i = self._gate('i')  # input gate
        self.W_xf, self.W_hf, self.b_f = self._gate('f')  # forget gate
        self.W_xg, self.W_hg, self.b_g = self._gate('g')  # input node
        self.W_xo, self.W_ho, self.b_o = self._gate('o')  # output gate

    def _gate(self, gate):
        normal = nn.initializers.normal(self.sigma)
        return (self.param(f'W_x{gate}', normal, (self.num_inputs, self.num_hiddens)),
                self.param(f'W_h{gate}', normal, (self.num_hiddens, self.num_hiddens)),
                self.param(f'b_{gate}', nn.initializers.zeros, (self.num_hiddens,)))

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
        inputs = jnp.asarray(inputs)
        shape = (inputs.shape[1], self.num_hiddens)
        H, C = (jnp.zeros(shape), jnp.zeros(shape)) if H_C is None else check_pair(H_C)
        check_state(H, shape, 'H')
        check_state(C, shape, 'C')

        def step(H_C, X):
            """Return the next (H, C) to go on with, and H as an output."""
            H, C = self.step(X, H_C)
            return (H, C), H

        (H, C), outputs = jax.lax.scan(step, (H, C), inputs)
        return list(jnp.unstack(outputs)), (H, C)

    def step(self, X, H_C):
        """Return the hidden state and the memory cell after one more input.

        Shapes:
            X: (batch_size, num_inputs). H, C: (batch_size, num_hiddens).
        """
        H, C = H_C
        I, F, G, O = self.gates(X, H)
        C = F * C + I * G
        return O * jnp.tanh(C), C

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        I = nn.sigmoid(X @ self.W_xi + H @ self.W_hi + self.b_i)
        F = nn.sigmoid(X @ self.W_xf + H @ self.W_hf + self.b_f)
        G = jnp.tanh(X @ self.W_xg + H @ self.W_hg + self.b_g)
        O = nn.sigmoid(X @ self.W_xo + H @ self.W_ho + self.b_o)
        return I, F, G, O


class LSTM(RNN):
    r"""A stack of LSTM layers, by Flax.

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
    num_hiddens: int
    num_layers: int = 1
    dropout: float = 0

    def setup(self):
        """Make the layers: cells that are scanned over time."""
        self.rnns = [nn.RNN(nn.OptimizedLSTMCell(self.num_hiddens), time_major=True,
                            return_carry=True) for _ in range(self.num_layers)]
        self.drop = nn.Dropout(self.dropout)

    def forward(self, inputs, H_C=None, training=None):
        """Return the top layer's hidden states of all steps, and every layer's last (H, C).

        Args:
            inputs: one tensor, or a list with one for each step.
            H_C: pair of hidden states and memory cells before the first step; None for zeros.
            training: whether to drop; None drops where `apply` got a key for 'dropout'.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            H, C: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        H, C = (None, None) if H_C is None else check_pair(H_C)
        inputs, (H, C) = self._checked(inputs, H=H, C=C)
        outputs, C_H = self._run(inputs, list(zip(C, H)), training)  # Flax's order is (C, H)
        C, H = map(jnp.stack, zip(*C_H))
        return outputs, (H, C)
