"""The least scale that suffices for every user, by the true law of the sum: no limit theorem.

The sum of finitely valued users is a table (`tables`). Q is its law without user k, P = Q ∗ law of
Z_k with them; for a value, P and Q are the same table moved by two values. Facts (proofs:
docs/theory/sums.md):

    δ = 0   P and Q blur Z_k and 0 by the same independent sum, so the certificate of Z_k against 0
            *alone* is one for any other users; where Z_k ≥ 0 (or ≤ 0) it is exact, and
            ε* = log E e^{|Z_k|/b}. A value: ε* = |a − a'|/b.
    δ > 0   HS ≤ E(1 − e^{(ε−|Z_k|/b)/2})_+, both directions: it settles most users in closed form.
            The others are certified one by one on their tables. The order of the paper's scales, or
            of the moments, does not show who decides: it fails. Two orders do hold:
            - binary users who all add the same value: the most probable one decides;
            - a value: with fewer others the loss is larger, so several users are settled together,
              for every distance between two values of one of them, on the sum without them all.
              (The largest distance alone does not suffice: on a lattice a smaller one may reveal
              more.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.core.errors import CertificationError
from pufferfish.core.limits import still_patient
from pufferfish.core.validation import FloatArray
from pufferfish.exact.family import laplace_family, laplace_reserve
from pufferfish.exact.search import least_size, shortfall
from pufferfish.noise import Noise, NoNoise
from pufferfish.sums.search import Found, refuse_other_noise
from pufferfish.sums.secret import Protected
from pufferfish.sums.tables import LatticeTable, UserTables, as_prior, laws_of_users
from pufferfish.sums.users import IntArray, Users

__all__ = ["FiniteSearch"]

# The share of δ that all cuts of a table together may take.
_LOST_SHARE = 1e-9
# A δ below this is less than the rounding of a table; it is kept by keeping δ = 0.
_SMALLEST_DELTA = 1e-120
# Up to this number of kinds all are certified, so that repeated releases can be charged for each.
_FEW = 20
# The number of certificates after which the scale is raised to settle the rest: doubles each time.
_PATIENCE = 300
# To show that nobody needs noise, every kind may have to be certified.
_MOST_CERTIFICATES = 20_000
_HURRY = 50


class _Candidate(NamedTuple):
    """A pair to certify: the kind of its user, and for a value the distance of the two values."""

    kind: int
    steps: int
    laws: PairOfLaws


class FiniteSearch:
    """Certificates for all users of a sum whose law is a table."""

    belief = "the table of the sum"

    def __init__(self, users: Users, protected: Protected, goal: Guarantee) -> None:
        """Nothing judged yet.

        Raises:
            UnsupportedError: Some user's table is not known, or the sum's table is too long.
        """
        self._users, self._protected = users, protected
        self._presence = protected.what == "presence"
        self._pure = goal.delta < _SMALLEST_DELTA
        self._laws = laws_of_users(users)
        self._gaps = protected.gaps(users)
        # At δ = 0 no table decides anything, so cuts only limit its length.
        self._lost = _LOST_SHARE * (goal.delta if not self._pure else _LOST_SHARE)
        self.goal = Guarantee(goal.epsilon) if self._pure else self._inner(goal)
        self._reserve = laplace_reserve(self.goal)
        self._law = laplace_family(self.goal)
        # For values: the distance that decides, in steps of the lattice.
        self._deciding: dict[int, int] = {}
        self.certificates = 0

    def _inner(self, goal: Guarantee) -> Guarantee:
        """The promise that tables must keep, which covers their errors and what was cut off."""
        self._error = 4.0 * self.total.error
        error = self._error + 4.0 * self._lost
        if error >= 0.01 * goal.epsilon:
            raise CertificationError(
                f"rounding in a table of {self._users.size:,} users could cost {error:.2g} of ε, "
                "which is too much. Group the users, or accept the Gaussian belief."
            )
        return Guarantee(
            goal.epsilon - error, goal.delta * (1.0 - 2.0 * _LOST_SHARE) * math.exp(-error)
        )

    @cached_property
    def tables(self) -> UserTables:
        """All users on a lattice that also holds the two values that must look alike."""
        # Each user gets a share of the mass for every product that uses their table.
        cut = self._lost / (64.0 * self._users.size)
        return UserTables(self._users, cut, also=self._protected.between or ())

    @cached_property
    def total(self) -> LatticeTable:
        """The law of the whole sum."""
        return self.tables.total()

    def least(self) -> Found:
        """The least noise for all, or a little more; no noise where none is needed.

        Where thousands of different users need almost the same scale, it is raised step by step
        until they are settled together, instead of certifying them one by one.
        """
        decides = self._guess()
        if not self._needs_noise():
            return Found(NoNoise(), decides, self.certificates, True)
        size = 0.0
        if shortfall(laws := self.pairs(decides)[0], NoNoise(), self.goal) > 0.0:
            size = least_size(laws, self._law, self.goal)
        self.certificates += 1
        before = self.certificates

        def current() -> Noise:
            over = self.certificates - before - _PATIENCE
            growth = 1e-7 * 2.0 ** min(over / _HURRY, 30.0) if over > 0 else 0.0
            return self._law(size * (1.0 + growth)) if size > 0.0 else NoNoise()

        for kind, steps, laws in self._candidates(current):
            self.certificates += 1
            if shortfall(laws, current(), self.goal) > 0.0:
                size, decides = max(size, least_size(laws, self._law, self.goal)), kind
                self._deciding[kind] = steps
        noise = current()
        patient = not noise.identity and noise.size == size
        return Found(noise, decides, self.certificates, True, patient and self._sharp(decides))

    def judge(self, noise: Noise) -> Found:
        """Whether this noise suffices for every user, and a user who decides or breaks it."""
        refuse_other_noise(noise, self._law)
        worst, decides = -math.inf, self._guess()
        for kind, steps, laws in self._candidates(lambda: noise):
            still_patient()
            self.certificates += 1
            short = shortfall(laws, noise, self.goal)
            if short > worst:
                worst, decides = short, kind
                self._deciding[kind] = steps
        return Found(noise, decides, self.certificates, worst <= 0.0, least=False)

    def pairs(self, kind: int) -> list[PairOfLaws]:
        """The pair of one kind that decides, and the pair of its two most distant values."""
        if self._pure:
            return [next(laws for _, _, laws in self._alone(np.array([kind])))]
        ((_, rest),) = self.tables.leave_one_out(np.array([kind]), lambda *_: False)
        farthest = int(max(self._steps(np.array([kind])), default=0))
        distances = dict.fromkeys([self._deciding.get(kind, farthest), farthest])
        return [self._pair(kind, rest, steps) for steps in distances]

    def _sharp(self, kind: int) -> bool:
        """Whether a certificate is exact: for values of both signs, that of δ = 0 is a bound."""
        signs = self._laws.lowest[kind] < 0.0 < self._laws.highest[kind]
        return not (self._pure and self._presence and bool(signs))

    def _steps(self, kinds: IntArray) -> IntArray:
        """How far apart two values of one user may be; for presence nothing depends on it."""
        if self._presence:
            return np.zeros(1, dtype=np.int64)
        if self._protected.between is not None:
            return np.array([self.tables.steps(*self._protected.between)])
        return self.tables.differences(kinds)

    def charge(self, decides: int) -> list[int] | None:
        """The user who decides, and all others who may decide the cost of repeats."""
        if self._pure or not self._presence:
            reach = self._reach if self._presence else self._gaps
            return list(dict.fromkeys([decides, int(np.argmax(reach))]))
        if self._users.kinds <= _FEW:
            return list(dict.fromkeys([decides, *range(self._users.kinds)]))
        return None if self._likeliest is None else [decides]

    @property
    def _reach(self) -> FloatArray:
        return np.maximum(np.abs(self._laws.lowest), np.abs(self._laws.highest))

    @property
    def _likeliest(self) -> int | None:
        """The most probable of binary users who all add the same value; None for other users."""
        laws = self._laws
        values = np.unique(laws.values[laws.values != 0.0])
        if values.size != 1:
            return None
        return int(np.argmax(laws.expect((laws.values != 0.0).astype(np.float64))))

    def _guess(self) -> int:
        """A kind that is likely to decide; used only to order the work."""
        if not self._presence:
            widest = self._gaps == self._gaps.max()
            return int(np.argmax(np.where(widest, self._users.stds, -1.0)))
        if self._likeliest is not None:
            return self._likeliest
        return int(np.argmax(self._laws.expect(np.abs(self._laws.values))))

    def _needs_noise(self) -> bool:
        """Whether noise is needed."""
        if self._pure:
            return bool((self._reach if self._presence else self._gaps).max() > 0.0)
        for _, _, laws in self._candidates(NoNoise):
            self.certificates += 1
            if shortfall(laws, NoNoise(), self.goal) > 0.0:
                return True
            if self.certificates > _MOST_CERTIFICATES:
                raise CertificationError(
                    f"{self._users.kinds:,} kinds of users are too many to show that none of them "
                    "needs noise. Ask for a smaller δ, or describe fewer kinds."
                )
        return False

    def _settled(self, noise: Noise) -> npt.NDArray[np.bool_]:
        """Which kinds a closed form settles, with a margin for rounding."""
        epsilon, delta = self._reserve.epsilon, self._reserve.delta * (1.0 - 1e-9)
        scale = noise.size
        if not self._presence:
            return np.asarray(self._gaps <= epsilon * scale * (1.0 - 1e-12))
        sizes = np.abs(self._laws.values)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.where(sizes > 0.0, sizes / scale, 0.0)
            odds = self._laws.expect(np.exp(ratios))
        quiet = odds <= math.exp(min(epsilon, 700.0)) * (1.0 - 1e-9)
        if self._pure:
            return np.asarray(quiet)
        loss = self._laws.expect(-np.expm1(np.minimum(0.5 * (epsilon - ratios), 0.0)))
        return np.asarray(quiet | (loss <= delta))

    def _candidates(self, current: Callable[[], Noise]) -> Iterator[_Candidate]:
        """The pairs whose certificates settle all kinds at the noise so far, which may grow."""
        kinds = np.flatnonzero(~self._settled(current()))
        if not kinds.size:
            return
        if self._pure:
            # Only the distance of two values matters.
            yield from self._alone(kinds if self._presence else np.array([self._guess()]))
            return
        likeliest = self._likeliest
        if self._presence and likeliest is not None:
            kinds = np.array([likeliest])

        def settles(some: IntArray, outside: LatticeTable) -> bool:
            if self._presence:
                return bool(self._settled(current())[some].all())
            # On a lattice a smaller distance may reveal more, so each distance is checked.
            for steps in self._steps(some):
                still_patient()
                self.certificates += 1
                laws = self._pair(int(some[0]), outside, int(steps))
                if shortfall(laws, current(), self.goal) > 0.0:
                    return False
            return True

        for kind, rest in self.tables.leave_one_out(kinds, settles):
            for steps in self._steps(np.array([kind])):
                yield _Candidate(kind, int(steps), self._pair(kind, rest, int(steps)))

    def _alone(self, kinds: IntArray) -> Iterator[_Candidate]:
        """δ = 0: what one user adds against nothing, or a value against another, hardest first."""
        nothing = Discrete([0.0], [1.0])
        size = self._laws.expect(self._laws.values**2) if self._presence else self._gaps
        for kind in kinds[np.argsort(-size[kinds])]:
            what = (
                self._laws.law(int(kind))
                if self._presence
                else Discrete([float(self._gaps[kind])], [1.0])
            )
            yield _Candidate(int(kind), 0, self._named(what, nothing, float(self._gaps[kind])))

    def _pair(self, kind: int, rest: LatticeTable, steps: int) -> PairOfLaws:
        step = self.tables.step
        if self._presence:
            first = rest.times(self.tables.one(kind))
        else:
            first = replace(rest, start=rest.start + steps)
        if first.error + rest.error > self._error or first.lost + rest.lost > self._lost:
            raise CertificationError(
                "the tables of this sum are not accurate enough to certify it. Group the users, or "
                "ask for a larger ε or δ."
            )
        return self._named(as_prior(first, step), as_prior(rest, step), float(steps * step))

    def _named(self, first: Discrete, second: Discrete, apart: float) -> PairOfLaws:
        pair = SecretPair(*self._protected.words(apart))
        return PairOfLaws(self.belief, pair, first, second, 0.0, 0.0)
