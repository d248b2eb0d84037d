"""The traps of the certificate: where a plausible implementation gives a wrong number."""

import math

import mpmath as mp
import numpy as np
import pytest

import pufferfish as pf
from tests.support import scenario_of

GOAL = pf.Guarantee(1.0)


def test_cell_sums_with_a_huge_factor_do_not_fall_below_the_truth() -> None:
    """ε = 28: e^ε times a rounding error of Q is visible; the true δ is 0.99598."""
    narrow = pf.Gaussian(0.0, 0.03)
    wide = pf.GaussianMixture([0.5, 0.5], [8.0, -8.0], [1.0, 1.0])
    certificate = pf.verify(
        scenario_of(narrow, wide), pf.LaplaceNoise(0.02), pf.Guarantee(28.0, 0.5)
    )
    forward = certificate.results[0]
    assert forward.delta_upper - forward.delta_lower <= 1e-8
    assert forward.delta_upper == pytest.approx(0.99598, abs=5e-6)  # given to five digits


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_prefix_sums_that_would_overflow(scale: float) -> None:
    """Atoms over 1e6 scales: e^{x/b} overflows, the recurrences do not."""
    atoms = np.arange(0.0, 1e6 * scale, 1e3 * scale)
    even = pf.Discrete(atoms, np.full(atoms.size, 1 / atoms.size))
    tilted = np.linspace(1.0, 2.0, atoms.size)
    other = pf.Discrete(atoms, tilted / tilted.sum())
    certificate = pf.verify(scenario_of(even, other), pf.LaplaceNoise(scale), GOAL)
    # Atoms 1000 scales apart do not see each other: the ratio at each is that of its masses.
    ratio = float(np.max(np.abs(np.log(even.probabilities / other.probabilities))))
    assert certificate.epsilon_lower <= ratio <= certificate.epsilon_upper
    assert certificate.holds is True


def test_two_atoms_at_exactly_the_critical_scale() -> None:
    zero, one = pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0])
    certificate = pf.verify(scenario_of(zero, one), pf.LaplaceNoise(0.5), pf.Guarantee(2.0))
    assert certificate.holds is True
    assert certificate.epsilon_upper == 2.0
    below = pf.LaplaceNoise(0.5 * (1 - 1e-9))
    assert pf.verify(scenario_of(zero, one), below, pf.Guarantee(2.0)).holds is False


def test_a_pure_promise_does_not_rest_on_delta() -> None:
    """A far spike of mass 1e-40: δ is 0 to any tolerance, ε* is not within ε."""
    spiked = pf.GaussianMixture([1.0 - 1e-16, 1e-40], [0.0, 200.0], [1.0, 1.0])
    certificate = pf.verify(scenario_of(spiked, pf.Gaussian(0.0, 1.0)), pf.LaplaceNoise(1.0), GOAL)
    assert certificate.delta_upper <= 1e-15
    assert certificate.epsilon_lower > 50
    assert certificate.holds is False


def test_a_heavy_law_is_not_mistaken_for_a_light_one_by_rounding() -> None:
    """Stds too small to show beside the noise, but different: ε* is infinite all the same."""
    one, other = pf.Gaussian(0.0, 1e-12), pf.Gaussian(0.0, 2e-12)
    certificate = pf.verify(scenario_of(one, other), pf.GaussianNoise(1.0), GOAL)
    assert certificate.epsilon_lower == math.inf
    assert certificate.holds is False


def test_flat_ratio_over_a_wide_range() -> None:
    """Shared components, other weights: the ratio is flat over 12 orders of magnitude."""
    one = pf.GaussianMixture([0.5, 0.5], [0.0, 0.0], [1.0, 1e12])
    other = pf.GaussianMixture([0.4, 0.6], [0.0, 0.0], [1.0, 1e12])
    certificate = pf.verify(scenario_of(one, other), pf.LaplaceNoise(1.0), GOAL)
    assert certificate.epsilon_lower <= math.log(0.5 / 0.4) <= certificate.epsilon_upper
    assert certificate.epsilon_upper - certificate.epsilon_lower <= 1e-9


