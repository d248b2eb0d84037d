"""The built-in tables, as columns and as beliefs, and the paper's mixtures.

The tables come from the UCI Adult data, training file (Becker and Kohavi, doi 10.24432/C5XW20), and
the UCI Heart Disease data, Hungarian file (Janosi, Steinbrunn, Pfisterer and Detrano, doi
10.24432/C52P4X), both CC BY 4.0. Adult has ten columns of all records; the heart data has counts
only.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Discrete, GaussianMixture
from pufferfish.beliefs.scenario import Belief
from pufferfish.core.validation import FloatArray

__all__ = [
    "adult",
    "adult_education",
    "adult_mixtures",
    "adult_tables",
    "csv_text",
    "hungarian_cholesterol",
    "hungarian_tables",
]

_ADULT = "adult_education_by_race.csv"
_ADULT_RECORDS = "adult.csv.gz"
_ADULT_NUMBERS = frozenset({"age", "education-num", "capital-gain", "hours-per-week"})
_ADULT_MISSING = "?"
_HUNGARIAN = "hungarian_chol_by_sex.csv"


def adult() -> dict[str, np.ndarray[Any, Any]]:
    """Ten columns of UCI Adult, 32,561 rows in the order of the UCI training file.

    "age", "education-num", "capital-gain" and "hours-per-week" are whole numbers; "marital-status",
    "occupation", "race", "sex", "native-country" and "income" are texts. Where the file has "?"
    (1,843 occupations, 583 countries) the entry is None. Frames accept the dict like that of
    `adult_education`, and treat None as missing.
    """
    packed = files(__package__).joinpath(_ADULT_RECORDS).read_bytes()
    header, _, body = gzip.decompress(packed).decode().partition("\n")
    names = header.split(",")
    # No entry of the file has a comma or a quotation mark in it.
    entries = body.rstrip("\n").replace("\n", ",").split(",")
    return {
        name: _adult_column(name, entries[place :: len(names)]) for place, name in enumerate(names)
    }


def _adult_column(name: str, entries: list[str]) -> np.ndarray[Any, Any]:
    """One column, in the type of its entries."""
    if name in _ADULT_NUMBERS:
        return np.array(entries, dtype=np.int64)
    if _ADULT_MISSING not in entries:
        return np.array(entries)
    return np.array([None if each == _ADULT_MISSING else each for each in entries], dtype=object)


def adult_education() -> dict[str, np.ndarray[Any, Any]]:
    """The columns "education-num" and "race" of UCI Adult, 32,561 rows, as a dict of arrays.

    `pandas.DataFrame(...)`, `polars.DataFrame(...)` and `pyarrow.table(...)` accept it. Rows are
    sorted by race and value; `adult` has them in the order of the file, with other columns.
    """
    secrets, values = _columns(_ADULT)
    return {"education-num": values.astype(np.int64), "race": secrets}


def hungarian_cholesterol() -> dict[str, np.ndarray[Any, Any]]:
    """The columns "chol" and "sex" of the Hungarian heart data, 294 rows, as a dict of arrays.

    23 values are missing (nan). Rows are sorted, as in `adult_education`.
    """
    secrets, values = _columns(_HUNGARIAN)
    return {"chol": values, "sex": secrets}


def csv_text(columns: Mapping[str, np.ndarray[Any, Any]]) -> str:
    """Columns as the text of a CSV; a missing value (nan or None) is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    cells = (
        ["" if value != value else value for value in column.tolist()]  # noqa: PLR0124
        for column in columns.values()
    )
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def adult_mixtures() -> Belief:
    """Education level by race as the paper's adversary fits it (Fig. 3): two 4-component mixtures.

    They were recovered from the curves in the paper's source, which they reproduce to 1e-15; the
    paper's text says three components.
    """
    data = json.loads(_read("adult_mixtures.json"))
    priors = {secret: GaussianMixture(**fields) for secret, fields in data.items()}
    return Belief(priors, name="paper's mixtures", provenance="public")


def adult_tables() -> Belief:
    """Education level by race: how often each level occurs in the 32,561 records of UCI Adult."""
    return _tables(_ADULT, name="Adult table")


def hungarian_tables() -> Belief:
    """Cholesterol by sex: the 294 records of the Hungarian heart data, 23 of them missing."""
    return _tables(_HUNGARIAN, name="Hungarian table")


def _tables(name_of_file: str, *, name: str) -> Belief:
    """Rows of (secret, value, count) as one table per secret; an empty value is a missing one."""
    counts: dict[str, dict[float, int]] = defaultdict(dict)
    holes: dict[str, int] = defaultdict(int)
    for secret, value, count in _cells(name_of_file):
        if math.isnan(value):
            holes[secret] += count
        else:
            counts[secret][value] = count
    whole: Counter[float] = Counter()
    for table in counts.values():
        whole.update(table)
    return Belief(
        {secret: Discrete.from_counts(table) for secret, table in counts.items()},
        name=name,
        provenance="public",
        missing_counts={secret: holes[secret] for secret in counts},
        frequencies=Discrete.from_counts(whole),
        frequencies_missing=sum(holes.values()),
    )


def _columns(name_of_file: str) -> tuple[np.ndarray[Any, Any], FloatArray]:
    """The rows that the counts represent: secrets and values."""
    secrets, values, counts = zip(*_cells(name_of_file), strict=True)
    return np.repeat(np.array(secrets), counts), np.repeat(np.array(values), counts)


def _cells(name_of_file: str) -> list[tuple[str, float, int]]:
    """Rows of (secret, value, count); an empty value is a missing one."""
    rows = list(csv.reader(_read(name_of_file).splitlines()))[1:]
    return [(secret, float(value or "nan"), int(count)) for secret, value, count in rows]


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
