"""The part of HiGHS that is needed: a program that grows and is solved from its last solution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray

__all__ = ["LinearProgram", "Part"]

IntArray = npt.NDArray[np.int64]
# Columns, and their coefficients in a row.
Part = tuple[Sequence[int] | IntArray, Sequence[float] | FloatArray]
# More steps than the interior point method needs.
_MOST_INSIDE = 300


class LinearProgram:
    """min c·x over x ≥ 0 with low ≤ A·x ≤ high."""

    def __init__(self) -> None:
        """An empty program."""
        # Imported only when it is needed, because that takes a while.
        from highspy import Highs  # noqa: PLC0415

        self._highs: Any = Highs()  # type: ignore[no-untyped-call]  # it has no types
        self._highs.setOptionValue("output_flag", False)
        # Laws have probabilities below 1e-9, which HiGHS would take for 0 by default; and rows that
        # it breaks cost loss in the repair.
        self._highs.setOptionValue("small_matrix_value", 1e-12)
        self._highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
        self._highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
        self._columns = self._rows = self._steps = 0
        self._waiting: list[tuple[IntArray, FloatArray, float, float]] = []

    def take(self, cost: FloatArray) -> int:
        """Add columns with these costs; the index of the first."""
        nothing = np.zeros(0, dtype=np.int32)
        starts = np.zeros(cost.size, dtype=np.int32)
        return self._take(cost, starts, nothing, np.zeros(0))

    def take_in(self, rows: Sequence[int], coefficients: Sequence[float]) -> int:
        """Add columns without costs, each with a coefficient in an existing row."""
        self._add_waiting()
        starts = np.arange(len(rows), dtype=np.int32)
        entries = np.array(rows, dtype=np.int32)
        return self._take(np.zeros(len(rows)), starts, entries, np.array(coefficients))

    def _take(
        self,
        cost: FloatArray,
        starts: npt.NDArray[np.int32],
        rows: npt.NDArray[np.int32],
        coefficients: FloatArray,
    ) -> int:
        count, first = cost.size, self._columns
        unlimited = np.full(count, math.inf)
        self._highs.addCols(
            count, cost, np.zeros(count), unlimited, rows.size, starts, rows, coefficients
        )
        self._columns += count
        return first

    def row(self, parts: Iterable[Part], low: float = -math.inf, high: float = 0.0) -> int:
        """Add a row; its index."""
        columns, coefficients = zip(*parts, strict=True)
        self._waiting.append(
            (
                np.concatenate([np.asarray(each, dtype=np.int64) for each in columns]),
                np.concatenate([np.asarray(each, dtype=np.float64) for each in coefficients]),
                low,
                high,
            )
        )
        self._rows += 1
        return self._rows - 1

    def _add_waiting(self) -> None:
        if not self._waiting:
            return
        columns, coefficients, low, high = zip(*self._waiting, strict=True)
        ends = np.cumsum([each.size for each in columns])
        self._highs.addRows(
            len(columns),
            np.array(low),
            np.array(high),
            int(ends[-1]),
            np.concatenate([[0], ends[:-1]]).astype(np.int32),
            np.concatenate(columns).astype(np.int32),
            np.concatenate(coefficients),
        )
        self._waiting.clear()

    def solve(self, most_steps: int) -> FloatArray | None:
        """The best x; None if it was not found.

        Args:
            most_steps: The number of steps of the simplex method after which it stops.
        """
        self._add_waiting()
        self._highs.setOptionValue("simplex_iteration_limit", max(most_steps, 0))
        self._highs.run()
        self._steps += max(self._highs.getInfo().simplex_iteration_count, 0)
        if self._highs.modelStatusToString(self._highs.getModelStatus()) != "Optimal":
            return None
        return np.array(self._highs.getSolution().col_value)

    @property
    def steps(self) -> int:
        """The number of steps of the simplex method so far."""
        return self._steps

    def go_inside(self) -> None:
        """Solve by the interior point method from now on: it is slow, but does not stall."""
        self._highs.setOptionValue("solver", "ipm")
        self._highs.setOptionValue("run_crossover", "off")
        self._highs.setOptionValue("ipm_iteration_limit", _MOST_INSIDE)

    @property
    def multipliers(self) -> FloatArray:
        """λ of each row at the best x: c + Aᵀλ ≥ 0, and λ ≥ 0 where only `high` is finite."""
        return -np.array(self._highs.getSolution().row_dual)
