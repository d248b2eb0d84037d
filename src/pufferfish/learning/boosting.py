"""A learner that needs NumPy alone: gradient boosting of small trees on binned features.

Trees of five levels, each fitted to the gradient of the logistic loss by second-order gains
(Friedman 2001; Chen and Guestrin 2016), with categories sorted by their gradient before they are
split (Fisher 1958; Ke et al. 2017). A split is made even where it gains almost nothing: in an
"exclusive or" no column says anything alone, and the gain comes one level further down. A fifth of
the rows decides when to stop.

It is one learner of many. Anybody can find what it finds; another learner may find more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.learning.features import BINS, Feature

__all__ = ["learn_trees"]

IntArray = npt.NDArray[np.int64]
# One row for each feature.
Bins = npt.NDArray[np.uint8]

_DEPTH = 5
_TREES = 60
_RATE = 0.3
_PATIENCE = 10
# One row in this many decides when to stop.
_VALIDATION = 5
# The curvature that both sides of a split must have: that of about 20 rows without a prediction.
_LEAST = 5.0
_RIDGE = 1.0
# Sorted categories can fit anything, so they truly gain less than they seem to.
_RIDGE_CATEGORIES = 10.0


class _Level(NamedTuple):
    """The splits of all nodes of one level: the feature of each, and which of its bins go left."""

    feature: IntArray
    left: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Tree:
    levels: tuple[_Level, ...]
    leaves: FloatArray

    def __call__(self, bins: Bins) -> FloatArray:
        node = np.zeros(bins.shape[1], dtype=np.int64)
        for level in self.levels:
            node = _down(node, level, bins)
        return self.leaves[node]


def _down(node: IntArray, level: _Level, bins: Bins) -> IntArray:
    """The nodes of the next level."""
    at = bins.ravel().take(level.feature[node] * node.size + np.arange(node.size))
    return 2 * node + ~level.left.ravel().take(node * BINS + at)


def learn_trees(
    found: Sequence[Feature],
    train: npt.NDArray[np.bool_],
    target: IntArray,
    *,
    trees: int = _TREES,
    depth: int = _DEPTH,
) -> FloatArray:
    """The log-odds of the second secret for each row that is not in `train`.

    Both secrets count alike, however many rows they have.

    Args:
        found: The features.
        train: The rows to learn from.
        target: 0 or 1 for each row; only that of the rows of `train` is used.
        trees: The largest number of trees.
        depth: The number of levels of each tree.
    """
    bins = np.array([each.bins for each in found], dtype=np.uint8)
    ordered = [each.ordered for each in found]
    rows = np.flatnonzero(train)
    checking = np.arange(rows.size) % _VALIDATION == 0
    fitted, checked, new = rows[~checking], rows[checking], np.flatnonzero(~train)
    known, others = bins[:, fitted], np.ascontiguousarray(bins[:, np.append(checked, new)])
    ones, sign = target[fitted] == 1, 2.0 * target[checked] - 1.0
    share = float((target[rows] == 1).mean())
    weights = np.where(ones, 0.5 / share, 0.5 / (1.0 - share))
    checked_weights = np.where(sign > 0, 0.5 / share, 0.5 / (1.0 - share))
    odds, score = np.zeros(fitted.size), np.zeros(others.shape[1])
    best, best_loss, waited = score, np.inf, 0
    for _ in range(trees):
        chance = 1.0 / (1.0 + np.exp(-odds))
        tree, node = _grown(
            known, ordered, weights * (chance - ones), weights * chance * (1.0 - chance), depth
        )
        odds += tree.leaves[node]
        score = score + tree(others)
        losses = np.logaddexp(0.0, -sign * score[: sign.size])
        loss = float((checked_weights * losses).mean()) if sign.size else 0.0
        if loss < best_loss - 1e-5:
            best, best_loss, waited = score, loss, 0
        else:
            waited += 1
        if waited == _PATIENCE:
            break
    return best[sign.size :]


def _grown(
    bins: Bins, ordered: Sequence[bool], gradient: FloatArray, curvature: FloatArray, depth: int
) -> tuple[_Tree, IntArray]:
    """A tree, and the leaf that each row is in."""
    node = np.zeros(gradient.size, dtype=np.int64)
    levels = []
    for level in range(depth):
        split = _split(bins, ordered, gradient, curvature, node, 2**level)
        node = _down(node, split, bins)
        levels.append(split)
    total = np.bincount(node, gradient, 2**depth)
    leaves = -_RATE * total / (np.bincount(node, curvature, 2**depth) + _RIDGE)
    return _Tree(tuple(levels), leaves), node


def _split(
    bins: Bins,
    ordered: Sequence[bool],
    gradient: FloatArray,
    curvature: FloatArray,
    node: IntArray,
    nodes: int,
) -> _Level:
    """The best split of each node; without a split, all its rows go left."""
    every = np.arange(nodes)
    best = np.full(nodes, -np.inf)
    feature = np.zeros(nodes, dtype=np.int64)
    left = np.ones((nodes, BINS), dtype=bool)
    for number, in_order in enumerate(ordered):
        cell = node * BINS + bins[number]
        slope = np.bincount(cell, gradient, nodes * BINS).reshape(nodes, BINS)
        curve = np.bincount(cell, curvature, nodes * BINS).reshape(nodes, BINS)
        ridge = _RIDGE if in_order else _RIDGE_CATEGORIES
        order = (
            np.broadcast_to(np.arange(BINS), slope.shape)
            if in_order
            else np.argsort(slope / (curve + ridge), axis=1)
        )
        gain = _gains(
            np.cumsum(np.take_along_axis(slope, order, 1), axis=1),
            np.cumsum(np.take_along_axis(curve, order, 1), axis=1),
            ridge,
        )
        at = np.argmax(gain, axis=1)
        better = gain[every, at] > best
        best[better], feature[better] = gain[every, at][better], number
        goes = np.zeros((nodes, BINS), dtype=bool)
        np.put_along_axis(goes, order, np.arange(BINS) <= at[:, None], axis=1)
        left[better] = goes[better]
    return _Level(feature, left)


def _gains(slope: FloatArray, curve: FloatArray, ridge: float) -> FloatArray:
    """The gain of a split after each bin, from sums over all bins up to it."""
    slope_right, curve_right = slope[:, -1:] - slope, curve[:, -1:] - curve
    gain = slope**2 / (curve + ridge) + slope_right**2 / (curve_right + ridge)
    gain -= slope[:, -1:] ** 2 / (curve[:, -1:] + ridge)
    return np.where((curve >= _LEAST) & (curve_right >= _LEAST), gain, -np.inf)
