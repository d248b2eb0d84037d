"""The exception tree: every error the library raises on purpose is a `PufferfishError`.

`CoverageWarning` is its one warning.
"""

from __future__ import annotations

__all__ = [
    "BudgetExceededError",
    "CertificationError",
    "CoverageWarning",
    "DataError",
    "EngineError",
    "InvalidInputError",
    "MissingExtraError",
    "OutputExistsError",
    "PufferfishError",
    "UnreachableGoalError",
    "UnsupportedError",
]


class PufferfishError(Exception):
    """A refusal by the library; the message says what was given and what to do about it."""


class InvalidInputError(PufferfishError, ValueError):
    """An argument that is meaningless: nan, a negative scale, weights that do not sum to one."""


class DataError(InvalidInputError):
    """A table that cannot be used as it is; the message names columns and rows, never a value."""


class OutputExistsError(PufferfishError, FileExistsError):
    """A file that would be overwritten."""


class EngineError(PufferfishError, RuntimeError):
    """The cluster that holds a table failed; nothing was published."""


class MissingExtraError(PufferfishError, ImportError):
    """A library that is not installed; the message says how to install it."""


class UnsupportedError(PufferfishError):
    """A combination that no proof in the library covers; the message says what is covered."""


class UnreachableGoalError(PufferfishError):
    """A guarantee that no amount of this noise can reach; the message says why."""


class CertificationError(PufferfishError):
    """A law that could not be certified: nothing is promised, so nothing is returned."""


class BudgetExceededError(PufferfishError):
    """One release too many: together with the earlier ones it would break the promise."""


class CoverageWarning(UserWarning):
    """A 95% interval that may cover the truth less often than that; the message says why."""
