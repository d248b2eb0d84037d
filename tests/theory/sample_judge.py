"""An independent judge of promises over sampling regions: docs/theory/sampling-error.md anew.

Maps are fractions, evidence has 50 digits, and nothing here comes from the library. A region holds
(p, q) with Σ ψ(p) + Σ ψ'(q) ≤ `limit`, where ψ is written as in the theorem:

    dirichlet     ψ_x(p) = log Γ(c + n·p) − log Γ(n·p) − c·log p,
                  limit = log 1/α + log Γ(2n)/Γ(n) + log Γ(2m)/Γ(m),
    likelihood    ψ_x(p) = −c·log p, limit = t − Σ c·log(c/n) − the same of q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import mpmath as mp
import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import gammaln, psi

DIGITS = 50
# Where the search may put a law: nothing is lost below.
LEAST = 1e-12

Counts = Sequence[int]
Witness = tuple[float, float, float]


def exact(number: Fraction | float) -> mp.mpf:
    """A number as it is, to all digits."""
    whole = Fraction(number)
    return mp.mpf(whole.numerator) / whole.denominator


@dataclass(frozen=True)
class Judge:
    """The region of one direction of a pair."""

    first: Counts
    second: Counts
    alpha: Fraction
    shape: str = "dirichlet"
    cells: int = 0

    def psi(self, count: int, rows: int, share: mp.mpf) -> mp.mpf:
        """ψ of one cell."""
        if count == 0:
            return mp.mpf(0)
        if self.shape == "likelihood":
            return -count * mp.log(share)
        if count == 1:
            return mp.log(rows)
        near = rows * share
        return mp.loggamma(count + near) - mp.loggamma(near) - count * mp.log(share)

    def slope(self, count: int, rows: int, share: mp.mpf) -> mp.mpf:
        """ψ'."""
        if count == 0:
            return mp.mpf(0)
        if self.shape == "likelihood":
            return -count / share
        near = rows * share
        return rows * (mp.digamma(count + near) - mp.digamma(near)) - count / share

    @cached_property
    def limit(self) -> mp.mpf:
        """What all ψ together may be."""
        if self.shape == "likelihood":
            found = agrawal(2 * (self.cells - 1), exact(self.alpha))
            for counts in (self.first, self.second):
                found -= sum(c * mp.log(mp.mpf(c) / sum(counts)) for c in counts if c)
            return found
        found = -mp.log(exact(self.alpha))
        for rows in (sum(self.first), sum(self.second)):
            found += mp.loggamma(2 * rows) - mp.loggamma(rows)
        return found

    def said(self, first: Sequence[mp.mpf], second: Sequence[mp.mpf]) -> mp.mpf:
        """All ψ of two laws."""
        sides = (self.first, first), (self.second, second)
        return mp.fsum(
            self.psi(c, sum(counts), p)
            for counts, law in sides
            for c, p in zip(counts, law, strict=True)
        )

    def bound(self, column: Sequence[Fraction], factor: mp.mpf, witness: Witness) -> mp.mpf:
        """At least p·w − factor·q·w over the region, by weak duality, whatever the witness is."""
        unit = exact(max(column))
        if not unit:
            return mp.mpf(0)
        above, below, price = (exact(each) * unit for each in witness)
        if price < 0:
            raise ValueError("a multiplier must not be negative")
        w = [exact(each) for each in column]
        return (
            above
            + below
            + price * self.limit
            + self._suprema(self.first, [each - above for each in w], price)
            + self._suprema(self.second, [-factor * each - below for each in w], price)
        )

    def _suprema(self, counts: Counts, gains: list[mp.mpf], price: mp.mpf) -> mp.mpf:
        """At least Σ sup_{0≤p≤1} gain·p − price·ψ(p): ψ lies above its tangents."""
        rows, found = sum(counts), mp.mpf(0)
        for count, gain in zip(counts, gains, strict=True):
            if not price or count <= self._silent:
                # ψ is the same for all p, or costs nothing.
                found += max(gain, mp.mpf(0)) - price * self.psi(count, rows, mp.mpf(1))
                continue
            share = mp.mpf(self._best(count, rows, float(gain / price)))
            rest = gain - price * self.slope(count, rows, share)
            found += gain * share - price * self.psi(count, rows, share)
            found += max(rest * (1 - share), -rest * share)
        return found

    @property
    def _silent(self) -> int:
        """Up to how many rows of a cell say nothing against any p."""
        return 1 if self.shape == "dirichlet" else 0

    def _best(self, count: int, rows: int, wanted: float) -> float:
        """About where ψ' is `wanted`: a tangent there is good, and one elsewhere is right."""

        def over(log: float) -> float:
            return float(self.slope(count, rows, mp.exp(log))) - wanted

        low = -200.0
        if over(0.0) <= 0.0:
            return 1.0
        return math.exp(brentq(over, low, 0.0, xtol=1e-12)) if over(low) < 0.0 else math.exp(low)

    def inside(self, law: tuple[np.ndarray, np.ndarray]) -> tuple[list[Fraction], list[Fraction]]:
        """Two laws of the region, on the way from the frequencies to two given ones."""
        centre = [np.array(c, float) / sum(c) for c in (self.first, self.second)]

        def at(share: float) -> tuple[list[Fraction], list[Fraction]]:
            mixed = [c + share * (x - c) for c, x in zip(centre, law, strict=True)]
            whole = [[Fraction(float(each)) for each in side] for side in mixed]
            first, second = ([each / sum(side) for each in side] for side in whole)
            return first, second

        def kept(share: float) -> bool:
            first, second = at(share)
            return bool(
                self.said([exact(p) for p in first], [exact(p) for p in second]) <= self.limit
            )

        if kept(1.0):
            return at(1.0)
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if kept(middle) else (low, middle)
        return at(low)

    def worst(
        self, column: Sequence[Fraction], factor: float, rng: np.random.Generator, starts: int = 2
    ) -> Fraction:
        """The largest p·w − factor·q·w that a search finds, of laws that are surely inside."""
        w = np.array([float(each) for each in column]) / float(max(column))
        size, limit = len(w), float(self.limit)
        counts = [np.array(c, float) for c in (self.first, self.second)]
        gains = np.concatenate([w, -factor * w])

        def room(x: np.ndarray) -> float:
            return limit - sum(
                self._float_said(c, part) for c, part in zip(counts, np.split(x, 2), strict=True)
            )

        def room_slope(x: np.ndarray) -> np.ndarray:
            parts = zip(counts, np.split(x, 2), strict=True)
            return -np.concatenate([self._float_slope(c, part) for c, part in parts])

        ends = np.zeros((2, 2 * size))
        ends[0, :size] = ends[1, size:] = 1.0
        rules = [
            {"type": "eq", "fun": lambda x: ends @ x - 1.0, "jac": lambda _: ends},
            {"type": "ineq", "fun": room, "jac": room_slope},
        ]
        found = []
        for _ in range(starts):
            start = np.concatenate([rng.dirichlet(c + 1.0) for c in counts])
            answer = minimize(
                lambda x: -gains @ x,
                start,
                jac=lambda _: -gains,
                method="SLSQP",
                bounds=[(LEAST, 1.0)] * (2 * size),
                constraints=rules,
                options={"maxiter": 300, "ftol": 1e-13},
            )
            p, q = (np.clip(each, LEAST, 1.0) for each in np.split(answer.x, 2))
            first, second = self.inside((p / p.sum(), q / q.sum()))
            found.append(
                sum(
                    (
                        (a - Fraction(factor) * b) * x
                        for a, b, x in zip(first, second, column, strict=True)
                    ),
                    Fraction(0),
                )
            )
        return max(found)

    def _float_said(self, counts: np.ndarray, law: np.ndarray) -> float:
        seen, rows = counts > 0.0, counts.sum()
        c, p = counts[seen], np.maximum(law[seen], LEAST)
        if self.shape == "likelihood":
            return float(-(c * np.log(p)).sum())
        return float((gammaln(c + rows * p) - gammaln(rows * p) - c * np.log(p)).sum())

    def _float_slope(self, counts: np.ndarray, law: np.ndarray) -> np.ndarray:
        rows, p = counts.sum(), np.maximum(law, LEAST)
        if self.shape == "likelihood":
            return -counts / p
        found = rows * (psi(counts + rows * p) - psi(rows * p)) - counts / p
        return np.where(counts > 0.0, found, 0.0)


