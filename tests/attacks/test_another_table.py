"""A plan made from one table, used on another.

The record said: "ε = 1 ... against 2 described adversaries (fitted on the released column)", and
verify said: "Every claim of this record holds." The released table's own ε was above 5.
"""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.columns.story import story
from pufferfish.releases import release_file
from pufferfish.report import report
from pufferfish.report.notebook import to_html
from pufferfish.sampling import SystemEntropy
from pufferfish.words.terminal import label_lines

ROWS = 4_000
ANOTHER = "another table"


def table(apart: float, seed: int) -> dict[str, Any]:
    """Two secrets whose values are this far apart."""
    generator = np.random.default_rng(seed)
    secrets = np.repeat(["a", "b"], ROWS // 2)
    values = np.round(generator.normal(50.0, 2.0, ROWS) + apart * (secrets == "b"))
    order = generator.permutation(ROWS)
    return {"x": values[order], "s": secrets[order]}


LAST_YEAR, THIS_YEAR = table(0.5, 1), table(40.0, 2)


def planned(data: Any, **fields: Any) -> pf.Plan:
    beliefs = pf.fit_beliefs(data, "x", "s", ["gaussian", "empirical"], cap=fields.get("cap"))
    calibration = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    return pf.Plan(calibration=calibration, column="x", secret="s", **fields)


@cache
def plan() -> pf.Plan:
    return planned(LAST_YEAR)


class Drawn:
    """How many bytes of entropy were asked for."""

    bytes = 0


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    found, read = Drawn(), SystemEntropy.read

    def counted(self: SystemEntropy, count: int) -> bytes:
        found.bytes += count
        return read(self, count)

    monkeypatch.setattr(SystemEntropy, "read", counted)
    return found


def as_kind(kind: str, data: dict[str, Any], folder: Path) -> Any:
    frame = pl.DataFrame(data)
    if kind in ("csv", "parquet"):
        path = folder / f"in.{kind}"
        frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
        return path
    if kind == "folder":
        (folder / "in").mkdir()
        for part in range(3):
            frame[part::3].write_parquet(folder / "in" / f"{part}.parquet")
        return folder / "in"
    kinds = {
        "dict": data,
        "pandas": pd.DataFrame(data),
        "polars": frame,
        "lazy": frame.lazy(),
        "arrow": frame.to_arrow(),
    }
    return kinds[kind]


FRAMES = ["dict", "pandas", "polars", "lazy", "arrow"]
FILES = ["csv", "parquet", "folder"]


def release(data: Any, chosen: pf.Plan, folder: Path, **options: Any) -> pf.Release:
    output = folder / "out" if isinstance(data, Path) else None
    if output is not None and data.is_file():
        output = output.with_suffix(data.suffix)
    return pf.release(data, chosen, output, **options)


def test_the_other_table_gives_away_far_more_than_was_said() -> None:
    own = pf.Scenario(pf.fit_belief(THIS_YEAR, "x", "s", "empirical"))
    assert pf.pure_epsilon(own, plan().calibration.noise).lower > 5.0


@pytest.mark.parametrize("kind", FRAMES + FILES)
def test_another_table_is_refused_before_anything_is_drawn(
    kind: str, tmp_path: Path, drawn: Drawn
) -> None:
    data = as_kind(kind, THIS_YEAR, tmp_path)
    chosen, before = plan(), drawn.bytes
    with pytest.raises(pf.DataError, match=r"fitted on another table, on 20.*--beliefs-from-plan"):
        release(data, chosen, tmp_path)
    assert drawn.bytes == before
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("kind", FRAMES + FILES)
def test_its_own_table_is_released_in_whatever_form(
    kind: str, tmp_path: Path, drawn: Drawn
) -> None:
    order = np.random.default_rng(3).permutation(ROWS)
    turned = {name: column[order] for name, column in LAST_YEAR.items()}
    done = release(as_kind(kind, turned, tmp_path), plan(), tmp_path)
    assert drawn.bytes > 0
    assert done.record.beliefs_from == "this table"
    assert "(fitted on the released column)" in done.record.to_dict("public")["promise"]


@pytest.mark.parametrize("kind", FRAMES + FILES)
def test_if_it_is_meant_every_edition_says_so_first(kind: str, tmp_path: Path) -> None:
    done = release(as_kind(kind, THIS_YEAR, tmp_path), plan(), tmp_path, beliefs_from_plan=True)
    when = plan().calibration.scenario.beliefs[-1].fitted_at
    assert when is not None
    record = done.record
    for edition in ("internal", "public"):
        document = record.to_dict(edition)
        assert document["beliefs_from"] == ANOTHER
        assert document["beliefs_fitted"] == when
        first = document["headline"][0]
        assert f"fitted on another table on {when}" in first
        assert "Nothing is promised against somebody who knows this table" in first
        words = json.dumps([document[name] for name in ("headline", "promise", "not_promised")])
        assert "fitted on the released column" not in words
    told = " ".join(label_lines(story(record)).split())
    assert told.startswith(f"Beware The described adversaries were fitted on {ANOTHER} on {when}")
    assert "released column" not in told
    assert f"Beware</th><td>The described adversaries were fitted on {ANOTHER}" in to_html(record)
    if kind == "dict":
        for edition in ("internal", "public"):
            page = report(record, edition=edition)
            assert f"fitted on another table on {when}" in page
            assert "fitted on the released column" not in page
            assert "fitted on the column to be released" not in page


@pytest.mark.parametrize("kind", FRAMES + FILES)
def test_what_is_allowed_and_not_needed_is_not_said(kind: str, tmp_path: Path) -> None:
    done = release(as_kind(kind, LAST_YEAR, tmp_path), plan(), tmp_path, beliefs_from_plan=True)
    assert done.record.beliefs_from == "this table"


@pytest.mark.parametrize("change", ["one value", "one row more", "one secret", "one hole"])
def test_the_smallest_change_makes_another_table(change: str) -> None:
    data = {name: column.copy() for name, column in LAST_YEAR.items()}
    missing = "keep" if change == "one hole" else "refuse"
    if change == "one value":
        data["x"][17] += 1.0
    elif change == "one secret":
        data["s"][17] = "b" if data["s"][17] == "a" else "a"
    elif change == "one hole":
        data["x"][17] = np.nan
    else:
        data = {name: np.append(column, column[:1]) for name, column in data.items()}
    # Beliefs must allow for holes where holes are kept.
    base = LAST_YEAR | {"x": np.append(LAST_YEAR["x"][:-2], [np.nan] * 2)}
    chosen = planned(base if missing == "keep" else LAST_YEAR, missing=missing)
    with pytest.raises(pf.DataError, match=ANOTHER):
        pf.release(data, chosen)


@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_holes_are_counted_as_the_beliefs_counted_them(missing: Any) -> None:
    data = LAST_YEAR | {"x": np.where(np.arange(ROWS) % 9 == 0, np.nan, LAST_YEAR["x"])}
    summary = pf.summarise(data, column="x", secret="s")
    if missing == "drop":
        summary = summary.without_missing()
    chosen = planned(summary, missing=missing)
    assert pf.release(data, chosen).record.beliefs_from == "this table"


def test_a_cap_is_counted_as_the_beliefs_counted_it() -> None:
    chosen = planned(LAST_YEAR, cap=(48.0, 52.5))
    assert pf.release(LAST_YEAR, chosen).record.beliefs_from == "this table"
    with pytest.raises(pf.DataError, match=ANOTHER):
        pf.release(THIS_YEAR, chosen)


def test_some_secrets_of_a_table_are_compared_with_the_same_ones() -> None:
    more = {name: np.append(column, column[:300]) for name, column in LAST_YEAR.items()}
    more["s"][-300:] = "c"
    beliefs = pf.fit_beliefs(pf.summarise(more, column="x", secret="s").only(["a", "b"]))
    calibration = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    chosen = pf.Plan(calibration=calibration, column="x", secret="s", others=("c",))
    assert pf.release(more, chosen).record.beliefs_from == "this table"


def test_values_that_need_bins_are_compared_bin_by_bin() -> None:
    generator = np.random.default_rng(5)
    data = {"x": generator.normal(0.0, 1.0, 120_000), "s": np.tile(["a", "b"], 60_000)}
    chosen = planned(data)
    assert chosen.calibration.scenario.beliefs[1].radius > 0.0
    assert pf.release(data, chosen).record.beliefs_from == "this table"
    with pytest.raises(pf.DataError, match=ANOTHER):
        pf.release(data | {"x": -data["x"]}, chosen)


def test_a_plan_that_does_not_name_its_table_is_refused(drawn: Drawn) -> None:
    document = plan().to_dict()
    for belief in document["scenario"]["beliefs"]:
        for name in ("cap", "fitted_on", "fitted_at"):
            belief.pop(name)
    chosen = pf.Plan.from_json(json.dumps(document))
    before = drawn.bytes
    with pytest.raises(pf.DataError, match="does not say which table"):
        pf.release(LAST_YEAR, chosen)
    assert drawn.bytes == before
    done = pf.release(LAST_YEAR, chosen, beliefs_from_plan=True)
    assert "not known which table" in done.record.to_dict("public")["headline"][0]
    assert "fitted on the released column" not in done.record.to_dict("public")["promise"]


@pytest.mark.parametrize("provenance", ["public", "reference sample", "private"])
def test_beliefs_from_elsewhere_say_so_and_need_no_table(provenance: str) -> None:
    belief = pf.fit_belief(LAST_YEAR, "x", "s", "gaussian", provenance=provenance)
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0))
    chosen = pf.Plan(calibration=calibration, column="x", secret="s")
    assert pf.release(THIS_YEAR, chosen).record.beliefs_from == "elsewhere"


