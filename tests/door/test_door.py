"""What the library does not know moves in: a finite mechanism, and a kind that changes two columns.

Everything goes through the doors that `column` and `sum` use. See `tests/door/swapped.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2

import pufferfish as pf
from pufferfish import mechanisms
from pufferfish.cli.exits import Exit
from pufferfish.core.errors import (
    CertificationError,
    DataError,
    InvalidInputError,
    UnsupportedError,
)
from pufferfish.kinds.kind import plan_of
from pufferfish.kinds.record import Edition
from pufferfish.releases.counts import RowCounts
from pufferfish.report import kinds as pages
from pufferfish.report import report
from pufferfish.tables.seen import NOBODY
from tests.cli.conftest import Typed, folder, typed
from tests.door.swapped import (
    COLOURS,
    ROW,
    SIZES,
    TABLE,
    Swap,
    Swapping,
    SwapPlan,
    SwapRecord,
    SwapSession,
    SwapWords,
    columns,
    plan,
)

__all__ = ["folder", "typed"]

ROWS = 20_000
GIVEN = columns(ROWS)


def rejects(given: Sequence[Any], published: Sequence[Any], domain: Sequence[Any]) -> bool:
    """A χ² test of the swap, with a false-alarm rate of 1e-6."""
    places = {value: place for place, value in enumerate(domain)}
    seen = np.zeros((5, 5))
    for before, after in zip(given, published, strict=True):
        assert (before is None) == (after is None)
        if before is not None:
            seen[places[before], places[after]] += 1
    expected = seen.sum(axis=1, keepdims=True) * np.array(TABLE) / 256.0
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return bool(statistic > chi2.isf(1e-6, 20))


def check(published: dict[str, list[Any]], *, shuffled: bool = False) -> None:
    """All rows are there with their notes and holes, and the law of the rest is the table's."""
    assert list(published) == ["note", "colour", "size"]
    order = [int(note.removeprefix("row ")) for note in published["note"]]
    assert sorted(order) == list(range(ROWS))
    assert (order != sorted(order)) == shuffled
    for name, domain in (("colour", COLOURS), ("size", SIZES)):
        given = [GIVEN[name][row] for row in order]
        assert not rejects(given, published[name], domain)


def plain(table: pa.Table) -> dict[str, list[Any]]:
    return {name: table.column(name).to_pylist() for name in table.column_names}


def test_the_test_sees_too_few_swaps() -> None:
    """10% fewer than the table asks for."""
    source = np.random.default_rng(1)
    steps = np.array([256 - 0.9 * sum(ROW[1:]), *(0.9 * each for each in ROW[1:])]) / 256.0
    given = source.integers(0, 5, ROWS)
    published = (given + source.choice(5, ROWS, p=steps)) % 5
    assert rejects(given.tolist(), published.tolist(), range(5))


FRAMES: dict[str, tuple[Callable[[pa.Table], Any], Callable[[Any], pa.Table]]] = {
    "pandas": (pa.Table.to_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)),
    "polars": (pl.from_arrow, pl.DataFrame.to_arrow),
    "lazy": (lambda table: pl.from_arrow(table).lazy(), lambda frame: frame.collect().to_arrow()),
    "arrow": (lambda table: table, lambda table: table),
    "categories": (
        lambda table: table.to_pandas().astype({"colour": "category"}),
        lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("keep_order", [True, False])
def test_frames(kind: str, keep_order: bool) -> None:
    make, read = FRAMES[kind]
    given = make(pa.table(GIVEN))
    done = pf.release(given, plan(keep_order=keep_order))
    assert type(done.frame) is type(given)
    check(plain(read(done.frame)), shuffled=not keep_order)
    assert done.record.rows == ROWS
    assert done.record.checksum_of == "column"


def test_a_dict_of_arrays() -> None:
    given = {name: np.array(each, dtype=object) for name, each in GIVEN.items()}
    done = pf.release(given, plan(keep_order=True))
    published = {name: each.tolist() for name, each in done.frame.items()}
    published["size"] = [None if np.isnan(each) else each for each in published["size"]]
    check(published)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "csv": pc.write_csv,
    "parquet": pq.write_table,
}


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    empty = pc.ConvertOptions(
        strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
    )
    return pc.read_csv(path, convert_options=empty)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize("target", ["csv", "parquet"])
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_files(tmp_path: Path, source: str, target: str, keep_order: bool) -> None:
    table, output = tmp_path / f"t.{source}", tmp_path / f"out.{target}"
    WRITERS[source](pa.table(GIVEN), table)
    chosen = plan(keep_order=keep_order)
    done = pf.release(table, chosen, output)
    check(plain(read(output)), shuffled=not keep_order)
    assert done.record.reveals is not None
    for edition in ("internal", "public"):
        place = tmp_path / f"{edition}.json"
        done.record.save(place, edition)
        found = pf.verify_record(place)
        assert found.verdict is True, found
        claims = [each.claim for each in found.checks]
        assert "what is applied can be drawn exactly" in claims
        assert f"out.{target} has the checksum that the record names" in claims
    assert SwapRecord.load(tmp_path / "internal.json") == done.record
    assert "Nothing is promised to those who see note" in str(found.headline)


