"""The paper's own numbers, as they ship with the library."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest
from examples.paper.published import Histogram, histograms, mixture_curves, scale_points
from scipy.stats import norm

from tests.paper.conftest import DATA, reference


@pytest.mark.parametrize(
    "name", ["fig2_identical_users", "fig3_mixture_density", "fig3_fig4_histograms"]
)
def test_they_are_the_reference(name: str) -> None:
    shipped = files("examples.paper").joinpath(f"{name}.csv").read_bytes()
    assert shipped == (DATA / f"{name}.csv").read_bytes()


def test_every_point_is_read() -> None:
    points = scale_points()
    assert sorted(points) == [1.0, 4.0, 9.0, 16.0, 25.0]
    assert all(curve.x.tolist() == list(range(1, 51)) for curve in points.values())
    assert {curve.x.size for curve in mixture_curves().values()} == {200}
    read = sum(each.density.size for number in (3, 4) for each in histograms(number).values())
    assert read == len(reference("fig3_fig4_histograms.csv"))


def test_histograms_are_densities_on_neighbouring_bins() -> None:
    assert "".join(sorted(histograms(3))) == "abcdef"
    assert "".join(sorted(histograms(4))) == "bcef"  # the source has no others
    for number in (3, 4):
        for each in histograms(number).values():
            widths = np.diff(each.edges)
            assert (widths > 0.0).all()
            assert each.density @ widths == pytest.approx(1.0, abs=1e-12)


def test_the_variance_is_of_what_was_counted() -> None:
    edges = np.arange(-15.0, 22.0, 1.0)
    found = Histogram(edges, np.diff(norm.cdf(edges, 3.0, 2.0)))
    # Without the correction it would be 1/12 too large.
    assert found.variance == pytest.approx(4.0, abs=1e-6)
