"""A stack of recurrent layers that runs the layers of an anti-diagonal at once."""
import functools

import jax
from flax import linen as nn
from jax import lax, numpy as jnp

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
    num_inputs: int
    num_hiddens: int
    num_layers: int = 1
    cell: str = 'RNNScratch'
    sigma: float = 0.01

    def __post_init__(self):
        check_stack(CELLS, self.cell, self.num_inputs, self.num_hiddens, self.num_layers,
                    self.sigma)
        super().__post_init__()

    def setup(self):
        """Make the layers."""
        self.rnns = [CELLS[self.cell].Layer(self.num_hiddens if i else self.num_inputs,
                                            self.num_hiddens, self.sigma)
                     for i in range(self.num_layers)]

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
        inputs = jnp.asarray(check_inputs(inputs, self.num_inputs))
        shape, cell = (inputs.shape[1], self.num_hiddens), CELLS[self.cell]
        Hs = check_states(Hs, self.num_layers, shape, pairs=cell.num_states == 2)
        zeros = [jnp.zeros(shape)] * cell.num_states
        Hs = [zeros if H is None else H if cell.num_states == 2 else [H] for H in Hs]
        W_x, W_h, b = zip(*map(self._side_by_side, self.rnns))
        projected = inputs @ W_x[0] + b[0]  # all steps at once: the first layer's wait for nothing
        W_h, b = jnp.stack(W_h), jnp.stack(b)[1:, None]
        W_x = jnp.stack(W_x[1:]) if W_x[1:] else W_h[1:]
        outputs, ends = _diagonals(cell, projected, W_x, W_h, b, tuple(map(jnp.stack, zip(*Hs))))
        Hs = list(zip(*map(jnp.unstack, ends)))
        return outputs, Hs if cell.num_states == 2 else [H for H, in Hs]

    def _side_by_side(self, rnn):
        return [jnp.concatenate([getattr(rnn, kind + gate) for gate in CELLS[self.cell].gates], -1)
                for kind in ('W_x', 'W_h', 'b_')]


ROWS = 256  # of a product that takes the gradient of a weight: as many as make it fast


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _diagonals(cell, projected, W_x, W_h, b, starts):
    """Return the top layer's hidden states of all steps, and each kind of last states.

    Left to JAX, each step would add a product as large as the weights to their gradient, however
    small the batch: the most of the time at batch size 1. `_back` does so once in ROWS rows.

    Shapes, with all gates side by side in num_gates * num_hiddens columns:
        projected: (num_steps, batch_size, columns). b: (num_layers - 1, 1, columns).
        W_x, W_h: (num_layers - 1 and num_layers, num_hiddens, columns).
        starts: (num_layers, batch_size, num_hiddens) each.
    """
    return _run(cell, projected, W_x, W_h, b, starts)[0]


def _run(cell, projected, W_x, W_h, b, starts):
    """Return what `_diagonals` does, and what `_back` needs."""
    T, L = len(projected), len(W_h)
    num_chunks, size = _chunks(T, *starts[0].shape[:2])
    parts = cell.parts(W_h)

    def diagonal(carry, X):
        """Go from the states before an anti-diagonal to those after it."""
        d, states = carry  # d as an input of the scan would be read anew for each unit
        A = jnp.concatenate([X[None], states[0][:-1] @ W_x + b])
        new, kept = cell.step(A, parts, *states)
        return (d + 1, _where(d, T, new, states)), (states, kept)

    projected = jnp.pad(projected, ((0, num_chunks * size - T), (0, 0), (0, 0)))
    (_, ends), saved = lax.scan(diagonal, (0, starts), projected)
    outputs = jnp.concatenate([saved[0][0][L:, -1], ends[0][None, -1]])[:T]
    return (outputs, ends), (W_x, W_h, saved, ends)


def _back(cell, saved, d_results):
    """Return the gradients of the arguments of `_diagonals`."""
    (W_x, W_h, saved, ends), (d_outputs, d_ends) = saved, d_results
    T, L = len(d_outputs), len(W_h)
    num_chunks, size = _chunks(T, *ends[0].shape[:2])
    W_xT, *parts = (W.swapaxes(1, 2) for W in (W_x, *cell.parts(W_h)))

    def diagonal(carry, x):
        """Go from the gradients of the states after an anti-diagonal to those before it."""
        d, (dH, *others), after = carry
        d_output, (before, kept) = x
        grads = dH.at[-1].add(d_output), *others
        active = _where(d, T, grads, tuple(map(jnp.zeros_like, grads)))  # the rest stay as they are
        dA, new = cell.back(parts, kept, before, after, active)
        dH, *others = _where(d, T, new, grads)
        dH = dH + jnp.pad(dA[1:] @ W_xT, ((0, 1), (0, 0), (0, 0)))
        return (d - 1, (dH, *others), before), dA

    def chunk(carry, x):
        """Go through some anti-diagonals, and add to the gradients of the weights once."""
        states, *grads = carry
        states, dA = lax.scan(diagonal, states, x, reverse=True)
        before, kept = x[-1]
        new = (_product(before[0][:, :-1], dA[:, 1:]), cell.weight_gradient(before[0], kept, dA),
               dA[:, 1:].sum((0, 2))[:, None])
        return (states, *map(jnp.add, grads, new)), dA[:, 0]

    end = num_chunks * size
    d_outputs = jnp.pad(d_outputs, ((L - 1, end - T - L + 1), (0, 0), (0, 0)))
    x = jax.tree.map(lambda x: x.reshape(num_chunks, size, *x.shape[1:]),
                     (d_outputs, saved))
    zeros = jnp.zeros_like(W_x), jnp.zeros_like(W_h), jnp.zeros((L - 1, 1, W_h.shape[-1]))
    carry, dA = lax.scan(chunk, ((end - 1, d_ends, ends), *zeros), x, reverse=True)
    (_, d_starts, _), *grads = carry
    return (dA.reshape(end, *dA.shape[2:])[:T], *grads, d_starts)


