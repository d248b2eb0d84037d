"""What a release says to everybody: facts, and the words that follow from them alone.

Both editions of a record carry the facts and the words. A reader who has only the facts can write
the words again, and so can see whether somebody has edited them. What is outside the promise comes
first (`headline`), before any ε.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pufferfish.checks import bounds, require
from pufferfish.codec import check_entries, pairs_from_plain, pairs_to_plain, reading
from pufferfish.exact.certificate import noise_from_dict, noise_to_dict
from pufferfish.guarantee import Guarantee
from pufferfish.ladder import ROUNDINGS, Rounding
from pufferfish.mechanism import Postprocess
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise
from pufferfish.numerics import readable
from pufferfish.persons import TEST_LEVEL
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

__all__ = [
    "WORDS",
    "BeliefsFrom",
    "Facts",
    "Order",
    "Reveals",
    "cap_in_words",
    "headline",
    "noise_in_words",
    "not_promised",
    "percent_of",
    "planned_source",
    "promise",
    "unit_in_words",
    "words",
]

Order = Literal["random", "table"]
BeliefsFrom = Literal["this table", "another table", "elsewhere"]

_ORDERS = ("random", "table")
_FROM = ("this table", "another table", "elsewhere")
# The entries of a record that are words.
WORDS = ("headline", "promise", "not_promised")
# What a size that depends on private data was rounded up to.
_ROUNDED: dict[Rounding | None, str] = {
    "ladder": "a rung of a public ladder",
    "digits": "three digits",
}
# Pairs that are named one by one.
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveals:
    """What all published columns together reveal, measured on rows that were held out.

    Attributes:
        found_percent: How often a learner finds the secret of a row that it has not seen, between
            two secrets that are equally likely: an upper limit with 95% confidence, in whole
            percent, rounded up (`pufferfish.learning`).
        pair: Between which two: of those measured, the pair that is told apart best.
    """

    found_percent: int
    pair: SecretPair

    def __post_init__(self) -> None:
        """Refuse what is no percentage."""
        whole = isinstance(self.found_percent, int) and not isinstance(self.found_percent, bool)
        require(whole and 0 <= self.found_percent <= 100, "found_percent must be from 0 to 100.")

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
class Facts:
    """What everybody may know of a release; nothing of a private belief.

    Attributes:
        goal: The promise for one unit.
        unit: What it is about: one "row", or one "person".
        rows_per_person: At most this many rows of one person.
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
        noise: The law that was added.
        rounding: How its size was made public, as in `Plan`; None where every belief is public, so
            that the size says nothing of private data.
        postprocess: What was done to the noised values.
    """

    goal: Guarantee
    unit: Unit
    rows_per_person: int
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
    noise: Noise
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
            noise=plan.calibration.noise,
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
            "noise": noise_to_dict(self.noise),
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
                noise=noise_from_dict(data["noise"]),
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


def percent_of(part: int, whole: int) -> int:
    """A share in whole percent, rounded up."""
    return math.ceil(100 * part / whole) if whole else 0


def words(facts: Facts) -> dict[str, Any]:
    """All that a record says in words, by entry."""
    return {
        "headline": headline(facts),
        "promise": promise(facts),
        "not_promised": not_promised(facts),
    }


def headline(facts: Facts) -> list[str]:
    """What a reader must know before the promise: what is published and not covered by it."""
    said = []
    if facts.kept:
        together = _listed([facts.column, *facts.kept])
        found = facts.reveals
        measured = (
            f"What {together} reveal together about {_secret(facts)} was not measured."
            if found is None
            else f"With {together} published together, a learner finds whether {_secret(facts)} is "
            f"{found.pair.first!r} or {found.pair.second!r} in up to {found.found_percent}% of "
            f"rows it has not seen (50% by guessing{_of_many(facts)})."
        )
        said.append(
            f"{measured} The promise is about {facts.column!r} by itself: it does not hold for the "
            "whole file."
        )
    if _stated(facts):
        said.append(
            f"The rows of one person are taken to be independent given {_secret(facts)}, as the "
            f"curator states; {_tested(facts)}. If they are not, the promise for a person does not "
            "hold."
        )
    if facts.beliefs_from == "another table":
        fitted = (
            "It is not known which table the described adversaries were fitted on: it was not "
            "compared with this one."
            if facts.beliefs_fitted is None
            else "The described adversaries were fitted on another table on "
            f"{facts.beliefs_fitted}: the promise is to somebody who believes what that table says."
        )
        said.append(f"{fitted} Nothing is promised to somebody who knows this table.")
    if facts.unprotected_percent:
        said.append(
            f"{facts.unprotected_percent}% of the published rows have a secret that is in no pair: "
            "they have the same noise, but nothing is promised for them."
        )
    if facts.rounding in _ROUNDED and facts.beliefs_from == "this table":
        said.append(
            "The size of the noise depends on the table; what it tells about a row is not covered."
        )
    return said


def promise(facts: Facts) -> str:
    """The promise in words that hold nothing of a private belief."""
    unit = unit_in_words(facts.unit, facts.rows_per_person, facts.dependence, facts.one_row)
    pairs = facts.pairs
    named = "; ".join(f"{first!r} and {second!r}" for first, second in pairs[:_MOST_NAMED])
    more = f"; and {len(pairs) - _MOST_NAMED:,} more pairs" if len(pairs) > _MOST_NAMED else ""
    return (
        f"What the published {facts.column!r} of {unit}{_alone(facts)} says about {_secret(facts)} "
        f"is bounded, for each of these pairs: {named}{more}. The bound is {facts.goal} pufferfish "
        f"privacy, against {_adversaries(facts)}, for one release. {cap_in_words(facts.cap)}"
        f"{step_in_words(facts.step)}{noise_in_words(facts.noise)}"
    )


def _of_many(facts: Facts) -> str:
    """Which pair was measured, where there are others."""
    return "; of the pairs tried, the one told apart best" if len(facts.pairs) > 1 else ""


def unit_in_words(unit: Unit, rows: int, dependence: Dependence, one_row: OneRow | None) -> str:
    """What the promise is about, and what is taken for granted about its rows."""
    if unit == "row":
        return "one row"
    if one_row is not None:
        which = {"first": "its first row", "mean": "one row, with the mean of its values"}[one_row]
        return f"one person ({which})"
    if rows == 1:
        return "one person (one row)"
    what = {
        "any": "whatever they have in common",
        "equal": "which repeat one value",
        "independent": "taken to be independent given the secret",
    }[dependence]
    return f"one person (at most {rows:,} rows, {what})"


def _stated(facts: Facts) -> bool:
    """Whether the promise for a person rests on what its curator says of the rows."""
    return facts.rows_per_person > 1 and facts.dependence == "independent"


def _tested(facts: Facts) -> str:
    if facts.rows_tested:
        return f"a test at level {TEST_LEVEL:.0%} found nothing against it"
    return "that was not tested"


def _alone(facts: Facts) -> str:
    return ", without the other published columns," if facts.kept else ""


def _secret(facts: Facts) -> str:
    return "the secret" if facts.secret is None else repr(facts.secret)


def _adversaries(facts: Facts) -> str:
    source = {
        "this table": "fitted on the released column",
        "another table": "fitted on another table",
        "elsewhere": "",
    }[facts.beliefs_from]
    if facts.beliefs_from == "another table" and facts.beliefs_fitted is None:
        source = "fitted on a table that is not known"
    where = f" ({source})" if source else ""
    count = facts.adversaries
    if count is None:
        return f"the described adversaries{where}"
    return f"{count} described adversar{'y' if count == 1 else 'ies'}{where}"


def _listed(names: Sequence[str]) -> str:
    """'a', 'b' and 'c'."""
    *first, last = (repr(name) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def cap_in_words(cap: tuple[float, float] | None) -> str:
    """What was done to values before the noise; nothing where nothing was."""
    if cap is None:
        return ""
    low, high = (readable(each, 10) for each in cap)
    return (
        f"Values below {low} and above {high} were moved to these bounds before the noise; the "
        "bounds must be public: a bound chosen by looking at the data tells about them. "
    )


def step_in_words(step: float | None) -> str:
    """What everybody may know of the values before the noise."""
    return "" if step is None else f"Before the noise every value is a multiple of {step:g}. "


def noise_in_words(noise: Noise) -> str:
    """What was added."""
    if isinstance(noise, LaplaceNoise):
        size, std = readable(noise.scale, 6), readable(noise.std)
        return f"Added was Laplace noise of scale {size} (std {std})."
    if isinstance(noise, GaussianNoise):
        return f"Added was Gaussian noise of std {readable(noise.std, 6)}."
    return "No noise was added."


def not_promised(facts: Facts) -> list[str]:
    """What nobody should read into the promise."""
    others = "rows are" if facts.unit == "row" else "different persons are"
    text = [
        "Anything to an adversary who knows more than those described: the exact rows, or that "
        f"{others} not independent given the secret.",
        "Anything about several releases of the same column, with fresh noise each.",
        "That a given person's row is in the table, or how many rows it has.",
    ]
    if facts.unit == "row":
        text.append(
            "Anything about several rows of one person: together they can tell far more than one."
        )
    if _stated(facts):
        text.append(
            "Anything about several rows of one person if they are not independent given the "
            "secret: a test cannot see every dependence."
        )
    text += [
        f"Anything about values of {_secret(facts)} that are in none of the pairs.",
        f"Anything about a value of {facts.column!r} far from all that the described adversaries "
        "consider possible, or to somebody who believes something else.",
    ]
    if facts.kept:
        text.append(
            f"What the other published columns ({', '.join(facts.kept)}) say about "
            f"{_secret(facts)}, alone or together with {facts.column!r}. What one learner finds "
            "was measured; another may find more."
            if facts.reveals is not None
            else f"What the other published columns ({', '.join(facts.kept)}) say about "
            f"{_secret(facts)}, alone or together with {facts.column!r}."
        )
    if facts.order == "table":
        text.append(f"What the order of the rows says about {_secret(facts)}.")
    if facts.missing == "drop":
        text.append(
            "Which and how many rows had no value: they were left out before anything else, and "
            "the promise is about the rows that remain."
        )
    return text + _size_not_promised(facts)


def _size_not_promised(facts: Facts) -> list[str]:
    """What the published size says of private data; docs/theory/published-size.md."""
    if facts.rounding is None:
        return []
    if facts.rounding == "given":
        return [
            "What it says about the table that noise of this size, which was chosen without the "
            "data, keeps this ε. (If ε was computed from private data, it was rounded up to a rung "
            "of a public ladder.)"
        ]
    if facts.beliefs_from != "this table":
        return [
            "What the size of the noise says about the private data behind the described "
            f"adversaries: it was rounded up to {_ROUNDED[facts.rounding]}."
        ]
    within = "about a quarter" if facts.rounding == "ladder" else "1%"
    return [
        "What the size of the noise says to somebody who knows all other rows. If one value is far "
        "from all others, its row decides the size: that may betray the secret of the row, or its "
        f"value to within {within}."
    ]
