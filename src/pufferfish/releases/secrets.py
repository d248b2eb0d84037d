"""Rows whose secret is missing, or none that a plan knows, are refused: nothing covers them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError
from pufferfish.tables import Batch, Changed

__all__ = ["OfKnownSecrets", "check_secrets"]


def check_secrets(batch: Batch, before: int | None, column: str, known: Collection[Secret]) -> None:
    """Refuse such rows, by column and row, never by content.

    Args:
        batch: Some rows.
        before: How many come before them in the table; None: nobody knows.
        column: The column of the secret.
        known: The secrets that may occur.
    """
    # A missing secret has the code −1.
    strange = np.array([label not in known for label in batch.secret.labels] + [False])
    for bad, problem in (
        (batch.secret.missing, "the secret is missing. Mend such rows first"),
        (
            strange[batch.secret.codes],
            "the plan does not know this secret, and promises nothing for it. Make a plan from "
            "a table that has it, in the same kind of column (text and numbers are kept apart)",
        ),
    ):
        if bad.any():
            row = int(np.flatnonzero(bad)[0]) + 1
            where = "a row" if before is None else f"row {before + row}"
            raise DataError(f"column {column!r}, {where}: {problem}.")


@dataclass(frozen=True, slots=True)
class OfKnownSecrets:
    """A change of rows that first refuses those of secrets that are not known."""

    change: Callable[[Batch, int | None], Changed]
    column: str
    known: frozenset[Secret]

    def __call__(self, batch: Batch, before: int | None) -> Changed:
        """What becomes of rows."""
        check_secrets(batch, before, self.column, self.known)
        return self.change(batch, before)
