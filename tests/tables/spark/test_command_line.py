"""`pufferfish release --engine spark`, as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.cli.app import run as command
from pufferfish.core.errors import DataError
from pufferfish.joint.record import TableRecord
from pufferfish.kinds.verifier import verify_record
from pufferfish.tables.spark.session import read_table
from tests.cli.test_joint import people
from tests.tables.spark.conftest import QUICK, environment

pytestmark = pytest.mark.xdist_group("spark")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pufferfish", *words],
        env=os.environ
        | environment(folder)
        | {"SPARK_DRIVER_MEMORY": "1g", "SPARK_SUBMIT_OPTS": QUICK},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_from_files_to_a_checked_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adult = pa.table(pf.datasets.adult_education())
    (tmp_path / "adult").mkdir()
    for number in range(3):
        part = adult.slice(number * 11_000, 11_000)
        pq.write_table(part, tmp_path / "adult" / f"{number}.parquet")
    columns = ["-c", "education-num", "-s", "race", "--pair", "Black:Asian-Pac-Islander"]
    spark = ["--engine", "spark", "--master", "local[2]"]
    done = run(tmp_path, "release", "adult", *columns, "-e", "1", *spark, "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rows"], told["record"]) == (32_561, "out.record.json")
    assert verify_record(tmp_path / "out.record.json").verdict is True
    # The same noise as without a cluster: the same fits, the same certificate.
    here = [str(tmp_path / "adult"), *columns, "-e", "1", "-o", str(tmp_path / "here"), "--json"]
    assert command(["release", *here]) == 0
    assert json.loads(capsys.readouterr().out)["noise"] == told["noise"]


@pytest.mark.slow
@pytest.mark.heavy
def test_a_csv_is_text_but_for_the_column(tmp_path: Path) -> None:
    rows = [f"{value},{secret}" for value in (1, 2, 3, 4, 5) for secret in ("01", "02")] * 20
    (tmp_path / "t.csv").write_text("x,s\n" + "\n".join(rows) + "\nNA,01\n", encoding="utf-8")
    words = ["t.csv", "-c", "x", "-s", "s", "--engine", "spark", "--master", "local[1]"]
    words += ["--na", "NA"]
    fitted = run(tmp_path, "fit", *words, "--json")
    assert fitted.returncode == 0, fitted.stderr
    assert '"01"' in fitted.stdout
    (tmp_path / "t.csv").write_text("x,s\n" + "\n".join(rows) + "\nmany,01\n", encoding="utf-8")
    refused = run(tmp_path, "fit", *words)
    assert refused.returncode == 4
    assert refused.stderr.strip().splitlines()[-1].startswith("error: column 'x' must hold numbers")
    assert "many" not in refused.stderr.replace("many values", "")


@pytest.mark.heavy
def test_marks_and_encodings_on_spark(spark: Any, tmp_path: Path) -> None:
    """As on one machine: only what is named is missing, in numbers and in secrets."""
    table = tmp_path / "t.csv"
    table.write_text("x,s\n1,a\n2,b\nNA,a\n-9,b\n,a\nNaN,b\n", encoding="utf-8")

    def counts(path: Path, *na: str) -> dict[Any, tuple[int, int]]:
        frame = read_table(spark, str(path), None, ("x",), ("s",), na)
        found = pf.summarise(frame, column="x", secret="s")
        groups = {**found.groups, None: found.without_secret}
        return {
            secret: (group.records, group.missing)
            for secret, group in groups.items()
            if group is not None
        }

    with pytest.raises(DataError, match="--na TEXT"):
        counts(table)
    assert counts(table, "NA") == {"a": (1, 2), "b": (2, 1)}
    assert counts(table, "NA", "-9") == {"a": (1, 2), "b": (1, 2)}
    assert counts(table, "NA", "a") == {"b": (2, 1), None: (1, 2)}
    pq.write_table(pa.table({"x": [1.0, -9.0], "s": ["a", "b"]}), tmp_path / "t.parquet")
    assert counts(tmp_path / "t.parquet", "-9") == {"a": (1, 0), "b": (0, 1)}
    table.write_bytes("x,s\n1,é\n2,è\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"not UTF-8.*WINDOWS-1252"):
        counts(table)


def test_options_of_the_other_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x,s\n1,a\n", encoding="utf-8")
    columns = [str(table), "-c", "x", "-s", "s"]
    assert command(["fit", *columns, "--master", "local[1]"]) == 2
    assert "--master belongs to --engine spark" in capsys.readouterr().err
    assert command(["fit", *columns, "--engine", "spark", "--delimiter", ";"]) == 2
    assert "--delimiter belongs to the local engine" in capsys.readouterr().err
    assert command(["fit", *columns, "--engine", "flink"]) == 2
    capsys.readouterr()


@pytest.mark.heavy
def test_a_csv_has_the_same_rows_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    """Line ends and quotes within quotes; rows that do not fit stop the job."""
    table = tmp_path / "t.csv"
    text = 's,x,note\na,50,"one\nb,60,two"\na,51,"say ""hi"", you"\nb,52,ok\n'
    table.write_text(text, encoding="utf-8")
    read = read_table(spark, str(table), None, ("x",)).toArrow()
    assert read.column("x").to_pylist() == [50.0, 51.0, 52.0]
    assert read.column("note").to_pylist() == ["one\nb,60,two", 'say "hi", you', "ok"]
    for bad, words in (("a,1\n", "cannot be read"), ("a,0x1p4,n\n", "must hold numbers")):
        table.write_text(text + bad, encoding="utf-8")
        with pytest.raises(DataError, match=words):
            pf.summarise(read_table(spark, str(table), None, ("x",)), column="x", secret="s")


def test_a_table_on_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns together, a secret with holes, known and unprotected columns."""
    monkeypatch.chdir(tmp_path)
    people(Path("people.csv"))
    text = Path("people.csv").read_text(encoding="utf-8")
    holes = "".join(f"{number},1980-01-11,x,Male,30,,2,low,no\n" for number in range(9))
    Path("holes.csv").write_text(text + holes, encoding="utf-8")
    words = ["-s", "race", "-c", "job", "-c", "grade", "-e", "0.5"]
    words += ["--keep", "age", "--bands", "age=45", "--keep-unprotected", "score"]

    def told(*words: str) -> Any:
        assert command([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    # Spark's own processes were started in another folder.
    given, out = str(tmp_path / "holes.csv"), str(tmp_path / "there")
    here = told("release", given, *words, "-o", "here.csv")
    there = told("release", given, *words, "-o", out, "--engine", "spark")
    for name in ("rows", "columns", "strata", "certificate"):
        assert there.get(name) == here.get(name), name
    records = [TableRecord.load(f"{name}.record.json") for name in ("here.csv", "there")]
    assert records[0].rows_unprotected == records[1].rows_unprotected == 9
    assert all(each.reveals is not None for each in records)
    assert verify_record(tmp_path / "there.record.json").verdict is True
    published = pq.read_table("there")
    assert sorted(published.column_names) == ["age", "grade", "job", "score"]
    assert set(published.column("age").to_pylist()) == {"<45", ">=45"}
    assert published.num_rows == 1109


def test_a_category_that_was_not_described_on_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two secrets, and a known column that is looked at and not published."""
    monkeypatch.chdir(tmp_path)
    people(Path("people.csv"))
    words = ["people.csv", "-s", "race", "-s", "grade", "-c", "job", "-c", "pregnant"]
    words += ["-e", "0.2", "--known", "sex", "--nominal", "-o", "plan.json"]
    assert command(["calibrate", *words]) == 0
    text = Path("people.csv").read_text(encoding="utf-8")
    given, out = str(tmp_path / "more.csv"), str(tmp_path / "out")
    release = ["release", given, "--plan", "plan.json", "--beliefs-from-plan", "-o", out]
    for row, problem in (
        (
            "1,1980-01-11,secretly,Male,30,A,2,low,no",
            "no belief describes this combination of 'job' and 'pregnant'",
        ),
        ("1,1980-01-11,x,Other,30,A,2,low,no", "nothing is promised for these values of 'sex'"),
    ):
        Path("more.csv").write_text(f"{text}{row}\n", encoding="utf-8")
        assert command([*release, "--engine", "spark"]) == 4
        said = capsys.readouterr().err
        assert problem in said
        assert "secretly" not in said
        assert "Other" not in said
    assert not Path("out").exists()
    Path("more.csv").write_text(text, encoding="utf-8")
    assert command([*release, "--engine", "spark"]) == 0
    capsys.readouterr()
    assert verify_record(tmp_path / "out.record.json").verdict is True
    assert pq.read_table("out").column_names == ["job", "pregnant"]
