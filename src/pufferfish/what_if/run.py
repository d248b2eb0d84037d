"""The stress test of a plan: what the promise becomes for adversaries who were not described."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from pufferfish.beliefs.scenario import RELEASED
from pufferfish.fit.layout import count_table
from pufferfish.tables import Counts
from pufferfish.tables.engine import Engine
from pufferfish.tables.verbs import to_read
from pufferfish.what_if.answers import Answering
from pufferfish.what_if.asked import WRONGS, Asked
from pufferfish.what_if.in_words import size_in_words
from pufferfish.what_if.judged import judge, not_judged
from pufferfish.what_if.laws import judge_samples, laws_case, population_case, split_case
from pufferfish.what_if.learner import learner_case
from pufferfish.what_if.resamples import shuffled
from pufferfish.what_if.result import Case, Stress
from pufferfish.what_if.rows import TOO_LONG, Rows, because, read_rows
from pufferfish.what_if.subject import Subject, subject_of
from pufferfish.what_if.value import unit_of, value_case
from pufferfish.words.phrases import list_in_words, list_texts

__all__ = ["stress", "stress_engine"]

# In a table with more rows a column is not shuffled.
_MOST_SHUFFLED = 5_000_000
# The share of the time by which each part must end: the bands of columns, columns, resamples,
# splits; answers have the rest.
_BANDS, _COLUMNS, _SAMPLES, _SPLITS = 0.25, 0.45, 0.6, 0.75


def stress(
    plan: Any,
    table: Any,
    *,
    earlier: Any = None,
    columns: Sequence[str] | None = None,
    bands: Mapping[str, Sequence[float]] | None = None,
    pairs: bool = True,
    min_rows: int = 20,
    wrongs: Sequence[float] = WRONGS,
    unit: float | None = None,
    resamples: int = 200,
    splits: int = 10,
    learner: bool = True,
    answers: bool = True,
    seconds: float = 60.0,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    **planned: Any,
) -> Stress:
    """What becomes of a promise against adversaries who know more, or believe something else.

        plan = pf.Plan(calibration=found, column="education-num", secret="race")
        print(pf.stress(plan, table, bands={"age": [30, 45, 60, 75]}))

    Args:
        plan: The plan of a release; or the result of `calibrate`, with the other arguments of
            `pf.Plan` (column=..., secret=...): its size is then rounded as a plan rounds it.
        table: The table that is released: a frame, a dict of arrays, the path of a file, ...
        earlier: An earlier table, whose frequencies somebody may believe.
        columns: Other columns that somebody may know; by default all.
        bands: For some columns of numbers, the edges of the bands in which they are known. Without
            them up to 20 different numbers are known as they are, and more in fifths of the rows.
        pairs: Whether columns are also known two at a time.
        min_rows: A pair of secrets is judged in a stratum with this many rows of both.
        wrongs: How far laws may be wrong, in total variation.
        unit: How closely a value is known; by default 1, or the smallest step between two values
            if that is larger.
        resamples: The number of resamples of the rows; 0: none.
        splits: The most splits into halves; 0: none.
        learner: Whether a learner looks at all other columns together.
        answers: Whether answers are calibrated, for the worst cases first.
        seconds: About how long the test may take. Cases for which there was no time say so.
        seed: The seed of resamples, splits and the learner's rows. It protects nothing. The
            values that the learner sees published are drawn afresh, so its figures vary.
        progress: Called with the share that is done.
        planned: The arguments of `pf.Plan`, for a calibration.

    Raises:
        InvalidInputError: A column that is not there, or has another role.
        DataError: The table has missing values, and the plan refuses them.
        UnsupportedError: The plan makes one row of each person's rows.
    """
    asked = Asked(
        columns=columns,
        bands={} if bands is None else bands,
        pairs=pairs,
        min_rows=min_rows,
        wrongs=wrongs,
        unit=unit,
        resamples=resamples,
        splits=splits,
        learner=learner,
        answers=answers,
        seconds=seconds,
        seed=seed,
    )
    return stress_engine(
        subject_of(plan, planned),
        to_read(table),
        asked,
        earlier=None if earlier is None else to_read(earlier),
        progress=progress,
    )


@dataclass(frozen=True)
class _Clock:
    """The time that has passed."""

    begun: float
    seconds: float

    @property
    def left(self) -> float:
        """Seconds."""
        return self.begun + self.seconds - time.monotonic()

    def until(self, share: float) -> Callable[[], bool]:
        """Whether at most this share of the time has passed."""
        return lambda: time.monotonic() - self.begun < share * self.seconds


def stress_engine(
    subject: Subject,
    engine: Engine,
    asked: Asked,
    *,
    earlier: Engine | None = None,
    progress: Callable[[float], None] | None = None,
) -> Stress:
    """`stress` for tables that are already open."""
    clock = _Clock(time.monotonic(), asked.seconds)
    tell = progress or (lambda share: None)
    rows = read_rows(
        *(engine, subject, asked.columns, asked.bands),
        at_once=asked.pairs or asked.learner,
        go_on=clock.until(_BANDS),
    )
    before = None if earlier is None else _counted(subject, earlier)
    tell(0.1)
    step = unit_of(subject, rows, asked.unit)
    by_share = {each: laws_case(subject, each) for each in asked.wrongs}
    cases = [
        judge(subject, rows.plain, (), 1, Case(kind="table", knows="has counted this table")),
        value_case(subject, rows, step),
        *by_share.values(),
    ]
    if before is not None:
        told = Case(kind="earlier", knows="has the frequencies of the earlier table")
        cases.append(judge(subject, before, (), asked.min_rows, told))
    cases += _knowing(subject, rows, asked, clock.until(_COLUMNS))
    tell(0.4)
    resampled = judge_samples(
        subject, rows.plain, asked.resamples, asked.seed, clock.until(_SAMPLES)
    )
    if asked.resamples:
        cases.append(population_case(subject, resampled))
    tell(0.6)
    if asked.learner:
        cases.append(learner_case(subject, rows, asked.seed))
    tell(0.7)
    if asked.splits:
        spent = asked.seconds - clock.left
        patience = min((1.0 - _SPLITS) * asked.seconds, max(_SPLITS * asked.seconds - spent, 0.0))
        halves = split_case(subject, rows, asked.splits, asked.seed, patience)
        cases += [] if halves is None else [halves]
    tell(0.8)
    if asked.answers:
        wrong = {case.knows: share for share, case in by_share.items()}
        who = Answering(subject, rows, before, resampled.samples, wrong, step, lambda: clock.left)
        ordered = sorted(cases, key=lambda each: each.harm(subject.goal))
        cases = [who.answer(each) for each in ordered]
    tell(1.0)
    return Stress(
        goal=subject.goal,
        subject=subject.in_words,
        rows=rows.plain.rows,
        rmse=subject.calibration.rmse,
        constant_rmse=_constant(subject, rows),
        cases=tuple(cases),
        min_rows=asked.min_rows,
        bands=rows.bands,
        bands_of_table=rows.bands_of_table,
        unit=step,
        seconds=asked.seconds,
        notes=_notes(subject, rows),
    )


def _counted(subject: Subject, engine: Engine) -> Counts:
    """An earlier table, read as the plan reads this one."""
    table = count_table(engine, subject.layout)
    return replace(table, wanted=tuple(sorted(subject.scenario.secrets, key=str)))


def _knowing(subject: Subject, rows: Rows, asked: Asked, go_on: Callable[[], bool]) -> list[Case]:
    """The cases of somebody who also knows another column, or two of them."""
    min_rows, pairs = asked.min_rows, asked.pairs
    cases = [
        Case(
            kind="columns",
            knows=_knows(subject, rows, (name,)),
            columns=(name,),
            late=why == TOO_LONG,
            note=because(why),
        )
        for name, why in rows.untold.items()
    ]
    told: list[str] = []
    chosen: list[tuple[str, ...]] = [(name,) for name in rows.rules]
    for names in chosen:
        case = Case(kind="columns", knows=_knows(subject, rows, names), columns=names)
        if not go_on():
            cases.append(not_judged(case))
            continue
        counted = rows.counted(names)
        found = judge(subject, counted, names, min_rows, case, go_on)
        case = _compared(subject, counted, found, asked, go_on)
        if case.epsilon is not None:
            told += names
        elif case.small and pairs and len(rows.rules) > 1:
            case = replace(case, note=f"{case.note}, nor together with any other column")
        cases.append(case)
    for both in combinations(told, 2) if pairs else ():
        case = Case(kind="columns", knows=_knows(subject, rows, both), columns=both)
        if not go_on():
            cases.append(not_judged(case))
            continue
        cases.append(judge(subject, rows.counted(both), both, min_rows, case, go_on))
    return cases


def _compared(
    subject: Subject,
    counted: Counts,
    case: Case,
    asked: Asked,
    go_on: Callable[[], bool],
) -> Case:
    """A case whose promise is not kept, with what becomes of it where the column says nothing."""
    if case.holds is not False or counted.rows > _MOST_SHUFFLED or not go_on():
        return case
    dealt = shuffled(counted, case.columns, asked.seed)
    chance = judge(subject, dealt, case.columns, asked.min_rows, replace(case, note=""), go_on)
    if chance.holds is not False:
        return case
    note = (
        f"by chance alone, with {list_in_words(case.columns)} shuffled among the rows, "
        f"{size_in_words(subject.goal, chance)}"
    )
    return replace(case, note="; ".join(filter(None, (case.note, note))))


def _knows(subject: Subject, rows: Rows, names: Sequence[str]) -> str:
    told = list_texts(f"{name!r}{rows.known_as(name)}" for name in names)
    shown = [name for name in names if name in subject.plan.keep_unprotected]
    seen = f" ({list_in_words(shown)} published without protection)" if shown else ""
    return f"also knows {told}{seen}"


def _constant(subject: Subject, rows: Rows) -> float | None:
    """The error of publishing one constant for everybody."""
    if subject.calibration.recode is not None:
        return subject.calibration.recode.constant_rmse
    table = rows.plain.marginal([subject.layout.column_names[0]])
    there = [place for place, (label,) in enumerate(table.cells) if label is not None]
    values = np.array([float(table.cells[place][0] or 0.0) for place in there])
    if subject.plan.cap is not None:
        values = np.clip(values, *subject.plan.cap)
    counts = table.counts[there]
    mean = float(np.average(values, weights=counts))
    return float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))


def _notes(subject: Subject, rows: Rows) -> tuple[str, ...]:
    found = []
    if subject.plan.rows_per_person > 1:
        found.append("One row is judged: several rows of a person together reveal more.")
    if _of_other_rows(subject, rows):
        found.append(
            "This is not the table that the plan was fitted to: it has another number of rows. "
            "What follows is about the rows of this one."
        )
    return tuple(found)


def _of_other_rows(subject: Subject, rows: Rows) -> bool:
    """Whether a belief says how many rows the table has, and it has another number of them."""
    table = rows.plain.marginal(subject.layout.column_names)
    there = sum(
        int(count)
        for labels, count in zip(table.cells, table.counts, strict=True)
        if not subject.numeric or labels != (None,)
    )
    return any(
        each.provenance == RELEASED
        and not each.given
        and each.frequencies is not None
        and each.frequencies.counts is not None
        and int(each.frequencies.counts.sum()) != there
        for each in subject.scenario.beliefs
    )
