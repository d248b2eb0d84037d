"""The built-in tables are the published counts."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pufferfish as pf


def test_adult_counts() -> None:
    belief = pf.datasets.adult_tables()
    assert set(belief.priors) == {
        "Amer-Indian-Eskimo",
        "Asian-Pac-Islander",
        "Black",
        "Other",
        "White",
    }
    assert belief.public
    assert not any(belief.missing.values())
    for table in belief.priors.values():
        assert isinstance(table, pf.Discrete)
        assert table.values.min() >= 1
        assert table.values.max() <= 16


def test_hungarian_holes() -> None:
    """23 of 294 values are missing."""
    belief = pf.datasets.hungarian_tables()
    records = {"female": 81, "male": 213}  # published with the data set
    holes = sum(belief.missing[sex] * count for sex, count in records.items())
    assert holes == pytest.approx(23)


COLUMNS = {
    "adult": (pf.datasets.adult_education, pf.datasets.adult_tables, "education-num", "race"),
    "hungarian": (pf.datasets.hungarian_cholesterol, pf.datasets.hungarian_tables, "chol", "sex"),
}
ROWS = {"adult": 32_561, "hungarian": 294}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_have_the_counts_of_the_tables(name: str) -> None:
    read, tables, column, secret = COLUMNS[name]
    table, belief = read(), tables()
    assert list(table) == [column, secret]
    assert table[column].shape == table[secret].shape == (ROWS[name],)
    assert set(table[secret].tolist()) == set(belief.priors)
    for label, law in belief.priors.items():
        values = table[column][table[secret] == label].astype(np.float64)
        holes = np.isnan(values)
        assert pf.Discrete.from_counts(Counter(values[~holes].tolist())) == law
        assert holes.mean() == pytest.approx(belief.missing[label], rel=1e-14, abs=0.0)
        assert holes.sum() == belief.missing_counts[label]
    assert belief.frequencies is not None
    assert belief.frequencies.whole_weights[1] + belief.frequencies_missing == ROWS[name]


def test_columns_have_the_types_of_what_they_hold() -> None:
    adult, hungarian = pf.datasets.adult_education(), pf.datasets.hungarian_cholesterol()
    assert adult["education-num"].dtype == np.int64
    assert hungarian["chol"].dtype == np.float64
    assert np.isnan(hungarian["chol"]).sum() == 23
    # Every call its own copy.
    adult["education-num"][:] = 0
    assert pf.datasets.adult_education()["education-num"].min() >= 1


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_columns_make_a_frame_as_they_are(name: str, frame: Any) -> None:
    read, tables, column, secret = COLUMNS[name]
    summary = pf.summarise(frame(read()), column=column, secret=secret)
    for label, law in tables().priors.items():
        group = summary.groups[label]
        assert group.values.tolist() == law.values.tolist()
        np.testing.assert_allclose(group.counts / group.records, law.probabilities, rtol=1e-14)
        assert group.missing_share == pytest.approx(tables().missing[label], rel=1e-14, abs=0.0)
