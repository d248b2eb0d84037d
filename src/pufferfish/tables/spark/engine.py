"""A Spark cluster as an engine: the same verbs as on one machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar, Self

from pufferfish.core.errors import InvalidInputError
from pufferfish.tables.change import Change
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import Checking, ColumnKind, Progress, Staged, Survey
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.seen import NOBODY, PersonsFound
from pufferfish.tables.spark.fold import spark_fold, spark_kinds
from pufferfish.tables.spark.jobs import is_spark
from pufferfish.tables.spark.persons import reduce_spark, spark_persons
from pufferfish.tables.spark.publish import publish_spark
from pufferfish.tables.spark.survey import count_groups
from pufferfish.tables.spark.transform import ChangedRows, change_spark
from pufferfish.tables.tally import Counting

__all__ = ["SparkEngine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkEngine:
    """A classic Spark frame.

    A release reads it to count and again to draw; once more where persons are counted, once more
    where columns are kept, and twice more where beliefs claim to be fitted on it. It must be the
    same each time.

    Attributes:
        frame: The frame.
        output: The folder to write: a path, or an address that Spark can write to.
        kind: "parquet" or "orc".
        force: Replace a folder that is there already.
    """

    frame: Any
    output: str = ""
    kind: str = "parquet"
    force: bool = False
    library: ClassVar[str | None] = "pyspark"
    once: ClassVar[bool] = False

    @classmethod
    def takes(cls, data: object) -> bool:
        """Whether this is a Spark frame."""
        return is_spark(data)

    @classmethod
    def to_read(cls, data: Any, *, na: Sequence[str]) -> Self:
        """A frame to read."""
        return cls(frame=data)

    @classmethod
    def to_publish(
        cls, data: Any, output: str | PathLike[str] | None, *, na: Sequence[str], force: bool
    ) -> Self:
        """A frame to publish, and where to."""
        if output is None:
            raise InvalidInputError(
                "releasing a Spark frame needs output=, the folder to write: noise that is not "
                "saved would be drawn again each time the frame is used."
            )
        return cls(frame=data, output=fspath(output), force=force)

    def fold(
        self, what: Counting, check: Checking | None = None, progress: Progress | None = None
    ) -> Counts:
        """Counts of all rows, added up by the executors; `survey` has checked them."""
        return spark_fold(self._reduced(what.one_row), what)

    def names(self) -> tuple[str, ...]:
        """The names in its schema."""
        return tuple(self.frame.columns)

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        """By the columns' types."""
        return spark_kinds(self.frame, names)

    def survey(self, how: Change) -> Survey:
        """Counts of each secret, and of persons when they are requested."""
        frame = self._reduced(how.one_row)

        def persons() -> PersonsFound:
            if how.person is None:
                return NOBODY
            column = None if how.measured is None else how.measured.column
            return spark_persons(frame, how.person, how.secret, column, pairs=how.pairs)

        return Survey(groups=count_groups(frame, how), persons=persons)

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[ChangedRows]:
        """A frame that is computed when it is written."""
        known = self.survey(how) if survey is None else survey
        return nullcontext(change_spark(self._reduced(how.one_row), how, known))

    def publish(self, changed: ChangedRows, how: Change) -> AbstractContextManager[Staged]:
        """A folder, which takes its place in one step where the storage supports that."""
        return publish_spark(changed, how, self.output, kind=self.kind, force=self.force)

    def _reduced(self, one_row: OneRow | None) -> Any:
        return self.frame if one_row is None else reduce_spark(self.frame, one_row)
