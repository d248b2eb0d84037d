"""What a promise becomes on rows that were not used, for the terminal of those who may see it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any

import typer

from pufferfish.calibration.result import Calibration
from pufferfish.cli.show import Show
from pufferfish.core.errors import PufferfishError
from pufferfish.core.validation import require
from pufferfish.exact.many import is_many
from pufferfish.insight.held_out import HeldOut, judge, measure
from pufferfish.options.adversaries import Described
from pufferfish.options.planning import Asked
from pufferfish.tables.halves import Halves

__all__ = ["Splits", "as_data", "as_line", "measured"]

# Seconds after which no further split is begun: a quick command stays quick.
_PATIENCE = 1.0

Splits = Annotated[
    int,
    typer.Option(
        help="Random splits of the rows, in which one half says what the promise becomes that was "
        "fitted to the other; fewer where one takes long; 0: none."
    ),
]


def measured(
    asked: Asked,
    described: Described,
    calibration: Calibration,
    splits: int,
    show: Show,
    halves: Halves | None = None,
) -> HeldOut | None:
    """What the rows say that were not used; None where nobody asks, or it cannot be measured.

    Args:
        asked: How to calibrate for one half.
        described: The scenario, and the counts of the table.
        calibration: What was found for the whole table, or for the half that was set apart.
        splits: How many times to split the rows, at most.
        show: Where the command speaks.
        halves: How the table was split already, if it was.
    """
    require(splits >= 0, f"--splits must be at least 0, got {splits}.")
    several = asked.publishing.rows_per_person > 1
    if splits == 0 or several or (show.quiet and not show.json) or is_many(described.scenario):
        return None
    goal = calibration.goal
    try:
        rows = asked.adversaries.prepared(described.counted)
        if halves is not None:
            return judge(calibration, goal, rows)
        with show.progress("Splitting"):
            return measure(
                described.scenario,
                goal,
                rows,
                lambda each: asked.calibration(replace(described, scenario=each), _SILENT),
                splits=splits,
                patience=_PATIENCE,
            )
    except PufferfishError as error:
        show.warn(f"what the promise becomes on rows that were not used is not known: {error}")
        return None


_SILENT = Show(json=False, quiet=True)


def as_line(found: HeldOut | None) -> str:
    """One line, or nothing."""
    return "" if found is None else f"Held out: {found}"


def as_data(found: HeldOut | None) -> dict[str, Any]:
    """Entries for --json; an infinite ε is the text "inf"."""
    if found is None:
        return {"held_out_epsilon": None, "held_out": None}
    epsilon = found.epsilon if math.isfinite(found.epsilon) else "inf"
    return {
        "held_out_epsilon": epsilon,
        "held_out": {
            "splits": len(found.splits),
            "held": found.held,
            "rmse": found.rmse,
            "delta": found.delta,
        },
    }
