"""The options, written as a Python script that does the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pufferfish.beliefs.scenario import PUBLIC, REFERENCE, Scenario
from pufferfish.calibration.rows import SeveralRows, share_of
from pufferfish.options.adversaries import Adversaries, families_of
from pufferfish.options.planning import Asked

__all__ = ["script"]


def script(asked: Asked, scenario: Scenario, output: str) -> str:
    """The script: plan, release to `output`, and save both editions of the record."""
    return "\n".join(
        [
            *_imports(asked),
            "",
            *_beliefs(asked, scenario),
            *(_recoding(asked) if not asked.goal.adds_noise else _calibration(asked)),
            *_plan(asked),
            f"done = pf.release({asked.table.file!r}, plan, {output!r}{_marks(asked)})",
            f"done.record.save({output + '.record.json'!r}, 'internal')",
            f"done.record.save({output + '.public.json'!r}, 'public')",
            "print(done.record.to_dict('public')['promise'])",
            "",
        ]
    )


def _marks(asked: Asked) -> str:
    return f", na={asked.table.na!r}" if asked.table.na else ""


def _imports(asked: Asked) -> Iterator[str]:
    if not (asked.adversaries.pair or asked.adversaries.against):
        yield "from itertools import combinations"
        yield ""
    yield "import pufferfish as pf"


def _beliefs(asked: Asked, scenario: Scenario) -> Iterator[str]:
    adversaries = asked.adversaries
    column, secret = asked.table.columns
    more = f"families={families_of(adversaries.belief)!r}"
    if adversaries.bootstrap:
        more += f", bootstrap={adversaries.bootstrap}"
    if adversaries.min_group != Adversaries().min_group:
        more += f", min_group={adversaries.min_group}"
    if adversaries.confidence is not None:
        more += f", confidence={adversaries.confidence!r}"
    if adversaries.shape != Adversaries().shape:
        more += f", region={adversaries.shape!r}"

    def counted(file: object) -> str:
        dropped = ".without_missing()" if adversaries.missing == "drop" else ""
        if adversaries.bounds is not None:
            low, high = adversaries.bounds
            dropped += f".capped({low!r}, {high!r})"
        chosen = f"column={column!r}, secret={secret!r}{_marks(asked)}"
        if asked.reduction is not None:
            chosen += f", person={asked.reduction.person!r}, one_row={asked.reduction.way!r}"
        return f"pf.summarise({str(file)!r}, {chosen}){dropped}"

    yield f"table = {counted(asked.table.file)}"
    source = "table"
    if adversaries.reference is not None:
        source = "reference"
        yield f"reference = {counted(adversaries.reference)}"
        more += f", provenance={(PUBLIC if adversaries.public_reference else REFERENCE)!r}"
    if adversaries.pair or adversaries.against:
        yield f"pairs = {[tuple(pair) for pair in scenario.pairs]!r}"
        source += ".only(each for pair in pairs for each in pair)"
    else:
        yield "pairs = list(combinations(table.groups, 2))"
    yield f"beliefs = pf.fit_beliefs({source}, {more})"
    yield "scenario = pf.Scenario(beliefs, pairs)"


def _calibration(asked: Asked) -> Iterator[str]:
    goal, accuracy, rows = asked.goal, asked.accuracy, asked.rows
    if not accuracy.given and not goal.promised and goal.scale is not None:
        law = f"pf.noise_of_size({goal.kind!r}, {goal.scale!r})"
        yield f"calibration = {_strongest(law, goal.delta, rows)}"
        return
    if not accuracy.given and goal.scale is None and not rows.apart:
        wanted = goal.guarantee()
        yield f"goal = pf.Guarantee(epsilon={wanted.epsilon!r}, delta={wanted.delta!r})"
        chosen = f"scenario, goal, rows={rows.count}, dependence={rows.dependence!r}"
        if asked.adversaries.bounds is not None:
            chosen += f", cap={asked.adversaries.bounds!r}"
        yield f"calibration = pf.calibrate_rows({chosen})"
        return
    if not accuracy.given:
        wanted = goal.guarantee(rows.count if rows.apart else 1)
        more = "".join(
            f", {name}={value!r}"
            for name, value, usual in (
                ("mechanism", goal.kind, "laplace"),
                ("method", goal.method, "exact"),
                ("size", goal.scale, None),
                ("wrong", asked.recoding.share, 0.0),
            )
            if value != usual
        )
        yield f"goal = pf.Guarantee(epsilon={wanted.epsilon!r}, delta={wanted.delta!r})"
        yield f"calibration = pf.calibrate(scenario, goal{more})"
        return
    if accuracy.accuracy is not None:
        law = f"pf.noise_for_value({goal.kind!r}, {accuracy.accuracy!r}, {accuracy.level!r})"
    else:
        yield "rows = sum(group.records for group in table.groups.values())"
        law = (
            f"pf.noise_for_mean({goal.kind!r}, {accuracy.mean_within!r}, rows, {accuracy.level!r})"
        )
    yield f"calibration = {_strongest(law, goal.delta, rows)}"


def _recoding(asked: Asked) -> Iterator[str]:
    """Lines that choose the mechanism that errs least, or a recoding."""
    goal = asked.goal.guarantee(asked.rows.count)
    chosen = dict(asked.recoding.arguments)
    yield f"goal = pf.Guarantee(epsilon={goal.epsilon!r}, delta={goal.delta!r})"
    if asked.goal.kind == "recode":
        chosen = {"mechanism": "recode"} | chosen
    elif asked.adversaries.bounds is not None:
        chosen["bounds"] = asked.adversaries.bounds
    more = "".join(f", {name}={value!r}" for name, value in chosen.items())
    if asked.goal.kind == "recode":
        yield f"calibration = pf.calibrate(scenario, goal{more})"
        return
    yield f"taken = pf.choose_mechanism(scenario, goal{more}).taken"
    yield "calibration = taken.calibration"


def _strongest(law: str, delta: float, rows: SeveralRows) -> str:
    """The strongest promise that noise of a given size keeps."""
    if rows.apart:
        return f"pf.least_epsilon(scenario, {law}, {share_of(delta, rows.count)!r})"
    width = "" if math.isinf(rows.width) else f", {rows.width!r}"
    several = f"pf.SeveralRows({rows.count}, {rows.dependence!r}{width})"
    return f"pf.least_epsilon_rows(scenario, {law}, {delta!r}, {several})"


def _plan(asked: Asked) -> Iterator[str]:
    column, secret = asked.table.columns
    publishing = asked.publishing
    chosen: dict[str, Any] = {
        "column": column,
        "secret": secret,
        "keep_unprotected": tuple(publishing.keep_unprotected or ()),
        "missing": asked.adversaries.missing_of(numbers=True),
        "unit": "row" if publishing.person is None else "person",
        "person": publishing.person,
        "rows_per_person": publishing.rows_per_person,
        "dependence": publishing.rows.dependence,
        "one_row": publishing.one_row,
        "cap": asked.adversaries.bounds,
        "step": publishing.step,
        "keep_order": publishing.keep_order,
        "allow_no_noise": publishing.allow_no_noise,
        "rounding": asked.rounding,
    }
    usual: dict[str, Any] = {
        "keep_unprotected": (),
        "missing": "refuse",
        "unit": "row",
        "person": None,
    }
    usual |= {"rows_per_person": 1, "dependence": "any", "one_row": None, "cap": None, "step": None}
    yield "plan = pf.Plan("
    yield "    calibration=calibration,"
    for name, value in chosen.items():
        if name not in usual or value != usual[name]:
            yield f"    {name}={value!r},"
    if asked.goal.kind == "auto":
        yield "    postprocess=taken.postprocess,"
    if publishing.postprocess:
        steps = ", ".join(f"pf.{step!r}" for step in publishing.postprocess)
        yield f"    postprocess=[{steps}],"
    yield "    others=[each for each in table.groups if each not in beliefs[0].priors],"
    yield ")"
