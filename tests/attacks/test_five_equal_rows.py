"""Five equal rows of one person are five draws of one value.

Refuted: "ε = 1 for one person (up to 5 rows) ... certified exactly", where the published rows of a
tall person changed the log-odds by 11.1.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from tests.attacks.rows_of_persons import KINDS, five_heights, given, log_odds, released, typed

ROWS = 5
TABLE = five_heights()
COMMAND = ("release", "table.csv", "-c", "height", "-s", "sex", "-e", "1", "-o", "out.csv")
PERSON = ("--person", "id", "--rows-per-person", str(ROWS))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    given("csv", TABLE, tmp_path)
    return tmp_path


def scenario() -> pf.Scenario:
    return pf.Scenario(pf.fit_beliefs(counted(), families=["empirical"]))


def counted() -> pf.Counts:
    return pf.summarise(TABLE, column="height", secret="sex")


def laws() -> list[list[tuple[float, list[float]]]]:
    """The joint law of a person's rows, for each secret: all of them equal."""
    return [
        [
            (count / group.counts.sum(), [value] * ROWS)
            for value, count in zip(group.values, group.counts, strict=True)
        ]
        for group in counted().groups.values()
    ]


def largest_change(scale: float) -> float:
    """Of the log-odds: over published rows of tall persons, and at the corners of what is seen."""
    generator = np.random.default_rng(1)
    drawn = 210.0 + generator.laplace(0.0, scale, (20_000, ROWS))
    corners = np.array(list(product([-1e6, 166.0, 180.0, 1e6], repeat=ROWS)))
    first, second = laws()
    return float(np.abs(log_odds(first, second, scale, np.vstack([drawn, corners]))).max())


def test_the_attack_breaks_what_was_promised_before() -> None:
    """Each row at ε/5, as if rows were independent: the attacker is sure."""
    noise = pf.calibrate(scenario(), pf.Guarantee(1.0 / ROWS)).noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert largest_change(noise.scale) > 8.0


def test_noise_for_one_row_is_no_plan_for_five() -> None:
    one = pf.calibrate(scenario(), pf.Guarantee(1.0 / ROWS))
    several: dict[str, Any] = {"unit": "person", "person": "id", "rows_per_person": ROWS}
    for dependence in ("any", "equal"):
        with pytest.raises(pf.CertificationError, match="calibrated for one row"):
            pf.Plan(
                calibration=one, column="height", secret="sex", dependence=dependence, **several
            )


def test_by_default_smooth_beliefs_are_refused(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing bounds how far apart two values are, so nothing is promised for five."""
    assert typed(*COMMAND, *PERSON) == 3
    said = capfd.readouterr().err
    for way in ("--one-row", "--rows-are equal", "--rows-are independent", "--belief empirical"):
        assert way in said
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("more", [(), ("--rows-are", "equal")])
def test_what_is_promised_is_kept(
    folder: Path, capfd: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    assert typed(*COMMAND, *PERSON, "--belief", "empirical", *more) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "Promise ε = 1 for one person (at most 5 rows" in said
    assert "exactly" not in said
    record = json.loads((folder / "out.csv.public.json").read_text())
    assert record["goal"] == {"epsilon": 1.0, "delta": 0.0}
    assert 0.0 < largest_change(record["noise"]["scale"]) <= 1.0
    assert typed("verify", "out.csv.record.json") == 0
    said = capfd.readouterr().out
    assert "this noise keeps ε = 1 for 5 rows of a person, for every pair and adversary" in said
    assert "for one row, and 5 rows cost ε = " in said
    typed("audit", "out.csv.record.json", "--draws", "20000")
    said = capfd.readouterr().out
    assert said.startswith(
        "The attacks look at single rows. The promise of ε = 1 is about 5 rows of a"
    )


def test_stated_independence_is_refused_by_the_data(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert typed(*COMMAND, *PERSON, "--belief", "empirical", "--rows-are", "independent") == 4
    said = capfd.readouterr().err
    assert "a test at level 1% rejects it" in said
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_is_tested(kind: str, tmp_path: Path) -> None:
    plan = pf.Plan(
        calibration=pf.calibrate(scenario(), pf.Guarantee(1.0 / ROWS)),
        column="height",
        secret="sex",
        unit="person",
        person="id",
        rows_per_person=ROWS,
        dependence="independent",
    )
    with pytest.raises(pf.DataError, match="not independent given the secret"):
        released(kind, TABLE, plan, tmp_path)


@pytest.mark.parametrize("way", ["first", "mean"])
def test_one_row_of_each_costs_what_one_row_costs(folder: Path, way: str) -> None:
    assert typed(*COMMAND, "--person", "id", "--one-row", way, "--belief", "empirical") == 0
    record = json.loads((folder / "out.csv.record.json").read_text())
    assert record["published"]["rows"] == 2000
    alone = pf.calibrate(scenario(), pf.Guarantee(1.0)).noise
    assert isinstance(alone, pf.LaplaceNoise)
    # The counts of persons are a fifth of those of rows, so the laws are the same; the published
    # size is rounded up.
    assert alone.scale <= record["noise"]["scale"] <= 1.5 * alone.scale
    person = "its first row" if way == "first" else "the mean of its values"
    assert person in record["promise"]
