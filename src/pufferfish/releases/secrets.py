"""Rows of a secret that a plan does not know are refused: nothing covers them.

What becomes of rows without a secret is for a kind of release to say: where it says nothing, they
are refused as well.
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
    """Refuse rows of other secrets, by column and row, never by content.

    Args:
        batch: Some rows.
        before: How many come before them in the table; None: nobody knows.
        column: The column of the secret.
        known: The secrets that may occur.
    """
    # A missing secret has the code −1.
    strange = np.array([label not in known for label in batch.secret.labels] + [False])
    _refuse(
        strange[batch.secret.codes],
        before,
        column,
        "the plan does not know this secret, and promises nothing for it. Make a plan from "
        "a table that has it, in the same kind of column (text and numbers are kept apart)",
    )


@dataclass(frozen=True, slots=True)
class OfKnownSecrets:
    """A change of rows that first refuses those of secrets that are not known, or missing."""

    change: Callable[[Batch, int | None], Changed]
    column: str
    known: frozenset[Secret]

    def __call__(self, batch: Batch, before: int | None) -> Changed:
        """What becomes of rows."""
        problem = "the secret is missing. Mend such rows first"
        _refuse(batch.secret.missing, before, self.column, problem)
        check_secrets(batch, before, self.column, self.known)
        return self.change(batch, before)


def _refuse(bad: npt.NDArray[np.bool_], before: int | None, column: str, problem: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0]) + 1
        where = "a row" if before is None else f"row {before + row}"
        raise DataError(f"column {column!r}, {where}: {problem}.")
