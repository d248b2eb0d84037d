"""Standard learners: how well they tell two secrets apart from what they see of each row.

Two secrets, each counted as half of the rows, so that a guess is right in 50% of cases; every
prediction is made by a model that has not seen its row (five folds).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.audits.draws import generator
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.core.errors import DataError
from pufferfish.core.extras import sklearn, threadpoolctl
from pufferfish.core.validation import FloatArray, require
from pufferfish.insight.guesses import Success
from pufferfish.tables.batch import Coded
from pufferfish.words.numbers import percent_up, thousandths_up
from pufferfish.words.phrases import pair_in_words

__all__ = [
    "INTERVALS",
    "Learned",
    "Score",
    "beyond",
    "chosen_rows",
    "classes_of",
    "learn",
    "learned_in_words",
    "limit_in_words",
    "limit_to_dict",
    "number_features",
    "refuse_shuffled",
    "told_apart",
]

# The words after each figure, and what it is compared with.
INTERVALS = "(95% intervals; 50% by chance)"

_FOLDS = 5
# More rows would make the intervals narrower than needed, and the learners slow.
_MOST_ROWS = 200_000
_FEWEST_ROWS = 50
_Z = 1.959963984540054
# Exceeding the limit by this many standard errors is not chance.
_BEYOND = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well the secret was predicted, with standard errors.

    Attributes:
        accuracy: How often the prediction is right, with equal weight for both secrets.
        accuracy_error: Its standard error.
        auc: How often a row of the first secret scores higher than a row of the second.
        auc_error: Its standard error (Hanley and McNeil 1982).
    """

    accuracy: float
    accuracy_error: float
    auc: float
    auc_error: float

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.1%} ± {100 * _Z * self.accuracy_error:.1f} right, "
            f"AUC {self.auc:.3f} ± {_Z * self.auc_error:.3f}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """One learner, from the true column and from the published one."""

    learner: str
    before: Score
    after: Score


def refuse_shuffled(shuffled: bool, drawn: str) -> None:
    """Refuse released rows in random order; `drawn` names what is drawn afresh without them."""
    require(
        not shuffled,
        "the rows were published in random order, so nobody can say which released row belongs "
        f"to which row of the table: leave out the released rows (--released), and {drawn} drawn "
        "afresh.",
    )


def classes_of(secret: Coded, pair: SecretPair) -> npt.NDArray[np.int64]:
    """0 and 1 for rows with the secrets of a pair, −1 for others."""
    of_label = [pair.index(label) if label in pair else -1 for label in secret.labels]
    return np.array([*of_label, -1], dtype=np.int64)[secret.codes]


def chosen_rows(classes: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """The rows of a pair that learners see: all, unless there are very many.

    Raises:
        DataError: One of the two secrets has too few rows.
    """
    counts = np.bincount(classes, minlength=2)
    if counts.min() < _FEWEST_ROWS:
        raise DataError(
            f"learners need at least {_FEWEST_ROWS} rows of each secret of the deciding pair."
        )
    if classes.size <= _MOST_ROWS:
        return np.arange(classes.size)
    return np.sort(generator(seed).choice(classes.size, _MOST_ROWS, replace=False))


def learn(
    before: FloatArray, after: FloatArray, target: npt.NDArray[np.int64], seed: int
) -> tuple[Learned, ...]:
    """What each learner achieves from the rows as they are, and as published.

    Args:
        before: What is seen of each row before the release.
        after: What is seen of it after the release.
        target: Which of the two secrets it has.
        seed: The seed of the folds, and of learners that use randomness.
    """
    return tuple(
        Learned(
            learner=name,
            before=_score(model, before, target, seed),
            after=_score(model, after, target, seed),
        )
        for name, model in _learners(seed)
    )


def number_features(column: FloatArray) -> FloatArray:
    """What a learner sees of numbers: the value, and whether it is missing."""
    holes = np.isnan(column)
    if not holes.any():
        return column[:, None]
    middle = 0.0 if holes.all() else float(column[~holes].mean())
    return np.column_stack([np.where(holes, middle, column), holes])


def beyond(learned: Iterable[Learned], limit: Success) -> bool:
    """Whether a learner does better than an adversary with this limit could, beyond chance."""
    return any(
        after.accuracy - _BEYOND * after.accuracy_error > limit.accuracy_upper
        or after.auc - _BEYOND * after.auc_error > limit.auc_upper
        for after in (each.after for each in learned)
    )


def told_apart(pair: SecretPair) -> str:
    """The heading of the figures."""
    return f"How well {pair_in_words(pair)} are told apart"


def learned_in_words(learned: Iterable[Learned]) -> list[str]:
    """Two lines for each learner."""
    lines = []
    for each in learned:
        lines.append(f"- {each.learner}: from the true values {each.before}")
        lines.append(f"  from the published values {each.after}")
    return lines


def limit_in_words(reached: Success) -> str:
    """How well an adversary does, at most."""
    accuracy = percent_up(reached.accuracy_upper)
    return f"{accuracy} right, AUC {thousandths_up(reached.auc_upper)}"


def limit_to_dict(reached: Success) -> dict[str, float]:
    """Plain data, without the bound on the odds: the certificate gives it; it may be infinite."""
    plain = asdict(reached)
    del plain["epsilon_upper"]
    return plain


def _learners(seed: int) -> list[tuple[str, Any]]:
    linear, ensemble = sklearn("linear_model"), sklearn("ensemble")
    pipeline, scaling = sklearn("pipeline"), sklearn("preprocessing")
    return [
        (
            "logistic regression",
            pipeline.make_pipeline(
                scaling.StandardScaler(), linear.LogisticRegression(class_weight="balanced")
            ),
        ),
        (
            "gradient boosting",
            ensemble.HistGradientBoostingClassifier(class_weight="balanced", random_state=seed),
        ),
    ]


def _score(model: Any, seen: FloatArray, target: npt.NDArray[np.int64], seed: int) -> Score:
    selection, metrics = sklearn("model_selection"), sklearn("metrics")
    folds = selection.StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    # One thread: several would wait for each other on a busy machine.
    with threadpoolctl().threadpool_limits(1):
        predicted = selection.cross_val_predict(
            model, seen, target, cv=folds, method="predict_proba"
        )[:, 1]
    right = (predicted > 0.5) == (target == 1)
    recalls = [float(right[target == each].mean()) for each in (0, 1)]
    sizes = [int((target == each).sum()) for each in (0, 1)]
    variance = sum(
        recall * (1.0 - recall) / size for recall, size in zip(recalls, sizes, strict=True)
    )
    auc = float(metrics.roc_auc_score(target, predicted))
    return Score(
        accuracy=sum(recalls) / 2.0,
        accuracy_error=math.sqrt(variance) / 2.0,
        auc=auc,
        auc_error=_auc_error(auc, *sizes),
    )


def _auc_error(auc: float, negatives: int, positives: int) -> float:
    """Hanley and McNeil's standard error of an area under the curve."""
    one, two = auc / (2.0 - auc), 2.0 * auc**2 / (1.0 + auc)
    variance = (
        auc * (1.0 - auc) + (positives - 1) * (one - auc**2) + (negatives - 1) * (two - auc**2)
    )
    return math.sqrt(max(variance, 0.0) / (positives * negatives))
