"""How the tests drive JAX. `net` is what `build` returns: here the model and its parameters."""
import itertools
import os
import sys
import tempfile

if 'pytest' in sys.modules:  # these halve the time of the tests, which compile more than they run
    os.environ['XLA_FLAGS'] = ('--xla_backend_optimization_level=0 '
                               '--xla_cpu_use_fusion_emitters=false '
                               + os.environ.get('XLA_FLAGS', ''))

import jax
import numpy as np
import optax
from jax import numpy as jnp
from jax.extend.core import jaxpr_as_fun

from d2lrnn import jax as d2l
from d2lrnn.jax.trainer import TrainState

# The tests compile the same small programs over and over.
jax.config.update('jax_compilation_cache_dir', tempfile.mkdtemp())
jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)
jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)

_BUILT = itertools.count(1)
SETUP = 'Flax makes parameters and layers in setup'
FROZEN = 'a Flax model is frozen, so that this is a property and no attribute'
NO_PARAMS = 'a Flax model holds no parameters: they are an argument'
NO_MODE = "d2l's convention on JAX: a Flax model has no mode"
NEVER_HAD = "d2l's JAX tabs never had it"
# Short names of operations that d2l has on other frameworks but not on this one, with the reason.
ABSENT_OPS = {name: NEVER_HAD for name in ('batch_matmul', 'normal', 'rand', 'randn', 'size')}
# Why this framework cannot tell that a parameter got no gradient; empty where it can.
CANNOT_TELL_UNUSED = 'JAX gives every parameter a gradient, and zeros where none reached it'
# Why RecurrentStack has no `remat` here; empty where it has.
CANNOT_RECOMPUTE = ''
# What d2lrnn.jax may have for itself, with the reason; see tests/adapters/torch.py.
DIFFERENCES = {
    'module.Module(-plot_train_per_epoch)': "a base's fields come first, so this is an attribute",
    'module.Module(-plot_valid_per_epoch)': "a base's fields come first, so this is an attribute",
    'module.Classifier(-plot_train_per_epoch)': "as in Module: an attribute, as d2l has it",
    'module.Classifier(-plot_valid_per_epoch)': "as in Module: an attribute, as d2l has it",
    'rnn.Recurrent(-plot_train_per_epoch)': "as in Module: an attribute, as d2l has it",
    'rnn.Recurrent(-plot_valid_per_epoch)': "as in Module: an attribute, as d2l has it",
    'module.Module.loss(params)': 'a Flax model holds no parameters: they are arguments',
    'module.Module.loss(X)': 'gradients are of a function of the parameters, forward included',
    'module.Module.loss(Y)': 'gradients are of a function of the parameters, forward included',
    'module.Module.loss(state)': "d2l's convention: it has the model's apply and the dropout key",
    'module.Module.loss(-y_hat)': 'gradients are of a function of the parameters, forward included',
    'module.Module.loss(-y)': 'gradients are of a function of the parameters, forward included',
    'module.Module.training_step(params)': 'a Flax model holds no parameters: they are arguments',
    'module.Module.training_step(state)': "d2l's convention, for loss",
    'module.Module.validation_step(params)': 'a Flax model holds no parameters: they are arguments',
    'module.Module.validation_step(state)': "d2l's convention, for loss",
    'module.Module.check_batch': 'a compiled step cannot raise for a value',
    'module.Module.apply_init(dummy_input)': "d2l's convention on JAX",
    'module.Module.apply_init(key)': 'JAX has no global random state: a key is an argument',
    'module.Module.apply_init(-inputs)': "d2l's convention on JAX has another name",
    'module.Module.apply_init(-init)': 'Flax initializes where a parameter is made',
    'module.Classifier.training_step': 'its loss also returns the statistics of normalization',
    'module.Classifier.loss(params)': 'a Flax model holds no parameters: they are arguments',
    'module.Classifier.loss(X)': 'gradients are of a function of the parameters, forward included',
    'module.Classifier.loss(state)': "d2l's convention: it has the model's apply and dropout key",
    'module.Classifier.loss(-Y_hat)': 'gradients are of a function of the parameters',
    'module.Classifier.accuracy(params)': 'a Flax model holds no parameters: they are arguments',
    'module.Classifier.accuracy(X)': "d2l's convention on JAX, as for loss",
    'module.Classifier.accuracy(state)': "d2l's convention on JAX, as for loss",
    'module.Classifier.accuracy(-Y_hat)': "d2l's convention on JAX, as for loss",
    'module.Classifier.validation_step(params)': 'a Flax model holds no parameters',
    'module.Classifier.validation_step(state)': "d2l's convention, for loss",
    'rnn.RNNScratch.setup': SETUP,
    'rnn.RNN.setup': SETUP,
    'gru.GRUScratch.setup': SETUP,
    'gru.GRU.setup': SETUP,
    'lstm.LSTMScratch.setup': SETUP,
    'lstm.LSTM.setup': SETUP,
    'stacked.StackedRNNScratch.setup': SETUP,
    'birnn.BiRNNScratch.setup': SETUP,
    'birnn.BiRNN.setup': SETUP,
    'birnn.BiGRU.setup': SETUP,
    'birnn.BiLSTM.setup': SETUP,
    'lm.RNNLMScratch.setup': SETUP,
    'layernorm.NormalizedGates.setup': SETUP,
    'layernorm.LayerNormGRU.setup': SETUP,
    'regularize.VariationalDropout.setup': SETUP,
    'regularize.RecurrentStack.setup': SETUP,
    'tagger.Tagger.setup': SETUP,
    'wavefront.WavefrontStack.setup': SETUP,
    'birnn.BiRNNScratch.num_outputs': FROZEN,
    'birnn.BiRNN.num_outputs': FROZEN,
    'birnn.BiGRU.num_outputs': FROZEN,
    'birnn.BiLSTM.num_outputs': FROZEN,
    'gru.GRUCell': 'the cells of Flax have one bias for each of the gates r and z',
    'rnn.RNN.forward(training)': "d2l's convention on JAX: a Flax model has no mode",
    'lstm.LSTM.forward(training)': "d2l's convention on JAX: a Flax model has no mode",
    'lm.RNNLMScratch.check_batch': 'a compiled step cannot raise for a value',
    'lm.RNNLMScratch.predict(params)': 'a Flax model holds no parameters: they are arguments',
    'lm.RNNLMScratch.predict(-device)': 'JAX computes where the parameters are',
    'regularize.VariationalDropout.forward(training)': NO_MODE,
    'regularize.VariationalDropout.mask(training)': NO_MODE,
    'regularize.RecurrentStack.forward(training)': NO_MODE,
    'regularize.RecurrentStack.draw_masks(training)': NO_MODE,
    'regularize.RecurrentStack.run(training)': NO_MODE,
    'tokens.TokenModel(-plot_train_per_epoch)': 'as in Module: an attribute, as d2l has it',
    'tokens.TokenModel(-plot_valid_per_epoch)': 'as in Module: an attribute, as d2l has it',
    'tokens.TokenModel.stream(params)': NO_PARAMS,
    'tokens.TokenModel.carried_step(params)': NO_PARAMS,
    'tokens.TokenModel.carried_step(carried)': "`state` is the trainer's, as d2l has it",
    'tokens.TokenModel.training_step(params)': NO_PARAMS,
    'tokens.TokenModel.training_step(state)': "d2l's convention, for loss",
    'tokens.TokenModel.validation_step(params)': NO_PARAMS,
    'tokens.TokenModel.validation_step(state)': "d2l's convention, for loss",
    'tokens.TokenModel.save_weights(params)': NO_PARAMS,
    'tagger.Tagger.loss(params)': NO_PARAMS,
    'tagger.Tagger.loss(X)': 'gradients are of a function of the parameters, forward included',
    'tagger.Tagger.loss(state)': "d2l's convention: it has the model's apply and dropout key",
    'tagger.Tagger.loss(-Y_hat)': 'gradients are of a function of the parameters',
    'tagger.Tagger.accuracy(params)': NO_PARAMS,
    'tagger.Tagger.accuracy(X)': "d2l's convention on JAX, as for loss",
    'tagger.Tagger.accuracy(state)': "d2l's convention on JAX, as for loss",
    'tagger.Tagger.accuracy(-Y_hat)': "d2l's convention on JAX, as for loss",
    'tagger.Tagger.check_batch': 'a compiled step cannot raise for a value',
    'probes.causality(params)': NO_PARAMS,
    'probes.gradient_norms(params)': NO_PARAMS,
    'probes.saturation(params)': NO_PARAMS,
    'trainer.TrainState': 'what training changes is a value of its own',
    'trainer.Trainer.fit': 'a Flax model holds no parameters to start from: they are an argument',
    'trainer.Trainer.prepare_data': 'a batch is needed for the shapes of the parameters',
    'trainer.Trainer.clip_gradients(grads)': 'JAX changes no array in place',
    'trainer.Trainer.clip_gradients(-model)': 'a Flax model holds no gradients',
    'weights.get_weights(params)': 'a Flax model holds no parameters: they are an argument',
    'weights.get_gradients(grads)': 'a Flax model holds no gradients: they are an argument',
    'weights.set_weights(params)': 'a Flax model holds no parameters: new ones are returned',
}


