"""A kept column voids the promise, even one that says nothing about the secret by itself.

The sentences that this refutes, of a release with `--keep-unprotected sex` (ε = 1): "what is
published changes the odds between 'ill' and 'healthy' by a factor of at most 2.719, up or down";
"the promise allows 73.2%". The score is 50 + 20·(ill xor male) + noise. Neither score nor sex says
anything about the secret alone, so next to no noise is added; together they give it away for more
than 99% of rows.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.columns.story import story
from pufferfish.kinds.record import Edition
from pufferfish.report import report
from pufferfish.words.terminal import label_lines
from tests.report.releases import Page

ROWS = 6000


def xor() -> dict[str, npt.NDArray[Any]]:
    source = np.random.default_rng(19)
    ill, male = source.integers(0, 2, ROWS), source.integers(0, 2, ROWS)
    score = np.round(50.0 + 20.0 * (ill ^ male) + source.normal(0.0, 3.5, ROWS))
    return {
        "diagnosis": np.array(["healthy", "ill"])[ill],
        "sex": np.array(["f", "m"])[male],
        "score": score,
    }


def planned(table: Any, **fields: Any) -> pf.Plan:
    beliefs = pf.fit_beliefs(table, column="score", secret="diagnosis", families=("empirical",))
    found = pf.calibrate(pf.Scenario(beliefs, [("ill", "healthy")]), pf.Guarantee(1.0))
    return pf.Plan(
        calibration=found, column="score", secret="diagnosis", keep_unprotected=("sex",), **fields
    )


def write(path: Path) -> Path:
    table = xor()
    if path.suffix == ".parquet":
        pq.write_table(pa.table(table), path)
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    return path


def tells_the_truth(text: str) -> None:
    """The first three lines say that at least 99% of secrets are found, and promise nothing."""
    first = " ".join(" ".join(text.splitlines()[:3]).split())
    found = re.search(
        r"in up to (\d+)% of rows it has not seen, if half are of each \(50% by", first
    )
    assert found is not None, first
    assert int(found.group(1)) >= 99
    assert "'score' and 'sex' published together" in first
    assert "ε" not in first
    # No factor for the odds, no share of guesses that a promise would allow, anywhere.
    assert "factor of at most" not in text
    assert "allows" not in text
    assert "2.719" not in text
    assert "73.2" not in text


def found_by_another(published: dict[str, Any], secrets: npt.NDArray[Any]) -> float:
    """How often another learner is right, about rows that it has not seen."""
    seen = np.column_stack([published["score"], np.asarray(published["sex"]) == "m"])
    half = ROWS // 2
    model = HistGradientBoostingClassifier(random_state=0).fit(seen[:half], secrets[:half])
    return float((model.predict(seen[half:]) == secrets[half:]).mean())


def test_neither_column_says_anything_by_itself_and_both_say_it_all() -> None:
    """What the sentences above hid; the release is in the table's order, to be matched."""
    table = xor()
    done = pf.release(table, planned(table, keep_order=True))
    found = found_by_another(done.frame, table["diagnosis"])
    assert found > 0.99
    reveals = done.record.reveals
    assert reveals is not None
    assert reveals.found_percent >= 100.0 * found
    assert reveals.pair == ("ill", "healthy")
    alone = {"score": done.frame["score"], "sex": np.full(ROWS, "f")}
    assert found_by_another(alone, table["diagnosis"]) < 0.55


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_frame(kind: Any) -> None:
    table = kind(xor())
    tells_the_truth(label_lines(story(pf.release(table, planned(table)).record)))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_its_records_and_its_reports(tmp_path: Path, suffix: str) -> None:
    source = write(tmp_path / f"in.{suffix}")
    done = pf.release(source, planned(source), tmp_path / f"out.{suffix}")
    tells_the_truth(label_lines(story(done.record)))
    editions: tuple[Edition, Edition] = ("public", "internal")
    for edition in editions:
        place = tmp_path / f"{edition}.json"
        done.record.save(place, edition)
        first = "".join(place.read_text(encoding="utf-8").splitlines(keepends=True)[:3])
        assert re.search(r"in up to (99|100)% of rows", first)
    assert "factor" not in (tmp_path / "public.json").read_text(encoding="utf-8")
    for edition in editions:
        page = Page(report(tmp_path / f"{edition}.json", edition=edition))
        words = [each for each in page.words if each.strip()]
        body = words[words.index("How score was released") + 1 :]
        assert body[0] == "Beware."
        assert re.search(r"in up to (99|100)% of rows", body[1])
        said = " ".join(body)
        assert "73.2%" not in said
        # How the noise was found is told of the column by itself, and says so.
        factor = said.find("by a factor of at most")
        assert factor == -1 or "What follows is about score by itself." in said[:factor]


def typed(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    capfd.readouterr()
    assert run([str(each) for each in arguments]) in (0, None)
    return capfd.readouterr().out


OPTIONS = (
    "-c",
    "score",
    "-s",
    "diagnosis",
    "--pair",
    "ill:healthy",
    "-e",
    "1",
    "--keep-unprotected",
    "sex",
)


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, target = write(tmp_path / "in.csv"), tmp_path / "out.csv"
    tells_the_truth(typed(capfd, "release", source, *OPTIONS, "-o", target))
    with target.open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file)).keys() == {"sex", "score"}
    public = (tmp_path / "out.csv.public.json").read_text(encoding="utf-8")
    assert re.search(r"in up to (99|100)% of rows", "".join(public.splitlines()[:3]))
    said = json.loads(typed(capfd, "release", source, *OPTIONS, "-o", target, "--force", "--json"))
    assert "published together" in said["headline"][0]
    # Whoever plans first is told as well, before any number.
    text = typed(capfd, "calibrate", source, *OPTIONS)
    assert text.startswith("Beware: What 'score' and 'sex' reveal together")


def test_the_audit(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its learners saw the score alone: "50.3% right", beside "the promise allows 73.2%"."""
    source, target = write(tmp_path / "in.csv"), tmp_path / "out.csv"
    typed(capfd, "release", source, *OPTIONS, "-o", target)
    record = tmp_path / "out.csv.record.json"
    text = typed(capfd, "audit", record, "--original", source, "--draws", 2000)
    assert text.startswith("This is about 'score' by itself.")
    boosted = text[text.index("gradient boosting") :]
    shares = [float(each) for each in re.findall(r"([\d.]+)% ± [\d.]+ right", boosted)]
    assert min(shares) > 98.0
    assert "who sees 'score' alone" in boosted
    assert "73.2" not in text


def test_standard_streams(tmp_path: Path) -> None:
    """Rows that come once, from a pipe, are measured on their way."""
    source, plan = write(tmp_path / "in.csv"), tmp_path / "plan.json"
    planned(source).save(plan)
    done = subprocess.run(
        [sys.executable, "-m", "pufferfish", "release", "-", "--plan", plan, "-o", "-"],
        input=source.read_bytes(),
        capture_output=True,
        check=True,
    )
    tells_the_truth(done.stderr.decode())
    assert len(list(csv.reader(io.StringIO(done.stdout.decode())))) == ROWS + 1
