"""The kind of release that publishes rows of a table: how it is made, described and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pufferfish.beliefs.scenario import PUBLIC
from pufferfish.joint.appearance import table_appearance
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord, contradictions
from pufferfish.joint.session import TableSession
from pufferfish.joint.story import story
from pufferfish.joint.words import words
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.kinds.recount import decided
from pufferfish.kinds.verdict import Check
from pufferfish.releases import RowKind, RowSession
from pufferfish.releases.published_file import Appearance
from pufferfish.words.certificates import measure, pairs_in_words
from pufferfish.words.numbers import at_most
from pufferfish.words.phrases import list_in_words
from pufferfish.words.steps import Step

__all__ = ["TableKind"]


class TableKind(RowKind[TablePlan, TableFacts]):
    """Rows of several columns, of any type, given what is known."""

    plan: ClassVar[type[ReleasePlan]] = TablePlan
    record: ClassVar[type[ReleaseRecord[Any, Any]]] = TableRecord
    session: ClassVar[type[RowSession[Any, Any]]] = TableSession
    everybody: ClassVar[str] = "pair, adversary and known value"
    private: ClassVar[str] = "the beliefs are private and not in this edition"

    def facts(self, data: Mapping[str, Any]) -> TableFacts:
        """What a record of either edition states."""
        return TableFacts.from_dict(data)

    def words(self, facts: TableFacts) -> dict[str, Any]:
        """The words that follow from the facts, by entry."""
        return words(facts)

    def facts_by_plan(self, facts: TableFacts, plan: TablePlan) -> TableFacts:
        """The facts that a release by this plan states if it did what these facts say."""
        return facts.planned_by(plan)

    def promise_in_words(self, facts: TableFacts) -> str:
        """The promise, with what somebody may know."""
        if not facts.known:
            return f"{facts.goal}"
        return f"{facts.goal} for somebody who knows {list_in_words(facts.known)}"

    def recompute(self, plan: TablePlan) -> str:
        """The certified bound over all strata, in words."""
        certificate = plan.certificate
        found = certificate.epsilon_upper if certificate.goal.pure else certificate.delta_upper
        return (
            f"{measure(certificate.goal)} at most {at_most(found, 9)}, "
            f"{pairs_in_words(certificate)}"
        )

    def all_public(self, plan: Mapping[str, Any]) -> Check:
        """Whether every belief is called public."""
        beliefs = plan["scenario"]["beliefs"]
        public = all(belief.get("provenance") == PUBLIC for belief in beliefs)
        return Check(
            claim="this public edition holds no private belief",
            verdict=public,
            detail="every belief in it is called public" if public else "one is not called public",
        )

    def agreement(
        self, data: Mapping[str, Any], facts: TableFacts, plan: TablePlan | None
    ) -> list[str]:
        """Whether counts, order and measurements can be true together."""
        return contradictions(data, facts, plan)

    def decided(
        self, facts: TableFacts, plan: TablePlan
    ) -> tuple[Collection[str], Collection[str]]:
        """What the counts decide, and the parts of the plan that nothing decides."""
        return decided(plan, facts.beliefs_from)

    def story(self, record: TableRecord) -> tuple[Step, ...]:
        """What happened, part by part."""
        return story(record)

    def looks(self, data: Mapping[str, Any], facts: TableFacts, released: Path) -> Appearance:
        """Whether the laws can publish such rows."""
        return table_appearance(data, facts, released)
