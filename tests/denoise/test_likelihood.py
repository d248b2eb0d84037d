"""Likelihood intervals: the solver, the cells, and how often they cover columns of spikes.

The hours of Adult with Laplace noise of scale 9.22: of the intervals for the share of 40 to 49 by
smoothing, which was all there was, none of 25 covered.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from benchmarks.coverage import CASES, adult, measure
from scipy import optimize, stats

import pufferfish as pf
from pufferfish import denoise
from pufferfish.denoise.cells import Published, count_cells
from pufferfish.denoise.law import cell_probabilities
from pufferfish.denoise.likelihood import CUT, likelihood
from pufferfish.denoise.mixing import maximise, spread_start
from pufferfish.denoise.support import read_support
from tests.denoise.simulate import GAMMA, Array, covers, draw_noise, inside, releases

HOURS = pf.LaplaceNoise(9.22, 2.0**-21)
EVERYWHERE = [(-1e6, 1e6)]


def hours(seed: int) -> Array:
    rng = np.random.default_rng(seed)
    values = adult("hours-per-week")[0]
    return values + rng.laplace(0.0, HOURS.scale, values.size)


# Coverage.


def test_the_share_of_40_to_49_hours_is_covered_and_was_not() -> None:
    values = adult("hours-per-week")[0]
    truth = float(np.mean((values > 39) & (values <= 49)))
    assert truth == pytest.approx(0.563, abs=5e-4)
    smooth = 0
    for seed in range(8):
        for support in (1.0, range(1, 100), None):
            (found,) = denoise.histogram(hours(seed), HOURS, [39, 49], support=support).estimates
            assert inside(found, truth)
            assert found.upper - found.lower < 0.8
            assert not found.warning
        with pytest.warns(pf.CoverageWarning, match="spikes"):
            (found,) = denoise.histogram(hours(seed), HOURS, [39, 49], support="smooth").estimates
        smooth += inside(found, truth)
        assert found.warning
    assert smooth <= 4


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bins_mean_and_quartiles_of_adult_cover(case: object) -> None:
    tally = measure(case, 1.0, 4, seed=3)  # type: ignore[arg-type]
    # Of 4 intervals with 95% coverage, 3 miss once in 2000 times; there are 50.
    assert tally.hits.min() >= 2 / 4
    assert tally.hits.mean() >= 0.93
    assert tally.warned == 0


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_smooth_laws_and_single_spikes_are_covered_too(kind: str) -> None:
    noise: pf.Noise = pf.LaplaceNoise(1.0) if kind == "laplace" else pf.GaussianNoise(1.0)
    repeats, hits = 25, np.zeros(6, dtype=int)
    rng = np.random.default_rng(4)
    for _, _, y in releases(GAMMA, noise, n=1000, seed=4, repeats=repeats):
        shares = denoise.histogram(y, noise, [-math.inf, 3.0, 5.0, math.inf]).estimates
        truth = np.diff(stats.gamma(4.0).cdf([-math.inf, 3.0, 5.0, math.inf]))
        hits[:3] += [inside(e, p) for e, p in zip(shares, truth, strict=True)]
        (median,) = denoise.quantiles(y, noise, [0.5]).estimates
        hits[3] += inside(median, GAMMA.quantile(0.5))
        spike = draw_noise(rng, noise, 1000)
        (share,) = denoise.histogram(spike, noise, [-math.inf, 0.0]).estimates
        hits[4] += inside(share, 1.0)
        (median,) = denoise.quantiles(spike, noise, [0.5]).estimates
        hits[5] += inside(median, 0.0)
    assert all(covers(int(count), repeats=repeats) for count in hits)


# Rounded and clipped columns.


@pytest.mark.parametrize("rounded", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("clipped", [None, (10.0, 50.0)])
def test_rounded_and_clipped_columns_are_covered(
    rounded: float, clipped: tuple[float, float] | None
) -> None:
    """A censored likelihood: a row at a bound says that it lies there or beyond."""
    values = adult("hours-per-week")[0]
    edges = [-math.inf, 34, 44, math.inf]
    truth = [np.mean(values <= 34), np.mean((values > 34) & (values <= 44)), np.mean(values > 44)]
    for seed in range(3):
        y = hours(seed)
        y = np.rint(y / rounded) * rounded if rounded else y
        y = np.clip(y, *clipped) if clipped else y
        told = {"support": 1.0, "rounded": rounded, "clipped": clipped}
        found = denoise.histogram(y, HOURS, edges, **told).estimates  # type: ignore[arg-type]
        assert all(inside(e, float(p)) for e, p in zip(found, truth, strict=True))
        quartiles = denoise.quantiles(y, HOURS, [0.25, 0.5, 0.75], **told).estimates  # type: ignore[arg-type]
        assert all(inside(e, q) for e, q in zip(quartiles, (40, 40, 45), strict=True))
        if clipped or rounded == 5.0:
            # Not told, it is refused, not answered.
            with pytest.raises(pf.InvalidInputError, match="clipped or rounded afterwards"):
                denoise.histogram(y, HOURS, edges, support=1.0)


def test_quantiles_beyond_a_bound_have_no_end() -> None:
    y = np.clip(hours(1), 38.0, 42.0)
    found = denoise.quantiles(y, HOURS, [0.1, 0.9], support=1.0, clipped=(38, 42)).estimates
    assert found[0].lower == -math.inf
    assert found[1].upper == math.inf
    assert "too few rows" in found[1].note
    listed = denoise.quantiles(y, HOURS, [0.1, 0.9], support=range(1, 100), clipped=(38, 42))
    assert all(1.0 <= e.lower <= e.upper <= 99.0 for e in listed.estimates)


def test_rows_that_all_lie_at_a_bound_leave_everything_possible() -> None:
    y = np.full(500, 100.0)
    told = {"support": range(1, 100), "clipped": (100.0, 200.0)}
    (found,) = denoise.histogram(y, HOURS, [50, 100], **told).estimates  # type: ignore[arg-type]
    assert (found.lower, found.upper) == (0.0, 1.0)


# The solver, against others.


def test_the_maximum_is_that_of_a_general_solver() -> None:
    rng = np.random.default_rng(5)
    values = np.arange(6.0)
    y = rng.choice(values, 400, p=[0.3, 0.0, 0.4, 0.0, 0.1, 0.2]) + rng.laplace(0.0, 0.7, 400)
    noise = pf.LaplaceNoise(0.7)
    cells = count_cells(y, noise, Published(), EVERYWHERE)
    matrix = cell_probabilities(noise, cells.low, cells.high, values)
    shares = cells.counts / 400
    fit = maximise(matrix, shares, spread_start(6), 1e-9)

    def loss(p: Array) -> float:
        return -float(shares @ np.log(np.maximum(matrix @ p, 1e-300)))

    other = optimize.minimize(
        loss,
        np.full(6, 1 / 6),
        bounds=[(0, 1)] * 6,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert fit.height == pytest.approx(-other.fun, abs=1e-7)
    assert fit.gap <= 1e-9
    found = likelihood(cells, noise, values, CUT)
    score = (values <= 2.0).astype(float)
    # The end of the interval, by maximising the score itself on the set Λ ≤ CUT.
    end = optimize.minimize(
        lambda p: -float(p @ score),
        fit.weights,
        bounds=[(0, 1)] * 6,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "ineq", "fun": lambda p: CUT / 800 - loss(p) + loss(fit.weights)},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    # Λ is brought to within 0.07 of the cut, on the long side for the most part.
    assert found.most(score) == pytest.approx(-end.fun, abs=2e-3)
    assert found.interval(score)[0] == pytest.approx(1 - found.most(1 - score))
    assert found.may_reach(score, found.most(score) - 0.005)
    assert not found.may_reach(score, found.most(score) + 0.005)


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(1.5, 0.5), pf.GaussianNoise(1.5, 0.5)])
def test_cells_have_the_probabilities_of_the_law_that_is_drawn(noise: pf.Noise) -> None:
    """By summing the law over its grid, cell by cell."""
    assert not isinstance(noise, pf.NoNoise)
    n = np.arange(-400, 401)
    size = 1.5 / 0.5
    mass = (
        np.exp(-np.abs(n) / size)
        if isinstance(noise, pf.LaplaceNoise)
        else np.exp(-((n / size) ** 2) / 2)
    )
    mass /= mass.sum()
    y = np.array([-3.0, 0.0, 0.5, 0.5, 7.0])
    cells = count_cells(y, noise, Published(clipped=(-3.0, 7.0)), EVERYWHERE)
    assert cells.counts.tolist() == [1, 1, 2, 1]
    values = np.array([0.0, 1.2])
    found = cell_probabilities(noise, cells.low, cells.high, values)
    for column, start in enumerate((0.0, 1.0)):
        z = start + 0.5 * n
        expected = [
            mass[z <= -3.0].sum(),
            mass[z == 0.0].sum(),
            mass[z == 0.5].sum(),
            mass[z >= 7.0].sum(),
        ]
        assert found[:, column] == pytest.approx(expected, rel=1e-9)


def test_what_is_far_from_the_question_is_lumped_and_changes_little() -> None:
    """Noise far smaller than the column: rows far from the edges are counted in three cells."""
    rng = np.random.default_rng(6)
    x = np.rint(rng.normal(0.0, 2000.0, 20_000))
    noise = pf.LaplaceNoise(3.0)
    y = x + rng.laplace(0.0, 3.0, x.size)
    edges = [-math.inf, -1000.0, 1000.0, math.inf]
    found = denoise.histogram(y, noise, edges, support=1.0).estimates
    for estimate, share in zip(found, np.histogram(x, edges)[0] / x.size, strict=True):
        assert estimate.value == pytest.approx(share, abs=0.002)
        assert inside(estimate, share)
        assert estimate.upper - estimate.lower < 0.025
    cells = count_cells(y, noise, Published(), [(-1048.0, -952.0), (952.0, 1048.0)])
    assert cells.counts.sum() == x.size
    assert math.isinf(cells.low[0])
    assert math.isinf(cells.high[-1])
    assert np.count_nonzero(cells.high - cells.low > 100.0) == 3


def test_a_step_far_below_the_noise_is_thinned_and_loses_nothing() -> None:
    y = hours(2)[:4000]
    fine = denoise.histogram(y, HOURS, [34, 44], support=0.01).estimates[0]
    full = denoise.histogram(y, HOURS, [34, 44]).estimates[0]
    assert fine.lower == pytest.approx(full.lower, abs=0.01)
    assert fine.upper == pytest.approx(full.upper, abs=0.01)
    assert read_support(0.01).spacing(HOURS, 4000) > 0.5


def test_the_wrong_support_is_refused_where_it_shows() -> None:
    rng = np.random.default_rng(7)
    y = rng.uniform(0.0, 10.0, 5000) + rng.laplace(0.0, 0.3, 5000)
    with pytest.raises(pf.InvalidInputError, match="on its support"):
        denoise.histogram(y, pf.LaplaceNoise(0.3), [0, 5], support=5.0)


def test_nothing_warns_where_intervals_cover() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        denoise.quantiles(hours(3), HOURS, [0.5], support=1.0)


def test_a_law_that_must_be_tilted_steeply_divides_by_no_zero() -> None:
    rng = np.random.default_rng(12)
    rng.integers(10, 400), rng.choice([1, 5, 20])
    y = np.round(rng.choice([1, 2, 3, 10.0], size=248) + rng.laplace(size=248), 2)
    found = denoise.quantiles(y, pf.LaplaceNoise(1.0), (0.1, 0.25, 0.5, 0.75, 0.9), rounded=0.01)
    assert [e.lower <= e.value <= e.upper for e in found.estimates] == [True] * 5
