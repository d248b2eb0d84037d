"""What everybody may know of a release, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pufferfish.checks import bounds, require
from pufferfish.codec import check_entries, pairs_from_plain, pairs_to_plain, reading
from pufferfish.guarantee import Guarantee
from pufferfish.kind import Stated
from pufferfish.ladder import ROUNDINGS, Rounding
from pufferfish.mechanism import Postprocess
from pufferfish.noise import Law, law_from_dict, law_to_dict
from pufferfish.plan import (
    DEPENDENCES,
    MISSING,
    ONE_ROW,
    Dependence,
    Missing,
    OneRow,
    Plan,
    Unit,
    postprocess_from_dict,
    postprocess_to_dict,
)
from pufferfish.scenario import RELEASED, Belief, SecretPair, checked_secret

__all__ = ["BeliefsFrom", "Facts", "Order", "Reveals", "planned_source"]

Order = Literal["random", "table"]
BeliefsFrom = Literal["this table", "another table", "elsewhere"]

_ORDERS = ("random", "table")
_FROM = ("this table", "another table", "elsewhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveals:
    """What all published columns together reveal, measured on rows that were held out.

    Attributes:
        found_percent: How often a learner finds the secret of a row that it has not seen, between
            two secrets that are equally likely: an upper limit with 95% confidence, in whole
            percent, rounded up (`pufferfish.learning`); at least 50, as by guessing.
        pair: Between which two: of those measured, the pair that is told apart best.
    """

    found_percent: int
    pair: SecretPair

    def __post_init__(self) -> None:
        """Refuse what is no percentage."""
        whole = isinstance(self.found_percent, int) and not isinstance(self.found_percent, bool)
        require(
            whole and 50 <= self.found_percent <= 100,
            "found_percent must be from 50, as by guessing, to 100.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        return {"found_percent": self.found_percent, "pair": list(self.pair)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """What `to_dict` described."""
        check_entries("measurement", data, ("found_percent", "pair"))
        first, second = (checked_secret(each) for each in data["pair"])
        return cls(found_percent=data["found_percent"], pair=SecretPair(first, second))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts(Stated):
    """What everybody may know of a release; nothing of a private belief.

    Attributes:
        goal: The promise for one unit.
        unit: What it is about: one "row", or one "person".
        rows_per_person: At most this many rows of one person; None in a public record of version
            1, which did not say.
        dependence: What is taken to be true of the rows of one person, as in `Plan`.
        one_row: Which one row stands for a person, as in `Plan`.
        rows_tested: Whether a test found nothing against the independence of a person's rows.
        pairs: Which secrets must look alike.
        column: The protected column.
        secret: The column of the secret; None in a record of version 1, which did not say.
        kept: Columns that are published as they are.
        reveals: What they and the protected column reveal together; None if nothing is kept.
        missing: What became of rows without a value.
        cap: Between which bounds values were moved before the mechanism.
        step: Every value, before the noise, is a multiple of this; None: nobody says so.
        order: The order in which rows were published.
        unprotected_percent: Rows whose secret is in no pair, in whole percent, rounded up; None
            where no rows were seen yet.
        adversaries: How many are described; None in a record of version 1.
        beliefs_from: Where the beliefs come from: the table that was released, another table, or
            elsewhere (a reference sample, public knowledge).
        beliefs_fitted: When, if they were fitted to another table.
        noise: The law that was applied.
        rounding: How its size was made public, as in `Plan`; None where every belief is public, so
            that the size says nothing of private data.
        postprocess: What was done to the noised values.
    """

    goal: Guarantee
    unit: Unit
    rows_per_person: int | None
    dependence: Dependence
    one_row: OneRow | None
    rows_tested: bool
    pairs: Sequence[SecretPair]
    column: str
    secret: str | None
    kept: tuple[str, ...]
    reveals: Reveals | None
    missing: Missing
    cap: tuple[float, float] | None
    step: float | None
    order: Order
    unprotected_percent: int | None
    adversaries: int | None
    beliefs_from: BeliefsFrom
    beliefs_fitted: str | None
    noise: Law
    rounding: Rounding | None
    postprocess: tuple[Postprocess, ...]

    @classmethod
    def of(
        cls,
        plan: Plan,
        *,
        order: Order | None = None,
        unprotected_percent: int | None = None,
        beliefs_from: BeliefsFrom | None = None,
        beliefs_fitted: str | None = None,
        reveals: Reveals | None = None,
        rows_tested: bool = False,
    ) -> Self:
        """What a plan says, and what was done; where nothing was done yet, what is planned."""
        scenario = plan.calibration.scenario
        return cls(
            goal=plan.promise,
            unit=plan.unit,
            rows_per_person=plan.rows_per_person,
            dependence=plan.dependence,
            one_row=plan.one_row,
            rows_tested=rows_tested,
            pairs=scenario.pairs,
            column=plan.column,
            secret=plan.secret,
            kept=plan.keep,
            reveals=reveals,
            missing=plan.missing,
            cap=plan.cap,
            step=plan.step,
            order=order or ("random" if plan.shuffled else "table"),
            unprotected_percent=unprotected_percent,
            adversaries=len(scenario.beliefs),
            beliefs_from=beliefs_from or planned_source(scenario.beliefs),
            beliefs_fitted=beliefs_fitted,
            noise=plan.calibration.mechanism,
            rounding=None if plan.public else plan.rounding,
            postprocess=plan.postprocess,
        )

    def planned_by(self, plan: Plan) -> Facts:
        """What a release by this plan would have said, had it done what these facts say."""
        planned = planned_source(plan.calibration.scenario.beliefs)
        about_a_table = self.beliefs_from != "elsewhere"
        return type(self).of(
            plan,
            order=self.order,
            unprotected_percent=self.unprotected_percent,
            # Which table it was, this one or another, is not for the plan to say.
            beliefs_from=self.beliefs_from
            if about_a_table == (planned != "elsewhere")
            else planned,
            beliefs_fitted=self.beliefs_fitted,
            reveals=self.reveals,
            rows_tested=self.rows_tested and plan.tests_rows,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        return {
            "goal": {"epsilon": self.goal.epsilon, "delta": self.goal.delta},
            "unit": self.unit,
            "rows_per_person": self.rows_per_person,
            "dependence": self.dependence,
            "one_row": self.one_row,
            "rows_tested": self.rows_tested,
            "pairs": pairs_to_plain(self.pairs),
            "column": self.column,
            "secret": self.secret,
            "kept": list(self.kept),
            "reveals": None if self.reveals is None else self.reveals.to_dict(),
            "missing": self.missing,
            "cap": None if self.cap is None else list(self.cap),
            "step": self.step,
            "order": self.order,
            "unprotected_percent": self.unprotected_percent,
            "adversaries": self.adversaries,
            "beliefs_from": self.beliefs_from,
            "beliefs_fitted": self.beliefs_fitted,
            "noise": law_to_dict(self.noise),
            "rounding": self.rounding,
            "postprocess": [postprocess_to_dict(each) for each in self.postprocess],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The facts in a record of either edition; its other entries are not looked at."""
        with reading("record"):
            choices = {
                "unit": ("row", "person"),
                "dependence": DEPENDENCES,
                "one_row": (None, *ONE_ROW),
                "missing": MISSING,
                "order": _ORDERS,
                "beliefs_from": _FROM,
                "rounding": (None, *ROUNDINGS),
            }
            for name, known in choices.items():
                require(data[name] in known, f"the record's entry {name!r} is not known.")
            require(
                isinstance(data["rows_tested"], bool),
                "the record's entry 'rows_tested' must be true or false.",
            )
            check_entries("goal", data["goal"], ("epsilon", "delta"))
            return cls(
                goal=Guarantee(**data["goal"]),
                pairs=pairs_from_plain(data["pairs"]),
                kept=tuple(data["kept"]),
                reveals=None if data["reveals"] is None else Reveals.from_dict(data["reveals"]),
                cap=None if data["cap"] is None else bounds("cap", data["cap"]),
                noise=law_from_dict(data["noise"]),
                postprocess=tuple(postprocess_from_dict(each) for each in data["postprocess"]),
                **{name: data[name] for name in (*choices, *_PLAIN)},
            )


_PLAIN = (
    *("rows_per_person", "step", "column", "secret", "unprotected_percent", "adversaries"),
    *("beliefs_fitted", "rows_tested"),
)


def planned_source(beliefs: Sequence[Belief]) -> BeliefsFrom:
    """Where beliefs come from, by what they say of themselves."""
    return "this table" if any(each.provenance == RELEASED for each in beliefs) else "elsewhere"
