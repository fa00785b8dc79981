"""One recurrent layer from scratch, and Flax's own."""
import jax
from flax import linen as nn
from flax.traverse_util import flatten_dict
from jax import numpy as jnp

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
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def __post_init__(self):
        check_sizes(num_inputs=self.num_inputs, num_hiddens=self.num_hiddens)
        super().__post_init__()

    def setup(self):
        """Make the parameters."""
        normal, zeros = nn.initializers.normal(self.sigma), nn.initializers.zeros
        self.W_xh = self.param('W_xh', normal, (self.num_inputs, self.num_hiddens))
        self.W_hh = self.param('W_hh', normal, (self.num_hiddens, self.num_hiddens))
        self.b_h = self.param('b_h', zeros, (self.num_hiddens,))

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
        inputs, state = jnp.asarray(inputs), check_single(state)
        if state is None:
            state = jnp.zeros((inputs.shape[1], self.num_hiddens))
        check_state(state, (inputs.shape[1], self.num_hiddens))

        def step(state, X):
            """Return the next hidden state, to go on with and as an output."""
            state = self.step(X, state)
            return state, state

        state, outputs = jax.lax.scan(step, state, inputs)
        return list(jnp.unstack(outputs)), state

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return jnp.tanh(X @ self.W_xh + H @ self.W_hh + self.b_h)

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: the new hidden state.

        Shapes:
            As in step.
        """
        return (self.step(X, H),)


class Recurrent(Module):
    """What stacks of Flax's recurrent layers have in common."""

    @property
    def causal(self):
        """Whether no output depends on later inputs."""
        made = self  # with its layers, which setup makes: in a model that is bound to variables
        if self.scope is None:
            made = self.bind({}, rngs={'params': jax.random.key(0)}, mutable=True)
        return not (getattr(self, 'bidirectional', False) or any(
            isinstance(rnn, nn.Bidirectional) for rnn in getattr(made, 'rnns', ())))

    def _checked(self, inputs, **states):
        """Return the inputs, and the states to start from, given by name; zeros for None."""
        inputs = jnp.asarray(check_inputs(inputs, self._num_inputs()))
        directions = 2 if isinstance(self.rnns[0], nn.Bidirectional) else 1
        shape = (directions * self.num_layers, inputs.shape[1], self.num_hiddens)
        for name, state in states.items():
            if state is not None:
                check_state(state, shape, name)
        return inputs, [jnp.zeros(shape) if state is None else state for state in states.values()]

    def _run(self, outputs, carries, training):
        training = self.has_rng('dropout') if training is None else training
        for i, rnn in enumerate(self.rnns):
            if i > 0:
                outputs = self.drop(outputs, deterministic=not training)
            if isinstance(rnn, nn.Bidirectional):
                both = slice(2 * i, 2 * i + 2)
                carries[both], outputs = rnn(outputs, initial_carry=carries[both])
            else:
                carries[i], outputs = rnn(outputs, initial_carry=carries[i])
        return outputs, carries

    def _num_inputs(self):
        """Return the width of the first layer's weights; None where there are none yet."""
        weights = flatten_dict(self.variables.get('params', {}).get('rnns_0', {}))
        return next((value.shape[0] for (*_, product, kind), value in weights.items()
                     if product.startswith('i') and kind == 'kernel'), None)


class RNN(Recurrent):
    r"""A stack of recurrent layers with tanh, by Flax.

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
    num_hiddens: int
    num_layers: int = 1
    dropout: float = 0

    def __post_init__(self):
        check_sizes(num_hiddens=self.num_hiddens, num_layers=self.num_layers)
        check_dropout(self.dropout)
        super().__post_init__()

    def setup(self):
        """Make the layers: cells that are scanned over time."""
        self.rnns = [nn.RNN(nn.SimpleCell(self.num_hiddens), time_major=True, return_carry=True)
                     for _ in range(self.num_layers)]
        self.drop = nn.Dropout(self.dropout)

    def forward(self, inputs, H=None, training=None):
        """Return the top layer's hidden states of all steps, and every layer's last one.

        Args:
            inputs: one tensor, or a list with one for each step.
            H: hidden states before the first step, alone or in a tuple; None for zeros.
            training: whether to drop; None drops where `apply` got a key for 'dropout'.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). H: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        inputs, (H,) = self._checked(inputs, H=check_single(H, 'H'))
        outputs, H = self._run(inputs, list(H), training)
        return outputs, jnp.stack(H)
