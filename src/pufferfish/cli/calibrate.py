"""Find the least noise, or the recoding with the least loss, that keeps a promise; write the plan.

Without --epsilon, --guess, --scale, --accuracy or --mean-within it compares mechanisms for several
values of ε.

Example: pufferfish calibrate adult.csv -c education-num -s race --pair Black:White -e 1 -o p.json

Several columns, and one that others know: pufferfish calibrate adult.csv -c education-num -c income
-s race --pair Black:White --keep sex -e 1 -o p.json
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.choices import Choosing, choose, choose_table, picture_kind
from pufferfish.cli.figures import at_worst, figures_of, guess_figures
from pufferfish.cli.held_out import Splits, as_data, as_line, measured, settled
from pufferfish.cli.joint import calibrate_and_tell
from pufferfish.cli.planned import written_in_words
from pufferfish.cli.population import (
    population_as_data,
    population_cost,
    population_in_words,
)
from pufferfish.cli.printing import Force, Printing
from pufferfish.cli.warned import warnings_of
from pufferfish.columns.origin import source_of
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.statement import Facts, headline
from pufferfish.columns.story import promise_in_words
from pufferfish.core.errors import InvalidInputError
from pufferfish.insight.extremes import outliers
from pufferfish.noise import law_to_dict
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.describing import DescribedTable, describe
from pufferfish.options.goal import Accuracy, Goal
from pufferfish.options.groups import flatten_groups
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.roles import Roles
from pufferfish.options.table import Table
from pufferfish.words.phrases import exposed_rows, unit_in_words
from pufferfish.words.terminal import fold

__all__ = ["command"]


@flatten_groups
def command(
    table: Table,
    roles: Roles,
    adversaries: Adversaries,
    goal: Goal,
    recoding: HowRecoded,
    accuracy: Accuracy,
    publishing: Publishing,
    printing: Printing,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the plan here.")
    ] = None,
    force: Force = False,
    splits: Splits = None,
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="In the table to choose from, include what takes long: recodings of many values, "
            "and what ε becomes on rows that were not used.",
        ),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw the table to choose from in this file (.svg, .png). Private."
        ),
    ] = None,
) -> None:
    """Calibrate, explain, write."""
    show = printing.show()
    asked = Asked(
        table=table,
        roles=roles,
        adversaries=adversaries,
        goal=goal,
        recoding=recoding,
        accuracy=accuracy,
        publishing=publishing,
    )
    asked.check()
    picture_kind(picture)
    table.refuse_places(output, picture, force=force)
    choosing = not goal.promised and goal.scale is None and not accuracy.given
    if choosing and output is not None:
        raise InvalidInputError(
            "a plan needs a promise: give --epsilon, --guess, --scale, --accuracy or "
            "--mean-within. Without --output a table to choose from is printed."
        )
    if not choosing and (picture is not None or thorough):
        raise InvalidInputError(
            "--picture and --thorough are about the table to choose ε from: leave out the promise."
        )
    if goal.promised and accuracy.confidence is not None:
        raise InvalidInputError("--confidence belongs to --accuracy or --mean-within, not to ε.")
    described = describe(asked, show)
    asked = asked if choosing else settled(asked, described, show)
    if choosing:
        how = Choosing(splits, picture, thorough=thorough, force=force)
        if isinstance(described, DescribedTable):
            choose_table(asked, described, how, show)
        else:
            choose(asked, described, how, show)
        return
    if isinstance(described, DescribedTable):
        calibrate_and_tell(asked, described, output, splits, show, force=force)
        return
    chosen = asked.choose(described, show)
    plan = asked.plan(described, show, chosen)
    another = source_of(plan, described.counted) == "another table"
    if another:
        show.warn(
            "a belief from a file says that it was fitted on the released column, and was fitted "
            "on another table: release refuses this plan without --beliefs-from-plan."
        )
    if output is not None:
        plan.save(output, force=force)
    written = written_in_words(table, output)
    promise = plan.promise
    held_out = measured(asked, described, plan, splits, show)
    unused = "" if held_out is None else f"\n\n{fold(as_line(held_out))}"
    paid = population_cost(plan.calibration, show)
    population = "" if paid is None else f"\n\n{fold(population_in_words(paid))}"
    outermost = outliers(plan.calibration)
    decides = "" if outermost is None else f"\n\n{fold(str(outermost), hyphens=True)}"
    rare = "".join(f"\n\n{fold(text)}" for text in at_worst(plan.calibration, described.records))
    warned = (*headline(Facts.of(plan)), *warnings_of(plan, held_out))
    beware = "".join(f"{fold(f'Beware: {text}')}\n\n" for text in warned)
    ways = "" if chosen is None else f"{chosen}\n\n"
    show.result(
        f"{ways}{beware}{_several(plan)}{plan.calibration.explain(another_table=another)}{decides}"
        f"{unused}{population}\n\n"
        f"The promise for {_unit(plan)}: {promise}.{rare}{written}",
        {
            "goal": {"epsilon": promise.epsilon, "delta": promise.delta},
            "delta_rows": exposed_rows(promise.delta, described.records),
            "unit": plan.unit,
            "noise": law_to_dict(plan.calibration.mechanism),
            **guess_figures(plan.calibration, promise, another=another),
            **figures_of(plan),
            **({} if chosen is None else {"compared": chosen.to_dict()}),
            "certificate": plan.calibration.certificate.to_dict(),
            "plan": None if output is None else str(output),
            **as_data(held_out, plan),
            **population_as_data(paid),
        },
    )


def _unit(plan: ColumnPlan) -> str:
    return unit_in_words(plan.unit, plan.rows_per_person, plan.dependence, plan.one_row)


def _several(plan: ColumnPlan) -> str:
    """Where a person has several rows, the promise for all; the explanation below is about one."""
    if plan.rows_per_person == 1:
        return ""
    return fold(f"{promise_in_words(plan)} What follows is about one row.") + "\n\n"
