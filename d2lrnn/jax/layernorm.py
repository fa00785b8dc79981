"""Recurrent layers that normalize what goes into their nonlinearities."""
import functools
from dataclasses import field

from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import LAYER_NORM_EPS
from .gru import GRUScratch
from .lstm import LSTMScratch
from .module import Module
from .rnn import RNNScratch


def layer_norm(A, gain, shift):
    r"""Return each row of A with mean 0 and variance 1, times a gain, plus a shift.

    $$\mathrm{LN}(\mathbf{a}) = \mathbf{g} \odot \frac{\mathbf{a} - \mu}{\sqrt{s^2 + \epsilon}}
    + \mathbf{b}, \quad \mu = \mathrm{mean}(\mathbf{a}), \quad s^2 = \mathrm{var}(\mathbf{a})$$

    Args:
        A, gain, shift: what is normalized over its last axis, g and b.

    Shapes:
        A: (batch_size, num_hiddens). gain, shift: (num_hiddens,).

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450; its LSTM normalizes what comes from
    inputs and state apart, and the memory cell, the layers here the sum of both, gate by gate.
    """
    A = A - A.mean(-1, keepdims=True)
    return gain * A / jnp.sqrt((A**2).mean(-1, keepdims=True) + LAYER_NORM_EPS) + shift


class _Gains(Module):
    def setup(self):
        """Make the parameters, with a gain for each gate."""
        super().setup()
        for name in (f'g_{gate}' for gate in self.gate_names):
            setattr(self, name, self.param(name, nn.initializers.ones, (self.num_hiddens,)))


class LayerNormRNNScratch(_Gains, RNNScratch):
    r"""A recurrent layer with tanh and layer normalization, from scratch.

    $$\mathbf{H}_t = \tanh(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xh} + \mathbf{H}_{t-1}
    \mathbf{W}_{hh}; \mathbf{g}_h, \mathbf{b}_h))$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; gains start at one, biases at zero.

    Shapes:
        As in RNNScratch, and g_h: (num_hiddens,).

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return jnp.tanh(layer_norm(X @ self.W_xh + H @ self.W_hh, self.g_h, self.b_h))


class LayerNormGRUScratch(_Gains, GRUScratch):
    r"""A GRU layer with layer normalization that resets before the product, from scratch.

    $$\begin{aligned}
    \mathbf{R}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xr} + \mathbf{H}_{t-1}
    \mathbf{W}_{hr}; \mathbf{g}_r, \mathbf{b}_r)) \\
    \mathbf{Z}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xz} + \mathbf{H}_{t-1}
    \mathbf{W}_{hz}; \mathbf{g}_z, \mathbf{b}_z)) \\
    \mathbf{N}_t &= \tanh(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xn} + (\mathbf{R}_t \odot
    \mathbf{H}_{t-1}) \mathbf{W}_{hn}; \mathbf{g}_n, \mathbf{b}_n))
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; gains start at one, biases at zero.

    Shapes:
        As in GRUScratch, and g_r, g_z, g_n: (num_hiddens,).

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: R, Z and N.

        Shapes:
            As in step.
        """
        R = nn.sigmoid(layer_norm(X @ self.W_xr + H @ self.W_hr, self.g_r, self.b_r))
        Z = nn.sigmoid(layer_norm(X @ self.W_xz + H @ self.W_hz, self.g_z, self.b_z))
        N = jnp.tanh(layer_norm(X @ self.W_xn + (R * H) @ self.W_hn, self.g_n, self.b_n))
        return R, Z, N


class LayerNormLSTMScratch(_Gains, LSTMScratch):
    r"""An LSTM layer with layer normalization of its gates, from scratch.

    $$\begin{aligned}
    \mathbf{I}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xi} + \mathbf{H}_{t-1}
    \mathbf{W}_{hi}; \mathbf{g}_i, \mathbf{b}_i)) \\
    \mathbf{F}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xf} + \mathbf{H}_{t-1}
    \mathbf{W}_{hf}; \mathbf{g}_f, \mathbf{b}_f)) \\
    \mathbf{G}_t &= \tanh(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xg} + \mathbf{H}_{t-1}
    \mathbf{W}_{hg}; \mathbf{g}_g, \mathbf{b}_g)) \\
    \mathbf{O}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xo} + \mathbf{H}_{t-1}
    \mathbf{W}_{ho}; \mathbf{g}_o, \mathbf{b}_o))
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; gains start at one, biases at zero.

    Shapes:
        As in LSTMScratch, and g_i, g_f, g_g, g_o: (num_hiddens,).

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        I = nn.sigmoid(layer_norm(X @ self.W_xi + H @ self.W_hi, self.g_i, self.b_i))
        F = nn.sigmoid(layer_norm(X @ self.W_xf + H @ self.W_hf, self.g_f, self.b_f))
        G = jnp.tanh(layer_norm(X @ self.W_xg + H @ self.W_hg, self.g_g, self.b_g))
        O = nn.sigmoid(layer_norm(X @ self.W_xo + H @ self.W_ho, self.g_o, self.b_o))
        return I, F, G, O


