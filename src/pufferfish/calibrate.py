"""How much noise keeps the promise; returns the private side of a root, with its certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from pufferfish.checks import require
from pufferfish.errors import CertificationError, InvalidInputError, UnreachableGoalError
from pufferfish.exact import Certificate
from pufferfish.exact.grid import gaussian_grid_loss, on_grid
from pufferfish.exact.parallel import PairWorkers, Progress
from pufferfish.exact.search import NoiseFamily, describe, least_size, shortfall
from pufferfish.exact.tails import is_unbounded
from pufferfish.exact.verify import certify, check_goal, check_scenario
from pufferfish.explain import explain
from pufferfish.guarantee import Guarantee
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise
from pufferfish.scenario import PairOfLaws, Scenario

__all__ = ["Calibration", "calibrate"]

METHODS = ("exact",)
NOISES = ("laplace", "gaussian")

# The grid as a share of the noise's size: fine enough to cost about 1e-7 of ε, coarse enough to
# leave 29 bits of a double for values larger than the noise.
_GRID = 2.0**-24
# Gaussian noise pays for its grid in δ: a share of it that is aimed at, one that is tolerated, and
# a step below which a double has no bits left for values larger than the noise.
_DELTA_SHARE = 2.0**-17
_LARGEST_DELTA_SHARE = 2.0**-7
_FINEST_GRID = 2.0**-44
# With δ = 0 Gaussian noise keeps its promise on a grid only if all atoms lie on this one.
_COARSEST_GRID = 2.0**-20
_FIRST_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The least noise found for a goal, with the certificate that it suffices.

    Attributes:
        scenario: What must look alike, to whom.
        goal: The promise.
        method: How the size was found.
        noise: The law to add, grid included; `NoNoise()` where none is needed.
        certificate: The exact certificate of one release under `noise`; it holds.
        composable: A certificate that covers repeated releases; None: there is none yet.
    """

    scenario: Scenario = field(repr=False)
    goal: Guarantee
    method: str
    noise: Noise
    certificate: Certificate
    composable: None = None

    def explain(self) -> str:
        """What was done, what is promised, to whom, and what is not, in numbered steps."""
        return explain(self.scenario, self.goal, self.method, self.certificate)