def test_a_file_that_changes_after_it_was_counted_is_not_published(tmp_path: Path) -> None:
    """The counts are those of the file as it was; what is read is what has taken its place."""
    source, ledger = tmp_path / "in.parquet", tmp_path / "ledger.json"
    pl.DataFrame(THIS_YEAR).write_parquet(source)
    counted = pf.summarise(LAST_YEAR, column="x", secret="s")
    saved: list[pf.Record] = []
    with pytest.raises(pf.DataError, match=ANOTHER):
        release_file(
            str(source),
            plan(),
            str(tmp_path / "out.parquet"),
            just_counted=counted,
            save=saved.append,
        )
    assert not saved
    assert sorted(each.name for each in tmp_path.iterdir()) == [source.name]
    assert not ledger.exists()


def test_a_lazy_frame_that_is_another_one_when_it_is_read_again() -> None:
    frames = iter([LAST_YEAR, THIS_YEAR, THIS_YEAR, THIS_YEAR])
    turning = pl.LazyFrame(LAST_YEAR).map_batches(
        lambda _: pl.DataFrame(next(frames)), schema={"x": pl.Float64, "s": pl.String}
    )
    with pytest.raises(pf.DataError, match=ANOTHER):
        pf.release(turning, plan())


def test_the_fingerprint_is_in_private_documents_only() -> None:
    belief = plan().calibration.scenario.beliefs[0]
    assert belief.fitted_on is not None
    record = pf.release(LAST_YEAR, plan()).record
    assert belief.fitted_on in json.dumps(record.to_dict("internal"))
    assert belief.fitted_on not in json.dumps(record.to_dict("public"))
    assert belief.fitted_on not in report(record, edition="public")
    public = pf.fit_belief(LAST_YEAR, "x", "s", "gaussian", provenance="public")
    assert public.fitted_on is None


