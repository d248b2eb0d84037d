"""The four families: moments, frequencies, components, and names for them."""

from __future__ import annotations

import math
import statistics
from collections import Counter

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.fit.families import narrowest


def rows(seed: int = 0, size: int = 400) -> dict[str, np.ndarray]:
    """Two secrets whose values have different means, spreads and shapes, in steps of 0.5."""
    generator = np.random.default_rng(seed)
    secrets = generator.choice(["a", "b"], size, p=[0.4, 0.6])
    humps = np.where(generator.random(size) < 0.5, 0.0, 30.0)
    values = np.where(secrets == "a", generator.normal(10.0, 4.0, size), humps)
    return {"x": np.round(2 * (values + generator.normal(0.0, 2.0, size))) / 2, "s": secrets}


TABLE = rows()


def column(secret: str) -> list[float]:
    return TABLE["x"][TABLE["s"] == secret].tolist()


def test_a_gaussian_has_the_moments_of_the_rows() -> None:
    belief = pf.fit_belief(TABLE, "x", "s", "gaussian")
    for secret, law in belief.priors.items():
        assert isinstance(law, pf.Gaussian)
        assert law.mean == pytest.approx(statistics.fmean(column(secret)), rel=1e-12)
        assert law.std == pytest.approx(statistics.pstdev(column(secret)), rel=1e-12)


def test_moments_far_from_zero() -> None:
    moved = TABLE | {"x": TABLE["x"] + 2.0**40}
    plain, far = (pf.fit_belief(table, "x", "s", "gaussian") for table in (TABLE, moved))
    for secret in ("a", "b"):
        assert far.priors[secret].mean - 2.0**40 == pytest.approx(plain.priors[secret].mean, 1e-3)
        assert far.priors[secret].variance == pytest.approx(plain.priors[secret].variance, 1e-3)


def test_empirical_is_the_table_of_frequencies() -> None:
    belief = pf.fit_belief(TABLE, "x", "s", "empirical")
    for secret, law in belief.priors.items():
        assert law == pf.Discrete.from_counts(Counter(column(secret)))
    assert belief.radius == 0.0


def test_the_built_in_tables_are_the_empirical_beliefs() -> None:
    for table, belief in (
        (pf.datasets.adult_education(), pf.datasets.adult_tables()),
        (pf.datasets.hungarian_cholesterol(), pf.datasets.hungarian_tables()),
    ):
        column, secret = table
        fitted = pf.fit_belief(table, column, secret, "empirical")
        assert dict(fitted.priors) == dict(belief.priors)
        assert dict(fitted.missing) == pytest.approx(dict(belief.missing), rel=1e-14)


def test_one_component_is_the_gaussian() -> None:
    one = pf.fit_belief(TABLE, "x", "s", "mixture", 1)
    plain = pf.fit_belief(TABLE, "x", "s", "gaussian")
    for secret, law in one.priors.items():
        assert isinstance(law, pf.GaussianMixture)
        assert law.means[0] == pytest.approx(plain.priors[secret].mean, rel=1e-10)
        assert law.stds[0] == pytest.approx(math.sqrt(plain.priors[secret].variance), rel=1e-10)


def test_components_are_chosen_or_counted() -> None:
    auto = pf.fit_belief(TABLE, "x", "s")
    assert {s: len(law.weights) for s, law in auto.priors.items()} == {"a": 1, "b": 2}
    for given in ({"components": 3}, {"family": "mixture-3"}):
        three = pf.fit_belief(TABLE, "x", "s", **given)
        assert [len(law.weights) for law in three.priors.values()] == [3, 3]
        assert three.name == "mixture-3"
    assert auto.name == "mixture"


def test_the_least_std_is_what_rounding_adds() -> None:
    """Steps of h have an error of std h/√12; a thousandth of the spread, where that is more."""
    summary = pf.summarise(TABLE, column="x", secret="s")
    assert narrowest(summary) == pytest.approx(0.5 / math.sqrt(12.0), rel=1e-12)
    assert all(
        std >= 0.5 / math.sqrt(12.0) * (1 - 1e-12)
        for law in pf.fit_belief(summary, family="mixture-5").priors.values()
        for std in law.stds
    )
    generator = np.random.default_rng(0)
    fine = {"x": generator.normal(0.0, 3.0, 20_000), "s": np.array(["a", "b"] * 10_000)}
    spread = narrowest(pf.summarise(fine, column="x", secret="s"))
    assert spread == pytest.approx(3e-3, rel=0.05)
    # One wild value changes the std and not the quartiles.
    fine["x"][0] = 1e9
    assert narrowest(pf.summarise(fine, column="x", secret="s")) == pytest.approx(3e-3, rel=0.05)


def test_bins_are_a_resolution_too() -> None:
    generator = np.random.default_rng(0)
    fine = {"x": generator.normal(0.0, 3.0, 2_000), "s": np.array(["a", "b"] * 1_000)}
    binned = pf.summarise(fine, column="x", secret="s", most_values=50)
    assert narrowest(binned) >= binned.bin_width / math.sqrt(12.0) * (1 - 1e-12)


def test_a_least_std_may_be_given() -> None:
    belief = pf.fit_belief(TABLE, "x", "s", "mixture-4", least_std=3.0)
    assert min(std for law in belief.priors.values() for std in law.stds) >= 3.0 * (1 - 1e-12)
    gaussian = pf.fit_belief(TABLE, "x", "s", "gaussian", least_std=30.0)
    assert [law.std for law in gaussian.priors.values()] == [30.0, 30.0]
    with pytest.raises(pf.InvalidInputError, match="least_std"):
        pf.fit_belief(TABLE, "x", "s", least_std=0.0)


def test_a_constant_group_in_a_column_that_varies() -> None:
    table = {"x": np.append(np.full(40, 7.0), np.arange(40.0)), "s": ["a"] * 40 + ["b"] * 40}
    for family in ("gaussian", "mixture", "ubm"):
        belief = pf.fit_belief(table, "x", "s", family)
        assert belief.priors["a"].variance > 0.0
    gaussian = pf.fit_belief(table, "x", "s", "gaussian").priors["a"]
    assert (gaussian.mean, gaussian.std) == (7.0, pytest.approx(1 / math.sqrt(12.0), rel=1e-12))


@pytest.mark.parametrize("family", ["gauss", "mixture-x", "mixture-0", "mixture-61"])
def test_unknown_families(family: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=r"family|components"):
        pf.fit_belief(TABLE, "x", "s", family)


@pytest.mark.parametrize("components", [0, -1, 61, 2.5, True, "three", None])
def test_unusable_numbers_of_components(components: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="1 to 60 components"):
        pf.fit_belief(TABLE, "x", "s", "mixture", components)


@pytest.mark.parametrize("family", ["gaussian", "empirical", "empirical-2", "gaussian-1"])
def test_families_without_components(family: str) -> None:
    with pytest.raises(pf.InvalidInputError, match="no components to choose"):
        pf.fit_belief(TABLE, "x", "s", family, 2)


@pytest.mark.parametrize("family", [None, 3, pf.Gaussian])
def test_a_family_is_a_name(family: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="family must be one of 'gaussian'"):
        pf.fit_belief(TABLE, "x", "s", family)
