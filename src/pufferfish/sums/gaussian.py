"""The least scale that suffices for every user, if the sum is believed to be Gaussian.

User k has gap g = |μ_k| and variance s; R = V − s is the others'. With Laplace noise of scale b
added to both, *presence* compares P = N(g, R + s) with Q = N(0, R), and a *value* N(g, R) with
N(0, R). Facts, for a fixed V (proofs: docs/theory/sums.md):

    (a) both directions grow with g;
    (b) HS(P‖Q) grows with s;
    (c) sup log p/q = g/b + s/(2b²), so δ = 0 needs b ≥ (g + √(g² + 2εs))/(2ε);
    (d) HS(Q‖P) does not always grow with s, but for users with g ≤ m and s_lo ≤ s ≤ s_hi, and the
        Q' of g = m, s = s_hi, with κ = (s_hi − s_lo)/(2b²)
        HS_ε(Q‖P) ≤ e^κ·HS_{ε−κ}(Q'‖P),   sup log q/p ≤ sup log q'/p + κ;
        or, with little noise or none, HS_ε(Q‖P) ≤ HS_ε(Q'‖P) + P(|N(0, s_hi − s_lo)| > c) for the
        Q' of g = m + c, s = s_hi;
    (e) a value's loss grows with s: less is left in R to hide it.

So a *cell* of users, those with s in an interval, is settled by one certificate of an imagined user
at its corner, or cut in two. The corner of a cell of equal s is a real user. The scale only grows,
and settled users stay settled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete, Gaussian, Prior
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.core.limits import still_patient
from pufferfish.core.validation import FloatArray
from pufferfish.exact.family import laplace_family, laplace_reserve
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.search import HOPELESS, least_size, log_excess, shortfall
from pufferfish.noise import Noise, NoNoise
from pufferfish.sums.paper import paper_scales
from pufferfish.sums.search import Found, refuse_other_noise
from pufferfish.sums.secret import Protected
from pufferfish.sums.users import IntArray, Users
from pufferfish.theorems import tau

__all__ = ["GaussianSearch"]

# At δ = 0 the others' variance hardly matters beyond this many b²; the certificate is then sharper.
_ENOUGH_VARIANCE = 1e6
# The share of δ that is set aside for users of a cell who differ from its corner.
_SHARE = 1e-3
# The share of ε that κ may take before the other bound of (d) is the better one.
_LARGEST_KAPPA = 0.1


class _Cell(NamedTuple):
    """Users in a range of the order by variance."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Order:
    """Users that are not settled, by their variance."""

    kinds: IntArray
    gaps: FloatArray
    shares: FloatArray


def _centre_prior(mean: float, variance: float) -> Prior:
    """N(mean, variance), a point where nothing is random."""
    if variance > 0.0:
        return Gaussian(mean, math.sqrt(variance))
    return Discrete([mean], [1.0])


