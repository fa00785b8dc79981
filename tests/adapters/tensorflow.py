"""How the tests drive TensorFlow. `net` is what `build` returns: here the model itself."""
from d2lrnn import tensorflow as d2l

import math

import numpy as np
import tensorflow as tf

NEVER_HAD = "d2l's TensorFlow tabs never had it"
# Short names of operations that d2l has on other frameworks but not on this one, with the reason.
ABSENT_OPS = {name: NEVER_HAD for name in ('randn', 'swapaxes', 'to')}
# Why this framework cannot tell that a parameter got no gradient; empty where it can.
CANNOT_TELL_UNUSED = ''
# Why RecurrentStack has no `remat` here; empty where it has.
CANNOT_RECOMPUTE = ''
TAPE = 'a tape returns the gradients; a variable does not keep its own'
UNTRACKED = 'Keras 3 does not track tf.Variable'
# What d2lrnn.tensorflow may have for itself, with the reason; see tests/adapters/torch.py.
DIFFERENCES = {
    'module.Module.build': 'Keras calls it before the first call, and warns where it is missing',
    'module.Module.call': 'Keras calls it where PyTorch calls forward',
    'module.Module.trainable_variables': UNTRACKED,
    'module.Module.check_batch': 'a compiled step cannot raise ValueError for a value',
    'module.named_variables': UNTRACKED,
    'module.as_graph': 'tf.function traces again for a function that is new, and warns of it',
    'module.recomputed': 'a gradient function of a loop takes no variables',
    'lm.RNNLMScratch.check_batch': 'a compiled step cannot raise ValueError for a value',
    'regularize.RecurrentStack.run(seed)': 'steps run again must drop the same units again',
    'tagger.Tagger.check_batch': 'a compiled step cannot raise ValueError for a value',
    'tokens.TokenModel.check_batch': 'a compiled step cannot raise ValueError for a value',
    'trainer.Trainer.fit': 'a device is a context, in which everything is made',
    'trainer.Trainer.prepare_data': 'layers get their shapes from a batch, here before training',
    'trainer.Trainer.clip_gradients(-model)': TAPE,
    'trainer.Trainer.clip_gradients(grads)': TAPE,
    'weights.get_gradients(grads)': TAPE,
}


def tensor(array):
    """Return a NumPy array as a tensor of float32 or of indices; what is none, as it is."""
    if not isinstance(array, np.ndarray):
        return array
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
    """Return the scores (batch_size, num_steps, vocab_size) in evaluation mode as an array."""
    net.training = False
    return numpy(net(tensor(X), state))


def run_block(net, inputs, state=None, train=False):
    """Run the recurrent block; return its outputs as an array, and its state as it is.

    Args:
        train: True runs it as in a training step, with a dropout mask of its own at each call.
    """
    outputs, state = net.rnn(tensor(inputs), state, training=train)
    return numpy(outputs), state


def gradients(net, X, Y):
    """Return the loss and its canonical gradients."""
    with tf.GradientTape() as tape:
        loss = net.loss(net(tensor(X)), tensor(Y))
    return float(loss), d2l.get_gradients(net, tape.gradient(loss, net.trainable_variables))


def num_trained(net):
    """Return how many numbers of the recurrent block the framework trains."""
    return sum(math.prod(v.shape) for v in net.rnn.trainable_variables)


def counted_multiply_adds(net, inputs):
    """Return the multiply-adds of the block's matrix products, as the framework counts them.

    Raises:
        NotImplementedError: it cannot count them, with the reason.
    """
    graph = tf.function(net.rnn).get_concrete_function(tensor(inputs)).graph
    if len(inputs) > 1 and any('While' in op.type for op in graph.get_operations()):
        raise NotImplementedError("TensorFlow's profiler counts a loop's body once, however often "
                                  'it runs')
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
    options.update(output='none', show_name_regexes=['MatMul'])  # these alone, not elementwise ones
    counted = tf.compat.v1.profiler.profile(graph, cmd='op', options=options)
    return sum(kind.total_float_ops for kind in counted.children) / 2  # a multiply-add is two


def fit(net, trainer, data):
    """Train from the net's weights on, and return the net as it is afterwards."""
    trainer.fit(net, data)
    return net


def predict(net, prefix, num_preds, vocab, **how):
    """Return the continued prefix.

    Args:
        how: temperature, top_k and seed, as `predict` of the model takes them.
    """
    return net.predict(prefix, num_preds, vocab, **how)


def save_file(net, path, data=None):
    """Write the weights to a file."""
    net.save_weights(path, data)


def load_file(model, path):
    """Return the net of a model, which may never have run, with the weights of a file."""
    model.load_weights(path)
    return model


def adam(model, lr):
    """Return the framework's own Adam at learning rate `lr`, as configure_optimizers may."""
    return tf.keras.optimizers.Adam(lr)


def add_unused(net):
    """Give the net a parameter `unused` that no step uses; not called where CANNOT_TELL_UNUSED."""
    net.unused = tf.Variable(tf.zeros(2))  # Keras takes no variable of its own after the first call
    return net


def run_layer(layer, inputs, train=False):
    """Return what a layer without parameters makes of an array, as an array.

    Args:
        train: True runs it as in a training step.
    """
    return numpy(layer(tensor(inputs), training=train))


def stream(net, tokens, state=None):
    """Return the iterator over the scores after each token of an iterable."""
    return net.stream(tokens, state)


def causality(net, X):
    """Return which outputs of a model move when an input of X is changed."""
    return d2l.causality(net, X)


def block_causality(net, inputs):
    """Return the same for the model's recurrent block."""
    return d2l.causality(net.rnn, inputs)


def gradient_norms(net, X, Y):
    """Return the norm of the gradient of each layer's and step's state."""
    return d2l.gradient_norms(net, tensor(X), tensor(Y))


def saturation(net, X, limit=0.9):
    """Return the share of saturated units, by gate."""
    return d2l.saturation(net, tensor(X), limit)


def step_function(block, inputs):
    """Return a function that runs a block forward and backward once, and waits for the gradient.

    It is compiled where a training step is; what is differentiated is the mean square of the
    outputs.
    """
    X = tensor(inputs)
    block(X[:1])

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.convert_to_tensor(block(X)[0])))
        return tape.gradient(loss, block.trainable_variables)

    return lambda: [grad.numpy() for grad in gradient()]
