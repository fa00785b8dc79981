"""A reader's cells on TensorFlow, in the conventions of d2l's recurrent chapters."""
from functools import reduce

import tensorflow as tf

from d2lrnn import tensorflow as d2l

from . import HOLDERS, add_kept, add_layers, add_models, add_steps, flat

chosen = d2l.try_gpu  # gives the context in which the chapters make their models
# Biases that the framework's layers have twice, and arguments for 100 times 100 random numbers.
TWICE = ('b_r', 'b_z')
RANDOM = {'rand': ((100, 100),), 'normal': ((100, 100),)}
LAYERS = ['Dense', 'Activation', 'Dense']  # of Digits
NO_HOLDERS = {}  # of HOLDERS, what the framework does not have, with the reason
# What fit warns of, by chapter: here loops over tensors, as all of d2l's layers have them.
WARNINGS = dict.fromkeys(('rnn-scratch', 'lstm', 'gru', 'bi-rnn'), 'eagerly')
SEQUENCES = {'return_sequences': True, 'return_state': True}


class Gated(d2l.Module):
    """A layer's parameters, by the gates that a subclass names."""

    def __init__(self, num_inputs, num_hiddens, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        for gate in self.gates:
            setattr(self, f'W_x{gate}', tf.Variable(d2l.normal((num_inputs, num_hiddens)) * sigma))
            setattr(self, f'W_h{gate}', tf.Variable(d2l.normal((num_hiddens, num_hiddens)) * sigma))
            setattr(self, f'b_{gate}', tf.Variable(d2l.zeros(num_hiddens)))


class PlainRNN(Gated):
    """rnn-scratch: a recurrent layer."""
    gates, num_states = 'h', 1


class PlainLM(d2l.Classifier):
    """rnn-scratch: a language model that takes nothing from the library's."""

    def __init__(self, rnn, vocab_size, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.W_hq = tf.Variable(d2l.normal((rnn.num_hiddens, vocab_size)) * rnn.sigma)
        self.b_q = tf.Variable(d2l.zeros(vocab_size))

    def one_hot(self, X):
        return tf.one_hot(tf.transpose(X), self.vocab_size)


Clipping = type('Clipping', (d2l.Trainer,), {})  # rnn-scratch: it clips as the reader says


@d2l.add_to_class(Clipping)
def clip_gradients(self, grad_clip_val, grads):
    norm = tf.sqrt(sum(d2l.reduce_sum(grad**2) for grad in grads))
    return [grad * tf.minimum(1., grad_clip_val / norm) for grad in grads]


class LayerRNN(d2l.Module):
    """rnn-concise: the framework's layer in a module."""

    def __init__(self, num_inputs, num_hiddens):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = tf.keras.layers.SimpleRNN(num_hiddens, **SEQUENCES)

    def forward(self, inputs, H=None):
        outputs, H = self.rnn(d2l.transpose(inputs, (1, 0, 2)), initial_state=H)
        return d2l.transpose(outputs, (1, 0, 2)), H


class LayerLM(d2l.RNNLMScratch):
    """rnn-concise: the framework's layer as the head."""

    def init_params(self):
        self.linear = tf.keras.layers.Dense(self.vocab_size)

    def output_layer(self, hiddens):
        return d2l.transpose(self.linear(hiddens), (1, 0, 2))


class GatedLSTM(Gated):
    """lstm: from scratch."""
    gates, num_states = 'ifgo', 2


class LayerLSTM(d2l.RNN):
    """lstm: the framework's layer in a subclass of RNN, which is not initialized."""

    def __init__(self, num_inputs, num_hiddens):
        d2l.Module.__init__(self)
        self.save_hyperparameters()
        self.rnn = tf.keras.layers.LSTM(num_hiddens, **SEQUENCES)

    def forward(self, inputs, H_C=None):
        outputs, *H_C = self.rnn(d2l.transpose(inputs, (1, 0, 2)), initial_state=H_C)
        return d2l.transpose(outputs, (1, 0, 2)), H_C


class GatedGRU(Gated):
    """gru: from scratch."""
    gates, num_states = 'rzn', 1


class LayerGRU(d2l.RNN):
    """gru, deep-rnn and bi-rnn: the framework's layers; forward is that of RNN."""

    def __init__(self, num_inputs, num_hiddens, num_layers=1, bidirectional=False):
        d2l.Module.__init__(self)
        self.save_hyperparameters()
        cells = [tf.keras.layers.GRUCell(num_hiddens) for _ in range(num_layers)]
        self.rnn = tf.keras.layers.RNN(cells, **SEQUENCES)
        if bidirectional:
            self.rnn = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(num_hiddens, **SEQUENCES))
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
        self.net = tf.keras.layers.Dense(1)

    def loss(self, y_hat, y):
        return d2l.reduce_mean((y_hat - y)**2) / 2


class Digits(d2l.Classifier):
    """A classifier with a `net` of two layers."""

    def __init__(self, num_outputs, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = tf.keras.Sequential([tf.keras.layers.Dense(4),
                                        tf.keras.layers.Activation('tanh'),
                                        tf.keras.layers.Dense(num_outputs)])


add_layers(d2l, Gated, PlainRNN, GatedLSTM, GatedGRU)
add_models(d2l, Tower, PlainLM)
add_kept(d2l, Kept)
add_steps(d2l, PlainLM)


def trained(model, trainer):
    """Return the net that a call of fit has left."""
    return model


def parameter(net, path):
    """Return a parameter as an array, by the attributes and list positions that lead to it."""
    return reduce(lambda at, key: at[key] if isinstance(key, int) else getattr(at, key), path,
                  net).numpy()


def kept(net):
    """Return the arrays of the layers of Kept, whether the framework knows of them or not."""
    return [v.numpy() for layer in flat(net.rnn.rnns) for v in (layer.W_xh, layer.W_hh, layer.b_h)]


def layer_weights(net):
    """Return the weights of a model on the framework's layers, under the oracle's names."""
    return d2l.get_weights(net)


def continued(net, prefix, num_preds, vocab):
    """Return the prefix continued, in the chapters' words."""
    return net.predict(prefix, num_preds, vocab)


def prepared(model, X, value):
    """Return the net of a model with a `net`, all its parameters set to `value` by apply_init."""
    model.apply_init([d2l.tensor(X)], lambda layer: [v.assign(tf.fill(v.shape, value))
                                                     for v in layer.weights])
    return model


def outputs(net, X):
    """Return what a model with a `net` makes of the rows of X, as an array."""
    return d2l.numpy(net(d2l.tensor(X)))
