"""Which files a table is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.core.errors import InvalidInputError
from pufferfish.tables.formats import FileFormat, format_of, names_file, rename_for
from pufferfish.tables.sources import find_source, is_many


def touched(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def names(path: Path | str) -> list[str]:
    return [each.name for each in find_source(path).files]


def test_one_file_is_a_table_of_one(tmp_path: Path) -> None:
    source = find_source(tmp_path / "a.csv")
    assert [each.path for each in source.files] == [str(tmp_path / "a.csv")]
    assert not source.many
    assert find_source("-").files[0].path == "-"


def test_all_files_below_a_folder_are_found_in_the_order_of_their_paths(tmp_path: Path) -> None:
    touched(tmp_path, "b.csv", "a/z.csv", "a/b/c.csv", "a.csv", "10.csv", "9.csv")
    touched(tmp_path, ".hidden.csv", "_SUCCESS", "_temporary/0.csv", ".git/x.csv", "a/.b.csv.crc")
    expected = ["10.csv", "9.csv", "a.csv", "a/b/c.csv", "a/z.csv", "b.csv"]
    assert names(tmp_path) == expected
    assert names(f"{tmp_path}/") == expected
    assert find_source(tmp_path).many
    assert [Path(each.path) for each in find_source(tmp_path).files] == [
        tmp_path / name for name in expected
    ]


def test_a_pattern_chooses_files(tmp_path: Path) -> None:
    touched(tmp_path, "x/a1.csv", "x/a2.csv", "x/b1.csv", "y/a1.csv", "x/a3.txt", "x/.a4.csv")
    assert names(tmp_path / "x" / "a?.csv") == ["a1.csv", "a2.csv"]
    assert names(tmp_path / "*" / "a1.csv") == ["x/a1.csv", "y/a1.csv"]
    assert names(tmp_path / "**" / "*.csv") == ["x/a1.csv", "x/a2.csv", "x/b1.csv", "y/a1.csv"]
    assert names(tmp_path / "[y]*") == ["y/a1.csv"]


def test_a_pattern_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touched(tmp_path, "a1.csv", "a2.csv")
    monkeypatch.chdir(tmp_path)
    assert names("a*.csv") == ["a1.csv", "a2.csv"]
    assert names(".") == ["a1.csv", "a2.csv"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    touched(tmp_path, "a[1].csv")
    assert not is_many(tmp_path / "a[1].csv")
    assert is_many(tmp_path / "a[2].csv")


def test_no_files_are_no_table(tmp_path: Path) -> None:
    touched(tmp_path, "_SUCCESS", ".x.csv")
    for path in (tmp_path, tmp_path / "*.csv"):
        with pytest.raises(FileNotFoundError, match="no files"):
            find_source(path)


def test_links_to_folders_are_not_passed_over_in_silence(tmp_path: Path) -> None:
    touched(tmp_path, "data/a.csv", "other/b.csv")
    (tmp_path / "data" / "more").symlink_to(tmp_path / "other")
    with pytest.raises(pf.InvalidInputError, match="link"):
        find_source(tmp_path / "data")


def test_folders_have_keys(tmp_path: Path) -> None:
    touched(
        tmp_path,
        "year=2020/s=a%20b/0.csv",
        "year=2020/s=__HIVE_DEFAULT_PARTITION__/0.csv",
        "year=2021/plain/s=c=d/0.csv",
        "year=2021/s=/1.csv",
    )
    source = find_source(tmp_path)
    assert source.keys == ("year", "s")
    assert {each.name: dict(each.keys) for each in source.files} == {
        "year=2020/s=a%20b/0.csv": {"year": "2020", "s": "a b"},
        "year=2020/s=__HIVE_DEFAULT_PARTITION__/0.csv": {"year": "2020", "s": None},
        "year=2021/plain/s=c=d/0.csv": {"year": "2021", "s": "c=d"},
        "year=2021/s=/1.csv": {"year": "2021", "s": ""},
    }
    touched(tmp_path, "year=2022/0.csv")
    with pytest.raises(pf.InvalidInputError, match="2022"):
        find_source(tmp_path)


def test_keys_may_begin_with_an_underscore(tmp_path: Path) -> None:
    touched(tmp_path, "_key=1/0.csv", "_key=2/0.csv", "_other/0.csv")
    assert names(tmp_path) == ["_key=1/0.csv", "_key=2/0.csv"]


def test_files_of_a_table_have_one_format(tmp_path: Path) -> None:
    touched(tmp_path, "a.csv", "b.csv", "c/d.CSV")
    assert format_of(tmp_path) == FileFormat(kind="csv")
    touched(tmp_path, "e.csv.gz")
    with pytest.raises(pf.DataError, match=r"e\.csv\.gz"):
        format_of(tmp_path)
    assert format_of(tmp_path / "*.csv") == FileFormat(kind="csv")
    touched(tmp_path / "other", "a.parquet", "part-0")
    with pytest.raises(pf.InvalidInputError, match="part-0"):
        format_of(tmp_path / "other")
    assert format_of(tmp_path / "other", "parquet") == FileFormat(kind="parquet")


@pytest.mark.parametrize(
    ("name", "source", "target", "expected"),
    [
        ("a/b.pq", "x.parquet", "x.parquet", "a/b.pq"),
        ("a/b.pq", "x.parquet", "x.csv", "a/b.csv"),
        ("b.csv.gz", "x.csv.gz", "x.arrow", "b.arrow"),
        ("B.CSV", "x.csv", "x.csv.gz", "B.csv.gz"),
        ("b.tsv", "x.tsv", "x.csv", "b.csv"),
        ("part-0", "x.parquet", "x.tsv", "part-0.tsv"),
        ("part.gz", "x.csv.gz", "x.csv", "part.csv"),
    ],
)
def test_files_are_renamed_with_their_format(
    name: str, source: str, target: str, expected: str
) -> None:
    assert rename_for(name, format_of(source), format_of(target)) == expected


def test_names_of_files_have_a_known_extension() -> None:
    assert all(map(names_file, ("a.csv", "a.csv.gz", "b/a.parquet", "-", "a.TSV")))
    assert not any(map(names_file, ("a", "a.b", "a.csv/b", "a.gz", ".csv/")))


def test_a_file_under_two_names_would_be_published_twice(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(InvalidInputError, match=r"a\.csv and b\.csv are the same file"):
        find_source(tmp_path)
    (tmp_path / "b.csv").unlink()
    (tmp_path / "c.csv").hardlink_to(tmp_path / "a.csv")
    with pytest.raises(InvalidInputError, match="same file"):
        find_source(tmp_path)
    (tmp_path / "c.csv").unlink()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "linked").symlink_to(tmp_path)
    with pytest.raises(InvalidInputError, match="is a link to another folder"):
        find_source(str(tmp_path / "in" / "*" / "*.csv"))
