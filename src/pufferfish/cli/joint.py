"""What a command prints about the plan of a table, in words and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pufferfish.calibration.losses import weighed_by
from pufferfish.calibration.recoded_words import whose
from pufferfish.calibration.result import Calibration
from pufferfish.cli.figures import at_worst, guess_figures
from pufferfish.cli.held_out import as_data, as_line, measured_table
from pufferfish.cli.planned import written_in_words
from pufferfish.cli.population import (
    population_as_data,
    population_cost,
    population_in_words,
)
from pufferfish.cli.show import Show
from pufferfish.cli.warned import warnings_of
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.known import known_says
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.story import promise_in_words
from pufferfish.joint.words import headline
from pufferfish.noise import law_to_dict
from pufferfish.options.describing import DescribedTable
from pufferfish.options.joint import (
    WRONG,
    choose_for_table,
    plan_table,
    wrong_by_default,
)
from pufferfish.options.planning import Asked
from pufferfish.words.numbers import percent, percent_down, readable
from pufferfish.words.phrases import exposed_rows
from pufferfish.words.terminal import align, fold

__all__ = ["calibrate_and_tell", "default_wrong", "table_figures"]

# At most this number of strata is shown one by one.
_MOST_SHOWN = 12


def calibrate_and_tell(
    asked: Asked,
    described: DescribedTable,
    output: Path | None,
    splits: int | None,
    show: Show,
    *,
    force: bool,
) -> None:
    """Calibrate a table, explain the plan and write it."""
    chosen = choose_for_table(asked, described, show)
    plan = plan_table(asked, described, show, chosen)
    if output is not None:
        plan.save(output, force=force)
    held_out = measured_table(asked, described, plan, splits, show)
    paid = population_cost(plan.calibration, show)
    counted = described.counted
    facts = TableFacts.of(
        plan,
        known_says=known_says(counted, counted.roles, plan.scenario.pairs) if plan.known else None,
    )
    warned = [*headline(facts), *warnings_of(plan, held_out)]
    said = [
        "" if chosen is None else str(chosen),
        *(fold(f"Beware: {text}") for text in warned),
        str(plan.calibration.explain()),
        _about(plan.calibration),
        _columns_table(plan.calibration),
        _strata_table(plan.calibration),
        fold(as_line(held_out)),
        fold(population_in_words(paid)),
        default_wrong(asked, described),
        fold(f"The promise: {promise_in_words(plan)}"),
        *map(fold, at_worst(plan.calibration, counted.rows)),
    ]
    written = written_in_words(asked.table, output)
    show.result(
        "\n\n".join(filter(None, said)) + written,
        {
            "headline": warned,
            "goal": {"epsilon": plan.promise.epsilon, "delta": plan.promise.delta},
            "delta_rows": exposed_rows(plan.promise.delta, counted.rows),
            "unit": plan.unit,
            "noise": law_to_dict(plan.calibration.mechanism),
            **guess_figures(plan.calibration, plan.promise, another=False),
            **table_figures(plan),
            **({} if chosen is None else {"compared": chosen.to_dict()}),
            "certificate": plan.certificate.to_dict(),
            "plan": None if output is None else str(output),
            **as_data(held_out, plan),
            **population_as_data(paid),
        },
    )


def default_wrong(asked: Asked, described: DescribedTable) -> str:
    """That `wrong` has its default; empty where --wrong is given."""
    if not wrong_by_default(asked, described):
        return ""
    return (
        f"--wrong is {percent_down(WRONG, 6)}, the default for categories and for several columns."
    )


def table_figures(plan: TablePlan) -> dict[str, Any]:
    """What a table costs those who use it, for --json. Private, like the table."""
    calibration = plan.calibration
    recode = calibration.recode
    strata = [
        {
            "known": dict(zip(calibration.strata.columns, values, strict=True)),
            "rmse": part.rmse if part.recode is not None or part.mechanism.additive else None,
            "unchanged": None if part.recode is None else part.recode.unchanged,
            "epsilon_upper": part.certificate.worst.epsilon_upper,
        }
        for values, part in (calibration.strata.items() if calibration.parts else ())
    ]
    if recode is None:
        return {
            "rmse": calibration.rmse,
            "unchanged": 0.0,
            "wrong": calibration.certificate.wrong,
            "strata": strata,
        }
    return {
        "rmse": recode.rmse,
        "unchanged": recode.unchanged,
        "constant_rmse": recode.constant_rmse,
        "floor": recode.floor,
        "wrong": recode.wrong,
        "least_loss_bound": recode.least_loss,
        "columns": [
            {
                "column": part.column,
                "unchanged": part.unchanged,
                "constant_unchanged": part.mode_share,
                "rmse": part.rmse,
                "constant_rmse": part.std,
            }
            for part in recode.parts
        ],
        "strata": strata,
    }


def _parts(made: Calibration) -> tuple[Any, ...]:
    return () if made.recode is None else made.recode.parts


def _about(calibration: Calibration) -> str:
    """Whose rows the tables of figures are about, if not those of the table to be released."""
    among = whose(weighed_by(calibration.scenario)) if calibration.recode is not None else ""
    return fold(f"The following shares and errors are those of {among}.") if among else ""


def _columns_table(calibration: Calibration) -> str:
    """How much of each column stays, compared with what one constant would leave."""
    parts = _parts(calibration)
    if not parts:
        return ""
    rows = [["column", "unchanged", "by a constant", "error", "error of the mean"]]
    rows += [
        [
            part.column or "category",
            percent(part.unchanged, 2),
            percent(part.mode_share, 2),
            "-" if part.rmse is None else readable(part.rmse, 3),
            "-" if part.std is None else readable(part.std, 3),
        ]
        for part in parts
    ]
    if len(parts) > 1 and calibration.recode is not None:
        rows.append(["all of a row", percent(calibration.recode.unchanged, 2), "", "", ""])
    return align(rows, "left", ruled=True)


def _strata_table(calibration: Calibration) -> str:
    """How many rows stay, for each combination of known values."""
    if not calibration.parts:
        return ""
    strata = calibration.strata
    rows = [[*strata.columns, "rows unchanged", "error"]]
    for values, part in list(strata.items())[:_MOST_SHOWN]:
        shown = ["(missing)" if each is None else str(each) for each in values]
        stays = "-" if part.recode is None else percent(part.recode.unchanged, 2)
        rows.append([*shown, stays, readable(part.rmse, 3)])
    more = len(strata) - _MOST_SHOWN
    return align(rows, "left", ruled=True) + (f"\nand {more:,} more" if more > 0 else "")
