"""The record of a released sum, in an internal and a public edition.

As for `pufferfish.columns.record`: the internal edition holds all that is needed to check every
claim again. The public edition holds nothing that is derived from users who are not public, except
the scale, rounded up, and the number of users where a mean tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pufferfish.core.validation import finite
from pufferfish.documents.shape import Entries, written
from pufferfish.documents.types import Whole
from pufferfish.exact.certificate import CertificateEntries
from pufferfish.kinds.entries import record_shape
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.sums.facts import SumFacts, SumFactsEntries, sum_words
from pufferfish.sums.plan import SumLawEntries, SumPlan, SumPlanEntries

__all__ = ["SumRecord", "counts_of_sum"]


class PublishedSum(Entries):
    """What was published."""

    value: float


class CountedRows(Entries):
    """What was counted in the table."""

    rows: Whole
    outside: Whole


class SumCertificateEntries(CertificateEntries, kw_only=True):
    """`Certificate` in a document."""

    noise: SumLawEntries


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SumRecord(ReleaseRecord[SumPlan, SumFacts]):
    """The record of one released sum.

    Attributes:
        plan: The plan.
        value: The published number.
        rows: The number of rows that were summed; internal, because presence is a secret.
        outside: The number of rows outside all that the description considers possible; internal.
        versions: The versions of the software.
        created: The time, in UTC.
    """

    KIND: ClassVar[str] = "sum-record"
    SHAPE: ClassVar[Any] = record_shape(
        SumFactsEntries,
        plan=SumPlanEntries,
        published=PublishedSum,
        table=CountedRows,
        certificate=SumCertificateEntries,
        pufferfish=Literal["sum-record"],
        version=Literal[1],
    )

    # What the shape has and no plan decides.
    UNDECIDED: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (
            *("created", "versions", "published.value", "table.rows", "table.outside"),
            *("plan.users", "plan.method", "plan.tau", "plan.allow_no_noise"),
        ),
        "",
    )

    plan: SumPlan
    value: float
    rows: int
    outside: int
    versions: dict[str, str]
    created: str

    @property
    def facts(self) -> SumFacts:
        """The facts that everybody may know."""
        return SumFacts.of(self.plan)

    @property
    def words(self) -> dict[str, Any]:
        """All that it says in words, by entry."""
        return sum_words(self.facts)

    @property
    def published(self) -> dict[str, Any]:
        """The published number."""
        return written(PublishedSum, self)

    @property
    def counted(self) -> dict[str, Any]:
        """What was counted in the table; internal."""
        return written(CountedRows, self)

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Self:
        """The record that an internal edition describes; its plan is certified again."""
        table = data["table"]
        return cls(
            plan=SumPlan.from_dict(data["plan"]),
            value=finite("value", data["published"]["value"]),
            rows=table["rows"],
            outside=table["outside"],
            versions=data["versions"],
            created=data["created"],
        )

    def contradictions(self) -> list[str]:
        """In words, claims that cannot be true of one release."""
        return counts_of_sum(self.counted, self.plan)

    def __repr__(self) -> str:
        """Shows what was published, and nothing else."""
        return f"SumRecord({self.plan.statistic} of {self.plan.column!r}, {self.value!r})"


def counts_of_sum(counted: Mapping[str, Any], plan: SumPlan) -> list[str]:
    """In words, counts that no release by this plan can have."""
    users, protected = plan.calibration.users, plan.calibration.protected
    found = []
    if counted["rows"] not in (users.size, users.size - (protected.what == "presence")):
        found.append("the rows that were summed are not those of the described users")
    if not 0 <= counted["outside"] <= counted["rows"]:
        found.append("more values are outside than there are rows")
    return found