def tensor(array):
    """Return a NumPy array as a tensor of float32 or of indices; what is none, as it is."""
    if not isinstance(array, np.ndarray):
        return array
    return jnp.array(array, dtype=jnp.float32 if array.dtype.kind == 'f' else jnp.int32)


def numpy(value):
    """Return a tensor, or the list that stands for one, as a NumPy array."""
    return np.array(jnp.stack(value) if isinstance(value, list) else value)


def layer(Class, num_inputs, num_hiddens, num_layers=1, dropout=0):
    """Return a high-level layer."""
    return Class(num_hiddens, num_layers, dropout)


def build(model, X):
    """Give all parameters of a language model their shapes, and return the net."""
    if next(_BUILT) % 100 == 0:
        jax.clear_caches()  # else so many programs stay that the memory maps of a process run out
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
    X = tensor(X)  # a value that the program knows, so that the model can check it
    return numpy(_run(lambda params, state: model.apply({'params': params}, X, state),
                      params, state))


def run_block(net, inputs, state=None, train=False):
    """Run the recurrent block; return its outputs as an array, and its state as it is.

    Args:
        train: True runs it as in a training step, with a dropout mask of its own at each call.
    """
    model, params = net
    outputs, state = _run(
        lambda params, inputs, state, key: model.rnn.apply(
            {'params': params}, inputs, state, rngs={'dropout': key} if train else None),
        params['rnn'], tensor(inputs), state, d2l.get_key())
    return numpy(outputs), state


