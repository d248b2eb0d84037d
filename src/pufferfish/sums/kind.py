"""The kind of release that publishes one sum: how its record is checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pufferfish.beliefs.scenario import PUBLIC
from pufferfish.core.validation import require
from pufferfish.kinds.kind import Kind
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.kinds.verdict import Check
from pufferfish.sums.facts import SumFacts, sum_words
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.record import SumRecord, counts_of_sum

__all__ = ["SumKind"]


class SumKind(Kind[SumPlan, SumFacts]):
    """One number, which the record holds itself."""

    plan: ClassVar[type[ReleasePlan]] = SumPlan
    record: ClassVar[type[ReleaseRecord[Any, Any]]] = SumRecord
    everybody: ClassVar[str] = "user"
    private: ClassVar[str] = "the users are private and not in this edition"

    def facts(self, data: Mapping[str, Any]) -> SumFacts:
        """The facts that a record of either edition states."""
        return SumFacts.from_dict(data)

    def words(self, facts: SumFacts) -> dict[str, Any]:
        """The words that follow from the facts, by entry."""
        return sum_words(facts)

    def facts_by_plan(self, facts: SumFacts, plan: SumPlan) -> SumFacts:
        """The facts of a release by this plan; they do not depend on the data."""
        del facts
        return SumFacts.of(plan)

    def promise_in_words(self, facts: SumFacts) -> str:
        """The promise, for every user."""
        return f"{facts.goal}"

    def recompute(self, plan: SumPlan) -> str:
        """The number of certificates that settled all users, in words."""
        calibration = plan.calibration
        return (
            f"{calibration.certificates} certificate(s) settled all "
            f"{calibration.users.size:,} users"
        )

    def all_public(self, plan: Mapping[str, Any]) -> Check:
        """Whether the users are called public."""
        public = plan["users"]["provenance"] == PUBLIC
        return Check(
            claim="this public edition describes no private user",
            verdict=public,
            detail="the users are called public" if public else "they are not called public",
        )

    def agreement(
        self, data: Mapping[str, Any], facts: SumFacts, plan: SumPlan | None
    ) -> list[str]:
        """Only a mean tells the number of users, unless they are public."""
        found = []
        if facts.statistic == "mean" and facts.users is None:
            found.append("a mean was published without the number of users by which it was divided")
        if plan is None and facts.rounding is None:
            found.append("the users are private, and nothing is said of how the scale was rounded")
        if plan is None and facts.statistic != "mean" and facts.users is not None:
            found.append("the users are private, but their number is told")
        if plan is not None and "table" in data:
            found += counts_of_sum(data["table"], plan)
        return found

    def appearance(
        self,
        data: Mapping[str, Any],
        facts: SumFacts,
        folder: Path | None,
        released: str | Path | None,
    ) -> tuple[list[Check], list[str]]:
        """Whether one number was published, and lies on the grid of its noise."""
        require(
            released is None,
            "the record of a sum holds the published number, and there is no file: leave out "
            "--released (released=).",
        )
        value, grid = data["published"]["value"], facts.noise.grid
        real = isinstance(value, float | int) and math.isfinite(value)
        found = Check(
            claim="one number was published, on the grid of its noise",
            verdict=real and (grid is None or _on_grid(value, facts, grid)),
            detail=f"{value!r}",
        )
        return [found], []


def _on_grid(value: float, facts: SumFacts, grid: float) -> bool:
    """A sum is a multiple of the grid; a mean is such a multiple divided by the number of users."""
    if facts.statistic != "mean":
        return value % grid == 0.0
    if facts.users is None:
        return False
    steps = value * facts.users / grid
    return math.isfinite(steps) and round(steps) * grid / facts.users == value
