"""Whether the beliefs of a plan were fitted on the table that is released.

A belief with the provenance "fitted on the released column" says something about the release, and
carries the fingerprint of the counts it was fitted on. The table is counted in the same way before
anything is drawn, and again while its rows are noised: a table that changes in between is refused
before it is published. What cannot be read twice, standard input, is only counted the second time.
"""

from __future__ import annotations

from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.columns.plan import Plan
from pufferfish.columns.statement import BeliefsFrom
from pufferfish.core.errors import DataError
from pufferfish.tables import Summary

__all__ = ["is_about_this_table", "other_table_error", "source_of", "time_of_fit"]


def is_about_this_table(plan: Plan) -> bool:
    """Whether a belief claims to be fitted on the column that is released."""
    return bool(_claiming(plan))


def source_of(plan: Plan, summary: Summary) -> BeliefsFrom:
    """Where the beliefs come from, by the counts of the table that is released."""
    claimed = _claiming(plan)
    if not claimed:
        return "elsewhere"
    if plan.missing == "drop":
        summary = summary.without_missing()
    if plan.cap is not None:
        summary = summary.capped(*plan.cap)
    same = all(_is_fitted_on(belief, summary) for belief in claimed)
    return "this table" if same else "another table"


def time_of_fit(plan: Plan) -> str | None:
    """When the last of the beliefs was fitted that are said to be about the released column."""
    times = [belief.fitted_at for belief in _claiming(plan) if belief.fitted_at is not None]
    return max(times, default=None)


def other_table_error(plan: Plan) -> DataError:
    """What to say where the beliefs are about another table, and nobody said that this is meant."""
    when = time_of_fit(plan)
    known = all(belief.fitted_on is not None for belief in _claiming(plan))
    found = (
        f"the beliefs of this plan were fitted on another table{f', on {when}' if when else ''}"
        if known
        else "this plan does not say which table its beliefs were fitted on (it is of an earlier "
        "version, or made by hand)"
    )
    return DataError(
        f"{found}, so nothing is known of what this table gives away. Nothing was published. Make "
        "a plan from this table (pufferfish calibrate; in Python pf.fit_beliefs, pf.calibrate). If "
        "it is meant that the adversaries know the other table and not this one, say so with "
        "--beliefs-from-plan (beliefs_from_plan=True): every edition of the record will say it, "
        "too."
    )


def _claiming(plan: Plan) -> tuple[Belief, ...]:
    beliefs = plan.calibration.scenario.beliefs
    return tuple(belief for belief in beliefs if belief.provenance == RELEASED)


def _is_fitted_on(belief: Belief, summary: Summary) -> bool:
    """Whether a belief was fitted on these counts, as far as they are about its secrets."""
    if not belief.priors.keys() <= summary.groups.keys():
        return False
    return belief.fitted_on == summary.only(belief.priors).fingerprint
