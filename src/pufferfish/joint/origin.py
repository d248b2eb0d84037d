"""Is a table the one that a plan's beliefs are about, and do they cover it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.core.errors import DataError
from pufferfish.fit.table import TableCounts
from pufferfish.fit.verbs import fit_counts
from pufferfish.joint.cells import CellRules
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.plan import TablePlan
from pufferfish.tables.crosstab import Crosstab
from pufferfish.words.numbers import percent_down

__all__ = ["are_fitted_to", "other_table", "refuse_other_counts", "refuse_unseen", "who_claim"]


def who_claim(plan: TablePlan) -> tuple[Belief, ...]:
    """The beliefs that claim to be fitted to the released table."""
    return tuple(each for each in plan.scenario.beliefs if each.provenance == RELEASED)


def are_fitted_to(claiming: Sequence[Belief], crosstab: Crosstab) -> bool | None:
    """Whether these beliefs were fitted to a table with these counts; None: there are none."""
    if not claiming:
        return None
    found = crosstab.fingerprint
    return all(each.fitted_on == found for each in claiming)


def refuse_other_counts(plan: TablePlan, crosstab: Crosstab) -> None:
    """Refuse beliefs that claim to be about this table, but have other counts.

    A plan may name the right table and still hold other laws.
    """
    claiming = who_claim(plan)
    secrets = dict.fromkeys(each for belief in claiming for each in belief.priors)
    counted = TableCounts(crosstab, plan.layout, tuple(secrets))
    found = fit_counts(counted, ("empirical",), min_group=1, cap=plan.cap)
    for belief in claiming:
        laws = belief.priors.items()
        if not all(getattr(law, "counts", None) is not None for _, law in laws):
            continue  # a model, or a smooth law, which no count contradicts
        known = given_key(belief.given)
        same = (
            all(each in own.priors and _same_counts(law, own.priors[each]) for each, law in laws)
            for own in found
            if given_key(own.given) == known
        )
        if not any(same):
            raise DataError(
                f"belief {belief.name!r} says that it was fitted on this table, but the table has "
                "other counts: the plan was changed after it was made. Nothing was published. "
                "Make the plan again (pufferfish calibrate)."
            )


def refuse_unseen(
    counts: TableRowCounts, rules: CellRules, crosstab: Crosstab, plan: TablePlan
) -> None:
    """Refuse a table with a larger share of undescribed rows than laws may be wrong by."""
    wrong = plan.certificate.wrong
    if counts.unseen and rules.unseen_share(crosstab.some_cells()) > wrong:
        raise DataError(
            f"{counts.unseen:,} of {counts.published:,} rows have values that no belief considers. "
            "Among the rows of some secret, or of some known values, their share exceeds the "
            f"{percent_down(wrong, 6)} by which laws may be wrong. Nothing was published. Fit the "
            "beliefs to a table that has these values."
        )


def _same_counts(one: Any, other: Any) -> bool:
    """Whether two tables have the same counts; a count of 0 is the same as none."""
    counts = [
        {
            key_of(value): count
            for value, count in zip(list(each.values), each.counts.tolist(), strict=True)
            if count
        }
        for each in (one, other)
    ]
    return counts[0] == counts[1]


def other_table() -> DataError:
    """The error for beliefs about another table where that was not asked for."""
    return DataError(
        "the beliefs of this plan were fitted on another table, so nothing is known about what "
        "this one reveals. Nothing was published. Make a plan from this table (pufferfish "
        "calibrate; in Python pf.fit_beliefs, pf.calibrate). If the adversaries are meant to know "
        "the other table and not this one, say so with --beliefs-from-plan "
        "(beliefs_from_plan=True): both editions of the record will state it."
    )
