"""The size of the noise, which everybody sees, follows from the whole table: one row can set it.

2,001 rows, one of them an outlier. Refuted: "Three digits of one number say little".
The adversary knows the 2,000 other rows, and the library. docs/theory/published-size.md
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.core.ladder import Rounding, rung_up

OUTLIER = 300.0
GOAL = pf.Guarantee(epsilon=1.0)
# What the adversary considers possible for the row that they do not know.
CANDIDATES = [float(value) for value in range(150, 451, 5)]


@cache
def others() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """1,800 rows of `a` and 200 of `b`, all between 0 and 100."""
    generator = np.random.default_rng(19)
    drawn = {
        secret: np.rint(generator.normal(50.0, 10.0, n)) for secret, n in (("a", 1800), ("b", 200))
    }
    assert all(values.min() >= 0.0 and values.max() <= 100.0 for values in drawn.values())
    return drawn


def table(secret: str, value: float) -> dict[str, np.ndarray[Any, Any]]:
    values = [*others().items(), (secret, np.array([value]))]
    return {
        "x": np.concatenate([each for _, each in values]),
        "s": np.concatenate([np.repeat(name, each.size) for name, each in values]),
    }


@cache
def calibrated(secret: str, value: float, scale: float | None = None) -> pf.Calibration:
    beliefs = pf.fit_beliefs(table(secret, value), "x", "s", families=["empirical"])
    return pf.calibrate(pf.Scenario(beliefs), GOAL, size=scale)


def published(secret: str, value: float, rounding: Rounding, scale: float | None = None) -> float:
    """The size in the public record."""
    plan = pf.Plan(
        calibration=calibrated(secret, value, scale), column="x", secret="s", rounding=rounding
    )
    record = pf.release(table(secret, value), plan).record.to_dict("public")
    size = record["noise"]["scale"]
    assert isinstance(size, float)
    return size


def consistent(seen: float, secret: str) -> list[float]:
    """The values of the unknown row that would have been published like this."""
    return [value for value in CANDIDATES if rung_up(calibrated(secret, value).noise.size) == seen]


def three_digits(size: float) -> float:
    """Rounded up."""
    return float(f"{size + 0.05:.3g}")


def test_three_digits_would_betray_the_secret_and_the_value() -> None:
    """31 or 42.6, and the value to within 1%: why there is a ladder."""
    seen = {secret: three_digits(calibrated(secret, OUTLIER).noise.size) for secret in ("a", "b")}
    assert seen == {"a": 31.0, "b": 42.6}
    for secret, size in seen.items():
        low, high = (
            calibrated(secret, value).noise.size for value in (0.99 * OUTLIER, 1.01 * OUTLIER)
        )
        # A value 1% away would have shown.
        assert low < size - 0.1 < size < high


def test_a_rung_tells_the_value_to_within_a_quarter_at_best() -> None:
    seen = published("a", OUTLIER, "ladder")
    assert seen == 32.0
    if_a, if_b = (consistent(seen, secret) for secret in ("a", "b"))
    assert (min(if_a), max(if_a)) == (255.0, 305.0)
    # Without the value, the rung does not tell the secret either.
    assert (min(if_b), max(if_b)) == (200.0, 235.0)


def test_who_knows_the_value_still_learns_the_secret_from_a_rung_and_the_record_says_so() -> None:
    """One bit, in this extreme case. Nothing is promised to somebody who knows all other rows."""
    assert [published(secret, OUTLIER, "ladder") for secret in ("a", "b")] == [32.0, 50.0]
    plan = pf.Plan(calibration=calibrated("a", OUTLIER), column="x", secret="s")
    record = pf.release(table("a", OUTLIER), plan).record.to_dict("public")
    assert "what it reveals about a row is not covered" in record["headline"][0]
    assert any(
        "may reveal the secret of the row, or its value to within about a quarter" in each
        for each in record["not_promised"]
    )


def test_a_rung_is_one_of_few() -> None:
    """What it tells at most, in bits: the logarithm of how many sizes are possible."""
    sizes = [calibrated(secret, value).noise.size for secret in ("a", "b") for value in CANDIDATES]
    digits = {three_digits(size) for size in sizes}
    rungs = {rung_up(size) for size in sizes}
    assert len(digits) >= 110  # 6.8 bits, for values in steps of 5
    assert len(rungs) == 9  # 3.2 bits


def test_a_public_scale_tells_nothing_but_that_it_suffices() -> None:
    records = []
    for secret in ("a", "b"):
        plan = pf.Plan(
            calibration=calibrated(secret, OUTLIER, 50.0), column="x", secret="s", rounding="given"
        )
        record = pf.release(table(secret, OUTLIER), plan).record.to_dict("public")
        for each in ("created", "published", "versions"):
            record.pop(each)
        records.append(record)
    assert records[0] == records[1]
    assert records[0]["noise"]["scale"] == 50.0
    (beware,) = records[0]["headline"]
    assert beware.startswith("Whether noise of this size keeps this ε depends on the table")
    # It is one answer for everybody whose outlier lies below 340.
    assert {published(s, x, "given", 50.0) for s in ("a", "b") for x in (200.0, 335.0)} == {50.0}


def test_too_small_a_public_scale_is_refused_without_telling_the_least() -> None:
    with pytest.raises(pf.CertificationError) as refused:
        calibrated("a", OUTLIER, 30.0)
    assert "give none, and 32 is used (sizes" in str(refused.value)
    assert "30.9" not in str(refused.value)
