"""Columns as numbers for learners: what each row has must be seen in it."""

from __future__ import annotations

import numpy as np

from pufferfish.learning.matrix import labels_matrix, matrix


def test_labels_that_are_numbers_are_in_order_and_categories() -> None:
    found = labels_matrix(np.array([0, 1, -1, 1, 2]), [30, 10, 20])
    # The number first, that of the middle where there is none; then a column for each label.
    assert found[:, 0].tolist() == [30.0, 10.0, 20.0, 10.0, 20.0]
    assert found[:, 1:].sum(axis=1).tolist() == [1.0] * 5
    assert len(np.unique(found, axis=0)) == 4


def test_labels_that_are_texts_are_told_apart() -> None:
    found = labels_matrix(np.array([0, 1, -1, 0]), ["1a", "b"])
    assert len(np.unique(found, axis=0)) == 3
    assert found[0].tolist() == found[3].tolist()


def test_the_most_common_labels_have_a_column() -> None:
    codes = np.concatenate([np.arange(100), np.arange(90, 100)])
    found = labels_matrix(codes, [f"k{each}" for each in range(100)])
    assert found.shape == (110, 65)
    # Those that occur twice are among them.
    assert (found[90:, 1:].sum(axis=1) == 1.0).all()
    # Beyond, the place in the order is left.
    assert len(np.unique(found, axis=0)) == 100


def test_cells_of_any_kind() -> None:
    found = matrix({"n": [1.0, None, 3.0], "t": ["x", "y", "x"]}, 3)
    assert found.tolist() == [[1.0, 0.0, 1.0, 0.0], [2.0, 1.0, 0.0, 1.0], [3.0, 0.0, 1.0, 0.0]]
    assert matrix({}, 3).shape == (3, 0)
