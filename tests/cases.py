"""The reference cases in tests/data, as priors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pufferfish as pf
from pufferfish.beliefs.priors import Prior

_DATA = Path(__file__).parent / "data"


def load(name: str) -> list[dict[str, Any]]:
    """The cases of one file."""
    cases: list[dict[str, Any]] = json.loads((_DATA / name).read_text())
    return cases


def prior_from(fields: dict[str, list[float]]) -> Prior:
    """A table where every std is 0, else a mixture."""
    if not any(fields["stds"]):
        return pf.Discrete(fields["means"], fields["weights"])
    return pf.GaussianMixture(fields["weights"], fields["means"], fields["stds"])


def is_offered(fields: dict[str, list[float]]) -> bool:
    """Whether the law is a table or a mixture, not both at once."""
    return all(fields["stds"]) or not any(fields["stds"])
