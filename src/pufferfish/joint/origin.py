"""Is a table the one that a plan's beliefs are about, and do they cover it?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.labels import places_of
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.columns.origin import as_planned, is_fitted_on
from pufferfish.core.errors import DataError
from pufferfish.joint.cells import CellRules
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.plan import TablePlan
from pufferfish.tables import Counts, Group
from pufferfish.tables.counts import column_layout
from pufferfish.words.numbers import percent_down

__all__ = ["are_fitted_to", "other_table", "refuse_other_counts", "refuse_unseen", "who_claim"]


def who_claim(plan: TablePlan) -> tuple[Belief, ...]:
    """The beliefs that claim to be fitted to the released table."""
    return tuple(each for each in plan.scenario.beliefs if each.provenance == RELEASED)


def are_fitted_to(plan: TablePlan, crosstab: Counts) -> bool | None:
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


def _by_secret(plan: TablePlan, crosstab: Counts) -> Counts:
    """The values of one column of numbers that go through the mechanism, by secret."""
    names = plan.columns[0], plan.secret_columns[0]
    counted = replace(crosstab.marginal(names), layout=column_layout(*names))
    return as_planned(counted, plan.missing, plan.cap)


def refuse_other_counts(plan: TablePlan, crosstab: Counts) -> None:
    """Refuse beliefs that claim to be about this table, but have other counts.

    A plan may name the right table and still hold other laws.
    """
    counted = replace(crosstab, layout=plan.layout)
    counted = counted if plan.cap is None else counted.capped(*plan.cap)
    strata: dict[tuple[str, ...], list[Counts]] = {}
    for belief in who_claim(plan):
        known = tuple(belief.given)
        if known not in strata:
            strata[known] = list(counted.strata(known))
        if not any(
            _same_counts(belief, each)
            for each in strata[known]
            if given_key(each.given) == given_key(belief.given)
        ):
            raise DataError(
                f"belief {belief.name!r} says that it was fitted on this table, but the table has "
                "other counts: the plan was changed after it was made. Nothing was published. "
                "Make the plan again (pufferfish calibrate)."
            )


def refuse_unseen(
    counts: TableRowCounts, rules: CellRules, crosstab: Counts, plan: TablePlan
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


def _same_counts(belief: Belief, rows: Counts) -> bool:
    """Whether laws have the counts of these rows; a count of 0 is the same as none.

    A model, or a smooth law, is contradicted by no count.
    """
    laws = belief.priors
    if not all(getattr(law, "counts", None) is not None for law in laws.values()):
        return True
    if rows.roles.numeric:
        groups = rows.groups
        return all(
            isinstance(law, Discrete) and secret in groups and _is_counted(law, groups[secret])
            for secret, law in laws.items()
        )
    domain, found = rows.laws_by_secret
    index = places_of(each[0] if len(each) == 1 else each for each in domain.cells)
    for secret, law in laws.items():
        if not isinstance(law, Categorical) or law.counts is None or secret not in found:
            return False
        own = np.zeros(domain.counts.size, dtype=np.int64)
        for key, count in zip(law.values.keys, law.counts.tolist(), strict=True):
            place = index.get(key)
            if place is not None:
                own[place] += count
            elif count:
                return False
        if not np.array_equal(own, found[secret]):
            return False
    return True


def _is_counted(law: Discrete, group: Group) -> bool:
    if law.counts is None:
        return False
    there = law.counts > 0
    same = np.array_equal(law.values[there], group.values)
    return same and np.array_equal(law.counts[there], group.counts)


def other_table() -> DataError:
    """The error for beliefs about another table where that was not asked for."""
    return DataError(
        "the beliefs of this plan were fitted on another table, so nothing is known about what "
        "this one reveals. Nothing was published. Make a plan from this table (pufferfish "
        "calibrate; in Python pf.fit_beliefs, pf.calibrate). If the adversaries are meant to know "
        "the other table and not this one, say so with --beliefs-from-plan "
        "(beliefs_from_plan=True): both editions of the record will state it."
    )
