"""Which states go on from batch to batch, without a framework."""
from types import SimpleNamespace

import numpy as np
import pytest

from d2lrnn.core.carry import carried_batches, check_carry, layers_that_carry


class Loader(list):
    """Three batches of four rows, of which row 2 starts a document in the second."""
    resets = np.array([[1, 1, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=bool)


def keeps(layers, reset_every=None):
    return [keep.tolist() for _, keep in carried_batches(Loader('abc'), layers, reset_every)]


def test_the_state_goes_on_but_into_a_new_document():
    assert keeps([True]) == [[[0, 0, 0, 0]], [[1, 1, 0, 1]], [[1, 1, 1, 1]]]


def test_layers_one_by_one():
    assert keeps([False, True])[1] == [[0, 0, 0, 0], [1, 1, 0, 1]]


def test_all_start_anew_every_so_many_batches():
    assert keeps([True], 2) == [[[0] * 4], [[1, 1, 0, 1]], [[0] * 4]]
    assert keeps([True], 1) == [[[0] * 4]] * 3


def test_batches_come_as_they_are():
    assert [batch for batch, _ in carried_batches(Loader('abc'), [True])] == ['a', 'b', 'c']


def test_a_loader_that_reports_nothing_is_refused():
    with pytest.raises(ValueError, match='without `resets`; use data that report them'):
        list(carried_batches(['a'], [True]))


def test_layers_of_a_block():
    block = SimpleNamespace(num_layers=2)
    assert layers_that_carry(True, block) == [True, True]
    assert layers_that_carry(False, None) == [False]
    assert layers_that_carry([False, True], block) == [False, True]
    with pytest.raises(ValueError, match='each of the 2 layers of SimpleNamespace, got 1'):
        layers_that_carry([True], block)


@pytest.mark.parametrize('carry, every', [(1, None), ('yes', None), ([True, 0], None),
                                          (False, 2), ([False, False], 2), (True, 1.5)])
def test_wrong_arguments(carry, every):
    with pytest.raises(ValueError, match='carry_state|reset_every'):
        check_carry(carry, every)
