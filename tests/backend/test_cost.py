"""The formulas of d2lrnn.core.cost against what each framework counts by itself."""
import numpy as np
import pytest

from d2lrnn.core.cost import Stack

from .support import CASES, DEEP, HIDDENS, VOCAB, directions, indices, language_model


def stack(name, num_layers):
    """Return the sizes of a block of this name."""
    cell = name.removeprefix('Stacked').removeprefix('Bi')
    return Stack(cell, VOCAB, HIDDENS, num_layers, directions(name))


def built(fw, name, num_layers):
    return fw.build(language_model(fw, name, num_layers), indices(2, 3))


@pytest.mark.parametrize('name, num_layers', CASES)
def test_parameters(fw, name, num_layers):
    assert fw.num_trained(built(fw, name, num_layers)) == stack(name, num_layers).parameters()


@pytest.mark.parametrize('num_steps', [1, 2])
@pytest.mark.parametrize('name, num_layers', DEEP)
def test_multiply_adds(fw, name, num_layers, num_steps):
    try:
        counted = fw.counted_multiply_adds(built(fw, name, num_layers),
                                           np.ones((num_steps, 4, VOCAB)))
    except NotImplementedError as reason:
        pytest.skip(str(reason))
    assert counted == stack(name, num_layers).multiply_adds(num_steps, batch_size=4)
