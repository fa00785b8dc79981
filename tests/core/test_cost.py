"""Cost against brute force: what the oracle multiplies and keeps, longest paths of cells."""
import functools
import itertools

import numpy as np
import pytest

from d2lrnn.core.cost import CELLS, Cell, Stack, schedule
from tests import reference

INPUTS, HIDDENS = 4, 3
STACKS = list(itertools.product(CELLS, [1, 2, 3], [1, 2]))
SIZES = [1, 2, 3, 5]


def oracle(cell, num_layers, directions):
    """Return the oracle's weights of a stack without an output layer."""
    weights = reference.random_weights(np.random.default_rng(0), reference.CELLS[cell], INPUTS,
                                       HIDDENS, num_layers, 1, directions=directions)
    return {name: value for name, value in weights.items() if name.startswith('rnn.')}


def random_inputs(num_steps, batch_size):
    return np.random.default_rng(1).standard_normal((num_steps, batch_size, INPUTS))


class Counting(np.ndarray):
    """A weight that counts what it is multiplied by."""
    total = 0

    def __rmatmul__(self, X):
        Counting.total += X.shape[0] * self.shape[0] * self.shape[1]
        return X @ np.asarray(self)


@pytest.mark.parametrize('cell, num_layers, directions', STACKS)
def test_parameters(cell, num_layers, directions):
    weights = oracle(cell, num_layers, directions)
    expected = sum(reference.copies(name, weights) * value.size for name, value in weights.items())
    assert Stack(cell, INPUTS, HIDDENS, num_layers, directions).parameters() == expected


@pytest.mark.parametrize('num_steps, batch_size', [(1, 1), (5, 2)])
@pytest.mark.parametrize('cell, num_layers, directions', STACKS)
def test_multiply_adds(monkeypatch, cell, num_layers, directions, num_steps, batch_size):
    monkeypatch.setattr(Counting, 'total', 0)
    weights = {name: value.view(Counting) if '.W_' in name else value
               for name, value in oracle(cell, num_layers, directions).items()}
    reference.run(weights, random_inputs(num_steps, batch_size))
    stack = Stack(cell, INPUTS, HIDDENS, num_layers, directions)
    assert stack.multiply_adds(num_steps, batch_size) == Counting.total


@pytest.mark.parametrize('cell, num_layers, directions', STACKS)
def test_activations(cell, num_layers, directions):
    weights, inputs = oracle(cell, num_layers, directions), random_inputs(5, 2)
    start = np.random.default_rng(2).standard_normal(reference.zeros(weights, 2).shape)
    outputs, end, caches = reference.run(weights, inputs, start)
    steps = [kept for cache in caches for kept in cache]
    arrays = [outputs, end, *(array for kept in steps for array in kept)]
    if cell == 'GRUScratch':  # the oracle multiplies R and H of the step before once more
        arrays += [R * S[0] for _, S, R, _, _ in steps]
    # All are random, so that numbers are equal only where they are the same.
    held = set(np.concatenate([array.ravel() for array in arrays])) - set(start.ravel())
    assert Stack(cell, INPUTS, HIDDENS, num_layers, directions).activations(5, 2) == len(held)


@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('cell', CELLS)
def test_each_layer_its_width(cell, directions):
    whole = Stack(cell, 4, [7, 2, 5], directions=directions)
    layers = [Stack(cell, num_inputs, num_hiddens, directions=directions) for num_inputs,
              num_hiddens in [(4, 7), (7 * directions, 2), (2 * directions, 5)]]
    assert whole.num_layers == 3
    assert whole.parameters() == sum(layer.parameters() for layer in layers)
    assert whole.multiply_adds(3, 2) == sum(layer.multiply_adds(3, 2) for layer in layers)
    again = 3 * 2 * (layers[1].num_inputs + layers[2].num_inputs)  # outputs of the layer below
    assert whole.activations(3, 2) == sum(layer.activations(3, 2) for layer in layers) - again
    assert Stack(cell, 4, [6, 6], 2).parameters() == Stack(cell, 4, 6, 2).parameters()


