"""What is said about an audit's power, against audits."""

from __future__ import annotations

import pytest
from scipy.stats import binom

import pufferfish as pf
from pufferfish.audits.draws import generator
from pufferfish.audits.events import attack
from pufferfish.audits.power import chance_to_notice, less_noise
from pufferfish.audits.subject import as_subject
from tests.audits.subjects import ADULT, ADULT_SCALE, PURE, draw_less, mechanism
from tests.support import scenario_of

PAIRS = pf.Scenario(
    [pf.datasets.adult_tables()],
    pairs=[("Black", "Asian-Pac-Islander"), ("White", "Asian-Pac-Islander")],
)
SHIFTED = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0))


def chance(less: float, draws: int, *, alpha: float = 5e-7) -> float:
    claimed = pf.LaplaceNoise(ADULT_SCALE)
    return chance_to_notice(list(ADULT.laws()), claimed, less, PURE, draws, alpha, generator(0))


def test_less_noise_is_a_share_less() -> None:
    assert less_noise(pf.LaplaceNoise(2.0, grid=0.5), 0.1) == pf.LaplaceNoise(1.8)
    assert less_noise(pf.GaussianNoise(2.0, grid=0.5), 0.4) == pf.GaussianNoise(1.2)


def test_noise_that_is_large_enough_is_never_noticed() -> None:
    assert chance(0.0, 10**9) == 0.0


def test_power_grows_with_draws_and_with_what_is_missing() -> None:
    by_draws = [chance(0.2, draws) for draws in (10_000, 150_000, 250_000, 2_000_000)]
    assert by_draws == sorted(by_draws)
    assert by_draws[0] < 0.01
    assert 0.05 < by_draws[2] < 0.999 < by_draws[3]
    by_noise = [chance(less, 150_000) for less in (0.05, 0.2, 0.4)]
    assert by_noise == sorted(by_noise)


def test_the_powers_of_the_demonstration() -> None:
    # 20 million draws, which take less than 30 s.
    assert chance(0.1, 20_000_000) > 0.99
    assert chance(0.4, 20_000_000) > 0.99
    assert chance(0.4, 100_000) > 0.99


@pytest.mark.parametrize(
    ("scenario", "goal", "noise", "less", "draws"),
    [
        (ADULT, PURE, "laplace", 0.4, 8000),
        (ADULT, PURE, "laplace", 0.2, 60_000),
        (SHIFTED, pf.Guarantee(0.5, 0.01), "gaussian", 0.4, 6000),
        (PAIRS, PURE, "laplace", 0.4, 12_000),
    ],
)
def test_audits_notice_as_often_as_is_said(
    scenario: pf.Scenario,
    goal: pf.Guarantee,
    noise: str,
    less: float,
    draws: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs, runs = list(scenario.laws()), 60
    alpha = 0.05 / len(pairs)
    honest = mechanism(scenario, goal, noise=noise)
    assert isinstance(honest.noise, pf.LaplaceNoise | pf.GaussianNoise)
    said = chance_to_notice(pairs, honest.noise, less, goal, draws, alpha, generator(0))
    assert 0.1 < said < 0.95  # where there is something to compare
    draw_less(monkeypatch, less)
    subject = as_subject(honest)

    def notices(run: int) -> bool:
        source = generator(run)
        found = [attack(subject, laws, goal, draws, alpha, source) for laws in pairs]
        return any(each.breaks(goal) for both in found for each in both)

    noticed = sum(notices(run) for run in range(runs))
    # Two-sided, and wrong with probability 1e-6.
    assert binom.ppf(5e-7, runs, said) <= noticed <= binom.isf(5e-7, runs, said)
