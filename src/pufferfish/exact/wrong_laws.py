"""Two tables with Laplace noise, each of which may be wrong by η in total variation on [L, H].

Let u = (y − L)/b, T = (H − L)/b, F_μ the farthest part of a table (`farthest`), and f = F_1. Among
all laws on [L, H] within η of P the density at y, times 2b, is, for 0 ≤ u ≤ T,

    at most   U(u) = f_P(u) − F_{P,η}(u) + η            (what is farthest moves to y itself),
    at least  V(u) = F_{P,1−η}(u) + η·e^{−max(u, T−u)}  (what is nearest moves to the farther end).

Beyond the range both fall as e^{−distance}, so the ratio there is that at the ends of the range.
Between the points where an F turns, an atom of P and T/2, with t = e^u,

    U = η + A·t + B/t,   V = C·t + D/t.

U/V rises, then falls: its largest value is at an end of the piece, or

    ½[A/C + B/D + √((A/C − B/D)² + η²/(CD))].

U − e^ε·V is positive on an interval of the piece whose ends solve a quadratic, so ½∫(U − e^ε V)₊ du
has a closed form. It is a bound on δ, because the worst law may differ from y to y.
δ(described) + (1 + e^ε)·η is another bound, and the smaller one is used.
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
from pufferfish.exact.pieces import Pieces
from pufferfish.exact.tables import LaplaceTables
from pufferfish.noise import TableOutput

__all__ = ["WrongTables", "described_and_wrong"]

# Added to U, so that its logarithm exists where U underflows.
_FAINT = 1e-300


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
        middle = 0.5 * (self._start + self._stop)
        log_a, log_b = self._most(moved, middle)
        log_c, log_d = self._least(left, middle)
        constant = np.full(middle.size, wrong * (1.0 + 4.0 * UNIT) + _FAINT)
        self._pieces = Pieces(
            self._stop - self._start, constant, log_a, log_b, log_c, log_d, self._kappa
        )

    def _most(self, moved: Farthest, middle: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log A at the end of each piece and log B at its start, rounded up."""
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
        with np.errstate(divide="ignore"):
            return (
                np.log(np.maximum(rising - np.exp(log_right), 0.0) + kappa * rising),
                np.log(np.maximum(falling - np.exp(log_left), 0.0) + kappa * falling),
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
        found = self._pieces.log_ratios()
        upper = float(found.max())
        return Enclosure(min(self._reached(int(found.argmax())), upper), upper)

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

        highest = float(self._start[piece]) + self._pieces.vertex(piece)
        points = np.concatenate([self._start, self._stop[-1:], [highest]])
        found = float(np.nanmax(log_ratio(points)))
        return found - 64.0 * UNIT * (1.0 + abs(found))

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """The largest HS_ε: at least that of the described laws, at most the best of two bounds."""
        described = LaplaceTables(self._p, self._q).hockey_stick(epsilon)
        upper = min(
            described_and_wrong(described.upper, epsilon, self._eta),
            self._pieces.delta_upper(epsilon),
        )
        return Enclosure(min(described.lower, upper), upper)


def described_and_wrong(delta: float, epsilon: float, wrong: float) -> float:
    """δ + (1 + e^ε)·η, rounded up: a bound for every mechanism and all laws within η."""
    added = (1.0 + math.exp(min(epsilon, 700.0))) * wrong
    return min((delta + added) * (1.0 + 8.0 * UNIT), 1.0)
