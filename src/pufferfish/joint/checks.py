"""Refuse plans of a table that contradict themselves, or promise what no belief describes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.layout import NO_SECRET, is_missing_secret
from pufferfish.beliefs.priors import Categorical, Prior
from pufferfish.beliefs.rules import Rule
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.noise import Stratified
from pufferfish.words.phrases import list_in_words

if TYPE_CHECKING:
    from pufferfish.joint.plan import TablePlan

__all__ = ["check_beliefs", "check_numbers", "check_roles"]


def check_roles(plan: TablePlan) -> None:
    """Refuse a column in two roles."""
    roles = {
        "published under the promise": plan.columns,
        "the secret": plan.secret_columns,
        "known": plan.known,
        "kept unprotected": plan.keep_unprotected,
    }
    found: dict[str, str] = {}
    for role, names in roles.items():
        for name in names:
            before = found.setdefault(name, role)
            require(
                before == role,
                f"column {name!r} has two roles, {before} and {role}: give it one.",
            )


def check_beliefs(plan: TablePlan) -> None:
    """Refuse beliefs that do not know the known columns, or are not about the published ones."""
    beliefs, law = plan.scenario.beliefs, plan.calibration.mechanism
    if isinstance(law, Stratified):
        require(
            {*law.columns} == {*plan.keep},
            f"each value of {list_in_words(law.columns)} has a law of its own, so these "
            "columns must be published, and no others may be kept: name them (--keep, keep=[...]).",
        )
    for name in plan.known:
        if not any(name in each.given for each in beliefs):
            raise InvalidInputError(
                f"column {name!r} is kept or known, so the promise must hold for somebody who "
                "knows it, and no adversary is described who does. Fit beliefs with "
                f"known=[{name!r}] (--known {name}); or, to publish it without protection, "
                f"keep_unprotected=[{name!r}] (--keep-unprotected {name})."
            )
    # The words of a plan tell from its pairs whether rows without a secret are covered.
    require(
        plan.missing_secret
        or not any(is_missing_secret(each) for pair in plan.scenario.pairs for each in pair),
        f"the secret {NO_SECRET!r} stands for rows without a secret: make these a group "
        "(--missing-secret, missing_secret=True), or rename the label.",
    )
    _check_who_knows(plan)
    rules: dict[str, Rule] = {}
    for belief in beliefs:
        for name, rule in belief.rules.items():
            require(
                rules.setdefault(name, rule) == rule,
                f"two beliefs read column {name!r} by different rules, but each row is read in one "
                "way: fit all beliefs with the same rules.",
            )
        require(
            {*belief.given} <= {*plan.known},
            f"belief {belief.name!r} knows columns that the plan does not name: name them "
            "(--known, known=[...]).",
        )
        require(
            not belief.columns or belief.columns == plan.columns,
            f"belief {belief.name!r} is not about the columns that the plan publishes, in this "
            f"order: {list_in_words(plan.columns)}.",
        )
        require(
            belief.labelled or len(plan.columns) == 1,
            "several columns need beliefs about their combinations: pf.fit_beliefs(columns=[...]).",
        )


def _check_who_knows(plan: TablePlan) -> None:
    """Refuse a plan in which no adversary knows only some of the known columns.

    A promise against those who know all known columns implies none against those who know fewer.
    Everybody knows the kept columns; of the other known columns somebody may know any. So there
    must be adversaries for each set of columns in between, for all values that occur.
    """
    every = {
        key_of(tuple(each.given[name] for name in plan.known))
        for each in plan.scenario.beliefs
        if {*each.given} == {*plan.known}
    }
    if isinstance(plan.calibration.mechanism, Stratified) and not every:
        return  # nobody knows all columns: refused above
    hidden = [name for name in plan.known if name not in plan.keep]
    for size in range(len(hidden)):
        for some in combinations(hidden, size):
            names = [name for name in plan.known if name in plan.keep or name in some]
            places = [plan.known.index(name) for name in names]
            described = {
                key_of(tuple(each.given[name] for name in names))
                for each in plan.scenario.beliefs
                if {*each.given} == {*names}
            }
            needed = {tuple(key[place] for place in places) for key in every}
            if not needed <= described:
                who = f"only {list_in_words(names)}" if names else "none of them"
                raise InvalidInputError(
                    f"{list_in_words(plan.known)} may be known, but no adversary is described who "
                    f"knows {who}: a promise against those who know all of them implies nothing "
                    "against the others. Fitting with these known columns (--known, "
                    "pf.fit_beliefs(known=[...])) describes every set."
                )


def check_numbers(plan: TablePlan) -> None:
    """Refuse options that are for a column of numbers only."""
    require(
        plan.numeric or (plan.cap is None and not plan.postprocess),
        "cap and postprocess are for one column of numbers.",
    )
    for belief in plan.scenario.beliefs:
        require(
            belief.cap == plan.cap,
            f"belief {belief.name!r} and the plan do not have the same cap (cap=..., --cap).",
        )
    holes = any(
        any(each.missing.values()) or any(map(_has_hole, each.priors.values()))
        for each in plan.scenario.beliefs
    )
    require(
        plan.missing == "keep" or not holes,
        "the beliefs allow for missing values: keep rows without a value (--missing keep, "
        'missing="keep"), or fit the beliefs to the rows that have one.',
    )
    require(
        plan.missing != "drop" or plan.numeric,
        'missing="drop" (--missing drop) is for one column of numbers: a missing category is a '
        "category.",
    )


def _has_hole(law: Prior) -> bool:
    """Whether a missing entry is among the categories."""
    rows = (key if isinstance(key, tuple) else (key,) for key in getattr(law, "values", ()))
    return isinstance(law, Categorical) and any(None in row for row in rows)
