"""What a stack of recurrent layers costs: parameters, multiply-adds, memory and serial steps."""
import itertools
import numbers
from typing import NamedTuple

from .checks import check_sizes
from .hyperparameters import HyperParameters


class _Kind(NamedTuple):
    gates: int
    biases: int  # trained ones, for each gate
    held: int    # tensors of num_hiddens numbers that the backward pass of a step takes


CELLS = {
    'RNNScratch': _Kind(1, 1, 1),   # H
    'GRUScratch': _Kind(3, 1, 5),   # R, Z, N, R * H of the step before, H
    'LSTMScratch': _Kind(4, 1, 7),  # I, F, G, O, C, tanh(C), H
    'RNN': _Kind(1, 1, 1),
    'GRU': _Kind(3, 2, 5),          # R, Z, N, what R multiplies, H
    'LSTM': _Kind(4, 1, 7),
}


class Stack(HyperParameters):
    """Sizes of a stack of recurrent layers, and what it costs.

    The output layer is not counted, nor what `RecurrentStack` adds: gains of layer normalization,
    learned states, and what `remat` saves.

    Args:
        cell: RNNScratch, GRUScratch, LSTMScratch, RNN, GRU or LSTM.
        num_inputs: features of an input.
        num_hiddens: hidden units of each layer and direction, or a list with a width for each
            layer.
        num_layers: layers; left out where num_hiddens is a list.
        directions: 2 for a bidirectional stack, in which a layer's outputs are those of both
            directions side by side.

    Raises:
        ValueError: an unknown cell, a size below 1, more than two directions, or a number of
            layers that is not that of the widths.
    """

    def __init__(self, cell, num_inputs, num_hiddens, num_layers=1, directions=1):
        if cell not in tuple(CELLS):
            raise ValueError(f'cell must be one of {", ".join(CELLS)}, got {cell!r}; depth and '
                             'direction are the arguments num_layers and directions')
        check_sizes(num_inputs=num_inputs, num_layers=num_layers)
        _check_directions(directions)
        self.save_hyperparameters()
        self.num_inputs = int(num_inputs)  # NumPy's integers overflow
        self.num_hiddens = _widths(num_hiddens, num_layers)
        self.num_layers = len(self.num_hiddens)

    def parameters(self):
        r"""Return the number of trained parameters.

        $$\sum_l D G h_l (d_l + h_l + b)$$

        D directions, G gates, d_l features of layer l's inputs, h_l its hidden units, and b
        biases for each gate: 2 for GRU, on all frameworks, and 1 for the others.
        """
        kind = CELLS[self.cell]
        return self.directions * kind.gates * sum(h * (d + h + kind.biases)
                                                  for d, h in self._sizes())

    def multiply_adds(self, num_steps=1, batch_size=1):
        r"""Return the multiply-adds of the matrix products of the forward pass.

        $$T B \sum_l D G h_l (d_l + h_l)$$

        Biases, gates and activation functions are not counted: they grow with the number of
        hidden units, the products with its square. The backward pass costs twice as much, as a
        product has a gradient for either factor; where the inputs and the states before the first
        step need none, those for them are saved.

        Args:
            num_steps: steps of a sequence, T.
            batch_size: sequences, B.

        Raises:
            ValueError: a size below 1.
        """
        check_sizes(num_steps=num_steps, batch_size=batch_size)
        products = CELLS[self.cell].gates * sum(h * (d + h) for d, h in self._sizes())
        return int(num_steps) * int(batch_size) * self.directions * products

    def activations(self, num_steps, batch_size):
        r"""Return how many numbers the forward pass holds for the backward pass.

        $$T B \Bigl(d_1 + \sum_l D k h_l\Bigr)$$

        Counted, each once: the inputs; the k tensors of each layer, direction and step that the
        derivatives of the equations take. With tanh this is H; in a GRU R, Z, N, H and the one
        that R makes (GRUScratch) or multiplies (GRU); in an LSTM I, F, G, O, C, tanh(C) and H.
        H is counted where it is made, and not again as the input of the layer above. The states
        before the first step, and what a framework copies as it stacks, concatenates or takes
        1 - Z, come on top.

        Args:
            num_steps: steps of a sequence, T.
            batch_size: sequences, B.

        Raises:
            ValueError: a size below 1.
        """
        check_sizes(num_steps=num_steps, batch_size=batch_size)
        held = self.directions * CELLS[self.cell].held * sum(self.num_hiddens)
        return int(num_steps) * int(batch_size) * (self.num_inputs + held)

    def critical_path(self, num_steps):
        """Return the number of serial steps, T + L - 1 or, in both directions, L * T.

        See `schedule`.

        Args:
            num_steps: steps of a sequence.

        Raises:
            ValueError: a size below 1.
        """
        check_sizes(num_steps=num_steps)
        if self.directions == 2:
            return self.num_layers * int(num_steps)
        return int(num_steps) + self.num_layers - 1

    def _sizes(self):
        """Return, for each layer, the width of its inputs and its hidden units."""
        outputs = [self.directions * h for h in self.num_hiddens]
        return list(zip([self.num_inputs, *outputs], self.num_hiddens))