def agrawal(dimensions: int, alpha: mp.mpf) -> mp.mpf:
    """The t > d with e^{−t}·(e·t/d)^d = α."""
    d = mp.mpf(dimensions)
    low, high = d, 4 * d - 8 * mp.log(alpha)
    for _ in range(160):
        middle = (low + high) / 2
        over = -middle + d * (1 + mp.log(middle / d)) > mp.log(alpha)
        low, high = (middle, high) if over else (low, middle)
    return high


def box(count: int, rows: int, half: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """Clopper and Pearson's bounds, by bisection of binomial tails: incomplete beta functions."""

    def root(tail: Callable[[mp.mpf], mp.mpf], rising: bool) -> mp.mpf:
        low, high = mp.mpf(0), mp.mpf(1)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if (tail(middle) > half) == rising else (middle, high)
        return low

    def at_least(number: int) -> Callable[[mp.mpf], mp.mpf]:
        return lambda p: mp.betainc(number, rows - number + 1, 0, p, regularized=True)

    def below(number: int) -> Callable[[mp.mpf], mp.mpf]:
        return lambda p: mp.betainc(number, rows - number + 1, p, 1, regularized=True)

    least = root(at_least(count), True) if count else mp.mpf(0)
    most = root(below(count + 1), False) if count < rows else mp.mpf(1)
    return least, most


def fill(boxes: list[tuple[mp.mpf, mp.mpf]], column: list[mp.mpf]) -> mp.mpf:
    """The largest p·w of laws within boxes."""
    left = 1 - mp.fsum(low for low, _ in boxes)
    found = mp.fsum(low * w for (low, _), w in zip(boxes, column, strict=True))
    for w, (low, high) in sorted(zip(column, boxes, strict=True), reverse=True):
        part = min(high - low, left)
        found, left = found + part * w, left - part
    return found