class GaussianSearch:
    """Certificates for all users of a sum that is believed to be Gaussian."""

    belief = "the sum is Gaussian"

    def __init__(self, users: Users, protected: Protected, goal: Guarantee) -> None:
        """Nothing judged yet."""
        self._users, self._protected = users, protected
        self.goal = goal
        self._reserve = laplace_reserve(goal)
        self._law = laplace_family(goal)
        self._gaps = protected.gaps(users)
        self._shares = users.variances
        self._presence = protected.what == "presence"
        self._needed = self._sufficient(users)
        rest = users.rest_variances
        if goal.pure:
            # With less variance in common, two laws are only easier to tell apart.
            rest = np.minimum(rest, _ENOUGH_VARIANCE * float(self._needed.max()) ** 2)
        self._rest = rest
        self.certificates = 0

    def _sufficient(self, users: Users) -> FloatArray:
        """For each kind a scale that suffices; at δ = 0 and presence, for P against Q alone."""
        goal, gaps, shares = self._reserve, self._gaps, self._shares
        if not self._presence:
            return gaps / goal.epsilon
        if goal.pure:
            root = np.sqrt(gaps**2 + 2.0 * goal.epsilon * shares)
            return np.asarray((gaps + root) / (2.0 * goal.epsilon))
        return paper_scales("cor-1a", users, self._protected, goal)

    def laws(self, kind: int) -> PairOfLaws:
        """The pair of one kind."""
        return self._pair(self._gaps[kind], self._shares[kind], self._rest[kind])

    def _pair(self, gap: float, share: float, rest: float) -> PairOfLaws:
        with_user = rest + share if self._presence else rest
        return PairOfLaws(
            self.belief,
            SecretPair(*self._protected.words(float(gap))),
            _centre_prior(float(gap), float(with_user)),
            _centre_prior(0.0, float(rest)),
            0.0,
            0.0,
        )

    def pairs(self, kind: int) -> list[PairOfLaws]:
        """The pair of one kind, as the only one that decides."""
        return [self.laws(kind)]

    def least(self) -> Found:
        """The least noise for all, or a little more; no noise where none is needed."""
        first = int(np.argmax(self._needed))
        if not self.goal.pure or self._needed[first] == 0.0:
            failed = self._unsettled(NoNoise())
            if failed is None:
                return Found(NoNoise(), first, self.certificates, True)
        size, decides = 0.0, first
        for kind in self._hardest():
            size, decides = self._raised(kind, size, decides)
        if self.goal.pure and self._presence:
            # Up to rounding, the certificate of the hardest user is for at least this scale.
            size = max(size, float(self._needed.max()) * (1.0 + 1e-12))
        while (failed := self._unsettled(self._law(size))) is not None:
            raised, decides = self._raised(failed, size, decides)
            # Where rounding decides whether the promise is kept, a little more noise keeps it.
            size = raised if raised > size else size * (1.0 + 1e-9)
        return Found(self._law(size), decides, self.certificates, True)

    def judge(self, noise: Noise) -> Found:
        """Whether this noise suffices for every user, and a user who decides or breaks it."""
        refuse_other_noise(noise, self._law)
        if self.goal.pure and self._presence and not noise.identity:
            first = int(np.argmax(self._needed))
            if self._needed[first] > noise.size:
                return Found(noise, first, self.certificates, False, least=False)
        failed = self._unsettled(noise)
        if failed is not None:
            return Found(noise, failed, self.certificates, False, least=False)
        losses = {kind: self._short(kind, noise) for kind in self._hardest()}
        decides = max(losses, key=losses.__getitem__)
        return Found(noise, decides, self.certificates, True, least=False)

    def charge(self, decides: int) -> list[int] | None:
        """The user who decides, and the one whose two sums a coupling keeps least close, up to δ.

        At δ = 0 no coupling keeps the sums with and without a random value within any distance.
        """
        if self._presence and self.goal.pure and bool(self._shares.any()):
            return None
        return list(dict.fromkeys([decides, _widest(self._users, self._protected, self.goal)]))

    def _hardest(self) -> list[int]:
        """Kinds that are likely to decide; used only to order the work."""
        guesses = (self._needed, self._gaps, self._shares, self._gaps + np.sqrt(self._shares))
        return list(dict.fromkeys(int(np.argmax(each)) for each in guesses))

    def _short(self, kind: int, noise: Noise) -> float:
        self.certificates += 1
        return shortfall(self.laws(kind), noise, self.goal)

    def _raised(self, kind: int, size: float, decides: int) -> tuple[float, int]:
        """The size and who decides it, after a check of a kind for which it may not suffice."""
        if size > 0.0 and self._short(kind, self._law(size)) <= 0.0:
            return size, decides
        laws = self.laws(kind)
        if laws.first == laws.second:
            return size, decides
        self.certificates += 1
        return max(size, least_size(laws, self._law, self.goal)), kind

    def _unsettled(self, noise: Noise) -> int | None:
        """A kind for which this noise does not suffice; None if it suffices for all."""
        order = self._remaining(noise)
        stack = [_Cell(0, order.kinds.size)] if order.kinds.size else []
        while stack:
            still_patient()
            cell = stack.pop()
            lowest, highest = order.shares[cell.start], order.shares[cell.stop - 1]
            largest = cell.start + int(np.argmax(order.gaps[cell.start : cell.stop]))
            corner = int(order.kinds[cell.stop - 1]), float(order.gaps[largest])
            if self._cell_short(*corner, float(highest - lowest), noise) <= 0.0:
                continue
            if lowest == highest:
                return int(order.kinds[largest])
            middle = (cell.start + cell.stop) // 2
            halves = [_Cell(cell.start, middle), _Cell(middle, cell.stop)]
            # The half with the largest gap comes last, so that it is checked first.
            stack += halves if largest >= middle else halves[::-1]
        return None

    def _remaining(self, noise: Noise) -> _Order:
        """Users that no closed form settles, by their variance."""
        if noise.identity:
            open_ = (self._gaps > 0.0) | (self._shares > 0.0)
        elif self.goal.pure and self._presence:
            open_ = self._shares > 0.0  # a translation looks the same from both sides
        else:
            open_ = self._needed > noise.size
        kinds = np.flatnonzero(open_)
        kinds = kinds[np.argsort(self._shares[kinds], kind="stable")]
        return _Order(kinds, self._gaps[kinds], self._shares[kinds])

    def _cell_short(self, top: int, gap: float, width: float, noise: Noise) -> float:
        """How far the corner of a cell falls short, including how its users may differ from it."""
        goal, apart = self.goal, 0.0
        if width > 0.0 and self._presence:
            kappa = math.inf
            if noise.ratio_scale > 0.0:
                kappa = 0.5 * width / noise.ratio_scale**2 * (1.0 + 1e-12)
            if kappa < (1.0 if goal.pure else _LARGEST_KAPPA) * goal.epsilon:
                goal = Guarantee(goal.epsilon - kappa, goal.delta * math.exp(-kappa))
            elif goal.pure:
                return HOPELESS
            else:
                lost = _SHARE * goal.delta
                apart = math.sqrt(width) * -float(ndtri(0.5 * lost)) * (1.0 + 1e-12)
                goal = Guarantee(goal.epsilon, goal.delta - lost)
        self.certificates += 1
        laws = self._pair(gap + apart, self._shares[top], self._rest[top])
        if goal.pure and self._presence and not noise.identity:
            # P against Q is settled in closed form.
            return log_excess(PairOracle(laws, noise).epsilon().backward.upper, goal.epsilon)
        return shortfall(laws, noise, goal)


