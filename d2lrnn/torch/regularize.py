"""Stacks of recurrent layers with dropout, layer normalization, residuals and learned states."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from ..core.checks import check_dropout, check_inputs, check_stack, check_states
from .gru import GRU, GRUScratch
from .layernorm import (LayerNormGRU, LayerNormGRUScratch, LayerNormLSTM, LayerNormLSTMScratch,
                        LayerNormRNN, LayerNormRNNScratch)
from .lstm import LSTM, LSTMScratch
from .module import Module
from .rnn import RNN, Recurrent, RNNScratch

CELLS = {'RNNScratch': RNNScratch, 'GRUScratch': GRUScratch, 'LSTMScratch': LSTMScratch,
         'RNN': RNN, 'GRU': GRU, 'LSTM': LSTM}
NORMALIZED = {'RNNScratch': LayerNormRNNScratch, 'GRUScratch': LayerNormGRUScratch,
              'LSTMScratch': LayerNormLSTMScratch, 'RNN': LayerNormRNN, 'GRU': LayerNormGRU,
              'LSTM': LayerNormLSTM}


class VariationalDropout(Module):
    r"""Dropout with one mask for all steps of a sequence, in training only.

    $$\mathbf{H}_t \leftarrow \frac{\mathbf{M}}{1 - p} \odot \mathbf{H}_t, \quad
    M_{ij} \sim \mathrm{Bernoulli}(1 - p)$$

    Args:
        dropout: probability p of dropping a unit, in all steps alike.

    Raises:
        ValueError: dropout outside [0, 1).

    Source: Gal and Ghahramani (2016), arXiv:1512.05287.
    """

    def __init__(self, dropout):
        super().__init__()
        self.save_hyperparameters()
        check_dropout(dropout)

    def forward(self, inputs):
        """Return the inputs as one tensor, in training with the same units dropped at each step.

        Args:
            inputs: one tensor, or a list with one for each step.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
        """
        inputs = check_inputs(inputs, None)
        inputs = torch.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        return inputs * self.mask(inputs[:1])

    def mask(self, inputs):
        """Return a mask for inputs of this shape: zeros, and 1 / (1 - p) for what stays.

        Args:
            inputs: a tensor of any shape; in evaluation the mask is of ones.
        """
        return F.dropout(torch.ones_like(inputs), self.dropout, self.training)


class RecurrentStack(Module):
    r"""A stack of recurrent layers of any kind, with what keeps deep ones trainable and general.

    $$\mathbf{H}_t^{(l)} = \mathrm{cell}(\mathbf{D}^{(l-1)} \odot \mathbf{O}_t^{(l-1)},
    \mathbf{H}_{t-1}^{(l)}), \quad \mathbf{O}_t^{(l)} = \mathbf{H}_t^{(l)} +
    r\, \mathbf{O}_t^{(l-1)}, \quad \mathbf{O}_t^{(0)} = \mathbf{X}_t$$

    D drops between layers, r is 1 with residual connections where both widths are equal, and 0
    elsewhere. Nothing is dropped on the way from step to step, below the first layer, above the
    last one, or in evaluation.

    Args:
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer and direction.
        num_layers: layers.
        cell: name of the layers' class: RNNScratch, GRUScratch, LSTMScratch, RNN, GRU or LSTM.
        dropout: probability of dropping an output between layers, drawn anew at each step.
        variational_dropout: the same, drawn once for all steps.
        layer_norm: whether to normalize what goes into the nonlinearities.
        residual: whether to add a layer's inputs to its outputs where the widths are equal.
        learn_state: whether states before the first step are parameters instead of zeros.
        bidirectional: whether each layer runs in both directions and concatenates them.
        remat: steps in a segment whose activations are computed again for the gradient instead of
            kept; None keeps all. It draws other masks of `dropout` from the same seed.
        sigma: standard deviation of the initial weights of the classes from scratch.

    Shapes:
        As in the class of the layers; H_0, and C_0 of an LSTM, for each layer and direction:
        (num_hiddens,).

    Raises:
        ValueError: an argument out of its range, or inputs or states of another shape or number.

    Source: Gal and Ghahramani (2016), arXiv:1512.05287; Ba, Kiros and Hinton (2016),
    arXiv:1607.06450; Wu et al. (2016), arXiv:1609.08144 (residuals); Chen et al. (2016),
    arXiv:1604.06174 (remat).
    """

    def __init__(self, num_inputs, num_hiddens, num_layers=1, cell='RNN', dropout=0,
                 variational_dropout=0, layer_norm=False, residual=False, learn_state=False,
                 bidirectional=False, remat=None, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        check_stack(CELLS, cell, num_inputs, num_hiddens, num_layers, sigma, bidirectional, remat,
                    {'dropout': dropout, 'variational_dropout': variational_dropout},
                    layer_norm=layer_norm, residual=residual, learn_state=learn_state)
        self.directions = 2 if bidirectional else 1
        self.causal = not bidirectional
        self.num_outputs = self.directions * num_hiddens
        widths = [num_inputs] + [self.num_outputs] * (num_layers - 1)
        self.rnns = [self._layer(width) for width in widths for _ in range(self.directions)]
        self.drop = nn.Dropout(dropout)
        self.variational = VariationalDropout(variational_dropout)
        if learn_state:
            names = ('H_0', 'C_0') if self.has_memory else ('H_0',)
            for name in names:
                setattr(self, name, nn.ParameterList(torch.zeros(num_hiddens) for _ in self.rnns))

    @property
    def has_memory(self):
        """Whether a state is a pair (H, C)."""
        return self.cell.startswith('LSTM')

    def _layer(self, num_inputs):
        Class = (NORMALIZED if self.layer_norm else CELLS)[self.cell]
        sigma = (self.sigma,) if self.cell.endswith('Scratch') else ()
        return Class(num_inputs, self.num_hiddens, *sigma)

    def forward(self, inputs, Hs=None):
        """Return the top layer's outputs of all steps, and every layer's last state.

        Args:
            inputs: one tensor, or a list with one for each step.
            Hs: list of the layers' states before the first step, of both directions of the first
                layer, then of the next; None for zeros, or for the learned ones.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs).
            Hs: num_layers tensors (batch_size, num_hiddens), or pairs of them for LSTM; twice as
            many in both directions.
            outputs: (num_steps, batch_size, num_outputs).
        """
        inputs = check_inputs(inputs, self.num_inputs)
        inputs = torch.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        batch_size = inputs.shape[1]
        Hs = check_states(Hs, self.num_layers, (batch_size, self.num_hiddens), self.directions,
                          pairs=self.has_memory)
        Hs = [start if H is None else H for H, start in zip(Hs, self.initial_state(batch_size))]
        masks = self.draw_masks(inputs)
        if self.remat is None:
            return self.run(inputs, Hs, masks)
        outputs = []
        for segment in inputs.split(self.remat):
            segment, Hs = checkpoint(self.run, segment, Hs, masks, use_reentrant=False)
            outputs.append(segment)
        return torch.cat(outputs), Hs

    def initial_state(self, batch_size):
        """Return the list of states before the first step: zeros, or the learned ones.

        Args:
            batch_size: sequences.
        """
        zeros = next(self.parameters()).new_zeros(batch_size, self.num_hiddens)
        learned = [getattr(self, name) for name in ('H_0', 'C_0') if hasattr(self, name)]
        if learned:
            states = [tuple(part.expand_as(zeros) for part in parts) for parts in zip(*learned)]
            return states if self.has_memory else [H for H, in states]
        return [(zeros, zeros) if self.has_memory else zeros for _ in self.rnns]

    def draw_masks(self, inputs):
        """Return the masks of variational dropout above each layer but the last.

        Args:
            inputs: of the stack.
        """
        like = inputs.new_ones(inputs.shape[1], self.num_outputs)
        return [self.variational.mask(like) for _ in range(self.num_layers - 1)]

    def run(self, inputs, Hs, masks, run_layer=None):
        """Return the outputs and the last states, layer by layer.

        Args:
            inputs: the sequence.
            Hs: list of the states before the first step.
            masks: list of the masks between layers.
            run_layer: what to call instead of `run_layer`.
        """
        run_layer, Hs, outputs = run_layer or self.run_layer, list(Hs), inputs
        for i in range(self.num_layers):
            below, both = outputs, []
            dropped = self.drop(below) * masks[i - 1] if i else below
            for j in range(self.directions * i, self.directions * (i + 1)):
                H, Hs[j] = run_layer(j, dropped, Hs[j])
                both.append(H)
            outputs = torch.cat(both, -1)
            if self.residual and outputs.shape == below.shape:
                outputs = outputs + below
        return outputs, Hs

    def run_layer(self, j, inputs, state):
        """Return the hidden states of all steps and the last state of one layer and direction.

        Args:
            j: number of the layer, counting each direction.
            inputs: of the layer.
            state: before the first step, which is the last one in time going backward.
        """
        layer, backward = self.rnns[j], j % self.directions == 1
        inputs = inputs.flip(0) if backward else inputs
        if isinstance(layer, Recurrent):  # its state has an axis for the layers, here one
            state = tuple(S[None] for S in state) if self.has_memory else state[None]
            outputs, state = layer(inputs, state)
            state = tuple(S[0] for S in state) if self.has_memory else state[0]
        else:
            outputs, state = layer(inputs, state)
            outputs = torch.stack(outputs)
        return outputs.flip(0) if backward else outputs, state
