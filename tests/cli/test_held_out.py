"""What the terminal says of rows that were not used; and the release of one half."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.cli.held_out import as_warning
from pufferfish.insight.held_out import HeldOut
from pufferfish.insight.set_apart import Split
from tests import seams
from tests.cli.conftest import Said, Typed
from tests.cli.tables import column, rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
CALIBRATE = ("calibrate", "t.csv", *COLUMNS, "-e", "1")
RELEASE = ("release", "t.csv", *COLUMNS, "-e", "1", "-o", "out.csv", "--keep-unprotected", "id")
HALF = (*RELEASE, "--fit-on", "half", "--min-group", "5")


def test_the_terminal_says_what_the_promise_becomes(typed: Typed) -> None:
    said = typed(*CALIBRATE)
    assert "Held out: on rows that were not used, ε is " in said.out
    assert "median of 5 random splits" in said.out
    assert "Held out    on rows that were not used" in typed(*RELEASE).out


@pytest.mark.parametrize("command", [CALIBRATE, RELEASE])
def test_json_has_it_and_zero_splits_turn_it_off(typed: Typed, command: tuple[str, ...]) -> None:
    found = typed(*command, "--splits", "3", "--json").json
    assert found["held_out"]["splits"] == 3
    assert found["held_out_epsilon"] > 0.0
    force = ("--force",) if command is RELEASE else ()
    off = typed(*command, "--splits", "0", "--json", *force).json
    assert off["held_out_epsilon"] is off["held_out"] is None
    assert "Held out" not in typed(*command, "--splits", "0", *force).out


def test_a_slow_calibration_is_split_less_often(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.SECONDS_OF_SPLITS, 0.0)
    assert typed(*CALIBRATE, "--json").json["held_out"]["splits"] == 1


def test_no_edition_of_a_record_has_it(typed: Typed, folder: Path) -> None:
    typed(*RELEASE)
    for edition in ("record", "public"):
        assert "held" not in (folder / f"out.csv.{edition}.json").read_text(encoding="utf-8")


def test_rows_that_were_fitted_to_are_not_published(typed: Typed, folder: Path) -> None:
    said = typed(*HALF, "--json")
    assert said.code == 0
    record = json.loads((folder / "out.csv.record.json").read_text(encoding="utf-8"))
    published = column(folder / "out.csv", "id")
    assert len(set(published)) == len(published) == said.json["rows"]
    assert record["beliefs_from"] == "other rows"
    assert record["rows_fitted"] + len(published) == len(rows())
    assert said.json["held_out"]["splits"] == 1
    assert typed("verify", "out.csv.record.json").code == 0


def test_each_time_by_other_coins(typed: Typed, folder: Path) -> None:
    halves = []
    for name in ("out.csv", "again.csv"):
        typed(*("again.csv" if each == "out.csv" and name != each else each for each in HALF))
        halves.append(set(column(folder / name, "id")))
    assert halves[0] != halves[1]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--reference", "t.csv"), "leave out --reference and --person"),
        (("--person", "id"), "leave out --reference and --person"),
    ],
)
def test_what_does_not_go_with_a_half(
    refused: Callable[..., Said], more: tuple[str, ...], why: str
) -> None:
    command = [each for each in HALF if each not in ("--keep-unprotected", "id")]
    assert why in refused(*command, *more).err


def test_a_plan_and_a_folder_are_refused(refused: Callable[..., Said], folder: Path) -> None:
    said = refused("release", "t.csv", "--plan", "p.json", "-o", "out.csv", "--fit-on", "half")
    assert "leave out --plan" in said.err
    (folder / "many").mkdir()
    write(folder / "many" / "one.csv", rows())
    command = ["many" if each == "t.csv" else each for each in HALF]
    assert "join the files" in refused(*command).err


def test_secrets_that_only_one_half_has_are_known(typed: Typed, folder: Path) -> None:
    """One row of a secret in no pair, and one value that nobody else has."""
    more = [[1000, "rare", 3, "u"], [1001, "a", 99, "u"]]
    write(folder / "t.csv", rows() + more)
    for _ in range(4):
        assert typed(*HALF, "--pair", "a:b", "--force").code == 0


CHOOSE = ("calibrate", "t.csv", *COLUMNS, "--min-group", "1")


@pytest.mark.parametrize("kept", [(), ("--keep", "o")])
def test_a_frontier_says_why_no_other_rows_judge(
    typed: Typed, folder: Path, kept: tuple[str, ...]
) -> None:
    """Of a secret with one row, a random half has none: a column, and a table."""
    write(folder / "t.csv", [*rows(), *([each, "rare", 3, "uvw"[each]] for each in range(3))])
    said = typed(*CHOOSE, *kept, "--splits", "3")
    assert said.code == 0
    assert "rows that were not used is not known: in a random half of the rows, " in _flat(said.out)
    assert "rare" not in said.out
    assert "(3/3)" not in said.out
    found = typed(*CHOOSE, *kept, "--splits", "3", "--json").json
    assert found["not_split"].startswith("in a random half of the rows, ")
    assert all(each["held_out"] is None for each in found["choices"])
    off = typed(*CHOOSE, *kept, "--splits", "0")
    assert "is not known" not in _flat(off.out)


def test_a_frontier_for_several_rows_of_a_person_is_not_split(typed: Typed) -> None:
    several = ("--person", "id", "--rows-per-person", "2", "--rows-are", "independent")
    said = _flat(typed(*CHOOSE, *several).out)
    assert "a split takes rows one by one, and a person has several" in said
    assert "Left out:" not in said


def _flat(text: str) -> str:
    return " ".join(text.split())


RECODE = ("--mechanism", "recode", "--floor", "none", "--held-out", "95%")


def test_wrong_that_holds_is_found_and_told(typed: Typed) -> None:
    half = (*CALIBRATE, *RECODE[:-2], "--held-out", "50%", "--splits", "0")
    found = typed(*half, "--json").json["wrong"]
    assert 0.0 < found < 1.0
    told = typed(*half)
    assert "It was chosen by looking at the table." in told.err
    assert f"--wrong is {found:g}, the least" in told.err


@pytest.mark.parametrize("kept", [(), ("--keep", "k")])
def test_noise_between_public_bounds(typed: Typed, folder: Path, kept: tuple[str, ...]) -> None:
    """The least share is found for noise as well; every edition says where it comes from."""
    content = [[each % 7 + each % 2, "uv"[each // 2 % 2], "ab"[each % 2]] for each in range(840)]
    write(folder / "t.csv", content, ("x", "k", "s"))
    noise = ("t.csv", *COLUMNS, *kept, "-e", "1", "--cap", "0:7", "--splits", "0")
    found = typed("calibrate", *noise, "--held-out", "60%", "-o", "plan.json")
    assert found.code == 0
    assert "It was chosen by looking at the table." in found.err
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    assert plan["wrong"] > 0.0
    assert plan["wrong_of_table"] is True
    assert f"--wrong is {plan['wrong']:g}, the least" in found.err
    # The same noise as somebody gets who says this share, of which nothing more is to be said.
    assert typed("calibrate", *noise, "--wrong", plan["wrong"], "-o", "said.json").code == 0
    said = json.loads((folder / "said.json").read_text(encoding="utf-8"))
    assert said["noise"] == plan["noise"]
    assert "wrong_of_table" not in said
    assert typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv").code == 0
    assert typed("verify", "out.csv.record.json").code == 0
    for edition in ("record", "public"):
        words = (folder / f"out.csv.{edition}.json").read_text(encoding="utf-8")
        assert "wrong was chosen, from a short public list, by looking at the table" in words
    # Taking that out makes the record contradict its plan.
    record = json.loads((folder / "out.csv.record.json").read_text(encoding="utf-8"))
    del record["wrong_of_table"]
    (folder / "out.csv.record.json").write_text(json.dumps(record), encoding="utf-8")
    assert typed("verify", "out.csv.record.json").code == 3


def test_wrong_is_not_chosen_by_rows_that_are_released(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    found = seams.found(seams.WRONG_THAT_HOLDS)

    def spy(*arguments: object, counts: Any, **more: Any) -> Any:
        seen.append(sum(group.records for group in counts.groups.values()))
        return found(*arguments, counts=counts, **more | {"wrongs": (0.5,), "share": 0.01})

    seams.put(monkeypatch, seams.WRONG_THAT_HOLDS, spy)
    rows_released = typed(*HALF, *RECODE, "--json").json["rows"]
    assert seen == [len(rows()) - rows_released]


def test_the_share_of_splits_is_the_one_that_was_given(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    found = seams.found(seams.WRONG_THAT_HOLDS)

    def spy(*arguments: object, share: float, **more: Any) -> Any:
        asked.append(share)
        return found(*arguments, share=0.01, **more | {"wrongs": (0.2,)})

    seams.put(monkeypatch, seams.WRONG_THAT_HOLDS, spy)
    for share in ("95%", ".9"):
        how = (*RECODE[:-1], share, "--splits", "0")
        assert typed(*CALIBRATE, *how).code == 0
    assert asked == [0.95, 0.9]


def test_held_out_needs_a_promise(refused: Callable[..., Said]) -> None:
    assert "--epsilon" in refused("calibrate", "t.csv", *COLUMNS, *RECODE).err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--mechanism", "recode", "--held-out", "2"), "--held-out must be a share"),
        (("--mechanism", "recode", "--held-out", "0"), "above 0"),
        (("--mechanism", "recode", "--held-out", "90%", "--wrong", "1%"), "leave out one of them"),
        (("--held-out", "90%"), "--held-out with noise needs public bounds"),
        (
            ("--mechanism", "gaussian", "-d", "0.1", "--held-out", "90%", "--cap", "0:12"),
            "nothing is proven",
        ),
        (("--mechanism", "auto", "--held-out", "90%", "--cap", "0:12"), "compares several"),
        (("--scale", "30", "--held-out", "90%", "--cap", "0:12"), "leave out --scale"),
        (("--method", "coupling", "--held-out", "90%", "--cap", "0:12"), "and --method"),
    ],
)
def test_what_does_not_go_with_held_out(
    refused: Callable[..., Said], more: tuple[str, ...], why: str
) -> None:
    assert why in refused(*CALIBRATE, *more).err


def test_a_promise_that_most_splits_break_is_a_warning(typed: Typed) -> None:
    """A recoding without slack is fitted to the very table."""
    bare = ("--mechanism", "recode", "--floor", "none", "--nominal", "--splits", "4")
    said = typed(*CALIBRATE, *bare)
    text = " ".join(said.out.split())
    assert "Beware: On rows that were not used, ε = 1 held in none of 4 random splits (" in text
    assert "may fail for another sample of the same population. To find how much room" in text
    # After what the record itself warns of, and before the promise.
    before, _, _ = typed(*RELEASE, *bare).out.partition("Promise ")
    assert "On rows that were not used" in before
    found = typed(*RELEASE, *bare, "--json", "--force").json
    assert found["headline"][-1].startswith("On rows that were not used")
    # A promise that holds needs no warning.
    assert "Beware: On rows" not in typed(*CALIBRATE, "--scale", "400").out


def split(epsilon: float) -> Split:
    """The judgement of rows under which this is the least ε, of a promise of 1."""
    return Split(epsilon=epsilon, delta=0.0, rmse=1.0, holds=epsilon <= 1.0)


@pytest.mark.parametrize(
    ("held", "tried", "warned"),
    [
        *((5, 5, False), (4, 5, False), (3, 5, True), (2, 3, True), (0, 1, True), (1, 1, False)),
        *((16, 19, False), (18, 20, True), (19, 20, False)),
    ],
)
def test_how_many_splits_may_fail(typed: Typed, held: int, tried: int, warned: bool) -> None:
    assert typed(*CALIBRATE, "--splits", "0", "-o", "plan.json").code == 0
    plan = pf.Plan.load("plan.json")
    splits = tuple(split(epsilon=0.9 if each < held else 1.5) for each in range(tried))
    said = as_warning(HeldOut(goal=pf.Guarantee(1.0), splits=splits), plan)
    assert bool(said) == warned
    if (held, tried) == (3, 5):
        assert "ε = 1 held in only 3 of 5 random splits (median ε 0.9): the promise" in said[0]
    if tried == 1 and warned:
        assert "did not hold in the one random split (there ε 1.5)" in said[0]


@pytest.mark.parametrize(
    "how",
    [
        (),
        ("--cap", "0:12"),
        ("--mechanism", "gaussian", "-d", "0.01"),
        ("--mechanism", "recode", "--floor", "none", "--nominal"),
        ("--missing", "keep"),
    ],
)
def test_the_advice_of_the_warning_is_not_refused(
    typed: Typed, folder: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    """What a warning says to type is typed, with public bounds where it names LOW:HIGH."""
    content = [
        [
            "" if how == ("--missing", "keep") and place == 2 and row[0] % 9 == 0 else each
            for place, each in enumerate(row)
        ]
        for row in rows("ab", 120)
    ]
    write(folder / "t.csv", content)
    command = ("calibrate", "t.csv", *COLUMNS, "-e", "1", "--splits", "0")
    assert typed(*command, *how, "-o", "plan.json").code == 0
    broken = HeldOut(goal=pf.Guarantee(1.0), splits=(split(epsilon=2.0),))
    advice = as_warning(broken, pf.Plan.load("plan.json"))[0].partition("needs, give ")[2]
    typed_next = advice.rstrip(".").partition(" (")[0].split()
    assert "95%" in typed_next
    found = seams.found(seams.WRONG_THAT_HOLDS)

    def quick(*arguments: object, **more: Any) -> Any:
        return found(*arguments, **more | {"wrongs": (0.2,), "share": 0.01})

    seams.put(monkeypatch, seams.WRONG_THAT_HOLDS, quick)
    gaussian = ("--mechanism", "gaussian", "-d", "0.01")
    kept = [] if how == gaussian else [each for each in how if each != "--nominal"]
    assert ("(instead of --nominal)" in advice) == ("--nominal" in how)
    said = typed(*command, *kept, *(each.replace("LOW:HIGH", "0:12") for each in typed_next))
    assert said.code == 0, said.err


def test_holes_that_no_noise_hides_in_a_half_are_counted(typed: Typed, folder: Path) -> None:
    """In the table holes need ε = log(24/12), in halves of it more or less."""
    content = [
        ["", row[1], "" if number < (24 if row[1] == "a" else 12) else row[2], ""]
        for secret in "ab"
        for number, row in enumerate(each for each in rows("ab", 100) if each[1] == secret)
    ]
    write(folder / "holes.csv", content)
    how = ("calibrate", "holes.csv", *COLUMNS, "-e", "0.72", "--missing", "keep")
    said = typed(*how, "--splits", "12")
    assert said.code == 0
    assert "is not known" not in said.err
    found = typed(*how, "--splits", "12", "--json").json["held_out"]
    assert found["holes"] > 0
    assert found["splits"] + found["holes"] == 12
    text = " ".join(said.out.split())
    assert f"was kept in {found['held']} of 12 random splits. In {found['holes']} no noise" in text


def test_a_column_with_a_group_without_a_secret_is_split_as_any(typed: Typed, folder: Path) -> None:
    content = [[row[0], row[1] if row[0] % 5 else "", *row[2:]] for row in rows("ab", 100)]
    write(folder / "some.csv", content)
    how = ("calibrate", "some.csv", *COLUMNS, "-e", "1", "--missing-secret")
    assert "median of 5 random splits" in typed(*how).out
    table = ("-c", "x", "-c", "o", "-s", "s", "-e", "1")
    # Where every split may take long, it is said that none was made.
    said = " ".join(typed("calibrate", "t.csv", *table).out.split())
    assert "rows that were not used was not measured; --splits 5 measures it" in said
