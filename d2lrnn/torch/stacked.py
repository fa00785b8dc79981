"""Recurrent layers on top of each other, from scratch."""
import torch

from ..core.checks import check_inputs, check_states, check_sizes
from .module import Module
from .rnn import RNNScratch


class StackedRNNScratch(Module):
    r"""A stack of recurrent layers with tanh, from scratch.

    $$\mathbf{H}_t^{(l)} = \tanh(\mathbf{H}_t^{(l-1)} \mathbf{W}_{xh}^{(l)}
    + \mathbf{H}_{t-1}^{(l)} \mathbf{W}_{hh}^{(l)} + \mathbf{b}_h^{(l)}), \quad
    \mathbf{H}_t^{(0)} = \mathbf{X}_t$$

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer.
        num_layers: layers.
        sigma: standard deviation of the initial weights; biases start at zero.

    Shapes:
        W_xh: (num_inputs, num_hiddens) in the first layer, (num_hiddens, num_hiddens) above it.
        W_hh: (num_hiddens, num_hiddens). b_h: (num_hiddens,).

    Raises:
        ValueError: a size below 1, or inputs or states of another shape or number.

    Source: Schmidhuber (1992), doi:10.1162/neco.1992.4.2.234; Graves (2013), arXiv:1308.0850.
    """

    def __init__(self, num_inputs, num_hiddens, num_layers, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_sizes(num_layers=num_layers)
        self.rnns = [RNNScratch(num_hiddens if i else num_inputs, num_hiddens, sigma)
                     for i in range(num_layers)]

    def forward(self, inputs, Hs=None):
        """Return the top layer's hidden states of all steps, and every layer's last one.

        Args:
            inputs: the sequence.
            Hs: list of the layers' hidden states before the first step; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            Hs: num_layers tensors (batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        outputs = check_inputs(inputs, self.num_inputs)
        shape = outputs[0].shape[0], self.num_hiddens
        Hs = check_states(Hs, self.num_layers, shape)
        for i, rnn in enumerate(self.rnns):
            outputs, Hs[i] = rnn(outputs, Hs[i])
            outputs = torch.stack(outputs)
        return outputs, Hs
