"""One recurrent layer from scratch, and Keras's own."""
import tensorflow as tf

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
        normal = tf.keras.initializers.RandomNormal
        self.W_xh = self.add_weight((num_inputs, num_hiddens), normal(stddev=sigma), name='W_xh')
        self.W_hh = self.add_weight((num_hiddens, num_hiddens), normal(stddev=sigma), name='W_hh')
        self.b_h = self.add_weight((num_hiddens,), 'zeros', name='b_h')

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
        inputs, state = tf.convert_to_tensor(inputs), check_single(state)
        if state is None:
            state = tf.zeros((inputs.shape[1], self.num_hiddens), inputs.dtype)
        check_state(state, (inputs.shape[1], self.num_hiddens))
        outputs = []
        for X in tf.unstack(inputs):
            state = self.step(X, state)
            outputs.append(state)
        return outputs, state

    def step(self, X, H):
        """Return the hidden state after one more input.

        Shapes:
            X: (batch_size, num_inputs). H: (batch_size, num_hiddens).
        """
        return tf.tanh(X @ self.W_xh + H @ self.W_hh + self.b_h)

    def gates(self, X, H):
        """Return what a nonlinearity bounds, in the order of `gate_names`: the new hidden state.

        Shapes:
            As in step.
        """
        return (self.step(X, H),)


class Recurrent(Module):
    """What stacks of Keras's recurrent layers have in common."""

    @property
    def causal(self):
        """Whether no output depends on later inputs."""
        return not any(isinstance(layer, tf.keras.layers.Bidirectional)
                       for layer in self._keras_layers())

    def _keras_layers(self):
        return getattr(self, 'rnns', None) or [self.rnn]  # a subclass may set a layer, rnn

    def _run_layers(self, inputs, **states):
        """Return the outputs, and the list of the last states, each of all layers.

        Args:
            states: what to start from, by name; None for zeros.
        """
        layers = self._keras_layers()
        width = layers[0].weights[0].shape[0] if layers[0].built else None
        inputs = check_inputs(inputs, width)
        outputs, ends = tf.transpose(inputs, (1, 0, 2)), []  # Keras has the batch first
        starts = self._initial_states(layers, outputs.shape[0], states)
        for i, (layer, start) in enumerate(zip(layers, starts)):
            outputs, *end = layer(self.between(outputs) if i else outputs, initial_state=start)
            ends += tf.nest.flatten(end)
        last = [tf.stack(ends[k::len(states)]) for k in range(len(states))]
        return tf.transpose(outputs, (1, 0, 2)), last

    def _initial_states(self, layers, batch_size, states):
        """Return what each layer starts from, nested as Keras takes it."""
        if all(state is None for state in states.values()):
            return [None] * len(layers)
        sizes = [self._state_sizes(layer) for layer in layers]
        first, *others = tf.nest.flatten(sizes)
        shape = (1 + len(others)) // len(states), batch_size, first
        for name, state in states.items():
            check_state(state, shape, name)
        rows = zip(*map(tf.unstack, states.values()))
        return tf.nest.pack_sequence_as(sizes, [state for row in rows for state in row])

    def _state_sizes(self, layer):
        if isinstance(layer, tf.keras.layers.Bidirectional):
            return [*self._state_sizes(layer.forward_layer),
                    *self._state_sizes(layer.backward_layer)]
        return list(layer.state_size)


class RNN(Recurrent):
    r"""A stack of recurrent layers with tanh, by Keras.

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
        self.rnns = [tf.keras.layers.SimpleRNN(num_hiddens, return_sequences=True,
                                               return_state=True) for _ in range(num_layers)]
        # A layer's own dropout would drop its inputs, also those of the first layer.
        self.between = tf.keras.layers.Dropout(dropout)

    def forward(self, inputs, H=None):
        """Return the top layer's hidden states of all steps, and every layer's last one.

        Args:
            inputs: one tensor, or a list with one for each step.
            H: hidden states before the first step, alone or in a tuple; None for zeros.

        Shapes:
            inputs: (num_steps, batch_size, num_inputs). H: (num_layers, batch_size, num_hiddens).
            outputs: (num_steps, batch_size, num_hiddens).
        """
        outputs, (H,) = self._run_layers(inputs, H=check_single(H, 'H'))
        return outputs, H
