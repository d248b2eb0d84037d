"""Is a table the one that a plan's beliefs are about, and do they cover it?"""

from __future__ import annotations

from functools import partial
from typing import Any

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.scenario import RELEASED, Belief, check_secret
from pufferfish.columns.origin import as_planned, is_fitted_on
from pufferfish.core.errors import DataError
from pufferfish.fit.table import TableCounts, numbers_of
from pufferfish.fit.verbs import fit_counts
from pufferfish.joint.cells import CellRules
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.plan import TablePlan
from pufferfish.tables.crosstab import Crosstab
from pufferfish.tables.summary import Summary
from pufferfish.words.numbers import percent_down

__all__ = ["are_fitted_to", "other_table", "refuse_other_counts", "refuse_unseen", "who_claim"]


def who_claim(plan: TablePlan) -> tuple[Belief, ...]:
    """The beliefs that claim to be fitted to the released table."""
    return tuple(each for each in plan.scenario.beliefs if each.provenance == RELEASED)


def are_fitted_to(plan: TablePlan, crosstab: Crosstab) -> bool | None:
    """Whether the plan's beliefs were fitted to a table with these counts; None: none claims it.

    Beliefs of one column of numbers may have been fitted to its values by secret.
    """
    claiming = who_claim(plan)
    if not claiming:
        return None
    found = crosstab.fingerprint
    others = [each for each in claiming if each.fitted_on != found]
    single = plan.numeric and not plan.known and len(plan.secret_columns) == 1
    return not others or (
        single and all(map(partial(is_fitted_on, summary=_by_secret(plan, crosstab)), others))
    )


def _by_secret(plan: TablePlan, crosstab: Crosstab) -> Summary:
    """The values of one column of numbers that go through the mechanism, by secret."""
    secret = plan.secret_columns[0]
    groups = {
        label: numbers_of(table)
        for (label,), table in crosstab.marginal([plan.columns[0], secret]).parts([secret])
    }
    nobody = groups.pop(None, None)
    named = {check_secret(label): group for label, group in groups.items()}
    summary = Summary(plan.columns[0], secret, named, without_secret=nobody)
    return as_planned(summary, plan.missing, plan.cap)


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
