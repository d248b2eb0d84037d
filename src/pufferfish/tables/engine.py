"""Engines read and write tables: a few verbs, on this machine or on a cluster.

A table is counted for a fit, and surveyed before anything is drawn. Its rows are transformed, each
once, and the result is published, completely or not at all. A further engine is one more package
with such a class, and one more name in `pufferfish.tables.verbs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, Self

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.scenario import Secret
from pufferfish.tables.batch import Batch
from pufferfish.tables.change import Change
from pufferfish.tables.counts import Counts
from pufferfish.tables.seen import PersonsFound
from pufferfish.tables.tally import Counting

__all__ = ["Checking", "ColumnKind", "Engine", "Progress", "Staged", "Survey"]
__all__ += ["SurveyedGroup"]

# Called with the share of the work that is done.
Progress = Callable[[float], None]


# Called with rows, and how many come before them (None: unknown); may refuse.
Checking = Callable[[Batch, int | None], object]


class ColumnKind(NamedTuple):
    """How a column would naturally be read.

    Attributes:
        read: As numbers, as labels, or as dates, which are labels by a unit.
        order: The labels in their order, if they are declared categories; else empty.
    """

    read: Literal["number", "label", "date"]
    order: tuple[Label, ...] = ()


class SurveyedGroup(NamedTuple):
    """The rows of one secret. From `infinite` on, attributes are about the measured column.

    Attributes:
        secret: Its value; None where it is missing.
        rows: How many rows there are.
        missing: Rows in which one of the changed columns is missing.
        digest: Equal for the same values in any order: the sum of 64-bit hashes.
        infinite: Rows with an infinite value.
        outside: Rows with a value outside the measured range, after the cap.
        capped: Rows with a finite value outside the cap.
        largest: The largest absolute value among finite ones, after the cap.
        mean: The mean of the finite values.
        squares: The sum of their squared distances from the mean.
    """

    secret: Secret | None
    rows: int
    missing: int
    digest: int
    infinite: int = 0
    outside: int = 0
    capped: int = 0
    largest: float = 0.0
    mean: float = 0.0
    squares: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is known of a table before anything is drawn.

    Attributes:
        groups: The rows of each secret.
        persons: Returns what was found about persons.
    """

    groups: tuple[SurveyedGroup, ...]
    persons: Callable[[], PersonsFound]


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A result that is complete, and not published yet.

    Attributes:
        sha256: Its checksum.
        checksum_of: What the checksum is of.
        name: What the file or folder will be called, if it is one.
        table: Once it is published: the table, or where it is.
    """

    sha256: str
    checksum_of: Literal["column", "file", "folder"]
    name: str | None
    table: Callable[[], Any]


class Engine(Protocol):
    """A table, and how it is read and written."""

    @classmethod
    def takes(cls, data: object) -> bool:
        """Whether this is a table of this engine."""

    @classmethod
    def to_read(cls, data: Any, *, na: Sequence[str]) -> Self:
        """A table that is only read; `na` is as for `summarise`."""

    @classmethod
    def to_publish(
        cls, data: Any, output: str | PathLike[str] | None, *, na: Sequence[str], force: bool
    ) -> Self:
        """A table that is released, where to, and whether it may replace what is there."""

    @property
    def library(self) -> str | None:
        """The library whose version a record names, in addition to those that it always names."""

    @property
    def once(self) -> bool:
        """Whether the table can be read only once."""

    def fold(
        self, what: Counting, check: Checking | None = None, progress: Progress | None = None
    ) -> Counts:
        """How often each combination of labels occurs.

        Args:
            what: Which columns, and how they are counted.
            check: Called with rows, and how many come before them, as they are read; may refuse.
                An engine that surveys its tables need not call it.
            progress: Called with the share that was read.
        """

    def names(self) -> tuple[str, ...]:
        """All columns that the table has."""

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        """How columns would naturally be read."""

    def survey(self, how: Change) -> Survey | None:
        """What is known before anything is drawn.

        None for an engine that passes its rows to `how.account` in order.
        """

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[Any]:
        """The changed rows, for `publish`; they may be computed there.

        Args:
            how: What is done to them.
            survey: What is known of them.
            progress: Called with the share that was read.
        """

    def publish(self, changed: Any, how: Change) -> AbstractContextManager[Staged]:
        """All changed rows, in a hidden place.

        They are published if the block ends without an error, and deleted otherwise. `how.finish`
        is called before that.
        """
