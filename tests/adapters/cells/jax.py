"""A reader's cells on JAX, in the conventions of d2l's recurrent chapters."""
import re
from contextlib import nullcontext

import jax
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict
from jax import numpy as jnp

from d2lrnn import jax as d2l

from . import HOLDERS, add_kept, add_layers, add_models

chosen = nullcontext  # gives the context in which the chapters make their models
# Of HOLDERS, what the framework does not have, with the reason.
NO_HOLDERS = {'a list that is filled later': 'Flax makes a tuple of a list'}
TWICE, RANDOM, WARNINGS = (), {}, {}  # none of these; see torch.py
LAYERS = ['Dense', 'PReLU', 'Dense']  # of Digits
SCANNED = {'time_major': True, 'return_carry': True}


class Gated(d2l.Module):
    """A layer's parameters, by the gates that a subclass names."""
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def setup(self):
        normal, zeros = nn.initializers.normal(self.sigma), nn.initializers.zeros
        for gate in self.gates:
            for name, shape in (('W_x', (self.num_inputs, self.num_hiddens)),
                                ('W_h', (self.num_hiddens, self.num_hiddens))):
                setattr(self, name + gate, self.param(name + gate, normal, shape))
            setattr(self, f'b_{gate}', self.param(f'b_{gate}', zeros, (self.num_hiddens,)))


class PlainRNN(Gated):
    """rnn-scratch: a recurrent layer."""
    gates, num_states = 'h', 1


class PlainLM(d2l.Classifier):
    """rnn-scratch: a language model that takes nothing from the library's."""
    rnn: nn.Module
    vocab_size: int
    lr: float = 0.01

    def setup(self):
        self.W_hq = self.param('W_hq', nn.initializers.normal(self.rnn.sigma),
                               (self.rnn.num_hiddens, self.vocab_size))
        self.b_q = self.param('b_q', nn.initializers.zeros, (self.vocab_size,))

    def one_hot(self, X):
        return jax.nn.one_hot(X.T, self.vocab_size)

    def training_step(self, params, batch, state):
        value, grads = jax.value_and_grad(self.loss, has_aux=True)(
            params, batch[:-1], batch[-1], state)
        self.plot('ppl', d2l.exp(value[0]), train=True)
        return value, grads

    def validation_step(self, params, batch, state):
        l, _ = self.loss(params, batch[:-1], batch[-1], state)
        self.plot('ppl', d2l.exp(l), train=False)


@d2l.add_to_class(PlainLM)
def predict(self, prefix, num_preds, vocab, params):
    state, found = None, list(vocab[list(prefix)])
    for i in range(len(prefix) + num_preds - 1):
        rnn_outputs, state = self.rnn.apply({'params': params['rnn']},
                                            self.one_hot(d2l.tensor([[found[i]]])), state)
        if i >= len(prefix) - 1:
            Y = self.apply({'params': params}, rnn_outputs, method=self.output_layer)
            found.append(int(d2l.argmax(Y, axis=2)[0, 0]))
    return ''.join(vocab.to_tokens(found))


Clipping = type('Clipping', (d2l.Trainer,), {})  # rnn-scratch: it clips as the reader says


@d2l.add_to_class(Clipping)
def clip_gradients(self, grad_clip_val, grads):
    norm = jnp.sqrt(sum((grad**2).sum() for grad in jax.tree.leaves(grads)))
    return jax.tree.map(lambda grad: grad * jnp.minimum(1, grad_clip_val / norm), grads)


class LayerRNN(d2l.Module):
    """rnn-concise: the framework's layer in a module."""
    num_inputs: int
    num_hiddens: int

    @nn.compact
    def __call__(self, inputs, H=None):
        layer = nn.RNN(nn.SimpleCell(self.num_hiddens), **SCANNED)
        return layer(inputs, initial_carry=H)[::-1]


class LayerLM(d2l.RNNLMScratch):
    """rnn-concise: the framework's layer as the head."""

    def setup(self):
        self.linear = nn.Dense(self.vocab_size)

    def output_layer(self, hiddens):
        return d2l.swapaxes(self.linear(hiddens), 0, 1)


class GatedLSTM(Gated):
    """lstm: from scratch."""
    gates, num_states = 'ifgo', 2


class LayerLSTM(d2l.RNN):
    """lstm: the framework's cell in a subclass of RNN, scanned over time."""
    num_inputs: int = 0

    @nn.compact
    def __call__(self, inputs, H_C=None, training=False):
        scanned = nn.scan(nn.OptimizedLSTMCell, variable_broadcast='params', in_axes=0, out_axes=0,
                          split_rngs={'params': False})(self.num_hiddens)
        H, C = H_C or [d2l.zeros((inputs.shape[1], self.num_hiddens))] * 2
        (C, H), outputs = scanned((C, H), inputs)
        return outputs, (H, C)


class GatedGRU(Gated):
    """gru: from scratch."""
    gates, num_states = 'rzn', 1


