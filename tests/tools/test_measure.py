"""The comparison of the frameworks' perplexities."""
import math

import pytest

from tools.measure import differences, initial_weights


def row(backend, train_ppl, val_ppl, moved=8):
    return {'model': 'scratch', 'backend': backend, 'train_ppl': train_ppl, 'val_ppl': val_ppl,
            'moved': moved, 'arrays': 8}


def test_equal_within_a_tenth():
    assert differences([row('a', 5.0, 7.0), row('b', 5.4, 7.6)]) == []


def test_too_far_apart_names_network_and_perplexity():
    fault, = differences([row('a', 5.0, 7.0), row('b', 5.6, 7.6)])
    assert 'scratch train_ppl' in fault and '5.000 to 5.600' in fault


@pytest.mark.parametrize('bad', [math.nan, math.inf])
@pytest.mark.parametrize('first', [True, False])
def test_a_perplexity_that_is_not_finite_is_named(bad, first):
    rows = [row('a', 5.0, 7.0), row('b', bad, 7.0)]
    fault, = differences(rows if first else rows[::-1])
    assert 'scratch train_ppl' in fault and 'not finite' in fault


def test_an_array_that_did_not_move_is_named():
    fault, = differences([row('a', 5.0, 7.0, moved=7)])
    assert 'scratch on a: only 7 of 8' in fault


def test_initial_weights_have_both_networks_and_are_the_same_each_time():
    first, second = initial_weights(), initial_weights()
    assert {name.split()[0] for name in first} == {'scratch', 'GRU'}
    assert all((first[name] == second[name]).all() for name in first)
    assert first['scratch rnn.0.forward.W_xh'].shape == (28, 32)
    assert first['GRU rnn.1.forward.W_xn'].shape == (32, 32)
