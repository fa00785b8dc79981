"""Gradients by layer and step, and saturated units, against the oracle."""
import numpy as np
import pytest

from tests import reference_stack

from .support import HIDDENS, VOCAB, indices, language_model
from .test_stack import CELLS, labels, named, stack

SCRATCH = [cell for cell in CELLS if cell.endswith('Scratch')]
SOME = [{}, {'layer_norm': True, 'residual': True, 'learn_state': True}]


@pytest.mark.parametrize('how', SOME, ids=named)
@pytest.mark.parametrize('cell', CELLS)
def test_gradient_norms(fw, cell, how):
    net, weights = stack(fw, cell, 3, **how)
    X, Y, residual = indices(2, 4), labels(2, 4), how.get('residual', False)
    norms = fw.gradient_norms(net, X, Y)
    assert isinstance(norms, np.ndarray) and norms.shape == (3, 4) and (norms > 0).all()
    gradient = np.zeros((4, 3, 2, HIDDENS))
    for at in np.ndindex(gradient.shape):
        nudge = np.zeros(gradient.shape, dtype=complex)
        nudge[at] = 1j * reference_stack.STEP
        gradient[at] = reference_stack.loss(weights, X, Y, residual=residual,
                                            nudge=nudge).imag / reference_stack.STEP
    np.testing.assert_allclose(norms, np.sqrt((gradient**2).sum((2, 3))).T, rtol=1e-4)


@pytest.mark.parametrize('limit', [0.3, 0.9])
@pytest.mark.parametrize('cell, layer_norm', [*((cell, False) for cell in SCRATCH),
                                              *((cell, True) for cell in CELLS)])
def test_saturation(fw, cell, layer_norm, limit):
    net, weights = stack(fw, cell, 2, layer_norm=layer_norm)
    X, seen = indices(3, 4), []
    reference_stack.run(weights, np.eye(VOCAB)[X.T], seen=seen)
    found = fw.saturation(net, X, limit)
    assert set(found) == set(seen[0][2])
    for gate, share in found.items():
        expected = np.zeros((2, 4))
        for layer, t, gates in seen:
            value = gates[gate] if gate in 'hngc' else 2 * gates[gate] - 1
            assert abs(abs(value) - limit).min() > 1e-6  # float32 cannot mistake it
            expected[layer, t] = (abs(value) > limit).mean()
        np.testing.assert_allclose(share, expected, atol=1e-7)
    assert any(0 < share.mean() < 1 for share in found.values())


@pytest.mark.parametrize('name', ['StackedRNNScratch', 'GRU'])
def test_what_has_no_layers_to_look_into(fw, name):
    net = fw.build(language_model(fw, name, 2), indices(2, 3))
    X = indices(2, 3)
    with pytest.raises(TypeError, match=f'must have a RecurrentStack.*got {name}; build one'):
        fw.gradient_norms(net, X, X)
    with pytest.raises(TypeError, match=f'must have a RecurrentStack.*got {name}; build one'):
        fw.saturation(net, X)


def test_what_runs_backward_cannot_be_run_step_by_step(fw):
    net, _ = stack(fw, 'GRU', 2, bidirectional=True)
    with pytest.raises(ValueError, match='got bidirectional=True'):
        fw.gradient_norms(net, indices(2, 3), labels(2, 3))


def test_a_layer_that_hides_its_gates(fw):
    net, _ = stack(fw, 'GRU', 2)
    with pytest.raises(TypeError, match="got cell='GRU'; use cell='GRUScratch'"):
        fw.saturation(net, indices(2, 3))


def test_a_limit_out_of_its_range(fw):
    net, _ = stack(fw, 'GRUScratch', 2)
    with pytest.raises(ValueError, match=r'limit must be in \[0, 1\), got 1.5'):
        fw.saturation(net, indices(2, 3), 1.5)
