"""What a plan does to single rows: checks, noise, counts. It runs where the rows are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.columns.counts import ColumnRowCounts
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import DataError
from pufferfish.core.numerics import off_step
from pufferfish.core.validation import FloatArray
from pufferfish.kinds.recount import believed_range
from pufferfish.releases.secrets import check_secrets
from pufferfish.tables import Batch, Changed
from pufferfish.tables.batch import Numbers

__all__ = ["RowRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRules:
    """All of a plan that its rows need, small enough to be sent to other processes.

    Attributes:
        mechanism: Adds the noise; its certificate names the worst pair only.
        column: The column to protect.
        secret: The column of the secret; None: secrets are checked elsewhere.
        missing: What becomes of rows without a value, as in `Plan`.
        known: The secrets that may occur.
        protected: Those that occur in a pair.
        complete: Those for which the beliefs say that no value is missing.
        low: The beliefs consider nothing below this, ...
        high: ... and nothing beyond this.
        cap: The bounds that values are moved to before the noise; None: none.
        step: Every value is then a multiple of this; None: not stated.
    """

    mechanism: Mechanism
    column: str
    secret: str | None
    missing: str
    known: frozenset[Secret]
    protected: frozenset[Secret]
    complete: frozenset[Secret]
    low: float
    high: float
    cap: tuple[float, float] | None
    step: float | None

    @classmethod
    def of(cls, plan: ColumnPlan) -> Self:
        """The rules of a plan."""
        mechanism, beliefs = plan.mechanism, plan.calibration.scenario.beliefs
        certificate = replace(mechanism.certificate, results=(mechanism.certificate.worst,))
        low, high = believed_range(beliefs)
        return cls(
            mechanism=replace(mechanism, certificate=certificate),
            column=plan.column,
            secret=plan.secret,
            missing=plan.missing,
            known=plan.secrets,
            protected=plan.protected,
            complete=frozenset(
                label
                for label in plan.protected
                if not all(belief.missing[label] for belief in beliefs)
            ),
            low=low,
            high=high,
            cap=plan.cap,
            step=plan.step,
        )

    def change(self, batch: Batch, before: int | None) -> Changed:
        """The rows with noise, and what was counted of them.

        Args:
            batch: Some rows.
            before: How many rows come before them in the table, for messages; None: unknown.

        Raises:
            DataError: What the plan does not allow for.
        """
        counts = self.count(batch, before)
        given = batch.numbers[self.column]
        hole = np.isnan(given)
        if self.mechanism.noise.takes_missing and self.missing == "keep":
            published = self.mechanism.apply(self._capped(given))
            return Changed(
                {self.column: Numbers(np.nan_to_num(published), np.isnan(published))}, None, counts
            )
        noised = self.mechanism.apply(self._capped(given[~hole]))
        if not hole.any():
            return Changed({self.column: Numbers(noised, hole)}, None, counts)
        if self.missing == "drop":
            none = np.zeros(noised.size, dtype=bool)
            return Changed({self.column: Numbers(noised, none)}, ~hole, counts)
        values = np.zeros(given.size, dtype=noised.dtype)
        values[~hole] = noised
        return Changed({self.column: Numbers(values, hole)}, None, counts)

    def count(self, batch: Batch, before: int | None) -> ColumnRowCounts:
        """Check the rows and count them, without drawing any noise."""
        values = batch.numbers[self.column]
        hole = np.isnan(values)
        self._check(batch, hole, before)
        present: FloatArray = values[~hole]
        capped = self._capped(present)
        published = ~hole if self.missing == "drop" else np.ones(hole.size, dtype=bool)
        unprotected = ~self._having(batch, lambda label: label in self.protected)
        mean = float(present.mean()) if present.size else 0.0
        return ColumnRowCounts(
            rows=hole.size,
            missing=int(np.count_nonzero(hole)),
            published=int(np.count_nonzero(published)),
            unprotected=int(np.count_nonzero(unprotected & published)),
            outside=int(np.count_nonzero((capped < self.low) | (capped > self.high))),
            capped=int(np.count_nonzero(capped != present)),
            mean=mean,
            squares=float(((present - mean) ** 2).sum()),
        )

    def _capped(self, values: FloatArray) -> FloatArray:
        return values if self.cap is None else np.clip(values, *self.cap)

    def _check(self, batch: Batch, hole: npt.NDArray[np.bool_], before: int | None) -> None:
        """Refuse what the plan does not allow for; name the column and row, never a value."""
        if self.secret is not None:
            check_secrets(batch, before, self.secret, self.known)
        given, limit = batch.numbers[self.column], self.mechanism.limit
        values = self._capped(given)
        with np.errstate(invalid="ignore"):
            far = np.abs(values) > limit
            off = np.zeros(hole.size, bool) if self.step is None else off_step(values, self.step)
        problems = [
            (np.isinf(given), self.column, "the value is infinite"),
            (far, self.column, f"the value is beyond {limit:g}"),
            (
                self._unlisted(values) & ~hole,
                self.column,
                "the value is not in the list of the recoding. Fit the beliefs to a table that has "
                "it, or use bins (--edges)",
            ),
            (
                off,
                self.column,
                f"the value is not a multiple of {self.step}, as the plan says all are (--step)",
            ),
        ]
        if self.missing == "refuse":
            problems.append(
                (
                    hole,
                    self.column,
                    'the value is missing. missing="keep" (--missing keep) publishes holes with a '
                    'certificate that allows for them, "drop" leaves such rows out',
                )
            )
        if self.missing == "keep":
            problems.append(
                (
                    hole & self._having(batch, lambda label: label in self.complete),
                    self.column,
                    "the value is missing, which the beliefs say cannot happen. Fit them to a "
                    "table with such holes",
                )
            )
        for bad, column, problem in problems:
            if bad.any():
                row = int(np.flatnonzero(bad)[0]) + 1
                where = "a row" if before is None else f"row {before + row}"
                raise DataError(f"column {column!r}, {where}: {problem}.")

    def _unlisted(self, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Which values a law with a list does not take."""
        domain = self.mechanism.noise.domain
        if domain is None:
            return np.zeros(values.size, dtype=bool)
        return np.isin(values, [each for each in domain if each is not None], invert=True)

    def _having(self, batch: Batch, wanted: Callable[[Secret], bool]) -> npt.NDArray[np.bool_]:
        """Which rows have a wanted secret; rows without any secret do not."""
        kinds = np.array([wanted(label) for label in batch.secret.labels] + [False])
        return np.asarray(kinds[batch.secret.codes])  # a missing secret has the code −1
