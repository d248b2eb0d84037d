"""The built-in tables and the paper's mixtures, as beliefs.

The tables are counts derived from the UCI Adult data (Becker and Kohavi, doi 10.24432/C5XW20) and
the UCI Heart Disease data, Hungarian file (Janosi, Steinbrunn, Pfisterer and Detrano, doi
10.24432/C52P4X), both CC BY 4.0.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from importlib.resources import files

from pufferfish.priors import Discrete, GaussianMixture
from pufferfish.scenario import Belief

__all__ = ["adult_mixtures", "adult_tables", "hungarian_tables"]


def adult_mixtures() -> Belief:
    """Education level by race as the paper's adversary fits it (Fig. 3): two 4-component mixtures.

    Recovered from the curves in the paper's source, which they reproduce to 1e-15; the paper's
    text says three components.
    """
    data = json.loads(_read("adult_mixtures.json"))
    priors = {secret: GaussianMixture(**fields) for secret, fields in data.items()}
    return Belief(priors, name="paper's mixtures", provenance="public")


def adult_tables() -> Belief:
    """Education level by race: how often each level occurs in the 32,561 records of UCI Adult."""
    return _tables("adult_education_by_race.csv", name="Adult table")


def hungarian_tables() -> Belief:
    """Cholesterol by sex: the 294 records of the Hungarian heart data, 23 of them missing."""
    return _tables("hungarian_chol_by_sex.csv", name="Hungarian table")


def _tables(name_of_file: str, *, name: str) -> Belief:
    """Rows of (secret, value, count) as one table per secret; an empty value is a missing one."""
    rows = list(csv.reader(_read(name_of_file).splitlines()))[1:]
    counts: dict[str, dict[float, int]] = defaultdict(dict)
    holes: dict[str, int] = defaultdict(int)
    for secret, value, count in rows:
        if value:
            counts[secret][float(value)] = int(count)
        else:
            holes[secret] += int(count)
    priors, missing = {}, {}
    for secret, table in counts.items():
        total = sum(table.values())
        priors[secret] = Discrete.from_counts(table)
        missing[secret] = holes[secret] / (total + holes[secret])
    return Belief(priors, name=name, provenance="public", missing=missing)


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
