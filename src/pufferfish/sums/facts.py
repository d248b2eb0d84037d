"""The public facts in the record of a sum, and the words that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pufferfish.beliefs.guarantee import GoalEntries, Guarantee
from pufferfish.core.ladder import Rounding
from pufferfish.documents.shape import Entries, read_part, written
from pufferfish.documents.types import Bounds, Count, Name
from pufferfish.kinds.record import Stated
from pufferfish.mechanisms import words_of
from pufferfish.noise import Noise, as_noise, law_to_dict
from pufferfish.sums.plan import Statistic, SumLawEntries, SumPlan
from pufferfish.sums.secret import Protect, Protected
from pufferfish.sums.words import unpromised_sum

__all__ = ["SumFacts", "SumFactsEntries", "sum_words"]


class SumFactsEntries(Entries):
    """`SumFacts` in a document."""

    goal: GoalEntries
    protected: Protect
    between: Bounds | None
    statistic: Statistic
    column: Name
    noise: SumLawEntries
    rounding: Rounding | None
    users: Count | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SumFacts(Stated):
    """What a record states to everybody about a sum.

    It holds nothing about users who are not public, except their number where a mean tells it.

    Attributes:
        goal: The promise, for every user.
        protected: What must stay hidden about each of them.
        statistic: The statistic that was published.
        column: The column that was summed.
        noise: The law that was added.
        rounding: How its scale was made public; None where every user is public.
        users: The number of described users; None where that is not told.
        tables: Whether every user's table is known, and not only mean and std. In a record
            without a plan, the words show which of the two it is.
    """

    goal: Guarantee
    protected: Protected
    statistic: Statistic
    column: str
    noise: Noise
    rounding: Rounding | None
    users: int | None
    tables: bool

    @classmethod
    def of(cls, plan: SumPlan) -> Self:
        """The facts that follow from a plan."""
        calibration = plan.calibration
        # A mean is a sum divided by the number of described users, and so reveals that number.
        told = plan.public or plan.statistic == "mean"
        return cls(
            goal=calibration.goal,
            protected=calibration.protected,
            statistic=plan.statistic,
            column=plan.column,
            noise=calibration.noise,
            rounding=None if plan.public else plan.rounding,
            users=calibration.users.size if told else None,
            tables=calibration.users.laws is not None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        return written(
            SumFactsEntries,
            self,
            self.protected,
            protected=self.protected.what,
            noise=law_to_dict(self.noise),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The facts in a record of either edition."""
        entries = read_part(data, SumFactsEntries, "record of a sum")
        return cls(
            goal=entries.goal.made(),
            protected=Protected(what=entries.protected, between=entries.between),
            noise=as_noise(entries.noise.made()),
            tables="tables" in data["plan"]["users"]
            if "plan" in data
            # No entry says it: the words are those of the one case or of the other.
            else data["not_promised"] == _not_promised(entries.rounding, tables=True),
            statistic=entries.statistic,
            column=entries.column,
            rounding=entries.rounding,
            users=entries.users,
        )


def sum_words(facts: SumFacts) -> dict[str, Any]:
    """All that a record says in words, by entry."""
    return {
        "promise": _claim(facts),
        "not_promised": _not_promised(facts.rounding, tables=facts.tables),
    }


def _not_promised(rounding: Rounding | None, *, tables: bool) -> list[str]:
    return unpromised_sum(tables=tables) + _size_not_promised(rounding)


def _size_not_promised(rounding: Rounding | None) -> list[str]:
    """What the published scale says of users who are not public; empty where all are public."""
    if rounding is None:
        return []
    if rounding == "given":
        return [
            "What it says about the users that noise of this scale is enough. (The scale was "
            "chosen without looking at them.)"
        ]
    return [
        "What the scale of the noise says about the users. It was computed from what is known of "
        "them and rounded up to a rung of a public ladder; one user who adds far more than all "
        "others decides it."
    ]


def _secret(protected: Protected) -> str:
    if protected.what == "presence":
        return "whether any one user's value is in it"
    if protected.between is None:
        return "which of their described values any one user reported"
    low, high = protected.between
    return f"whether any one user reported {low:g} or {high:g} (nothing else is bounded)"


def _claim(facts: SumFacts) -> str:
    added, noise = "No noise was added.", facts.noise
    if not noise.identity:
        what = words_of(noise).noun(noise, "{:g}".format, "{:.4g}".format)
        added = f"Added to the sum was {what}."
    divided = (
        f" It was then divided by {facts.users:,}, the number of described users."
        if facts.statistic == "mean" and facts.users is not None
        else ""
    )
    return (
        f"What the published {facts.statistic} of {facts.column!r} says about "
        f"{_secret(facts.protected)} is bounded, for every user: {facts.goal} pufferfish "
        "privacy, against one who knows the described laws of independent users, for one release. "
        f"{added}{divided}"
    )