class LayerGRU(d2l.RNN):
    """gru, deep-rnn and bi-rnn: the framework's cells in a subclass of RNN, scanned over time."""
    num_inputs: int = 0
    bidirectional: bool = False

    @property
    def num_outputs(self):
        return self.num_hiddens * (1 + self.bidirectional)

    @nn.compact
    def __call__(self, inputs, state=None, training=False):
        outputs, state = inputs, list(state or [None] * self.num_layers)
        for i in range(self.num_layers):
            layers = [nn.RNN(nn.GRUCell(self.num_hiddens), **SCANNED)
                      for _ in range(1 + self.bidirectional)]
            layer = nn.Bidirectional(*layers, **SCANNED) if self.bidirectional else layers[0]
            state[i], outputs = layer(outputs, initial_carry=state[i])
        return outputs, state


class Tower(d2l.Module):
    """deep-rnn: layers in a Python list."""
    num_inputs: int
    num_hiddens: int
    num_layers: int
    sigma: float = 0.01

    def setup(self):
        self.rnns = [d2l.RNNScratch(width, self.num_hiddens, self.sigma) for width in
                     [self.num_inputs] + [self.num_hiddens] * (self.num_layers - 1)]


class Kept(d2l.Module):
    """deep-rnn: two layers, kept as the reader likes."""
    num_inputs: int
    num_hiddens: int
    how: str

    def setup(self):
        HOLDERS[self.how](self, [d2l.RNNScratch(width, self.num_hiddens, sigma=0.5)
                                 for width in (self.num_inputs, self.num_hiddens)])


class BothWays(d2l.Module):
    """bi-rnn: two layers, and the width of both; Flax lets no field be doubled."""
    num_inputs: int
    num_hiddens: int
    sigma: float = 0.01

    def setup(self):
        self.f_rnn = d2l.RNNScratch(self.num_inputs, self.num_hiddens, self.sigma)
        self.b_rnn = d2l.RNNScratch(self.num_inputs, self.num_hiddens, self.sigma)

    @property
    def num_outputs(self):
        return 2 * self.num_hiddens

    def forward(self, inputs, Hs=None):
        f_H, b_H = Hs or (None, None)
        f_outputs, f_H = self.f_rnn(inputs, f_H)
        b_outputs, b_H = self.b_rnn(reversed(inputs), b_H)
        return [d2l.concat(pair, -1) for pair in zip(f_outputs, reversed(b_outputs))], (f_H, b_H)


class Line(d2l.Module):
    """A model with a `net` and a loss, and nothing else of its own."""
    lr: float
    start: float = 0

    def setup(self):
        constant = nn.initializers.constant(self.start)
        self.net = nn.Dense(1, kernel_init=constant, bias_init=constant)

    def loss(self, params, X, y, state):
        return d2l.reduce_mean((state.apply_fn({'params': params}, *X) - y)**2) / 2


class Digits(d2l.Classifier):
    """A classifier with a `net` of two layers."""
    num_outputs: int
    lr: float

    def setup(self):
        self.net = nn.Sequential([nn.Dense(4), nn.PReLU(), nn.Dense(self.num_outputs)])


add_layers(d2l, Gated, PlainRNN, GatedLSTM, GatedGRU)
add_models(d2l, Tower, PlainLM)
add_kept(d2l, Kept)


def trained(model, trainer):
    """Return the net that a call of fit has left."""
    return model, trainer.state.params


def parameter(net, path):
    """Return a parameter as an array, by the attributes and list positions that lead to it."""
    name = re.sub(r'/(\d+)', r'_\1', '/'.join(map(str, path)))  # layers of a list have numbers
    return np.array(flatten_dict(net[1], sep='/')[name])


def kept(net):
    """Return the arrays of the layers of Kept, whether the framework knows of them or not."""
    return [np.array(array) for array in jax.tree.leaves(net[1]['rnn'])]


def layer_weights(net):
    """Return the weights of a model on the framework's layers, under the oracle's names."""
    model, params = net
    found = {'W_hq': params['linear']['kernel'], 'b_q': params['linear']['bias']}
    for name, cell in params['rnn'].items():
        i, both = name.rpartition('_')[2], getattr(model.rnn, 'bidirectional', False)
        at = {'0': 'rnn.0.forward', '1': 'rnn.0.backward' if both else 'rnn.1.forward'}[i]
        for key, dense in cell.items():
            kind, gate = key[0].replace('i', 'x'), key[1:] or 'h'
            found[f'{at}.W_{kind}{gate}'] = dense['kernel']
            if 'bias' in dense:
                found[f'{at}.b_{kind if gate == "n" else ""}{gate}'] = dense['bias']
    return {name: np.array(array) for name, array in found.items()}


def continued(net, prefix, num_preds, vocab):
    """Return the prefix continued, in the chapters' words."""
    return net[0].predict(prefix, num_preds, vocab, net[1])


def prepared(model, X, value):
    """Return the net of a model with a `net`, all its parameters set to `value` by apply_init."""
    model = model.clone(start=value)
    return model, model.apply_init([d2l.tensor(X)], key=d2l.get_key())['params']


def outputs(net, X):
    """Return what a model with a `net` makes of the rows of X, as an array."""
    return d2l.numpy(net[0].apply({'params': net[1]}, d2l.tensor(X)))