def calibrate(
    scenario: Scenario,
    goal: Guarantee,
    noise: Literal["laplace", "gaussian"] = "laplace",
    method: Literal["exact"] = "exact",
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Calibration:
    """The least noise that keeps `goal` for every pair of `scenario`, with its certificate.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise.
        noise: "laplace" or "gaussian".
        method: "exact": the smallest size that the exact certificate accepts.
        workers: Processes to spread many pairs over; with more than one, a script needs the usual
            `if __name__ == "__main__":` guard.
        progress: Called with (pairs done, pairs in all), once for the search and once for the
            final certificate.

    Raises:
        UnreachableGoalError: No amount of this noise keeps the promise; the message says why.
        InvalidInputError: An argument is not understood.
    """
    check_scenario(scenario)
    check_goal(goal)
    _check_choice("method", method, METHODS)
    require(
        isinstance(noise, str),
        f'noise must be "laplace" or "gaussian", got {type(noise).__name__}; '
        "to judge a noise law that is already chosen use pf.verify.",
    )
    _check_choice("noise", noise, NOISES)
    pairs = list(scenario.laws())
    for laws in pairs:
        _refuse_revealing_holes(laws, goal)
    law: Noise = NoNoise()
    with PairWorkers(workers) as processes:
        if any(shortfall(laws, law, goal) > 0.0 for laws in pairs):
            family = _family(noise, goal, pairs)
            law = family(_search(pairs, family, goal, processes, progress))
        certificate = certify(scenario, law, goal, processes, progress)
    if not certificate.holds:
        raise CertificationError(
            f"the size that was found could not be certified (worst: {certificate.worst!r}); "
            "please report this scenario."
        )
    return Calibration(
        scenario=scenario, goal=goal, method=method, noise=law, certificate=certificate
    )


def _check_choice(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        choices = ", ".join(repr(choice) for choice in known)
        raise InvalidInputError(f"{name} {given!r} is not known; known: {choices}.")


def _search(
    pairs: list[PairOfLaws],
    family: NoiseFamily,
    goal: Guarantee,
    workers: PairWorkers,
    progress: Progress | None,
) -> float:
    """The largest of the pairs' least sizes: solve the hardest first, then mostly only check."""
    rest = sorted(pairs, key=_difficulty, reverse=True)
    size = least_size(rest.pop(0), family, goal)
    # Each batch starts from the largest size so far; with workers, a first one to get it right.
    batch = 1 if workers.count == 1 else _FIRST_BATCH
    while rest:
        task = partial(_raised, family=family, goal=goal, size=size)
        size = max(workers.map(task, rest[:batch]))
        rest = rest[batch:]
        batch = 1 if workers.count == 1 else len(rest)
        if progress is not None:
            progress(len(pairs) - len(rest), len(pairs))
    return size


def _raised(laws: PairOfLaws, family: NoiseFamily, goal: Guarantee, size: float) -> float:
    """`size` if it suffices for this pair, else the pair's least size."""
    if shortfall(laws, family(size), goal) <= 0.0:
        return size
    return max(size, least_size(laws, family, goal))


def _difficulty(laws: PairOfLaws) -> float:
    """A guess at which pair needs most noise; it only decides the order of the work."""
    first, second = laws.first, laws.second
    spreads = math.sqrt(first.variance), math.sqrt(second.variance)
    return abs(first.mean - second.mean) + 2.0 * abs(spreads[0] - spreads[1])


def _refuse_revealing_holes(laws: PairOfLaws, goal: Guarantee) -> None:
    """Whatever the noise, holes alone give away (m_i − e^ε m_j)_+ + ((1−m_i) − e^ε(1−m_j))_+."""
    for m, other in (
        (laws.missing_first, laws.missing_second),
        (laws.missing_second, laws.missing_first),
    ):
        factor = math.exp(min(goal.epsilon, 700.0))
        floor = max(m - factor * other, 0.0) + max((1.0 - m) - factor * (1.0 - other), 0.0)
        if floor > goal.delta:
            raise UnreachableGoalError(
                f"missing values alone betray {describe(laws)}: with probabilities "
                f"{laws.missing_first:g} and {laws.missing_second:g} of a hole, δ is at least "
                f"{floor:.3g} at ε = {goal.epsilon:g} whatever the noise, and the goal allows "
                f"{goal.delta:g}. Fill or drop the holes before the release, or allow more."
            )


def _family(noise: str, goal: Guarantee, pairs: list[PairOfLaws]) -> NoiseFamily:
    if noise == "laplace":
        return partial(_laplace, step=_GRID * min(1.0, goal.epsilon))
    if goal.pure:
        for laws in pairs:
            _refuse_unbounded_ratio(laws, goal)
        priors = {prior for laws in pairs for prior in (laws.first, laws.second)}
        exact = all(on_grid(prior.components(), _COARSEST_GRID) for prior in priors)
        return partial(_gaussian, step=_GRID if exact else None, largest=_COARSEST_GRID)
    step = _GRID
    while (
        step > _FINEST_GRID and gaussian_grid_loss(step, goal.epsilon) > _DELTA_SHARE * goal.delta
    ):
        step /= 2.0
    affordable = gaussian_grid_loss(step, goal.epsilon) <= _LARGEST_DELTA_SHARE * goal.delta
    return partial(_gaussian, step=step if affordable else None)


def _laplace(size: float, step: float) -> LaplaceNoise:
    return LaplaceNoise(size, _power_of_two_below(size * step))


def _gaussian(size: float, step: float | None, largest: float = math.inf) -> GaussianNoise:
    if step is None:
        return GaussianNoise(size)
    return GaussianNoise(size, min(_power_of_two_below(size * step), largest))


def _power_of_two_below(value: float) -> float:
    return math.ldexp(1.0, math.frexp(value)[1] - 1)


def _refuse_unbounded_ratio(laws: PairOfLaws, goal: Guarantee) -> None:
    """Gaussian noise and δ = 0: ε* may be infinite, and never falls below that of the mgfs.

    At y = tθ² the log-ratio tends to log M_i(t)/M_j(t) as θ grows, and ε* only falls with θ.
    """
    p, q = laws.first.components(), laws.second.components()
    if is_unbounded(p, q, GaussianNoise(1.0)) or is_unbounded(q, p, GaussianNoise(1.0)):
        raise UnreachableGoalError(
            f"Gaussian noise cannot give pure {goal} for {describe(laws)}: far out in a tail one "
            "of the two laws outweighs the other without bound, whatever the noise (their widest "
            "components differ). Use Laplace noise, or allow some delta."
        )
    spread = math.sqrt(max(laws.first.variance, laws.second.variance)) or 1.0
    # About a common centre, so that values far from zero do not drown the difference.
    first, second = (each.shift(-laws.first.mean) for each in (laws.first, laws.second))
    floor = 0.0
    for exponent in range(-96, 97):
        for t in (10.0 ** (exponent / 32) / spread, -(10.0 ** (exponent / 32)) / spread):
            one, other = first.log_mgf(t), second.log_mgf(t)
            floor = max(floor, abs(one - other) - 1e-12 * (abs(one) + abs(other)))
    if floor > goal.epsilon + 1e-6:
        raise UnreachableGoalError(
            f"Gaussian noise cannot give pure {goal} for {describe(laws)}: however much is added, "
            f"the least ε stays above {floor:.4g}. Use Laplace noise, or allow some delta."
        )
