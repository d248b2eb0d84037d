"""A release on a cluster: the same promise, drawn once, whole or absent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import laplace

import pufferfish as pf
from pufferfish.columns.story import story
from pufferfish.core.errors import (
    DataError,
    EngineError,
    InvalidInputError,
    OutputExistsError,
    UnsupportedError,
)
from pufferfish.exact.recheck import certificate_gap
from pufferfish.kinds.verifier import verify_record
from pufferfish.learning import Sample
from pufferfish.releases import Release, release_with
from pufferfish.report import report
from pufferfish.tables.manifest import MANIFEST, Manifest
from pufferfish.tables.spark import storage
from pufferfish.tables.spark.engine import SparkEngine
from pufferfish.words.terminal import label_lines
from tests import seams
from tests.sampling.fit import rejects_law
from tests.tables.spark.tables import collected, columns, frame, plan

pytestmark = pytest.mark.xdist_group("spark")


def some_of(parts: Iterator[Any]) -> Iterator[Any]:
    generator = np.random.default_rng()
    for part in parts:
        yield part.slice(0, int(generator.integers(1, part.num_rows)))


def release_to(frame: Any, plan: pf.Plan, output: Path, **choices: Any) -> Release:
    """As on the command line."""
    kind = choices.pop("kind", "parquet")
    engine = SparkEngine(frame=frame, output=str(output), kind=kind)
    return release_with(engine, plan, **choices)


def left_over(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_shuffled_rows_have_the_law_of_the_noise(spark: Any, tmp_path: Path) -> None:
    """Of a constant column only the noise is left: its law, at a false-alarm rate of 1e-6."""
    rows = 40_000
    table = columns(rows) | {"x": np.full(rows, 50.0)}
    chosen = plan()
    noise = chosen.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    done = pf.release(frame(spark, table), chosen, output=tmp_path / "out")
    drawn = collected(done.frame) - 50.0
    assert drawn.size == rows == done.record.rows_published
    assert not rejects_law(drawn, lambda x: laplace.cdf(x, scale=noise.scale))
    assert rejects_law(drawn, lambda x: laplace.cdf(x, scale=0.9 * noise.scale))
    assert done.frame.columns == ["x"]
    assert left_over(tmp_path) == ["out"]


def test_a_recoding_is_drawn_where_the_rows_are(spark: Any, tmp_path: Path) -> None:
    """Holes included: how often each value is published, within six standard errors."""
    rng = np.random.default_rng(2)
    rows = 20_000
    secret = rng.choice(["a", "b"], rows)
    values = rng.integers(0, 4, rows) + 2.0 * (secret == "b")
    values[rng.random(rows) < np.where(secret == "a", 0.1, 0.02)] = np.nan
    table = {"x": values, "secret": secret}
    belief = pf.fit_belief(table, column="x", secret="secret", family="empirical")
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0), mechanism="recode")
    chosen = pf.Plan(calibration=found, column="x", secret="secret", missing="keep")
    done = pf.release(frame(spark, table), chosen, output=tmp_path / "out")
    published = done.frame.toArrow().column("x").to_pandas().to_numpy()
    assert published.size == rows
    for value in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, np.nan):
        shares = [
            np.isnan(each).mean() if np.isnan(value) else (each == value).mean()
            for each in (values, published)
        ]
        assert abs(shares[0] - shares[1]) < 3.0 / np.sqrt(rows)


def test_what_was_drawn_stays_drawn(spark: Any, tmp_path: Path) -> None:
    done = pf.release(frame(spark, columns(500)), plan(), output=tmp_path / "out")
    first, again = collected(done.frame), collected(done.frame)
    np.testing.assert_array_equal(first, again)
    read = spark.read.parquet(str(tmp_path / "out"))
    np.testing.assert_array_equal(np.sort(collected(read)), np.sort(first))


def test_rows_partitions_and_workers_do_not_share_noise(spark: Any, tmp_path: Path) -> None:
    """Equal values in every row of every partition: no partition's noise is another's."""
    table = columns(2_000) | {"x": np.full(2_000, 50.0)}
    there = frame(spark, table, 4)
    stays = plan(keep_unprotected=["id"], keep_order=True)
    released = pf.release(there, stays, output=tmp_path / "out").frame
    from pyspark.sql import functions as sql

    files = released.withColumn("file", sql.input_file_name()).toArrow().to_pandas()
    parts = [part["x"].to_numpy() for _, part in files.groupby("file")]
    assert len(parts) == 4
    for index, part in enumerate(parts):
        assert np.unique(part).size > 0.99 * part.size
        for other in parts[index + 1 :]:
            # Two draws of continuous noise agree by chance once in 2^24 rows or so.
            assert np.intersect1d(part, other).size < 5
    again = pf.release(there, stays, output=tmp_path / "again").frame
    one, two = (each.toArrow().sort_by("id").column("x").to_numpy() for each in (released, again))
    assert np.count_nonzero(one == two) < 5


def test_every_row_once_beside_what_is_kept(spark: Any, tmp_path: Path) -> None:
    table = columns(3_000)
    done = pf.release(frame(spark, table), plan(keep_unprotected=["id"]), output=tmp_path / "out")
    found = done.frame.toArrow().sort_by("id")
    np.testing.assert_array_equal(found.column("id").to_numpy(), table["id"])
    moved = found.column("x").to_numpy() - table["x"]
    assert np.all(moved != 0.0)
    assert done.frame.columns == ["id", "x"]
    noise = done.record.plan.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert not rejects_law(moved, lambda x: laplace.cdf(x, scale=noise.scale))


@pytest.mark.parametrize(
    ("fields", "order", "words"),
    [
        ({"keep_unprotected": ["id"]}, "random", "in random order"),
        ({}, "random", "in random order"),
        ({"keep_unprotected": ["id"], "keep_order": True}, "table", "in the order of the table"),
    ],
    ids=str,
)
def test_a_record_says_which_order_was_published(
    spark: Any, tmp_path: Path, fields: Any, order: str, words: str
) -> None:
    """Refutes "shuffled: false" in the record of rows that were shuffled beside a kept column."""
    rows = 600
    table = columns(rows) | {"x": 1e6 * np.arange(rows)}
    done = pf.release(frame(spark, table, 3), plan(**fields), output=tmp_path / "out")
    record = done.record
    assert record.order == order
    found = collected(done.frame)
    if order == "random":
        assert np.any(np.diff(np.round(found / 1e6)) < 0)
    assert words in " ".join(label_lines(story(record)).split())
    for edition in ("internal", "public"):
        document = record.to_dict(edition)  # type: ignore[arg-type]
        assert document["order"] == order
        said = any("the order of the rows" in text for text in document["not_promised"])
        assert said == (order == "table")
    page = report(record, edition="public")
    assert f"rows {words}" in page


def test_the_order_says_nothing(spark: Any, tmp_path: Path) -> None:
    """Values that rise through the table and dwarf the noise must not rise in the release."""
    rows = 6_000
    table = columns(rows) | {"x": 1e6 * np.arange(rows)}
    done = pf.release(frame(spark, table, 3), plan(), output=tmp_path / "out")
    ranks = np.argsort(np.argsort(collected(done.frame)))
    correlation = np.corrcoef(ranks, np.arange(rows))[0, 1]
    # Under a random order the correlation is about N(0, 1/n): 5.5 stds are one in 10^7.
    assert abs(correlation) < 5.5 / np.sqrt(rows)
    neighbours = np.corrcoef(ranks[1:], ranks[:-1])[0, 1]
    assert abs(neighbours) < 5.5 / np.sqrt(rows)


def test_record_and_manifest_say_what_is_there(spark: Any, tmp_path: Path) -> None:
    table = columns(900)
    table["x"][:90] = np.nan
    chosen = plan(missing="keep")
    done = pf.release(frame(spark, table), chosen, output=tmp_path / "out")
    record = done.record
    local = pf.release(table, chosen).record
    for name in ("rows_read", "rows_published", "rows_missing", "rows_unprotected", "rows_outside"):
        assert getattr(record, name) == getattr(local, name), name
    assert record.column_std == pytest.approx(local.column_std, rel=1e-12)  # another order of sums
    assert record.to_dict()["plan"] == local.to_dict()["plan"]
    assert record.to_dict()["certificate"] == local.to_dict()["certificate"]
    manifest = Manifest.from_json((tmp_path / "out" / MANIFEST).read_text(encoding="utf-8"))
    assert (manifest.rows, manifest.sha256) == (900, record.sha256)
    assert np.count_nonzero(np.isnan(collected(done.frame))) == 90
    record.save(tmp_path / "out.record.json", "internal")
    assert verify_record(tmp_path / "out.record.json").verdict is True
    part = next((tmp_path / "out").glob("part-*"))
    part.write_bytes(part.read_bytes()[:-1])
    assert verify_record(tmp_path / "out.record.json").verdict is False


def test_rows_without_a_value_can_be_left_out(spark: Any, tmp_path: Path) -> None:
    table = columns(600)
    table["x"][::3] = np.nan
    done = pf.release(
        frame(spark, table), plan(missing="drop", keep_unprotected=["id"]), tmp_path / "out"
    )
    kept = np.sort(collected(done.frame, "id"))
    np.testing.assert_array_equal(kept, table["id"][~np.isnan(table["x"])])
    assert (done.record.rows_published, done.record.rows_missing) == (400, 200)


def test_whole_numbers_stay_whole(spark: Any, tmp_path: Path) -> None:
    table = columns(300) | {"x": np.arange(300)}
    done = pf.release(frame(spark, table), plan(postprocess=[pf.RoundTo(1.0)]), tmp_path / "out")
    assert done.frame.dtypes == [("x", "bigint")]


def test_what_the_plan_does_not_allow_for(spark: Any, tmp_path: Path) -> None:
    table = columns(300)
    for change, words in (
        ({"s": np.where(np.arange(300) == 7, "z", table["s"])}, "this secret is not in the plan"),
        ({"x": np.where(np.arange(300) == 7, np.nan, table["x"])}, "the value is missing"),
        ({"x": np.where(np.arange(300) == 7, np.inf, table["x"])}, "the value is infinite"),
        ({"x": np.where(np.arange(300) == 7, 1e300, table["x"])}, "the value is beyond"),
        ({"x": table["s"]}, "must hold numbers"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            pf.release(frame(spark, table | change), plan(), tmp_path / "out")
    with pytest.raises(DataError, match="has no rows"):
        pf.release(frame(spark, table).where("x > 1e9"), plan(), tmp_path / "out")
    with pytest.raises(InvalidInputError, match="needs output="):
        pf.release(frame(spark, table), plan())
    assert left_over(tmp_path) == []


def test_persons_are_counted_over_all_partitions(spark: Any, tmp_path: Path) -> None:
    table = columns(300) | {"who": np.arange(300) // 2}
    table["s"] = np.repeat(table["s"][:150], 2)
    one = plan(unit="person", person="who")
    with pytest.raises(DataError, match="some person has more than 1 row"):
        pf.release(frame(spark, table), one, tmp_path / "out")
    two = plan(unit="person", person="who", rows_per_person=2, dependence="independent")
    assert pf.release(frame(spark, table), two, tmp_path / "out").record.rows_published == 300
    nobody = frame(spark, table).selectExpr("x", "s", "if(who = 7, null, who) as who")
    with pytest.raises(DataError, match="do not say which person"):
        pf.release(nobody, two, tmp_path / "other")


def test_a_folder_is_replaced_only_when_asked(spark: Any, tmp_path: Path) -> None:
    target = tmp_path / "a folder, ünd ✓"
    there = frame(spark, columns(300))
    first = collected(pf.release(there, plan(), target).frame)
    with pytest.raises(OutputExistsError):
        pf.release(there, plan(), target)
    second = collected(pf.release(there, plan(), target, force=True).frame)
    assert second.size == 300
    assert not np.array_equal(np.sort(first), np.sort(second))
    assert left_over(tmp_path) == [target.name]


def test_folders_named_by_the_secret_would_publish_it(spark: Any, tmp_path: Path) -> None:
    frame(spark, columns(300)).write.partitionBy("s").parquet(str(tmp_path / "in"))
    table = spark.read.parquet(str(tmp_path / "in"))
    with pytest.raises(InvalidInputError, match="the folders are named by the secret 's'"):
        pf.release(table, plan(keep_unprotected=["id"], keep_order=True), tmp_path / "out")
    assert pf.release(table, plan(), tmp_path / "out").record.rows_published == 300


def test_what_spark_keeps_together_is_not_published(spark: Any, tmp_path: Path) -> None:
    """After a grouping all rows of one secret are in one place; in the release they are not."""
    grouped = frame(spark, columns(3_000)).repartition(7, "s")
    done = pf.release(grouped, plan(keep_unprotected=["id"]), tmp_path / "out")
    secret = dict(zip(columns(3_000)["id"].tolist(), columns(3_000)["s"].tolist(), strict=True))
    order = [secret[each] for each in collected(done.frame, "id").tolist()]
    same = sum(one == two for one, two in pairwise(order)) / len(order)
    # A third of neighbours by chance, nearly all of them in groups; six stds of chance.
    assert abs(same - 1 / 3) < 6 * np.sqrt(2 / 9 / 3_000)
    kept = pf.release(grouped, plan(keep_unprotected=["id"], keep_order=True), tmp_path / "kept")
    order = [secret[each] for each in collected(kept.frame, "id").tolist()]
    assert sum(one == two for one, two in pairwise(order)) > 2_900


def test_force_replaces_a_release_and_nothing_else(spark: Any, tmp_path: Path) -> None:
    there, mine = frame(spark, columns(300)), tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(OutputExistsError, match="was not written by a release"):
        pf.release(there, plan(), mine, force=True)
    there.write.parquet(str(tmp_path / "table"))
    table = spark.read.parquet(str(tmp_path / "table"))
    with pytest.raises(InvalidInputError, match="holds the table itself"):
        pf.release(table, plan(), tmp_path / "table", force=True)
    assert (mine / "thesis.txt").exists()
    assert table.count() == 300


def test_a_target_that_appears_meanwhile_is_not_replaced(spark: Any, tmp_path: Path) -> None:
    there, target = frame(spark, columns(300)), tmp_path / "out"

    def somebody_else(_: object) -> None:
        target.mkdir()
        (target / "theirs").write_text("", encoding="utf-8")

    with pytest.raises(OutputExistsError, match="appeared while"):
        release_to(there, plan(), target, save=somebody_else)
    assert [each.name for each in target.iterdir()] == ["theirs"]


def test_an_interrupted_replacement_leaves_the_old_release(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, target = frame(spark, columns(300)), tmp_path / "out"
    old = np.sort(collected(pf.release(there, plan(), target).frame))
    rename, calls = storage.Storage.rename, []

    def interrupted(self: Any, path: str, name: str) -> None:
        calls.append(name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        rename(self, path, name)

    monkeypatch.setattr(storage.Storage, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pf.release(there, plan(), target, force=True)
    monkeypatch.undo()
    np.testing.assert_array_equal(np.sort(collected(spark.read.parquet(str(target)))), old)
    assert left_over(tmp_path) == ["out"]


def test_columns_that_differ_in_capitals_only(spark: Any, tmp_path: Path) -> None:
    there = frame(spark, columns(300)).selectExpr("x", "s", "id as X")
    with pytest.raises(InvalidInputError, match="in upper or lower case"):
        pf.release(there, plan(), tmp_path / "out")


def test_secrets_and_numbers_of_kinds_that_cannot_be(spark: Any, tmp_path: Path) -> None:
    there = frame(spark, columns(300))
    with pytest.raises(InvalidInputError, match="to be a secret"):
        pf.release(there.selectExpr("x", "array(s) as s"), plan(), tmp_path / "out")
    with pytest.raises(InvalidInputError, match="must hold numbers"):
        pf.release(there.selectExpr("interval 1 day as x", "s"), plan(), tmp_path / "out")


def test_names_that_spark_would_misread_are_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="for a pattern"):
        pf.release(frame(spark, columns(300)), plan(), tmp_path / "out[1]")


def test_the_ledger_is_charged_once_and_only_for_what_was_published(
    spark: Any, tmp_path: Path
) -> None:
    ledger, there = tmp_path / "ledger.json", frame(spark, columns(300))
    bad = frame(spark, columns(300) | {"x": np.full(300, np.inf)})
    with pytest.raises(DataError):
        pf.release(bad, plan(), tmp_path / "out", ledger=ledger)
    pf.release(there, plan(), tmp_path / "out", ledger=ledger)
    with pytest.raises(UnsupportedError, match="a second release"):
        pf.release(there, plan(), tmp_path / "again", ledger=ledger)
    assert not (tmp_path / "again").exists()


def test_a_table_that_changes_while_it_is_read_is_not_published(spark: Any, tmp_path: Path) -> None:
    """Rows that come and go: what was counted is not what arrived."""
    there = frame(spark, columns(5_000))
    unsteady = there.mapInArrow(some_of, there.schema)
    with pytest.raises(EngineError, match="changed while it was read"):
        pf.release(unsteady, plan(), tmp_path / "out")
    assert left_over(tmp_path) == []


def test_where_a_rename_is_no_single_step_the_manifest_is_last(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on an object store: files without a manifest are an unfinished release."""
    seams.put(monkeypatch, seams.STORES_THAT_RENAME, frozenset())
    there, target = frame(spark, columns(300)), tmp_path / "out"

    def fails(*_: object) -> None:
        raise OSError("no room for a record")

    with pytest.raises(OSError, match="no room"):
        release_to(there, plan(), target, save=fails)
    assert left_over(tmp_path) == []
    done = pf.release(there, plan(), target)
    manifest = Manifest.from_json((target / MANIFEST).read_text(encoding="utf-8"))
    assert manifest.rows == collected(done.frame).size == 300
    with pytest.raises(OutputExistsError, match="nothing can be replaced in one step"):
        pf.release(there, plan(), target, force=True)
    # A file that is not in the manifest is not in the table.
    stray = next(target.glob("part-*"))
    (target / f"part-stray-{stray.name}").write_bytes(stray.read_bytes())
    assert collected(done.frame).size == 300
    assert left_over(tmp_path) == ["out"]