def test_noise_that_hides_the_stds_does_not_hide_their_difference() -> None:
    """Variances that differ in the 18th digit once the noise is added: ε* is 38.5, not 1.1."""
    one = pf.GaussianMixture([0.5, 0.3, 0.2], [0.0, -1e9, 10.0], [1.5, 1.5, 1.0])
    other = pf.GaussianMixture([0.9, 0.1], [0.0, -1e9], [1.5, 1.5])
    goal = pf.Guarantee(1.2)
    certificate = pf.verify(scenario_of(one, other), pf.GaussianNoise(1e9), goal)
    assert certificate.epsilon_upper > 38
    assert certificate.holds is not True
    with pytest.raises(pf.UnreachableGoalError):
        pf.calibrate(scenario_of(one, other), goal, mechanism="gaussian")


@pytest.mark.parametrize("noise", [pf.NoNoise(), pf.GaussianNoise(1e-80), pf.LaplaceNoise(1e-80)])
def test_numbers_that_overflow_decide_nothing(noise: pf.NoNoise | pf.GaussianNoise) -> None:
    """Densities so small that their logarithm overflows: δ is 1, and nan must not pass for 0."""
    one, other = pf.Gaussian(0.0, 1e-77), pf.Gaussian(1e80, 1e-77)
    certificate = pf.verify(scenario_of(one, other), noise, pf.Guarantee(1.0, 0.6))
    assert certificate.delta_upper == 1.0
    assert certificate.holds is not True


def test_masses_are_compared_on_the_safe_side() -> None:
    """Rounding of log p − log q scales with the logarithms, not with their difference."""
    one = pf.Discrete([0.0, 1.0], [1.1978e-4, 1 - 1.1978e-4])
    other = pf.Discrete([0.0, 1.0], [8.3063e-5, 1 - 8.3063e-5])
    found = pf.pure_epsilon(scenario_of(one, other), pf.NoNoise())
    with mp.workdps(40):
        ratio = mp.log(mp.mpf(float(one.probabilities[0])) / mp.mpf(float(other.probabilities[0])))
        assert mp.mpf(found.lower) <= ratio <= mp.mpf(found.upper)


@pytest.mark.parametrize("noise", [pf.NoNoise(), pf.GaussianNoise(1.0), pf.LaplaceNoise(1.0)])
@pytest.mark.parametrize("mean", [1e9, 1e12, 1e15, 1e16])
def test_far_from_zero(mean: float, noise: pf.NoNoise | pf.LaplaceNoise) -> None:
    """Shifting both laws changes nothing, also where floats are as far apart as the stds."""
    goal = pf.Guarantee(0.25, 0.1)
    near = pf.verify(scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 3.0)), noise, goal)
    far = pf.verify(scenario_of(pf.Gaussian(mean, 1.0), pf.Gaussian(mean, 3.0)), noise, goal)
    for one, other in zip(near.results, far.results, strict=True):
        assert other.delta_lower <= one.delta_upper
        assert one.delta_lower <= other.delta_upper
        assert other.epsilon_lower <= one.epsilon_upper
        assert one.epsilon_lower <= other.epsilon_upper


@pytest.mark.parametrize("mean", [1e18, 1e30])
@pytest.mark.parametrize("noise", [pf.NoNoise(), pf.GaussianNoise(1.0), pf.LaplaceNoise(1.0)])
def test_laws_narrower_than_the_spacing_of_floats(mean: float, noise: pf.NoNoise) -> None:
    scenario = scenario_of(pf.Gaussian(mean, 1.0), pf.Gaussian(mean, 2.0))
    assert pf.verify(scenario, noise, pf.Guarantee(0.1, 0.01)).holds is not True


def test_masses_themselves_are_summed() -> None:
    """exp(log p) is not p: a δ that is one mass must not be lost in that rounding."""
    mass = 1.405927476189595e-191
    scenario = scenario_of(pf.Discrete([0.0, 3.0], [1.0, mass]), pf.Discrete([0.0], [1.0]))
    certificate = pf.verify(scenario, pf.NoNoise(), pf.Guarantee(1.0, 0.5))
    assert certificate.delta_lower <= mass <= certificate.delta_upper


