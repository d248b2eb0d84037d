"""Figs. 3 and 4: the data, the fits, the scales, and what is released."""

from __future__ import annotations

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.fig_3 import curve_gap
from examples.paper.published import Histogram
from examples.paper.table import Row
from scipy.stats import norm

import pufferfish as pf
from tests.paper.conftest import figure_of, reference, series_of

PAPER = "paper's mixtures"
SECRETS = {"a": "Black", "d": "Asian-Pac-Islander"}
COLUMNS = {"a": "density_black", "d": "density_asian_pac_islander"}


def row(written: Written, belief: str, delta: float, experiment: str = "Adult") -> Row:
    return written.reproduction.table.row(experiment, belief, delta)


def by_hand(prior: pf.Prior, x: np.ndarray) -> np.ndarray:
    """The density of a mixture, from SciPy."""
    assert isinstance(prior, pf.GaussianMixture)
    parts = zip(prior.weights, prior.means, prior.stds, strict=True)
    return np.asarray(sum(w * norm.pdf(x, m, s) for w, m, s in parts))


@pytest.mark.parametrize("letter", "ad")
def test_the_recovered_mixtures_are_the_papers_curves(written: Written, letter: str) -> None:
    rows = reference("fig3_mixture_density.csv")
    x = np.array([float(each["x"]) for each in rows])
    curve = np.array([float(each[COLUMNS[letter]]) for each in rows])
    assert x.size == 200
    prior = pf.datasets.adult_mixtures().priors[SECRETS[letter]]
    assert np.abs(by_hand(prior, x) - curve).max() <= 1e-12
    drawn = series_of(written, "fig-3", letter)
    line = drawn[PAPER]
    assert np.abs(line.y - by_hand(prior, line.x)).max() <= 1e-12
    points = drawn["points of the paper's curve"]
    assert set(zip(points.x, points.y, strict=True)) <= set(zip(x, curve, strict=True))
    # Three components, or a fit of our own to the whole numbers, are something else.
    for other in ("our mixtures of 3", "our mixtures of 4"):
        assert np.abs(drawn[other].y - line.y).max() > 0.05


def test_how_far_they_are_is_measured() -> None:
    assert 0.0 < curve_gap() <= 1e-12


@pytest.mark.parametrize(("delta", "scale"), [(0.5, 1.8421), (0.3, 1.9387)])
def test_theorem_2_on_the_papers_mixtures(written: Written, delta: float, scale: float) -> None:
    # As printed; the grid of the noise adds 1e-7 of it.
    assert row(written, PAPER, delta).scale("Theorem 2") == pytest.approx(scale, abs=5.1e-5)


@pytest.mark.parametrize(("belief", "scale"), [(PAPER, 1.58161), ("table", 1.64873)])
def test_pure_epsilon_on_adult(written: Written, belief: str, scale: float) -> None:
    found = row(written, belief, 0.0)
    # As printed, rounded up.
    assert scale - 1e-5 < found.scale("exact") <= scale
    assert found.certificate("exact").holds is True
    assert found.certificate("exact").epsilon_upper <= 1.0


def test_pure_epsilon_is_less_than_theorem_2_spends_on_much(written: Written) -> None:
    pure = row(written, PAPER, 0.0).scale("exact")
    assert pure < row(written, PAPER, 0.5).scale("Theorem 2")


@pytest.mark.parametrize(("belief", "bare"), [(PAPER, 0.04666), ("table", 0.0551)])
def test_without_noise(written: Written, belief: str, bare: float) -> None:
    found = row(written, belief, 0.3)
    assert found.bare_upper == pytest.approx(bare, abs=5e-5)  # as printed
    assert isinstance(found.certificate("exact").noise, pf.NoNoise)


def test_the_tables_are_the_built_in_ones(written: Written) -> None:
    built_in = pf.Scenario(pf.datasets.adult_tables(), [("Black", "Asian-Pac-Islander")])
    wanted = pf.calibrate(built_in, pf.Guarantee(1.0)).noise
    assert row(written, "table", 0.0).certificate("exact").noise == wanted


@pytest.mark.parametrize(("name", "letters"), [("fig-3", "bcef"), ("fig-4", "bcef")])
def test_releases_stand_beside_the_papers_histograms(
    written: Written, name: str, letters: str
) -> None:
    bins = reference("fig3_fig4_histograms.csv")
    for letter in letters:
        drawn = series_of(written, name, letter)
        paper, ours = drawn["the paper's histogram"], drawn["released here (seeded)"]
        given = [each for each in bins if each["figure"] + each["panel"] == name[-1] + letter]
        assert paper.y.tolist() == [float(each["density"]) for each in given]
        assert paper.x.tolist()[:-1] == [float(each["left"]) for each in given]
        assert ours.x.tolist() == paper.x.tolist()
        assert ours.y @ np.diff(ours.x) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("letter", "delta"), [("b", 0.5), ("c", 0.3), ("e", 0.5), ("f", 0.3)])
def test_what_is_released_has_the_noise_of_theorem_2(
    written: Written, letter: str, delta: float
) -> None:
    """Seeded: 0.92 to 0.995 times what was asked, so that a tenth less noise would fail."""
    secret = "Black" if letter in "bc" else "Asian-Pac-Islander"
    column = pf.datasets.adult_tables().priors[secret]
    drawn = series_of(written, "fig-3", letter)
    asked = row(written, PAPER, delta).scale("Theorem 2")

    def scale(label: str) -> float:
        spread = Histogram(drawn[label].x, drawn[label].y).variance - column.variance
        return float(np.sqrt(spread / 2.0))

    assert scale("released here (seeded)") == pytest.approx(asked, rel=0.09)
    assert scale("the paper's histogram") != pytest.approx(asked, rel=0.09)


def test_the_law_that_is_drawn_is_the_tables(written: Written) -> None:
    line = series_of(written, "fig-3", "b")["the law of the released value"]
    b = row(written, PAPER, 0.5).scale("Theorem 2")
    table = pf.datasets.adult_tables().priors["Black"]
    assert isinstance(table, pf.Discrete)
    kernel = np.exp(-np.abs(line.x[:, None] - table.values) / b) / (2.0 * b)
    np.testing.assert_allclose(line.y, kernel @ table.probabilities, rtol=1e-9)


def test_the_plan_moves_all_mass(written: Written) -> None:
    for name in ("fig-3", "fig-4"):
        arcs = [each for each in series_of(written, name, "g") if " from component " in each]
        assert sum(float(label.split()[0]) for label in arcs) == pytest.approx(1.0, abs=1e-3)


def test_the_noise_of_each_delta_is_the_tables(written: Written) -> None:
    line = series_of(written, "fig-3", "h")["exact, paper's mixtures"]
    rows = written.reproduction.table.of("Adult", PAPER)
    assert line.y.tolist() == [each.certificate("exact").noise.std for each in rows]
    assert line.x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    # Nothing to offer at δ = 0, so no point there.
    assert series_of(written, "fig-3", "h")["Theorem 2, paper's mixtures"].x[-1] == 5.0


def test_few_values_do_not_carry_four_components(written: Written) -> None:
    words = dict(figure_of(written, "fig-4").words)
    assert "BIC prefers 2 components" in words["Our fits"]
    assert "271 rows that have a value (294 in the file)" in words["Here"]
    assert "neither its fits" in words["Here"]


def test_every_goal_of_the_issue_is_there(written: Written) -> None:
    words = dict(figure_of(written, "fig-3").words)["Scales"]
    for number in ("1.8421", "1.9387", "1.58161", "1.64873"):
        assert number in words
