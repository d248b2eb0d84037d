"""The options for a table, written as a Python script that does the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pufferfish.core.errors import UnsupportedError
from pufferfish.joint.plan import TablePlan
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.describing import DescribedTable
from pufferfish.options.joint import compares, how_calibrated
from pufferfish.options.planning import Asked

__all__ = ["table_script"]

# The defaults of `calibrate` and of a plan.
_USUAL: dict[str, Any] = {"keep": (), "method": "exact", "size": None, "mechanism": "laplace"}
_USUAL |= {"known": (), "keep_unprotected": (), "missing": None, "person": None, "cap": None}
_USUAL |= {"rounding": "ladder", "postprocess": (), "keep_order": False, "others": ()}
_USUAL |= {"jointly": False, "missing_secret": False}


def table_script(asked: Asked, described: DescribedTable, plan: TablePlan, output: str) -> str:
    """The script: plan, release to `output`, and save both editions of the record.

    Raises:
        UnsupportedError: Marks of missing entries are given; in Python they belong to a frame.
    """
    if asked.table.na:
        raise UnsupportedError(
            "there is no script for a table with marks of missing entries (--na): use the commands."
        )
    goal = plan.promise
    return "\n".join(
        [
            "import pufferfish as pf",
            "",
            f"beliefs = {_call('pf.fit_beliefs', _fitted(asked, described, plan))}",
            f"scenario = pf.Scenario(beliefs, {[tuple(pair) for pair in plan.scenario.pairs]!r})",
            f"goal = pf.Guarantee(epsilon={goal.epsilon!r}, delta={goal.delta!r})",
            *_calibrated(asked, described),
            "plan = pf.Plan(",
            "    calibration=calibration,",
            *(f"    {name}={value}," for name, value in _planned(asked, plan)),
            ")",
            f"done = pf.release({asked.table.file!r}, plan, {output!r})",
            f"done.record.save({output + '.record.json'!r}, 'internal')",
            f"done.record.save({output + '.public.json'!r}, 'public')",
            "print(done.record.to_dict('public')['promise'])",
            "",
        ]
    )


def _fitted(asked: Asked, described: DescribedTable, plan: TablePlan) -> Iterator[tuple[str, str]]:
    """What beliefs are fitted to, and how."""
    adversaries = asked.adversaries
    yield "", repr(str(adversaries.reference or asked.table.file))
    yield "columns", repr(list(plan.columns))
    yield "secret", repr(_secret(plan))
    usual = Adversaries()
    for name, value, left_out in (
        ("known", list(plan.known), []),
        *((name, value, {}) for name, value in _rules(asked, plan)),
        ("codes", asked.roles.codes or [], []),
        ("jointly", plan.jointly, False),
        ("missing_secret", plan.missing_secret, False),
        ("families", adversaries.fitted, None),
        ("only", described.counted.wanted, None),
        ("bootstrap", adversaries.bootstrap, usual.bootstrap),
        ("min_group", adversaries.min_group, usual.min_group),
        ("provenance", adversaries.provenance, usual.provenance),
        ("cap", adversaries.bounds, None),
        ("confidence", adversaries.confidence, None),
    ):
        if value != left_out:
            yield name, repr(value)


def _calibrated(asked: Asked, described: DescribedTable) -> Iterator[str]:
    """Lines that calibrate as asked, or choose the mechanism that errs least."""
    if not compares(asked, described):
        yield f"calibration = pf.calibrate(scenario, goal{_more(how_calibrated(asked, described))})"
        return
    how: dict[str, Any] = {"keep": asked.publishing.kept, **asked.recoding.arguments}
    if asked.adversaries.bounds is not None:
        how["bounds"] = asked.adversaries.bounds
    yield f"taken = pf.choose_mechanism(scenario, goal{_more(how)}).taken"
    yield "calibration = taken.calibration"


def _rules(asked: Asked, plan: TablePlan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Public rules by column, with labels as they were found in the table."""
    roles, own = asked.roles, {rule.column: rule for rule in plan.layout.rules}
    cuts = roles.cuts | asked.recoding.cuts
    yield "edges", {name: list(edges) for name, edges in cuts.items()}
    yield "dates", roles.units
    yield "merged", {name: dict(own[name].merged) for name in roles.merges}
    yield "orders", {name: list(own[name].order) for name in roles.orders}


def _planned(asked: Asked, plan: TablePlan) -> Iterator[tuple[str, str]]:
    """The arguments of a plan besides its calibration."""
    yield "columns", repr(list(plan.columns))
    yield "secret", repr(_secret(plan))
    names = ("known", "keep", "keep_unprotected", "missing", "person", "cap", "rounding")
    more = ("postprocess", "keep_order", "others", "jointly", "missing_secret")
    for name in (*names, *more):
        value = getattr(plan, name)
        if value != _USUAL[name]:
            chosen = name == "postprocess" and asked.goal.kind == "auto"
            yield name, "taken.postprocess" if chosen else repr(value)


def _secret(plan: TablePlan) -> Any:
    one = len(plan.secret_columns) == 1
    return plan.secret_columns[0] if one else list(plan.secret_columns)


def _call(name: str, arguments: Iterator[tuple[str, str]]) -> str:
    """A call with one argument per line."""
    lines = [f"    {key}={value}," if key else f"    {value}," for key, value in arguments]
    return "\n".join([f"{name}(", *lines, ")"])


def _more(how: Mapping[str, Any]) -> str:
    return "".join(
        f", {name}={value!r}"
        for name, value in how.items()
        if name not in _USUAL or value != _USUAL[name]
    )
