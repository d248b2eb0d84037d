"""An audit of a sum: its release code is consistent, and too little noise is caught."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits import audit_data
from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.sums import SumPlan, binary, calibrate_sum, release_sum

USERS = binary([0.5], [1.0], [12])
PLAN = SumPlan(calibration=calibrate_sum(USERS, pf.Guarantee(1.0)))


def weaker(values: Any) -> Any:
    """The release code, with 40% too little noise."""
    noise = PLAN.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    law = replace(noise, scale=0.6 * noise.scale)
    certificate = pf.verify(PLAN.scenario, law, pf.Guarantee(9.0))
    return pf.Mechanism(noise=law, certificate=certificate).apply(values)


def test_the_planned_noise_is_consistent() -> None:
    found = pf.audit(PLAN.mechanism, PLAN.scenario, PLAN.certificate.goal, draws=200_000)
    assert found.verdict == "consistent"


def test_two_fifths_too_little_noise_is_caught() -> None:
    found = pf.audit(weaker, PLAN.scenario, PLAN.certificate.goal, draws=2_000_000)
    assert found.verdict == "violated"


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = release_sum([0.0, 1.0] * 6, PLAN).record
    for edition in ("internal", "public"):
        record.save(tmp_path / f"{edition}.json", edition)
    PLAN.save(tmp_path / "plan.json")
    for name in ("internal.json", "plan.json"):
        assert run(["audit", str(tmp_path / name), "--draws", "50000"]) == 0
        said = capfd.readouterr().out
        assert "'user 1: present' against 'user 1: absent'" in said
    assert run(["audit", str(tmp_path / "public.json")]) == Exit.NOT_CHECKABLE
    assert "private" in capfd.readouterr().out


def test_there_are_no_rows_for_learners() -> None:
    with pytest.raises(pf.UnsupportedError, match="has none"):
        audit_data({"value": np.zeros(9)}, PLAN)
