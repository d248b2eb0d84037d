"""What a mechanism costs those who use the column, as entries of a command's JSON."""

from __future__ import annotations

import math
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee, guess_promised
from pufferfish.calibration.losses import column_of, weighed_by
from pufferfish.calibration.postprocess import Clip
from pufferfish.calibration.result import Calibration
from pufferfish.columns.plan import ColumnPlan
from pufferfish.exact import privacy_profile, pure_epsilon
from pufferfish.insight.choosing import clipped_figures
from pufferfish.insight.guesses import best_guess
from pufferfish.words.numbers import at_most
from pufferfish.words.phrases import delta_rows_in_words, join_words

__all__ = ["at_worst", "figures_of", "guess_figures"]


def figures_of(plan: ColumnPlan) -> dict[str, Any]:
    """Errors, floor and the like; null where a figure is not known. Private, like the table."""
    recode = plan.calibration.recode
    if recode is None:
        return _of_noise(plan)
    return {
        "rmse": recode.rmse,
        "unchanged": recode.unchanged,
        "constant_rmse": recode.constant_rmse,
        "laplace_rmse": recode.laplace_rmse,
        "floor": recode.floor,
        "wrong": recode.wrong,
        "least_loss_bound": recode.least_loss,
    }


def _of_noise(plan: ColumnPlan) -> dict[str, Any]:
    noise = plan.calibration.noise
    scale = noise.ratio_scale  # only Laplace noise has one
    column = column_of(plan.scenario, None)
    error: float | None = noise.error()
    stays: float | None = 1.0 if noise.identity else 0.0
    match plan.postprocess:
        case ():
            pass
        case (Clip() as clip,) if scale:
            error, stays = clipped_figures(scale, (clip.low, clip.high), column)
        case _:
            error = stays = None
    return {
        "rmse": error,
        "unchanged": stays,
        "constant_rmse": column.std,
        "laplace_rmse": noise.error() if scale else None,
        "floor": 1.0 / scale if scale else None,
        "wrong": plan.calibration.certificate.wrong,
        "least_loss_bound": None,
    }


def guess_figures(calibration: Calibration, goal: Guarantee, *, another: bool) -> dict[str, Any]:
    """The best guess under the described laws, and what a promise by accuracy implies for them.

    Also whose rows the figures are about; `another`: the beliefs are known to be about another
    table than the one that is released.
    """
    found = best_guess(calibration, goal)
    before, after = found.average or (None, None)
    said = {
        "pair": list(found.pair),
        "known": dict(found.given),
        "before": found.before_upper,
        "at_most": found.after_upper,
        "largest": found.largest,
        "average_before": before,
        "average": after,
        "allowed": found.allowed,
    }
    whose = weighed_by(calibration.scenario, another_table=another)
    return {"guess": said | _implied(calibration), "figures_of": whose}


def _implied(calibration: Calibration) -> dict[str, Any]:
    """What a promise by accuracy implies for the described laws; empty for other promises."""
    promised = guess_promised(calibration.goal)
    if promised is None:
        return {}
    parts = calibration.parts or (calibration,)
    epsilon = max(pure_epsilon(part.scenario, part.mechanism).upper for part in parts)
    return {
        "promised": promised,
        "implied_epsilon": epsilon if math.isfinite(epsilon) else "inf",
        "delta_at_epsilon_1": max(
            privacy_profile(part.scenario, part.mechanism, [1.0]).delta_upper[0] for part in parts
        ),
    }


def _certified(calibration: Calibration) -> str:
    """The δ of the certificate, where it is smaller than the δ of the promise."""
    goal, delta = calibration.goal, calibration.certificate.delta_upper
    if delta >= goal.delta:
        return ""
    if delta == 0.0:
        return (
            "The certificate shows less: for the described laws the promise holds with δ = 0, "
            "without any exception."
        )
    return (
        f"The certificate shows less: for the described laws δ at ε = {goal.epsilon_text} is at "
        f"most {at_most(delta, 3)}."
    )


def at_worst(calibration: Calibration, rows: int) -> list[str]:
    """What δ permits, and what is certified; for a promise by accuracy, the ε that it implies."""
    goal = calibration.goal
    if goal.pure:
        return []
    found = _implied(calibration)
    if not found:
        return [join_words(delta_rows_in_words(goal.delta, rows), _certified(calibration))]
    implied = found["implied_epsilon"]
    epsilon = "∞: some value may reveal the secret" if implied == "inf" else at_most(implied, 4)
    return [
        "What it implies under the described laws: the least ε (with δ = 0) is "
        f"{epsilon}; δ at ε = 1 is {at_most(found['delta_at_epsilon_1'], 3)}."
    ]
