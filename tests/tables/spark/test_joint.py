"""Tables on a cluster: the same law, counts and refusals as on one machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError
from pufferfish.learning import Sample
from tests import seams
from tests.joint import test_several_measured as several
from tests.joint.engines import plain
from tests.joint.test_kinds_of_secrets import EDGES
from tests.joint.test_kinds_of_secrets import planned as bands_planned
from tests.joint.test_kinds_of_secrets import table as bands_table
from tests.joint.test_rows import ROWS, check, mixed, planned, table, unseen

pytestmark = pytest.mark.xdist_group("spark")


def given(spark: Any, rows: Any, parts: int = 3) -> Any:
    return spark.createDataFrame(rows).repartition(parts)


def test_a_table(spark: Any, tmp_path: Path) -> None:
    """Texts, truth values, dates by year and numbers with holes, together, by strata."""
    local = pf.release(table(), mixed()).record
    done = pf.release(given(spark, table()), mixed(), tmp_path / "out")
    published = plain(done.frame.toArrow())
    order = sorted(range(ROWS), key=lambda row: int(published["note"][row][4:]))
    check({name: [each[row] for row in order] for name, each in published.items()}, mixed())
    found = done.record
    for name in ("read", "published", "missing", "unprotected", "unseen"):
        assert getattr(found, f"rows_{name}") == getattr(local, f"rows_{name}")
    assert found.beliefs_from == "this table"
    assert found.known_says == local.known_says
    assert found.reveals is not None
    for edition in ("internal", "public"):
        found.save(tmp_path / f"{edition}.json", edition)
        checks = pf.verify_record(tmp_path / f"{edition}.json").checks
        assert all(each.verdict is not False for each in checks)


def test_combinations_that_were_never_seen(spark: Any, tmp_path: Path) -> None:
    """They are counted before anything is drawn."""
    plan = planned(["size", "code"], calibrate={"wrong": 0.01, "nominal": False}, goal=1.0)
    most = plain(table())["g"].count("b") // 100
    few, many = (given(spark, unseen("b", rows)) for rows in (most, most + 1))
    done = pf.release(few, plan, tmp_path / "out", beliefs_from_plan=True)
    assert done.record.rows_unseen == most
    with pytest.raises(DataError, match=r"rows have values that no belief considers\. Among"):
        pf.release(many, plan, tmp_path / "more", beliefs_from_plan=True)
    strict = planned(["size", "code"])
    with pytest.raises(
        DataError, match="no belief describes this combination of 'size' and 'code'"
    ):
        pf.release(given(spark, unseen("a", 1)), strict, tmp_path / "more", beliefs_from_plan=True)
    with pytest.raises(DataError, match="fitted on another table"):
        pf.release(given(spark, unseen("a", 1)), plan, tmp_path / "more")
    assert not (tmp_path / "more").exists()


def test_numbers_by_strata(spark: Any, tmp_path: Path) -> None:
    """Rows without a number are left out; those outside and capped are counted."""
    beliefs = [
        pf.Belief(
            {"a": pf.Gaussian(40.0, 9.0), "b": pf.Gaussian(mean, 9.0)},
            name=sex,
            given={"sex": sex},
            provenance="public",
            cap=(20.0, 70.0),
        )
        for sex, mean in (("f", 42.0), ("m", 48.0))
    ]
    cal = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.1), keep=["sex"])
    plan = pf.Plan(
        calibration=cal,
        columns=["code"],
        secret="g",
        keep=["sex"],
        others=["c"],
        missing="drop",
        cap=(20.0, 70.0),
    )
    local = pf.release(table(), plan).record
    found = pf.release(given(spark, table()), plan, tmp_path / "out").record
    for name in ("read", "published", "missing", "unprotected", "unseen", "outside", "capped"):
        assert getattr(found, f"rows_{name}") == getattr(local, f"rows_{name}"), name


@pytest.mark.parametrize("jointly", [False, True])
def test_several_secrets_are_measured(spark: Any, tmp_path: Path, jointly: bool) -> None:
    """In rows that the executors choose for each secret; more than are wanted are there."""
    plan = several.plan_of(several.told(), ["r", "s"], **several.HOW[jointly])
    many = spark.createDataFrame(several.told()).repartition(3)
    found = pf.release(many, plan, tmp_path / "out").record
    if jointly:
        assert found.reveals is not None
        assert found.reveals.found_percent > 88
    else:
        several.check(found, {"s = u", "s = v"})


def test_executors_choose_the_same_share_of_all_rows_of_a_secret(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of a common secret that have a rare one besides are not seen more often."""
    seams.put(monkeypatch, seams.FEWEST_OF_EACH_SECRET, 300)
    seen: list[Any] = []
    look = Sample.look

    def looked(self: Sample, codes: Any, labels: Any, columns: Any) -> None:
        seen.append((codes, labels, columns(np.arange(codes.size))["tells"]))
        look(self, codes, labels, columns)

    monkeypatch.setattr(Sample, "look", looked)
    monkeypatch.setattr("pufferfish.releases.session.Sample", partial(Sample, most=0))
    frame = several.told()
    # "s = u" is rare, and "tells" says so for certain.
    rare = np.arange(len(frame)) % 20 == 0
    frame["s"], frame["tells"] = np.where(rare, "u", "v"), np.where(rare, "p", "q")
    plan = several.plan_of(frame, ["r", "s"])
    pf.release(given(spark, frame), plan, tmp_path / "out")
    tells = [
        cell
        for codes, labels, cells in seen
        for code, cell in zip(codes.tolist(), cells, strict=True)
        if code >= 0 and labels[code] == "r = a"
    ]
    # About 330 of 2,700 rows, 5% of them rare; were these chosen by both secrets, nearly half were.
    assert len(tells) < 1000
    assert tells.count("p") / len(tells) < 0.12


def test_what_is_kept_unprotected_is_measured_against_bands(spark: Any, tmp_path: Path) -> None:
    """Rows are grouped and sampled by the bands of the secret, and not by its numbers."""
    frame = bands_table("bands")
    frame.loc[::7, "s"] = float("nan")
    frame["tells"] = np.digitize(frame["s"].fillna(0.0), EDGES)
    plan = bands_planned(frame, "bands", keep_unprotected=("tells",))
    local = pf.release(frame, plan).record
    found = pf.release(given(spark, frame), plan, tmp_path / "out").record
    assert found.rows_unprotected == local.rows_unprotected == len(frame.loc[::7])
    assert local.reveals is not None
    assert found.reveals is not None
    assert found.reveals.found_percent > 90
    assert found.beliefs_from == "this table"
