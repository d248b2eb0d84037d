"""What a promise becomes on rows that were not used, for the curator's terminal."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any

import typer

from pufferfish.cli.show import Show
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import PufferfishError
from pufferfish.core.numerics import round_up
from pufferfish.core.validation import require
from pufferfish.exact.many import is_many
from pufferfish.insight.held_out import WRONGS, HeldOut, judge, measure, wrong_that_holds
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.plan import RowPlan
from pufferfish.options.adversaries import Described
from pufferfish.options.describing import DescribedTable
from pufferfish.options.joint import calibrate_table, how_calibrated, recodes
from pufferfish.options.planning import Asked
from pufferfish.tables.halves import Halves
from pufferfish.words.numbers import at_least, percent_down, readable
from pufferfish.words.phrases import list_texts

__all__ = ["Splits", "as_data", "as_line", "as_warning", "measured", "measured_table", "settled"]

# Without --splits: how often rows are split, and the seconds after which no further split begins,
# so that a quick command stays quick.
_SPLITS, _PATIENCE = 5, 1.0
# A promise that holds in a smaller share of the splits gets a warning: of a few splits, and of
# this number or more.
_OF_FEW, _OF_MANY, _MANY = 0.8, 0.95, 20

Splits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of random splits of the rows. In each, a promise fitted to one half is "
        "judged by the other; 0: none.",
        show_default="5, fewer where one takes long; 0 for categories, and several or known "
        "columns",
    ),
]


def measured(
    asked: Asked,
    described: Described,
    plan: ColumnPlan,
    splits: int | None,
    show: Show,
    halves: Halves | None = None,
) -> HeldOut | None:
    """How rows that were not used judge the promise; None if not asked for, or not measurable.

    Args:
        asked: How to calibrate for one half.
        described: The scenario, and the counts of the table.
        plan: The plan for the whole table, or for the half that was set apart.
        splits: How many times to split the rows; None: a few times, while that is quick.
        show: Where the command prints.
        halves: How the table was split already, if it was.
    """
    require(splits is None or splits >= 0, f"--splits must be at least 0, got {splits}.")
    several = asked.publishing.rows_per_person > 1
    if splits == 0 or several or (show.quiet and not show.json) or is_many(described.scenario):
        return None
    goal = plan.calibration.goal
    try:
        rows = asked.adversaries.prepared(described.counted)
        if halves is not None:
            return judge(plan.calibration, goal, rows)
        with show.progress("Splitting"):
            return measure(
                described.scenario,
                goal,
                rows,
                lambda each: asked.calibration(replace(described, scenario=each), _SILENT),
                splits=_SPLITS if splits is None else splits,
                # A share that was found by splitting deserves more than one split.
                patience=_PATIENCE if splits is None and not asked.wrong_of_table else math.inf,
            )
    except PufferfishError as error:
        show.warn(f"what the promise becomes on rows that were not used is not known: {error}")
        return None


def measured_table(
    asked: Asked, described: DescribedTable, plan: TablePlan, splits: int | None, show: Show
) -> HeldOut | str | None:
    """How rows of a table that were not used judge the promise; None if not asked for.

    Every split calibrates anew, which takes long for many combinations. Without --splits it is done
    only for one column of numbers without known columns, and where some belief is a model of the
    table, which such rows have to judge; otherwise words say that it was not measured. Where half
    of the rows were set apart, that half judges once.
    """
    require(splits is None or splits >= 0, f"--splits must be at least 0, got {splits}.")
    models = {"independent", "chain"} & {*(asked.adversaries.fitted or ())}
    halved = described.halves is not None
    layout = described.counted.roles
    quick = layout.numeric and not layout.known
    # A share that was found by splitting is judged by other splits.
    wanted = halved or quick or splits is not None or bool(models) or asked.wrong_of_table
    if splits == 0 or (show.quiet and not show.json):
        return None
    if not wanted:
        return (
            "what the promise becomes on rows that were not used was not measured; --splits 5 "
            "measures it."
        )
    try:
        if halved:
            return judge(plan.calibration, plan.promise, described.counted)
        with show.progress("Splitting"):
            return measure(
                described.scenario,
                plan.promise,
                described.counted,
                lambda each: calibrate_table(asked, replace(described, scenario=each), _SILENT),
                splits=splits or _SPLITS,
                patience=_PATIENCE if splits is None and not asked.wrong_of_table else math.inf,
            )
    except PufferfishError as error:
        show.warn(f"what the promise becomes on rows that were not used is not known: {error}")
        return None


def settled(
    asked: Asked, described: Described | DescribedTable, show: Show, halves: Halves | None = None
) -> Asked:
    """The options, with a number for `wrong` where `--held-out` asks to find it.

    Args:
        asked: The options.
        described: The scenario; if the table was split, described by rows that are not released.
        show: Told which share was taken.
        halves: How a column was split, if it was: then only rows that are not released are used.
    """
    share = asked.recoding.holds_in
    if share is None:
        return asked
    bare = replace(asked, recoding=asked.recoding.settled)
    if isinstance(described, DescribedTable):
        labelled = not described.counted.roles.numeric
        if not labelled:
            asked.recoding.refuse(asked.goal.kind, asked.adversaries.bounds)
            asked.refuse_given_noise()
        options = how_calibrated(bare, described)
        by_noise = not recodes(bare, described.counted.roles)
        rows: Any = described.fitted
    else:
        labelled = False
        by_noise = asked.goal.adds_noise
        options = {"mechanism": asked.goal.kind} if by_noise else bare.recoding.arguments
        rows = asked.adversaries.prepared(described.counted if halves is None else halves.fitted)
    brittle = labelled or options.get("floor", "noise") != "noise"
    tried = WRONGS[1:] if brittle else WRONGS
    options = {name: each for name, each in options.items() if name != "wrong"}
    if by_noise and not all(each.public for each in described.scenario.beliefs):
        options["rounding"] = asked.goal.rounding  # as it is released
    with show.progress("Splitting"):
        found = wrong_that_holds(
            described.scenario,
            asked.goal.guarantee(asked.rows.count),
            counts=rows,
            share=share,
            wrongs=tried,
            seed=1,  # the splits that choose must differ from the splits that judge afterwards
            **options,
        )
    failed = [at_least(each) for each in tried if each < found.wrong]
    before = f"; {list_texts(failed)} did not hold" if failed else ""
    show.warn(
        f"--wrong is {at_least(found.wrong)}, the least of a short public list with which the "
        f"promise holds in {percent_down(share, 6)} of random splits, judged by "
        f"{len(found.splits)} of them (it held in {found.held}; 95% confidence{before}). It was "
        "chosen by looking at the table."
    )
    recoding = replace(bare.recoding, wrong=str(found.wrong))
    return replace(asked, recoding=recoding, wrong_of_table=True)


_SILENT = Show(json=False, quiet=True)


def as_line(found: HeldOut | str | None) -> str:
    """One line; empty if nothing was measured."""
    return "" if found is None else f"Held out: {found}"


def as_warning(found: HeldOut | str | None, plan: RowPlan) -> tuple[str, ...]:
    """That the promise may fail for another sample, if rows that were not used say so.

    The rule: it must hold in at least 80% of the splits (4 of 5), or 95% where there are 20 or
    more. One failure among a few splits may be chance.
    """
    if not isinstance(found, HeldOut):
        return ()
    if found.share >= (_OF_MANY if found.tried >= _MANY else _OF_FEW):
        return ()
    return (
        f"On rows that were not used, {found.goal} {_how_often(found)}: the promise is about the "
        "laws of this table, and may fail for another sample of the same population."
        f"{_instead(plan)}",
    )


def _how_often(found: HeldOut) -> str:
    if found.tried == 1:
        size = f" ({_size(found, 'there ')})" if found.splits else ""
        return f"did not hold in the one random split{size}"
    # Splits in which nothing keeps the promise have no ε.
    size = "" if found.holes else f" ({_size(found, 'median ')})"
    often = f"only {found.held}" if found.held else "none"
    return f"held in {often} of {found.tried} random splits{size}"


def _size(found: HeldOut, which: str) -> str:
    if not found.goal.pure:
        return f"{which}δ {readable(round_up(found.delta, 3))}"
    epsilon = readable(round_up(found.epsilon, 3)) if math.isfinite(found.epsilon) else "∞"
    return f"{which}ε {epsilon}"


def _instead(plan: RowPlan) -> str:
    """What finds how much room a promise needs; nothing where its room was chosen otherwise."""
    if plan.certificate.confidence is not None:
        return ""
    law, beliefs, option = plan.certificate.noise, plan.scenario.beliefs, "--held-out 95%"
    why = "instead of --wrong" if plan.certificate.wrong else ""
    if not law.additive:
        why = why or ("instead of --nominal" if law.at_floor is None else "")
    elif any(any(each.missing.values()) for each in beliefs):
        option = f"--mechanism recode {option}"
        why = "where values are missing, only a recoding can leave room"
    else:
        # Log-densities of Laplace noise change at a bounded rate, those of Gaussian noise do not.
        laplace = law.identity or law.ratio_scale > 0.0
        option = option if laplace else f"--mechanism laplace {option}"
        if not all(each.cap for each in beliefs):
            option, why = f"{option} --cap LOW:HIGH", "public bounds of the values"
    added = f" ({why})" if why else ""
    return f" To find how much room the promise needs, give {option}{added}."


def as_data(found: HeldOut | str | None, plan: RowPlan) -> dict[str, Any]:
    """Entries for --json; an infinite ε is the text "inf"."""
    if not isinstance(found, HeldOut):
        return {"held_out_epsilon": None, "held_out": None}
    epsilon = found.epsilon if math.isfinite(found.epsilon) else "inf"
    unknown = bool(getattr(plan, "postprocess", ())) or not found.splits
    return {
        "held_out_epsilon": epsilon,
        "held_out": {
            "splits": len(found.splits),
            "held": found.held,
            "lost": found.lost,
            "holes": found.holes,
            # The error of the mechanism; the effect of clipping and rounding is not measured.
            "rmse": None if unknown else found.rmse,
            "delta": found.delta,
        },
    }
