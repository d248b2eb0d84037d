"""The record of a released table, in an internal and a public edition.

The internal edition holds the plan, with the beliefs, and the certificate: all that is needed to
check every claim again. The public edition holds what an analyst needs. Unless every belief is
public, it depends on the data only through what is published, the number of rows, shares in whole
percent, and the sizes of noise, rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pufferfish.columns.record import ChecksumOf, Published
from pufferfish.columns.statement import BeliefsFrom, Order
from pufferfish.documents.shape import Entries, written
from pufferfish.documents.types import Whole
from pufferfish.joint.facts import TableFacts, TableFactsEntries
from pufferfish.joint.plan import TablePlan, TablePlanEntries
from pufferfish.joint.words import words
from pufferfish.kinds import agreement
from pufferfish.kinds.entries import record_shape, undecided_rows
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.learning.reveals import Reveals
from pufferfish.words.numbers import percent_of

__all__ = ["TableRecord", "contradictions"]


class Counted(Entries):
    """What was counted in the table."""

    rows: Whole
    missing: Whole
    unprotected: Whole
    unseen: Whole
    outside: Whole
    capped: Whole


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableRecord(ReleaseRecord[TablePlan, TableFacts]):
    """What one release did.

    Attributes:
        plan: What was planned.
        rows_read: Rows of the table; internal.
        rows_published: Rows that were published.
        rows_missing: Rows in which one of the protected columns is missing; internal.
        rows_unprotected: Rows whose secret is in no pair, or that have none; internal.
        rows_unseen: Rows with a combination that no belief considers; internal.
        rows_outside: In a column of numbers, values beyond what beliefs consider; internal.
        rows_capped: In a column of numbers, values that were moved to a bound; internal.
        sha256: Checksum of what was published.
        checksum_of: What the checksum is of.
        output: The name of the published file or folder; None for a frame.
        order: The order in which the rows were published.
        beliefs_from: Where the beliefs come from, as far as that was checked.
        beliefs_fitted: When they were fitted, if to another table.
        rows_fitted: How many other rows of the table the beliefs were fitted to, if they were.
        known_says: What known columns reveal about the secret by themselves.
        reveals: What all published columns reveal, where one is not protected.
        versions: The versions of the software.
        created: When it was made, in UTC.
    """

    KIND: ClassVar[str] = "table-record"
    SHAPE: ClassVar[Any] = record_shape(
        TableFactsEntries,
        plan=TablePlanEntries,
        published=Published,
        table=Counted,
        pufferfish=Literal["table-record"],
        version=Literal[1],
        headline=tuple[str, ...],
    )

    # What the shape has and no plan decides.
    UNDECIDED: ClassVar[Mapping[str, str]] = undecided_rows(
        "plan.recodes",
        reveals="unprotected",
        known_says="known",
        **{"table.unseen": "", "plan.missing_secret": ""},
        # A rule that changes no label is not told, and says how labels are shown.
        **dict.fromkeys(
            [f"plan.scenario.beliefs.rules.{name}" for name in ("order", "read")], "plan"
        ),
        **{"plan.noise.unseen": "plan.noise.values", "plan.noise.laws.unseen": "plan.noise.laws"},
    )

    plan: TablePlan
    rows_read: int
    rows_published: int
    rows_missing: int
    rows_unprotected: int
    rows_unseen: int
    rows_outside: int
    rows_capped: int
    sha256: str
    checksum_of: ChecksumOf
    output: str | None
    order: Order
    beliefs_from: BeliefsFrom
    beliefs_fitted: str | None = None
    rows_fitted: int | None = None
    known_says: Reveals | None = None
    reveals: Reveals | None = None
    versions: dict[str, str]
    created: str

    @property
    def facts(self) -> TableFacts:
        """What everybody may know of the release."""
        return TableFacts.of(
            self.plan,
            order=self.order,
            unprotected_percent=percent_of(self.rows_unprotected, self.rows_published),
            beliefs_from=self.beliefs_from,
            beliefs_fitted=self.beliefs_fitted,
            rows_fitted=self.rows_fitted,
            known_says=self.known_says,
            reveals=self.reveals,
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
            "unseen": self.rows_unseen,
            "outside": self.rows_outside,
            "capped": self.rows_capped,
        }

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Self:
        """The record that an internal edition describes; its plan is certified again."""
        table, published = data["table"], data["published"]
        said = TableFacts.from_dict(data)
        return cls(
            plan=TablePlan.from_record(data),
            rows_read=table["rows"],
            rows_published=published["rows"],
            rows_missing=table["missing"],
            rows_unprotected=table["unprotected"],
            rows_unseen=table["unseen"],
            rows_outside=table["outside"],
            rows_capped=table["capped"],
            sha256=published["sha256"],
            checksum_of=published["checksum_of"],
            output=published["file"],
            order=said.order,
            beliefs_from=said.beliefs_from,
            beliefs_fitted=said.beliefs_fitted,
            rows_fitted=said.rows_fitted,
            known_says=said.known_says,
            reveals=said.reveals,
            versions=data["versions"],
            created=data["created"],
        )

    def contradictions(self) -> list[str]:
        """Entries that cannot be true of one release together, in words."""
        facts = self.facts
        said = facts.to_dict() | {"table": self.counted, "published": self.published}
        return contradictions(said, facts, self.plan)

    def __repr__(self) -> str:
        """The columns and the rows published; other counts of the table may be private."""
        return f"TableRecord({self.plan.columns!r}, {self.rows_published} rows published)"


def contradictions(data: Mapping[str, Any], facts: TableFacts, plan: TablePlan | None) -> list[str]:
    """Entries that cannot be true of one release together, in words.

    Args:
        data: The record, of either edition; its shape was checked.
        facts: What it says to everybody.
        plan: Its plan, where that is known.
    """
    return [*_of_known(facts), *agreement.contradictions(data, facts, plan, facts.unprotected)]


def _of_known(facts: TableFacts) -> Iterator[str]:
    if not {*facts.kept} <= {*facts.known}:
        yield "a column is kept, but not among the known columns"
    if facts.known_says is not None and not facts.known:
        yield "it says what known columns reveal, and no column is known"
    if facts.known_says is not None and facts.known_says.pair not in facts.pairs:
        yield "what columns reveal is about a pair that is not among the pairs"
