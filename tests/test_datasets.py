"""The built-in tables are the published counts."""

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
