"""Tables in the studio: several columns, categories, and what others know."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.options.planning import Asked
from pufferfish.options.table_script import table_script
from pufferfish.options.words import commands
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import Bench
from pufferfish.studio.question import Question
from pufferfish.studio.sources import Source
from pufferfish.studio.table_outlook import TableOutlook
from pufferfish.tables import format_of
from tests.studio.conftest import Opened, Tab, served
from tests.studio.test_browser import shows_stress
from tests.studio.test_looks import UNTOLD
from tests.studio.test_page import ENTERED, Heard

pytestmark = pytest.mark.xdist_group("studio")

HEADER = ("score", "job", "sex", "town", "kind")


def rows(count: int = 900) -> list[tuple[Any, ...]]:
    """Scores and jobs that depend on the kind; sex and town do not."""
    return [
        (
            (number // 2 * 7) % 5 + 2 * (number % 2),
            ("abc" if number % 2 else "aab")[number // 2 % 3],
            "FM"[(number // 2 + (number % 9 == 0)) % 2],
            "xyz"[number % 3],
            "uv"[number % 2],
        )
        for number in range(count)
    ]


def write(path: Path, content: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *content])
    return path


def source(path: Path, key: str = "own key") -> Source:
    return Source(key=key, name=path.name, path=str(path), format=format_of(path.name))


def ask(path: Path, other: Source | None = None, **entered: Any) -> Question:
    usual = {"column": "score", "together": ["job"], "kind": "recode", "floor": "none"}
    entry = {**ENTERED, "beliefs": ["empirical"], **usual, **entered}.get
    return read_page(source(path), other, HEADER, entry, {"job", "sex", "town", "kind"})


def looked_at(path: Path, other: Source | None = None, **entered: Any) -> TableOutlook:
    found = Bench().outlook(ask(path, other, **entered), Heard())
    assert isinstance(found, TableOutlook)
    return found


# -- without a browser ------------------------------------------------------------------------


def test_what_is_ticked_becomes_options(tmp_path: Path) -> None:
    asked: Asked = ask(tmp_path / "t.csv", keep=["sex"], known=["town"]).asked
    assert asked.table.column == ["score", "job"]
    assert (asked.publishing.keep, asked.roles.known) == (["sex"], ["town"])
    assert (asked.recoding.floor, asked.goal.mechanism) == (None, "recode")
    assert asked.adversaries.belief == ["empirical"]
    # Ticked twice, it is still one column.
    assert ask(tmp_path / "t.csv", together=["score"]).asked.table.column == ["score"]
    assert not ask(tmp_path / "t.csv", together=[]).of_table
    for given in ({"column": "job", "together": []}, {"together": [], "keep": ["sex"]}):
        assert ask(tmp_path / "t.csv", **given).slow


def test_the_outlook_of_a_table_is_that_of_the_library(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", rows())
    found = looked_at(file, keep=["sex"], wrong=2)
    beliefs = pf.fit_beliefs(str(file), columns=["score", "job"], secret="kind", known=["sex"])
    scenario = pf.Scenario(beliefs, [("u", "v")])
    wanted = pf.calibrate(
        scenario, pf.Guarantee(1.0), mechanism="recode", wrong=0.02, keep=("sex",)
    )
    assert found.calibration.mechanism == wanted.mechanism
    assert found.plan.keep == ("sex",)
    assert found.calibration.recode is not None
    assert [part.column for part in found.calibration.recode.parts] == ["score", "job"]


def test_the_other_table_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    """Beliefs that are said to be public must not come from the table itself."""
    (tmp_path / "r").mkdir()
    file = write(tmp_path / "t.csv", rows())
    other = source(write(tmp_path / "r" / "t.csv", rows(1200)), "its key")
    found = looked_at(file, other, provenance="public")
    itself = looked_at(file)
    assert found.plan.public
    assert not itself.plan.public
    sizes = [each.plan.scenario.beliefs[0].frequencies for each in (found, itself)]
    assert sizes[0] != sizes[1]


def test_a_column_is_the_same_by_itself_and_in_a_table(tmp_path: Path) -> None:
    """A second release is noticed, whatever else is published with it."""
    file = write(tmp_path / "t.csv", rows())
    alone = Bench().outlook(ask(file, together=[], kind="laplace"), Heard())
    together = looked_at(file)
    assert alone.released == together.released[:1]
    assert len(together.released) == 2
    assert looked_at(file, column="job", together=[]).released == together.released[1:]


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        ({"kind": "laplace"}, "such columns are recoded"),
        ({"floor": "noise"}, "--floor noise is for numbers"),
        ({"beliefs": ["mixture"]}, "mixture"),
        ({"keep": ["job"]}, "a column has one role"),
        ({"keep": ["kind"]}, "a column has one role"),
        ({"unit": "person", "person": "town", "rows_per_person": 2}, "2 rows of one person"),
        ({"unit": "person", "person": "town", "rows_way": "first"}, "several rows of one person"),
        ({"wrong": 0}, "--wrong"),
        ({"rule_1": "bins"}, "the rule for column 'job' must be"),
        ({"rule_0": "5, 3"}, "--edges score= must be numbers in rising order"),
        ({"rule_1": "merge q=a"}, "column 'job' has no label 'q'"),
        ({"never": "job=q,score=1"}, "column 'job' has no label 'q'"),
        ({"rule_2": "weight 2", "keep": ["sex"]}, "--weight is about column 'sex'"),
    ],
    ids=str,
)
def test_what_a_table_cannot_have_is_refused(
    tmp_path: Path, entered: dict[str, Any], said: str
) -> None:
    file = write(tmp_path / "t.csv", rows())
    with pytest.raises(pf.PufferfishError, match=said):
        looked_at(file, **entered)


# A line of rules for some columns, by their places, and what must not occur.
RULED = {
    "rule_0": "1:6:2; weight 2",
    "rule_1": "merge b , c=d; order d,a; steps",
    "rule_3": "merge x,y=w",
    "never": "score=6, job=a",
}


def test_rules_for_columns_become_options(tmp_path: Path) -> None:
    asked = ask(tmp_path / "t.csv", known=["town"], **RULED, rule_2="codes").asked
    assert asked.recoding.edges == ["score=1:6:2"]
    assert asked.recoding.never == ["score=6,job=a"]
    assert (asked.recoding.weights, asked.recoding.losses) == ({"score": 2.0}, {"job": "steps"})
    assert asked.roles.merge == ["job:b,c=d", "town:x,y=w"]
    assert asked.roles.order == ["job:d,a"]
    # A column without a role has no rule; one of numbers that others know has bands.
    assert asked.roles.codes is None
    known = ask(tmp_path / "t.csv", column="job", together=[], known=["score"], rule_0="2,4").asked
    assert (known.roles.bands, known.recoding.edges) == (["score=2,4"], None)
    # One column of numbers by itself stays that, and is told apart from one that is read as labels.
    alone = ask(tmp_path / "t.csv", together=[], rule_0="1:6:2")
    assert (alone.asked.recoding.edges, alone.of_table) == (["1:6:2"], False)
    assert ask(tmp_path / "t.csv", together=[], rule_0="codes").labelled


def test_rules_and_secrets_are_the_same_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the commands and by the script that the page shows."""
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "t.csv", rows())
    for place, given in enumerate(
        (
            RULED | {"keep": ["town"], "any_histogram": True},
            {"secrets": ["town"]},
            {"secrets": ["town"], "jointly": True},
        )
    ):
        found = looked_at(file, **given)
        output = f"out{place}.csv"
        words = shlex.split(commands(found.question.asked, output).splitlines()[0])
        assert run([*words[1:-1], f"plan{place}.json"]) == Exit.DONE
        script = table_script(found.question.asked, found.described, found.plan, output)
        exec(compile(script, "script", "exec"), {})
        for plan in (
            TablePlan.load(f"plan{place}.json"),
            TableRecord.load(f"{output}.record.json").plan,
        ):
            assert plan.calibration.mechanism == found.plan.calibration.mechanism
            assert (plan.layout, plan.others) == (found.plan.layout, found.plan.others)


