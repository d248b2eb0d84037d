"""Does the central limit theorem hold here? How far the Gaussian belief is from the true sum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.exact import Enclosure, verify
from pufferfish.noise import Noise
from pufferfish.sums.finite import FiniteSearch
from pufferfish.sums.gaussian import GaussianSearch
from pufferfish.sums.secret import Protected
from pufferfish.sums.users import Users

__all__ = ["LimitCheck", "check_limit", "lyapunov_ratio"]


def lyapunov_ratio(users: Users) -> float | None:
    """Σ E|Z_k − EZ_k|³ / V^{3/2}, for users whose tables are known; None where V = 0.

    By Berry and Esseen (Shevtsova's constant), the cdf of the sum is within 0.56 times this ratio
    of the cdf of its Gaussian. A small ratio is a good sign for the middle of the law, and says
    nothing about its tails.
    """
    if users.laws is None or users.variance == 0.0:
        return None
    sizes = np.diff(users.laws.starts)
    apart = np.abs(users.laws.values - np.repeat(users.means, sizes)) ** 3
    third = float((users.laws.expect(apart) * users.counts).sum())
    return third / math.sqrt(users.variance) ** 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitCheck:
    """The Gaussian belief compared with the truth.

    Attributes:
        goal: The promise.
        noise: The noise that the Gaussian belief would have chosen.
        believed: At that noise, δ at the goal's ε (with δ = 0: the least ε) as the Gaussian belief
            sees it, for the user who truly decides.
        true: The true value of the same quantity.
        user: That user.
        kolmogorov: The largest distance between the cdfs of the sum and of its Gaussian; None where
            nothing is random, or the table of the sum would be too long.
        lyapunov: The Lyapunov ratio; None where nothing is random.
    """

    goal: Guarantee
    noise: Noise
    believed: Enclosure
    true: Enclosure
    user: str
    kolmogorov: float | None
    lyapunov: float | None

    @property
    def holds(self) -> bool:
        """Whether the noise of the Gaussian belief truly keeps the promise."""
        limit = self.goal.epsilon if self.goal.pure else self.goal.delta
        return self.true.upper <= limit


def check_limit(users: Users, goal: Guarantee, protected: Protected | None = None) -> LimitCheck:
    """Compare the Gaussian belief with the true law of the sum, where it matters: in the promise.

    Raises:
        UnsupportedError: Some user's table is not known.
    """
    secret = Protected() if protected is None else protected
    truth = FiniteSearch(users, secret, goal)
    gaussian = GaussianSearch(users, secret, truth.goal)
    noise = gaussian.least().noise
    kind = truth.judge(noise).kind
    losses = []
    for search in (gaussian, truth):
        laws = search.pairs(kind)[0]
        belief = Belief(dict(zip(laws.pair, (laws.first, laws.second), strict=True)))
        found = verify(Scenario([belief]), noise, goal)
        losses.append(
            Enclosure(found.epsilon_lower, found.epsilon_upper)
            if goal.pure
            else Enclosure(found.delta_lower, found.delta_upper)
        )
    return LimitCheck(
        goal=goal,
        noise=noise,
        believed=losses[0],
        true=losses[1],
        user=users.name(kind),
        kolmogorov=_kolmogorov(users, truth),
        lyapunov=lyapunov_ratio(users),
    )


def _kolmogorov(users: Users, truth: FiniteSearch) -> float | None:
    """max |F − Φ|, just before and at each value."""
    if users.variance == 0.0:
        return None
    try:
        table, step = truth.total, truth.tables.step
    except UnsupportedError:
        return None
    places = (np.arange(table.masses.size) + float(table.start)) * float(step)
    normal = ndtr((places - users.mean) / math.sqrt(users.variance))
    after = np.cumsum(table.masses)
    before = after - table.masses
    return float(max(np.abs(after - normal).max(), np.abs(before - normal).max()))
