"""What stands behind the page, without a browser."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shiny import reactive

from pufferfish.core.errors import DataError, InvalidInputError, UnsupportedError
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.goal import Goal
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.table import Table
from pufferfish.studio import data_forms, fragments, panels, releasing
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import Bench
from pufferfish.studio.kept import Kept
from pufferfish.studio.latest import Latest
from pufferfish.studio.panels import moving_parts
from pufferfish.studio.question import Question
from pufferfish.studio.sources import Source, source_from_path
from pufferfish.tables import format_of
from pufferfish.tables.local.detect import FoundColumn
from tests import seams
from tests.studio.conftest import loop
from tests.support import PATIENCE

pytestmark = pytest.mark.xdist_group("studio")

MARKUP = "<b>&amp;"


class Heard:
    """Listens to what is begun, and may do something then."""

    def __init__(self, then: Callable[[str], None] = lambda what: None) -> None:
        self.begun: list[str] = []
        self._then = then

    def warn(self, text: str) -> None:
        del text

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        self.begun.append(what.partition(" ")[0])
        self._then(what)
        yield lambda share: None


def write(path: Path, each: int = 40) -> Path:
    kinds = ("u", "v", MARKUP)
    lines = [f"{(7 * row) % 10 + row % 3},{kinds[row % 3]},{row}" for row in range(3 * each)]
    path.write_text("\n".join(["amount,kind,id", *lines, ""]), encoding="utf-8")
    return path


def source(path: Path, key: str = "own key") -> Source:
    return Source(key=key, name=path.name, path=str(path), format=format_of(path.name))


def question(path: Path, epsilon: float = 1.0, reference: Source | None = None) -> Question:
    other = None if reference is None else Path(reference.name)
    return Question(
        asked=Asked(
            table=Table(file=path.name, column=["amount"], secret=["kind"]),
            adversaries=Adversaries(belief=["empirical"], reference=other),
            goal=Goal(epsilon=epsilon),
        ),
        source=source(path),
        reference=reference,
    )


def held(bench: Bench) -> int:
    return len(seams.kept_keys(bench))


# -- kept -------------------------------------------------------------------------------------


def test_it_is_computed_once_for_all_who_wait() -> None:
    kept: Kept[int] = Kept(4)
    begun, go_on, made = threading.Event(), threading.Event(), []

    def make() -> int:
        made.append(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return 7

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(kept.get, ("a",), make)
        assert begun.wait(PATIENCE)
        others = [pool.submit(kept.get, ("a",), make) for _ in range(2)]
        go_on.set()
        assert [each.result(PATIENCE) for each in (first, *others)] == [7, 7, 7]
    assert made == [1]


def test_an_error_is_not_kept_and_the_oldest_goes_first() -> None:
    kept: Kept[int] = Kept(2)
    with pytest.raises(ZeroDivisionError):
        kept.get(("a",), lambda: 1 // 0)
    assert kept.get(("a",), lambda: 1) == 1
    kept.get(("b",), lambda: 2)
    # Used again, and so younger than the other.
    assert kept.get(("a",), lambda: 9) == 1
    kept.get(("c",), lambda: 3)
    assert kept.get(("a",), lambda: 9) == 1
    assert kept.get(("b",), lambda: 9) == 9


# -- bench ------------------------------------------------------------------------------------


def test_a_slider_repeats_only_the_last_stage(tmp_path: Path) -> None:
    bench, voice, file = Bench(), Heard(), write(tmp_path / "t.csv")
    first = bench.outlook(question(file), voice)
    assert voice.begun == ["Reading", "Fitting", "Calibrating"]
    second = bench.outlook(question(file, 0.5), voice)
    assert voice.begun[3:] == ["Calibrating"]
    assert second.calibration.noise.std > first.calibration.noise.std
    assert bench.outlook(question(file), voice) is first
    assert len(voice.begun) == 4


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    bench = Bench()
    reference = source(write(tmp_path / "r.csv", 50), "its key")
    bench.outlook(question(write(tmp_path / "t.csv"), reference=reference), Heard())
    assert held(bench) == 5
    bench.forget("its key")
    # All but the counts of the other table were made from it.
    assert held(bench) == 1
    bench.forget("own key")
    assert held(bench) == 0


@pytest.mark.parametrize("when", ["Reading", "Fitting", "Calibrating"])
def test_what_is_forgotten_meanwhile_does_not_come_back(tmp_path: Path, when: str) -> None:
    bench, file = Bench(), write(tmp_path / "t.csv")

    def close(what: str) -> None:
        if what.startswith(when):
            bench.forget("own key")

    bench.outlook(question(file), Heard(close))
    assert held(bench) == 0


def test_the_outlook_is_of_the_plan_that_is_released(tmp_path: Path) -> None:
    found = Bench().outlook(question(write(tmp_path / "t.csv")), Heard())
    assert found.release_plan(allow_no_noise=False).calibration == found.calibration
    assert found.records == 120
    assert found.profile.epsilons == found.bare.epsilons
    goal = found.calibration.goal.epsilon
    assert found.profile.epsilons[0] == 0.0
    assert found.profile.epsilons[-1] > goal


# -- asking -----------------------------------------------------------------------------------

ENTERED: dict[str, Any] = {
    "column": "amount",
    "secret": "kind",
    "unit": "row",
    "provenance": "released",
    "which": "all",
    "beliefs": ["mixture", "empirical"],
    "epsilon": 1,
    "delta": 0,
}


def ask(tmp_path: Path, other: Source | None = None, **entered: Any) -> Asked:
    entry = {**ENTERED, **entered}.get
    return read_page(source(tmp_path / "t.csv"), other, ["amount", "kind", "id"], entry).asked


def test_what_is_entered_becomes_options(tmp_path: Path) -> None:
    usual = ask(tmp_path)
    table = Table(file="t.csv", column=["amount"], secret=["kind"])
    assert usual == Asked(table=table, goal=Goal(epsilon=1.0))
    other = source(tmp_path / "r.csv")
    public = ask(tmp_path, other, provenance="public").adversaries
    assert (public.reference, public.public_reference) == (Path("r.csv"), True)
    # A table that was sent, and is not to be used.
    assert ask(tmp_path, other).adversaries.reference is None
    person = ask(tmp_path, unit="person", person="id", rows_per_person=3).publishing
    assert (person.person, person.rows_per_person) == ("id", 3)
    assert ask(tmp_path, person="id", rows_per_person=3).publishing.person is None
    way = {"unit": "person", "person": "id", "rows_per_person": 3}
    for entered, expected in (
        ("any", Publishing(person="id", rows_per_person=3)),
        ("equal", Publishing(person="id", rows_per_person=3, rows_are="equal")),
        ("independent", Publishing(person="id", rows_per_person=3, rows_are="independent")),
        ("first", Publishing(person="id", one_row="first")),
        ("mean", Publishing(person="id", one_row="mean")),
    ):
        assert ask(tmp_path, **way, rows_way=entered).publishing == expected
    mean = ask(tmp_path, by="mean", mean_within=0.5, confidence=95.0)
    assert (mean.goal.epsilon, mean.accuracy.mean_within, mean.accuracy.confidence) == (
        *(None, 0.5),
        None,
    )
    clipped = ask(tmp_path, low=-0.1, high=1e-9).publishing.postprocess[0]
    assert (clipped.low, clipped.high) == (-0.1, 1e-9)  # type: ignore[union-attr]
    assert ask(tmp_path, cap_low=-0.1, cap_high=1e-9).adversaries.bounds == (-0.1, 1e-9)
    assert ask(tmp_path).adversaries.bounds is None


@pytest.mark.parametrize(
    ("entered", "goal", "recoding"),
    [
        ({"kind": "gaussian"}, Goal(epsilon=1.0, mechanism="gaussian"), HowRecoded()),
        ({"kind": "auto", "wrong": 3}, Goal(epsilon=1.0, mechanism="auto"), HowRecoded()),
        ({"kind": "laplace", "floor": "none"}, Goal(epsilon=1.0), HowRecoded()),
        ({"kind": "recode"}, Goal(epsilon=1.0, mechanism="recode"), HowRecoded()),
        (
            {"kind": "recode", "wrong": 0},
            Goal(epsilon=1.0, mechanism="recode"),
            HowRecoded(wrong="0%"),
        ),
        (
            {"kind": "recode", "floor": "none", "wrong": 2.5, "loss": "changed"},
            Goal(epsilon=1.0, mechanism="recode"),
            HowRecoded(floor="none", wrong="2.5%", loss=["changed"]),
        ),
        (
            {"kind": "recode", "floor": "number", "floor_number": 0.1, "nominal": True},
            Goal(epsilon=1.0, mechanism="recode"),
            HowRecoded(floor="0.1", nominal=True),
        ),
        (
            {"kind": "recode", "any_histogram": True},
            Goal(epsilon=1.0, mechanism="recode"),
            HowRecoded(keep_histogram=False),
        ),
    ],
    ids=str,
)
def test_every_mechanism_becomes_options(
    tmp_path: Path, entered: dict[str, Any], goal: Goal, recoding: HowRecoded
) -> None:
    """What is asked of a recoding stands on the page, and counts, only for a recoding."""
    found = ask(tmp_path, **entered)
    assert (found.goal, found.recoding) == (goal, recoding)


@pytest.mark.parametrize(
    "entered",
    [
        {"column": None},
        {"column": "other"},
        {"secret": ["kind"]},
        {"beliefs": []},
        {"beliefs": None},
        {"beliefs": ["mixture", "/etc/passwd"]},
        {"beliefs": ["beliefs.json"]},
        {"beliefs": 5},
        {"which": "some", "pair": []},
        {"which": "some", "pair": 5},
        {"which": "some", "pair": [5]},
        {"provenance": "public"},
        {"provenance": "zz"},
        {"unit": "zz"},
        {"by": "zz", "within": 1, "mean_within": 1, "confidence": 95},
        {"which": "zz"},
        {"epsilon": None},
        {"epsilon": True},
        {"epsilon": "1"},
        {"by": "value", "confidence": 95},
        {"unit": "person", "person": None},
        {"unit": "person", "person": "id", "rows_per_person": 2, "rows_way": "zz"},
        {"unit": "person", "person": "id", "rows_per_person": 0},
        {"keep": ["../x"]},
        {"keep": 5},
        {"min_group": 1.5},
        {"min_group": float("inf")},
        {"min_group": float("nan")},
        {"bootstrap": "many"},
        {"low": 1},
        {"cap_high": 1},
        {"kind": "zz"},
        {"kind": ["recode"]},
        {"kind": "recode", "floor": "zz"},
        {"kind": "recode", "floor": "number"},
        {"kind": "recode", "floor": "number", "floor_number": -1},
        {"kind": "recode", "wrong": 100},
        {"kind": "recode", "wrong": -1},
        {"kind": "recode", "wrong": "3"},
        {"kind": "recode", "loss": "zz"},
        {"kind": "recode", "round": 1},
        {"kind": "auto", "low": 0, "high": 1},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, entered: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        ask(tmp_path, **entered)


# -- sources and releasing --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "released"),
    [
        ("t.csv", "t-released.csv"),
        ("t.csv.gz", "t-released.csv"),
        ("t.parquet", "t-released.parquet"),
        ("a.b.csv", "a.b-released.csv"),
        ("folder/t.csv", "t-released.csv"),
    ],
)
def test_the_name_of_what_is_released(name: str, released: str) -> None:
    found = Source(key="k", name=name, path=name, format=format_of(name))
    assert found.released_name == released


def test_a_file_that_changes_is_another(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv")
    before = source_from_path(str(file))
    assert source_from_path(str(file)) == before
    write(file, 50)
    assert source_from_path(str(file)).key != before.key


def test_a_release_without_its_report_is_still_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads only "failed" would release again."""
    file = write(tmp_path / "t.csv")
    plan = Bench().outlook(question(file), Heard()).release_plan(allow_no_noise=False)
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    part.mkdir()
    done = releasing.publish(
        source(file), plan, whole, ledger=None, voice=Heard(), check=lambda: None
    )
    assert (done.note, len(done.documents)) == ("", 5)
    assert {each.path for each in done.documents} == set(whole.iterdir())
    private = [each.path for each in done.documents if each.private]
    assert {each.stat().st_mode & 0o077 for each in private} == {0}

    def fail(*_: Any, **__: Any) -> str:
        raise UnsupportedError("no picture")

    monkeypatch.setattr(releasing, "report", fail)
    done = releasing.publish(
        source(file), plan, part, ledger=None, voice=Heard(), check=lambda: None
    )
    assert "was released and recorded" in done.note
    assert "no picture" in done.note
    assert {each.path for each in done.documents} == set(part.iterdir())


