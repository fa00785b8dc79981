"""A reader's cells on MXNet, in the conventions of d2l's recurrent chapters."""
from contextlib import nullcontext
from functools import reduce

from mxnet import gluon, init, np, npx
from mxnet.gluon import nn, rnn

from d2lrnn import mxnet as d2l

from . import HOLDERS, add_kept, add_layers, add_models, add_steps, flat

npx.set_np()

chosen = nullcontext  # gives the context in which the chapters make their models
# Biases that the framework's layers have twice, and arguments for 100 times 100 random numbers.
TWICE = ('b_h', 'b_i', 'b_f', 'b_g', 'b_o', 'b_r', 'b_z')
RANDOM = {'randn': (100, 100), 'rand': (100, 100), 'normal': (0, 1, (100, 100))}
LAYERS = ['Dense', 'Activation', 'Dense']  # of Digits
NO_HOLDERS = {}  # of HOLDERS, what the framework does not have, with the reason
WARNINGS = {}  # what fit warns of, by chapter
# Gluon's own initial weights, up to 0.07, are so small that layers take long to learn anything.
WIDE = {f'{kind}_weight_initializer': init.Normal(0.5) for kind in ('i2h', 'h2h')}


class Gated(d2l.Module):
    """A layer's parameters, by the gates that a subclass names; an array is a parameter."""

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        for gate in self.gates:
            setattr(self, f'W_x{gate}', d2l.randn(num_inputs, num_hiddens) * sigma)
            setattr(self, f'W_h{gate}', d2l.randn(num_hiddens, num_hiddens) * sigma)
            setattr(self, f'b_{gate}', d2l.zeros(num_hiddens))


class PlainRNN(Gated):
    """rnn-scratch: a recurrent layer."""
    gates, num_states = 'h', 1


