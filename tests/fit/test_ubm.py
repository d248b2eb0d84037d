"""GMM-UBM: shared weights and stds, adapted means, by the formula of the maximum a posteriori."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.fit.ubm import adapt

LABELS = ["a", "b", "c"]


def rows(size: int = 600) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(4)
    secrets = generator.choice(LABELS, size)
    centres = np.where(generator.random(size) < 0.4, 0.0, 25.0)
    shift = np.select([secrets == "a", secrets == "b"], [-2.0, 1.0], 3.0)
    return {"x": np.round(generator.normal(centres + shift, 3.0)), "s": secrets}


TABLE = rows()
BACKGROUND = pf.GaussianMixture([0.4, 0.6], [1.0, 24.0], [3.0, 4.0])


def slow_means(
    values: list[float], background: pf.GaussianMixture, relevance: float
) -> list[float]:
    """(n E + ρ μ)/(n + ρ), row by row."""
    parts = list(zip(background.weights, background.means, background.stds, strict=True))
    found = []
    for component, (_, centre, _) in enumerate(parts):
        n = total = 0.0
        for x in values:
            bells = [w / s * math.exp(-((x - m) ** 2) / (2 * s * s)) for w, m, s in parts]
            share = bells[component] / math.fsum(bells)
            n += share
            total += share * x
        found.append((total + relevance * centre) / (n + relevance))
    return found


@pytest.mark.parametrize("relevance", [0.0, 1.0, 16.0, 500.0])
def test_means_by_the_formula(relevance: float) -> None:
    summary = pf.summarise(TABLE, column="x", secret="s")
    laws = adapt(BACKGROUND, summary.groups, relevance)
    for secret, law in laws.items():
        mine = TABLE["x"][TABLE["s"] == secret].tolist()
        np.testing.assert_allclose(law.means, slow_means(mine, BACKGROUND, relevance), rtol=1e-12)


@pytest.mark.parametrize("relevance", [0.0, 16.0])
def test_the_fitted_background_is_adapted_by_the_formula(relevance: float) -> None:
    report = pf.fit_report(TABLE, "x", "s", "ubm-2", relevance=relevance)
    background = report.background[-1].prior
    for group in report.groups:
        mine = TABLE["x"][TABLE["s"] == group.secret].tolist()
        expected = slow_means(mine, background, relevance)
        np.testing.assert_allclose(group.prior.means, expected, rtol=1e-11)


@pytest.mark.parametrize("family", ["ubm", "ubm-1", "ubm-4"])
def test_weights_and_stds_are_shared_exactly_and_every_mean_differs(family: str) -> None:
    report = pf.fit_report(TABLE, "x", "s", family)
    laws = list(report.belief.priors.values())
    chosen = min(report.background, key=lambda fit: fit.bic).prior
    background = report.background[-1].prior if family != "ubm" else chosen
    for law in laws:
        assert law.weights == background.weights
        assert law.stds == background.stds
    for one, other in combinations(laws, 2):
        assert all(a != b for a, b in zip(one.means, other.means, strict=True))


def test_the_background_is_the_mixture_of_all_rows() -> None:
    report = pf.fit_report(TABLE, "x", "s", "ubm-2")
    same = pf.fit_belief({"x": TABLE["x"], "s": np.array(["p", "q"] * 300)}, "x", "s", "ubm-2")
    assert same.priors["p"].weights == report.belief.priors["a"].weights


def test_a_component_without_records_is_set_apart() -> None:
    """None of the secrets has a record near 1000: the means would coincide there."""
    far = pf.GaussianMixture([0.4, 0.6 - 1e-6, 1e-6], [1.0, 24.0, 1000.0], [3.0, 4.0, 1.0])
    summary = pf.summarise(TABLE, column="x", secret="s")
    for relevance in (0.0, 16.0):
        laws = adapt(far, summary.groups, max(relevance, 1e-9))
        means = [law.means[2] for law in laws.values()]
        assert len(set(means)) == 3
        np.testing.assert_allclose(means, 1000.0, rtol=1e-14)


def test_cor_2_accepts_it() -> None:
    """Its assumptions hold; that it does not keep its promise is another matter."""
    goal = pf.Guarantee(1.0, 0.01)
    belief = pf.fit_belief(TABLE, "x", "s", "ubm-3")
    found = pf.calibrate(pf.Scenario(belief), goal, method="cor-2", certified_only=False)
    largest = max(
        sum(w * abs(a - b) for w, a, b in zip(p.weights, p.means, q.means, strict=True))
        for p, q in combinations(belief.priors.values(), 2)
    )
    assert found.noise.scale == pytest.approx(largest / goal.epsilon, rel=1e-5)
    # Equal groups, of equal rows: still every mean differs.
    twins = {"x": np.tile(np.arange(50.0), 2), "s": np.repeat(["a", "b"], 50)}
    scenario = pf.Scenario(pf.fit_belief(twins, "x", "s", "ubm-2"))
    assert pf.calibrate(scenario, goal, method="cor-2", certified_only=False).method == "cor-2"
    with pytest.raises(pf.UnsupportedError, match="cor-2"):
        pf.calibrate(pf.Scenario(pf.fit_belief(TABLE, "x", "s", "mixture-3")), goal, method="cor-2")


def test_between_background_and_own_means() -> None:
    """A large relevance leaves the background, none leaves the secret's own means."""
    background = pf.fit_report(TABLE, "x", "s", "ubm-2").background[-1].prior
    large = pf.fit_belief(TABLE, "x", "s", "ubm-2", relevance=1e12)
    for law in large.priors.values():
        np.testing.assert_allclose(law.means, background.means, rtol=0, atol=1e-6)
    none = pf.fit_belief(TABLE, "x", "s", "ubm-2", relevance=0.0)
    some = pf.fit_belief(TABLE, "x", "s", "ubm-2", relevance=50.0)
    for secret in LABELS:
        trio = zip(*(b.priors[secret].means for b in (none, some, large)), strict=True)
        for own, mixed, common in trio:
            assert abs(mixed - common) < abs(own - common)
    assert (
        pf.fit_belief(TABLE, "x", "s", "ubm-2").priors
        == pf.fit_belief(TABLE, "x", "s", "ubm-2", relevance=16.0).priors
    )


@pytest.mark.parametrize("relevance", [-1.0, math.nan, "16", None])
def test_unusable_relevance(relevance: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="relevance"):
        pf.fit_belief(TABLE, "x", "s", "ubm", relevance=relevance)
