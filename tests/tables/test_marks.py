"""What is missing: null, nan and empty text; other marks where somebody names them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.tables import Counting, FileFormat, format_of
from pufferfish.tables.local.counting import fold
from pufferfish.tables.local.detect import detect
from pufferfish.tables.marks import without_marks

# All that used to be missing in a column of numbers, and text in one of secrets.
ONCE_MISSING = ["NA", "n/a", "#N/A", "NULL", "null", "None", "?", ".", "-"]


def table(path: Path, mark: str, *, in_secret: bool = False) -> Path:
    """Ten rows of each of two secrets, and one with a mark."""
    rows = [f"{value},{secret}" for secret in "ab" for value in range(10)]
    rows.append(f"5,{mark}" if in_secret else f"{mark},a")
    path.write_text("x,s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def counts(path: Path, **marks: Any) -> dict[Any, tuple[int, int]]:
    found = pf.summarise(path, column="x", secret="s", **marks)
    groups = {**found.groups, None: found.without_secret}
    return {
        secret: (group.records, group.missing)
        for secret, group in groups.items()
        if group is not None
    }


@pytest.mark.parametrize("mark", ONCE_MISSING)
def test_a_text_is_missing_only_if_it_is_named(tmp_path: Path, mark: str) -> None:
    path = table(tmp_path / "t.csv", mark)
    with pytest.raises(pf.DataError, match=r"text in row 21\..*--na TEXT \(na=\[\.\.\.\]\)"):
        counts(path)
    assert counts(path, na=[mark]) == {"a": (10, 1), "b": (10, 0)}
    with pytest.raises(pf.DataError, match="text in row 21"):
        counts(path, na=["another"])


@pytest.mark.parametrize("mark", ["", " ", "nan", "NaN", "NAN"])
def test_empty_and_nan_are_missing(tmp_path: Path, mark: str) -> None:
    assert counts(table(tmp_path / "t.csv", mark)) == {"a": (10, 1), "b": (10, 0)}


@pytest.mark.parametrize("mark", [*ONCE_MISSING, "NaN"])
def test_and_so_for_secrets(tmp_path: Path, mark: str) -> None:
    path = table(tmp_path / "t.csv", mark, in_secret=True)
    assert counts(path) == {"a": (10, 0), "b": (10, 0), mark: (1, 0)}
    assert counts(path, na=[mark]) == {"a": (10, 0), "b": (10, 0), None: (1, 0)}


def test_a_mark_may_be_a_number(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "-999")
    assert counts(path)["a"] == (11, 0)
    assert counts(path, na=["-999"])["a"] == (10, 1)


TYPES = [
    (pa.float64(), [-999.0, 2.0]),
    (pa.int16(), [-999, 2]),
    (pa.decimal128(8, 2), [Decimal(-999), Decimal(2)]),
]


@pytest.mark.parametrize(("kind", "values"), TYPES)
@pytest.mark.parametrize(
    "secret", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
)
def test_typed_files(tmp_path: Path, kind: Any, values: list[Any], secret: Any) -> None:
    columns = {"x": pa.array(values * 3, kind), "s": pa.array(["a", "b"] * 3, secret)}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    assert counts(path) == {"a": (3, 0), "b": (3, 0)}
    assert counts(path, na=["-999"]) == {"a": (0, 3), "b": (3, 0)}
    assert counts(path, na=["a"]) == {"b": (3, 0), None: (3, 0)}


def test_keys_of_folders(tmp_path: Path) -> None:
    for key in ("a", "NA"):
        (tmp_path / "t" / f"s={key}").mkdir(parents=True)
        (tmp_path / "t" / f"s={key}" / "p.csv").write_text("x\n1\n2\n", encoding="utf-8")
    path = str(tmp_path / "t")
    assert set(fold(path, Counting.of_column("x", "s"), format_=format_of(path)).groups) == {
        "a",
        "NA",
    }
    found = fold(path, Counting.of_column("x", "s"), format_=format_of(path, na=["NA"]))
    assert set(found.groups) == {"a"}
    assert found.without_secret is not None
    assert found.without_secret.records == 2
    keys = {each.name: each for each in detect(path, format_of(path, na=["NA"]))}
    assert not keys["s"].complete


def test_columns_are_found_with_the_same_marks(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "NA")
    plain, marked = (
        {each.name: each for each in detect(str(path), format_of(path, na=na))}
        for na in ((), ("NA",))
    )
    assert not plain["x"].numeric
    assert plain["x"].labels == 11
    assert marked["x"].numeric
    assert not marked["x"].complete


def test_kept_columns_are_passed_on_letter_by_letter(tmp_path: Path) -> None:
    """A mark is about the value and the secret; what is kept is nobody's to change."""
    rows = [f"{value},{secret},NA" for secret in "ab" for value in range(50)]
    (tmp_path / "t.csv").write_text("x,s,k\n" + "\n".join(rows) + "\n", encoding="utf-8")
    values = {"a": pf.Gaussian(20.0, 15.0), "b": pf.Gaussian(25.0, 15.0)}
    scenario = pf.Scenario([pf.Belief(values, provenance="public")])
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0))
    plan = pf.Plan(calibration=calibration, column="x", secret="s", keep_unprotected=("k",))
    pf.release(tmp_path / "t.csv", plan, tmp_path / "out.csv", na=["NA"])
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[1] for line in lines] == ["k", *["NA"] * 100]


def test_marks_of_other_types_are_none() -> None:
    array = pa.array([True, False])
    assert without_marks(array, ["True"]) is array


@pytest.mark.parametrize("na", ["NA", [1], [None]])
def test_what_is_no_list_of_texts(na: Any) -> None:
    with pytest.raises(pf.InvalidInputError, match="na must be a list of texts"):
        format_of("t.csv", na=na)


def test_frames_have_null(tmp_path: Path) -> None:
    frame = {"x": [1.0, 2.0], "s": ["a", "b"]}
    with pytest.raises(pf.InvalidInputError, match="na= is for files"):
        pf.summarise(frame, column="x", secret="s", na=["NA"])


def test_spaces_around_a_mark_do_not_matter() -> None:
    assert format_of("t.csv", na=[" NA ", "NA"]) == FileFormat(kind="csv", na=("NA",))
