"""Refuse rows with a secret that is not in the plan: nothing covers them.

Each kind of release decides about rows without a secret; by default they are refused as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError
from pufferfish.tables import Batch, Changed

__all__ = ["OfKnownSecrets", "check_secrets"]


def check_secrets(batch: Batch, before: int | None, column: str, known: Collection[Secret]) -> None:
    """Refuse rows with other secrets; name the column and row, never a value.

    Args:
        batch: Some rows.
        before: How many rows come before them in the table; None: unknown.
        column: The column of the secret.
        known: The secrets that may occur.
    """
    # A missing secret has the code −1.
    strange = np.array([label not in known for label in batch.secret.labels] + [False])
    _refuse(
        strange[batch.secret.codes],
        before,
        column,
        "this secret is not in the plan, which promises nothing for it. Make a plan from a "
        "table that has it, in a column of the same type (text and numbers are different)",
    )


@dataclass(frozen=True, slots=True)
class OfKnownSecrets:
    """A change of rows that first refuses those whose secret is missing or not in the plan."""

    change: Callable[[Batch, int | None], Changed]
    column: str
    known: frozenset[Secret]

    def __call__(self, batch: Batch, before: int | None) -> Changed:
        """The changed rows."""
        problem = "the secret is missing. Correct or remove such rows first"
        _refuse(batch.secret.missing, before, self.column, problem)
        check_secrets(batch, before, self.column, self.known)
        return self.change(batch, before)


def _refuse(bad: npt.NDArray[np.bool_], before: int | None, column: str, problem: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0]) + 1
        where = "a row" if before is None else f"row {before + row}"
        raise DataError(f"column {column!r}, {where}: {problem}.")
