"""save_weights and load_weights: canonical arrays in, the same model out, on whichever framework.

A file that one framework wrote holds exactly what the oracle computes with, and a model that loads
it computes what the oracle does: so any framework reads what any other wrote.
"""
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from d2lrnn.core.weights import read_metadata
from tests import reference

from .support import (CASES, VALUES, as_float32, decisive, directions, indices, language_model,
                      prepared, random_weights, windows)

pytestmark = pytest.mark.filterwarnings('ignore:The Time Machine is not to be had')
PREFIX = 'it has'


@pytest.fixture(scope='module')
def vocab(d2l, embedded):
    return d2l.TimeMachine(batch_size=4, num_steps=5, num_train=10, num_val=5).vocab


@pytest.mark.parametrize('name, num_layers', CASES)
def test_a_file_goes_from_one_model_to_another(fw, vocab, tmp_path, name, num_layers):
    causal = directions(name) == 1
    weights, text = (decisive(name, num_layers, vocab, PREFIX, 200) if causal else
                     (as_float32(random_weights(name, num_layers, vocab_size=len(vocab))), None))
    size, path = len(vocab), tmp_path / 'model.safetensors'
    net = fw.build(language_model(fw, name, num_layers, vocab_size=size), indices(2, 3))
    fw.save_file(fw.load(net, weights), path)
    written = load_file(path)
    assert set(written) == set(weights)
    for key, value in weights.items():
        np.testing.assert_array_equal(written[key], value, err_msg=key)
    sizes = read_metadata(path)['sizes']
    assert sizes['num_layers'] == num_layers
    assert sizes['vocab_size' if causal else 'num_tags'] == size

    other = fw.load_file(language_model(fw, name, num_layers, vocab_size=size), path)
    X = indices(3, 5)
    np.testing.assert_allclose(fw.scores(other, X), reference.scores(weights, X), **VALUES)
    if causal:
        assert fw.predict(other, PREFIX, 200, vocab) == text


def test_a_model_is_loaded_where_another_was(fw, d2l, tmp_path):
    path, net, weights = tmp_path / 'model', *prepared(fw, 'GRU', 2)
    fw.save_file(net, path)
    other = language_model(fw, 'GRU', 2)
    fw.fit(fw.build(other, indices(2, 3)), d2l.Trainer(max_epochs=1), windows(d2l, 8, 4, 4)[0])
    other = fw.load_file(other, path)  # both of its biases have moved
    for key, value in as_float32(weights).items():
        np.testing.assert_array_equal(fw.weights(other)[key], value, err_msg=key)
    X = indices(3, 5)
    np.testing.assert_allclose(fw.scores(other, X), reference.scores(weights, X), **VALUES)


def test_the_file_names_vocabulary_and_corpus(fw, d2l, vocab, tmp_path):
    data = d2l.TimeMachine(batch_size=4, num_steps=5, num_train=8, num_val=4)
    net = fw.build(language_model(fw, 'GRU', 2, vocab_size=len(vocab)), indices(2, 3))
    fw.save_file(net, tmp_path / 'untrained')
    fw.save_file(net, tmp_path / 'told', data)
    fw.save_file(fw.fit(net, d2l.Trainer(max_epochs=1), data), tmp_path / 'trained')
    assert read_metadata(tmp_path / 'untrained')['vocabulary'] is None
    for name in 'told', 'trained':
        found = read_metadata(tmp_path / name)
        assert found['vocabulary'] == vocab.idx_to_token and found['corpus'] == data.corpus_name
        assert (found['class'], found['rnn']) == ('RNNLM', 'GRU')


def damaged(path, weights, damage):
    """Write a file with one kind of damage; return words of the error."""
    metadata = {'class': 'RNNLM', 'rnn': 'GRU'}
    if damage == 'class':
        save_file(weights, path, {'class': 'RNNLMScratch', 'rnn': 'LSTM'})
        return ['class is RNNLMScratch, expected RNNLM', 'rnn is LSTM, expected GRU']
    if damage == 'arrays':
        wrong = {**weights, 'b_q': weights['b_q'][1:], 'W_zz': weights['b_q']}
        del wrong['rnn.1.forward.W_xr']
        save_file(wrong, path, metadata)
        return ['rnn.1.forward.W_xr is missing', 'W_zz is not a parameter of the model',
                'b_q has the shape (5,), expected (6,)']
    if damage == 'text':
        path.write_text('no weights')
    else:
        save_file(weights, path, metadata)
        path.write_bytes(path.read_bytes()[:-7])
    return ['is not a whole safetensors file']


@pytest.mark.parametrize('damage', ['class', 'arrays', 'text', 'truncated'])
def test_a_file_that_does_not_fit_changes_nothing(fw, d2l, tmp_path, damage):
    net, weights = prepared(fw, 'GRU', 2)
    words = damaged(tmp_path / 'file', as_float32(weights), damage)
    model = net[0] if isinstance(net, tuple) else net
    with pytest.raises(ValueError) as caught:
        fw.load_file(model, tmp_path / 'file')
    assert all(part in str(caught.value) for part in words)
    for key, value in as_float32(weights).items():
        np.testing.assert_array_equal(fw.weights(net)[key], value, err_msg=key)


def test_a_model_that_never_ran_is_usable_after_a_failed_load(fw, d2l, tmp_path):
    model = language_model(fw, 'GRU', 2)
    with pytest.raises(FileNotFoundError):
        fw.load_file(model, tmp_path / 'nothing')
    trainer = d2l.Trainer(max_epochs=2, gradient_clip_val=1)
    trainer.fit(model, windows(d2l, 8, 4, 4)[0])
    assert trainer.history[-1]['train_ppl'] < 10
