"""How the tests drive JAX. `net` is what `build` returns: here the model and its parameters."""
import jax
import numpy as np
import optax
from jax import numpy as jnp

from d2lrnn import jax as d2l
from d2lrnn.jax.trainer import TrainState

NEVER_HAD = "d2l's JAX tabs never had it"
# Short names of operations that d2l has on other frameworks but not on this one, with the reason.
ABSENT_OPS = {name: NEVER_HAD for name in ('batch_matmul', 'normal', 'rand', 'randn', 'size')}
# Why this framework cannot tell that a parameter got no gradient; empty where it can.
CANNOT_TELL_UNUSED = 'JAX gives every parameter a gradient, and zeros where none reached it'
FUNCTIONAL = 'JAX passes parameters and state in, and hands new ones back'
FLAX = 'Flax makes parameters and layers in setup; fields stand for a constructor'
FIELDS = "fields of a base class come first, so these are attributes, as in d2l's JAX tabs"
# What d2lrnn.jax may have for itself, with the reason; see tests/adapters/torch.py.
DIFFERENCES = {
    'module.compiled': 'jax.jit recompiles for a function that is new, even with equal code',
    'module.Module(-plot_train_per_epoch)': FIELDS,
}


def tensor(array):
    """Return a NumPy array as a tensor of float32 or of indices."""
    return jnp.array(array, dtype=jnp.float32 if array.dtype.kind == 'f' else jnp.int32)


def numpy(value):
    """Return a tensor, or the list that stands for one, as a NumPy array."""
    return np.array(jnp.stack(value) if isinstance(value, list) else value)


def layer(Class, num_inputs, num_hiddens, num_layers=1, dropout=0):
    """Return a high-level layer."""
    return Class(num_hiddens, num_layers, dropout)


def build(model, X):
    """Give all parameters of a language model their shapes, and return the net."""
    return model, model.init(d2l.get_key(), tensor(X))['params']


def weights(net):
    """Return the canonical weights."""
    return d2l.get_weights(*net)


def load(net, arrays):
    """Return the net with these canonical weights."""
    model, params = net
    return model, d2l.set_weights(model, params, arrays)


def scores(net, X, state=None):
    """Return the scores (batch_size, num_steps, vocab_size) in evaluation mode as an array."""
    model, params = net
    return numpy(model.apply({'params': params}, tensor(X), state))


def run_block(net, inputs, state=None, train=False):
    """Run the recurrent block; return its outputs as an array, and its state as it is.

    Args:
        train: True runs it as in a training step, with a dropout mask of its own at each call.
    """
    model, params = net
    outputs, state = model.rnn.apply({'params': params['rnn']}, tensor(inputs), state,
                                     rngs={'dropout': d2l.get_key()} if train else None)
    return numpy(outputs), state


def gradients(net, X, Y):
    """Return the loss and its canonical gradients."""
    model, params = net
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(1), batch_stats={},
                              dropout_rng=jax.random.key(0))
    (loss, _), grads = jax.value_and_grad(model.loss, has_aux=True)(
        params, (tensor(X),), tensor(Y), state)
    return float(loss), d2l.get_gradients(model, grads)


def fit(net, trainer, data):
    """Train from the net's weights on, and return the net as it is afterwards."""
    model, params = net
    trainer.fit(model, data, params)
    return model, trainer.state.params


def predict(net, prefix, num_preds, vocab):
    """Return the continued prefix."""
    model, params = net
    return model.predict(prefix, num_preds, vocab, params)


def adam(model, lr):
    """Return the framework's own Adam at learning rate `lr`, as configure_optimizers may."""
    return optax.adam(lr)


def add_unused(net):
    """Give the net a parameter `unused` that no step uses; not called where CANNOT_TELL_UNUSED."""
    raise NotImplementedError(CANNOT_TELL_UNUSED)
