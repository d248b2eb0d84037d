"""The result of a stress test: a case for each way to know more, sorted by harm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.pairs import SecretPair
from pufferfish.what_if.in_words import (
    ENDLESS,
    VAST,
    bands_in_words,
    late_in_words,
    reach_of,
    remarks_of,
    tabulate,
)
from pufferfish.what_if.spread import Spread
from pufferfish.words.numbers import readable

__all__ = ["Answer", "Case", "Kind", "Stress"]

Kind = Literal["table", "columns", "learner", "population", "splits", "earlier", "laws", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What would also keep the promise in a case, and what that costs.

    Attributes:
        option: What to ask for, as on the command line.
        rmse: The error of a published value with it, from a calibration; None: there was none, and
            `note` says why.
        note: A remark.
        instead: Another option, which costs less and gives less, as the note says.
    """

    option: str
    rmse: float | None = None
    note: str = ""
    instead: Answer | None = None

    def __str__(self) -> str:
        """The answer in a few words."""
        cost = "not computed" if self.rmse is None else f"error {readable(self.rmse, 3)}"
        return f"{self.option} ({cost})" + (f", or {self.instead}" if self.instead else "")

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        instead = None if self.instead is None else self.instead.to_dict()
        return {"option": self.option, "rmse": self.rmse, "note": self.note, "instead": instead}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What the promise becomes for somebody who knows something that was not described.

    Attributes:
        kind: What sort of knowledge it is.
        knows: What somebody knows, in words.
        columns: The columns that they know in addition to those of the plan.
        epsilon: An upper bound on ε for them; inf where something is published under only one
            secret; None: it cannot be told, or was not measured. For samples: what 95% of them do
            not exceed.
        delta: Where the promise has a δ: an upper bound on δ at its ε.
        guess: How often the best guess between two secrets is right if they are equally likely
            given what is known; for a learner, an upper limit with 95% confidence on how often it
            is right.
        before: The same, from the true value.
        by_heart: Whether that is a mere upper bound, because most values occur once.
        without: For a learner: the same, from the other columns alone.
        where: The stratum that decides, in words.
        pair: The secrets that decide.
        spread: The spread of ε over samples.
        strata: How many combinations of known values were judged; for resamples, summed over all of
            them.
        small: In how many of them some pair could not be judged, for lack of rows; for resamples,
            where the table has rows of both secrets and the resample has none of one; for splits,
            the number of such splits.
        small_share: The share of the rows of protected secrets for which nothing was judged, for
            the described adversary for whom it is largest; for samples and splits, over all of
            them.
        refused_share: The share of rows that a release by this plan would refuse.
        holds: Whether the promise is kept; None: it cannot be told.
        late: Whether the time ran out before it was judged.
        note: A remark.
        answer: What would help; None where nothing is needed.
    """

    kind: Kind
    knows: str
    columns: tuple[str, ...] = ()
    epsilon: float | None = None
    delta: float | None = None
    guess: float | None = None
    before: float | None = None
    by_heart: bool = False
    without: float | None = None
    where: str = ""
    pair: SecretPair | None = None
    spread: Spread | None = None
    strata: int = 0
    small: int = 0
    small_share: float = 0.0
    refused_share: float = 0.0
    holds: bool | None = None
    late: bool = False
    note: str = ""
    answer: Answer | None = None

    def harm(self, goal: Guarantee) -> tuple[float, ...]:
        """The key by which cases are sorted, the worst first: broken, unknown, kept."""
        rank = {False: 0.0, None: 1.0, True: 2.0}[self.holds]
        size = self.epsilon if goal.pure else self.delta
        known = 0.0 if size is None else math.inf if size > ENDLESS else min(size, VAST)
        return rank, -known, -(self.guess or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an infinite ε is the text "inf"."""
        spread = self.spread
        answer = self.answer
        return {
            "kind": self.kind,
            "knows": self.knows,
            "columns": list(self.columns),
            "epsilon": _plain(self.epsilon),
            "delta": self.delta,
            "guess": self.guess,
            "guess_before": self.before,
            "guess_before_by_heart": self.by_heart,
            "guess_without": self.without,
            "where": self.where,
            "pair": None if self.pair is None else list(self.pair),
            "spread": None
            if spread is None
            else {name: _plain(each) for name, each in spread._asdict().items()},
            "strata": self.strata,
            "strata_small": self.small,
            "rows_not_judged": self.small_share,
            "rows_refused": self.refused_share,
            "holds": self.holds,
            "late": self.late,
            "note": self.note,
            "answer": None if answer is None else answer.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Stress:
    """What becomes of a promise against adversaries who know more, or believe something else.

    It is as private as the table.

    Attributes:
        goal: The promise for one row.
        subject: What is published, against which secret, by which mechanism.
        rows: How many rows the table has.
        rmse: The error of a published value under the plan.
        constant_rmse: That of publishing one constant for everybody; None where it is not known.
        cases: The worst first.
        min_rows: A pair is judged in a stratum that has this many rows of both of its secrets.
        bands: How known columns were read, where they were not read as they are.
        bands_of_table: The columns whose bands were found in the table.
        unit: How closely the value is known in the case "value"; None for categories.
        seconds: About how long the whole test was allowed to take; None: without a limit.
        notes: Remarks on the whole test.
    """

    goal: Guarantee
    subject: str
    rows: int
    rmse: float
    constant_rmse: float | None
    cases: tuple[Case, ...]
    min_rows: int
    bands: Mapping[str, str] = field(default_factory=dict)
    bands_of_table: tuple[str, ...] = ()
    unit: float | None = None
    seconds: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Sort by harm."""
        ordered = sorted(self.cases, key=lambda each: each.harm(self.goal))
        object.__setattr__(self, "cases", tuple(ordered))

    def of(self, kind: Kind) -> tuple[Case, ...]:
        """The cases of one kind, the worst first."""
        return tuple(each for each in self.cases if each.kind == kind)

    def knowing(self, *columns: str) -> Case:
        """The case of somebody who also knows these columns, and no others."""
        for case in self.cases:
            if case.kind == "columns" and {*case.columns} == {*columns}:
                return case
        raise KeyError(f"no case was judged of somebody who knows {', '.join(map(repr, columns))}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "goal": {"epsilon": self.goal.epsilon, "delta": self.goal.delta},
            "subject": self.subject,
            "rows": self.rows,
            "rmse": self.rmse,
            "constant_rmse": self.constant_rmse,
            "min_rows": self.min_rows,
            "bands": dict(self.bands),
            "bands_of_table": list(self.bands_of_table),
            "unit": self.unit,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "cases": [each.to_dict() for each in self.cases],
        }

    def __str__(self) -> str:
        """What was judged, and by which rule; then a table, the worst first."""
        constant = (
            ""
            if self.constant_rmse is None
            else f" (one constant for everybody: {readable(self.constant_rmse, 3)})"
        )
        head = [
            f"{self.subject}: {self.goal} is promised against the adversaries described. Error of "
            f"a published value {readable(self.rmse, 3)}{constant}; {self.rows:,} rows.",
            f"{len(self.cases):,} other adversaries, who know more or believe something else, "
            f"were judged: {reach_of(self)}.",
            f"A pair of secrets is judged where both have at least {self.min_rows} rows. The best "
            "guess is between two secrets that are equally likely given what is known: 50% is "
            "chance.",
        ]
        if self.bands:
            head.append(f"Read in bands: {bands_in_words(self)}")
        if late := late_in_words(self):
            head.append(f"{late} Give more time (--seconds).")
        lines = [*head, *self.notes, "", *tabulate(self)]
        remarks = [f"  {number}. {each}" for number, each in enumerate(remarks_of(self), start=1)]
        return "\n".join([*lines, *([""] if remarks else []), *remarks])


def _plain(size: float | None) -> float | str | None:
    return "inf" if size is not None and math.isinf(size) else size
