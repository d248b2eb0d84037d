"""What a promise for the population costs, in words that were computed."""

from __future__ import annotations

from dataclasses import replace

import pufferfish as pf
from pufferfish.insight.sample_cost import sample_cost


def scenario(times: int, confidence: float = 0.95) -> pf.Scenario:
    laws = {
        "a": pf.Discrete(values=[0.0, 1.0, 2.0], counts=[6 * times, 3 * times, times]),
        "b": pf.Discrete(values=[0.0, 1.0, 2.0], counts=[4 * times, 4 * times, 2 * times]),
    }
    return pf.Scenario([pf.Belief(laws, region=pf.SampleRegion(confidence=confidence))])


def calibrated(times: int) -> pf.Calibration:
    goal = pf.Guarantee(0.4)
    return pf.calibrate(scenario(times), goal, mechanism="recode", floor=None)


def test_many_rows_cost_little() -> None:
    found = sample_cost(calibrated(4_000))
    assert found is not None
    assert not found.few
    assert found.plain_rmse <= found.rmse < found.constant_rmse
    assert "exactly the described laws" in str(found)
    assert "so few rows" not in str(found)


def test_few_rows_are_said_with_how_many_would_do() -> None:
    found = sample_cost(calibrated(12))
    assert found is not None
    assert found.few
    assert found.times is not None
    assert f"{found.times} times as many" in str(found)
    assert "The promise holds; but with so few rows (" in str(found)
    for share, words in ((0.95, "almost as much as"), (1.05, "more than")):
        near = replace(found, rmse=share * found.constant_rmse)
        assert f"costs {words} publishing a constant. It would cost less" in str(near)
    # As many rows really do.
    wanted = 0.5 * (found.plain_rmse + found.constant_rmse)
    assert calibrated(12 * found.times).rmse <= wanted * (1.0 + 1e-9)


def test_nothing_is_said_of_a_plain_promise() -> None:
    plain = scenario(50).as_described()
    assert sample_cost(pf.calibrate(plain, pf.Guarantee(1.0))) is None
    assert replace(plain.beliefs[0]).region is None


def test_smooth_laws_have_no_number_of_rows() -> None:
    laws = {"a": pf.Gaussian(mean=4.0, std=1.0), "b": pf.Gaussian(mean=5.0, std=1.0)}
    rows = (("a", 2_000), ("b", 2_000))
    region = pf.SampleRegion(
        confidence=0.95, shape="band", widths=(("a", 0.05), ("b", 0.05)), rows=rows
    )
    belief = pf.Belief(laws, region=region, cap=(0.0, 9.0))
    found = sample_cost(pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0)))
    assert found is not None
    assert found.few
    assert found.smallest is None
    assert "The promise holds; but with so few rows, it costs more than" in str(found)
    assert "as many rows" not in str(found)
