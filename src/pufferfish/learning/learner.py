"""The learner that measures what rows reveal: scikit-learn's histogram gradient boosting.

It is one learner of many. Anybody can find what it finds; another learner may find more. Bins that
are categories are split as categories; a fifth of the rows decides when to stop, where there are
enough of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pufferfish.core.extras import sklearn, threadpoolctl
from pufferfish.core.validation import FloatArray
from pufferfish.learning.features import Feature

__all__ = ["check_learners", "learned_odds"]

IntArray = npt.NDArray[np.int64]

_TREES = 100
_RATE = 0.2
# With fewer rows of a secret than this, none are set apart to decide when to stop.
_FEW = 50
_TREES_OF_FEW = 20


def learned_odds(
    found: Sequence[Feature],
    train: npt.NDArray[np.bool_],
    target: IntArray,
    *,
    trees: int = _TREES,
    depth: int | None = None,
) -> FloatArray:
    """The log-odds of the second secret for each row that is not in `train`.

    Both secrets count alike, however many rows they have.

    Args:
        found: The features.
        train: The rows to learn from; both secrets are among them.
        target: 0 or 1 for each row; only that of the rows of `train` is used.
        trees: The largest number of trees.
        depth: The number of levels of each tree; None: as its leaves need.
    """
    bins = np.column_stack([each.bins for each in found]).astype(np.float64)
    rows = np.bincount(target[train], minlength=2).min()
    model = sklearn("ensemble").HistGradientBoostingClassifier(
        learning_rate=_RATE,
        max_iter=trees if rows >= _FEW else min(trees, _TREES_OF_FEW),
        max_depth=depth,
        l2_regularization=1.0,
        categorical_features=[not each.ordered for each in found],
        class_weight="balanced",
        early_stopping=bool(rows >= _FEW),
        validation_fraction=0.2,
        random_state=0,
    )
    # One thread: several would wait for each other on a busy machine.
    with threadpoolctl().threadpool_limits(1):
        odds = model.fit(bins[train], target[train]).decision_function(bins[~train])
    return np.asarray(odds, dtype=np.float64)


def check_learners() -> None:
    """Refuse, before any work, if what the learners need is not installed."""
    sklearn("ensemble")