def test_a_column_may_be_the_only_one() -> None:
    """Without anything that is kept, rows are shuffled, and nothing has to be measured."""
    done = pf.release(pa.table(GIVEN), plan(keep=()))
    assert done.frame.column_names == ["colour", "size"]
    assert done.record.reveals is None


def saved(tmp_path: Path) -> dict[str, Any]:
    pq.write_table(pa.table(GIVEN), tmp_path / "t.parquet")
    done = pf.release(tmp_path / "t.parquet", plan(), tmp_path / "out.parquet")
    found: dict[str, Any] = json.loads(json.dumps(done.record.to_dict()))
    return found


def tamper(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *folders, name = path.split(".")
    inner = data
    for each in folders:
        inner = inner[each]
    inner[name] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("goal", {"epsilon": 1.0, "delta": 0.0}),
        ("promise", "Nothing is told."),
        ("noise.table", [[52, 51, 51, 51, 51]] * 5),
        ("plan.law.table", [[52, 51, 51, 51, 51]] * 5),
        ("plan.goal", {"epsilon": 3.0, "delta": 0.0}),
        ("certificate.results", []),
        ("published.sha256", "0" * 64),
        ("table.missing", ROWS + 1),
        ("extra", "a claim that nobody checks"),
        ("order", "table"),
    ],
)
def test_a_record_that_was_tampered_with(tmp_path: Path, path: str, value: Any) -> None:
    place = tmp_path / "record.json"
    place.write_text(json.dumps(tamper(saved(tmp_path), path, value)))
    assert pf.verify_record(place).verdict is False
    with pytest.raises((CertificationError, InvalidInputError)):
        report(place)


def test_a_record_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "record.json"
    place.write_text(json.dumps(saved(tmp_path)))
    assert pf.verify_record(place).verdict is True
    (tmp_path / "out.parquet").unlink()
    pq.write_table(pa.table(GIVEN), tmp_path / "out.parquet")
    assert pf.verify_record(place).verdict is False


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_its_report(edition: Edition) -> None:
    done = pf.release(pa.table(GIVEN), plan())
    text = report(done.record, edition=edition)
    assert "How colour and size were released" in text
    assert "The mechanism is a swap of 5 values in each of 2 columns." in text
    assert f"{edition.capitalize()} report" in text


@pytest.mark.parametrize(("name", "value"), [("colour", "hazel"), ("size", 12.34)])
@pytest.mark.parametrize("kind", ["frame", "arrays", "parquet", "csv"])
def test_a_value_outside_the_domain(tmp_path: Path, kind: str, name: str, value: Any) -> None:
    given = {each: list(cells[:100]) for each, cells in GIVEN.items()}
    given[name][41] = value
    data: Any = pa.table(given)
    output = None
    if kind == "arrays":
        data = {each: np.array(cells, dtype=object) for each, cells in given.items()}
    elif kind != "frame":
        WRITERS[kind](pa.table(given), tmp_path / f"t.{kind}")
        data, output = tmp_path / f"t.{kind}", tmp_path / "out.csv"
    with pytest.raises(DataError, match=f"column '{name}', row 42: .* not in the domain") as error:
        pf.release(data, plan(), output)
    assert str(value) not in str(error.value)
    assert not (tmp_path / "out.csv").exists()