class Cell(NamedTuple):
    """One layer at one step, both counted from 0, in the direction 'forward' or 'backward'."""
    layer: int
    step: int
    direction: str


def schedule(num_steps, num_layers, directions=1, concatenate=True):
    """Return the serial steps of a stack, each a list of the cells that can run at once.

    A cell waits for the same layer at the step before (after, when it runs backward) and for what
    it reads of the layer below. In one direction that is one cell, so that all cells of an
    anti-diagonal run at once: T + L - 1 serial steps for T steps and L layers. In a bidirectional
    stack that concatenates, it is both directions at its own step. A layer's first forward step
    reads the last step of the backward pass below, so that the layer below must be complete: L * T
    serial steps of two cells each. Two stacks, one in each direction, that are joined only at the
    top keep T + L - 1 serial steps.

    Args:
        num_steps: steps of a sequence.
        num_layers: layers.
        directions: 2 for both.
        concatenate: False for two stacks that are joined at the top; of no effect in one
            direction.

    Raises:
        ValueError: a size below 1, or more than two directions.

    Source: Appleyard et al. (2016), arXiv:1604.01946, for the anti-diagonals.
    """
    check_sizes(num_steps=num_steps, num_layers=num_layers)
    _check_directions(directions)
    after = num_steps if directions == 2 and concatenate else 1  # serial steps to the next layer
    serial = [[] for _ in range(after * (num_layers - 1) + num_steps)]
    for layer, i in itertools.product(range(num_layers), range(num_steps)):
        both = [Cell(layer, i, 'forward'), Cell(layer, num_steps - 1 - i, 'backward')]
        serial[after * layer + i] += both[:directions]
    return serial


def _check_directions(directions):
    number = isinstance(directions, numbers.Integral) and not isinstance(directions, bool)
    if not number or directions not in (1, 2):
        raise ValueError(f'directions must be 1 or 2, got {directions!r}')


def _widths(num_hiddens, num_layers):
    """Return the list of the layers' widths."""
    if not isinstance(num_hiddens, (list, tuple)):
        check_sizes(num_hiddens=num_hiddens)
        return [int(num_hiddens)] * num_layers
    if not num_hiddens:
        raise ValueError('num_hiddens must be an integer or a list with a width for each layer, '
                         f'got {num_hiddens!r}')
    check_sizes(**{f'num_hiddens[{i}]': width for i, width in enumerate(num_hiddens)})
    if num_layers not in (1, len(num_hiddens)):
        raise ValueError(f'num_layers must be left out or {len(num_hiddens)}, as num_hiddens has '
                         f'{len(num_hiddens)} widths, got {num_layers!r}')
    return [int(width) for width in num_hiddens]
