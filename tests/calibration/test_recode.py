"""The recoding with the least loss: what it promises, what it refuses, what it costs."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.exact import WHOLE
from tests.recoding.referee import exp_fraction, spent

CASES = json.loads((Path(__file__).parents[1] / "data" / "recoding_education.json").read_text())


def education(pair: list[str] | None) -> pf.Scenario:
    pairs = None if pair is None else [(pair[0], pair[1])]
    return pf.Scenario(pf.datasets.adult_tables(), pairs=pairs)


def laws_of(scenario: pf.Scenario) -> list[list[Fraction]]:
    belief, found = scenario.beliefs[0], []
    values = sorted({float(v) for law in belief.priors.values() for v in law.values})
    for secret in scenario.secrets:
        law: Any = belief.priors[secret]
        counts = dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))
        found.append([Fraction(counts.get(v, 0), sum(counts.values())) for v in values])
    return found
