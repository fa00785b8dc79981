"""The choice of the next token."""
import numpy as np
import pytest

from d2lrnn.core.sampling import Sampler

SCORES = np.array([0.5, 2.0, -1.0, 1.5, 2.0], dtype=np.float32)


def softmax(scores):
    weights = np.exp(scores)
    return weights / weights.sum()


def drawn(sampler, count=20000):
    return np.bincount([sampler(SCORES) for _ in range(count)], minlength=len(SCORES)) / count


@pytest.mark.parametrize('sampler', [Sampler(), Sampler(temperature=0), Sampler(0, top_k=3),
                                     Sampler(top_k=1), Sampler(temperature=1e-6, top_k=1)])
def test_the_first_of_the_best_tokens(sampler):
    assert {sampler(SCORES) for _ in range(20)} == {1}


@pytest.mark.parametrize('temperature', [0.5, 1, 3])
def test_tokens_come_as_often_as_the_softmax_says(temperature):
    # 5 standard errors of 20000 draws are at most 0.018
    np.testing.assert_allclose(drawn(Sampler(temperature)), softmax(SCORES / temperature),
                               atol=0.018)


def test_only_the_k_best_are_drawn():
    expected = np.zeros(5)
    expected[[1, 3, 4]] = softmax(SCORES[[1, 3, 4]] / 2)
    found = drawn(Sampler(temperature=2, top_k=3))
    np.testing.assert_allclose(found, expected, atol=0.018)
    assert found[0] == found[2] == 0
    np.testing.assert_array_equal(drawn(Sampler(top_k=3), 50), drawn(Sampler(1, 3), 50))


def test_more_than_all_are_all():
    np.testing.assert_array_equal(drawn(Sampler(top_k=100), 50), drawn(Sampler(1), 50))


def test_the_seed_decides():
    texts = [[sampler(SCORES) for _ in range(40)]
             for sampler in (Sampler(1, seed=3), Sampler(1, seed=3), Sampler(1, seed=4))]
    assert texts[0] == texts[1] != texts[2]


def test_huge_scores_do_not_overflow():
    assert Sampler(1)(np.array([1e30, -1e30, 0])) == 0


@pytest.mark.parametrize('temperature', [-0.1, float('nan'), float('inf'), 'hot'])
def test_temperatures(temperature):
    with pytest.raises(ValueError, match='temperature must be a number of at least 0, got '):
        Sampler(temperature)


@pytest.mark.parametrize('top_k', [0, -1, 2.5])
def test_top_k(top_k):
    with pytest.raises(ValueError, match='top_k must be an integer of at least 1, got '):
        Sampler(top_k=top_k)


@pytest.mark.parametrize('bad', [float('nan'), float('inf')])
def test_scores_of_a_diverged_model_are_refused(bad):
    with pytest.raises(ValueError, match='scores must be finite, got .* the training has div'):
        Sampler()(np.array([0, bad]))


def test_the_smallest_temperature_takes_the_best():
    assert {Sampler(5e-324, top_k=1)(SCORES) for _ in range(5)} == {1}