def test_half_the_width_in_two_directions_takes_fewer_parameters():
    n, d = 10, 8
    both, one = Stack('RNN', n, d // 2, directions=2), Stack('RNN', n, d)
    assert both.parameters() == d * (n + d // 2) + d < one.parameters() == d * (n + d) + d


def test_integers_of_numpy_do_not_overflow():
    size = np.int32(50_000)
    assert Stack('RNN', size, [size]).parameters() == Stack('RNN', 50_000, 50_000).parameters()
    expected = Stack('RNN', 2, 3).activations(50_000, 50_000)
    assert Stack('RNN', 2, 3).activations(size, size) == expected > 2**32
    assert Stack('RNN', 2, 3).multiply_adds(size, size) > 2**32


def waits_for(cell, num_steps, joined):
    """Return the cells that a cell reads.

    Args:
        joined: whether it reads both directions of the layer below.
    """
    layer, step, direction = cell
    before = step - 1 if direction == 'forward' else step + 1
    found = [Cell(layer, before, direction)] if 0 <= before < num_steps else []
    if layer > 0:
        found += [Cell(layer - 1, step, other) for other in ('forward', 'backward')
                  if joined or other == direction]
    return found


@pytest.mark.parametrize('directions, concatenate', [(1, True), (1, False), (2, True), (2, False)])
@pytest.mark.parametrize('num_layers', SIZES)
@pytest.mark.parametrize('num_steps', SIZES)
def test_schedule(num_steps, num_layers, directions, concatenate):
    serial = schedule(num_steps, num_layers, directions, concatenate)
    number = {cell: i for i, cells in enumerate(serial) for cell in cells}
    every = [Cell(*cell) for cell in itertools.product(
        range(num_layers), range(num_steps), ('forward', 'backward')[:directions])]
    assert sorted(number) == sorted(every)
    assert sum(map(len, serial)) == len(every)  # none twice
    joined = directions == 2 and concatenate

    @functools.cache
    def longest(cell):
        return 1 + max(map(longest, waits_for(cell, num_steps, joined)), default=0)

    for cell in every:
        assert all(number[other] < number[cell] for other in waits_for(cell, num_steps, joined))
        assert number[cell] == longest(cell) - 1  # as early as can be
    assert len(serial) == max(map(longest, every))
    assert len(serial) == (num_layers * num_steps if joined else num_steps + num_layers - 1)
    if concatenate:
        stack = Stack('GRU', 2, 3, num_layers, directions)
        assert stack.critical_path(num_steps) == len(serial)


@pytest.mark.parametrize('arguments, message', [
    ({'cell': 'BiGRU'}, "cell must be one of RNNScratch, .*, LSTM, got 'BiGRU'; depth and"),
    ({'cell': ['GRU']}, r"cell must be one of .*, got \['GRU'\]"),
    ({'num_inputs': 0}, 'num_inputs must be an integer of at least 1, got 0'),
    ({'num_hiddens': 2.0}, 'num_hiddens must be an integer of at least 1, got 2.0'),
    ({'num_hiddens': []}, r'num_hiddens must be an integer or a list with a width .*, got \[\]'),
    ({'num_hiddens': [3, 0]}, r'num_hiddens\[1\] must be an integer of at least 1, got 0'),
    ({'num_hiddens': [3, 4], 'num_layers': 3},
     'num_layers must be left out or 2, as num_hiddens has 2 widths, got 3'),
    ({'num_layers': 0}, 'num_layers must be an integer of at least 1, got 0'),
    ({'directions': 3}, 'directions must be 1 or 2, got 3'),
    ({'directions': True}, 'directions must be 1 or 2, got True')])
def test_stacks_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        Stack(**{'cell': 'GRU', 'num_inputs': 2, 'num_hiddens': 3, **arguments})


def test_sequences_that_cannot_be():
    stack = Stack('GRU', 2, 3)
    for wrong in (lambda size: stack.multiply_adds(num_steps=size),
                  lambda size: stack.activations(size, 1), lambda size: stack.critical_path(size),
                  lambda size: schedule(size, 1)):
        with pytest.raises(ValueError, match='num_steps must be an integer of at least 1, got 0'):
            wrong(0)
    for wrong in lambda: stack.multiply_adds(2, -1), lambda: stack.activations(2, -1):
        with pytest.raises(ValueError, match='batch_size must be an integer of at least 1, got -1'):
            wrong()
    with pytest.raises(ValueError, match='num_layers must be an integer of at least 1, got 0'):
        schedule(2, 0)
    with pytest.raises(ValueError, match="directions must be 1 or 2, got 'both'"):
        schedule(2, 1, 'both')
