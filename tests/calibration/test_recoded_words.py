"""What is said of values in bins: what stands for a bin, and what the error leaves out."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.error import lost

EDGES = [10.0, 20.0, 35.0]


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    source = np.random.default_rng(4)
    secret = source.choice(["s", "t"], 4_000)
    value = np.round(source.gamma(2.0, np.where(secret == "s", 6.0, 9.0)), 1)
    value[source.random(4_000) < np.where(secret == "s", 0.02, 0.05)] = np.nan
    value[0] = 5_000.0
    return {"value": value, "secret": secret}


@pytest.fixture(scope="module")
def found(table: dict[str, np.ndarray]) -> pf.Calibration:
    beliefs = pf.fit_beliefs(table, "value", "secret", ["empirical"])
    how = {"edges": EDGES, "floor": None, "wrong": 0.02}
    return pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5), mechanism="recode", **how)


def test_the_ends_are_said_and_the_bins_counted(found: pf.Calibration) -> None:
    said = " ".join(str(found.explain()).split())
    assert "a recoding of 4 bins and missing values" in said
    assert "5 for all values below 10, and 42.5 from 35 on" in said
    assert "values stay in their bin" in said
    assert "from the true value to what is published for a bin" in said


def test_bins_of_one_width_are_bins(table: dict[str, np.ndarray]) -> None:
    # Their edges lie halfway between what is published, as those between listed values do.
    beliefs = pf.fit_beliefs(table, "value", "secret", ["empirical"])
    how = {"edges": [10.0, 20.0, 30.0], "floor": None, "wrong": 0.02}
    even = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5), mechanism="recode", **how)
    assert "values stay in their bin" in " ".join(str(even.explain()).split())


def test_the_error_says_what_it_leaves_out(
    found: pf.Calibration, table: dict[str, np.ndarray]
) -> None:
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    values, counts = np.unique(table["value"][~np.isnan(table["value"])], return_counts=True)
    frequencies = dict(zip(values.tolist(), counts.tolist(), strict=True))
    # By another way: the map's own whole numbers, row by row.
    places = np.searchsorted(EDGES, values, side="right")
    holes = np.array([float(row[-1]) for row in law.table]) / 2.0**62
    share = float(counts @ holes[places]) / counts.sum()
    assert lost(law, frequencies) == pytest.approx(share, rel=1e-9)
    assert share > 0.0
    said = " ".join(str(found.explain()).split())
    assert f"the {100 * share:.2g}% of values that become missing are not counted" in said


def test_public_edges_are_public(found: pf.Calibration, table: dict[str, np.ndarray]) -> None:
    plan = pf.Plan(calibration=found, column="value", secret="secret", missing="keep")
    public = pf.release(table, plan).record.to_dict(edition="public")
    assert public["recode"]["edges"] == EDGES
    assert "between the public edges 10, 20, 35" in public["promise"]
    # Edges that were found from the rows are not.
    beliefs = pf.fit_beliefs({**table, "value": table["value"] * np.pi}, "value", "secret")
    own = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(2.0), mechanism="recode", floor=None, nominal=True
    )
    assert own.recode is not None
    assert own.recode.edges is None
    given = {**table, "value": table["value"] * np.pi}
    private = pf.Plan(calibration=own, column="value", secret="secret", missing="keep")
    stated = pf.release(given, private).record.to_dict(edition="public")
    assert stated["recode"]["bins"] is True
    assert "edges" not in stated["recode"]
    assert "stand for bins, whose edges are not public" in stated["promise"]
    again = pf.stress(
        pf.Plan(calibration=own, column="value", secret="secret", missing="keep"),
        {**table, "value": table["value"] * np.pi},
        columns=[],
        resamples=10,
        splits=0,
        learner=False,
        wrongs=(),
    )
    (case,) = again.of("population")
    assert case.answer is not None
    assert "needs public bins" in case.answer.note


def test_edges_of_a_plan_are_those_of_its_map(found: pf.Calibration) -> None:
    plan = pf.Plan(calibration=found, column="value", secret="secret", missing="keep")
    document = plan.to_dict()
    assert pf.Plan.from_dict(document).calibration.recode == found.recode
    document["recode"]["edges"] = [10.0, 20.0, 31.0]
    with pytest.raises(pf.InvalidInputError, match="edges"):
        pf.Plan.from_dict(document)
