"""The record of a release: what was done and promised, in an internal and a public edition.

The internal edition holds the plan, with the beliefs, and the certificate: all that is needed to
check every claim again. The public edition holds what an analyst needs. Unless every belief is
public, it depends on the data only through what is published, the number of rows, shares in whole
percent, and the size of the noise, rounded up (docs/theory/published-size.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from pufferfish.columns.plan import ColumnPlan, PlanEntries
from pufferfish.columns.statement import BeliefsFrom, Facts, Order, words
from pufferfish.columns.statement.facts import FactsEntries
from pufferfish.core.validation import nonnegative
from pufferfish.documents.shape import Entries, written
from pufferfish.documents.types import Count, Name, NotNegative, Whole, whole_text
from pufferfish.kinds.agreement import contradictions
from pufferfish.kinds.entries import record_shape, undecided_rows
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.learning.reveals import Reveals
from pufferfish.words.numbers import percent_of

__all__ = ["ChecksumOf", "Record"]

ChecksumOf = Literal["file", "folder", "column"]


class Published(Entries):
    """Where the published rows are."""

    rows: Count
    sha256: Annotated[str, Meta(pattern=whole_text("[0-9a-f]{64}"))]
    checksum_of: ChecksumOf
    file: Name | None


class Counted(Entries):
    """What was counted in the table."""

    rows: Whole
    missing: Whole
    unprotected: Whole
    outside: Whole
    capped: Whole
    column_std: NotNegative


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Record(ReleaseRecord[ColumnPlan, Facts]):
    """What one release did.

    Attributes:
        plan: What was planned.
        rows_read: Rows of the table; internal.
        rows_published: Rows that were published.
        rows_missing: Rows without a value; internal.
        rows_unprotected: Rows whose secret is in no pair, or that have none; internal.
        rows_outside: Values beyond all that the beliefs consider; internal.
        rows_capped: Values that were moved to a bound of the plan's cap; internal.
        column_std: The std of the column itself, before any cap; internal.
        sha256: Checksum of what was published.
        checksum_of: What the checksum is of: a "file", a "folder" (of its manifest), a "column".
        output: The name of the published file or folder, without its path; None for a frame.
        order: The order in which the rows were published.
        beliefs_from: Where the beliefs come from, as far as that was checked.
        beliefs_fitted: When they were fitted, if to another table.
        rows_tested: Whether a test found nothing against the independence of a person's rows.
        rows_fitted: How many other rows of the table the beliefs were fitted to, if they were.
        reveals: What the protected column and the kept ones reveal together; None if none is kept.
        versions: The versions of the software.
        created: When it was made, in UTC.
    """

    KIND: ClassVar[str] = "record"
    SHAPE: ClassVar[Any] = record_shape(
        FactsEntries,
        plan=PlanEntries,
        published=Published,
        table=Counted,
        pufferfish=Literal["record"],
        version=Literal[1],
        headline=tuple[str, ...],
    )

    # What the shape has and no plan decides.
    UNDECIDED: ClassVar[Mapping[str, str]] = undecided_rows(
        "plan.recode",
        reveals="kept",
        rows_tested="plan.person",
        **{"table.column_std": ""},
    )

    plan: ColumnPlan
    rows_read: int
    rows_published: int
    rows_missing: int
    rows_unprotected: int
    rows_outside: int
    rows_capped: int = 0
    column_std: float
    sha256: str
    checksum_of: ChecksumOf
    output: str | None
    order: Order
    beliefs_from: BeliefsFrom
    beliefs_fitted: str | None = None
    reveals: Reveals | None = None
    rows_tested: bool = False
    rows_fitted: int | None = None
    versions: dict[str, str]
    created: str

    @property
    def facts(self) -> Facts:
        """What everybody may know of the release."""
        return Facts.of(
            self.plan,
            order=self.order,
            unprotected_percent=percent_of(self.rows_unprotected, self.rows_published),
            beliefs_from=self.beliefs_from,
            beliefs_fitted=self.beliefs_fitted,
            reveals=self.reveals,
            rows_tested=self.rows_tested,
            rows_fitted=self.rows_fitted,
        )

    @property
    def words(self) -> dict[str, Any]:
        """All that the record says in words, by entry."""
        return words(self.facts)

    @property
    def published(self) -> dict[str, Any]:
        """Where the published rows are."""
        return written(Published, self, rows=self.rows_published, file=self.output)

    @property
    def counted(self) -> dict[str, Any]:
        """What was counted in the table; internal."""
        return {
            "rows": self.rows_read,
            "missing": self.rows_missing,
            "unprotected": self.rows_unprotected,
            "outside": self.rows_outside,
            "capped": self.rows_capped,
            "column_std": self.column_std,
        }

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Self:
        """The record that an internal edition describes; its plan is certified again."""
        table, published = data["table"], data["published"]
        said = Facts.from_dict(data)
        return cls(
            plan=ColumnPlan.from_record(data),
            rows_read=table["rows"],
            rows_published=published["rows"],
            rows_missing=table["missing"],
            rows_unprotected=table["unprotected"],
            rows_outside=table["outside"],
            rows_capped=table["capped"],
            column_std=nonnegative("column_std", table["column_std"]),
            sha256=published["sha256"],
            checksum_of=published["checksum_of"],
            output=published["file"],
            order=said.order,
            beliefs_from=said.beliefs_from,
            beliefs_fitted=said.beliefs_fitted,
            reveals=said.reveals,
            rows_tested=said.rows_tested,
            rows_fitted=said.rows_fitted,
            versions=data["versions"],
            created=data["created"],
        )

    def contradictions(self) -> list[str]:
        """Entries that cannot be true of one release together, in words."""
        facts = self.facts
        said = facts.to_dict() | {"table": self.counted, "published": self.published}
        return contradictions(said, facts, self.plan, facts.kept)

    def __repr__(self) -> str:
        """The column and the rows published; other counts of the table may be private."""
        return f"Record({self.plan.column!r}, {self.rows_published} rows published)"
