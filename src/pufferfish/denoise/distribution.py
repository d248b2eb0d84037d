"""Quantiles and histograms of X from a published column: Y = X + N, maybe rounded or clipped.

Three ways, by what is said of X with `support`:

- nothing: X may be any number. Intervals hold for every law of X, spikes included (`shares`).
- a step (1 for whole numbers) or a list of values: X is one of them, and intervals are shorter.
- "smooth": X has a density without spikes or jumps (`smooth`). Shorter still, and wrong where it
  has any, so each estimate carries a warning.

Rows are taken to be independent draws of one law. Proofs and measured coverage:
docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, finite_array, require
from pufferfish.denoise.cells import Published
from pufferfish.denoise.columns import Column, column, pieces, rows_present
from pufferfish.denoise.estimate import Estimate, Z, announce
from pufferfish.denoise.law import check_additive
from pufferfish.denoise.shares import likely_quantiles, likely_shares
from pufferfish.denoise.smooth import UNBOUNDED, share_estimate, smooth_quantiles, smooth_shares
from pufferfish.denoise.support import SupportLike, read_support
from pufferfish.noise import Noise, NoNoise

__all__ = ["Histogram", "Quantiles", "histogram", "quantiles"]

# With fewer rows than this the interval of a distribution function means little.
_LEAST_ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Quantiles of X.

    Attributes:
        levels: The levels asked for.
        estimates: One for each level, in that order.
        bandwidth: h of `support="smooth"`, in the units of X: detail finer than about √6·h is
            smoothed away. 0 otherwise: nothing is.
    """

    levels: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    bandwidth: float

    def __str__(self) -> str:
        lines = zip(self.levels, self.estimates, strict=True)
        return "\n".join(f"{level:g}: {estimate}" for level, estimate in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Probabilities that X is in each bin.

    Attributes:
        edges: The edges of the bins, rising.
        estimates: P(edges[k] < X ≤ edges[k+1]) for each k.
        bandwidth: h of `support="smooth"`, in the units of X; 0 otherwise.
    """

    edges: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    bandwidth: float

    def __str__(self) -> str:
        bins = zip(self.edges[:-1], self.edges[1:], self.estimates, strict=True)
        return "\n".join(f"{low:g} to {high:g}: {estimate}" for low, high, estimate in bins)


def quantiles(
    values: Column,
    noise: Noise,
    levels: Column,
    *,
    support: SupportLike = None,
    rounded: float = 0.0,
    clipped: tuple[float, float] | None = None,
    bandwidth: float | None = None,
) -> Quantiles:
    """Quantiles of X at `levels`, each strictly between 0 and 1.

    The q-quantile is the least t with P(X ≤ t) ≥ q. Its interval holds each t that no bound on
    P(X ≤ t) and P(X < t) refutes; levels near 0 or 1 may have no bound on one side.

    Args:
        values: The published column. Missing values (nan, None) are left out, and noted.
        noise: The law that was published with it.
        levels: 0.5 for the median.
        support: What X may be: a step (1 for whole numbers; the public record says it), a list of
            values, nothing for any number, or "smooth" for a density without spikes or jumps.
        rounded: The step to which the column was rounded after the noise was added; 0 for none.
        clipped: The bounds at which it was clipped after that; a row at a bound says that it lies
            there or beyond.
        bandwidth: h for `support="smooth"`, which it implies.
    """
    way = _Way.checked(noise, support, rounded, clipped, bandwidth)
    (present,), of_which = rows_present(values=values)
    rows = column("values", present, _LEAST_ROWS)
    asked = finite_array("levels", levels)
    require(
        bool(np.all((asked > 0.0) & (asked < 1.0))),
        "levels must be greater than 0 and less than 1; ask for 0.5, not 50, for the median.",
    )
    h = 0.0
    if isinstance(noise, NoNoise):
        found = tuple(_order_statistics(rows, asked))
    elif way.smooth:
        found, h = smooth_quantiles(rows, noise, asked, bandwidth)
    else:
        found = likely_quantiles(rows, noise, asked, read_support(support), way.published)
    return Quantiles(levels=tuple(asked.tolist()), estimates=announce(found, of_which), bandwidth=h)


def histogram(
    values: Column,
    noise: Noise,
    edges: Column,
    *,
    support: SupportLike = None,
    rounded: float = 0.0,
    clipped: tuple[float, float] | None = None,
    bandwidth: float | None = None,
) -> Histogram:
    """P(edges[k] < X ≤ edges[k+1]) for each k; the first edge may be −∞ and the last ∞.

    Whole numbers from 40 to 49 are the bin from 39 to 49. The arguments are those of `quantiles`.
    Where many values of X lie next to an edge the interval is long, because the noise hides on
    which side they are; better ask for edges away from them. With `support="smooth"` probabilities
    are given as they come out, below 0 too.
    """
    way = _Way.checked(noise, support, rounded, clipped, bandwidth)
    (present,), of_which = rows_present(values=values)
    rows = column("values", present, _LEAST_ROWS)
    asked = _check_edges(edges)
    h = 0.0
    if isinstance(noise, NoNoise):
        found = tuple(share_estimate(p, p - p**2, rows.size) for p in _shares(rows, asked))
    elif way.smooth:
        found, h = smooth_shares(rows, noise, asked, bandwidth)
    else:
        found = likely_shares(rows, noise, asked, read_support(support), way.published)
    return Histogram(edges=tuple(asked.tolist()), estimates=announce(found, of_which), bandwidth=h)


@dataclass(frozen=True, slots=True)
class _Way:
    """Which of the ways, and what was done to the column."""

    smooth: bool
    published: Published

    @classmethod
    def checked(
        cls, noise: Noise, support: SupportLike, rounded: float, clipped: object, bandwidth: object
    ) -> _Way:
        check_additive(noise)
        published = Published.checked(rounded, clipped, noise)
        smooth = isinstance(support, str) and support == "smooth"
        require(
            bandwidth is None or support is None or smooth,
            'bandwidth goes with support="smooth" only.',
        )
        smooth = smooth or bandwidth is not None
        if not smooth:
            read_support(support)
        if published != Published():
            if smooth:
                raise UnsupportedError(
                    'support="smooth" has no estimate for a column that was rounded or clipped; '
                    "leave it out, or give a step or a list of values."
                )
            if isinstance(noise, NoNoise):
                raise UnsupportedError(
                    "a column without noise that was rounded or clipped shows the rounded or "
                    "clipped values, and nothing else; leave out rounded and clipped for those."
                )
        return cls(smooth, published)


def _check_edges(edges: Column) -> FloatArray:
    """Rising edges; only the outermost may be infinite."""
    require(isinstance(edges, Iterable), "edges must be a list of numbers.")
    listed = list(edges)
    first = listed[:1] if listed[:1] == [-math.inf] else []
    last = listed[-1:] if listed[-1:] == [math.inf] else []
    inside = listed[len(first) : len(listed) - len(last)]
    require(bool(inside), "edges must have at least one that is finite.")
    inner = finite_array("edges", inside)
    asked = np.concatenate([first, inner, last])
    require(
        asked.size >= 2 and bool(np.all(np.diff(asked) > 0.0)),
        "edges must be at least two numbers, each greater than the one before.",
    )
    return asked


def _order_statistics(rows: FloatArray, levels: FloatArray) -> list[Estimate]:
    """Quantiles of a column without noise: F̂ is the share of rows, and the same inversion."""
    half = Z * np.sqrt(levels * (1.0 - levels) / rows.size)
    shares = np.concatenate([levels, levels - half, levels + half])
    found = np.quantile(rows, np.clip(shares, 0.0, 1.0), method="inverted_cdf")
    value, lower, upper = found.reshape(3, -1)
    lower = np.where(levels - half <= 0.0, -math.inf, lower)
    upper = np.where(levels + half >= 1.0, math.inf, upper)
    return [
        Estimate(
            value=v,
            standard_error=(u - w) / (2.0 * Z),
            lower=w,
            upper=u,
            note="" if math.isfinite(u - w) else UNBOUNDED,
        )
        for v, w, u in zip(value.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ]


def _shares(rows: FloatArray, edges: FloatArray) -> list[float]:
    """The share of rows in each bin, the upper edge being part of it."""
    counts = np.zeros(edges.size + 1, dtype=np.int64)
    for _, piece in pieces(rows):
        counts += np.bincount(np.searchsorted(edges, piece), minlength=counts.size)
    shares: list[float] = (counts[1:-1] / rows.size).tolist()
    return shares