def gradients(net, X, Y):
    """Return the loss and its canonical gradients."""
    model, params = net
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(1), batch_stats={},
                              dropout_rng=jax.random.key(0))
    (loss, _), grads = _run(lambda params, X, Y: jax.value_and_grad(model.loss, has_aux=True)(
        params, (X,), Y, state), params, tensor(X), tensor(Y))
    return float(loss), d2l.get_gradients(model, grads)


def num_trained(net):
    """Return how many numbers of the recurrent block the framework trains."""
    return sum(p.size for p in jax.tree.leaves(net[1]['rnn']))


def counted_multiply_adds(net, inputs):
    """Return the multiply-adds of the block's matrix products, as the framework counts them.

    Raises:
        NotImplementedError: it cannot count them, with the reason.
    """
    # XLA counts elementwise operations as well. Where all widths double, products grow fourfold,
    # those only twofold: the second difference of three sizes is that of the products alone.
    one, two, three = (_flops(net[0].rnn, inputs.shape, times) for times in (1, 2, 3))
    return (one - 2 * two + three) / 2 / 2  # a multiply-add is two


def _flops(block, shape, times):
    """Return XLA's count for a block whose widths are multiplied."""
    sizes = {name: times * getattr(block, name) for name in ('num_inputs', 'num_hiddens')
             if hasattr(block, name)}
    block = block.clone(**sizes)
    inputs = jax.ShapeDtypeStruct((*shape[:2], times * shape[2]), jnp.float32)
    params = jax.eval_shape(block.init, jax.random.key(0), inputs)
    with jax.disable_jit():  # writes out each step of a scan, of which XLA would count only one
        steps = jax.make_jaxpr(block.apply)(params, inputs)
    program = jax.jit(jaxpr_as_fun(steps)).lower(*jax.tree.leaves((params, inputs)))
    return program.cost_analysis()['flops']


def fit(net, trainer, data):
    """Train from the net's weights on, and return the net as it is afterwards."""
    model, params = net
    trainer.fit(model, data, params)
    return model, trainer.state.params


def predict(net, prefix, num_preds, vocab, **how):
    """Return the continued prefix.

    Args:
        how: temperature, top_k and seed, as `predict` of the model takes them.
    """
    model, params = net
    return model.predict(prefix, num_preds, vocab, params, **how)


def save_file(net, path, data=None):
    """Write the weights to a file."""
    model, params = net
    model.save_weights(path, params, data)


def load_file(model, path):
    """Return the net of a model, which may never have run, with the weights of a file."""
    return model, model.load_weights(path)


def adam(model, lr):
    """Return the framework's own Adam at learning rate `lr`, as configure_optimizers may."""
    return optax.adam(lr)


def add_unused(net):
    """Give the net a parameter `unused` that no step uses; not called where CANNOT_TELL_UNUSED."""
    raise NotImplementedError(CANNOT_TELL_UNUSED)


def _run(function, *args):
    # One program instead of one for each operation: it takes less time, and JAX does not keep it.
    return d2l.compiled(function, *args)(*args)


def run_layer(layer, inputs, train=False):
    """Return what a layer without parameters makes of an array, as an array.

    Args:
        train: True runs it as in a training step.
    """
    return numpy(layer.apply({}, tensor(inputs), rngs={'dropout': d2l.get_key()} if train else {}))


def stream(net, tokens, state=None):
    """Return the iterator over the scores after each token of an iterable."""
    model, params = net
    return model.stream(tokens, params, state)


def causality(net, X):
    """Return which outputs of a model move when an input of X is changed."""
    return d2l.causality(*net, X)


def block_causality(net, inputs):
    """Return the same for the model's recurrent block."""
    model, params = net
    return d2l.causality(model.rnn, params['rnn'], inputs)


def gradient_norms(net, X, Y):
    """Return the norm of the gradient of each layer's and step's state."""
    return d2l.gradient_norms(*net, tensor(X), tensor(Y))


def saturation(net, X, limit=0.9):
    """Return the share of saturated units, by gate."""
    return d2l.saturation(*net, tensor(X), limit)


def step_function(block, inputs):
    """Return a function that runs a block forward and backward once, and waits for the gradient.

    It is compiled where a training step is; what is differentiated is the mean square of the
    outputs.
    """
    X = tensor(inputs)
    params = jax.jit(block.init)(d2l.get_key(), X)

    @jax.jit
    @jax.grad
    def gradient(params):
        return jnp.square(jnp.asarray(block.apply(params, X)[0])).mean()

    return lambda: jax.block_until_ready(gradient(params))
