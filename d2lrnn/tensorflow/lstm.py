"""Long short-term memory, from scratch and by Keras."""
import tensorflow as tf

from ..core.checks import check_dropout, check_inputs, check_pair, check_sizes, check_state
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

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens)
        self.W_xi, self.W_hi, self.b_i = self._gate('i')  # input gate
        self.W_xf, self.W_hf, self.b_f = self._gate('f')  # forget gate
        self.W_xg, self.W_hg, self.b_g = self._gate('g')  # input node
        self.W_xo, self.W_ho, self.b_o = self._gate('o')  # output gate

    def _gate(self, gate):
        normal = tf.keras.initializers.RandomNormal
        W_x = self.add_weight((self.num_inputs, self.num_hiddens), normal(stddev=self.sigma),
                              name=f'W_x{gate}')
        W_h = self.add_weight((self.num_hiddens, self.num_hiddens), normal(stddev=self.sigma),
                              name=f'W_h{gate}')
        return W_x, W_h, self.add_weight((self.num_hiddens,), 'zeros', name=f'b_{gate}')

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
        inputs = tf.convert_to_tensor(inputs)
        shape = (inputs.shape[1], self.num_hiddens)
        H, C = (tf.zeros(shape, inputs.dtype),) * 2 if H_C is None else check_pair(H_C)
        check_state(H, shape, 'H')
        check_state(C, shape, 'C')
        outputs = []
        for X in tf.unstack(inputs):
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
        return O * tf.tanh(C), C

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: I, F, G and O.

        Shapes:
            As in step.
        """
        I = tf.sigmoid(X @ self.W_xi + H @ self.W_hi + self.b_i)
        F = tf.sigmoid(X @ self.W_xf + H @ self.W_hf + self.b_f)
        G = tf.tanh(X @ self.W_xg + H @ self.W_hg + self.b_g)
        O = tf.sigmoid(X @ self.W_xo + H @ self.W_ho + self.b_o)
        return I, F, G, O


class LSTM(RNN):
    r"""A stack of LSTM layers, by Keras.

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
        self.rnns = [tf.keras.layers.LSTM(num_hiddens, return_sequences=True, return_state=True)
                     for _ in range(num_layers)]
        self.between = tf.keras.layers.Dropout(dropout)

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
        outputs, H_C = self._run_layers(inputs, H=H, C=C)
        return outputs, tuple(H_C)
