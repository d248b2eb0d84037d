"""The values that are tried follow the believed laws, and holes come as often as believed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chisquare, kstest

import pufferfish as pf
from pufferfish.audits.draws import generator, publish, values_of
from pufferfish.audits.subject import as_subject
from pufferfish.beliefs.priors import Prior
from tests import seams

FALSE_ALARM = 1e-6
ECHO = as_subject(lambda values: values)


@pytest.mark.parametrize(
    "prior",
    [
        pf.Gaussian(3.0, 0.5),
        pf.GaussianMixture([0.2, 0.7, 0.1], [-5.0, 0.0, 20.0], [1.0, 3.0, 0.1]),
    ],
)
def test_values_follow_a_continuous_law(prior: Prior) -> None:
    values = values_of(prior, 50_000, generator(1))
    assert kstest(values, prior.cdf).pvalue > FALSE_ALARM
    assert kstest(0.98 * values, prior.cdf).pvalue < FALSE_ALARM


def test_values_follow_a_table() -> None:
    prior = pf.Discrete([-1.0, 0.0, 2.5], [0.5, 0.01, 0.49])
    values = values_of(prior, 50_000, generator(1))
    counts = [np.count_nonzero(values == each) for each in prior.values]
    assert sum(counts) == 50_000
    assert chisquare(counts, 50_000 * prior.probabilities).pvalue > FALSE_ALARM


def test_the_seed_decides() -> None:
    one, other, third = (
        values_of(pf.Gaussian(0.0, 1.0), 10, generator(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)


@pytest.mark.parametrize("missing", [0.0, 0.1, 1.0 - 1e-9])
def test_holes_come_as_often_as_believed(missing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.ROWS_DRAWN_AT_ONCE, 1000)
    parts = list(publish(ECHO, pf.Gaussian(0.0, 1.0), missing, 20_500, generator(1)))
    assert [each.size for each in parts] == [1000] * 20 + [500]
    holes = int(np.isnan(np.concatenate(parts)).sum())
    low, high = binom.ppf(FALSE_ALARM, 20_500, missing), binom.isf(FALSE_ALARM, 20_500, missing)
    assert low <= holes <= high