def test_a_release_whose_stress_test_fails_is_still_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever goes wrong there: the table is out, and must not be drawn again."""
    file = write(tmp_path / "t.csv")
    plan = Bench().outlook(question(file), Heard()).release_plan(allow_no_noise=False)

    def fail(*_: Any, **__: Any) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(releasing, "quick_stress", fail)
    (tmp_path / "out").mkdir()
    done = releasing.publish(
        source(file), plan, tmp_path / "out", ledger=None, voice=Heard(), check=lambda: None
    )
    assert len(done.documents) == 5
    assert "ZeroDivisionError" in str(done.stress)
    assert "Traceback" in capsys.readouterr().err
    assert "Not tested: An unexpected error occurred" in panels.stress_part(done.stress)
    (internal,) = (each.path for each in done.documents if each.path.name.endswith("report.html"))
    assert "Not tested: An unexpected error occurred" in internal.read_text(encoding="utf-8")


# -- panels and fragments ---------------------------------------------------------------------


def test_what_changes_while_it_is_released_is_not(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv")
    plan = Bench().outlook(question(file), Heard()).release_plan(allow_no_noise=False)
    folder = tmp_path / "out"
    folder.mkdir()

    def changed() -> None:
        raise DataError("it has changed")

    with pytest.raises(DataError, match="has changed"):
        releasing.publish(source(file), plan, folder, ledger=None, voice=Heard(), check=changed)
    assert list(folder.iterdir()) == []


def tiles(file: Path, **groups: Any) -> dict[str, list[str]]:
    asked = replace(question(file).asked, **groups)
    outlook = Bench().outlook(replace(question(file), asked=asked), Heard())
    found: dict[str, list[str]] = moving_parts(outlook, None)["tiles"]
    return found


def test_what_is_said_of_the_promise_is_on_the_safe_side(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv")
    plain = tiles(file)
    assert "by at most a factor of 2.719, for one row" in plain["promise"][1]
    shown = float(plain["within"][0].removeprefix("± "))
    scale = float(plain["noise"][1].rpartition("scale ")[2])
    # ln 20 = 2.99573...: 95% of Laplace noise; three digits, rounded up.
    assert 2.995 * scale < shown <= 2.996 * scale * 1.01
    assert shown >= 2.9957322 * scale
    with_delta = tiles(file, goal=Goal(epsilon=1.0, delta=0.01))
    assert "except with probability 0.01" in with_delta["promise"][1]
    huge = tiles(file, goal=Goal(epsilon=800.0))
    assert "a factor of e^800" in huge["promise"][1]
    several = Publishing(person="id", rows_per_person=2, rows_are="independent")
    person = tiles(file, publishing=several)
    assert "one person (at most 2 rows, taken to be independent" in person["promise"][1]
    assert "from one row" in person["guess"][1]
    assert "from all rows of a person" in person["guess"][1]
    assert "0.5 is promised for each row" in person["certificate"][1]


def test_with_kept_columns_nothing_is_said_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv")
    asked = replace(question(file).asked, publishing=Publishing(keep_unprotected=["id"]))
    outlook = Bench().outlook(replace(question(file), asked=asked), Heard())
    found = moving_parts(outlook, None)
    assert found["verdict"].startswith("What 'amount' reveals together with 'id' is measured")
    assert "factor" not in found["verdict"] + found["tiles"]["promise"][1]
    assert "about amount by itself, for one row" in found["tiles"]["promise"][1]
    assert "from this column by itself" in found["tiles"]["guess"][1]
    assert "the promise allows" not in found["tiles"]["guess"][1]
    assert "from this column by itself" in found["said"]


def test_rounding_and_clipping_are_said(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv")
    assert "mean" in tiles(file)["within"][1]
    cut = tiles(file, publishing=Publishing(round_to=2.0, clip="0:9"))["within"][1]
    assert cut == (
        "in 95% of cases, then rounded to multiples of 2, then moved into [0, 9], which biases "
        "means"
    )


def test_numbers_and_pictures_escape_what_the_table_holds(tmp_path: Path) -> None:
    outlook = Bench().outlook(question(write(tmp_path / "t.csv")), Heard())
    found = moving_parts(outlook, None)
    assert set(found["pictures"]) >= {"believed", "published", "ratio", "profile", "scale", "heat"}
    text = repr(found)
    assert "&lt;b&gt;&amp;amp;" in text
    assert "<b>&amp;" not in text.replace("<b>Against whom.</b>", "")
    tiles = found["tiles"]
    assert tiles["promise"][0] == "ε = 1"
    assert tiles["certificate"][0] == "kept"
    assert tiles["noise"][0] == f"std {outlook.calibration.noise.std:.4g}"


def test_another_pair_changes_what_is_believed(tmp_path: Path) -> None:
    outlook = Bench().outlook(question(write(tmp_path / "t.csv")), Heard())
    worst = outlook.calibration.certificate.worst
    others = [each for each in outlook.calibration.certificate.results if each.pair != worst.pair]
    usual, other = moving_parts(outlook, None), moving_parts(outlook, others[0])
    assert usual["pictures"]["believed"] != other["pictures"]["believed"]
    assert usual["pictures"]["profile"] == other["pictures"]["profile"]
    assert usual["tiles"] == other["tiles"]


def test_the_page_escapes_names_and_secrets() -> None:
    columns = (FoundColumn(name=MARKUP, numeric=True, complete=True, distinct=9),)
    texts = [
        str(data_forms.protection_part(columns, None)),
        str(data_forms.columns_part(columns, None)),
        str(
            data_forms.several_part([*columns, FoundColumn(name="a"), FoundColumn(name="b")], None)
        ),
        str(fragments.unprotected_part([MARKUP])),
        str(data_forms.groups_part([MARKUP], {MARKUP: 40, "u": 40})),
        str(fragments.pairs_part([[MARKUP, "u"]], None)),
        str(fragments.elsewhere_part(MARKUP, MARKUP, [(MARKUP, MARKUP, MARKUP)], "")),
        str(fragments.elsewhere_part("", "", [], MARKUP)),
    ]
    for text in texts:
        assert "&lt;b&gt;" in text
        assert "<b>" not in text


def test_nothing_is_answered_for_a_file_of_ones_own() -> None:
    part = str(data_forms.protection_part((FoundColumn(name="id"),), None))
    assert "checked" not in part


# -- latest -----------------------------------------------------------------------------------


def test_only_the_last_of_what_is_wanted_is_begun() -> None:
    begun: list[int] = []
    go_on = threading.Event()

    def work(wanted: int) -> int:
        begun.append(wanted)
        assert go_on.wait(PATIENCE)
        if wanted == 7:
            raise InvalidInputError("seven")
        return 10 * wanted

    async def look() -> list[Any]:
        wanted = reactive.value(1)
        latest = Latest(wanted, work)

        async def moved_to(value: int) -> None:
            async with reactive.lock():
                wanted.set(value)
                await reactive.flush()

        async def settled() -> None:
            for _ in range(round(100 * PATIENCE)):
                await asyncio.sleep(0.01)
                with reactive.isolate():
                    if not latest.running():
                        return
            raise TimeoutError

        async with reactive.lock():
            await reactive.flush()
        for value in (2, 3, 4):
            await moved_to(value)
        go_on.set()
        await settled()
        with reactive.isolate():
            found: list[Any] = [latest.value(), latest.error()]
        await moved_to(7)
        await settled()
        with reactive.isolate():
            found.append(latest.error())
        go_on.clear()
        await moved_to(8)
        with reactive.isolate():
            found.append(latest.error())
        go_on.set()
        await settled()
        return found

    value, none, error, gone = asyncio.run_coroutine_threadsafe(look(), loop()).result(20)
    assert (value, none) == (40, None)
    assert isinstance(error, InvalidInputError)
    assert gone is None
    assert begun == [1, 4, 7, 8]


def test_the_studio_has_no_other_question_than_the_plan(tmp_path: Path) -> None:
    """Whatever changes the plan changes what an answer is kept by."""
    file = write(tmp_path / "t.csv")
    usual = question(file)
    asked = usual.asked
    others = [
        replace(usual, asked=replace(asked, goal=Goal(epsilon=2.0))),
        replace(usual, asked=replace(asked, adversaries=Adversaries(belief=["gaussian"]))),
        replace(usual, reference=source(file, "other")),
        replace(usual, source=source(file, "other")),
    ]
    keys = [each.answered for each in (usual, *others)]
    assert len(set(keys)) == len(keys)
