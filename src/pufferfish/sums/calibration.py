"""How much noise a sum needs to hide every user: one verb, several methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Prior
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import CertificationError
from pufferfish.core.ladder import rung_up
from pufferfish.core.validation import positive, require
from pufferfish.exact import verify
from pufferfish.exact.family import laplace_family, laplace_reserve
from pufferfish.exact.oracle import check_goal
from pufferfish.noise import Noise, NoNoise
from pufferfish.sums.finite import FiniteSearch
from pufferfish.sums.gaussian import GaussianSearch
from pufferfish.sums.paper import paper_scales
from pufferfish.sums.search import Found, Search
from pufferfish.sums.secret import Protect, Protected
from pufferfish.sums.users import Users
from pufferfish.theorems import TAU_FORMS, Tau
from pufferfish.words.certificates import describe_loss
from pufferfish.words.phrases import larger_size

__all__ = [
    "SUM_METHODS",
    "SumCalibration",
    "SumMethod",
    "calibrate_sum",
    "certified_sum",
    "search_for",
]

SumMethod = Literal["exact", "gaussian", "cor-1a", "cor-1a-identical", "cor-1b"]
SUM_METHODS: tuple[SumMethod, ...] = (
    "exact",
    "gaussian",
    "cor-1a",
    "cor-1a-identical",
    "cor-1b",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumCalibration:
    """Noise for a sum, certified for every user.

    Attributes:
        users: Who adds to the sum.
        protected: What must stay hidden about each of them.
        goal: The promise, for every user.
        method: How the scale was found.
        tau: The form of τ(δ), for the paper's methods that have one.
        calibration: The noise, with the certificate of the users who decide, as a scenario of
            their own. Its goal is the promise or a little more, to make up for rounding in tables.
        kind: The kind of users who need most noise.
        certificates: The number of pairs that were certified to settle all users.
        holds: Whether the promise is kept for every user.
        least: Whether no smaller noise suffices.
        repeatable: Whether the certificate's scenario can also be charged for repeated releases.
    """

    users: Users = field(repr=False)
    protected: Protected
    goal: Guarantee
    method: str
    tau: Tau | None
    calibration: Calibration = field(repr=False)
    kind: int
    certificates: int
    holds: bool
    least: bool
    repeatable: bool

    @property
    def noise(self) -> Noise:
        """The law to add; `NoNoise()` where none is needed."""
        return self.calibration.noise

    @property
    def alone(self) -> bool:
        """Whether the certificate is about what one user adds, without all others.

        At δ = 0 others hide nobody: the bound holds for somebody who knows what they added.
        """
        return self.users.laws is not None and self.calibration.goal.pure

    @property
    def scale(self) -> float:
        """Laplace's b; 0 without noise."""
        return self.noise.size

    @property
    def worst(self) -> str:
        """The name of the user who decides."""
        return self.users.name(self.kind)


def calibrate_sum(
    users: Users,
    goal: Guarantee,
    protect: Protect = "presence",
    method: SumMethod = "exact",
    *,
    between: tuple[float, float] | None = None,
    tau: Tau = "exact",
    certified_only: bool = True,
    size: float | None = None,
) -> SumCalibration:
    """Laplace noise that keeps `goal` for every user, with its certificate.

    For every method, the noise is judged by what is known of the users: by the true law of the sum
    where their tables are known, else by the Gaussian belief.

    Args:
        users: Who adds to the sum; see `moments`, `identical`, `binary`, `finite_users`.
        goal: The promise, for each user.
        protect: "presence": whether a user is in the sum. "value": which of two values they gave.
        method: "exact": the least scale. "gaussian": the least scale if the sum were Gaussian.
            "cor-1a", "cor-1a-identical", "cor-1b": the paper's formulas, with the grid reserved.
        between: For "value": the two values that must look alike, for every user. If not given,
            any two values in a user's table.
        tau: "exact" or "lambert", for the first two of the paper's formulas.
        certified_only: Raise where a method's scale does not keep the promise. With False it is
            returned, and says that it does not hold.
        size: This scale instead of the least one, chosen without knowledge of the users. It is
            certified for every user, and refused if it is too small.

    Raises:
        CertificationError: The scale does not keep the promise.
        UnsupportedError: The method does not cover these users, or δ = 0.
        InvalidInputError: An argument is not understood.
    """
    require(isinstance(users, Users), f"users must be Users, got {type(users).__name__}.")
    check_goal(goal)
    require(method in SUM_METHODS, f"method {method!r} is not known; known: {SUM_METHODS}.")
    require(tau in TAU_FORMS, f"tau {tau!r} is not known; known: {TAU_FORMS}.")
    has_tau = method in ("cor-1a", "cor-1a-identical")
    require(
        tau == "exact" or has_tau,
        f"tau belongs to the methods cor-1a and cor-1a-identical; {method!r} has none.",
    )
    protected = Protected(what=protect, between=between)
    search = search_for(users, protected, goal)
    if size is not None:
        require(
            method == "exact",
            f"a scale that is given (size, --scale) is certified exactly, but method {method!r} "
            "finds its own: leave out one of them.",
        )
        return _certify_given(users, protected, goal, search, positive("size", size))
    if method == "exact" or (method == "gaussian" and users.laws is None):
        found = search.least()
    elif method == "gaussian":
        found = search.judge(GaussianSearch(users, protected, search.goal).least().noise)
    else:
        found = search.judge(_paper_law(method, users, protected, search.goal, tau))
    return _calibrate(
        users, protected, goal, search, found, method, tau if has_tau else None, certified_only
    )


