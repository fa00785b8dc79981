"""A stack of recurrent layers that runs the layers of an anti-diagonal at once."""
import mxnet as mx

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
        inputs = check_inputs(inputs, self.num_inputs)
        inputs = mx.np.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        shape, pairs = (inputs.shape[1], self.num_hiddens), self.cell == 'LSTMScratch'
        Hs = check_states(Hs, self.num_layers, shape, pairs=pairs)
        zeros = (mx.np.zeros(shape, ctx=inputs.ctx),) * (2 if pairs else 1)
        Hs = [zeros if H is None else H if pairs else (H,) for H in Hs]
        outputs, ends = self._run(inputs, [mx.np.stack(part) for part in zip(*Hs)])
        Hs = list(zip(*map(list, ends)))
        return outputs, Hs if pairs else [H for H, in Hs]

    def _run(self, inputs, states):
        """Return the top layer's hidden states, and each kind of last states.

        Args:
            inputs: (num_steps, batch_size, num_inputs).
            states: list of (num_layers, batch_size, num_hiddens) before the first step.
        """
        T, L, step, outputs = len(inputs), self.num_layers, CELLS[self.cell].step, []
        W_x, W_h, b = zip(*map(self._side_by_side, self.rnns))
        projected = mx.np.dot(inputs, W_x[0]) + b[0]  # the first layer's waits for none
        W_x, W_h = mx.np.stack(W_x[1:] or W_h), mx.np.stack(W_h)
        b = mx.np.expand_dims(mx.np.stack(b), 1)[1:]
        for d in range(T + L - 1):
            first, end = max(0, d - T + 1), min(L, d + 1)
            below = max(first - 1, 0), end - 1
            parts = [] if first else [projected[d:d + 1]]
            if below[0] < below[1]:
                product = mx.npx.batch_dot(_part(states[0], *below), _part(W_x, *below))
                parts.append(product + _part(b, *below))
            A = mx.np.concatenate(parts, 0)
            new = step(A, _part(W_h, first, end), *(_part(S, first, end) for S in states))
            states = [_replaced(S, first, end, N) for S, N in zip(states, new)]
            if end == L:
                outputs.append(states[0][-1])
        return mx.np.stack(outputs), states

    def _side_by_side(self, rnn):
        gates = CELLS[self.cell].gates
        return [mx.np.concatenate([getattr(rnn, kind + gate).data() for gate in gates], -1)
                for kind in ('W_x', 'W_h', 'b_')]


def _part(stacked, first, end):
    # A slice of everything would cost a copy, and another one going back.
    return stacked if end - first == len(stacked) else stacked[first:end]


def _replaced(states, first, end, new):
    """Return the states with new ones in the layers from `first` to before `end`."""
    whole = end - first == len(states)
    return new if whole else mx.np.concatenate([states[:first], new, states[end:]], 0)


def _tanh(A):
    return mx.npx.activation(A, act_type='tanh')  # on the CPU far faster than mx.np.tanh


def _sigmoid(A):
    return mx.npx.activation(A, act_type='sigmoid')


class _Tanh:
    Layer, gates = RNNScratch, 'h'

    def step(self, A, W_h, H):
        """Return the states after a step; A has the inputs' part of what goes into the gates."""
        return (_tanh(A + mx.npx.batch_dot(H, W_h)),)


class _ResetFirst:
    Layer, gates = GRUScratch, 'rzn'

    def step(self, A, W_h, H):
        """As in _Tanh."""
        W_r, W_z, W_n = mx.np.split(W_h, 3, -1)
        A_r, A_z, A_n = mx.np.split(A, 3, -1)
        R = _sigmoid(A_r + mx.npx.batch_dot(H, W_r))
        Z = _sigmoid(A_z + mx.npx.batch_dot(H, W_z))
        N = _tanh(A_n + mx.npx.batch_dot(R * H, W_n))
        return (Z * H + (1 - Z) * N,)


class _Memory:
    Layer, gates = LSTMScratch, 'ifgo'

    def step(self, A, W_h, H, C):
        """As in _Tanh."""
        I, F, G, O = mx.np.split(A + mx.npx.batch_dot(H, W_h), 4, -1)
        C = _sigmoid(F) * C + _sigmoid(I) * _tanh(G)
        return _sigmoid(O) * _tanh(C), C


CELLS = {'RNNScratch': _Tanh(), 'GRUScratch': _ResetFirst(), 'LSTMScratch': _Memory()}
