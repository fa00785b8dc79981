"""How the tests drive TensorFlow. `net` is what `build` returns: here the model itself."""
from d2lrnn import tensorflow as d2l

import tensorflow as tf


def tensor(array):
    """Return a NumPy array as a tensor of float32 or of indices."""
    return tf.constant(array, dtype=tf.float32 if array.dtype.kind == 'f' else tf.int32)


def numpy(value):
    """Return a tensor, or the list that stands for one, as a NumPy array."""
    return tf.convert_to_tensor(value).numpy()


def layer(Class, num_inputs, num_hiddens, num_layers=1, dropout=0):
    """Return a high-level layer; Keras takes `num_inputs` from the first batch."""
    return Class(num_hiddens, num_layers, dropout)


def build(model, X):
    """Give all parameters of a language model their shapes, and return the net."""
    model(tensor(X))
    return model


def weights(net):
    """Return the canonical weights."""
    return d2l.get_weights(net)


def load(net, arrays):
    """Return the net with these canonical weights."""
    d2l.set_weights(net, arrays)
    return net


def scores(net, X, state=None):
    """Return the scores (batch_size, num_steps, vocab_size) as an array."""
    return numpy(net(tensor(X), state))


def run_block(net, inputs, state=None):
    """Run the recurrent block; return its outputs as an array, and its state as it is."""
    outputs, state = net.rnn(tensor(inputs), state)
    return numpy(outputs), state


def gradients(net, X, Y):
    """Return the loss and its canonical gradients."""
    with tf.GradientTape() as tape:
        loss = net.loss(net(tensor(X)), tensor(Y))
    return float(loss), d2l.get_gradients(net, tape.gradient(loss, net.trainable_variables))


def fit(net, trainer, data):
    """Train, and return the net as it is afterwards."""
    trainer.fit(net, data)
    return net


def predict(net, prefix, num_preds, vocab):
    """Return the continued prefix."""
    return net.predict(prefix, num_preds, vocab)
