"""What every kind of release has in common: a plan, what it states, its record, how it is checked.

A kind is one way to publish: the rows of a column, the sum of one. It gives its plan and its record
(subclasses of `ReleasePlan` and `ReleaseRecord`), and a `Kind`, which says how such a record is
checked. `register` makes it known to the verifier. No layer above asks which kind it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal

from pufferfish.core.validation import require
from pufferfish.documents.text import as_document, of_another_kind
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.kinds.record import PlanT, ReleaseRecord, StatedT
from pufferfish.kinds.verdict import Check

__all__ = ["Kind", "kind_of", "plan_of", "register"]


class Kind(ABC, Generic[PlanT, StatedT]):
    """How a record of this kind is checked, claim by claim.

    Attributes:
        plan: The type of its plans.
        record: The type of its records.
        everybody: For whom the promise must be kept.
        private: Why the promise cannot be checked where the plan is not in the edition.
    """

    plan: ClassVar[type[ReleasePlan]]
    record: ClassVar[type[ReleaseRecord[Any, Any]]]
    everybody: ClassVar[str]
    private: ClassVar[str]

    @abstractmethod
    def facts(self, data: Mapping[str, Any]) -> StatedT:
        """What a record of either edition states."""

    @abstractmethod
    def words(self, facts: StatedT) -> dict[str, Any]:
        """The words that follow from the facts, by entry."""

    @abstractmethod
    def facts_by_plan(self, facts: StatedT, plan: PlanT) -> StatedT:
        """The facts that a release by this plan states if it did what these facts say."""

    @abstractmethod
    def promise_in_words(self, facts: StatedT) -> str:
        """The promise that the mechanism must keep, and for whom."""

    @abstractmethod
    def recompute(self, plan: PlanT) -> str:
        """The result of certifying the plan again, in words."""

    @abstractmethod
    def all_public(self, plan: Mapping[str, Any]) -> Check:
        """Whether anyone may see the plan in a public edition."""

    @abstractmethod
    def agreement(self, data: Mapping[str, Any], facts: StatedT, plan: PlanT | None) -> list[str]:
        """What was done and counted that cannot be true together, in words."""

    def decided(self, facts: StatedT, plan: PlanT) -> tuple[Collection[str], Collection[str]]:
        """The entries that the counts in a plan decide, and parts of it that nothing decides."""
        del facts, plan
        return (), ()

    @abstractmethod
    def appearance(
        self,
        data: Mapping[str, Any],
        facts: StatedT,
        folder: Path | None,
        released: str | Path | None,
    ) -> tuple[list[Check], list[str]]:
        """Checks of what was published, and notes on what was not checked.

        Args:
            data: The record.
            facts: What it states.
            folder: Where a published file may be; None: it is not looked for.
            released: The published file or folder, where it is elsewhere.
        """


_KINDS: dict[str, Kind[Any, Any]] = {}


def register(kind: Kind[Any, Any]) -> None:
    """Register a kind by the names that its plans and records have in documents."""
    for name in (kind.plan.KIND, kind.record.KIND):
        known = _KINDS.setdefault(name, kind)
        require(type(known) is type(kind), f"another kind has documents called {name!r}.")


def kind_of(name: object, wanted: Literal["plan", "record"]) -> Kind[Any, Any]:
    """The kind whose plans or records have this name.

    Args:
        name: What a document says that it is.
        wanted: What it should be, for the message.

    Raises:
        InvalidInputError: There is no such kind.
    """
    if not isinstance(name, str) or name not in _KINDS:
        raise of_another_kind(name, wanted)
    return _KINDS[name]


def plan_of(plain: dict[str, Any]) -> ReleasePlan:
    """The plan in a document, of any kind and version, as `plain_document` read it."""
    plan = kind_of(plain["pufferfish"], "plan").plan
    return plan.from_dict(as_document(plain, plan.KIND))
