"""A release in plain words: the numbers in them are right."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import laplace, norm

import pufferfish as pf
from pufferfish.columns.story import story
from pufferfish.words.terminal import label_lines

ROWS = 1000
VALUES = np.random.default_rng(0).normal(50.0, 2.5, ROWS)
TABLE = {"x": VALUES, "s": np.array(["a", "b"] * (ROWS // 2)), "k": np.arange(ROWS)}


@cache
def smooth(noise: Any = "laplace", delta: float = 0.0) -> pf.Calibration:
    laws = {"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(1.5, 2.0)}
    return pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(0.5, delta), noise)


@cache
def tables() -> pf.Calibration:
    laws = {"a": pf.Discrete([0.0, 10.0], [0.5, 0.5]), "b": pf.Discrete([0.0, 10.0], [0.25, 0.75])}
    return pf.calibrate(pf.Scenario(pf.Belief(laws, name="counter")), pf.Guarantee(0.5))


def told(calibration: pf.Calibration, table: Any = None, **fields: Any) -> str:
    plan = pf.Plan(calibration=calibration, column="x", secret="s", **fields)
    text = label_lines(story(pf.release(table or TABLE, plan).record))
    assert max(map(len, text.splitlines())) <= 98
    return " ".join(text.split())


def test_every_paragraph_is_there() -> None:
    text = told(smooth())
    labels = ["Promise", "Against", "Published", "Noise", "Compared", "Guessing", "Not covered"]
    places = [text.index(label) for label in labels]
    assert places == sorted(places)


def test_what_was_published() -> None:
    text = told(smooth())
    assert "1,000 rows of 'x', in random order; 's' is not published." in text
    assert "in random order, with k unchanged" in told(smooth(), keep_unprotected=("k",))
    kept = told(smooth(), keep_unprotected=("k",), keep_order=True)
    assert "in the order of the table, with k unchanged" in kept
    holes = {**TABLE, "x": np.where(np.arange(ROWS) < 7, np.nan, VALUES)}
    assert "993 rows" in told(smooth(), holes, missing="drop")
    assert "7 rows without a value were left out" in told(smooth(), holes, missing="drop")


def test_what_kept_columns_reveal_comes_first() -> None:
    """TABLE's k is the number of the row, and even rows are of one secret."""
    text = told(smooth(), {**TABLE, "k": np.arange(ROWS) % 2}, keep_unprotected=("k",))
    assert text.startswith(
        "Beware With 'x' and 'k' published together, a learner finds whether 's' is 'a' or 'b' in "
        "up to 100% of rows it has not seen, if half are of each (50% by guessing). The promise is "
        "about 'x' by itself: it does not hold for the whole file."
    )
    assert "factor" not in text
    assert "allows" not in text
    assert "if 'x' is all that the adversary sees" in text
    assert "another may find more" in text
    assert not told(smooth()).startswith("Beware")


def test_the_promise() -> None:
    assert f"factor of at most {math.exp(0.5):.4g}" in told(smooth())
    approximate = told(smooth(delta=0.01))
    assert f"at most {math.exp(0.5):.4g} times as probable" in approximate
    assert "plus 0.01." in approximate
    several: dict[str, Any] = {"unit": "person", "person": "k", "rows_per_person": 3}
    person = told(smooth(), **several, dependence="independent")
    assert "(at most 3 rows, taken to be independent given the secret, however many" in person
    assert "found nothing against it" not in person  # nobody has two rows
    assert "that was not tested" in person
    # What the promise rests on comes before everything else.
    assert person.startswith("Beware The rows of one person are taken to be independent given 's'")
    assert f"factor of at most {math.exp(1.5):.4g}" in person


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_noise(noise: Any) -> None:
    calibration = smooth(noise, 0.01)
    text = told(calibration)
    plan = pf.Plan(calibration=calibration, column="x", secret="s")
    size = plan.calibration.noise
    law = laplace(scale=size.std / math.sqrt(2)) if noise == "laplace" else norm(scale=size.std)
    found = re.search(r"std ([\d.]+): ([\d.]+) times the column's own std of ([\d.]+)\.", text)
    assert found is not None
    assert float(found[1]) == pytest.approx(size.std, rel=1e-3)
    assert float(found[2]) == pytest.approx(size.std / VALUES.std(), rel=0.05)
    assert float(found[3]) == pytest.approx(VALUES.std(), rel=1e-3)
    widths = re.search(r"within ±([\d.]+) of the true ones; .* within ±([\d.]+) of the", text)
    assert widths is not None
    assert float(widths[1]) == pytest.approx(law.isf(0.025), rel=0.01)
    assert float(widths[2]) == pytest.approx(1.96 * size.std / math.sqrt(ROWS), rel=0.05)


@pytest.mark.parametrize("step", [200.0, 1.0])
def test_a_mean_of_coarsely_rounded_values_is_not_said_to_be_close(step: float) -> None:
    """Of values about 50, rounded to multiples of 200, the mean is near 0."""
    size = pf.Plan(calibration=smooth(), column="x", secret="s").calibration.noise.std
    assert 1.0 < size < 200.0
    text = told(smooth(), postprocess=(pf.RoundTo(step),))
    assert ("their mean is within" in text) == (step == 1.0)
    assert f"then rounded to multiples of {step:g}" in text


def test_local_differential_privacy_beside_it() -> None:
    text = told(tables())
    assert "scale 20 on the range 0 to 10" in text
    assert "'counter' (private), who knows how often each value occurs" in text
    assert "local" not in told(smooth())
    assert "Theorem 2" in told(smooth())


def test_the_guesses() -> None:
    found = re.search(r"right in ([\d.]+)% .* row, ([\d.]+)% .* allows ([\d.]+)%", told(smooth()))
    assert found is not None
    before, after, allowed = (float(each) for each in found.groups())
    assert before == pytest.approx(100 * norm.cdf(1.5 / 4.0), abs=0.1)
    assert allowed == pytest.approx(100 / (1 + math.exp(-0.5)), abs=0.1)
    assert 50.0 < after < min(before, allowed)


def test_no_noise_is_said() -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.1, 1.0)}
    bare = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.1))
    assert "the values are published as they are" in told(bare, allow_no_noise=True)


def test_a_column_that_never_varies_can_be_told() -> None:
    assert "inf times" in told(smooth(), {"x": [1.0, 1.0], "s": ["a", "b"]})


def test_rows_that_nothing_is_promised_for_are_counted() -> None:
    table = {**TABLE, "s": np.where(np.arange(ROWS) < 17, "c", TABLE["s"])}
    assert "17 of the published rows" in told(smooth(), table, others=("c",))
    assert "of the published rows have" not in told(smooth())