def certified_sum(
    users: Users,
    protected: Protected,
    goal: Guarantee,
    noise: Noise,
    *,
    method: str = "given",
    tau: Tau | None = None,
    certified_only: bool = True,
) -> SumCalibration:
    """A noise law that is already chosen, certified for every user.

    Raises:
        CertificationError: The law does not keep the promise, and `certified_only` is True.
    """
    search = search_for(users, protected, goal)
    found = search.judge(noise)
    return _calibrate(users, protected, goal, search, found, method, tau, certified_only)


def _certify_given(
    users: Users, protected: Protected, goal: Guarantee, search: Search, size: float
) -> SumCalibration:
    """Certify a scale that the curator chose. A refusal names a rung, and so reveals little."""
    found = search.judge(laplace_family(search.goal)(size))
    given = _calibrate(users, protected, goal, search, found, "given", None, False)
    if given.holds:
        return given
    least = search.least().noise
    enough = size if least.identity else rung_up(least.size)
    raise CertificationError(larger_size(goal, size, enough, whom="for every user", data="users"))


def search_for(users: Users, protected: Protected, goal: Guarantee) -> Search:
    """By tables where they are known, else by the Gaussian belief."""
    if users.laws is None:
        return GaussianSearch(users, protected, goal)
    return FiniteSearch(users, protected, goal)


def _paper_law(method: str, users: Users, protected: Protected, goal: Guarantee, tau: Tau) -> Noise:
    size = float(paper_scales(method, users, protected, laplace_reserve(goal), tau).max())
    return laplace_family(goal)(size) if size > 0.0 else NoNoise()


def _calibrate(
    users: Users,
    protected: Protected,
    goal: Guarantee,
    search: Search,
    found: Found,
    method: str,
    tau: Tau | None,
    certified_only: bool,
) -> SumCalibration:
    charged = search.charge(found.kind)
    scenario = _scenario(users, search, charged or [found.kind])
    certificate = verify(scenario, found.noise, search.goal)
    if found.least and certificate.holds is not True and not found.noise.identity:
        # The same laws, from tables that were rounded differently: a little more noise suffices.
        nudged = found.noise.resized(found.noise.size * (1.0 + 1e-8))
        found = found._replace(noise=nudged)
        certificate = verify(scenario, nudged, search.goal)
    holds = found.holds and certificate.holds is True
    if certified_only and not holds:
        size = "no noise" if found.noise.identity else f"scale {found.noise.size:.6g}"
        raise CertificationError(
            f"method {method} gives {size}, which does not keep {goal} for "
            f"{users.name(found.kind)}, judged by what is known of the users ({search.belief}): "
            f"{describe_loss(certificate)}. Use the method exact. (In Python, "
            "certified_only=False returns this size, marked as not certified.)"
        )
    return SumCalibration(
        users=users,
        protected=protected,
        goal=goal,
        method=method,
        tau=tau,
        calibration=Calibration(
            scenario=scenario,
            goal=search.goal,
            method=method,
            noise=found.noise,
            certificate=certificate,
            tau=tau,
        ),
        kind=found.kind,
        certificates=found.certificates,
        holds=holds,
        least=found.least and method == "exact",
        repeatable=charged is not None,
    )


def _scenario(users: Users, search: Search, kinds: list[int]) -> Scenario:
    """The pairs of some kinds, as a scenario of their own."""
    priors: dict[str, Prior] = {}
    pairs = []
    for kind in kinds:
        for laws in search.pairs(kind):
            with_user, without = (f"{users.name(kind)}: {word}" for word in laws.pair)
            priors |= {with_user: laws.first, without: laws.second}
            pairs.append((with_user, without))
    belief = Belief(priors, name=search.belief, provenance=users.provenance)
    return Scenario([belief], pairs)