_diagonals.defvjp(_run, _back)


def _chunks(T, L, B):
    """Return how many chunks of how many anti-diagonals give products of ROWS rows."""
    D = T + L - 1
    num_chunks = max(1, D // max(1, ROWS // B))
    return num_chunks, -(-D // num_chunks)


def _where(d, T, new, old):
    """Return the new values in the layers of anti-diagonal d, and the old ones elsewhere."""
    t = d - jnp.arange(len(new[0]))
    on = ((t >= 0) & (t < T))[:, None, None]
    return tuple(jnp.where(on, a, b) for a, b in zip(new, old))


def _product(a, b):
    return jnp.einsum('dlbh,dlbg->lhg', a, b)


class _Tanh:
    Layer, gates, num_states = RNNScratch, 'h', 1

    def parts(self, W_h):
        """Return the weights by product, cut before the loop that uses them."""
        return [W_h]

    def step(self, A, parts, H):
        """Return the states after a step, and what `back` needs; A has the inputs' part."""
        return (jnp.tanh(A + H @ parts[0]),), ()

    def back(self, parts, kept, before, after, grads):
        """Return the gradients of what went into the gates, and of the states before a step."""
        dA = (1 - after[0] ** 2) * grads[0]
        return dA, (dA @ parts[0],)

    def weight_gradient(self, H, kept, dA):
        """Return the gradient of W_h."""
        return _product(H, dA)


class _ResetFirst:
    Layer, gates, num_states = GRUScratch, 'rzn', 1

    def parts(self, W_h):
        """As in _Tanh."""
        return jnp.split(W_h, [2 * W_h.shape[1]], -1)

    def step(self, A, parts, H):
        """As in _Tanh."""
        A_rz, A_n = jnp.split(A, [2 * H.shape[-1]], -1)
        R, Z = jnp.split(nn.sigmoid(A_rz + H @ parts[0]), 2, -1)
        N = jnp.tanh(A_n + (R * H) @ parts[1])
        return (Z * H + (1 - Z) * N,), (R, Z, N)

    def back(self, parts, kept, before, after, grads):
        """As in _Tanh."""
        (R, Z, N), (H,), (dH,) = kept, before, grads
        dN, dZ = dH * (1 - Z) * (1 - N ** 2), dH * (H - N) * Z * (1 - Z)
        dRH = dN @ parts[1]
        dRZ = jnp.concatenate([dRH * H * R * (1 - R), dZ], -1)
        return jnp.concatenate([dRZ, dN], -1), (dH * Z + dRH * R + dRZ @ parts[0],)

    def weight_gradient(self, H, kept, dA):
        """As in _Tanh."""
        dRZ, dN = jnp.split(dA, [2 * H.shape[-1]], -1)
        return jnp.concatenate([_product(H, dRZ), _product(kept[0] * H, dN)], -1)


class _Memory(_Tanh):
    Layer, gates, num_states = LSTMScratch, 'ifgo', 2

    def step(self, A, parts, H, C):
        """As in _Tanh."""
        I, F, G, O = jnp.split(A + H @ parts[0], 4, -1)
        I, F, G, O = nn.sigmoid(I), nn.sigmoid(F), jnp.tanh(G), nn.sigmoid(O)
        C = F * C + I * G
        return (O * jnp.tanh(C), C), (I, F, G, O)

    def back(self, parts, kept, before, after, grads):
        """As in _Tanh."""
        (I, F, G, O), C, (dH, dC), tanh_C = kept, before[1], grads, jnp.tanh(after[1])
        dC = dC + dH * O * (1 - tanh_C ** 2)
        dA = jnp.concatenate([dC * G * I * (1 - I), dC * C * F * (1 - F), dC * I * (1 - G ** 2),
                              dH * tanh_C * O * (1 - O)], -1)
        return dA, (dA @ parts[0], dC * F)


CELLS = {'RNNScratch': _Tanh(), 'GRUScratch': _ResetFirst(), 'LSTMScratch': _Memory()}