def keyed(place: Path, name: str) -> Path:
    """A table in folders that are named by a column."""
    table = pa.table(GIVEN)
    for value in COLOURS if name == "colour" else SIZES:
        part = place / f"{name}={value}"
        part.mkdir(parents=True)
        rows = pa.array([each == value for each in GIVEN[name]])
        pc.write_csv(table.filter(rows).drop_columns([name]), part / "part.csv")
    return place


@pytest.mark.parametrize("target", ["out.csv", "out"])
@pytest.mark.parametrize("name", ["colour", "size"])
def test_folders_named_by_what_is_changed(tmp_path: Path, name: str, target: str) -> None:
    """Rows that keep their places are sorted by the true value."""
    given = keyed(tmp_path / "kd", name)
    with pytest.raises(InvalidInputError, match=f"named by '{name}', which is changed") as error:
        pf.release(given, plan(keep_order=True), tmp_path / target)
    assert "Do not keep the order, so that rows are shuffled" in str(error.value)
    assert "write one file" not in str(error.value)
    assert not (tmp_path / target).exists()


def test_shuffled_rows_may_come_from_such_folders(tmp_path: Path) -> None:
    done = pf.release(keyed(tmp_path / "kd", "colour"), plan(), tmp_path / "out.csv")
    published = plain(read(tmp_path / "out.csv"))
    assert done.record.rows == sum(each is not None for each in GIVEN["colour"])
    order = [int(note.removeprefix("row ")) for note in published["note"]]
    given = [GIVEN["colour"][row] for row in order]
    assert not rejects(given, published["colour"], COLOURS)
    # Neighbours have one true colour as often as by chance: a fifth of them, within six stds.
    same = sum(one == two for one, two in pairwise(given)) / len(given)
    assert abs(same - 0.2) < 6 * np.sqrt(0.16 / len(given))


class Leaving(SwapSession):
    """One row was read, and none is published."""

    def nothing(self) -> RowCounts:
        return RowCounts(rows=1)


def test_columns_without_values() -> None:
    with pytest.raises(DataError, match=r"^the columns 'colour' and 'size' have no values\.$"):
        Leaving(plan()).check(NOBODY)


def test_columns_of_another_type() -> None:
    numbers = GIVEN | {"colour": [1.5] * ROWS}
    with pytest.raises(DataError, match="column 'colour' must hold text"):
        pf.release(pa.table(numbers), plan())
    texts = GIVEN | {"size": ["large"] * ROWS}
    with pytest.raises(DataError, match="column 'size' must hold numbers"):
        pf.release(pa.table(texts), plan())


def test_persons_with_two_rows() -> None:
    given = GIVEN | {"who": [f"person {row // 2}" for row in range(ROWS)]}
    given["group"] = ["a"] * ROWS
    with pytest.raises(DataError, match="more than 1 row"):
        pf.release(pa.table(given), plan(person="who"))
    assert pf.release(pa.table(given), plan(person="who", rows_per_person=2)).record.rows == ROWS


@pytest.mark.parametrize(
    "roles",
    [{"keep": ("group",)}, {"keep": ("colour",)}, {"secret": "colour"}, {"keep": ("note",) * 2}],
)
def test_a_column_has_one_role(roles: dict[str, Any]) -> None:
    """The secret is never published, whatever a kind forgets to check."""
    for given in (GIVEN, pl.DataFrame(GIVEN)):
        with pytest.raises(InvalidInputError, match="roles"):
            pf.release(given, plan(**roles))


@pytest.mark.parametrize(
    ("secret", "problem"), [(None, "missing"), ("other", "this secret is not in the plan")]
)
def test_rows_that_nothing_is_promised_for(secret: str | None, problem: str) -> None:
    given = pl.DataFrame(GIVEN | {"group": [*GIVEN["group"][:-1], secret]})
    with pytest.raises(DataError, match=rf"'group', row {ROWS}: .*{problem}"):
        pf.release(given, plan())