# -- in a browser -----------------------------------------------------------------------------


def suited(tab: Tab, kind: str) -> None:
    """Wait until what suits the columns is chosen; what is slow is offered after that."""
    tab.page.wait_for_selector(f"input[name=kind][value={kind}]:checked")
    hidden = {"recode": ":not([hidden])", "laplace": "[hidden]"}[kind]
    tab.page.wait_for_selector(f"#demand{hidden}", state="attached")


def opened_rows(tab: Tab) -> None:
    """The example of several columns, with its answer."""
    tab.choose("source", "rows")
    suited(tab, "recode")
    with tab.moving():
        tab.page.click("#find")


def test_a_table_from_the_columns_to_what_is_saved(opened: Opened, tmp_path: Path) -> None:
    with served() as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        opened_rows(tab)
        assert "already knows 'sex'" in tab.text("#verdict")
        assert "for somebody who knows 'sex'" in tab.text("#note-promise")
        parts = tab.text("#parts")
        for word in ("education-num", "income", "with one constant", "Female", "Male"):
            assert word in parts
        # What can be guessed, what stays for each sex, and both columns; none of one column alone.
        assert tab.page.locator("#live figure:visible").count() == 4
        assert tab.page.evaluate(UNTOLD) == []
        by_hand = tab.text("#elsewhere pre >> nth=0")
        script = tab.text("#elsewhere pre >> nth=1")
        tab.save("adult-rows.csv", tmp_path)
        plan = TablePlan.load(tab.save("plan.json", tmp_path))
        tab.release()
        base = "adult-rows-released.csv"
        ends = ("", ".public.json", ".public.html", ".record.json", ".report.html")
        assert sorted(tab.links()) == sorted(base + end for end in ends)
        files = {end: tab.save(base + end, tmp_path) for end in ends}
        shows_stress(tab, "has counted this table", "--known occupation")
        # None of its columns is released a second time without asking.
        tab.page.wait_for_selector("#again")

    with files[""].open(encoding="utf-8") as file:
        released = list(csv.DictReader(file))
    assert len(released) == 32_561
    assert sorted(released[0]) == ["education-num", "income", "sex"]
    command = ["verify", str(files[".record.json"]), "--released", str(files[""])]
    assert run(command) == Exit.DONE
    record = TableRecord.load(files[".record.json"])
    assert record.plan.calibration.mechanism == plan.calibration.mechanism
    for end in (".public.html", ".report.html"):
        page = files[end].read_text(encoding="utf-8")
        assert "income" in page
        assert ("What if they know more?" in page) is (end == ".report.html")

    # The same elsewhere: by the commands, and by the script.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "adult-rows.csv").write_bytes((tmp_path / "adult-rows.csv").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(elsewhere)
        words = shlex.split(by_hand.splitlines()[0])
        assert run(words[1:]) == Exit.DONE
        by_command = TablePlan.load("plan.json")
        exec(compile(script, "script", "exec"), {})
        by_script = TableRecord.load(f"{base}.record.json").plan
    for found in (by_command, by_script):
        assert found.calibration.mechanism == plan.calibration.mechanism
        assert (found.keep, found.columns) == (plan.keep, plan.columns)


