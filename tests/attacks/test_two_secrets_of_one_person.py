"""A person who appears with two secrets.

Refuted: "ε = 1 for one person", of somebody whose rows have different secrets: the promise is about
one secret of one person, and the table was released all the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from tests.attacks.rows_of_persons import KINDS, released, typed

LAWS = {"a": pf.Discrete([0.0, 1.0], [0.5, 0.5]), "b": pf.Discrete([0.0, 1.0], [0.1, 0.9])}
SCENARIO = pf.Scenario(pf.Belief(LAWS))
NAME = "somebody nobody may name"


def table(persons: int = 300) -> dict[str, Any]:
    generator = np.random.default_rng(3)
    secret = np.where(np.arange(persons) % 2 == 0, "a", "b")
    names = np.array([f"person {number}" for number in range(persons)])
    names[7] = NAME
    both = np.tile(np.arange(persons), 2)
    found = {"id": names[both], "s": secret[both], "x": generator.integers(0, 2, 2 * persons) * 1.0}
    # The second row of one person has the other secret.
    found["s"][persons + 7] = "a"
    return found


WAYS: dict[str, dict[str, Any]] = {
    "any": {"rows_per_person": 2},
    "equal": {"rows_per_person": 2, "dependence": "equal"},
    "independent": {"rows_per_person": 2, "dependence": "independent"},
    "first": {"one_row": "first"},
    "mean": {"one_row": "mean"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_refused(kind: str, way: str, tmp_path: Path) -> None:
    goal = pf.Guarantee(1.0)
    several = way in ("any", "equal")
    calibration = (
        pf.calibrate_rows(SCENARIO, goal, 2, WAYS[way].get("dependence", "any"))
        if several
        else pf.calibrate(SCENARIO, goal)
    )
    plan = pf.Plan(
        calibration=calibration, column="x", secret="s", unit="person", person="id", **WAYS[way]
    )
    with pytest.raises(pf.DataError, match="some person has several values of 's'") as refusal:
        released(kind, table(), plan, tmp_path)
    assert NAME not in str(refusal.value)
    assert not list(tmp_path.glob("out*"))


def test_it_is_refused_where_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = table()
    rows = zip(*(columns[name].tolist() for name in ("id", "s", "x")), strict=True)
    text = "id,s,x\n" + "".join(f"{who},{secret},{value}\n" for who, secret, value in rows)
    (tmp_path / "table.csv").write_text(text)
    command = ("release", "table.csv", "-c", "x", "-s", "s", "-e", "1", "-o", "out.csv")
    assert typed(*command, "--person", "id", "--rows-per-person", 2, "--belief", "empirical") == 4
    said = capfd.readouterr().err
    assert "some person has several values of 's'" in said
    assert NAME not in said
