"""What would also keep the promise in a case, and its cost: found by calibrating again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.scenario import RELEASED, Belief, Scenario
from pufferfish.calibration.again import calibrate_again
from pufferfish.calibration.losses import in_bins
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import PufferfishError
from pufferfish.core.limits import OutOfPatienceError, patience, still_patient
from pufferfish.core.numerics import round_down
from pufferfish.exact.unreachable import holes_in_words
from pufferfish.fit.belief import MIN_GROUP
from pufferfish.fit.sampled import with_sampling_error
from pufferfish.insight.held_out import WRONGS
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.tables import Counts
from pufferfish.what_if.in_words import shown
from pufferfish.what_if.judged import Meeting, Tally, judge_meetings, meetings
from pufferfish.what_if.laws import Sample
from pufferfish.what_if.result import Answer, Case
from pufferfish.what_if.rows import Rows
from pufferfish.what_if.subject import Subject
from pufferfish.what_if.value import value_case
from pufferfish.words.numbers import at_least, at_most, percent, percent_up

__all__ = ["Answering"]

_TOO_LONG = "not computed: it took too long"
# The share of samples in which the promise must be kept, and the confidence of one that is proven.
_MOST = 0.95
# What hides missing values, where noise cannot.
_HIDING = "--mechanism recode --floor none --wrong 1%"
_SURE = f"--sampling-confidence {percent(_MOST)}"


@dataclass(frozen=True)
class Answering:
    """Finds answers to cases.

    Attributes:
        subject: What is planned.
        rows: The table.
        earlier: The rows of an earlier table.
        samples: The results of resamples.
        wrongs: How far laws may be wrong, for each case of such laws, by its text.
        unit: How closely a value is known.
        left: Gives the number of seconds left.
    """

    subject: Subject
    rows: Rows
    earlier: Counts | None
    samples: Sequence[Sample]
    wrongs: dict[str, float]
    unit: float | None
    left: Callable[[], float]

    def answer(self, case: Case) -> Case:
        """The case with its answer, if it needs one."""
        if case.holds is True or case.kind == "learner":
            return case
        by_kind: dict[str, Callable[[Case], Answer]] = {
            "table": lambda each: self._knowing((), "--belief empirical"),
            "columns": self._columns,
            "population": lambda each: self._population,
            "splits": lambda each: self._population,
            "earlier": self._earlier,
            "laws": self._laws,
            "value": self._value,
        }
        return replace(case, answer=by_kind[case.kind](case))

    @property
    def _recodes(self) -> bool:
        law = self.subject.law
        laws = list(law) if isinstance(law, Stratified) else [law]
        return all(isinstance(each, Recoding) for each in laws)

    @property
    def _own_bins(self) -> bool:
        """Whether values are in bins whose edges come from the table."""
        made = self.subject.calibration
        if made.recode is None or made.recode.edges is not None:
            return False
        return in_bins(self.subject.law, made.scenario)

    def _again(
        self, option: str, scenario: Scenario | None = None, note: str = "", **changes: Any
    ) -> Answer:
        """Calibrate, and state what that costs."""
        if why := self._shown_holes(scenario):
            return Answer(option=f"{option} {_HIDING}".strip(), note=why)
        found = self._calibrated(scenario, **changes)
        if isinstance(found, str):
            return Answer(option=option, note=found)
        return Answer(option=option, rmse=found.rmse, note=note)

    def _shown_holes(self, scenario: Scenario | None = None) -> str:
        """Why noise cannot answer, if that is because of missing values; else nothing."""
        if self._recodes:
            return ""
        return holes_in_words(scenario or self.subject.scenario, self.subject.goal)

    def _calibrated(self, scenario: Scenario | None = None, **changes: Any) -> Calibration | str:
        """The calibration, or a text that says why there is none."""
        left = self.left()
        if left <= 0.0:
            return _TOO_LONG
        plan = self.subject.plan
        if self._recodes:
            changes["progress"] = _while_patient
        elif plan.rounding != "given" and not plan.public and "size" not in changes:
            changes["rounding"] = plan.rounding
        try:
            with patience(left):
                return calibrate_again(self.subject.calibration, scenario, **changes)
        except OutOfPatienceError:
            return _TOO_LONG
        except PufferfishError as error:
            return _refused(error)

    def _with(self, met: Iterable[Meeting]) -> Scenario:
        """The described adversaries, and these as well."""
        described = self.subject.scenario
        added = [
            replace(meeting.belief, name=_named(meeting.belief, number))
            for number, meeting in enumerate(met, start=1)
        ]
        return Scenario([*described.beliefs, *added], described.pairs)

    def _columns(self, case: Case) -> Answer:
        option = " ".join(f"--known {name}" for name in case.columns)
        bands = [name for name in case.columns if name in self.rows.bands]
        option += "".join(f" --bands {name}={_edges(self.rows, name)}" for name in bands)
        if any(name in self.rows.untold for name in case.columns):
            return Answer(option="--bands", note="give bands that have enough rows each")
        found = self._knowing(case.columns, option)
        if not {*case.columns} & {*self.rows.bands_of_table} or found.rmse is None:
            return found
        note = "choose public edges of your own; the error is that of bands found in the table"
        return replace(found, note=note)

    def _knowing(self, others: Sequence[str], option: str) -> Answer:
        """Also describe those who know these columns."""
        if self.left() <= 0.0:
            return Answer(option=option, note=_TOO_LONG)
        counted, tally = self.rows.counted(others), Tally()
        met = [
            meeting
            for known in self.subject.known_sets
            for meeting in meetings(self.subject, counted, (*known, *others), MIN_GROUP, tally)
        ]
        if tally.small:
            return Answer(
                option=f"{option}, with values merged",
                note=(
                    f"some combinations have fewer than {MIN_GROUP} rows of a secret, so --known "
                    "is refused. With values merged (--merge, --bands) it covers only those who "
                    "know no more than the merged value. Publishing the column jointly "
                    "(--column) covers nobody who knows its true value. A floor, or larger "
                    "noise, helps whatever they know"
                ),
            )
        return self._again(option, self._with(met))

    def _earlier(self, case: Case) -> Answer:
        option = "--reference EARLIER"
        if self.earlier is None or self.left() <= 0.0:
            return Answer(option=option, note=_TOO_LONG)
        met = [
            meeting
            for known in self.subject.known_sets
            for meeting in meetings(self.subject, self.earlier, known, 1, Tally())
        ]
        return self._again(
            option, self._with(met), "for both: describe both tables (pf.fit_beliefs of each)"
        )

    def _laws(self, case: Case) -> Answer:
        share = self.wrongs.get(case.knows, 0.0)
        holes = any(any(each.missing.values()) for each in self.subject.scenario.beliefs)
        if holes and not self._recodes:
            note = "noise cannot cover laws that differ where values are missing"
            return Answer(option=f"--mechanism recode --wrong {percent_up(share, 6)}", note=note)
        if not self._recodes and not all(each.cap for each in self.subject.scenario.beliefs):
            return Answer(
                option=f"--cap LOW:HIGH --wrong {percent_up(share, 6)}",
                note=(
                    "this needs public bounds, which you have to choose, or a recoding "
                    "(--mechanism recode --wrong)"
                ),
            )
        return self._again(f"--wrong {percent_up(share, 6)}", wrong=share, **self._robust())

    def _robust(self) -> dict[str, Any]:
        return {"nominal": False} if self._recodes else {}

    @cached_property
    def _population(self) -> Answer:
        """What is proven for every law that the rows do not exclude, and what resamples keep."""
        proven, measured = self._proven(), self._measured()
        if proven.rmse is None:
            return replace(measured, note="; ".join(filter(None, (measured.note, proven.note))))
        if measured.rmse is None or measured.rmse >= proven.rmse:
            return proven
        note = (
            f"{proven.option} is proven for every law that the rows do not exclude; "
            f"{measured.option} depends on these rows, and was only seen to keep the promise in "
            f"{percent(_MOST)} of their resamples"
        )
        return replace(proven, note=note, instead=measured)

    def _proven(self) -> Answer:
        """Cover every law that the rows, as a sample, do not exclude."""
        described = self.subject.scenario
        if described.sampled:
            return Answer(option=_SURE)
        if self.left() <= 0.0:
            return Answer(option=_SURE, note=f"{_SURE} was {_TOO_LONG}")
        if self._own_bins:
            return Answer(option=_SURE, note=f"{_SURE} needs public bins (--edges)")
        counted = [
            meeting
            for known in self.subject.known_sets
            for meeting in meetings(self.subject, self.rows.plain, known, 1, Tally())
        ]
        # The described laws of this table lie in its regions, so that they cost nothing more.
        added = self._with(counted).beliefs[len(described.beliefs) :]
        own = [replace(each, provenance=RELEASED) for each in added]
        try:
            regions = with_sampling_error(own, _MOST)
        except PufferfishError as error:
            return Answer(option=_SURE, note=f"{_SURE} was {_refused(error)}")
        scenario = Scenario([*described.beliefs, *regions], described.pairs)
        if why := self._shown_holes(scenario):
            return Answer(option=_SURE, note=f"{_SURE} was not computed: {why}")
        # Nothing is proven for laws that are wrong by a share as well.
        found = self._again(_SURE, scenario, wrong=0.0, **self._robust())
        return replace(found, note=found.note and f"{_SURE} was {found.note}")

    def _measured(self) -> Answer:
        """The least `wrong`, or size of noise, that keeps the promise in 95% of the resamples."""
        if not self.samples:
            return Answer(option="--wrong" if self._recodes else "--scale", note=_TOO_LONG)
        if self._keeps(self.subject.calibration):
            note = f"the plan itself keeps the promise in {percent(_MOST)} of the resamples"
            return Answer(option=_SURE, note=note)
        return self._wrong() if self._recodes else self._more_noise()

    def _wrong(self) -> Answer:
        already = self.subject.calibration.certificate.wrong
        for share in (each for each in WRONGS if each > already):
            found = self._calibrated(wrong=share, **self._robust())
            if isinstance(found, str):
                return Answer(option="--wrong", note=found)
            if self._keeps(found):
                return Answer(option=f"--wrong {percent_up(share, 6)}", rmse=found.rmse)
        return Answer(option="--floor", note="none of the tried shares of wrong laws is enough")

    def _more_noise(self) -> Answer:
        ranked = sorted(self.samples, key=lambda each: (each.epsilon, each.delta))
        for place in (int(_MOST * (len(ranked) - 1)), -1):
            scenario = self._with(ranked[place].meetings)
            if why := self._shown_holes(scenario):
                return Answer(option=_HIDING, note=why)
            found = self._calibrated(scenario)
            if isinstance(found, str):
                return Answer(option="--scale", note=found)
            if self._keeps(found):
                sizes = _sizes(found)
                option = f"--scale {sizes}" if sizes else "more noise (--bootstrap)"
                return Answer(option=option, rmse=found.rmse)
        return Answer(option="--bootstrap", note="the noise for the worst resample is not enough")

    def _keeps(self, found: Calibration) -> bool:
        """Whether another law keeps the promise in 95% of the resamples."""
        law, kept = found.mechanism, 0
        for sample in self.samples:
            met = [_under(law, meeting) for meeting in sample.meetings]
            judged = judge_meetings(self.subject, met) or []
            kept += all(each.holds for each in judged)
        return kept >= _MOST * len(self.samples)

    def _value(self, case: Case) -> Answer:
        goal = self.subject.goal
        if self._recodes:
            kappa = round_down(goal.epsilon / (self.unit or 1.0), 6)
            return self._floored(f"--floor {at_least(kappa)}", floor=kappa)
        if not goal.pure:
            return Answer(option="--scale", note="not computed for δ > 0")
        # The grid costs a little: the size is a little more than unit/ε.
        size = (self.unit or 1.0) / goal.epsilon * (1.0 + 2.0**-10)
        return self._floored(f"--scale {_typed(size)}", size=size, method="exact")

    def _floored(self, option: str, **changes: Any) -> Answer:
        """The cost of a floor, and whether it is enough: entries may be farther apart than 1."""
        found = self._calibrated(**changes)
        if isinstance(found, str):
            return Answer(option=option, note=found)
        left = value_case(self.subject, self.rows, self.unit, found.mechanism)
        note = "" if left.holds is True else f"with {option} ε is still {shown(left.epsilon)}"
        return Answer(option=option, rmse=found.rmse, note=note)


def _refused(error: PufferfishError) -> str:
    return f"not computed: {str(error).rstrip('.')}"


def _under(law: Any, meeting: Meeting) -> Meeting:
    if not isinstance(law, Stratified):
        return Meeting(meeting.scenario, law)
    place = law.place_of(meeting.belief.given)
    return meeting if place is None else Meeting(meeting.scenario, law.strata[place].law)


def _sizes(found: Calibration) -> str:
    return _typed(found.mechanism.size) if hasattr(found.mechanism, "size") else ""


def _typed(size: float) -> str:
    """A size as one types it, rounded up to four digits."""
    text = at_most(size, 4)
    return f"{float(text):.0f}" if "e+" in text else text


def _named(belief: Belief, number: int) -> str:
    return f"stress {number}, {given_in_words(belief.given) or 'nothing known'}"


def _edges(rows: Rows, name: str) -> str:
    if name in rows.bands_of_table:
        return "EDGES"
    edges = rows.rules[name].edges
    return "..." if edges is None else ",".join(f"{each:g}" for each in edges)


def _while_patient(done: int, of: int) -> None:
    """Stop a search when the time is up."""
    still_patient()
