"""One recurrent layer from scratch, and PyTorch's own."""
import torch
from torch import nn

from ..core.checks import check_dropout, check_inputs, check_single, check_sizes, check_state
from .module import Module


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
        self.W_xh = nn.Parameter(torch.randn(num_inputs, num_hiddens) * sigma)
        self.W_hh = nn.Parameter(torch.randn(num_hiddens, num_hiddens) * sigma)
        self.b_h = nn.Parameter(torch.zeros(num_hiddens))

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
        inputs = torch.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        state = check_single(state)
        if state is None:
            state = inputs.new_zeros(inputs.shape[1], self.num_hiddens)
        check_state(state, (inputs.shape[1], self.num_hiddens))
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
        return torch.tanh(X @ self.W_xh + H @ self.W_hh + self.b_h)

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: the new hidden state.

        Shapes:
            As in step.
        """
        return (self.step(X, H),)


class Recurrent(Module):
    """What stacks of PyTorch's recurrent layers have in common."""

    @property
    def causal(self):
        """Whether no output depends on later inputs."""
        return not self.rnn.bidirectional

    def _checked(self, inputs, **states):
        inputs = check_inputs(inputs, self.rnn.input_size)
        inputs = torch.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        directions = 2 if self.rnn.bidirectional else 1
        shape = (directions * self.rnn.num_layers, inputs.shape[1], self.rnn.hidden_size)
        for name, state in states.items():
            if state is not None:
                check_state(state, shape, name)
        return inputs

    def _keep_one_bias(self):
        # PyTorch adds two biases wherever the equation has one: the second stays zero.
        for name, bias in self.rnn.named_parameters():
            if name.startswith('bias_hh'):
                nn.init.zeros_(bias).requires_grad_(False)


class RNN(Recurrent):
    r"""A stack of recurrent layers with tanh, by PyTorch.

    $$\mathbf{H}_t^{(l)} = \tanh(\mathbf{H}_t^{(l-1)} \mathbf{W}_{xh}^{(l)}
    + \mathbf{H}_{t-1}^{(l)} \mathbf{W}_{hh}^{(l)} + \mathbf{b}_h^{(l)}), \quad
    \mathbf{H}_t^{(0)} = \mathbf{X}_t$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        dropout: probability of dropping an output between layers, drawn anew at each step.

    Raises:
        ValueError: a size below 1, dropout outside [0, 1), or inputs or a state of another shape.

    Source: Elman (1990), doi:10.1207/s15516709cog1402_1.
    """

    def __init__(self, num_inputs, num_hiddens, num_layers=1, dropout=0):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_inputs=num_inputs, num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout)
        self.rnn = nn.RNN(num_inputs, num_hiddens, num_layers, dropout=dropout)
        self._keep_one_bias()

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
        return self.rnn(self._checked(inputs, H=H), H)
