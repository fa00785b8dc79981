"""A stack of recurrent layers that runs the layers of an anti-diagonal at once."""
import torch
from torch.autograd.function import once_differentiable

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
        inputs = torch.stack(inputs) if isinstance(inputs, (list, tuple)) else inputs
        shape, cell = (inputs.shape[1], self.num_hiddens), CELLS[self.cell]
        Hs = check_states(Hs, self.num_layers, shape, pairs=cell.num_states == 2)
        zeros = [inputs.new_zeros(shape)] * cell.num_states
        Hs = [zeros if H is None else H if cell.num_states == 2 else [H] for H in Hs]
        W_x, W_h, b = zip(*map(self._side_by_side, self.rnns))
        projected = inputs @ W_x[0] + b[0]  # of all steps at once: the first layer waits for none
        W_h, b = torch.stack(W_h), torch.stack(b)[1:, None]
        W_x = torch.stack(W_x[1:]) if W_x[1:] else W_h[1:]
        outputs, *ends = _Diagonals.apply(cell, projected, W_x, W_h, b, *map(torch.stack, zip(*Hs)))
        Hs = list(zip(*(end.unbind() for end in ends)))
        return outputs, Hs if cell.num_states == 2 else [H for H, in Hs]

    def _side_by_side(self, rnn):
        return [torch.cat([getattr(rnn, kind + gate) for gate in CELLS[self.cell].gates], -1)
                for kind in ('W_x', 'W_h', 'b_')]


class _Diagonals(torch.autograd.Function):
    """The cells of all anti-diagonals, and their gradient.

    Going back through the steps is linear: its factors, the slopes of the nonlinearities, are known
    for all steps at once before the first one, and the gradient of a weight is one product after
    the last one. Left to autograd, each step would add a product as large as the weights to it,
    however small the batch: the most of the time at batch size 1.
    """

    @staticmethod
    def forward(ctx, cell, projected, W_x, W_h, b, *starts):
        """Return the top layer's hidden states of all steps, and each kind of last states.

        Shapes, with all gates side by side in num_gates * num_hiddens columns:
            projected: (num_steps, batch_size, columns). b: (num_layers - 1, 1, columns).
            W_x, W_h: (num_layers - 1 and num_layers, num_hiddens, columns).
            starts: (num_layers, batch_size, num_hiddens) each.
        """
        T, (L, B, h) = len(projected), starts[0].shape
        states = [start.new_empty(L, T + 1, B, h) for start in starts]
        for grid, start in zip(states, starts):
            grid[:, 0] = start
        kept = projected.new_empty(L, T, B, cell.num_kept * h)
        A = projected.new_empty(L, *projected.shape[1:])
        skewed, skewed_kept = [_skewed(grid) for grid in states], _skewed(kept)
        for d in range(T + L - 1):
            on, upper, below = _layers(d, T, L)
            if on.start == 0:
                A[0] = projected[d]
            torch.add(b[below], _product(skewed[0][d, below], W_x[below]), out=A[upper])
            cell.step(A[on], W_h[on], skewed_kept[d, on], [grid[d, on] for grid in skewed],
                      [grid[d + 1, on] for grid in skewed])
        ctx.cell = cell
        ctx.save_for_backward(W_x, W_h, kept, *states)
        return states[0][-1, 1:].clone(), *(grid[:, -1].clone() for grid in states)

    @staticmethod
    @once_differentiable
    def backward(ctx, d_outputs, *d_ends):
        """Return the gradients of `forward`'s arguments."""
        cell, (W_x, W_h, kept, *states) = ctx.cell, ctx.saved_tensors
        slopes = cell.slopes(kept, *states)  # the first becomes the gradient of what A was
        skewed, grads = [_skewed(grid) for grid in slopes], [d_end.clone() for d_end in d_ends]
        L, T = slopes[0].shape[:2]
        for d in reversed(range(T + L - 1)):
            on, upper, below = _layers(d, T, L)
            if on.stop == L:
                grads[0][-1] += d_outputs[d - L + 1]
            cell.back([grid[d, on] for grid in skewed], W_h[on], [grad[on] for grad in grads])
            grads[0][below].add_(_product(skewed[0][d, upper], W_x[below].mT))
        dA, H = slopes[0].flatten(1, 2), states[0]
        dW_x = H[:-1, 1:].flatten(1, 2).mT @ dA[1:]
        dW_h = cell.weight_gradient(H[:, :-1].flatten(1, 2), kept.flatten(1, 2), dA)
        return None, slopes[0][0], dW_x, dW_h, dA[1:].sum(1, keepdim=True), *grads


def _skewed(grid):
    """Return a view [d, l] of what is at [l, d - l], for d - l in the grid."""
    (L, T, *shape), (layer, step, *rest) = grid.shape, grid.stride()
    return grid.as_strided((T + L - 1, L, *shape), (step, layer - step, *rest))


