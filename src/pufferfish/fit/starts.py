"""Deterministic starts for EM: blocks of the data, and the last fit with one more component."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from pufferfish.fit.em import Theta, Weighted

__all__ = ["coarse", "first", "merge_and_split", "with_one_more"]

# The block of each value.
Labels = npt.NDArray[np.intp]

# Where a further component is tried, as the share of the data below it, and its width.
_LEVELS = (0.0, 0.005, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.995, 1.0)
_WIDTHS = (0.05, 0.4)
_LLOYD_STEPS = 50


def coarse(data: Weighted, most: int) -> Weighted:
    """The data in at most `most` cells, each with the mean and variance of its values."""
    if data.values.size <= most:
        return data
    # Half of the cells by width, half by share: neither tails nor bulk are lost.
    low, high = data.values[0], data.values[-1]
    by_width = np.floor((data.values - low) / (high - low) * (most // 2))
    by_share = np.floor((np.cumsum(data.shares) - 0.5 * data.shares) * (most // 2))
    new = (np.diff(by_width, prepend=-1.0) != 0) | (np.diff(by_share, prepend=-1.0) != 0)
    begin = np.flatnonzero(new)
    shares = np.add.reduceat(data.shares, begin)
    means = np.add.reduceat(data.shares * data.values, begin) / shares
    apart = data.values - np.repeat(means, np.diff(begin, append=data.values.size))
    return Weighted(means, shares, np.add.reduceat(data.shares * apart**2, begin) / shares)


def first(data: Weighted, floor: float) -> Theta:
    """One component: mean and standard deviation."""
    return _blocks(data, np.zeros(data.values.size, dtype=np.int64), 1, floor)


def with_one_more(data: Weighted, fewer: Theta, floor: float) -> Theta:
    """Starts with one component more than the given mixture."""
    count = fewer.weights.shape[1] + 1
    weights, means, stds = (part[0] for part in fewer)
    level = np.cumsum(data.shares) - 0.5 * data.shares
    labels = np.minimum((level * count).astype(np.int64), count - 1)
    starts = [
        _blocks(data, labels, count, floor),
        _blocks(data, _lloyd(data, labels, count), count, floor),
    ]
    starts += [start for index in range(count - 1) for start in _splits(fewer, index)]
    spread = float(np.sqrt(weights @ (stds**2 + (means - weights @ means) ** 2)))
    places = np.unique(data.values[np.minimum(np.searchsorted(level, _LEVELS), level.size - 1)])
    starts += [
        _add(fewer, 0.5 / count, place, spread * width) for place in places for width in _WIDTHS
    ]
    return _stack(starts, floor)


def merge_and_split(theta: Theta, floor: float) -> Theta:
    """Starts with the same number of components: two are merged, and another one is split."""
    starts = []
    for one, other in combinations(range(theta.weights.shape[1]), 2):
        pair = [one, other]
        weights, means, stds = (part[0, pair] for part in theta)
        share = weights / weights.sum()
        mean = float(share @ means)
        std = float(np.sqrt(share @ (stds**2 + (means - mean) ** 2)))
        rest = Theta(*(np.delete(part, pair, axis=1) for part in theta))
        fewer = _append(rest, (float(weights.sum()), mean, std))
        starts += [start for index in range(rest.weights.size) for start in _splits(fewer, index)]
    return _stack(starts, floor)


def _stack(starts: list[Theta], floor: float) -> Theta:
    stacked = Theta(*(np.concatenate(parts) for parts in zip(*starts, strict=True)))
    return stacked._replace(stds=np.maximum(stacked.stds, floor))


def _splits(theta: Theta, index: int) -> list[Theta]:
    """A component split into two: side by side, or a narrow one within a wide one."""
    weight, mean, std = (float(part[0, index]) for part in theta)
    rest = Theta(*(np.delete(part, index, axis=1) for part in theta))
    return [
        _append(
            rest,
            (0.5 * weight, mean - offset * std, narrow * std),
            (0.5 * weight, mean + offset * std, wide * std),
        )
        for offset, narrow, wide in ((0.8, 0.6, 0.6), (0.0, 0.4, 1.5))
    ]


def _blocks(data: Weighted, labels: Labels, count: int, floor: float) -> Theta:
    """Mean and spread of each block of values; an empty block takes those of all values."""
    shares = np.bincount(labels, weights=data.shares, minlength=count)
    filled = shares > 0.0
    mass = np.where(filled, shares, 1.0)
    means = np.bincount(labels, weights=data.shares * data.values, minlength=count) / mass
    means = np.where(filled, means, float(data.shares @ data.values))
    squares = data.shares * (data.values - means[labels]) ** 2
    stds = np.sqrt(np.bincount(labels, weights=squares, minlength=count) / mass)
    weights = np.maximum(shares, 0.01 / count)
    return Theta(
        (weights / weights.sum())[None], means[None], np.maximum(stds, max(floor, 1e-3))[None]
    )


def _lloyd(data: Weighted, labels: Labels, count: int) -> Labels:
    """Blocks around the nearest of `count` means (k-means in one dimension)."""
    for _ in range(_LLOYD_STEPS):
        means = np.sort(_blocks(data, labels, count, 0.0).means[0])
        moved = np.searchsorted(0.5 * (means[1:] + means[:-1]), data.values)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def _append(theta: Theta, *parts: tuple[float, float, float]) -> Theta:
    """A mixture with further components."""
    return Theta(
        *(
            np.append(old[0], new)[None]
            for old, new in zip(theta, zip(*parts, strict=True), strict=True)
        )
    )


def _add(theta: Theta, weight: float, mean: float, std: float) -> Theta:
    """A mixture with a further component; the others give up its weight."""
    others = theta._replace(weights=theta.weights * (1.0 - weight))
    return _append(others, (weight, mean, std))
