"""What is causal, what measures it, what refuses it, and streams of tokens."""
import itertools

import numpy as np
import pytest

from tests import reference, reference_stack

from .support import (CASES, DEEP, HIDDENS, VALUES, VOCAB, block, directions,
                      indices, prepared)
from .test_stack import SOME, named, stack

BI = [name for name, _ in DEEP if name.startswith('Bi')]
CAUSAL = [(name, layers) for name, layers in CASES if directions(name) == 1 and layers < 3]


@pytest.mark.parametrize('name, num_layers', DEEP)
def test_what_core_declares_is_what_is_measured(fw, d2l, name, num_layers):
    net, _ = prepared(fw, name, num_layers)
    X = indices(2, 6)
    matrix = fw.causality(net, X)
    causal = directions(name) == 1
    assert matrix.shape == (6, 6) and matrix.dtype == bool
    np.testing.assert_array_equal(matrix, np.tri(6, dtype=bool) if causal else np.ones((6, 6)))
    assert d2l.is_causal(block(fw, name, num_layers)) is causal
    inputs = np.random.default_rng(0).standard_normal((6, 2, VOCAB)).astype(np.float32)
    np.testing.assert_array_equal(fw.block_causality(net, inputs), matrix)


@pytest.mark.parametrize('bidirectional', [False, True])
def test_a_stack_declares_it_by_its_argument(fw, d2l, bidirectional):
    net, _ = stack(fw, 'GRU', 2, bidirectional=bidirectional)
    assert d2l.is_causal(d2l.RecurrentStack(VOCAB, HIDDENS, 2, 'GRU', bidirectional=bidirectional)
                         ) is not bidirectional
    matrix = fw.causality(net, indices(2, 5))
    np.testing.assert_array_equal(matrix, np.ones((5, 5)) if bidirectional else np.tri(5))


@pytest.mark.parametrize('head', ['RNNLM', 'RNNLMScratch'])
@pytest.mark.parametrize('name', [*BI, 'RecurrentStack'])
def test_a_language_model_refuses_what_sees_the_answer(fw, d2l, name, head):
    rnn = (block(fw, name) if name in BI else
           d2l.RecurrentStack(VOCAB, HIDDENS, 2, bidirectional=True))
    with pytest.raises(ValueError, match=f'rnn must be causal for a language model, got {name}.*'
                                         r'depends on x_\{t\+1\}.*or Tagger'):
        getattr(d2l, head)(rnn, VOCAB)


# streams

@pytest.mark.parametrize('name, num_layers', CAUSAL)
def test_a_stream_equals_the_whole_sequence(fw, name, num_layers):
    net, weights = prepared(fw, name, num_layers)
    X = indices(1, 7)
    read = []

    def tokens():
        for token in X[0]:
            read.append(token)
            yield int(token)

    found = fw.stream(net, tokens())
    for t, (scores, expected) in enumerate(zip(found, reference.scores(weights, X)[0])):
        np.testing.assert_allclose(fw.numpy(scores), expected, **VALUES)
        assert len(read) == t + 1  # no token is read before it is needed


@pytest.mark.parametrize('how', [how for how in SOME if not how['bidirectional']], ids=named)
def test_several_sequences_stream_side_by_side(fw, how):
    net, weights = stack(fw, 'LSTM', 2, **how)
    X = indices(3, 5)
    found = [fw.numpy(scores) for scores in fw.stream(net, map(fw.tensor, X.T))]
    np.testing.assert_allclose(np.stack(found, 1), reference_stack.scores(
        weights, X, residual=how['residual']), **VALUES)


def test_a_stream_never_ends(fw):
    net, _ = prepared(fw, 'GRU', 1)
    stream = fw.stream(net, itertools.cycle([1, 2, 3]))
    assert all(fw.numpy(next(stream)).shape == (VOCAB,) for _ in range(100))


def test_a_stream_drops_nothing(fw):
    net, weights = prepared(fw, 'GRU', 2, dropout=0.5)
    X = indices(1, 4)
    found = [fw.numpy(scores) for scores in fw.stream(net, X[0].tolist())]
    np.testing.assert_allclose(found, reference.scores(weights, X)[0], **VALUES)


@pytest.mark.parametrize('name', BI)
def test_what_reads_backward_does_not_stream(fw, name):
    net, _ = prepared(fw, name, 1)
    with pytest.raises(ValueError, match=f'stream needs a causal rnn, got {name}.*all num_steps '
                                         'steps of a sequence must be buffered'):
        fw.stream(net, [1, 2])


@pytest.mark.parametrize('tokens, words', [
    ('it has', "tokens must be an iterable of indices.*got 'it has'; use vocab"),
    (5, 'tokens must be an iterable of indices.*got 5'),
    ([0, 0.7], 'a token must be an index or a tensor of indices, got 0.7'),
    ([None], 'a token must be an index or a tensor of indices, got None')])
def test_no_tokens(fw, tokens, words):
    net, _ = prepared(fw, 'GRU', 1)
    with pytest.raises(TypeError, match=words):
        list(fw.stream(net, tokens))


@pytest.mark.parametrize('token', [-1, VOCAB])
def test_a_token_outside_the_vocabulary(fw, token):
    net, _ = prepared(fw, 'GRU', 1)
    with pytest.raises(ValueError, match=rf'indices must be in \[0, {VOCAB}\), got {token}'):
        list(fw.stream(net, [0, token]))