def test_ticking_a_column_keeps_what_was_chosen(opened: Opened, tmp_path: Path) -> None:
    with served() as studio:
        tab = opened(studio)
        tab.give(write(tmp_path / "t.csv", rows()))
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        tab.page.select_option("#secret", "kind")
        tab.page.click("#more summary")
        tab.page.fill("#min_group", "20")
        tab.page.press("#min_group", "Tab")
        tab.page.click(".several summary")
        tab.page.check("input[name=together][value=job]")
        suited(tab, "recode")
        # What suits categories is chosen, and nothing is wrong.
        assert tab.page.is_checked("input[name=kind][value=recode]")
        assert tab.page.is_checked("input[name=floor][value=none]")
        assert tab.page.is_hidden("#problem")
        assert tab.page.input_value("#min_group") == "20"
        with tab.moving():
            tab.page.click("#find")
        assert tab.page.input_value("#min_group") == "20"
        tab.page.check("input[name=keep][value=job]")
        assert "a column has one role" in tab.problem()
        tab.page.uncheck("input[name=keep][value=job]")
        tab.no_problem()
        tab.page.uncheck("input[name=together][value=job]")
        suited(tab, "laplace")
        # The answer of before, which comes back meanwhile, is another one.
        tab.page.wait_for_selector("#tile-noise >> text=std")


def test_no_row_of_several_columns_is_sent(opened: Opened, tmp_path: Path) -> None:
    canary = "Zanzibar"
    content = [
        (*each[:3], canary if number % 90 == 0 else each[3], each[4])
        for number, each in enumerate(rows())
    ]
    with served() as studio:
        tab = opened(studio)
        tab.give(write(tmp_path / "t.csv", content))
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        tab.page.select_option("#secret", "kind")
        tab.page.click(".several summary")
        tab.page.check("input[name=together][value=town]")
        suited(tab, "recode")
        # Also not by an error that names labels.
        tab.page.click(".rules summary")
        assert tab.page.is_hidden("#rule_2")
        tab.page.fill("#rule_3", "merge Nowhere=x")
        tab.page.press("#rule_3", "Tab")
        assert "no label 'Nowhere'" in tab.problem()
        tab.page.fill("#rule_3", "merge x,y=w")
        tab.page.press("#rule_3", "Tab")
        tab.no_problem()
        suited(tab, "recode")
        with tab.moving():
            tab.page.click("#find")
        tab.release()
        sent = "\n".join([*tab.frames, tab.page.content()])
        released = tab.save("t-released.csv", tmp_path).read_text(encoding="utf-8")
    assert canary in released
    assert canary not in sent
