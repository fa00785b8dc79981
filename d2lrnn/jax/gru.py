"""Gated recurrent units, from scratch and by Flax."""
import functools

import jax
from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import check_inputs, check_single, check_sizes, check_state
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
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def __post_init__(self):
        check_sizes(num_inputs=self.num_inputs, num_hiddens=self.num_hiddens)
        super().__post_init__()

    def setup(self):
        """Make the parameters."""
        self.W_xr, self.W_hr, self.b_r = self._gate('r')  # reset gate
        self.W_xz, self.W_hz, self.b_z = self._gate('z')  # update gate
        self.W_xn, self.W_hn, self.b_n = self._gate('n')  # candidate state

    def _gate(self, gate):
        normal = nn.initializers.normal(self.sigma)
        return (self.param(f'W_x{gate}', normal, (self.num_inputs, self.num_hiddens)),
                self.param(f'W_h{gate}', normal, (self.num_hiddens, self.num_hiddens)),
                self.param(f'b_{gate}', nn.initializers.zeros, (self.num_hiddens,)))

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
        inputs, H = jnp.asarray(inputs), check_single(H, 'H')
        if H is None:
            H = jnp.zeros((inputs.shape[1], self.num_hiddens))
        check_state(H, (inputs.shape[1], self.num_hiddens), 'H')

        def step(H, X):
            """Return the next hidden state, to go on with and as an output."""
            H = self.step(X, H)
            return H, H

        H, outputs = jax.lax.scan(step, H, inputs)
        return list(jnp.unstack(outputs)), H

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
        R = nn.sigmoid(X @ self.W_xr + H @ self.W_hr + self.b_r)
        Z = nn.sigmoid(X @ self.W_xz + H @ self.W_hz + self.b_z)
        N = jnp.tanh(X @ self.W_xn + (R * H) @ self.W_hn + self.b_n)
        return R, Z, N


class GRUCell(nn.GRUCell):
    """One step of a GRU with two biases a gate, as in cuDNN; Flax's own cell has one for r and z.

    The gates r, z and n stand side by side in two products: small ones are faster than six.

    Source: Cho et al. (2014), arXiv:1406.1078v3, with the reset moved after the product.
    """

    @nn.compact
    def __call__(self, H, X):
        """Return the next hidden state, to go on with and as an output.

        Shapes:
            H: (batch_size, features). X: (batch_size, num_inputs).
        """
        dense = functools.partial(nn.Dense, 3 * self.features, bias_init=self.bias_init,
                                  dtype=self.dtype, param_dtype=self.param_dtype)
        x_r, x_z, x_n = jnp.split(dense(kernel_init=self.kernel_init, name='i')(X), 3, axis=-1)
        h_r, h_z, h_n = jnp.split(dense(kernel_init=self._square_init, name='h')(H), 3, axis=-1)
        R, Z = self.gate_fn(x_r + h_r), self.gate_fn(x_z + h_z)
        N = self.activation_fn(x_n + R * h_n)
        H = Z * H + (1 - Z) * N
        return H, H

    @nn.nowrap
    def _square_init(self, key, shape, dtype):
        # Flax's initial weights are orthogonal gate by gate.
        return jnp.concatenate([self.recurrent_kernel_init(key, (shape[0], shape[0]), dtype)
                                for key in jax.random.split(key, 3)], axis=1)


class GRU(RNN):
    r"""A stack of GRU layers that reset after the recurrent product, by Flax.

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
    num_hiddens: int
    num_layers: int = 1
    dropout: float = 0

    def setup(self):
        """Make the layers: cells that are scanned over time."""
        self.rnns = [nn.RNN(GRUCell(self.num_hiddens), time_major=True, return_carry=True)
                     for _ in range(self.num_layers)]
        self.drop = nn.Dropout(self.dropout)