def test_large_files_are_hashed_without_being_held(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.BYTES_HASHED_IN_MEMORY, 0)
    done = pf.release(frame(spark, columns(300)), plan(), tmp_path / "out")
    done.record.save(tmp_path / "out.record.json", "internal")
    assert verify_record(tmp_path / "out.record.json").verdict is True


def test_other_formats(spark: Any, tmp_path: Path) -> None:
    there = frame(spark, columns(300))
    done = release_to(there, plan(keep_unprotected=["id"]), tmp_path / "orc", kind="orc")
    assert collected(done.frame, "id").size == 300
    with pytest.raises(InvalidInputError, match="parquet or orc, not 'csv'"):
        release_to(there, plan(), tmp_path / "csv", kind="csv")


@pytest.mark.parametrize("secrets", [9, 50])
def test_pairs_can_be_certified_on_the_cluster(spark: Any, secrets: int) -> None:
    """Examined one by one, and, of 50 secrets, screened in blocks."""
    laws = {number: pf.Gaussian(float(number), 5.0 + 0.1 * number) for number in range(secrets)}
    scenario = pf.Scenario([pf.Belief(laws, provenance="public")])
    goal = pf.Guarantee(1.0, 1e-4)
    here = pf.calibrate(scenario, goal)
    there = pf.calibrate(scenario, goal, workers=pf.SparkWorkers(spark))
    assert there.noise == here.noise
    assert bool(there.certificate.screened) is (secrets == 50)
    # Other blocks may move a screened bound in its last digits.
    assert certificate_gap(there.certificate, here.certificate, scenario) <= 1e-9


