"""One number of a column, published with the noise that its plan certified."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.ledger.file import Released, charge
from pufferfish.releases import software_versions
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.record import SumRecord
from pufferfish.sums.tables import as_decimal
from pufferfish.sums.users import Users
from pufferfish.tables.arrays import column_numbers

__all__ = ["SumRelease", "release_sum"]

# No described user is expected to be more than this many stds from their mean.
_FARTHEST = 8.0
# The number of grid steps up to which a float holds every sum.
_MOST_STEPS = 2**53


@dataclass(frozen=True, slots=True)
class SumRelease:
    """A published number, and its record."""

    value: float
    record: SumRecord


def release_sum(
    values: Any, plan: SumPlan, *, ledger: str | PathLike[str] | None = None
) -> SumRelease:
    """Publish the sum, mean or count of a column with the planned noise.

    Args:
        values: What the users who are present really added, one number each.
        plan: What to publish, and how.
        ledger: A file that counts the releases of this sum. The release is refused if it and
            earlier ones would together break the promise.

    Raises:
        DataError: Missing values; more rows than users; a value that no described user can add.
        BudgetExceededError: The ledger has no room for another release.
    """
    require(isinstance(plan, SumPlan), f"plan must be a SumPlan, got {type(plan).__name__}.")
    mechanism, place = plan.mechanism, None if ledger is None else Path(ledger)
    if place is not None:
        if not plan.calibration.repeatable:
            raise UnsupportedError(
                "these users are too different to charge repeated releases for each of them: "
                "release once, without a ledger, or describe fewer kinds of users."
            )
        charge(place, plan.calibration.calibration, of=Released(plan.column), only_check=True)
    numbers = column_numbers(plan.column, values)
    outside = _check_values(numbers, plan)
    noised = float(mechanism.apply([_total(numbers, plan)])[0])
    if place is not None:
        charge(place, plan.calibration.calibration, of=Released(plan.column))
    users = plan.calibration.users
    value = noised / users.size if plan.statistic == "mean" else noised
    record = SumRecord(
        plan=plan,
        value=value,
        rows=int(numbers.size),
        outside=outside,
        versions=software_versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return SumRelease(value, record)


def _total(numbers: FloatArray, plan: SumPlan) -> float:
    """The sum, converted to a float once; with noise, rounded to its grid from all digits."""
    grid = plan.calibration.noise.grid
    exact = _exact_sum(numbers, decimal=plan.calibration.users.laws is not None)
    if grid is None:
        return float(exact)
    exact = round(exact / Fraction(grid)) * Fraction(grid)
    if abs(exact) > _MOST_STEPS * Fraction(grid):
        raise DataError(
            "the sum is so much larger than its noise that a float cannot hold both. Choose other "
            "units for the values, or describe users who vary more."
        )
    return float(exact)


def _exact_sum(numbers: FloatArray, *, decimal: bool) -> Fraction:
    """The sum without rounding errors.

    Values of tables count as decimals, as on their lattice: otherwise the last digits of
    0.1 + 0.1 + 0.1 would tell it from 0.3.
    """
    if decimal:
        values, counts = np.unique(numbers, return_counts=True)
        return sum(
            (as_decimal(x) * int(n) for x, n in zip(values, counts, strict=True)), Fraction()
        )
    try:
        total = math.fsum(numbers)
        rest = math.fsum([*numbers.tolist(), -total])
    except OverflowError:
        raise DataError("the sum is too large for a float; choose other units.") from None
    return Fraction(total) + Fraction(rest)


def _check_values(numbers: FloatArray, plan: SumPlan) -> int:
    """Refuse rows that the plan does not cover; return how many are far from all it expects."""
    users, presence = plan.calibration.users, plan.calibration.protected.what == "presence"
    _refuse(
        ~np.isfinite(numbers),
        plan.column,
        "the value is missing or infinite. Write what this user adds to the sum: 0 for nothing",
    )
    # Others hide a user only if they are present.
    if numbers.size not in (users.size, users.size - (1 if presence else 0)):
        one_less = f" ({users.size - 1:,} if one is absent)" if presence else ""
        raise DataError(
            f"the plan is for {users.size:,} users, one row each{one_less}, but the table has "
            "another number of rows. Describe the users who are present, and sum the rows of each "
            "first."
        )
    if users.laws is not None:
        unknown = ~np.isin(numbers, users.laws.values)
        _refuse(
            unknown, plan.column, "no described user can add this value. Describe users who can"
        )
        return 0
    low, high = _expected_users(users)
    return int(np.count_nonzero((numbers < low) | (numbers > high)))


def _expected_users(users: Users) -> tuple[float, float]:
    reach = _FARTHEST * users.stds
    return float((users.means - reach).min()), float((users.means + reach).max())


def _refuse(bad: Any, column: str, problem: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0]) + 1
        raise DataError(f"column {column!r}, row {row}: {problem}.")