class NormalizedGates(Module):
    """Products and normalizations of Flax for the gates of a recurrent layer.

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
    """

    num_inputs: int
    num_hiddens: int
    sigma: None = field(default=None, init=False, repr=False)  # Flax has its own initial weights

    def setup(self):
        """Make the products and normalizations."""
        num_gates, h = len(self.gate_names), self.num_hiddens
        product = nn.Dense(num_gates * h, use_bias=False, parent=None)  # all gates in one
        norm = nn.LayerNorm(LAYER_NORM_EPS, use_fast_variance=False, parent=None)
        self.x = self._function('x', product, self.num_inputs)
        self.h = self._function('h', product, h)
        self.norms = [self._function(f'norms_{i}', norm, h) for i in range(num_gates)]

    def _function(self, name, layer, width):
        # Flax's layers cannot be called in a loop that JAX compiles, functions of arrays can.
        params = self.param(name, lambda key: layer.init(key, jnp.zeros((1, width)))['params'])
        return functools.partial(layer.apply, {'params': params})


class LayerNormRNN(NormalizedGates, RNNScratch):
    r"""A recurrent layer with tanh and layer normalization, of Flax's layers.

    $$\mathbf{H}_t = \tanh(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xh} + \mathbf{H}_{t-1}
    \mathbf{W}_{hh}; \mathbf{g}_h, \mathbf{b}_h))$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return jnp.tanh(self.norms[0](self.x(X) + self.h(H)))


class LayerNormGRU(NormalizedGates, GRUScratch):
    r"""A GRU layer with layer normalization that resets after the product, of Flax's layers.

    $$\begin{aligned}
    \mathbf{R}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xr} + \mathbf{H}_{t-1}
    \mathbf{W}_{hr}; \mathbf{g}_r, \mathbf{b}_r)) \\
    \mathbf{Z}_t &= \sigma(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xz} + \mathbf{H}_{t-1}
    \mathbf{W}_{hz}; \mathbf{g}_z, \mathbf{b}_z)) \\
    \mathbf{N}_t &= \tanh(\mathrm{LN}(\mathbf{X}_t \mathbf{W}_{xn} + \mathbf{R}_t \odot
    (\mathbf{H}_{t-1} \mathbf{W}_{hn} + \mathbf{b}_{hn}); \mathbf{g}_n, \mathbf{b}_{xn}))
    \end{aligned}$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """

    def setup(self):
        """Make the products and normalizations."""
        super().setup()
        self.b_hn = self.param('b_hn', nn.initializers.zeros, (self.num_hiddens,))

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: R, Z and N.

        Shapes:
            As in step.
        """
        (x_r, x_z, x_n), (h_r, h_z, h_n) = (jnp.split(A, 3, -1) for A in (self.x(X), self.h(H)))
        norm_r, norm_z, norm_n = self.norms
        R, Z = nn.sigmoid(norm_r(x_r + h_r)), nn.sigmoid(norm_z(x_z + h_z))
        return R, Z, jnp.tanh(norm_n(x_n + R * (h_n + self.b_hn)))


class LayerNormLSTM(NormalizedGates, LSTMScratch):
    r"""An LSTM layer with layer normalization of its gates, of Flax's layers.

    $$\mathbf{I}_t, \mathbf{F}_t, \mathbf{O}_t = \sigma(\mathrm{LN}(\cdot)), \quad
    \mathbf{G}_t = \tanh(\mathrm{LN}(\cdot))$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450.
    """

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        A = jnp.split(self.x(X) + self.h(H), 4, -1)
        I, F, G, O = (norm(a) for norm, a in zip(self.norms, A))
        return nn.sigmoid(I), nn.sigmoid(F), jnp.tanh(G), nn.sigmoid(O)
