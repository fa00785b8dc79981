"""How the tests drive MXNet. `net` is what `build` returns: here the model itself."""
import math

import numpy as np
from mxnet import autograd, gluon, init
from mxnet import np as mnp
from mxnet import npx

from d2lrnn import mxnet as d2l

# Short names of operations that d2l has on other frameworks but not on this one, with the reason.
ABSENT_OPS = {}
# Why this framework cannot tell that a parameter got no gradient; empty where it can.
CANNOT_TELL_UNUSED = ''
# Why RecurrentStack has no `remat` here; empty where it has.
CANNOT_RECOMPUTE = 'MXNet keeps all activations: its recomputation is for symbols only'
# What d2lrnn.mxnet may have for itself, with the reason; see tests/adapters/torch.py.
DIFFERENCES = {
    'module.Module.collect_params': 'Gluon overlooks layers in lists, tuples and dictionaries',
    'module.Module.plot': 'a value must not keep the record of its computation alive',
    'module.Module.get_scratch_params': "d2l's cells call it on MXNet only",
    'module.Module.initialize': 'Gluon gives values to parameters in a step of its own',
    'module.Module.parameters': "d2l's name for what nn.Module of PyTorch has already",
    'rnn.affine': 'the gradient of a bias that is added takes long on MXNet',
    'rnn.tanh': 'mx.np.tanh is slow on the CPU',
    'trainer.has_gradient': 'Gluon keeps a gradient that was used and marks it as old',
    'rnn.sigmoid': 'mx.npx.sigmoid is slow on the CPU',
}


def tensor(array):
    """Return a NumPy array as a tensor of float32 or of indices; what is none, as it is."""
    if not isinstance(array, np.ndarray):
        return array
    return mnp.array(array, dtype=np.float32 if array.dtype.kind == 'f' else np.int32)


def numpy(value):
    """Return a tensor, or the list that stands for one, as a NumPy array."""
    value = mnp.stack(value) if isinstance(value, list) else value
    return value.asnumpy()


def layer(Class, num_inputs, num_hiddens, num_layers=1, dropout=0):
    """Return a high-level layer."""
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
    return numpy(net(tensor(X), state))


def run_block(net, inputs, state=None, train=False):
    """Run the recurrent block; return its outputs as an array, and its state as it is.

    Args:
        train: True runs it as in a training step, with a dropout mask of its own at each call.
    """
    with autograd.train_mode() if train else autograd.predict_mode():
        outputs, state = net.rnn(tensor(inputs), state)
    return numpy(outputs), state


def gradients(net, X, Y):
    """Return the loss and its canonical gradients."""
    with autograd.record():
        loss = net.loss(net(tensor(X)), tensor(Y))
    loss.backward()
    return float(loss), d2l.get_gradients(net)


def num_trained(net):
    """Return how many numbers of the recurrent block the framework trains."""
    return sum(math.prod(p.shape) for p in net.rnn.collect_params().values()
               if p.grad_req != 'null')


def counted_multiply_adds(net, inputs):
    """Return the multiply-adds of the block's matrix products, as the framework counts them.

    Raises:
        NotImplementedError: it cannot count them, with the reason.
    """
    raise NotImplementedError('MXNet 1.9 has no counter of operations')

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
    return gluon.Trainer(model.collect_params(), 'adam', {'learning_rate': lr})


def add_unused(net):
    """Give the net a parameter `unused` that no step uses; not called where CANNOT_TELL_UNUSED."""
    net.unused = net.params.get('unused', shape=(2,), init=init.Zero())
    net.initialize()
    return net


def run_layer(layer, inputs, train=False):
    """Return what a layer without parameters makes of an array, as an array.

    Args:
        train: True runs it as in a training step.
    """
    with autograd.record(train_mode=train):
        return numpy(layer(tensor(inputs)))


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

    def step():
        with autograd.record():
            outputs, _ = block(X)
            outputs = mnp.stack(outputs) if isinstance(outputs, list) else outputs
            loss = mnp.square(outputs).mean()
        loss.backward()
        npx.waitall()

    return step
