"""A true release, and what a forger may do with its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pufferfish as pf
from pufferfish.tables.manifest import file_sha256

ROWS = 400


@cache
def _calibration(provenance: str) -> pf.Calibration:
    laws = {"a": pf.Gaussian(170.0, 7.0), "b": pf.Gaussian(172.0, 8.0)}
    belief = pf.Belief(laws, provenance=provenance)
    return pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0))


def raw() -> Any:
    """A column of whole numbers."""
    return np.random.default_rng(19).normal(171.0, 7.0, ROWS).round()


def released(folder: Path, provenance: str = "private", **fields: Any) -> pf.Release:
    """A released CSV with both editions of its record, in a folder."""
    lines = [f"{x:.0f},{'ab'[row % 2]},{row % 7}" for row, x in enumerate(raw())]
    (folder / "in.csv").write_text("\n".join(["height,team,shoe", *lines]) + "\n", encoding="utf-8")
    plan = pf.Plan(calibration=_calibration(provenance), column="height", secret="team", **fields)
    done = pf.release(folder / "in.csv", plan, folder / "out.csv")
    done.record.save(folder / "record.json", "internal")
    done.record.save(folder / "public.json", "public")
    return done


def edited(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The same file with a changed document."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def replaced(folder: Path, text: str, *names: str) -> None:
    """Another published file, with its own checksum in the records."""
    (folder / "out.csv").write_text(text, encoding="utf-8")
    digest = file_sha256(folder / "out.csv")
    for name in names or ("record.json", "public.json"):
        edited(folder / name, lambda data: data["published"].update(sha256=digest))
