"""Where the paper does not hold: seven items, with numbers that were computed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.errata import spread_scales
from examples.paper.experiments import adult

import pufferfish as pf
from tests.paper.conftest import reference


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, ["scale 0.5,", "0.0499", "5.001", "0.1906"]),
        (2, ["mixtures of 4", "200 points"]),
        (3, ["1.23738", "1.23720", "1.03643"]),
        (4, ["unbounded (certified)", "0.2988", "variance 32", "not given"]),
        (5, ["32,561", "294, 271", "0.86 to 0.98"]),
        (6, ["1.30 to 1.50", "1.842", "1.925", "2.12 to 2.30", "1.939", "1.992"]),
        (7, ["0.04666", "0.05508", "1.58161", "1.64873", "1.9387"]),
    ],
)
def test_each_has_its_numbers(written: Written, number: int, words: list[str]) -> None:
    errata = written.reproduction.errata
    assert len(errata) == 7
    for each in words:
        assert each in errata[number - 1].found


def test_the_spreads_by_another_way() -> None:
    """Each histogram as many points spread evenly over its bins, instead of Sheppard's formula."""

    def variance(letter: str) -> float:
        rows = [
            each
            for each in reference("fig3_fig4_histograms.csv")
            if each["figure"] + each["panel"] == f"3{letter}"
        ]
        left, right, density = (
            np.array([float(row[key]) for row in rows]) for key in ("left", "right", "density")
        )
        masses = density * (right - left)
        middles = (left + right) / 2
        mean = masses @ middles / masses.sum()
        of_middles = masses @ (middles - mean) ** 2 / masses.sum()
        return float(of_middles - (right - left)[0] ** 2 / 12)

    table = pf.datasets.adult_tables().priors
    found = spread_scales(adult())
    for delta, letters in ((0.5, "be"), (0.3, "cf")):
        wanted = []
        for letter, original, secret in zip(
            letters, "ad", ("Black", "Asian-Pac-Islander"), strict=True
        ):
            for before in (table[secret].variance, variance(original)):
                wanted.append(math.sqrt((variance(letter) - before) / 2.0))
        assert found[delta] == pytest.approx(wanted, rel=1e-12)
