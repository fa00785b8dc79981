"""Windows of documents, dealt out to rows."""
import numpy as np
import pytest

from d2lrnn.core.sequential import Partition, document_windows
from d2lrnn.core.text import CHAPTER


def test_windows_stay_inside_their_document():
    X, Y, starts = document_windows([[0, 1, 2, 3, 4], [5, 6], [], [7, 8, 9, 10]], 2)
    assert X.tolist() == [[0, 1], [2, 3], [7, 8]]
    assert Y.tolist() == [[1, 2], [3, 4], [8, 9]]
    assert starts.tolist() == [True, False, True]


def test_no_document_has_no_windows():
    X, Y, starts = document_windows([], 3)
    assert X.shape == Y.shape == (0, 3) and len(starts) == 0


@pytest.mark.parametrize('size, num_batches', [(12, 4), (13, 4), (14, 4), (15, 5), (2, 0),
                                               (99, 5)])
def test_rows_are_runs_of_consecutive_windows(size, num_batches):
    starts = np.zeros(18, dtype=bool)
    starts[[0, 5]] = True
    part = Partition(starts, first=2, size=size, batch_size=3)
    assert part.num_batches == num_batches
    order = part.order.reshape(-1, 3)
    assert (np.diff(order, axis=0) == 1).all()
    assert sorted(part.order) == list(range(2, 2 + 3 * num_batches))
    for batch, resets in zip(order[1:], part.resets[1:]):
        np.testing.assert_array_equal(resets, batch == 5)
    assert part.resets[:1].all()


def test_chapters_begin_with_a_roman_number():
    text = 'Title\n\nI\n\nI went out.\nI\n am here.\nII. The Sea\n\nwaves\nIt is\n'
    assert CHAPTER.split(text) == ['Title\n\n', 'I\n\nI went out.\n', 'I\n am here.\n',
                                   'II. The Sea\n\nwaves\nIt is\n']
