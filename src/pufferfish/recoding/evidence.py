"""The evidence of the rows of one secret against a law p of their values, Φ(p) = Σ_x φ_x(p(x)).

Every φ is convex and 0 at the frequencies p̂ = c/n. A law stays possible while Φ(p) is small
(docs/theory/sampling-error.md):

    likelihood    φ_x(p) = c·log(p̂/p),
    dirichlet     φ_x(p) = log Γ(c + n·p)/(Γ(n·p)·p^c), less its value at p̂.

The second is the weight of evidence for laws near p: the logarithm of how much more likely the rows
are if the law was drawn around p, from a Dirichlet law with parameters n·p, than if it is p. In
both, −p·φ'_x(p) is the *pull* H_x(p), which never rises: c, and Σ_{i<c} i/(n·p + i). A cell without
pull is no evidence against any p.

Numbers are doubles; `error` bounds the error of Φ, and `pull_error` that of each pull.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from scipy.special import gammaln, psi

from pufferfish.core.validation import FloatArray

__all__ = ["DirichletEvidence", "Evidence"]

# A generous bound on the relative error of a log Γ, a ψ or a sum.
_RELATIVE = 2.0**-46
# A pull of up to this many terms is summed term by term.
_FEW = 32
# Laws are tabulated from this share on, at this many places.
_LEAST, _PLACES = 1e-14, 3000
# Steps that refine a law after it was looked up; each gains about three digits.
_STEPS = 6


class Evidence:
    """The evidence of the likelihood: n·KL(p̂‖p)."""

    def __init__(self, counts: FloatArray) -> None:
        """Take the counts of rows, cell by cell."""
        self.counts = counts
        self.rows = float(counts.sum())
        self.seen = np.flatnonzero(counts > self._needed)
        self._own = counts[self.seen]
        self._usual = self._own / self.rows

    # A cell with no more rows than this has no pull.
    _needed = 0.0

    def look_up(self, ratios: FloatArray) -> tuple[FloatArray, FloatArray | float]:
        """The approximate p with p/H(p) = ratio, for each seen cell, and d log p/d log ratio."""
        return np.asarray(np.minimum(ratios * self._own, 1.0)), 1.0

    def solve(self, ratios: FloatArray) -> FloatArray:
        """The p of `look_up`, to the last digits."""
        return self.look_up(ratios)[0]

    def most_pull(self) -> FloatArray:
        """H(1) of each seen cell."""
        return self._own

    def pull(self, law: FloatArray) -> FloatArray:
        """H(p) of each seen cell."""
        return np.broadcast_to(self._own, law.shape)

    def pull_error(self, law: FloatArray) -> FloatArray:
        """A bound on the error of each pull."""
        return np.broadcast_to(4.0 * _RELATIVE * self._own, law.shape)

    def against(self, law: FloatArray) -> FloatArray:
        """Φ of laws, one in each row, given at the seen cells."""
        return np.asarray((self._own * np.log(self._usual / law)).sum(axis=-1))

    def error(self, law: FloatArray) -> FloatArray:
        """A bound on the error of Φ."""
        sizes = self._own * (1.0 + np.abs(np.log(law)) + np.abs(np.log(self._usual)))
        return np.asarray(_RELATIVE * sizes.sum(axis=-1))

    @cached_property
    def allowance(self) -> float:
        """Minus the log-evidence at p̂, where Φ is 0; rounded up. It is 0 for the likelihood."""
        return 0.0


class DirichletEvidence(Evidence):
    """The evidence for laws near p, drawn from a Dirichlet law with parameters n·p."""

    # A single row in a cell is equally likely either way.
    _needed = 1.0

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """log(n·p) on an even grid of log(p/H(p)): its first point, its step, and the table."""
        logs = np.linspace(math.log(_LEAST * self.rows), math.log(self.rows), _PLACES)
        found, starts, steps = [], [], []
        for count in self._own:
            along = logs - math.log(self.rows) - np.log(_pull(count, np.exp(logs)))
            even = np.linspace(along[0], along[-1], _PLACES)
            found.append(np.interp(even, along, logs))
            starts.append(along[0])
            steps.append(even[1] - even[0])
        return np.array(starts), np.array(steps), np.array(found).reshape(-1, _PLACES)

    def look_up(self, ratios: FloatArray) -> tuple[FloatArray, FloatArray | float]:
        """The approximate p with p/H(p) = ratio, for each seen cell, and d log p/d log ratio."""
        logs, slopes = self._logs(np.log(ratios))
        return np.asarray(np.exp(logs) / self.rows), slopes

    def _logs(self, along: FloatArray) -> tuple[FloatArray, FloatArray]:
        starts, steps, table = self._table
        place = (along - starts) / steps
        low = np.clip(place.astype(np.int64), 0, _PLACES - 2)
        cells = np.arange(len(starts))
        below, above = table[cells, low], table[cells, low + 1]
        rest = np.minimum(place - low, 1.0)
        # Below the table p/H(p) is p/(c−1); above it p is 1.
        return below + (above - below) * np.where(place < 0.0, 0.0, rest) + np.where(
            place < 0.0, along - starts, 0.0
        ), (above - below) / steps

    def solve(self, ratios: FloatArray) -> FloatArray:
        """The p of `look_up`, to the last digits."""
        wanted = np.log(ratios)
        logs, slope = self._logs(wanted)
        top = math.log(self.rows)
        for _ in range(_STEPS):
            off = logs - top - np.log(_pull(self._own, np.exp(logs))) - wanted
            logs = np.minimum(logs - off * slope, top)
        return np.asarray(np.exp(logs) / self.rows)

    def most_pull(self) -> FloatArray:
        """H(1) of each seen cell."""
        return _pull(self._own, np.full(len(self._own), self.rows))

    def pull(self, law: FloatArray) -> FloatArray:
        """H(p) of each seen cell."""
        return _pull(self._own, self.rows * law)

    def pull_error(self, law: FloatArray) -> FloatArray:
        """A bound on the error of each pull."""
        near = self.rows * law
        sizes = near * (2.0 + np.abs(psi(near + self._own)) + np.abs(psi(near + 1.0)))
        return np.asarray(_RELATIVE * (self._own + sizes))

    def against(self, law: FloatArray) -> FloatArray:
        """Φ of laws, one in each row, given at the seen cells."""
        own, usual = self._own, self._usual
        gained = gammaln(own + self.rows * law) - gammaln(self.rows * law) - own * np.log(law)
        usually = gammaln(2.0 * own) - gammaln(own) - own * np.log(usual)
        return np.asarray((gained - usually).sum(axis=-1))

    def error(self, law: FloatArray) -> FloatArray:
        """A bound on the error of Φ."""
        own = self._own
        sizes = np.abs(gammaln(own + self.rows * law)) + np.abs(gammaln(self.rows * law))
        sizes = sizes + own * (2.0 + np.abs(np.log(law)) + np.abs(np.log(self._usual)))
        usual = np.abs(gammaln(2.0 * own)) + np.abs(gammaln(own))
        return np.asarray(_RELATIVE * (sizes + usual).sum(axis=-1))

    @cached_property
    def allowance(self) -> float:
        """log Γ(2n)/Γ(n) − Σ log Γ(2c)·n^c/(Γ(c)·c^c), rounded up."""
        own = self.counts[self.counts > 0.0]
        parts = [math.lgamma(2.0 * self.rows), -math.lgamma(self.rows)]
        for count in own.tolist():
            parts += [math.lgamma(count), -math.lgamma(2.0 * count)]
            parts += [count * math.log(count / self.rows)]
        lost = _RELATIVE * sum(map(abs, parts))
        return math.fsum(parts) + lost


def _pull(counts: FloatArray | float, near: FloatArray) -> FloatArray:
    """Σ_{i<c} i/(a + i) = (c − 1) − a·(ψ(a + c) − ψ(a + 1))."""
    count = np.broadcast_to(np.asarray(counts, dtype=np.float64), near.shape)
    found = (count - 1.0) - near * (psi(near + count) - psi(near + 1.0))
    few = count <= _FEW
    if few.any():
        a, c = near[few], count[few]
        found[few] = sum(np.where(i < c, i / (a + i), 0.0) for i in range(1, _FEW))
    return np.asarray(np.maximum(found, np.finfo(float).tiny))
