"""How much a document, or a published file, may ask of the program that reads it.

A record comes from somebody else, and nothing in it may make its reader hang or run out of memory.
The limits leave room for everything that the library writes: millions of pairs, tables of
100,000 values, a million different users. They are listed in docs/reference/limitations.md.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar

from pufferfish.core.errors import UnsupportedError

__all__ = [
    "DOCUMENT_BYTES",
    "MOST_COMPONENTS",
    "MOST_CONTAINERS",
    "MOST_DEPTH",
    "MOST_KINDS",
    "MOST_PAIRS",
    "MOST_SCREENED",
    "MOST_TABLES",
    "MOST_USER_VALUES",
    "MOST_VALUES",
    "PATIENCE_SECONDS",
    "ROWS_PER_BYTE",
    "SPARE_ROWS",
    "OutOfPatienceError",
    "patience",
    "still_patient",
]

# The size of a document's text, the number of its values, lists and objects, and their depth.
DOCUMENT_BYTES = 64 * 2**20
MOST_VALUES = 5_000_000
MOST_CONTAINERS = 1_000_000
MOST_DEPTH = 64

# In a scenario of a document: pairs of secrets (all those of 3,162 secrets), these times the
# beliefs, and the components of one mixture.
MOST_PAIRS = 5_000_000
MOST_SCREENED = 20_000_000
MOST_COMPONENTS = 1_000
# For the users of a sum in a document: how many kinds there are, and the values of one table.
MOST_KINDS = 1_000_000
MOST_TABLES = 200_000
MOST_USER_VALUES = 2_000
# How long certificates are computed again before the verdict is "cannot be checked".
PATIENCE_SECONDS = 900.0

# A published file with more rows than this per byte was made to unpack to far more than its size.
ROWS_PER_BYTE = 1_000
SPARE_ROWS = 1_000_000


class OutOfPatienceError(UnsupportedError):
    """A computation that somebody else's document asks for takes too long."""


# When the time is up, by the clock of `time.monotonic`.
_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """A context in which `still_patient` raises once these seconds have passed."""
    token = _DEADLINE.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def still_patient() -> None:
    """Check the time between the parts of a long computation.

    Raises:
        OutOfPatienceError: The time that `patience` set is up.
    """
    deadline = _DEADLINE.get()
    if deadline is not None and time.monotonic() >= deadline:
        raise OutOfPatienceError(
            "computing the certificate again takes longer than is allowed for somebody else's "
            "document, so it was stopped. `pf.Record.load` has no such limit."
        )
