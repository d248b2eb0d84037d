"""The exception tree: every error the library raises on purpose is a `PufferfishError`.

`CoverageWarning` is its one warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
    "refuse_incomputable",
]


class PufferfishError(Exception):
    """Anything the library refuses, with what was given and what to do about it."""


class InvalidInputError(PufferfishError, ValueError):
    """An argument that cannot mean anything: nan, a negative scale, weights that miss one."""


@contextmanager
def refuse_incomputable(name: str) -> Iterator[None]:
    """Refuse what has the right shape, and still cannot be computed with.

    Numbers that somebody else wrote can fail in any formula. The message does not quote them.

    Raises:
        InvalidInputError: Something within failed that was not refused on purpose.
    """
    try:
        yield
    except PufferfishError:
        raise
    except (ArithmeticError, KeyError, TypeError, ValueError):
        raise InvalidInputError(f"this {name} cannot be computed with.") from None


class DataError(InvalidInputError):
    """A table that cannot be used as it is; names columns and rows, never a cell's content."""


class OutputExistsError(PufferfishError, FileExistsError):
    """A file that would be overwritten."""


class EngineError(PufferfishError, RuntimeError):
    """The cluster that holds a table gave up; nothing was published."""


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
    """A 95% interval that may hold the truth less often than that; the message says why."""