def test_what_is_known_cannot_be_replaced() -> None:
    drawing, words = mechanisms.drawing_of(plan().law), mechanisms.words_of(plan().law)
    for law in (Swap, pf.LaplaceNoise):
        with pytest.raises(InvalidInputError, match="already"):
            mechanisms.register(law, tag="another", drawing=Swapping(), words=SwapWords())
    assert mechanisms.drawing_of(plan().law) is drawing
    assert mechanisms.words_of(plan().law) is words
    with pytest.raises(InvalidInputError, match="already"):
        pages.register("record", lambda verified, beside: pytest.fail("another page"))


def test_no_ledger_without_a_proof(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="swap-plan: no proof covers several"):
        pf.release(pa.table(GIVEN), plan(), ledger=tmp_path / "ledger.json")


def test_a_plan_that_is_not_certified() -> None:
    with pytest.raises(CertificationError, match="nothing can be released"):
        plan(goal=pf.Guarantee(3.0))
    with pytest.raises(UnsupportedError, match="add up to 256"):
        plan(law=Swap((COLOURS, SIZES), ((255, 1, 1, 1, 1),) * 5), goal=pf.Guarantee(40.0))


def test_a_plan_that_publishes_no_rows() -> None:
    users = pf.sums.binary([0.5] * 100, provenance="public")
    chosen = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0)))
    with pytest.raises(InvalidInputError, match="a sum-plan does not publish rows"):
        pf.release(pa.table(GIVEN), chosen)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="plan must be a Plan, got dict"):
        pf.release(pa.table(GIVEN), {})  # type: ignore[arg-type]


def test_the_plan_is_a_document(tmp_path: Path) -> None:
    chosen = plan(keep_order=True)
    chosen.save(tmp_path / "plan.json")
    assert SwapPlan.load(tmp_path / "plan.json") == chosen
    assert plan_of(json.loads(chosen.to_json())) == chosen
    with pytest.raises(InvalidInputError, match="no entry 'law'"):
        plan_of({name: each for name, each in chosen.to_dict().items() if name != "law"})


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_terminal(typed: Typed, folder: Path, kind: str) -> None:
    WRITERS[kind](pa.table(GIVEN), folder / f"colours.{kind}")
    plan(keep_order=True).save(folder / "plan.json")
    release = ["release", f"colours.{kind}", "--plan", "plan.json", "--output", "out.csv"]
    told = typed(*release, "--report", "out.html")
    assert told.code == 0, told.err
    for words in ("Beware", "Promise", "20,000 rows of colour and size.", "Which rows have holes."):
        assert words in told.out
    check(plain(read(folder / "out.csv")))
    for record in ("out.csv.record.json", "out.csv.public.json"):
        told = typed("verify", record)
        assert told.code == 0, told.out
        assert "beware" in told.out
        assert "the values of out.csv look as such a swap leaves them" in told.out
    told = typed("report", "out.csv.record.json", "--public", "--output", "public.html")
    assert told.code == 0, told.err
    for page in ("out.html", "public.html"):
        assert "How colour and size were released" in (folder / page).read_text(encoding="utf-8")
    told = typed(*release, "--force", "--json")
    assert told.code == 0, told.err
    assert told.json["rows"] == ROWS
    assert told.json["goal"] == {"epsilon": 4.0, "delta": 0.0}
    assert told.json["noise"]["kind"] == "door-swap"
    (folder / "out.csv").write_text("note,colour,size\n")
    assert typed("verify", "out.csv.record.json").code == Exit.NOT_PRIVATE


def test_an_audit_is_refused_in_plain_words(typed: Typed, folder: Path) -> None:
    plan().save(folder / "plan.json")
    told = typed("audit", "plan.json")
    assert told.code == Exit.NOT_PRIVATE
    assert "an audit attacks noise that is added to values, and recodings" in told.err
    assert "mechanism." not in told.err


def test_nothing_in_the_library_knows_it() -> None:
    known = "\n".join(each.read_text("utf-8") for each in Path(pf.__file__).parent.rglob("*.py"))
    for name in (SwapPlan.KIND, SwapRecord.KIND, "door-swap", "SwapKind", *COLOURS[4:]):
        assert name not in known
