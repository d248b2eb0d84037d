"""What a mechanism costs those who use the column, as entries of a command's JSON."""

from __future__ import annotations

from typing import Any

from pufferfish.calibration.losses import column_of
from pufferfish.calibration.postprocess import Clip
from pufferfish.columns.plan import ColumnPlan
from pufferfish.insight.choosing import clipped_figures

__all__ = ["figures_of"]


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
    scale = noise.ratio_scale  # of Laplace noise alone
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
