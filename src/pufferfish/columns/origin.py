"""Whether the beliefs of a plan were fitted on the table that is released.

A belief with the provenance "fitted on the released column" says something about the release, and
carries the fingerprint of the counts it was fitted on. The table is counted in the same way before
anything is drawn, and again while its rows are noised: a table that changes in between is refused
before it is published. Standard input cannot be read twice, and is only counted the second time.
"""

from __future__ import annotations

from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED, Belief
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.statement import BeliefsFrom
from pufferfish.columns.statement.facts import planned_source
from pufferfish.core.errors import DataError
from pufferfish.tables import Counts
from pufferfish.tables.halves import Halves

__all__ = ["as_planned", "is_about_this_table", "is_fitted_on", "other_table_error"]
__all__ += ["refuse_other_halves", "rows_set_apart", "source_of", "time_of_fit"]


def is_about_this_table(plan: ColumnPlan) -> bool:
    """Whether a belief claims to be fitted on the column that is released."""
    return bool(_claiming(plan))


def source_of(plan: ColumnPlan, summary: Counts) -> BeliefsFrom:
    """Where the beliefs come from, by the counts of the table that is released."""
    claimed = _claiming(plan)
    if not claimed:
        return planned_source(plan.calibration.scenario.beliefs)
    same = all(
        is_fitted_on(belief, as_planned(summary, plan.missing, plan.cap)) for belief in claimed
    )
    return "this table" if same else "another table"


def refuse_other_halves(plan: ColumnPlan, halves: Halves | None) -> None:
    """Refuse a plan whose beliefs were not fitted on the half that is not released.

    Args:
        plan: What to do.
        halves: How the table was split; None: all of its rows are released.
    """
    set_apart = [
        each for each in plan.calibration.scenario.beliefs if each.provenance == OTHER_ROWS
    ]
    if halves is None:
        if set_apart:
            raise rows_set_apart()
        return
    fitted = as_planned(halves.fitted, plan.missing, plan.cap)
    if not set_apart or _claiming(plan) or not all(is_fitted_on(b, fitted) for b in set_apart):
        raise DataError(
            "halves= releases the rows that no belief was fitted on, but the beliefs of this plan "
            "were not fitted on the other half: fit them with pf.fit_beliefs(halves.fitted)."
        )


def rows_set_apart() -> DataError:
    """The error for a plan for half of a table where it is not known how the table was split."""
    return DataError(
        "the beliefs of this plan were fitted on rows that must not be published, and it is no "
        "longer known which rows those are. Nothing was published. Split, fit and release in one "
        "call (--fit-on half; in Python pf.split_half, pf.release(halves=...))."
    )


def as_planned(summary: Counts, missing: str, cap: tuple[float, float] | None) -> Counts:
    """The counts of the values that go through the mechanism."""
    if missing == "drop":
        summary = summary.without_missing()
    return summary if cap is None else summary.capped(*cap)


def time_of_fit(plan: ColumnPlan) -> str | None:
    """When the latest belief that claims to be about the released column was fitted."""
    times = [belief.fitted_at for belief in _claiming(plan) if belief.fitted_at is not None]
    return max(times, default=None)


def other_table_error(plan: ColumnPlan) -> DataError:
    """The error for beliefs about another table where that was not asked for."""
    when = time_of_fit(plan)
    known = all(belief.fitted_on is not None for belief in _claiming(plan))
    found = (
        f"the beliefs of this plan were fitted on another table{f', on {when}' if when else ''}"
        if known
        else "this plan does not say which table its beliefs were fitted on (it was made by hand)"
    )
    return DataError(
        f"{found}, so nothing is known about what this table reveals. Nothing was published. Make "
        "a plan from this table (pufferfish calibrate; in Python pf.fit_beliefs, pf.calibrate). If "
        "the adversaries are meant to know the other table and not this one, say so with "
        "--beliefs-from-plan (beliefs_from_plan=True): both editions of the record will state it."
    )


def _claiming(plan: ColumnPlan) -> tuple[Belief, ...]:
    beliefs = plan.calibration.scenario.beliefs
    return tuple(belief for belief in beliefs if belief.provenance == RELEASED)


def is_fitted_on(belief: Belief, summary: Counts) -> bool:
    """Whether a belief was fitted on these counts, as far as they are about its secrets."""
    if not belief.priors.keys() <= summary.secrets.keys():
        return False
    return belief.fitted_on == summary.only(belief.priors).fingerprint
