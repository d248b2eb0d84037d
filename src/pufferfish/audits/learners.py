"""What standard learners find in the column: how well it predicts the secret, before and after.

This is for those who hold the data. Learners see all that is published, kept columns both before
and after. The result also has what the best possible adversary of the scenario achieves: no learner
can beat that except by chance, unless the beliefs know less than the data. That adversary sees only
the protected column: where others are kept, a learner may well do better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.audits.scores import (
    INTERVALS,
    Learned,
    beyond,
    chosen_rows,
    classes_of,
    learn,
    learned_in_words,
    limit_in_words,
    limit_to_dict,
    number_features,
    refuse_shuffled,
    told_apart,
)
from pufferfish.audits.tables import TableAudit, audit_table
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.insight.guesses import Success, success, success_allowed
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.learning.matrix import matrix
from pufferfish.noise import NoNoise
from pufferfish.tables import Batch
from pufferfish.tables.formats import format_of
from pufferfish.tables.local.cells import cells_at
from pufferfish.tables.local.counting import every_row
from pufferfish.tables.local.files import column_values
from pufferfish.tables.tally import Counting

__all__ = ["DataAudit", "audit_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataAudit:
    """What learners achieve on the data themselves; internal.

    Attributes:
        pair: The two secrets.
        rows: How many rows were used.
        aligned: Whether the released rows themselves were used; otherwise, since they are shuffled,
            a fresh draw of the same noise, or by the same recoding.
        column: The protected column.
        kept: Other published columns, which the learners see.
        learned: One entry for each learner.
        limit_before: What the best possible adversary achieves with the true values of the column.
        limit_after: The same, with the published ones.
        allowed: What the promise alone allows, for the column by itself.
        drawn: What is drawn afresh, in words.
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
        """Whether a learner does better than any described adversary could, beyond chance.

        False where columns are kept, which no described adversary sees.
        """
        return not self.kept and beyond(self.learned, self.limit_after)

    def __str__(self) -> str:
        source = "the released rows" if self.aligned else f"a fresh draw {self.drawn}"
        lines = [f"{told_apart(self.pair)}, {self.rows:,} rows, {source} {INTERVALS}:"]
        lines += learned_in_words(self.learned)
        reached = (
            f"before {limit_in_words(self.limit_before)}; after {limit_in_words(self.limit_after)}"
        )
        if self.kept:
            lines.append(
                f"- the best possible adversary of the scenario, who sees {self.column!r} alone: "
                f"{reached}. The learners see {', '.join(map(repr, self.kept))} as well: neither "
                "this nor the promise is a limit for them."
            )
        else:
            lines.append(
                f"- the best possible adversary of the scenario: {reached}; the promise allows "
                f"{limit_in_words(self.allowed)}"
            )
        if self.beyond:
            lines.append(
                "BEYOND THE LIMIT: a learner does better than every described adversary could. "
                "The beliefs know less than these data: fit them to the data, or add the table."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = asdict(self)
        del plain["drawn"]
        for name in ("limit_before", "limit_after", "allowed"):
            plain[name] = limit_to_dict(getattr(self, name))
        if self.kept:
            # There is no limit for learners that also see the other columns.
            del plain["allowed"]
        return plain | {
            "pair": list(self.pair),
            "kept": list(self.kept),
            "beyond": self.beyond,
        }


def audit_data(
    original: Any, plan: ReleasePlan, released: Any = None, *, seed: int = 0, na: Sequence[str] = ()
) -> DataAudit | TableAudit:
    """How well standard learners predict the secret of the deciding pair, before and after.

    For a table, learners see all that is published together (`audits.tables`). Where missing values
    are published as missing, learners see that too, as the best possible adversary does.

    Args:
        original: The table that was released: a frame, a file's path, a dict of arrays.
        plan: The plan of the release.
        released: The published file or column (for a table: the published table), if its rows are
            in the order of the table. Without it, as for shuffled rows, which nobody can match, the
            noise is drawn afresh, in memory only.
        seed: For the folds, and for the choice of rows where there are very many.
        na: Texts of a file that stand for a missing value or secret, as for `summarise`.
    """
    if isinstance(plan, TablePlan):
        return audit_table(original, plan, released, seed=seed, na=na)
    if not isinstance(plan, ColumnPlan):
        raise UnsupportedError(
            "learners look at the rows of a table, but this release has none: leave out the "
            "table (--original)."
        )
    return _audit_column(original, plan, released, seed, na)


def _audit_column(
    original: Any, plan: ColumnPlan, released: Any, seed: int, na: Sequence[str]
) -> DataAudit:
    calibration, law = plan.calibration, plan.calibration.mechanism
    pair = calibration.certificate.worst.pair
    alone = calibration.scenario.only([pair])
    what = Counting.of_column(plan.column, plan.secret, one_row=plan.reduction)
    rows_of = every_row(original, what, na)
    values, labels = _rows(rows_of, plan.column, pair)
    if plan.cap is not None:
        # The values that are noised, which the beliefs are about.
        values = np.clip(values, *plan.cap)
    aligned = released is not None
    if aligned:
        refuse_shuffled(plan.shuffled, "the same noise is")
    rows = np.arange(values.size)
    if plan.missing != "keep":
        rows = np.flatnonzero(~np.isnan(values))
    values, labels = values[rows], labels[rows]
    present = ~np.isnan(values)
    if aligned:
        published = _published_columns(released, plan.column)
        # A recoding that accepts missing values may fill some and make others.
        require(
            published.size == values.size
            and (law.takes_missing or np.array_equal(~np.isnan(published), present)),
            "the released column does not have the rows of the table: give the table that was "
            "released.",
        )
    else:
        taken = np.ones(values.size, dtype=bool) if law.takes_missing else present
        published = np.full(values.size, np.nan)
        published[taken] = plan.mechanism.apply(values[taken])
    of_pair = labels >= 0
    values, published, classes = values[of_pair], published[of_pair], labels[of_pair]
    chosen = chosen_rows(classes, seed)
    before, after, target = values[chosen], published[chosen], classes[chosen]
    places = rows[of_pair][chosen]
    cells = (
        cells_at(original, plan.keep, (plan.column,), places, na, plan.reduction)
        if plan.keep
        else {}
    )
    others = matrix(cells, target.size)
    return DataAudit(
        pair=pair,
        rows=target.size,
        aligned=aligned,
        column=plan.column,
        kept=plan.keep,
        learned=learn(
            np.column_stack([number_features(before), others]),
            np.column_stack([number_features(after), others]),
            target,
            seed,
        ),
        limit_before=success(alone, NoNoise()),
        limit_after=success(alone, law),
        allowed=success_allowed(calibration.goal),
        drawn="of the same noise" if law.additive else "by the same recoding",
    )


def _rows(
    parts: Iterable[Batch], column: str, pair: SecretPair
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """All values, and 0, 1 for the secrets of the pair, −1 for others."""
    values, classes = [], []
    for batch in parts:
        values.append(batch.numbers[column])
        classes.append(classes_of(batch.secret, pair))
    if not values:
        raise DataError("the table has no rows.")
    return np.concatenate(values), np.concatenate(classes)


def _published_columns(released: Any, column: str) -> FloatArray:
    if isinstance(released, str | PathLike):
        path = fspath(released)
        return column_values(path, format_of(path), column)
    return np.asarray(released, dtype=np.float64)
