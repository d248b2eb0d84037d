"""Screened bounds are never below what the exact oracle finds; and a broken screen is noticed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.beliefs.scenario import SecretPair, laws_of
from pufferfish.core.validation import FloatArray
from pufferfish.exact import screen
from pufferfish.exact.envelope import Law, envelopes
from pufferfish.exact.mesh import features, first_mesh, refine
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.screen import Block, PairBounds, screen_block, screens
from pufferfish.noise import output_law
from tests import seams
from tests.strategies import epsilons, missing_probabilities, noises, priors

SEEDS = 250


class Case(NamedTuple):
    """Some laws, a noise and an ε, all random."""

    belief: pf.Belief
    noise: Any
    epsilon: float

    @property
    def laws(self) -> tuple[Law, ...]:
        return tuple(Law(prior, self.belief.missing[s]) for s, prior in self.belief.priors.items())

    @property
    def block(self) -> Block:
        first, second = (side.astype(np.int32) for side in np.triu_indices(len(self.laws)))
        return Block(self.laws, first, second)


def random_prior(generator: np.random.Generator, unit: float, decades: float) -> Prior:
    def mean() -> float:
        return float(unit * generator.normal() * 10 ** generator.uniform(-1, decades / 2))

    def std() -> float:
        return float(unit * 10 ** generator.uniform(-decades, decades))

    kind = generator.integers(4)
    if kind == 0:
        return pf.Gaussian(mean(), std())
    count = int(generator.integers(1, 6))
    weights = generator.dirichlet(np.ones(count)).tolist()
    if kind == 1:
        return pf.GaussianMixture(
            weights, [mean() for _ in range(count)], [std() for _ in range(count)]
        )
    if kind == 2:
        return pf.Discrete([mean() for _ in range(count)], weights)
    count = int(generator.integers(2, 30))
    return pf.Discrete(unit * np.arange(count), generator.dirichlet(np.full(count, 0.5)))


def random_case(seed: int) -> Case:
    """Stds over up to twelve decades, means far apart, holes, radius, grids, both noises, none."""
    generator = np.random.default_rng(seed)
    unit = float(10 ** generator.uniform(-8, 8)) if seed % 4 == 0 else 1.0
    decades = float(generator.choice([0.3, 1.0, 3.0, 6.0]))
    laws = [random_prior(generator, unit, decades) for _ in range(int(generator.integers(3, 6)))]
    laws += [laws[0], laws[0].shift(1e-6 * unit)]
    by_secret = dict(enumerate(laws))
    holes = {secret: float(generator.choice([0.0, 0.01, 0.3])) for secret in by_secret}
    reach = 6.0 if seed % 3 == 0 else 2.0
    size = float(unit * 10 ** generator.uniform(-reach, reach))
    grid = 2.0 ** (math.frexp(size)[1] - int(generator.integers(8, 24)))
    step = grid if seed % 2 else None
    kinds = [pf.LaplaceNoise(size, step)] * 5 + [pf.GaussianNoise(size, step), pf.NoNoise()]
    noise = kinds[int(generator.integers(len(kinds)))]
    wrong = float(unit * 10 ** generator.uniform(-4, -1)) if seed % 5 == 0 else 0.0
    radius = wrong if isinstance(noise, pf.LaplaceNoise) else 0.0
    belief = pf.Belief(by_secret, missing=holes if seed % 3 else None, radius=radius)
    return Case(belief, noise, float(generator.choice([0.01, 0.3, 1.0, 3.0, 20.0])))


def on_meshes(case: Case) -> Iterator[PairBounds]:
    """The bounds on a mesh that ends too early, on a coarse one, and on finer ones."""
    points = features(case.laws, case.noise)
    mesh, quarter = first_mesh(points), points.size // 4
    yield on_mesh(case, first_mesh(points[quarter : points.size - quarter]))
    for limit in (None, 0.5 * case.epsilon, None):
        yield on_mesh(case, mesh)
        mesh = refine(mesh, points, case.block, case.noise, case.epsilon, limit)


def on_mesh(case: Case, mesh: FloatArray) -> PairBounds:
    return screen_block(case.block, mesh, case.noise, case.epsilon, case.belief.radius)


def violations(case: Case) -> list[str]:
    """Bounds that are below what the oracle says the truth is not below."""
    if not screens(case.laws, case.noise, case.belief.radius, pure=False):
        return []
    secrets = list(case.belief.priors)
    exact = []
    for one, other in zip(case.block.first, case.block.second, strict=True):
        pair = SecretPair(secrets[one], secrets[other])
        oracle = PairOracle(laws_of(case.belief, pair), case.noise)
        exact.append((oracle.delta(case.epsilon).worst.lower, oracle.epsilon().worst.lower))
    found = []
    for bounds in on_meshes(case):
        for (delta, least), delta_upper, upper in zip(exact, *bounds, strict=True):
            if not (delta_upper >= delta and upper >= least):
                found.append(f"δ {delta} > {delta_upper} or ε* {least} > {upper} in {case!r}")
    return found


@pytest.mark.parametrize("start", range(0, SEEDS, 50))
def test_a_screened_bound_is_never_below_the_truth(start: int) -> None:
    found = [each for seed in range(start, start + 50) for each in violations(random_case(seed))]
    assert not found, found[0]


@given(
    st.lists(priors, min_size=2, max_size=4),
    noises(),
    epsilons,
    st.lists(missing_probabilities, min_size=4, max_size=4),
)
def test_small_scenarios_too(
    laws: list[Prior], noise: pf.LaplaceNoise | pf.GaussianNoise, epsilon: float, holes: list[float]
) -> None:
    missing = dict(zip(range(len(laws)), holes, strict=False))
    belief = pf.Belief(dict(enumerate(laws)), missing=missing)
    assert not violations(Case(belief, noise, epsilon))


def halved_bulges(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = seams.found(seams.BULGE)
    seams.put(monkeypatch, seams.BULGE, lambda *cells: 0.5 * whole(*cells))


def forgotten_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    tails = seams.found(seams.TAILS)
    seams.put(monkeypatch, seams.TAILS, lambda *laws: 0.0 * tails(*laws))


def forgotten_mass(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(laws: tuple[Law, ...], *others: Any) -> Any:
        return envelopes(laws, *others)._replace(beyond=np.zeros(len(laws)))

    monkeypatch.setattr(screen, "envelopes", without)


def forgotten_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = screen.excess_mass

    def without(bounds: Any, mesh: Any, p: Any, q: Any, ratio: Any, epsilon: float) -> Any:
        return whole(bounds, mesh, p, q, np.zeros_like(ratio), epsilon)

    monkeypatch.setattr(screen, "excess_mass", without)


def forgotten_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.HOLE, lambda bounds, p, q, epsilon: 0.0)


def forgotten_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "radius_factor", lambda radius, noise: 1.0)
    monkeypatch.setattr(screen, "inner_epsilon", lambda radius, noise, epsilon: epsilon)


@pytest.mark.parametrize(
    "mistake",
    [halved_bulges, forgotten_tails, forgotten_mass, forgotten_crossings, forgotten_holes],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_broken_screen_is_noticed(mistake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake(monkeypatch)
    assert any(violations(random_case(seed)) for seed in range(SEEDS))


def test_the_radius_and_the_grid_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle's lower bounds do not move with them, so they are held against its upper ones."""
    belief = pf.Belief({0: pf.Gaussian(0.0, 1.0), 1: pf.Gaussian(1.0, 1.5)}, radius=0.1)
    noise = pf.LaplaceNoise(1.0, 2.0**-4)
    case = Case(belief, noise, 0.5)
    (laws,) = pf.Scenario(belief).laws()
    oracle = PairOracle(laws, noise)
    *_, finest = on_meshes(case)
    # The screen proves no less than the oracle does; it may prove as much, but for a percent.
    assert oracle.delta(0.5).worst.upper <= finest.delta[1] <= 1.02 * oracle.delta(0.5).worst.upper
    assert oracle.epsilon().worst.upper * (1 - 1e-9) <= finest.epsilon[1]
    assert finest.epsilon[1] <= 1.02 * oracle.epsilon().worst.upper
    forgotten_radius(monkeypatch)
    *_, finest = on_meshes(case)
    assert finest.delta[1] < oracle.delta(0.5).worst.upper


