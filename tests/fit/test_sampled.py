"""Beliefs that cover what their rows do not exclude."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf


@pytest.fixture(scope="module")
def rows() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    secret = np.where(generator.random(600) < 0.4, "a", "b")
    value = np.rint(generator.normal(np.where(secret == "a", 5.0, 6.0), 1.5)).clip(0, 10)
    return {"value": value, "secret": secret}


def test_tables_get_a_region_and_smooth_laws_stay_as_they_are(rows: dict[str, np.ndarray]) -> None:
    mixture, table = pf.fit_beliefs(
        rows, column="value", secret="secret", families=("mixture", "empirical"), confidence=0.9
    )
    assert mixture.region is None
    assert table.region == pf.SampleRegion(confidence=0.9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"families": ("mixture",)}, "empirical"),
        ({"bootstrap": 2}, "bootstrap"),
        ({"region": "band"}, "cap"),
        ({"confidence": None, "cells": 5}, "give confidence"),
    ],
)
def test_what_does_not_go_together_is_refused(
    rows: dict[str, np.ndarray], arguments: dict[str, object], message: str
) -> None:
    asked: dict[str, object] = {"families": ("empirical",), "confidence": 0.95} | arguments
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.fit_beliefs(rows, column="value", secret="secret", **asked)  # type: ignore[arg-type]


def test_a_band_reaches_from_the_rows_to_the_fitted_law(rows: dict[str, np.ndarray]) -> None:
    mixture, table = pf.fit_beliefs(
        rows,
        column="value",
        secret="secret",
        families=("mixture", "empirical"),
        confidence=0.95,
        region="band",
        cap=(0.0, 10.0),
    )
    assert mixture.region is not None
    assert table.region is not None
    for (secret, wide), (_, width) in zip(mixture.region.widths, table.region.widths, strict=True):
        values = np.sort(rows["value"][rows["secret"] == secret])
        law = mixture.priors[secret]
        # The distance of the fitted law and of the rows, on a fine grid.
        y = np.linspace(0.0, 9.999, 20_000)
        seen = np.searchsorted(values, y, side="right") / len(values)
        apart = float(np.abs(seen - law.cdf(y)).max())
        assert wide >= width + apart - 1e-12
        assert wide <= width + apart + 1e-3  # the grid
    scenario = pf.Scenario([mixture, table])
    found = pf.calibrate(scenario, pf.Guarantee(1.0))
    assert found.certificate.holds is True
    assert found.noise.size > pf.calibrate(scenario.as_described(), pf.Guarantee(1.0)).noise.size


def test_categories_have_a_region(rows: dict[str, np.ndarray]) -> None:
    labels = np.where(rows["value"] > 5, "high", "low")
    table = {"level": labels, "secret": rows["secret"]}
    beliefs = pf.fit_beliefs(table, columns=["level"], secret="secret", confidence=0.95)
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode")
    assert found.certificate.holds is True
    assert found.certificate.confidence == 0.95


def test_a_public_belief_about_some_secrets_has_no_region(rows: dict[str, np.ndarray]) -> None:
    """Noise publishes values of the other secrets too, and a public belief does not keep them."""
    third = np.arange(600) < 40
    table = {
        "value": np.where(third, 20.0, rows["value"]),
        "secret": np.where(third, "c", rows["secret"]),
    }
    asked: dict[str, object] = {"column": "value", "secret": "secret", "confidence": 0.95}
    some = {"only": ["a", "b"], "provenance": "public"}
    with pytest.raises(pf.InvalidInputError, match="name the pairs to protect"):
        pf.fit_beliefs(table, **asked, **some)  # type: ignore[arg-type]
    # The same pairs with all values, as the message advises.
    asked |= {"provenance": "public", "families": ("empirical",)}
    beliefs = pf.fit_beliefs(table, **asked)  # type: ignore[arg-type]
    scenario = pf.Scenario(beliefs, pairs=[("a", "b")])
    assert 20.0 in next(scenario.only([("a", "b")]).laws()).listed
