"""What a curator must know before publishing, and no record says: it rests on the table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from pufferfish.calibration.losses import column_of
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.strata import shares_of
from pufferfish.cli.alike import alike_in_words
from pufferfish.cli.figures import figures_of
from pufferfish.cli.held_out import as_warning
from pufferfish.columns.plan import ColumnPlan
from pufferfish.insight.held_out import HeldOut
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.plan import RowPlan
from pufferfish.words.numbers import odds_factor, readable
from pufferfish.words.phrases import join_words
from pufferfish.words.steps import Step

__all__ = ["warnings_of", "with_warnings"]

# With a larger ε a promise protects little.
_WEAK = 5.0
# An error is worth a warning from this share of a constant's on.
_NEARLY = 0.9
# A search that was not stopped comes closer to its lower bound than this share of the loss.
_SEARCHED = 0.02


def warnings_of(plan: RowPlan, held_out: HeldOut | str | None) -> tuple[str, ...]:
    """That a release protects little, errs much, or may fail for another sample."""
    further = as_warning(held_out, plan)
    if not isinstance(plan, ColumnPlan | TablePlan):
        return further
    return (
        *alike_in_words(plan),
        *_weak(plan),
        *_stopped(plan.calibration),
        *_errs(plan),
        *further,
    )


def with_warnings(story: Iterable[Step], further: tuple[str, ...]) -> list[Step]:
    """The story of a release with these warnings, after those of its record."""
    steps = list(story)
    if not further:
        return steps
    if not steps or steps[0].title != "Beware":
        return [Step("Beware", further), *steps]
    return [replace(steps[0], paragraphs=(*steps[0].paragraphs, *further)), *steps[1:]]


def _weak(plan: ColumnPlan | TablePlan) -> list[str]:
    epsilon = plan.promise.epsilon
    if epsilon <= _WEAK:
        return []
    return [
        f"ε = {plan.promise.epsilon_text} lets one published value change the odds between two "
        f"secrets by a factor of {odds_factor(epsilon)}: that protects little."
    ]


def _stopped(calibration: Calibration) -> list[str]:
    recode = calibration.recode
    if recode is None or recode.mean_loss - recode.least_loss <= _SEARCHED * recode.mean_loss:
        return []
    return [
        "The search for the map stopped before its end: another map may err much less. Give it "
        "less to search: wider bins (--edges), merged labels (--merge), or fewer columns."
    ]


def _errs(plan: ColumnPlan | TablePlan) -> list[str]:
    """That what is published errs about as much as one constant would."""
    error, constant = _errors(plan)
    recode = plan.calibration.recode
    if error is None or error < (constant if recode is None else _NEARLY * constant):
        return []
    if recode is None:
        auto = "" if plan.person else "--mechanism auto looks for a smaller error."
        within = " among rows that agree in what is kept" if plan.calibration.parts else ""
        cap = "" if plan.cap else "Where a few extreme values set the noise, give --cap LOW:HIGH."
        return [
            join_words(
                f"The noise (std {readable(error)}) is no smaller than the spread of the column "
                f"(std {readable(constant)}{within}): a single value says little, while means and "
                "shares of the column can still be estimated.",
                auto,
                cap,
            )
        ]
    use = (
        "it is useful for its distribution, and not row by row"
        if recode.keep_histogram
        else "a constant says as much"
    )
    less = (
        "less margin (--wrong, --sampling-confidence)"
        if recode.floor is None
        else "laws that may be wrong in place of the floor (--floor none --wrong 1%)"
    )
    return [
        f"What is published errs by {readable(error, 3)}, and one constant for everybody by "
        f"{readable(constant, 3)} (root mean square): {use}. A larger ε, wider bins (--edges), or "
        f"{less}, leaves more."
    ]


def _errors(plan: ColumnPlan | TablePlan) -> tuple[float | None, float]:
    """The error of a published value, if it is known, and that of a constant."""
    calibration = plan.calibration
    if isinstance(plan, ColumnPlan):
        figures = figures_of(plan)
        return figures["rmse"], figures["constant_rmse"]
    if calibration.recode is not None:
        return calibration.recode.rmse, calibration.recode.constant_rmse
    if calibration.parts:
        spread = (
            share * column_of(part.scenario, None).std ** 2
            for share, part in shares_of(calibration.parts)
        )
        return calibration.rmse, math.sqrt(sum(spread))
    return calibration.rmse, column_of(calibration.scenario, None).std
