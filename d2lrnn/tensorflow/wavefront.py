"""A stack of recurrent layers that runs the layers of an anti-diagonal at once."""
import tensorflow as tf

from ..core.checks import check_inputs, check_stack, check_states
from .gru import GRUScratch
from .lstm import LSTMScratch
from .module import Module
from .rnn import RNNScratch


class WavefrontStack(Module):
    r"""A stack of recurrent layers, from scratch, in num_steps + num_layers - 1 serial steps.

    $$\mathbf{H}_t^{(l)} = \mathrm{cell}(\mathbf{H}_t^{(l-1)}, \mathbf{H}_{t-1}^{(l)}), \quad
    \mathbf{H}_t^{(0)} = \mathbf{X}_t$$

    Both arguments of the cell have a smaller t + l than its result, so that the layers of an
    anti-diagonal, of one t + l, take one product of a batch of matrices. Parameters, outputs and
    gradients are those of the layers one by one.

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        cell: name of the layers' class: RNNScratch, GRUScratch or LSTMScratch.
        sigma: standard deviation of the initial weights; biases start at zero.

    Shapes:
        As in the class of the layers.

    Raises:
        ValueError: a size below 1, another cell, or inputs or states of another shape or number.

    Source: Appleyard, Kocisky and Blunsom (2016), arXiv:1604.01946.
    """

    def __init__(self, num_inputs, num_hiddens, num_layers=1, cell='RNNScratch', sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_stack(CELLS, cell, num_inputs, num_hiddens, num_layers, sigma)
        self.rnns = [CELLS[cell].Layer(num_hiddens if i else num_inputs, num_hiddens, sigma)
                     for i in range(num_layers)]

    def forward(self, inputs, Hs=None):
        """Return the top layer's hidden states of all steps, and every layer's last state.

        Args:
            inputs: one tensor, or a list with one for each step.
            Hs: list of the layers' states before the first step; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            Hs: num_layers tensors (batch_size, num_hiddens), or pairs of them for LSTMScratch.
            outputs: (num_steps, batch_size, num_hiddens).
        """
        inputs = tf.convert_to_tensor(check_inputs(inputs, self.num_inputs))
        shape, pairs = (inputs.shape[1], self.num_hiddens), self.cell == 'LSTMScratch'
        Hs = check_states(Hs, self.num_layers, shape, pairs=pairs)
        zeros = (tf.zeros(shape, inputs.dtype),) * (2 if pairs else 1)
        Hs = [zeros if H is None else H if pairs else (H,) for H in Hs]
        outputs, ends = self._run(inputs, [tf.stack(part) for part in zip(*Hs)])
        Hs = list(zip(*map(tf.unstack, ends)))
        return outputs, Hs if pairs else [H for H, in Hs]

    def _run(self, inputs, states):
        """Return the top layer's hidden states, and each kind of last states.

        Args:
            inputs: (num_steps, batch_size, num_inputs).
            states: list of (num_layers, batch_size, num_hiddens) before the first step.
        """
        T, L, step, outputs = inputs.shape[0], self.num_layers, CELLS[self.cell].step, []
        W_x, W_h, b = zip(*map(self._side_by_side, self.rnns))
        projected = tf.unstack(inputs @ W_x[0] + b[0])  # the first layer's waits for none
        W_x, W_h, b = tf.stack(W_x[1:] or W_h), tf.stack(W_h), tf.stack(b)[1:, None]
        for d in range(T + L - 1):
            first, end = max(0, d - T + 1), min(L, d + 1)
            below = max(first - 1, 0), end - 1
            parts = [] if first else [projected[d][None]]
            if below[0] < below[1]:
                parts.append(_part(states[0], *below) @ _part(W_x, *below) + _part(b, *below))
            A = tf.concat(parts, 0)
            new = step(A, _part(W_h, first, end), *(_part(S, first, end) for S in states))
            states = [_replaced(S, first, end, N) for S, N in zip(states, new)]
            if end == L:
                outputs.append(states[0][-1])
        return tf.stack(outputs), states

    def _side_by_side(self, rnn):
        return [tf.concat([getattr(rnn, kind + gate) for gate in CELLS[self.cell].gates], -1)
                for kind in ('W_x', 'W_h', 'b_')]


def _part(stacked, first, end):
    # A slice of everything would cost a copy, and another one going back.
    return stacked if end - first == stacked.shape[0] else stacked[first:end]


def _replaced(states, first, end, new):
    """Return the states with new ones in the layers from `first` to before `end`."""
    whole = end - first == states.shape[0]
    return new if whole else tf.concat([states[:first], new, states[end:]], 0)


class _Tanh:
    Layer, gates = RNNScratch, 'h'

    def step(self, A, W_h, H):
        """Return the states after a step; A has the inputs' part of what goes into the gates."""
        return (tf.tanh(A + H @ W_h),)


class _ResetFirst:
    Layer, gates = GRUScratch, 'rzn'

    def step(self, A, W_h, H):
        """As in _Tanh."""
        h = H.shape[-1]
        R, Z = tf.split(tf.sigmoid(A[..., :2 * h] + H @ W_h[..., :2 * h]), 2, -1)
        N = tf.tanh(A[..., 2 * h:] + (R * H) @ W_h[..., 2 * h:])
        return (Z * H + (1 - Z) * N,)


class _Memory:
    Layer, gates = LSTMScratch, 'ifog'

    def step(self, A, W_h, H, C):
        """As in _Tanh."""
        IFO, G = tf.split(A + H @ W_h, (3 * H.shape[-1], H.shape[-1]), -1)
        I, F, O = tf.split(tf.sigmoid(IFO), 3, -1)
        C = F * C + I * tf.tanh(G)
        return O * tf.tanh(C), C


CELLS = {'RNNScratch': _Tanh(), 'GRUScratch': _ResetFirst(), 'LSTMScratch': _Memory()}
