"""How the tests drive MXNet. `net` is what `build` returns: here the model itself."""
import numpy as np
from mxnet import autograd, gluon, init
from mxnet import np as mnp

from d2lrnn import mxnet as d2l

# Short names of operations that d2l has on other frameworks but not on this one, with the reason.
ABSENT_OPS = {}
# Why this framework cannot tell that a parameter got no gradient; empty where it can.
CANNOT_TELL_UNUSED = ''
# What d2lrnn.mxnet may have for itself, with the reason; see tests/adapters/torch.py.
DIFFERENCES = {
    'module.Module.collect_params': 'Gluon overlooks layers in lists, tuples and dictionaries',
    'module.Module.plot': 'a value must not keep the record of its computation alive',
    'module.Module.get_scratch_params': "d2l's cells call it on MXNet only",
    'module.Module.initialize': 'Gluon gives values to parameters in a step of its own',
    'module.Module.parameters': "d2l's name for what nn.Module of PyTorch has already",
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
