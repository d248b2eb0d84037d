"""What the noise does to those who use the column: values, means, quantiles, slopes.

With n rows, Var N the noise's variance and Var X the column's:

- a published value is off by E|N| on average (b for Laplace, std·√(2/π) for Gaussian noise);
- a mean is off by the noise's part √(Var N/n);
- the slope of another column on this one, not corrected, is too flat by the factor
  λ = Var X/(Var X + Var N); corrected (`denoise.slope`) its standard error is at least 1/√λ times
  that from the true values, and that much where the slope is small (docs/theory/denoise.md).

Var X is the record's in the internal edition. In the public one, and after a cap, λ is estimated
from the published column, with `denoise.variance`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pufferfish import denoise
from pufferfish.calibration.postprocess import Postprocess
from pufferfish.columns.record import Record
from pufferfish.core.errors import CoverageWarning, PufferfishError, UnsupportedError
from pufferfish.denoise.law import check_fine, noise_variance
from pufferfish.insight.averages import averages_lost, rounding_step
from pufferfish.insight.strongest import half_width
from pufferfish.noise import Noise
from pufferfish.report.columns import CountedColumn

__all__ = ["Estimates", "Utility", "code", "estimates", "reading", "utility"]

CONFIDENCE = 0.95
# Rows that the estimates of `denoise` need.
_LEAST_FOR_VARIANCE, _LEAST_FOR_QUANTILES = 3, 100
_LEVELS = (0.25, 0.5, 0.75)
_NAMES = ("first quartile", "median", "third quartile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What `denoise` estimates from the published column, and why some estimates are missing.

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
    """How far the noise moves values and what is computed from them.

    Attributes:
        std: The std of the noise.
        error: The mean absolute error of a value.
        half_width: The error of a value is at most this in 95% of cases.
        rows: The number of published rows; of those with a value, where that is known.
        holes: Whether there are further rows, without a value.
        mean_error: The noise's part of the standard error of the mean of all rows.
        lost: Why an average of the published values is not that of the true ones; None where it
            is.
        step: What values were rounded to; 0: nothing.
        column_std: The std of the column before; internal only.
        reliability: λ, the share of the published column's variance that is not noise.
        estimated: Whether λ was estimated from the published column.
    """

    std: float
    error: float
    half_width: float
    rows: int
    holes: bool
    mean_error: float
    lost: str | None
    step: float
    column_std: float | None
    reliability: float | None
    estimated: bool

    @property
    def inflation(self) -> float | None:
        """1/√λ: the factor by which the interval of a slope is longer, at least."""
        return 1.0 / math.sqrt(self.reliability) if self.reliability else None


def utility(
    document: Mapping[str, Any],
    noise: Noise,
    steps: Sequence[Postprocess],
    record: Record | None,
    released: CountedColumn | None,
    found: Estimates | None,
) -> Utility:
    """The utility, from the law of the noise and what the edition may know about the column."""
    rows = document["published"]["rows"] if released is None else released.group.records
    spread = variance = None
    if record is not None:
        spread = record.column_std
        rows = record.rows_read - record.rows_missing
    # The record knows the column before any cap, but the noise was added after it.
    if record is not None and record.plan.cap is None:
        variance = record.column_std**2
    elif found is not None and found.variance is not None:
        variance = max(found.variance.value, 0.0)
    added = noise_variance(noise) + rounding_step(steps) ** 2 / 12.0
    return Utility(
        std=noise.error(),
        error=noise.mean_absolute,
        half_width=half_width(noise, CONFIDENCE),
        rows=rows,
        holes=rows < document["published"]["rows"],
        mean_error=noise.error() / math.sqrt(rows) if rows else math.inf,
        lost=averages_lost(noise, steps),
        step=rounding_step(steps),
        column_std=spread,
        reliability=variance / (variance + added) if variance is not None and added else None,
        estimated=record is None or record.plan.cap is not None,
    )


def estimates(
    released: CountedColumn,
    noise: Noise,
    steps: Sequence[Postprocess],
    support: float | None = None,
) -> Estimates:
    """Mean, variance and quartiles of the column before noise, from the published one alone.

    Args:
        released: The published column.
        noise: What was added.
        steps: What was done to the noised values.
        support: Every value was a multiple of this before the noise; None: not stated.
    """
    lost = averages_lost(noise, steps)
    if lost is not None:
        return Estimates(found=(), refused=(("all", f"{lost}."),), variance=None)
    values = released.values
    if values is None:
        reason = "the column is too long for this page; pufferfish.denoise takes it as an array"
        return Estimates(found=(), refused=(("all", reason),), variance=None)
    step = rounding_step(steps)
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
    attempt(
        "quartiles",
        lambda: dict(
            zip(
                _NAMES,
                denoise.quantiles(values, noise, _LEVELS, support=support, rounded=step).estimates,
                strict=True,
            )
        ),
    )
    return Estimates(
        found=tuple(found.items()), refused=tuple(refused.items()), variance=found.get("variance")
    )


def code(
    document: Mapping[str, Any], noise: Noise, steps: Sequence[Postprocess], rows: int
) -> str | None:
    """Code that removes the effect of the noise; None where that cannot be done."""
    step = rounding_step(steps)
    if averages_lost(noise, steps) is not None or rows < _LEAST_FOR_VARIANCE:
        return None
    read = reading(document)
    lines = [*(["import pandas"] if "pandas" in read else []), "import pufferfish as pf", ""]
    rounded = f", rounded={step!r}" if step else ""
    lines += [f"noise = pf.{noise!r}", read, f"print(pf.denoise.mean(values, noise{rounded}))"]
    if not _is_fine(noise):
        return "\n".join(lines)
    lines.append(f"print(pf.denoise.variance(values, noise{rounded}))")
    if rows >= _LEAST_FOR_QUANTILES:
        of = "" if document["step"] is None else f", support={document['step']!r}"
        lines.append(f"print(pf.denoise.quantiles(values, noise, [0.25, 0.5, 0.75]{of}{rounded}))")
    lines.append("# the slope of another column on this one, corrected for the noise:")
    lines.append(f"# pf.denoise.slope(values, outcome, noise{rounded})")
    return "\n".join(lines)


def reading(document: Mapping[str, Any]) -> str:
    """Code that reads the published column without its missing values."""
    published, column = document["published"], document["column"]
    name = str(published["file"] or "").lower()
    file = repr(published["file"])
    if published["checksum_of"] == "file" and name.endswith((".csv", ".csv.gz")):
        return f"values = pandas.read_csv({file})[{column!r}].dropna()"
    if published["checksum_of"] == "file" and name.endswith((".parquet", ".pq")):
        return f"values = pandas.read_parquet({file})[{column!r}].dropna()"
    if published["checksum_of"] == "file" and name.endswith((".arrow", ".feather", ".ipc")):
        return f"values = pandas.read_feather({file})[{column!r}].dropna()"
    return "# values: the published column as an array, without missing rows"


def _is_fine(noise: Noise) -> bool:
    """Whether the noise's own grid is fine enough for more than a mean."""
    try:
        check_fine(noise)
    except UnsupportedError:
        return False
    return True