def _widest(users: Users, protected: Protected, goal: Guarantee) -> int:
    """The kind whose two sums a coupling keeps least close, except with probability δ.

    It decides what repeated releases cost. For presence |X − X'| is |g + Δσ·Z|; its quantile lies
    between those of its right tail and of both tails counted twice.
    """
    gaps, delta = protected.gaps(users), goal.delta
    if protected.what == "value" or delta == 0.0:
        return int(np.argmax(gaps))
    rest = users.rest_variances
    roots = np.sqrt(rest + users.variances) + np.sqrt(rest)
    narrowing = np.divide(users.variances, roots, out=np.zeros_like(roots), where=roots > 0.0)
    most = gaps + tau(delta) * narrowing
    least = np.maximum(gaps - float(ndtri(delta)) * narrowing, 0.0)
    kinds = np.flatnonzero(most >= least.max())
    mean, std = gaps[kinds], np.maximum(narrowing[kinds], 1e-300)
    low, high = least[kinds], most[kinds]
    for _ in range(60):
        middle = 0.5 * (low + high)
        beyond = np.exp(log_ndtr((mean - middle) / std)) + np.exp(log_ndtr((-mean - middle) / std))
        low, high = np.where(beyond > delta, middle, low), np.where(beyond > delta, high, middle)
    return int(kinds[np.argmax(high)])