class PlainLM(d2l.Classifier):
    """rnn-scratch: a language model that takes nothing from the library's."""

    def __init__(self, rnn, vocab_size, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.W_hq = d2l.randn(rnn.num_hiddens, vocab_size) * rnn.sigma
        self.b_q = d2l.zeros(vocab_size)
        for param in self.get_scratch_params():
            param.attach_grad()

    def one_hot(self, X):
        return npx.one_hot(X.T, self.vocab_size)


Clipping = type('Clipping', (d2l.Trainer,), {})  # rnn-scratch: it clips as the reader says


@d2l.add_to_class(Clipping)
def clip_gradients(self, grad_clip_val, model):
    params = model.parameters()
    if not isinstance(params, list):
        params = [param.data() for param in params.values()]
    norm = np.sqrt(sum((param.grad**2).sum() for param in params))
    for param in params:
        param.grad[:] *= min(1, float(grad_clip_val / norm))


class LayerRNN(d2l.Module):
    """rnn-concise: the framework's layer in a module."""

    def __init__(self, num_inputs, num_hiddens):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = rnn.RNN(num_hiddens, activation='tanh', **WIDE)

    def forward(self, inputs, H=None):
        if H is None:
            H, = self.rnn.begin_state(inputs.shape[1], ctx=inputs.ctx)
        outputs, (H,) = self.rnn(inputs, (H,))
        return outputs, H


class LayerLM(d2l.RNNLMScratch):
    """rnn-concise: the framework's layer as the head."""

    def init_params(self):
        self.linear = nn.Dense(self.vocab_size, flatten=False)
        self.initialize()

    def output_layer(self, hiddens):
        return d2l.swapaxes(self.linear(hiddens), 0, 1)


class GatedLSTM(Gated):
    """lstm: from scratch."""
    gates, num_states = 'ifgo', 2


class LayerLSTM(d2l.RNN):
    """lstm: the framework's layer in a subclass of RNN, which is not initialized."""

    def __init__(self, num_inputs, num_hiddens):
        d2l.Module.__init__(self)
        self.save_hyperparameters()
        self.rnn = rnn.LSTM(num_hiddens, **WIDE)

    def forward(self, inputs, H_C=None):
        if H_C is None:
            H_C = self.rnn.begin_state(inputs.shape[1], ctx=inputs.ctx)
        return self.rnn(inputs, H_C)


class GatedGRU(Gated):
    """gru: from scratch."""
    gates, num_states = 'rzn', 1


class LayerGRU(d2l.RNN):
    """gru, deep-rnn and bi-rnn: the framework's layers; forward is that of RNN."""

    def __init__(self, num_inputs, num_hiddens, num_layers=1, bidirectional=False):
        d2l.Module.__init__(self)
        self.save_hyperparameters()
        self.rnn = rnn.GRU(num_hiddens, num_layers, bidirectional=bidirectional, **WIDE)
        self.num_hiddens *= 1 + bidirectional


class Tower(d2l.Module):
    """deep-rnn: layers in a Python list."""

    def __init__(self, num_inputs, num_hiddens, num_layers, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.rnns = [d2l.RNNScratch(width, num_hiddens, sigma)
                     for width in [num_inputs] + [num_hiddens] * (num_layers - 1)]


class Kept(d2l.Module):
    """deep-rnn: two layers, kept as the reader likes."""

    def __init__(self, num_inputs, num_hiddens, how):
        super().__init__()
        self.save_hyperparameters()
        HOLDERS[how](self, [d2l.RNNScratch(width, num_hiddens, sigma=0.5)
                            for width in (num_inputs, num_hiddens)])


class BothWays(d2l.Module):
    """bi-rnn: two layers, and a width that is doubled once both are made."""

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.f_rnn = d2l.RNNScratch(num_inputs, num_hiddens, sigma)
        self.b_rnn = d2l.RNNScratch(num_inputs, num_hiddens, sigma)
        self.num_hiddens *= 2

    def forward(self, inputs, Hs=None):
        f_H, b_H = Hs or (None, None)
        f_outputs, f_H = self.f_rnn(inputs, f_H)
        b_outputs, b_H = self.b_rnn(reversed(inputs), b_H)
        return [d2l.concat(pair, -1) for pair in zip(f_outputs, reversed(b_outputs))], (f_H, b_H)


class Line(d2l.Module):
    """A model with a `net` and a loss, and nothing else of its own."""

    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Dense(1)

    def loss(self, y_hat, y):
        return d2l.reduce_mean((y_hat - y)**2) / 2


class Digits(d2l.Classifier):
    """A classifier with a `net` of two layers."""

    def __init__(self, num_outputs, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential()
        self.net.add(nn.Dense(4), nn.Activation('tanh'), nn.Dense(num_outputs))
        self.net.initialize()


add_layers(d2l, Gated, PlainRNN, GatedLSTM, GatedGRU)
add_models(d2l, Tower, PlainLM)
add_kept(d2l, Kept)
add_steps(d2l, PlainLM)


def trained(model, trainer):
    """Return the net that a call of fit has left."""
    return model


def parameter(net, path):
    """Return a parameter as an array, by the attributes and list positions that lead to it."""
    found = reduce(lambda at, key: at[key] if isinstance(key, int) else getattr(at, key), path, net)
    return (found.data() if isinstance(found, gluon.Parameter) else found).asnumpy()


def kept(net):
    """Return the arrays of the layers of Kept, whether the framework knows of them or not."""
    return [p.data().asnumpy() for layer in flat(net.rnn.rnns)
            for p in (layer.W_xh, layer.W_hh, layer.b_h)]


def layer_weights(net):
    """Return the weights of a model on the framework's layers, under the oracle's names."""
    return d2l.get_weights(net)


def continued(net, prefix, num_preds, vocab):
    """Return the prefix continued, in the chapters' words."""
    return net.predict(prefix, num_preds, vocab, d2l.try_gpu())


def prepared(model, X, value):
    """Return the net of a model with a `net`, all its parameters set to `value` by apply_init."""
    model.apply_init([d2l.tensor(X)], init.Constant(value))
    model.net.bias.set_data(np.full((1,), value))  # biases keep an initializer of their own
    return model


def outputs(net, X):
    """Return what a model with a `net` makes of the rows of X, as an array."""
    return d2l.numpy(net(d2l.tensor(X)))
