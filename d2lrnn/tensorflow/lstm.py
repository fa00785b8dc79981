"""Long short-term memory, by Keras."""
import tensorflow as tf

from ..core.checks import check_dropout, check_pair, check_sizes
from .module import Module
from .rnn import RNN


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
        self._init_layers(tf.keras.layers.LSTM)

    def forward(self, inputs, H_C=None):
        """Return the top layer's hidden states of all steps, and every layer's last (H, C).

        Args:
            inputs: the sequence.
            H_C: pair of hidden states and memory cells before the first step; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            H, C: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        states = None if H_C is None else dict(zip('HC', check_pair(H_C)))
        outputs, H_C = self._run_layers(inputs, states)
        return outputs, tuple(H_C)
