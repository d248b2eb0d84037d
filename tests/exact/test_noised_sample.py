"""Laplace noise over a sampling region: ε* at listed values, δ by cells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.exact.noised_sample import SampledRatio

VALUES = np.array([0.0, 1.0, 2.5, 7.0])
COUNTS = {"a": [120, 60, 30, 6], "b": [40, 50, 70, 20]}


def scenario(confidence: float = 0.95) -> pf.Scenario:
    laws = {secret: pf.Discrete(values=VALUES, counts=rows) for secret, rows in COUNTS.items()}
    return pf.Scenario([pf.Belief(laws, region=pf.SampleRegion(confidence=confidence))])


def densities(law: np.ndarray, y: np.ndarray, scale: float) -> np.ndarray:
    return np.exp(-np.abs(y[:, None] - VALUES) / scale) @ law / (2.0 * scale)


def laws_inside(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Laws that the likelihood hardly speaks against: inside any region of 95%."""
    generator = np.random.default_rng(2)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while len(found) < count:
        both = [generator.dirichlet(np.array(rows) + 1.0) for rows in COUNTS.values()]
        spent = sum(
            float((np.array(rows) * np.log(np.array(rows) / sum(rows) / law)).sum())
            for rows, law in zip(COUNTS.values(), both, strict=True)
        )
        if spent <= 4.0:
            found.append((both[0], both[1]))
    return found


@pytest.mark.parametrize("scale", [0.7, 2.0, 6.0])
def test_no_law_inside_exceeds_what_is_certified(scale: float) -> None:
    noise = pf.LaplaceNoise(scale)
    epsilon = pf.pure_epsilon(scenario(), noise).upper
    asked = [0.2 * epsilon, 0.5 * epsilon]
    profile = pf.privacy_profile(scenario(), noise, asked)
    y = np.linspace(-12.0 * scale, 7.0 + 12.0 * scale, 40_001)
    reached, spent = 0.0, np.zeros(2)
    for p, q in laws_inside(60):
        for one, other in ((p, q), (q, p)):
            first, second = densities(one, y, scale), densities(other, y, scale)
            reached = max(reached, float(np.log(first / second).max()))
            for place, each in enumerate(asked):
                gap = np.maximum(first - np.exp(each) * second, 0.0)
                spent[place] = max(spent[place], float(np.trapezoid(gap, y)))
    assert reached <= epsilon
    assert (spent <= np.array(profile.delta_upper) + 1e-6).all()  # what the sum over y is off by
    # The bounds are near: random laws inside reach half of ε*, and a part of δ, whose bound has
    # another worst law for every cell.
    assert reached > 0.5 * epsilon
    assert (spent > 0.2 * np.array(profile.delta_upper)).all()


def test_delta_falls_with_epsilon_and_vanishes_at_the_supremum() -> None:
    noise = pf.LaplaceNoise(2.0)
    epsilon = pf.pure_epsilon(scenario(), noise).upper
    profile = pf.privacy_profile(scenario(), noise, np.linspace(0.0, epsilon + 1e-6, 6).tolist())
    assert list(profile.delta_upper) == sorted(profile.delta_upper, reverse=True)
    assert profile.delta_upper[-1] <= 1e-6


def test_less_confidence_needs_less_noise_and_all_need_more_than_the_plain_promise() -> None:
    goal = pf.Guarantee(1.0)
    scales = [pf.calibrate(scenario(each), goal).noise.size for each in (0.5, 0.95, 0.999)]
    plain = pf.calibrate(scenario().as_described(), goal).noise.size
    assert [plain, *scales] == sorted([plain, *scales])
    assert plain < scales[0]


def test_delta_needs_less_noise() -> None:
    pure = pf.calibrate(scenario(), pf.Guarantee(1.0))
    some = pf.calibrate(scenario(), pf.Guarantee(1.0, 0.01))
    assert some.certificate.holds is True
    assert some.noise.size < 0.97 * pure.noise.size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mechanism": "gaussian"}, "Laplace noise with method"),
        ({"method": "coupling"}, "Laplace noise with method"),
        ({"radius": 0.1}, "Laplace noise with method"),
        ({"wrong": 0.01}, "leave out one of them"),
    ],
)
def test_what_has_no_proof_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(pf.PufferfishError, match=message):
        pf.calibrate(scenario(), pf.Guarantee(1.0, 0.001), **arguments)  # type: ignore[arg-type]


def test_missing_values_are_for_recodings() -> None:
    laws = {secret: pf.Discrete(values=VALUES, counts=rows) for secret, rows in COUNTS.items()}
    belief = pf.Belief(
        laws,
        missing={"a": 24 / 240, "b": 20 / 200},
        missing_counts={"a": 24, "b": 20},
        region=pf.SampleRegion(confidence=0.95),
    )
    with pytest.raises(pf.UnsupportedError, match="recode"):
        pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
    found = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0), mechanism="recode", floor=None)
    assert found.certificate.holds is True


class OnePair:
    """A region of one pair of laws: what it bounds is then known exactly."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        self.laws = first, second

    def excess(self, first: np.ndarray, second: np.ndarray, witnesses: np.ndarray) -> np.ndarray:
        return np.asarray(first @ self.laws[0] - second @ self.laws[1])

    def search(self, first: np.ndarray, second: np.ndarray) -> Any:
        count = len(first)
        none = np.zeros(count)
        return SimpleNamespace(
            above=none,
            below=none,
            price=none,
            first=np.tile(self.laws[0], (count, 1)),
            second=np.tile(self.laws[1], (count, 1)),
            excess=self.excess(first, second, none),
        )


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_cells_of_one_pair_of_laws_enclose_its_delta(scale: float, share: float) -> None:
    """Nothing may be left out: neither undecided cells, nor those that a root makes negative."""
    first, second = (np.array(rows) / sum(rows) for rows in COUNTS.values())
    noise = pf.LaplaceNoise(scale)
    laws = {"a": pf.Discrete(VALUES, first), "b": pf.Discrete(VALUES, second)}
    plain = pf.Scenario([pf.Belief(laws)])
    epsilon = share * pf.pure_epsilon(plain, noise).lower
    exact = pf.verify(plain, noise, pf.Guarantee(epsilon, 0.5)).results
    for result, pair in zip(exact, ((first, second), (second, first)), strict=True):
        region: Any = OnePair(*pair)
        found = SampledRatio(region, VALUES, noise).hockey_stick(epsilon).upper
        assert found >= result.delta_lower
        assert found <= result.delta_upper * 1.02 + 1e-9
