"""The largest ratio and the excess of two functions that are piecewise sums of exponentials.

On a piece of width w, for 0 ≤ s ≤ w, with coefficients of at least 0,

    U = M + A·e^{s−w} + B·e^{−s},   V = C·e^{s−w} + D·e^{−s}.

U/V rises, then falls: its largest value is at an end of the piece, or

    ½[A/C + B/D + √((A/C − B/D)² + e^w·M²/(CD))].

U − e^ε·V is positive on one interval of the piece at most, whose ends solve a quadratic, so that
½∫(U − e^ε V)₊ has a closed form. Beyond the first and the last piece both fall as e^{−distance}.
Proofs: docs/theory/wrong-noise.md, with M instead of η.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray

__all__ = ["Pieces"]

# A slope this close to 0 may have either sign.
_LEVEL = 1e-12
# Where a quadratic nearly touches 0 the error of its roots is up to 1e-7, elsewhere 1e-9; with a
# slope of at most 4 that costs the integral this much.
_TOUCHES, _TOUCHING, _CROSSING = 1e-6, 4e-13, 4e-17


class Pieces(NamedTuple):
    """U and V, piece by piece from left to right.

    Attributes:
        width: w.
        constant: M, rounded up.
        log_a: log A, rounded up.
        log_b: log B, rounded up.
        log_c: log C, rounded down.
        log_d: log D, rounded down.
        margin: The largest amount by which a logarithm was moved to its side.
    """

    width: FloatArray
    constant: FloatArray
    log_a: FloatArray
    log_b: FloatArray
    log_c: FloatArray
    log_d: FloatArray
    margin: float

    def log_ratios(self) -> FloatArray:
        """The largest log U/V on each piece, rounded up."""
        w, log_c, log_d = self.width, self.log_c, self.log_d
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_m = np.log(self.constant)
            top_left = _log_sum(log_m, self.log_a - w, self.log_b)
            top_right = _log_sum(log_m, self.log_a, self.log_b - w)
            at_left = top_left - np.logaddexp(log_c - w, log_d)
            at_right = top_right - np.logaddexp(log_c, log_d - w)
            slope_left = np.exp(self.log_a - w - top_left) - np.exp(self.log_b - top_left)
            slope_left -= np.tanh(0.5 * (log_c - w - log_d))
            slope_right = np.exp(self.log_a - top_right) - np.exp(self.log_b - w - top_right)
            slope_right -= np.tanh(0.5 * (log_c - log_d + w))
            # With one term only, V falls or rises as fast as U can: the largest ratio is at an end.
            both = np.isfinite(log_c) & np.isfinite(log_d)
            level = _LEVEL + 8.0 * self.margin
            inside = both & ~(slope_left < -level) & ~(slope_right > level)
            # log U/V changes by at most 2 for one unit of s.
            most = np.fmin(self._log_vertex(log_m), 0.5 * (at_left + at_right) + w)
            ends = np.maximum(at_left, at_right)
            found = np.where(inside, np.maximum(most, ends), ends)
            found = np.where(np.isnan(found), np.inf, found)
            return np.asarray(found + 64.0 * UNIT * (1.0 + np.abs(found)))

    def _log_vertex(self, log_m: FloatArray) -> FloatArray:
        """log of the largest U/V over all s."""
        x, y = self.log_a - self.log_c, self.log_b - self.log_d
        z = log_m + 0.5 * (self.width - self.log_c - self.log_d)
        top = np.maximum(np.maximum(x, y), z)
        x, y, z = np.exp(x - top), np.exp(y - top), np.exp(z - top)
        return np.asarray(top + np.log(0.5 * (x + y + np.sqrt((x - y) ** 2 + z**2))))

    def vertex(self, piece: int) -> float:
        """The approximate place on a piece where U/V is largest: e^s solves a quadratic."""
        w, m = float(self.width[piece]), float(self.constant[piece])
        top = max(float(self.log_c[piece]), float(self.log_d[piece]))
        if m == 0.0 or math.isinf(top):
            return 0.0
        a, b = math.exp(self.log_a[piece]), math.exp(self.log_b[piece])
        c, d = math.exp(self.log_c[piece] - top), math.exp(self.log_d[piece] - top)
        decay = math.exp(-w)
        half = decay * (a * d - b * c)
        above = half + math.sqrt(half**2 + m**2 * c * d * decay)
        below = m * c * decay
        if not above > 0.0:
            return 0.0
        return min(max(math.log(above) - math.log(below), 0.0), w) if below > 0.0 else w

    def delta_upper(self, epsilon: float) -> float:
        """½∫(U − e^ε V)₊ over the whole line, rounded up."""
        factor, m, w = math.exp(min(epsilon, 700.0)), self.constant, self.width
        a, b = np.exp(self.log_a), np.exp(self.log_b)
        c, d = factor * np.exp(self.log_c), factor * np.exp(self.log_d)
        a, b = a - c + 4.0 * UNIT * (a + c), b - d + 4.0 * UNIT * (b + d)
        decay = np.exp(-w)
        terms = np.where(self.log_ratios() <= epsilon, 0.0, _positive_part(m, a, b, w))
        outer = max(float(m[0] + a[0] * decay[0] + b[0]), 0.0)
        outer += max(float(m[-1] + a[-1] + b[-1] * decay[-1]), 0.0)
        found = 0.5 * (math.fsum(terms) + outer * (1.0 + 8.0 * UNIT)) * (1.0 + 1e-13)
        return 1.0 if math.isnan(found) else min(found, 1.0)


def _log_sum(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    return np.asarray(np.logaddexp(np.logaddexp(x, y), z))


def _positive_part(m: FloatArray, a: FloatArray, b: FloatArray, w: FloatArray) -> FloatArray:
    """∫(m + a·e^{s−w} + b·e^{−s})₊ ds over each piece, rounded up."""
    decay = np.exp(-w)
    size = m**2 + 4.0 * np.abs(a * b) * decay
    square = m**2 - 4.0 * a * b * decay + 1e-14 * size
    root = m + np.sqrt(np.maximum(square, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(b < 0.0, np.log(-2.0 * b / root), 0.0)
        last = np.where(a < 0.0, w + np.log(root / (-2.0 * a)), w)
    first, last = np.clip(first, 0.0, w), np.clip(last, 0.0, w)
    span = np.maximum(last - first, 0.0)
    part = -np.expm1(-span)
    rising = a * np.exp(last - w) * part
    falling = b * np.exp(-first) * part
    sums = m * span + rising + falling
    sums += 8.0 * UNIT * (m * span + np.abs(rising) + np.abs(falling))
    sums += np.where(square < _TOUCHES * size, _TOUCHING, _CROSSING)
    empty = (a < 0.0) & (b < 0.0) & (square < 0.0)
    return np.where(empty, 0.0, np.maximum(sums, 0.0))
