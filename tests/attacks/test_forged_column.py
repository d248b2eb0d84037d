"""Refutes "Every claim of this record holds" for a record whose file is the raw column.

Nothing in a record ties the published values to the noise but the checksum, and a forger computes
his own. What the values themselves give away is looked at.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.attacks.forging import raw, released, replaced
from tests.support import verdict

EDITIONS = ["record.json", "public.json"]


def text(values: object) -> str:
    return "height\n" + "\n".join(repr(float(x)) for x in np.asarray(values)) + "\n"


@pytest.mark.parametrize("name", EDITIONS)
def test_the_true_column_is_not_accused(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    assert pf.verify_record(tmp_path / name).verdict is not False


@pytest.mark.parametrize("name", EDITIONS)
def test_the_raw_column_with_its_own_checksum(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    replaced(tmp_path, text(raw()))
    found = pf.verify_record(tmp_path / name)
    assert found.verdict is False
    assert verdict(found, "look like values with this noise") is False
    with pytest.raises(pf.CertificationError, match="look like values with this noise"):
        report(tmp_path / name, edition="public")


def test_the_raw_column_with_very_little_noise(tmp_path: Path) -> None:
    done = released(tmp_path)
    grid = done.record.plan.calibration.noise.grid
    assert grid is not None
    little = np.random.default_rng(1).laplace(0.0, 0.05, raw().size)
    replaced(tmp_path, text(np.rint((raw() + little) / grid) * grid))
    assert pf.verify_record(tmp_path / "public.json").verdict is False


def test_one_value_for_all(tmp_path: Path) -> None:
    released(tmp_path)
    replaced(tmp_path, text(np.full(raw().size, 170.123456789)))
    assert pf.verify_record(tmp_path / "public.json").verdict is False


def test_the_secret_beside_the_column(tmp_path: Path) -> None:
    """The file has a column that the record does not name."""
    released(tmp_path)
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").split()
    marked = [f"{line},{'ab'[row % 2]}" for row, line in enumerate(lines[1:])]
    replaced(tmp_path, "\n".join(["height,team", *marked]) + "\n")
    assert pf.verify_record(tmp_path / "public.json").verdict is False


def test_fewer_rows(tmp_path: Path) -> None:
    released(tmp_path)
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    replaced(tmp_path, "\n".join(lines[:-1]) + "\n")
    assert pf.verify_record(tmp_path / "public.json").verdict is False


def test_values_outside_the_bounds_they_were_clipped_to(tmp_path: Path) -> None:
    steps = (pf.RoundTo(1.0), pf.Clip(100.0, 250.0))
    released(tmp_path, postprocess=steps)
    assert pf.verify_record(tmp_path / "record.json").verdict is True
    replaced(tmp_path, "height\n" + "251\n" * raw().size)
    assert pf.verify_record(tmp_path / "record.json").verdict is False


def test_what_rounding_hides_is_said(tmp_path: Path) -> None:
    """Rounded to whole numbers, a raw column may look as a noised one: then nothing is claimed."""
    released(tmp_path, postprocess=(pf.RoundTo(1.0),))
    replaced(tmp_path, "height\n" + "".join(f"{x:.0f}\n" for x in raw()))
    found = pf.verify_record(tmp_path / "record.json")
    said = " ".join([*found.notes, *(check.claim for check in found.checks)])
    assert "cannot be told from its values" in said
    assert "look like values with this noise" not in said
    assert "Without the data nobody can check that the noise was really drawn" in found.conclusion