def typed(words: str) -> int:
    return run(shlex.split(words))


class TestCommandLine:
    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        pl.DataFrame(LAST_YEAR).write_csv("last.csv")
        pl.DataFrame(THIS_YEAR).write_csv("this.csv")
        words = "calibrate last.csv -c x -s s -e 1 --belief empirical -o plan.json"
        assert typed(words) == 0
        return tmp_path

    def test_refused(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert typed("release this.csv --plan plan.json -o out.csv") != 0
        said = " ".join(capsys.readouterr().err.split())
        assert "fitted on another table" in said
        assert "--beliefs-from-plan" in said
        assert not list(folder.glob("out*"))

    def test_meant(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        words = "release this.csv --plan plan.json -o out.csv --beliefs-from-plan"
        capsys.readouterr()
        assert typed(words) == 0
        first = " ".join(capsys.readouterr().out.split("\n")[:3])
        assert "fitted on another table on 20" in " ".join(first.split())
        for name in ("out.csv.record.json", "out.csv.public.json"):
            document = json.loads((folder / name).read_text(encoding="utf-8"))
            assert document["beliefs_from"] == ANOTHER
        capsys.readouterr()
        run(["verify", "out.csv.record.json"])
        assert "released column" not in capsys.readouterr().out

    def test_beliefs_in_a_file_belong_to_their_table_too(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert typed("fit last.csv -c x -s s --belief empirical -o b.json") == 0
        capsys.readouterr()
        assert typed("calibrate this.csv -c x -s s -e 1 --belief b.json") == 0
        said = capsys.readouterr()
        assert "fitted on another table: release refuses" in " ".join(said.err.split())
        assert "fitted on the released column" not in said.out
        words = "release this.csv -c x -s s -e 1 --belief b.json -o out.csv"
        assert typed(words) != 0
        assert "another table" in capsys.readouterr().err
        assert not list(folder.glob("out*"))
        assert typed(f"{words} --beliefs-from-plan") == 0
        assert typed(words.replace("this.csv", "last.csv") + " --force") == 0
        public = json.loads((folder / "out.csv.public.json").read_text(encoding="utf-8"))
        assert public["beliefs_from"] == "this table"

    @pytest.mark.parametrize(("name", "published"), [("last", True), ("this", False)])
    def test_standard_input_is_counted_as_it_passes(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        name: str,
        published: bool,
    ) -> None:
        with (folder / f"{name}.csv").open(encoding="utf-8") as stream:
            monkeypatch.setattr("sys.stdin", stream)
            code = typed("release - --plan plan.json -o out.csv")
        assert (code == 0) is published
        assert (folder / "out.csv").exists() is published
        assert ("another table" in capsys.readouterr().err) is not published


def test_a_parquet_file_and_its_csv_are_one_table(tmp_path: Path) -> None:
    source = as_kind("parquet", LAST_YEAR, tmp_path)
    pq.read_table(source).to_pandas().to_csv(tmp_path / "in.csv", index=False)
    done = pf.release(tmp_path / "in.csv", planned(source), tmp_path / "out.csv")
    assert done.record.beliefs_from == "this table"