def fitted(table: dict[str, Any], cap: tuple[float, float] | None = None) -> pf.Plan:
    """A plan with beliefs of this very table."""
    beliefs = pf.fit_beliefs(table, "x", "s", ["gaussian", "empirical"], cap=cap)
    calibration = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    return pf.Plan(calibration=calibration, column="x", secret="s", cap=cap)


def test_another_table_is_refused_before_anything_is_drawn(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = fitted(columns(3_000))
    there = frame(spark, columns(3_000, seed=1))

    def drawing(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing may be drawn")

    with monkeypatch.context() as patched:
        patched.setattr(SparkEngine, "transform", drawing)
        with pytest.raises(DataError, match="fitted on another table, on 20"):
            pf.release(there, chosen, output=tmp_path / "out")
    assert not left_over(tmp_path)
    meant = pf.release(there, chosen, output=tmp_path / "meant", beliefs_from_plan=True)
    assert meant.record.beliefs_from == "another table"
    own = pf.release(frame(spark, columns(3_000)), chosen, output=tmp_path / "own")
    assert own.record.beliefs_from == "this table"


def test_values_are_capped_before_the_noise(spark: Any, tmp_path: Path) -> None:
    table = columns(3_000) | {"x": np.where(np.arange(3_000) % 10 == 0, 1e6, 50.0)}
    table["x"][::3] = 49.0
    cap = (49.5, 51.0)
    chosen = fitted(table, cap)
    done = pf.release(frame(spark, table), chosen, output=tmp_path / "out")
    assert done.record.rows_capped == int(np.count_nonzero(np.clip(table["x"], *cap) != table["x"]))
    assert done.record.rows_outside == 0
    assert done.record.column_std == pytest.approx(table["x"].std())
    noise = chosen.calibration.noise
    # No draw is beyond 50 stds; without the cap some would be a million away.
    assert np.abs(collected(done.frame) - 50.0).max() < 2.0 + 50.0 * noise.std < 1e5
    local = pf.release(table, chosen).record
    assert local.rows_capped == done.record.rows_capped


def test_a_table_that_changes_after_it_was_counted_is_not_published(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = columns(3_000)
    place = str(tmp_path / "in")
    frame(spark, table).write.parquet(place)
    real = SparkEngine.fold

    def changing(*arguments: Any, **options: Any) -> Any:
        """Counts the table, and then one value is another one."""
        found = real(*arguments, **options)
        other = table | {"x": np.where(np.arange(3_000) == 7, 51.5, table["x"])}
        frame(spark, other).write.mode("overwrite").parquet(place)
        spark.catalog.refreshByPath(place)
        return found

    monkeypatch.setattr(SparkEngine, "fold", changing)
    with pytest.raises(EngineError, match=r"changed while|Nothing was published|went wrong"):
        pf.release(spark.read.parquet(place), fitted(table), output=tmp_path / "out")
    assert left_over(tmp_path) == ["in"]


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (False, True)], ids=str)
@pytest.mark.parametrize("keep_order", [False, True])
def test_what_kept_columns_reveal_is_measured(
    spark: Any, tmp_path: Path, labels: tuple[Any, Any], keep_order: bool
) -> None:
    """x tells whether the secret is that of k; neither says anything alone."""
    source = np.random.default_rng(4)
    secret, other = (source.integers(0, 2, 4_000) for _ in range(2))
    table = {
        "x": np.where(secret ^ other, 1e4, -1e4) + source.normal(size=4_000),
        "s": np.array(labels)[secret],
        "k": np.array(["u", "v"])[other],
    }
    laws = {labels[0]: pf.Gaussian(0.0, 20.0), labels[1]: pf.Gaussian(2.0, 20.0)}
    found = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    kept = pf.Plan(
        calibration=found, column="x", secret="s", keep_unprotected=["k"], keep_order=keep_order
    )
    record = pf.release(frame(spark, table), kept, tmp_path / "out").record
    assert record.reveals is not None
    assert record.reveals.found_percent == 100
    assert set(record.reveals.pair) == set(labels)
    assert "in up to 100% of rows" in " ".join(label_lines(story(record)).split())
    assert record.order == ("table" if keep_order else "random")


@pytest.mark.parametrize("keep_order", [False, True])
def test_where_no_column_is_kept_nothing_is_measured(
    spark: Any, tmp_path: Path, keep_order: bool
) -> None:
    done = pf.release(frame(spark, columns(300)), plan(keep_order=keep_order), tmp_path / "out")
    assert done.record.reveals is None


def test_what_is_looked_at_is_a_sample(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each secret about as many rows as are wanted, however many there are; none of others."""
    seen: dict[Any, int] = {}
    look = Sample.look

    def counted(self: Sample, codes: Any, labels: Any, columns: Any) -> None:
        for code in codes.tolist():
            seen[labels[code]] = seen.get(labels[code], 0) + 1
        look(self, codes, labels, columns)

    monkeypatch.setattr(Sample, "look", counted)
    seams.put(monkeypatch, seams.FEWEST_OF_EACH_SECRET, 300)
    seams.put_default(monkeypatch, Sample.__init__, most=600)
    table = columns(9_000)
    table["s"][:8_000] = "a"
    done = pf.release(frame(spark, table), plan(keep_unprotected=["id"]), tmp_path / "out")
    assert done.record.reveals is not None
    # 1.1 · 300 of 8,000 rows, and all of about 333; six stds of chance.
    assert abs(seen["a"] - 330) < 6 * np.sqrt(330)
    assert abs(seen["b"] - 330) < 6 * np.sqrt(330)
    assert set(seen) == {"a", "b"}
