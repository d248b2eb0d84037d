"""Histograms and quantiles by likelihood, valid for every law of X on its support."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.denoise.cells import Published, count_cells
from pufferfish.denoise.estimate import Estimate
from pufferfish.denoise.law import noise_size
from pufferfish.denoise.likelihood import CUT, CUT_ANY, Likelihood, likelihood
from pufferfish.denoise.smooth import UNBOUNDED
from pufferfish.denoise.support import Support
from pufferfish.noise import GaussianNoise, LaplaceNoise

__all__ = ["likely_mean", "likely_quantiles", "likely_shares"]

_Drawn = LaplaceNoise | GaussianNoise

# In units of b or θ: how far from a cut the small cells reach, and how far beyond them the values.
# From further away the noise brings a row with a probability below 1e-7 (1e-10 for values).
_REACH = {LaplaceNoise: (16.0, 24.0), GaussianNoise: (6.0, 7.0)}
# Quantiles of Y that bracket one of X are taken this many standard errors wider.
_MARGIN = 4.0


def likely_shares(
    rows: FloatArray, noise: _Drawn, edges: FloatArray, support: Support, published: Published
) -> tuple[Estimate, ...]:
    """P(edges[k] < X ≤ edges[k+1]) for each k."""
    cuts = edges[np.isfinite(edges)]
    found = _fit(rows, noise, [(cut, cut) for cut in cuts.tolist()], cuts, support, published)
    bins = [
        ((found.values > low) & (found.values <= high)).astype(np.float64)
        for low, high in pairwise(edges.tolist())
    ]
    return tuple(
        _estimate(found.mean(score), *found.interval(score), cut=found.cut) for score in bins
    )


def likely_mean(
    rows: FloatArray, noise: _Drawn, support: Support, published: Published
) -> Estimate:
    """E X, where the possible values of X are listed."""
    least, most = min(support.listed or ()), max(support.listed or ())
    found = _fit(rows, noise, [(least, most)], np.array([]), support, published)
    unit = most - least
    score = (found.values - least) / unit
    lower, upper = found.interval(score)
    value = least + unit * found.mean(score)
    return _estimate(value, least + unit * lower, least + unit * upper, cut=found.cut)


def likely_quantiles(
    rows: FloatArray, noise: _Drawn, levels: FloatArray, support: Support, published: Published
) -> tuple[Estimate, ...]:
    """The least t with P(X ≤ t) ≥ level, for each level."""
    found = _fit(
        rows, noise, _brackets(rows, noise, levels, published), np.array([]), support, published
    )
    between = not support.is_listed(noise, rows.size)
    return tuple(_quantile(found, level, support, between) for level in levels.tolist())


def _quantile(found: Likelihood, level: float, support: Support, between: bool) -> Estimate:
    """The most likely law's quantile, and each t that the data do not refute."""
    values = found.values
    last = values.size - 1
    place = min(int(np.searchsorted(np.cumsum(found.best.weights), level - 1e-12)), last)

    def may_be_lower(k: int) -> bool:
        return found.may_reach((values <= values[k]).astype(np.float64), level)

    def may_be_higher(k: int) -> bool:
        return found.may_reach((values >= values[k]).astype(np.float64), 1.0 - level)

    low, high = -1, place
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if may_be_lower(middle) else (middle, high)
    first = high
    low, high = place, last + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if may_be_higher(middle) else (low, middle)
    final = low
    lower, upper = float(values[first]), float(values[final])
    if support.listed is None:
        # If not all values are listed, a quantile may lie between two. The outermost values stand
        # for all further out.
        first, final = (first - 1, final + 1) if between else (first, final)
        lower = -math.inf if first <= 0 else float(values[first])
        upper = math.inf if final >= last else float(values[final])
    note = "" if math.isfinite(upper - lower) else UNBOUNDED
    return _estimate(float(values[place]), lower, upper, note, cut=found.cut)


def _estimate(value: float, lower: float, upper: float, note: str = "", *, cut: float) -> Estimate:
    return Estimate(
        value=min(max(value, lower), upper),
        standard_error=(upper - lower) / (2.0 * math.sqrt(cut)),
        lower=lower,
        upper=upper,
        note=note,
    )


def _fit(
    rows: FloatArray,
    noise: _Drawn,
    spans: list[tuple[float, float]],
    cuts: FloatArray,
    support: Support,
    published: Published,
) -> Likelihood:
    """A likelihood that is fine near the spans, and coarse far from them."""
    size = noise_size(noise)
    near, far = (size * each for each in _REACH[type(noise)])
    windows = _windows(spans, near, far)
    cells = count_cells(rows, noise, published, windows)
    zones = [(low - far, high + far) for low, high in windows]
    if published.clipped is None:
        # Values beyond all rows make no law more likely.
        least, most = float(rows.min()) - size, float(rows.max()) + size
        zones = [
            (min(max(low, least), span_low), max(min(high, most), span_high))
            for (low, high), (span_low, span_high) in zip(
                zones, _spans(spans, windows), strict=True
            )
        ]
    cut = CUT if support.is_listed(noise, rows.size) else CUT_ANY
    return likelihood(cells, noise, support.values(zones, cuts, noise, rows.size), cut)


def _windows(
    spans: list[tuple[float, float]], near: float, far: float
) -> list[tuple[float, float]]:
    """The spans and their surroundings; spans between which the noise reaches are merged."""
    windows: list[tuple[float, float]] = []
    for low, high in sorted((low - near, high + near) for low, high in spans):
        if windows and low - windows[-1][1] < 2.5 * far:
            windows[-1] = (windows[-1][0], max(windows[-1][1], high))
        else:
            windows.append((low, high))
    return windows


def _spans(
    spans: list[tuple[float, float]], windows: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """For each window, the range from the first to the last end of a span in it."""
    return [
        (
            min(low for low, _ in spans if start <= low <= end),
            max(high for _, high in spans if start <= high <= end),
        )
        for start, end in windows
    ]


def _brackets(
    rows: FloatArray, noise: _Drawn, levels: FloatArray, published: Published
) -> list[tuple[float, float]]:
    """Where each quantile of X is, from quantiles of Y alone.

    P(X ≤ t) ≤ P(Y ≤ t + r) + P(N > r), and likewise from above; P(N > r) is below 1/n². Clipping
    moves a quantile of Y no further than to a bound; the bracket then reaches far beyond the bound.
    """
    n = rows.size
    size = noise_size(noise)
    reach = size * (
        2.0 * math.log(n) if isinstance(noise, LaplaceNoise) else 2.0 * math.sqrt(math.log(n))
    )
    wider = _MARGIN * np.sqrt(levels * (1.0 - levels) / n) + _MARGIN**2 / n
    shares = np.clip(np.concatenate([levels - wider, levels + wider]), 0.0, 1.0)
    found = np.quantile(rows, shares, method="inverted_cdf").reshape(2, -1)
    below, above = (found + np.array([[-reach], [reach]])) + published.rounded * np.array(
        [[-0.5], [0.5]]
    )
    return list(zip(below.tolist(), above.tolist(), strict=True))
