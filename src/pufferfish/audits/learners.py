"""What standard learners make of the column: how well it predicts the secret, before and after.

For those who hold the data. Learners see all that is published: columns that are kept are before
them both times. Two secrets, each counted as half of the rows, so that a guess is right
in 50% of cases; every prediction is made by a model that has not seen its row (five folds). Beside
it stands what the best possible adversary of the scenario reaches: no learner can beat that but by
chance, unless the beliefs know less than the data say. That adversary sees the protected column
alone: where others are kept, a learner may well do better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.audits.draws import generator
from pufferfish.beliefs.scenario import Secret, SecretPair
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.core.extras import sklearn, threadpoolctl
from pufferfish.core.validation import FloatArray, require
from pufferfish.insight.guesses import Success, success, success_allowed
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.learning.matrix import matrix
from pufferfish.noise import NoNoise
from pufferfish.tables import Batch
from pufferfish.tables.formats import format_of
from pufferfish.tables.local.cells import cells_at
from pufferfish.tables.local.files import column_values
from pufferfish.tables.local.summarise import batches
from pufferfish.words.numbers import percent_up, thousandths_up

__all__ = ["DataAudit", "Learned", "Score", "audit_data", "check_learners"]

_FOLDS = 5
# More rows make the intervals narrower than anybody needs, and the learners slow.
_MOST_ROWS = 200_000
_FEWEST_ROWS = 50
_Z = 1.959963984540054
# Beyond the limit by this many standard errors is no accident.
_BEYOND = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well the secret was predicted, with standard errors.

    Attributes:
        accuracy: How often right, both secrets counted alike.
        accuracy_error: Its standard error.
        auc: How often a row of the one secret scores higher than a row of the other.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DataAudit:
    """What learners reach on the data themselves; internal.

    Attributes:
        pair: The two secrets.
        rows: How many rows were used.
        aligned: Whether the released rows themselves were used; otherwise, since they are
            shuffled, a fresh draw of the same noise, or by the same map.
        column: The protected column.
        kept: Other published columns, which the learners see.
        learned: One entry for each learner.
        limit_before: What the best possible adversary reaches with the true values of the column.
        limit_after: The same with the published ones.
        allowed: What the promise alone allows, for the column by itself.
        drawn: What a fresh draw is of, in words.
    """

    pair: SecretPair
    rows: int
    aligned: bool
    column: str
    kept: tuple[str, ...]
    learned: tuple[Learned, ...]
    limit_before: Success
    limit_after: Success
    allowed: Success
    drawn: str = "of the same noise"

    @property
    def beyond(self) -> bool:
        """Whether a learner does better than any described adversary could, but for chance.

        False where columns are kept, which no described adversary sees.
        """
        limit = self.limit_after
        if self.kept:
            return False
        return any(
            after.accuracy - _BEYOND * after.accuracy_error > limit.accuracy_upper
            or after.auc - _BEYOND * after.auc_error > limit.auc_upper
            for after in (each.after for each in self.learned)
        )

    def __str__(self) -> str:
        first, second = self.pair
        source = "the released rows" if self.aligned else f"a fresh draw {self.drawn}"
        lines = [
            f"How well {first!r} and {second!r} are told apart, {self.rows:,} rows, {source} "
            "(95% intervals; a coin is right in 50%):"
        ]
        for each in self.learned:
            lines.append(f"- {each.learner}: from the true values {each.before}")
            lines.append(f"  from the published values {each.after}")
        if self.kept:
            lines.append(
                f"- the best possible adversary of the scenario, who sees {self.column!r} alone: "
                f"before {_limit(self.limit_before)}; after {_limit(self.limit_after)}. The "
                f"learners see {', '.join(map(repr, self.kept))} as well: that is no limit for "
                "them, and the promise is none."
            )
        else:
            lines.append(
                "- the best possible adversary of the scenario: before "
                f"{_limit(self.limit_before)}; after {_limit(self.limit_after)}; the promise "
                f"allows {_limit(self.allowed)}"
            )
        if self.beyond:
            lines.append(
                "BEYOND THE LIMIT: a learner does better than every described adversary could. The "
                "beliefs know less than these data say: fit them to the data, or add the table."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = asdict(self)
        del plain["drawn"]
        for name in ("limit_before", "limit_after", "allowed"):
            # How far odds can move is the certificate's matter, and may be infinite.
            del plain[name]["epsilon_upper"]
        if self.kept:
            # No limit for those who see the other columns, too.
            del plain["allowed"]
        return plain | {
            "pair": list(self.pair),
            "kept": list(self.kept),
            "beyond": self.beyond,
        }


def _limit(reached: Success) -> str:
    accuracy = percent_up(reached.accuracy_upper)
    return f"{accuracy} right, AUC {thousandths_up(reached.auc_upper)}"


def audit_data(
    original: Any, plan: ReleasePlan, released: Any = None, *, seed: int = 0, na: Sequence[str] = ()
) -> DataAudit:
    """How well standard learners predict the secret of the deciding pair, before and after.

    Where rows without a value are published as holes, a hole is one more thing that learners see,
    as the best possible adversary does.

    Args:
        original: The table that was released: a frame, a file's path, a dict of arrays.
        plan: What was planned.
        released: The published file or column, where its rows are in the order of the table.
            Without it, as for rows that were shuffled, which nobody can match, the noise is drawn
            afresh, in memory only.
        seed: For the folds, and for the choice of rows where there are very many.
        na: Texts of a file that stand for a missing value or secret, as for `summarise`.
    """
    if not isinstance(plan, ColumnPlan):
        raise UnsupportedError(
            "learners look at the rows of a column, and this release has none: leave out the table "
            "(--original)."
        )
    calibration, law = plan.calibration, plan.calibration.mechanism
    pair = calibration.certificate.worst.pair
    alone = calibration.scenario.only([pair])
    rows_of = batches(original, plan.column, plan.secret, na=na, one_row=plan.reduction)
    values, labels = _rows(rows_of, plan.column, pair)
    if plan.cap is not None:
        # What is noised, and what the beliefs are about.
        values = np.clip(values, *plan.cap)
    aligned = released is not None
    require(
        not (aligned and plan.shuffled),
        "the rows were published in random order, so nobody can say which released row belongs to "
        "which row of the table: leave the released column out (--released), and the same noise is "
        "drawn afresh.",
    )
    rows = np.arange(values.size)
    if plan.missing != "keep":
        rows = np.flatnonzero(~np.isnan(values))
    values, labels = values[rows], labels[rows]
    present = ~np.isnan(values)
    if aligned:
        published = _published_columns(released, plan.column)
        # A map that takes a missing value may fill holes, and leave others.
        require(
            published.size == values.size
            and (law.takes_missing or np.array_equal(~np.isnan(published), present)),
            "the released column has other rows than the table; give the table that was released.",
        )
    else:
        taken = np.ones(values.size, dtype=bool) if law.takes_missing else present
        published = np.full(values.size, np.nan)
        published[taken] = plan.mechanism.apply(values[taken])
    of_pair = labels >= 0
    values, published, classes = values[of_pair], published[of_pair], labels[of_pair]
    chosen = _sample(classes, seed)
    before, after, target = values[chosen], published[chosen], classes[chosen]
    places = rows[of_pair][chosen]
    cells = (
        cells_at(original, plan.keep, plan.column, places, na, plan.reduction) if plan.keep else {}
    )
    others = matrix(cells, target.size)
    return DataAudit(
        pair=pair,
        rows=target.size,
        aligned=aligned,
        column=plan.column,
        kept=plan.keep,
        learned=tuple(
            Learned(
                learner=name,
                before=_score(model, np.column_stack([_features(before), others]), target, seed),
                after=_score(model, np.column_stack([_features(after), others]), target, seed),
            )
            for name, model in _learners(seed)
        ),
        limit_before=success(alone, NoNoise()),
        limit_after=success(alone, law),
        allowed=success_allowed(calibration.goal),
        drawn="of the same noise" if law.additive else "by the same map",
    )


def _rows(
    parts: Iterable[Batch], column: str, pair: SecretPair
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """All values, and 0, 1 for the secrets of the pair, −1 for others."""
    values, classes = [], []
    for batch in parts:
        of_label = np.array([_index(label, pair) for label in batch.secret.labels] + [-1])
        values.append(batch.numbers[column])
        classes.append(of_label[batch.secret.codes])
    if not values:
        raise DataError("the table has no rows.")
    return np.concatenate(values), np.concatenate(classes)


def _index(label: Secret, pair: SecretPair) -> int:
    return pair.index(label) if label in pair else -1


def _published_columns(released: Any, column: str) -> FloatArray:
    if isinstance(released, str | PathLike):
        path = fspath(released)
        return column_values(path, format_of(path), column)
    return np.asarray(released, dtype=np.float64)


def _sample(classes: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    counts = np.bincount(classes, minlength=2)
    if counts.min() < _FEWEST_ROWS:
        raise DataError(
            f"learners need at least {_FEWEST_ROWS} rows of each secret of the deciding pair."
        )
    if classes.size <= _MOST_ROWS:
        return np.arange(classes.size)
    return np.sort(generator(seed).choice(classes.size, _MOST_ROWS, replace=False))


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


def _features(column: FloatArray) -> FloatArray:
    """What a learner sees of each row: the value, and whether there is a hole instead."""
    holes = np.isnan(column)
    if not holes.any():
        return column[:, None]
    middle = 0.0 if holes.all() else float(column[~holes].mean())
    return np.column_stack([np.where(holes, middle, column), holes])


def _score(model: Any, seen: FloatArray, target: npt.NDArray[np.int64], seed: int) -> Score:
    selection, metrics = sklearn("model_selection"), sklearn("metrics")
    folds = selection.StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    # One thread: several of them wait for each other where the machine has other work.
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


def check_learners() -> None:
    """Refuse, before any work, if what the learners need is not installed."""
    sklearn("linear_model")
