"""What the probes of all backends share."""
import numpy as np

from d2lrnn.core.probing import changed, saturated


def test_every_input_is_changed():
    X = np.array([[0, 1, 2]])
    assert changed(X, 3).tolist() == [[1, 2, 0]]
    assert (changed(X.astype(float)) != X).all()


def test_saturation_counts_from_either_bound():
    gate, tanh = np.array([[0.04, 0.5, 0.96, 0.9]]), np.array([[-0.96, 0.5, 0.96, 0.8]])
    seen = [[gate, tanh]] * 3 + [[0 * gate + 0.5, 0 * tanh]]  # two layers, two steps
    found = saturated('zn', seen, num_layers=2, limit=0.9)
    assert found['z'].tolist() == [[0.5, 0.5], [0.5, 0]]
    assert found['n'].tolist() == [[0.5, 0.5], [0.5, 0]]
