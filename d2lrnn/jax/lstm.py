"""Long short-term memory, by Flax."""
from flax import linen as nn
from jax import numpy as jnp

from ..core.checks import check_dropout, check_inputs, check_pair, check_sizes, check_state
from .rnn import RNN


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
        check_sizes(num_hiddens=self.num_hiddens, num_layers=self.num_layers)
        check_dropout(self.dropout)
        self.rnns = [nn.RNN(nn.OptimizedLSTMCell(self.num_hiddens), time_major=True,
                            return_carry=True) for _ in range(self.num_layers)]
        self.drop = nn.Dropout(self.dropout)

    def forward(self, inputs, H_C=None, training=None):
        """Return the top layer's hidden states of all steps, and every layer's last (H, C).

        Args:
            inputs: the sequence.
            H_C: pair of hidden states and memory cells before the first step; None for zeros.
            training: whether to drop; None drops where `apply` got a key for 'dropout'.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            H, C: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        check_inputs(inputs.shape, self._num_inputs())
        shape = (self.num_layers, inputs.shape[1], self.num_hiddens)
        H, C = (jnp.zeros(shape), jnp.zeros(shape)) if H_C is None else check_pair(H_C)
        for name, state in zip('HC', (H, C)):
            check_state(state.shape, shape, name)
        outputs, C_H = self._run(inputs, list(zip(C, H)), training)  # Flax's order is (C, H)
        C, H = map(jnp.stack, zip(*C_H))
        return outputs, (H, C)
