"""Two tables with Laplace noise, each of which may be wrong by η in total variation on [L, H].

Let u = (y − L)/b, T = (H − L)/b, F_μ the farthest part of a table (`farthest`), and f = F_1. Among
all laws on [L, H] within η of P the density at y, times 2b, reaches, for 0 ≤ u ≤ T,

    at most   U(u) = f_P(u) − F_{P,η}(u) + η            (what is farthest moves to y itself),
    at least  V(u) = F_{P,1−η}(u) + η·e^{−max(u, T−u)}  (what is nearest moves to the farther end).

Beyond the range both only fall, as e^{−distance}, so that the ratio there is that at its ends.
Between the points where an F turns, an atom of P and T/2, with t = e^u,

    U = η + A·t + B/t,   V = C·t + D/t.

U/V rises, then falls: its largest value is at an end of the piece, or

    ½[A/C + B/D + √((A/C − B/D)² + η²/(CD))].

U − e^ε·V is positive on an interval of the piece whose ends solve a quadratic, so ½∫(U − e^ε V)₊ du
has a closed form. It bounds δ: the worst law may be another one for every y. So does
δ(described) + (1 + e^ε)·η, and the smaller one is given.
Proofs: docs/theory/wrong-noise.md.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import KAPPA_ABSOLUTE
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.farthest import Farthest, farthest_part
from pufferfish.exact.tables import LaplaceTables
from pufferfish.noise import TableOutput

__all__ = ["WrongTables", "described_and_wrong"]

# Added to U, so that its logarithm exists where all of it underflows.
_FAINT = 1e-300
# A slope this close to 0 may have either sign.
_LEVEL = 1e-12
# Where a quadratic nearly touches 0 its roots are off by up to 1e-7, elsewhere by 1e-9; with a
# slope of at most 4 that costs the integral this much.
_TOUCHES, _TOUCHING, _CROSSING = 1e-6, 4e-13, 4e-17
# Steps of the search for a point where the ratio is as large as on any; each takes 38% away.
_STEPS = 60
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


class WrongTables:
    """One direction of a pair of tables."""

    def __init__(
        self, p: TableOutput, q: TableOutput, cap: tuple[float, float], wrong: float
    ) -> None:
        """Find the pieces, and the coefficients on each of them, rounded to the private side."""
        scale, (low, high) = p.noise.scale, cap
        self._p, self._q, self._eta = p, q, wrong
        self._end = (high - low) / scale
        self._places = (p.atoms - low) / scale, (q.atoms - low) / scale
        atoms = p.atoms.size + q.atoms.size
        self._kappa = KAPPA_ABSOLUTE + 4.0 * UNIT * atoms + 16.0 * UNIT * self._end
        moved = farthest_part(p, self._places[0], wrong, -1.0)
        left = farthest_part(q, self._places[1], 1.0 - wrong, -1.0)
        points = np.concatenate(
            [[0.0, 0.5 * self._end, self._end], self._places[0], moved.turns, left.turns]
        )
        points = np.unique(np.clip(points, 0.0, self._end))
        self._start, self._stop = points[:-1], points[1:]
        self._width = self._stop - self._start
        middle = 0.5 * (self._start + self._stop)
        self._add = wrong * (1.0 + 4.0 * UNIT) + _FAINT
        self._a, self._b = self._most(moved, middle)
        self._log_c, self._log_d = self._least(left, middle)

    def _most(self, moved: Farthest, middle: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A at the end of each piece and B at its start, rounded up."""
        places = self._places[0]
        after = np.searchsorted(places, middle)
        last, following = np.maximum(after - 1, 0), np.minimum(after, places.size - 1)
        falling = np.where(
            after > 0, np.exp(self._p.log_left[last] - (self._start - places[last])), 0.0
        )
        rising = np.where(
            after < places.size,
            np.exp(self._p.log_right[following] - (places[following] - self._stop)),
            0.0,
        )
        log_left, log_right = moved.parts(middle, self._start, self._stop)
        kappa = 4.0 * self._kappa
        return (
            np.maximum(rising - np.exp(log_right), 0.0) + kappa * rising,
            np.maximum(falling - np.exp(log_left), 0.0) + kappa * falling,
        )

    def _least(self, left: Farthest, middle: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log C at the end of each piece and log D at its start, rounded down."""
        log_d, log_c = left.parts(middle, self._start, self._stop)
        added, far = np.log(self._eta), 0.5 * self._end
        log_c = np.where(middle < far, np.logaddexp(log_c, added + (self._stop - self._end)), log_c)
        log_d = np.where(middle < far, log_d, np.logaddexp(log_d, added - self._start))
        return log_c - self._kappa, log_d - self._kappa

    def supremum(self) -> Enclosure:
        """sup log U/V: ε* in this direction, which some pair of laws reaches."""
        a, b, w = self._a, self._b, self._width
        log_c, log_d = self._log_c, self._log_d
        decay = np.exp(-w)
        top_left, top_right = self._add + a * decay + b, self._add + a + b * decay
        at_left = np.log(top_left) - np.logaddexp(log_c - w, log_d)
        at_right = np.log(top_right) - np.logaddexp(log_c, log_d - w)
        slope_left = (a * decay - b) / top_left - np.tanh(0.5 * (log_c - w - log_d))
        slope_right = (a - b * decay) / top_right - np.tanh(0.5 * (log_c - log_d + w))
        level = _LEVEL + 8.0 * self._kappa
        both = np.isfinite(log_c) & np.isfinite(log_d)
        inside = both & ~(slope_left < -level) & ~(slope_right > level)
        # log U/V moves by at most 2 for one unit of u.
        most = np.minimum(self._vertex(), 0.5 * (at_left + at_right) + w)
        ends = np.maximum(at_left, at_right)
        found = np.where(inside, np.maximum(most, ends), ends)
        found = np.where(np.isnan(found), np.inf, found)
        highest = float(found.max())
        upper = highest + 64.0 * UNIT * (1.0 + abs(highest))
        return Enclosure(min(self._reached(int(found.argmax())), upper), upper)

    def _vertex(self) -> FloatArray:
        """log of the largest U/V over all t > 0."""
        x = np.log(self._a) - self._log_c
        y = np.log(self._b) - self._log_d
        z = np.log(self._add) + 0.5 * (self._width - self._log_c - self._log_d)
        top = np.maximum(np.maximum(x, y), z)
        x, y, z = np.exp(x - top), np.exp(y - top), np.exp(z - top)
        return np.asarray(top + np.log(0.5 * (x + y + np.sqrt((x - y) ** 2 + z**2))))

    def _reached(self, piece: int) -> float:
        """log U/V, rounded down, at the ends of pieces and where it seems largest."""
        moved = farthest_part(self._p, self._places[0], self._eta, 1.0)
        left = farthest_part(self._q, self._places[1], 1.0 - self._eta, 1.0)
        whole = farthest_part(self._p, self._places[0], 1.0, -1.0)

        def log_ratio(u: FloatArray) -> FloatArray:
            most = np.exp(whole.log_at(u)) - np.exp(moved.log_at(u))
            least = np.logaddexp(left.log_at(u), np.log(self._eta) - np.maximum(u, self._end - u))
            most = np.maximum(most, 0.0) + self._eta
            return np.asarray(np.log(most) - least - 8.0 * self._kappa)

        low, high = float(self._start[piece]), float(self._stop[piece])
        for _ in range(_STEPS):
            inner = np.array([high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)])
            one, other = log_ratio(inner)
            low, high = (low, float(inner[1])) if one > other else (float(inner[0]), high)
        points = np.concatenate([self._start, self._stop[-1:], [low, high]])
        found = float(np.nanmax(log_ratio(points)))
        return found - 64.0 * UNIT * (1.0 + abs(found))

    def delta_upper(self, epsilon: float) -> float:
        """½∫(U − e^ε V)₊ du over the whole line, rounded up."""
        factor, eta, w = math.exp(min(epsilon, 700.0)), self._add, self._width
        c, d = factor * np.exp(self._log_c), factor * np.exp(self._log_d)
        a = self._a - c + 4.0 * UNIT * (self._a + c)
        b = self._b - d + 4.0 * UNIT * (self._b + d)
        decay = np.exp(-w)
        terms = self._positive_part(a, b, decay)
        outer = max(eta + float(a[0] * decay[0] + b[0]), 0.0)
        outer += max(eta + float(a[-1] + b[-1] * decay[-1]), 0.0)
        found = 0.5 * (math.fsum(terms) + outer * (1.0 + 8.0 * UNIT)) * (1.0 + 1e-13)
        return 1.0 if math.isnan(found) else min(found, 1.0)

    def _positive_part(self, a: FloatArray, b: FloatArray, decay: FloatArray) -> FloatArray:
        """∫(η + a·e^{u−end} + b·e^{start−u})₊ du over each piece, rounded up."""
        eta, w = self._add, self._width
        size = eta**2 + 4.0 * np.abs(a * b) * decay
        square = eta**2 - 4.0 * a * b * decay + 1e-14 * size
        root = eta + np.sqrt(np.maximum(square, 0.0))
        first = np.where(b < 0.0, np.log(-2.0 * b / root), 0.0)
        last = np.where(a < 0.0, w + np.log(root / (-2.0 * a)), w)
        first, last = np.clip(first, 0.0, w), np.clip(last, 0.0, w)
        span = np.maximum(last - first, 0.0)
        part = -np.expm1(-span)
        rising = a * np.exp(last - w) * part
        falling = b * np.exp(-first) * part
        sums = eta * span + rising + falling
        sums += 8.0 * UNIT * (eta * span + np.abs(rising) + np.abs(falling))
        sums += np.where(square < _TOUCHES * size, _TOUCHING, _CROSSING)
        empty = (a < 0.0) & (b < 0.0) & (square < 0.0)
        return np.where(empty, 0.0, np.maximum(sums, 0.0))

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """The largest HS_ε: from below that of the laws as described, from above two bounds."""
        described = LaplaceTables(self._p, self._q).hockey_stick(epsilon)
        upper = min(
            described_and_wrong(described.upper, epsilon, self._eta), self.delta_upper(epsilon)
        )
        return Enclosure(min(described.lower, upper), upper)


def described_and_wrong(delta: float, epsilon: float, wrong: float) -> float:
    """δ + (1 + e^ε)·η, rounded up: it holds whatever is published of values within η."""
    added = (1.0 + math.exp(min(epsilon, 700.0))) * wrong
    return min((delta + added) * (1.0 + 8.0 * UNIT), 1.0)
