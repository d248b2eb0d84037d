"""What the noise does to those who use the column: values, means, quantiles, slopes.

With n rows, Var N the noise's variance and Var X the column's:

- a published value is off by E|N| on average (b for Laplace, std·√(2/π) for Gaussian noise);
- a mean is off by the noise's part √(Var N/n);
- the slope of another column on this one, not corrected, is too flat by the factor
  λ = Var X/(Var X + Var N); corrected (`denoise.slope`) its standard error is at least 1/√λ times
  that from the true values, and that much where the slope is small (docs/theory/denoise.md).

Var X is the record's in the internal edition. In the public one λ is estimated from the published
column, with `denoise.variance`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pufferfish import denoise
from pufferfish.choose import half_width
from pufferfish.denoise.law import noise_variance
from pufferfish.errors import CoverageWarning, PufferfishError
from pufferfish.mechanism import Clip, Postprocess, RoundTo
from pufferfish.noise import LaplaceNoise, Noise
from pufferfish.record import Record
from pufferfish.report.columns import CountedColumn

__all__ = ["Estimates", "Utility", "estimates", "utility"]

CONFIDENCE = 0.95
_LEVELS = (0.25, 0.5, 0.75)
_NAMES = ("first quartile", "median", "third quartile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What `denoise` makes of the published column, and why it makes no more of it.

    Attributes:
        found: Names and estimates.
        refused: Names and reasons.
        variance: The estimated variance of the column before noise; None where there is none.
    """

    found: tuple[tuple[str, denoise.Estimate], ...]
    refused: tuple[tuple[str, str], ...]
    variance: denoise.Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """How far the noise moves what is computed.

    Attributes:
        std: Of the noise.
        error: Of a value, on average, in size.
        half_width: Of a value, in 95% of cases.
        rows: Published rows; with a value, where that is known.
        mean_error: Of the mean of all rows: one standard error, the noise's part.
        biased: Whether clipping biases all of these.
        column_std: Of the column before; internal only.
        reliability: λ, the share of the published column's variance that is not noise.
        estimated: Whether λ was estimated from the published column.
    """

    std: float
    error: float
    half_width: float
    rows: int
    mean_error: float
    biased: bool
    column_std: float | None
    reliability: float | None
    estimated: bool

    @property
    def inflation(self) -> float | None:
        """1/√λ: how much longer the interval of a slope is, at least."""
        return 1.0 / math.sqrt(self.reliability) if self.reliability else None


def utility(
    document: Mapping[str, Any],
    noise: Noise,
    steps: Sequence[Postprocess],
    record: Record | None,
    released: CountedColumn | None,
    found: Estimates | None,
) -> Utility:
    """From the law of the noise and what the edition may know of the column."""
    rows = document["published"]["rows"] if released is None else released.group.records
    spread = variance = None
    if record is not None:
        spread, variance = record.column_std, record.column_std**2
        rows = record.rows_read - record.rows_missing
    elif found is not None and found.variance is not None:
        variance = max(found.variance.value, 0.0)
    added = noise_variance(noise)
    return Utility(
        std=noise.std,
        error=noise.scale
        if isinstance(noise, LaplaceNoise)
        else noise.std * math.sqrt(2.0 / math.pi),
        half_width=half_width(noise, CONFIDENCE),
        rows=rows,
        mean_error=noise.std / math.sqrt(rows) if rows else math.inf,
        biased=_is_clipped(steps),
        column_std=spread,
        reliability=variance / (variance + added) if variance is not None and added else None,
        estimated=record is None,
    )


def estimates(released: CountedColumn, noise: Noise, steps: Sequence[Postprocess]) -> Estimates:
    """Mean, variance and quartiles of the column before noise, from the published one alone."""
    if _is_clipped(steps):
        reason = "the column was clipped after the noise was added, which biases every estimate"
        return Estimates(found=(), refused=(("all", reason),), variance=None)
    values = released.values
    if values is None:
        reason = "the column is too long for this page; pufferfish.denoise takes it as an array"
        return Estimates(found=(), refused=(("all", reason),), variance=None)
    step = max((each.step for each in steps if isinstance(each, RoundTo)), default=0.0)
    found: dict[str, denoise.Estimate] = {}
    refused: dict[str, str] = {}

    def attempt(name: str, estimate: Callable[[], Mapping[str, denoise.Estimate]]) -> None:
        try:
            # The page prints the warning of each estimate.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CoverageWarning)
                found.update(estimate())
        except PufferfishError as error:
            refused[name] = str(error)

    attempt("mean", lambda: {"mean": denoise.mean(values, noise, rounded=step)})
    attempt("variance", lambda: {"variance": denoise.variance(values, noise, rounded=step)})
    if step:
        refused["quartiles"] = "the column was rounded after the noise was added"
    else:
        attempt(
            "quartiles",
            lambda: dict(
                zip(_NAMES, denoise.quantiles(values, noise, _LEVELS).estimates, strict=True)
            ),
        )
    return Estimates(
        found=tuple(found.items()), refused=tuple(refused.items()), variance=found.get("variance")
    )


def _is_clipped(steps: Sequence[Postprocess]) -> bool:
    return any(isinstance(each, Clip) for each in steps)
