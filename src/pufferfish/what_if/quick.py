"""A quick stress test of a release: it takes seconds, and needs the table.

It tests other columns one by one, laws that differ by 1%, and the value to within one unit: no
pairs of columns, no learner, no resamples, and nothing is calibrated again unless answers are
requested. The result is as private as the table.
"""

from __future__ import annotations

from collections.abc import Callable

from pufferfish.columns.record import Record
from pufferfish.core.errors import PufferfishError
from pufferfish.exact.many import is_many
from pufferfish.joint.record import TableRecord
from pufferfish.tables.engine import Engine
from pufferfish.what_if.asked import Asked
from pufferfish.what_if.in_words import late_in_words, reach_of, size_in_words
from pufferfish.what_if.result import Case, Stress
from pufferfish.what_if.run import stress_engine
from pufferfish.what_if.subject import subject_of
from pufferfish.words.numbers import percent_up
from pufferfish.words.steps import Entry, Step

__all__ = ["TITLE", "quick_stress", "stress_in_words"]

TITLE = "What if"
# About how long it may take, and for how many rows.
_SECONDS = 10.0
_MOST_ROWS = 1_000_000
_MIN_ROWS = 20
_WRONGS = (0.01,)
# Cases that are shown one by one.
_MOST_TOLD = 3


def quick_stress(
    record: Record | TableRecord,
    engine: Engine,
    progress: Callable[[float], None] | None = None,
    *,
    answers: bool = False,
) -> Stress | str:
    """The result, or a text that says why there is none: a finished release must not fail here.

    Args:
        record: The record of the release.
        engine: Reads the table that was released.
        progress: Called with the share that is done.
        answers: Whether to calibrate answers, as far as there is time.
    """
    if record.rows_read > _MOST_ROWS:
        return f"the table has more than {_MOST_ROWS:,} rows"
    if record.rows_fitted is not None:
        return "only one half of the table was released"
    if is_many(record.plan.calibration.scenario):
        return "there are too many pairs of secrets"
    try:
        asked = Asked(
            pairs=False,
            min_rows=_MIN_ROWS,
            wrongs=_WRONGS,
            resamples=0,
            splits=0,
            learner=False,
            answers=answers,
            seconds=_SECONDS,
        )
        return stress_engine(subject_of(record.plan, {}), engine, asked, progress=progress)
    except (PufferfishError, OSError) as error:
        return str(error).rstrip(".")


def stress_in_words(found: Stress | str) -> Step:
    """The worst cases, for a terminal whose user may see the table."""
    if isinstance(found, str):
        return Step(
            TITLE,
            (
                f"somebody knows more than was described? Not tested: {found}. See `pufferfish "
                "stress`.",
            ),
        )
    broken = [
        each for each in found.cases if each.holds is False and size_in_words(found.goal, each)
    ]
    told = broken[:_MOST_TOLD]
    worst = "; the worst are below" if told else ""
    return Step(
        TITLE,
        (
            "somebody knows more than was described, or believes something else? "
            f"{len(found.cases)} such cases were judged: {reach_of(found)}{worst}. "
            "`pufferfish stress RECORD TABLE` tests more, and says what would help. Private, and "
            "in no record.",
            *filter(None, (late_in_words(found), _untold_in_words(found))),
            *found.notes,
        ),
        tuple(Entry(_told(found, each)) for each in told),
    )


def _untold_in_words(found: Stress) -> str:
    """Those who could not be judged though there was time, and why; nothing where all could."""
    whom: dict[str, list[str]] = {}
    for case in found.cases:
        if case.holds is None and not case.late:
            whom.setdefault(case.note, []).append(case.knows)
    return " ".join(
        f"Somebody who {' or '.join(names)} was {why or 'not judged'}."
        for why, names in whom.items()
    )


def _told(found: Stress, case: Case) -> str:
    """One case, in words."""
    said = [size_in_words(found.goal, case)]
    if case.guess is not None:
        two = "values" if case.kind == "value" else "secrets"
        said.append(
            f"the best guess between two {two} is right in {percent_up(case.guess)} of cases"
        )
    if case.small_share:
        said.append(f"{percent_up(case.small_share, 2)} of the rows could not be judged")
    return "; ".join([f"somebody who {case.knows}: {', '.join(said)}", *filter(None, [case.note])])
