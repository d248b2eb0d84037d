"""The plan of a table as asked: what is applied to its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pufferfish.beliefs.layout import Layout
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.insight.choosing import Chosen
from pufferfish.joint.plan import TablePlan
from pufferfish.options.counting import refuse_for_table
from pufferfish.options.describing import DescribedTable
from pufferfish.options.planning import Asked
from pufferfish.options.voice import Voice
from pufferfish.words.phrases import list_in_words

__all__ = ["WRONG", "calibrate_table", "choose_for_table", "compares", "how_calibrated"]
__all__ += ["plan_table", "recodes", "wrong_by_default"]

# The default of --wrong for categories.
WRONG = 0.05


def compares(asked: Asked, described: DescribedTable) -> bool:
    """Whether mechanisms are compared: with --mechanism auto, for one column of numbers."""
    return asked.goal.kind == "auto" and described.counted.roles.numeric


def choose_for_table(
    asked: Asked, described: DescribedTable, voice: Voice, epsilon: float | None = None
) -> Chosen | None:
    """With --mechanism auto, for numbers: the ways to keep the promise, and which errs least.

    None where nothing is compared: categories, and several columns together, are recoded.
    """
    if not compares(asked, described):
        return None
    goal = asked.goal if epsilon is None else replace(asked.goal, epsilon=epsilon)
    return asked.ways(described.scenario, goal.guarantee(), voice)


def plan_table(
    asked: Asked, described: DescribedTable, voice: Voice, chosen: Chosen | None = None
) -> TablePlan:
    """The plan of a table, as asked for.

    Args:
        asked: What was asked for.
        described: The scenario.
        voice: Told of the work.
        chosen: The result of `choose_for_table`, if it was called already.
    """
    refuse_for_table(asked)
    layout, publishing = described.counted.roles, asked.publishing
    found = chosen or choose_for_table(asked, described, voice)
    return TablePlan(
        calibration=calibrate_table(asked, described, voice, chosen=found),
        columns=layout.column_names,
        secret=layout.secret_names,
        known=layout.known_names,
        keep=publishing.kept,
        keep_unprotected=tuple(publishing.keep_unprotected or ()),
        missing=asked.adversaries.missing_of(numbers=layout.numeric),
        person=publishing.person,
        cap=asked.adversaries.bounds,
        rounding=asked.rounding,
        postprocess=publishing.postprocess if found is None else found.taken.postprocess,
        keep_order=publishing.keep_order,
        others=described.others,
        jointly=layout.jointly,
        missing_secret=layout.missing_secret,
        allow_no_noise=publishing.allow_no_noise,
        wrong_of_table=asked.wrong_of_table and not recodes(asked, layout),
    )


def calibrate_table(
    asked: Asked,
    described: DescribedTable,
    voice: Voice,
    epsilon: float | None = None,
    chosen: Chosen | None = None,
) -> Calibration:
    """The mechanism that keeps the promise, for each value of the columns that are kept.

    Args:
        asked: What was asked for.
        described: The scenario.
        voice: Told of the work.
        epsilon: Used instead of the ε that was asked for.
        chosen: The result of `choose_for_table`, if it was called already.
    """
    found = chosen or choose_for_table(asked, described, voice, epsilon)
    if found is not None:
        return found.taken.calibration
    goal = asked.goal if epsilon is None else replace(asked.goal, epsilon=epsilon)
    how = how_calibrated(asked, described)
    with voice.progress("Calibrating"):
        made = calibrate(described.scenario, goal.guarantee(), workers=goal.workers, **how)
    return asked.marked(made)


def how_calibrated(asked: Asked, described: DescribedTable) -> dict[str, Any]:
    """The arguments of `calibrate` that change what it finds."""
    how: dict[str, Any] = {"keep": asked.publishing.kept}
    if recodes(asked, described.counted.roles):
        return how | {"mechanism": "recode", **_recoding(asked, described)}
    goal = asked.goal
    how |= {"mechanism": goal.kind, "method": goal.method, "size": goal.scale}
    share = asked.recoding.share
    return how | {"wrong": share} if share else how


def wrong_by_default(asked: Asked, described: DescribedTable) -> bool:
    """Whether --wrong is not given, so that its default is used."""
    labelled = not described.counted.roles.numeric
    covered = asked.recoding.nominal or asked.adversaries.confidence is not None
    return labelled and asked.recoding.wrong is None and not covered


def recodes(asked: Asked, layout: Layout) -> bool:
    """Whether values are recoded; categories always are."""
    kind = asked.goal.kind
    if layout.numeric:
        asked.recoding.refuse(kind, asked.adversaries.bounds)
        return kind == "recode"
    said = asked.goal.mechanism
    if said not in (None, "recode", "auto"):
        raise InvalidInputError(
            f"{said} noise is for one column of numbers, and {layout.in_words}: such "
            "columns are recoded. Leave out --mechanism, or give --mechanism recode."
        )
    return True


def _recoding(asked: Asked, described: DescribedTable) -> dict[str, Any]:
    """The options of a recoding as arguments of `calibrate`."""
    layout, recoding = described.counted.roles, asked.recoding
    how = dict(recoding.arguments)
    if layout.numeric:
        return how
    require(
        "edges" not in how,
        "--edges must name the column, such as --edges age=20,40,60.",
    )
    require(
        how.get("floor") != "noise",
        "--floor noise is for numbers, which noise could protect: give --floor none, or a number.",
    )
    require(
        asked.goal.method == "exact" and asked.goal.scale is None,
        "--method and --scale are about noise, and categories, and several columns together, are "
        "recoded: leave them out.",
    )
    require(
        asked.publishing.postprocess == (),
        "--round and --clip are about noise, and a recoding publishes its own values: leave them "
        "out.",
    )
    if wrong_by_default(asked, described):
        how["wrong"] = WRONG
    by_column = {name: each for name, each in recoding.losses.items() if name}
    for option, columns in (("--loss", by_column), ("--weight", recoding.weights)):
        for name in columns:
            require(
                name in layout.column_names,
                f"{option} is about column {name!r}, which is not published under the promise; "
                f"those are {list_in_words(layout.column_names)} (--column).",
            )
    if by_column:
        require("loss" not in how, "--loss is given with and without a column: give one of them.")
        how["loss"] = by_column
    if recoding.weights:
        how["weights"] = recoding.weights
    if described.never:
        how["never"] = described.never
    return how
