"""What is declared causal, and dependencies measured on functions whose answer is known."""
import numpy as np
import pytest

from d2lrnn.core.causality import (CAUSAL, check_causal, check_streaming, dependencies, is_causal)
from d2lrnn.core.weights import BLOCKS


class GRU:
    """A class of that name, as every backend has one."""


class BiGRU(GRU):
    pass


def test_every_block_is_declared():
    assert set(CAUSAL) == set(BLOCKS)
    assert {name for name, causal in CAUSAL.items() if not causal} == {
        'BiRNNScratch', 'BiRNN', 'BiGRU', 'BiLSTM'}


def test_the_nearest_class_counts_and_an_attribute_before_it():
    mine = type('Mine', (BiGRU,), {})
    assert is_causal(GRU()) and not is_causal(BiGRU()) and not is_causal(mine())
    assert is_causal(type('Unknown', (), {})())
    backward = GRU()
    backward.causal = False
    assert not is_causal(backward)
    frameworks = GRU()  # a framework's own layer may have that name
    frameworks.bidirectional = True
    assert not is_causal(frameworks)


def test_refusals_say_why():
    for check in (lambda: check_causal(BiGRU(), 'predict'), lambda: check_streaming(BiGRU())):
        with pytest.raises(ValueError, match='BiGRU, which reads in both directions'):
            check()
    check_causal(GRU(), 'predict')
    check_streaming(GRU())


@pytest.mark.parametrize('reach', [(0,), (0, -1), (1,), (-2, 2)])
def test_dependencies_of_a_known_function(reach):
    """Output i is the product of the inputs at i + k for k in `reach`, around the end."""
    X = np.arange(1.0, 13).reshape(2, 6)
    matrix = dependencies(lambda X: np.prod([np.roll(X, -k, 1) for k in reach], 0)[..., None],
                          X, X + 1)
    expected = np.zeros((6, 6), dtype=bool)
    for i in range(6):
        expected[i, [(i + k) % 6 for k in reach]] = True
    np.testing.assert_array_equal(matrix, expected)


def test_what_cannot_be_measured_is_said():
    X = np.ones((2, 3))
    with pytest.raises(ValueError, match='every input can be changed'):
        dependencies(lambda X: X[..., None], X, X)
    with pytest.raises(ValueError, match='outputs for X must be finite'):
        dependencies(lambda X: X[..., None] + np.nan, X, X + 1)