def _layers(d, T, L):
    """Return slices: the layers of anti-diagonal d, those of them above the first, those below."""
    first, end = max(0, d - T + 1), min(L, d + 1)
    upper = slice(max(first, 1), end)
    return slice(first, end), upper, slice(upper.start - 1, end - 1)


def _product(A, W):
    """Return the products of a batch of matrices.

    bmm gives a share to each thread, however small: at batch size 1, waiting for the others takes
    longer than the product, many times so where another program holds a processor. Layer by layer
    has no such waits, as mm and elementwise operations leave small work to one thread.
    """
    if A.shape[1] == 1 and W.numel() <= 32768:  # PyTorch shares out elementwise work above
        return (A.mT * W).sum(1, keepdim=True)
    return torch.bmm(A, W)


class _Tanh:
    Layer, gates, num_states, num_kept = RNNScratch, 'h', 1, 0

    def step(self, A, W_h, kept, before, after):
        """Write the states after a step; A has the inputs' part of what goes into the gates."""
        torch.tanh(A.add_(_product(*before, W_h)), out=after[0])

    def slopes(self, kept, H):
        """Return the factors of `back`, the first as large as A of all steps."""
        return [1 - H[:, 1:] ** 2]

    def back(self, slopes, W_h, grads):
        """Take gradients of the states after a step to those before it, and slopes[0] to dA."""
        dA, dH = *slopes, *grads
        dH.copy_(_product(dA.mul_(dH), W_h.mT))

    def weight_gradient(self, H, kept, dA):
        """Return the gradient of W_h."""
        return H.mT @ dA


class _ResetFirst(_Tanh):
    Layer, gates, num_states, num_kept = GRUScratch, 'rzn', 1, 3

    def step(self, A, W_h, kept, before, after):
        """As in _Tanh; kept are R, Z and N."""
        (H,), h = before, len(W_h[0])
        RZ = A[..., :2 * h] + _product(H, W_h[..., :2 * h])
        R, Z = torch.sigmoid(RZ, out=kept[..., :2 * h]).chunk(2, -1)
        N = A[..., 2 * h:] + _product(R * H, W_h[..., 2 * h:])
        torch.lerp(torch.tanh(N, out=kept[..., 2 * h:]), H, Z, out=after[0])

    def slopes(self, kept, H):
        """As in _Tanh."""
        (R, Z, N), H = kept.chunk(3, -1), H[:, :-1]
        return [torch.cat([H * R * (1 - R), (H - N) * Z * (1 - Z), (1 - Z) * (1 - N ** 2)], -1),
                R, Z]

    def back(self, slopes, W_h, grads):
        """As in _Tanh."""
        (dA, R, Z), (dH,), h = slopes, grads, len(W_h[0])
        dA[..., h:].unflatten(-1, (2, h)).mul_(dH.unsqueeze(-2))
        dRH = _product(dA[..., 2 * h:], W_h[..., 2 * h:].mT)
        dA[..., :h].mul_(dRH)
        dH.mul_(Z).addcmul_(R, dRH).add_(_product(dA[..., :2 * h], W_h[..., :2 * h].mT))

    def weight_gradient(self, H, kept, dA):
        """As in _Tanh."""
        h = H.shape[-1]
        RH = kept[..., :h] * H
        return torch.cat([H.mT @ dA[..., :2 * h], RH.mT @ dA[..., 2 * h:]], -1)


class _Memory(_Tanh):
    Layer, gates, num_states, num_kept = LSTMScratch, 'oifg', 2, 4

    def step(self, A, W_h, kept, before, after):
        """As in _Tanh; kept are O, I, F and G."""
        (H, C), (H_new, C_new), h = before, after, len(W_h[0])
        A.add_(_product(H, W_h))
        O, I, F = torch.sigmoid(A[..., :3 * h], out=kept[..., :3 * h]).chunk(3, -1)
        G = torch.tanh(A[..., 3 * h:], out=kept[..., 3 * h:])
        torch.mul(F, C, out=C_new).addcmul_(I, G)
        torch.mul(O, torch.tanh(C_new), out=H_new)

    def slopes(self, kept, H, C):
        """As in _Tanh."""
        (O, I, F, G), tanh_C = kept.chunk(4, -1), torch.tanh(C[:, 1:])
        return [torch.cat([tanh_C * O * (1 - O), G * I * (1 - I), C[:, :-1] * F * (1 - F),
                           I * (1 - G ** 2)], -1), O * (1 - tanh_C ** 2), F]

    def back(self, slopes, W_h, grads):
        """As in _Tanh."""
        (dA, slope, F), (dH, dC), h = slopes, grads, len(W_h[0])
        dC.addcmul_(slope, dH)
        dA[..., :h].mul_(dH)
        dA[..., h:].unflatten(-1, (3, h)).mul_(dC.unsqueeze(-2))
        dC.mul_(F)
        dH.copy_(_product(dA, W_h.mT))


CELLS = {'RNNScratch': _Tanh(), 'GRUScratch': _ResetFirst(), 'LSTMScratch': _Memory()}
