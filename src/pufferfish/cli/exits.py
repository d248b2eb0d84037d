"""Exit codes, and errors in one line."""

from __future__ import annotations

from enum import IntEnum

from pufferfish.core.errors import (
    BudgetExceededError,
    CertificationError,
    DataError,
    EngineError,
    OutputExistsError,
    PufferfishError,
    UnreachableGoalError,
    UnsupportedError,
)

__all__ = ["HELP", "Exit", "code_of"]


class Exit(IntEnum):
    """What a command tells the shell."""

    DONE = 0
    USAGE = 2
    NOT_PRIVATE = 3
    BAD_DATA = 4
    INPUT_OUTPUT = 5
    NOT_CHECKABLE = 6


HELP = (
    "Exit codes: 0 done; 2 usage; 3 the promise does not hold or cannot be reached; 4 bad data; "
    "5 input or output; 6 not checkable from this edition of a record."
)


def code_of(error: Exception) -> Exit:
    """The exit code of an error."""
    if isinstance(error, DataError):
        return Exit.BAD_DATA
    if isinstance(error, OutputExistsError | EngineError):
        return Exit.INPUT_OUTPUT
    refused = BudgetExceededError, CertificationError, UnreachableGoalError, UnsupportedError
    if isinstance(error, refused):
        return Exit.NOT_PRIVATE
    if isinstance(error, PufferfishError):
        return Exit.USAGE
    return Exit.INPUT_OUTPUT