@pytest.mark.parametrize("seed", range(0, SEEDS, 5))
def test_the_lines_lie_on_both_sides_of_the_density(seed: int) -> None:
    """Against densities at random points, by the closed forms that have no cells."""
    case = random_case(seed)
    if not screens(case.laws, case.noise, 0.0, pure=False):
        return
    generator = np.random.default_rng(seed)
    mesh = first_mesh(features(case.laws, case.noise))
    bounds = envelopes(case.laws, case.noise, mesh)
    y = np.sort(generator.uniform(mesh[:-1], mesh[1:]))
    for row, law in enumerate(case.laws):
        if bounds.error[row] > 0.0:  # a shorter table stands for this one
            continue
        inside = output_law(law.prior, case.noise).log_density(y) + math.log1p(-law.missing)
        upper, lower = (np.interp(y, mesh, each[row]) for each in (bounds.upper, bounds.lower))
        # np.interp loses a few digits of large numbers; 1e-12 of them is the oracle's own margin.
        slack = 1e-12 * (1.0 + np.abs(inside))
        assert np.all(inside <= upper + slack)
        assert np.all(inside >= lower - slack)


def test_noise_that_cannot_be_screened_is_said_to_be_so() -> None:
    table, smooth = Law(pf.Discrete([0.0], [1.0]), 0.0), Law(pf.Gaussian(0.0, 1.0), 0.0)
    assert screens((table, smooth), pf.LaplaceNoise(1.0), 1.0, pure=True)
    assert screens((table, smooth), pf.GaussianNoise(1.0), 0.0, pure=False)
    assert not screens((smooth,), pf.GaussianNoise(1.0), 0.0, pure=True)
    assert not screens((smooth,), pf.GaussianNoise(1.0), 0.1, pure=False)
    assert not screens((table, smooth), pf.NoNoise(), 0.0, pure=False)