def test_holes_and_a_large_ratio_are_added_on_the_safe_side() -> None:
    scenario = scenario_of(
        pf.Gaussian(0.0, 1.0),
        pf.Gaussian(130.26646104296302, 1.0),
        missing={"a": 0.6769326288934736, "b": 0.6412835705956637},
    )
    found = pf.pure_epsilon(scenario, pf.LaplaceNoise(1.0))
    with mp.workdps(40):
        odds = mp.log((1 - mp.mpf(0.6412835705956637)) / (1 - mp.mpf(0.6769326288934736)))
        assert mp.mpf(found.lower) <= mp.mpf(130.26646104296302) + odds <= mp.mpf(found.upper)


def test_probabilities_too_small_to_compute_with_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="too small"):
        pf.Discrete([0.0, 1.0], [1.0, 5e-324])
    with pytest.raises(pf.InvalidInputError, match="at least"):
        pf.Belief({"a": pf.Gaussian(0.0, 1.0)}, missing={"a": 5e-324})


@pytest.mark.parametrize("noise", [pf.NoNoise(), pf.GaussianNoise(1.0)])
def test_offsets_whose_squares_underflow(noise: pf.NoNoise | pf.GaussianNoise) -> None:
    goal = pf.Guarantee(0.25, 0.1)
    moved = pf.verify(scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1e-99, 1.5)), noise, goal)
    there = pf.verify(scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.5)), noise, goal)
    assert moved.delta_upper == pytest.approx(there.delta_upper, abs=1e-9)  # the width aimed at


def test_a_spike_without_noise() -> None:
    """A component of std 1e-10 inside a wide one: ε* is the ratio at its mean."""
    spiked = pf.GaussianMixture([0.5, 0.5], [0.0, 2.87], [1.0, 1.2e-10])
    found = pf.pure_epsilon(scenario_of(spiked, pf.Gaussian(0.0, 1.0)), pf.NoNoise())
    at_spike = math.log(0.5 + 0.5 / 1.2e-10 * math.exp(2.87**2 / 2))
    assert found.lower <= at_spike * (1 + 1e-12)
    assert at_spike * (1 - 1e-12) <= found.upper
    assert found.width <= 1e-6


@pytest.mark.parametrize(
    ("first", "second", "largest"),
    [
        # A tiny mass far away, two atoms a tiny distance apart: W∞/ε is always enough.
        (pf.Discrete([0.0], [1.0]), pf.Discrete([0.0, 1.0], [1.0, 1e-60]), 1.0),
        (pf.Discrete([0.0, 1e12], [0.5, 0.5]), pf.Discrete([1e-12, 1e12], [0.5, 0.5]), 1e-12),
    ],
    ids=["tiny mass", "tiny distance"],
)
def test_sizes_far_from_the_spread(first: pf.Discrete, second: pf.Discrete, largest: float) -> None:
    noise = pf.calibrate(scenario_of(first, second), pf.Guarantee(1.0)).noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert noise.scale <= largest * (1 + 1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e-14, 1e-16, 1e-20])
def test_noise_that_vanishes_beside_the_stds(scale: float) -> None:
    """σ/b past 1e15, where σ²/b + 10σ is σ²/b: ε* stays between that of more and of no noise."""
    one = pf.GaussianMixture([0.5, 0.5], [0.0, 3.0], [1.0, 1 / 3])
    other = pf.GaussianMixture([0.4, 0.6], [0.0, 2.0], [1.0, 0.5])
    scenario = scenario_of(one, other)
    found = pf.pure_epsilon(scenario, pf.LaplaceNoise(scale))
    assert found.lower <= pf.pure_epsilon(scenario, pf.NoNoise()).upper
    assert pf.pure_epsilon(scenario, pf.LaplaceNoise(1e-3)).lower <= found.upper


def test_pure_gaussian_noise_far_from_zero() -> None:
    """The floor of ε* is that of the centred tables: nothing is refused for where zero is."""
    one, other = pf.Discrete([0, 1, 5], [0.2, 0.5, 0.3]), pf.Discrete([0, 2, 5], [0.3, 0.4, 0.3])
    near = pf.calibrate(scenario_of(one, other), pf.Guarantee(1.0), mechanism="gaussian").noise
    moved = scenario_of(one.shift(1e9), other.shift(1e9))
    far = pf.calibrate(moved, pf.Guarantee(1.0), mechanism="gaussian").noise
    assert far.std == pytest.approx(near.std, rel=1e-6)  # positions 1e9 away are known to 1e-7
