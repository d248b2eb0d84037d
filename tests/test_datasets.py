"""The built-in tables are the published counts."""

import csv
import io
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


NUMBERS = ["age", "education-num", "capital-gain", "hours-per-week"]
TEXTS = ["marital-status", "occupation", "race", "sex", "native-country", "income"]
HOLES = {"occupation": 1843, "native-country": 583}  # "?" in the UCI file


class TestAdult:
    def test_ten_columns_of_every_record(self) -> None:
        table = pf.datasets.adult()
        assert sorted(table) == sorted(NUMBERS + TEXTS)
        assert {column.shape for column in table.values()} == {(32_561,)}
        for name in NUMBERS:
            assert table[name].dtype == np.int64
        for name in TEXTS:
            entries = table[name].tolist()
            holes = sum(each is None for each in entries)
            assert holes == HOLES.get(name, 0)
            assert {type(each) for each in entries if each is not None} == {str}
            assert not {each for each in entries if each is not None and each.strip("? ") != each}
        kinds = {name: len(set(column.tolist())) for name, column in table.items()}
        assert kinds == {
            "age": 73,
            "education-num": 16,
            "marital-status": 7,
            "occupation": 15,
            "race": 5,
            "sex": 2,
            "capital-gain": 119,
            "hours-per-week": 94,
            "native-country": 42,
            "income": 2,
        }

    def test_the_order_is_that_of_the_file(self) -> None:
        """First and last record, as they stand in the training file."""
        table = pf.datasets.adult()
        first, last = ({name: column[i] for name, column in table.items()} for i in (0, -1))
        assert list(table) == list(first)
        assert list(first.values()) == [
            *(39, 13, "Never-married", "Adm-clerical", "White", "Male"),
            *(2174, 40, "United-States", "<=50K"),
        ]
        assert list(last.values()) == [
            *(52, 9, "Married-civ-spouse", "Exec-managerial", "White", "Female"),
            *(15024, 40, "United-States", ">50K"),
        ]

    def test_the_counts_are_those_of_the_table(self) -> None:
        whole, counts = pf.datasets.adult(), pf.datasets.adult_education()
        cells = [
            Counter(zip(each["race"].tolist(), each["education-num"].tolist(), strict=True))
            for each in (whole, counts)
        ]
        assert cells[0] == cells[1]

    def test_every_call_gives_its_own_copy(self) -> None:
        changed = pf.datasets.adult()
        changed["age"][:] = 0
        changed["occupation"][:] = None
        table = pf.datasets.adult()
        assert table["age"].min() == 17
        assert table["occupation"][0] == "Adm-clerical"

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
    def test_it_makes_a_frame_as_it_is(self, frame: Any) -> None:
        made = frame(pf.datasets.adult())
        summary = pf.summarise(made, column="education-num", secret="race")
        for label, law in pf.datasets.adult_tables().priors.items():
            assert summary.groups[label].counts.sum() == law.counts.sum()
            assert summary.groups[label].values.tolist() == law.values.tolist()

    @pytest.mark.parametrize("name", HOLES)
    def test_frames_know_none_as_missing(self, name: str) -> None:
        table = pf.datasets.adult()
        assert pd.DataFrame(table)[name].isna().sum() == HOLES[name]
        assert pl.DataFrame(table)[name].null_count() == HOLES[name]
        assert pa.table(table)[name].null_count == HOLES[name]
        assert pl.DataFrame(table).schema[name] == pl.String

    def test_its_text_has_empty_fields(self) -> None:
        table = pf.datasets.adult()
        text = pf.datasets.csv_text(table)
        assert text == pf.datasets.csv_text(pf.datasets.adult())
        header, *rows = csv.reader(io.StringIO(text))
        assert header == list(table)
        for name, column in zip(header, zip(*rows, strict=True), strict=True):
            read = [None if each == "" else each for each in column]
            given = [None if each is None else str(each) for each in table[name].tolist()]
            assert read == given
