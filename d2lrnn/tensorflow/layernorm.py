"""Recurrent layers that normalize what goes into their nonlinearities."""
import tensorflow as tf

from ..core.checks import LAYER_NORM_EPS, check_sizes
from .gru import GRUScratch
from .lstm import LSTMScratch
from .module import Module
from .rnn import RNNScratch


def layer_norm(A, gain, shift):
    r"""Return each row of A with mean 0 and variance 1, times a gain, plus a shift.

    $$\mathrm{LN}(\mathbf{a}) = \mathbf{g} \odot \frac{\mathbf{a} - \mu}{\sqrt{s^2 + \epsilon}}
    + \mathbf{b}, \quad \mu = \mathrm{mean}(\mathbf{a}), \quad s^2 = \mathrm{var}(\mathbf{a})$$

    Args:
        A: what is normalized over its last axis.
        gain: g.
        shift: b.

    Shapes:
        A: (batch_size, num_hiddens). gain, shift: (num_hiddens,).

    Source: Ba, Kiros and Hinton (2016), arXiv:1607.06450; its LSTM normalizes what comes from
    inputs and state apart, and the memory cell, the layers here the sum of both, gate by gate.
    """
    A = A - tf.reduce_mean(A, -1, keepdims=True)
    return gain * A / tf.sqrt(tf.reduce_mean(A**2, -1, keepdims=True) + LAYER_NORM_EPS) + shift


class LayerNormRNNScratch(RNNScratch):
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

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__(num_inputs, num_hiddens, sigma)
        self.g_h = self.add_weight((num_hiddens,), 'ones', name='g_h')

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return tf.tanh(layer_norm(X @ self.W_xh + H @ self.W_hh, self.g_h, self.b_h))


class LayerNormGRUScratch(GRUScratch):
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

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__(num_inputs, num_hiddens, sigma)
        self.g_r, self.g_z, self.g_n = (self.add_weight((num_hiddens,), 'ones', name=f'g_{gate}')
                                        for gate in self.gate_names)

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: R, Z and N.

        Shapes:
            As in step.
        """
        R = tf.sigmoid(layer_norm(X @ self.W_xr + H @ self.W_hr, self.g_r, self.b_r))
        Z = tf.sigmoid(layer_norm(X @ self.W_xz + H @ self.W_hz, self.g_z, self.b_z))
        N = tf.tanh(layer_norm(X @ self.W_xn + (R * H) @ self.W_hn, self.g_n, self.b_n))
        return R, Z, N


class LayerNormLSTMScratch(LSTMScratch):
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

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__(num_inputs, num_hiddens, sigma)
        self.g_i, self.g_f, self.g_g, self.g_o = (
            self.add_weight((num_hiddens,), 'ones', name=f'g_{gate}') for gate in self.gate_names)

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        I = tf.sigmoid(layer_norm(X @ self.W_xi + H @ self.W_hi, self.g_i, self.b_i))
        F = tf.sigmoid(layer_norm(X @ self.W_xf + H @ self.W_hf, self.g_f, self.b_f))
        G = tf.tanh(layer_norm(X @ self.W_xg + H @ self.W_hg, self.g_g, self.b_g))
        O = tf.sigmoid(layer_norm(X @ self.W_xo + H @ self.W_ho, self.g_o, self.b_o))
        return I, F, G, O


class NormalizedGates(Module):
    """Products and normalizations of Keras for the gates of a recurrent layer.

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
    """

    def __init__(self, num_inputs, num_hiddens):
        Module.__init__(self)
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens)
        size = len(self.gate_names) * num_hiddens
        self.x = tf.keras.layers.Dense(size, use_bias=False)  # all gates in one product
        self.h = tf.keras.layers.Dense(size, use_bias=False)
        self.norms = [tf.keras.layers.LayerNormalization(epsilon=LAYER_NORM_EPS)
                      for _ in self.gate_names]


class LayerNormRNN(NormalizedGates, RNNScratch):
    r"""A recurrent layer with tanh and layer normalization, of Keras's layers.

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
        return tf.tanh(self.norms[0](self.x(X) + self.h(H)))


class LayerNormGRU(NormalizedGates, GRUScratch):
    r"""A GRU layer with layer normalization that resets after the product, of Keras's layers.

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

    def __init__(self, num_inputs, num_hiddens):
        super().__init__(num_inputs, num_hiddens)
        self.b_hn = self.add_weight((num_hiddens,), 'zeros', name='b_hn')

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: R, Z and N.

        Shapes:
            As in step.
        """
        (x_r, x_z, x_n), (h_r, h_z, h_n) = (tf.split(A, 3, -1) for A in (self.x(X), self.h(H)))
        norm_r, norm_z, norm_n = self.norms
        R, Z = tf.sigmoid(norm_r(x_r + h_r)), tf.sigmoid(norm_z(x_z + h_z))
        return R, Z, tf.tanh(norm_n(x_n + R * (h_n + self.b_hn)))


class LayerNormLSTM(NormalizedGates, LSTMScratch):
    r"""An LSTM layer with layer normalization of its gates, of Keras's layers.

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
        A = tf.split(self.x(X) + self.h(H), 4, -1)
        I, F, G, O = (norm(a) for norm, a in zip(self.norms, A))
        return tf.sigmoid(I), tf.sigmoid(F), tf.tanh(G), tf.sigmoid(O)
