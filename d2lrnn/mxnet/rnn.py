"""One recurrent layer from scratch, and Gluon's own."""
import mxnet as mx
from mxnet import init
from mxnet.gluon import nn, rnn

from ..core.checks import check_dropout, check_inputs, check_single, check_sizes, check_state
from .module import Module


def affine(X, W, b):
    r"""Return a product with a bias, whose gradient is far faster than that of a sum.

    $$\mathbf{X} \mathbf{W} + \mathbf{b}$$

    Args:
        X: inputs.
        W, b: parameters.

    Shapes:
        X: (batch_size, num_inputs). W: (num_inputs, num_hiddens). b: (num_hiddens,).
    """
    return mx.npx.fully_connected(X, W.data().T, b.data(), num_hidden=b.shape[0])


def tanh(A):
    """Return the hyperbolic tangent of each element, on the CPU far faster than mx.np.tanh."""
    return mx.npx.activation(A, act_type='tanh')


def sigmoid(A):
    """Return the logistic sigmoid of each element, on the CPU faster than mx.npx.sigmoid."""
    return mx.npx.activation(A, act_type='sigmoid')


class RNNScratch(Module):
    r"""A recurrent layer with tanh, from scratch.

    $$\mathbf{H}_t = \tanh(\mathbf{X}_t \mathbf{W}_{xh} + \mathbf{H}_{t-1} \mathbf{W}_{hh}
    + \mathbf{b}_h)$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units.
        sigma: standard deviation of the initial weights; biases start at zero.

    Shapes:
        W_xh: (num_inputs, num_hiddens). W_hh: (num_hiddens, num_hiddens). b_h: (num_hiddens,).

    Raises:
        ValueError: a size below 1, or inputs or a state of another shape.

    Source: Elman (1990), doi:10.1207/s15516709cog1402_1.
    """

    gate_names = 'h'

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens)
        self.W_xh = self.params.get('W_xh', shape=(num_inputs, num_hiddens),
                                    init=init.Normal(sigma))
        self.W_hh = self.params.get('W_hh', shape=(num_hiddens, num_hiddens),
                                    init=init.Normal(sigma))
        self.b_h = self.params.get('b_h', shape=(num_hiddens,), init=init.Zero())
        self.initialize()

    def forward(self, inputs, state=None):
        """Return the hidden states of all steps, and the last one.

        Args:
            inputs: one tensor, or a list with one for each step.
            state: hidden state before the first step, alone or in a tuple; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). state: (batch_size, num_hiddens).
            outputs: list of num_steps tensors like state.
        """
        inputs = check_inputs(inputs, self.num_inputs)
        state, shape = check_single(state), (len(inputs[0]), self.num_hiddens)
        if state is None:
            state = mx.np.zeros(shape, ctx=inputs[0].ctx)
        check_state(state, shape)
        outputs = []
        for X in inputs:
            state = self.step(X, state)
            outputs.append(state)
        return outputs, state

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return tanh(affine(X, self.W_xh, self.b_h) + mx.np.dot(H, self.W_hh.data()))

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: the new hidden state.

        Shapes:
            As in step.
        """
        return (self.step(X, H),)


class Recurrent(Module):
    """What stacks of Gluon's recurrent layers have in common."""

    @property
    def causal(self):
        """Whether no output depends on later inputs."""
        return not any(hasattr(layer, 'r0_i2h_weight') for layer in self._layers())

    def _layers(self):
        return self.rnns if hasattr(self, 'rnns') else [self.rnn]  # a reader's own, of any depth

    def _run(self, inputs, **states):
        """Run the layers, each from its part of `states`: of H, or of H and C."""
        layers = self._layers()
        num_inputs = layers[0].l0_i2h_weight.shape[1]  # -1 before the first run
        inputs = check_inputs(inputs, num_inputs if num_inputs > 0 else None)
        if isinstance(inputs, (list, tuple)):
            inputs = mx.np.stack(inputs)
        size, *rest = layers[0].state_info(inputs.shape[1])[0]['shape']
        shape = (size * len(layers), *rest)
        for name, S in states.items():
            if S is not None:
                check_state(S, shape, name)
        states = [mx.np.zeros(shape, ctx=inputs.ctx) if S is None else S for S in states.values()]
        outputs, ends = inputs, []
        for i, layer in enumerate(layers):
            outputs = self.drop(outputs) if i else outputs
            outputs, end = layer(outputs, [S[i * size:(i + 1) * size] for S in states])
            ends.append(end)
        return outputs, [mx.np.concatenate(layers) for layers in zip(*ends)]

    def _keep_one_bias(self):
        # Gluon adds two biases wherever the equation has one: the second stays zero.
        for bias in self.collect_params('.*h2h_bias').values():
            bias.grad_req = 'null'


class RNN(Recurrent):
    r"""A stack of recurrent layers with tanh, by Gluon.

    $$\mathbf{H}_t^{(l)} = \tanh(\mathbf{H}_t^{(l-1)} \mathbf{W}_{xh}^{(l)}
    + \mathbf{H}_{t-1}^{(l)} \mathbf{W}_{hh}^{(l)} + \mathbf{b}_h^{(l)}), \quad
    \mathbf{H}_t^{(0)} = \mathbf{X}_t$$

    Args:
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Elman (1990), doi:10.1207/s15516709cog1402_1.
    """

    def __init__(self, num_hiddens, num_layers=1, dropout=0):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        # A block a layer, as rnn.RNN(..., num_layers, dropout=dropout) drops nothing on the CPU.
        self.rnns = [rnn.RNN(num_hiddens, activation='tanh') for _ in range(num_layers)]
        self.drop = nn.Dropout(dropout)
        self._keep_one_bias()
        self.initialize()

    def forward(self, inputs, H=None):
        """Return the top layer's hidden states of all steps, and every layer's last one.

        Args:
            inputs: one tensor, or a list with one for each step.
            H: hidden states before the first step, alone or in a tuple; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). H: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        H = check_single(H, 'H')
        outputs, (H,) = self._run(inputs, H=H)
        return outputs, H
