"""Noise by known columns, for laws that may be wrong: plan, record and verify carry the share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pufferfish as pf


def released() -> pf.Record:
    draws = np.random.default_rng(3)
    frame = {
        "x": draws.integers(0, 6, 800).astype(float),
        "s": draws.choice(["a", "b"], 800),
        "z": draws.choice(["m", "n"], 800),
    }
    beliefs = pf.fit_beliefs(
        frame, "x", "s", ["empirical"], known=["z"], cap=(0.0, 8.0), provenance="public"
    )
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0), keep=["z"], wrong=0.05)
    assert all(part.certificate.wrong == 0.05 for part in found.parts)
    plan = pf.Plan(calibration=found, column="x", secret="s", keep=["z"], cap=(0.0, 8.0))
    return pf.release(frame, plan).record


@pytest.mark.parametrize("share", [0.05, 0.04])
def test_a_record_with_its_own_share_verifies_and_with_another_does_not(
    share: float, tmp_path: Path
) -> None:
    data = released().to_dict("internal")
    assert "within 5% of a described one" in data["promise"]
    for part in (data, data["plan"], data["certificate"]):
        assert part["wrong"] == 0.05
        part["wrong"] = share
    place = tmp_path / "record.json"
    place.write_text(json.dumps(data))
    refused = [each for each in pf.verify_record(place).checks if each.verdict is False]
    assert bool(refused) is (share != 0.05)
