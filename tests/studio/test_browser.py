"""The studio in a browser: from a table to what is published, and to the same elsewhere."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.beliefs.scenario import PUBLIC, REFERENCE, RELEASED
from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.columns.plan import Plan
from pufferfish.columns.record import Record
from pufferfish.core.ladder import rung_up
from pufferfish.studio.bench import Bench
from pufferfish.studio.question import Question
from tests.studio.conftest import Opened, Served, Tab, served

pytestmark = pytest.mark.xdist_group("studio")

ADULT_PAIR = ("Black", "Asian-Pac-Islander")
HEADER = ("id", "amount", "kind", "town")
EPSILON = ".slider[data-input=epsilon]"
DELTA = ".slider[data-input=delta]"


def rows(each: int = 40, kinds: Sequence[str] = ("u", "v", "w")) -> list[tuple[Any, ...]]:
    """Values of three kinds that overlap, and differ in their mean."""
    return [
        (number * len(kinds) + place, (7 * number) % 10 + place, kind, "xyz"[number % 3])
        for number in range(each)
        for place, kind in enumerate(kinds)
    ]


def write(path: Path, content: Sequence[Sequence[Any]], delimiter: str = ",") -> Path:
    """A table in the format that its name says."""
    if path.suffix == ".parquet":
        columns = zip(*content, strict=True)
        pq.write_table(pa.table(dict(zip(HEADER, map(list, columns), strict=True))), path)
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([HEADER, *content])
    return path


def up(number: float, digits: int) -> Decimal:
    """Rounded up to so many digits."""
    exact = Decimal(number)
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - digits), ROUND_CEILING)


def certificate(
    file: Any, column: str, secret: str, goal: pf.Guarantee, pairs: Any = None, **more: Any
) -> pf.Certificate:
    """What the library computes, without anything of the studio.

    A scale that depends on private data is published as a rung of the public ladder.
    """
    table = pf.summarise(file, column=column, secret=secret)
    some = table if pairs is None else table.only(each for pair in pairs for each in pair)
    beliefs = pf.fit_beliefs(some, families=("mixture", "empirical"), **more)
    scenario = pf.Scenario(beliefs, pairs)
    noise = pf.calibrate(scenario, goal).noise
    assert isinstance(noise, pf.LaplaceNoise)
    if not all(belief.public for belief in beliefs):
        noise = pf.LaplaceNoise(scale=rung_up(noise.scale))
    return pf.verify(scenario, noise, goal)


def shows_noise(tab: Tab, wanted: pf.Certificate) -> None:
    noise = wanted.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert tab.text("#tile-noise") == f"std {noise.std:.4g}"
    assert tab.text("#note-noise").endswith(f"Laplace, scale {noise.scale:.6g}")


def shows_bound(tab: Tab, wanted: pf.Certificate) -> None:
    """What is certified, with four digits, on the safe side."""
    assert tab.text("#tile-certificate") == "kept"
    found = re.search(r"is at most ([\d.e-]+);", tab.text("#note-certificate"))
    assert found is not None
    shown = float(found[1])
    assert wanted.epsilon_upper <= shown <= wanted.goal.epsilon
    assert shown == float(up(wanted.epsilon_upper, 4))


def shows_stress(tab: Tab, kept: str, answer: str) -> None:
    """The stress test of a release: cases that break the promise first, each with an answer."""
    assert tab.text("#stressed h3") == "What if they know more?"
    cells = "rows => rows.map(row => [...row.cells].map(each => each.innerText))"
    head, *cases = tab.page.eval_on_selector_all("#stressed tr", cells)
    assert head[:4] == ["somebody who", "ε", "kept", "would answer it"]
    verdicts = [row[2] for row in cases]
    assert verdicts == sorted(verdicts)  # "no" before "yes"
    assert {"no", "yes"} == {*verdicts}
    assert all(bool(row[3]) == (row[2] == "no") for row in cases)
    assert [row for row in cases if row[0] == kept and row[2] == "yes"]
    assert [row for row in cases if row[3].startswith(answer)]
    assert "On this page: " in tab.text("#stressed")


def column_of(path: Path) -> dict[str, list[Any]]:
    """A released table."""
    if path.suffix == ".parquet":
        found: dict[str, list[Any]] = pq.read_table(path).to_pydict()
        return found
    with path.open(newline="", encoding="utf-8") as file:
        content = list(csv.reader(file))
    return {name: list(cells) for name, *cells in zip(*content, strict=True)}


# -- three steps ------------------------------------------------------------------------------


def test_three_steps_on_the_built_in_data(opened: Opened, tmp_path: Path) -> None:
    with served() as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        page = tab.page
        assert page.input_value("#column") == "education-num"
        assert page.input_value("#secret") == "race"
        ticked = "inputs => inputs.map(each => each.value)"
        pairs = page.eval_on_selector_all("input[name=pair]:checked", ticked)
        assert pairs == ["Black:Asian-Pac-Islander"]

        table, goal = pf.datasets.adult_education(), pf.Guarantee(1.0)
        wanted = certificate(table, "education-num", "race", goal, [ADULT_PAIR])
        shows_noise(tab, wanted)
        shows_bound(tab, wanted)

        tab.release()
        base = "adult-released.csv"
        ends = ("", ".public.json", ".public.html", ".record.json", ".report.html")
        assert sorted(tab.links()) == sorted(base + end for end in ends)
        files = {end: tab.save(base + end, tmp_path) for end in ends}
        shows_stress(tab, "knows 'education-num' to within 1", "--cap LOW:HIGH --wrong 1%")

    released = column_of(files[""])
    assert list(released) == ["education-num"]
    assert len(released["education-num"]) == 32_561
    # Laplace noise on a grid of its own: hardly any value is a whole number.
    assert sum(float(each) == int(float(each)) for each in released["education-num"]) < 100
    command = ["verify", str(files[".record.json"]), "--released", str(files[""])]
    assert run(command) == Exit.DONE
    public = ["verify", str(files[".public.json"]), "--released", str(files[""])]
    assert run(public) == Exit.NOT_CHECKABLE
    record = Record.load(files[".record.json"])
    assert record.plan.calibration.noise.std == wanted.noise.std
    for end in (".public.html", ".report.html"):
        page = files[end].read_text(encoding="utf-8")
        assert "education-num" in page
        assert ("What if they know more?" in page) is (end == ".report.html")


FITTED_ON = {"released": RELEASED, "reference": REFERENCE, "public": PUBLIC}
KINDS_OF_FILES = [
    ("t.csv", ",", "released"),
    ("t.csv", ";", "reference"),
    ("t.parquet", ",", "public"),
]


@pytest.mark.parametrize(("name", "delimiter", "provenance"), KINDS_OF_FILES)
def test_a_file_of_ones_own(
    opened: Opened,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    delimiter: str,
    provenance: str,
) -> None:
    file = write(tmp_path / name, rows(), delimiter)
    other = write(tmp_path / f"other{file.suffix}", rows(70), delimiter)
    asked: list[Question] = []
    real = Bench.outlook

    def noted(self: Bench, question: Question, voice: Any) -> Any:
        asked.append(question)
        return real(self, question, voice)

    monkeypatch.setattr(Bench, "outlook", noted)
    with served() as studio:
        tab = opened(studio)
        tab.give(file)
        tab.page.wait_for_selector("#groups >> text=120 values for 3 secrets", state="attached")
        tab.page.select_option("#column", "amount")
        tab.page.select_option("#secret", "kind")
        tab.choose("unit", "row")
        assert tab.page.is_hidden("#live")
        tab.choose("provenance", provenance)
        if provenance != "released":
            assert tab.problem() == "Choose the table to which beliefs are fitted."
            assert [each for each in asked if each.source.name == name] == []
            tab.give(other, "reference")
        tab.page.wait_for_selector("#live", state="visible")
        tab.shows("#tile-promise", "ε = 1")
        of_file = [each for each in asked if each.source.name == name]
        assert of_file != []
        assert all((each.reference is None) == (provenance == "released") for each in of_file)
        fitted = file if provenance == "released" else other
        shows_noise(
            tab,
            certificate(
                fitted, "amount", "kind", pf.Guarantee(1.0), provenance=FITTED_ON[provenance]
            ),
        )
        tab.release()
        output = f"t-released{file.suffix}"
        released = column_of(tab.save(output, tmp_path))
        plan = Plan.load(tab.save("plan.json", tmp_path))
    assert list(released) == ["amount"]
    assert len(released["amount"]) == 120
    assert {each.provenance for each in plan.calibration.scenario.beliefs} == {
        FITTED_ON[provenance]
    }
    assert plan.public == (provenance == "public")


def test_another_file_is_asked_about_again(opened: Opened, studio: Served, tmp_path: Path) -> None:
    """Also one with the same columns: answers were about the first."""
    tab = opened(studio)
    tab.give(write(tmp_path / "first.csv", rows()))
    tab.answer()
    tab.page.wait_for_selector("#live", state="visible")
    tab.give(write(tmp_path / "second.csv", rows(50)))
    tab.page.wait_for_selector("#groups >> text=150 values for 3 secrets", state="attached")
    assert tab.page.locator("input[name=unit]:checked").count() == 0
    assert tab.page.locator("input[name=provenance]:checked").count() == 0
    assert tab.page.is_hidden("#live")
    tab.answer()
    tab.page.wait_for_selector("#live", state="visible")
    tab.page.wait_for_selector("#note-within >> text=mean of 150")


# -- what moves -------------------------------------------------------------------------------


def test_every_way_to_move_the_promise(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    table = pf.datasets.adult_education()
    seen = {tab.picture("published")}
    numbers = {tab.text("#tile-noise")}

    def changed(picture: str = "published") -> None:
        assert tab.picture(picture) not in seen
        assert tab.text("#tile-noise") not in numbers
        seen.add(tab.picture(picture))
        numbers.add(tab.text("#tile-noise"))

    tab.page.focus(f"{EPSILON} input[type=range]")
    tab.page.keyboard.press("ArrowLeft")
    tab.shows("#tile-promise", "ε = 0.92")
    assert tab.page.input_value(f"{EPSILON} input[type=number]") == "0.92"
    # Both least scales, 1.72 and 1.87, are published as the same rung.
    assert tab.text("#tile-noise") in numbers
    shows_noise(tab, certificate(table, "education-num", "race", pf.Guarantee(0.92), [ADULT_PAIR]))
    tab.page.fill(f"{EPSILON} input[type=number]", "2.35")
    tab.shows("#tile-promise", "ε = 2.35")
    # The slider goes along, to its nearest stop.
    place = int(tab.page.input_value(f"{EPSILON} input[type=range]"))
    stops = str(tab.page.get_attribute(EPSILON, "data-stops")).split()
    assert abs(float(stops[place]) - 2.35) == min(abs(float(each) - 2.35) for each in stops)
    changed()
    tab.page.fill(f"{DELTA} input[type=number]", "0.0001")
    tab.shows("#tile-promise", "(ε = 2.35, δ = 0.0001)")
    changed()
    goal = pf.Guarantee(2.35, 0.0001)
    shows_noise(tab, certificate(table, "education-num", "race", goal, [ADULT_PAIR]))
    tab.page.fill(f"{DELTA} input[type=number]", "0")
    tab.shows("#tile-promise", "ε = 2.35")

    tab.choose("by", "value")
    tab.page.fill("#within", "4")
    tab.page.press("#within", "Tab")
    # Scale 4 / ln 20 = 1.3353 at most; 1.33 with three digits, and 1.33 ln 20 = 3.9843, rounded up.
    tab.shows("#tile-within", "± 3.99")
    assert tab.text("#note-noise").endswith("Laplace, scale 1.33")
    changed()
    assert tab.page.is_hidden(f"{EPSILON} input[type=range]")
    tab.no_problem()


def test_pairs_are_chosen_by_list_and_by_map(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    tab.choose("which", "all")
    tab.page.wait_for_selector("#picture-heat svg")
    tab.page.wait_for_selector("#look")
    assert tab.text("#note-worst").startswith("of 10;")
    before = tab.picture("believed")
    cells = tab.page.locator("#picture-heat [role=button]")
    assert cells.count() == 10

    name = tab.page.eval_on_selector("#look option:nth-child(3)", "each => each.value")
    with tab.moving():
        tab.page.select_option("#look", name)
    by_list = tab.picture("believed")
    assert by_list != before
    assert tab.page.locator("#picture-heat [aria-pressed=true]").count() == 1

    other = tab.page.locator("#picture-heat [role=button][aria-pressed=false]").nth(4)
    label = other.get_attribute("aria-label")
    with tab.moving():
        other.click()
    assert tab.picture("believed") not in (before, by_list)
    pressed = tab.page.locator("#picture-heat [aria-pressed=true]")
    assert pressed.get_attribute("aria-label") == label
    # The list says the same as the map.
    listed = """label => document.querySelector('#look option:checked').textContent
        .startsWith(label)"""
    tab.page.wait_for_function(listed, arg=label)

    first = tab.page.locator("#picture-heat [role=button]").first
    label = first.get_attribute("aria-label")
    with tab.moving():
        first.focus()
        tab.page.keyboard.press("Enter")
    assert pressed.get_attribute("aria-label") == label
    tab.page.wait_for_function(listed, arg=label)
    # Who uses the keyboard stays where he was.
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


def test_any_of_many_pairs_can_be_chosen_by_map(
    opened: Opened, studio: Served, tmp_path: Path
) -> None:
    """Also where the list is too short for all."""
    kinds = [f"kind{number:02}" for number in range(18)]
    file = write(tmp_path / "many.csv", rows(31, kinds))
    tab = opened(studio)
    tab.give(file)
    tab.page.wait_for_selector("#secret option[value=kind]", state="attached")
    tab.page.select_option("#secret", "kind")
    tab.page.wait_for_selector("#groups >> text=for 18 secrets", state="attached")
    tab.page.uncheck("input[name=beliefs][value=mixture]")
    tab.page.check("input[name=beliefs][value=gaussian]")
    tab.answer()
    tab.page.wait_for_selector("#picture-heat svg")
    last = tab.page.locator("#picture-heat [role=button][aria-label*=\"'kind17'\"]").last
    label = last.get_attribute("aria-label")
    last.click()
    # Other answers may still be on their way.
    tab.page.wait_for_selector(f'#picture-heat [aria-pressed=true][aria-label="{label}"]')
    pressed = tab.page.locator("#picture-heat [aria-pressed=true]")
    # And it stays chosen.
    tab.page.fill(f"{EPSILON} input[type=number]", "0.9")
    tab.shows("#tile-promise", "ε = 0.9")
    assert pressed.get_attribute("aria-label") == label


# -- what is wrong with a file ----------------------------------------------------------------

GOOD = "x,s\n" + "".join(f"{number % 9},{'ab'[number % 2]}\n" for number in range(100))
# More rows than are looked at before a column is chosen.
LONG = "x,s\n" + "".join(f"{number % 9},{'ab'[number % 2]}\n" for number in range(100_500))
BAD_FILES = {
    "not a table": ("t.parquet", "garbage"),
    "not text": ("t.csv", "x,s\n\0\1\2\0\0\n\0"),
    "empty": ("t.csv", ""),
    "no header": ("t.csv", "1,2\n3,4\n"),
    "no rows": ("t.csv", "x,s\n"),
    "ragged": ("t.csv", f"{GOOD}3\n"),
    "missing": ("t.csv", f"{GOOD},a\n"),
    "text far below": ("t.csv", f"{LONG}word,a\n"),
    "one secret": ("t.csv", "x,s\n" + "".join(f"{number % 7},a\n" for number in range(90))),
    "small group": ("t.csv", f"{GOOD}3,c\n"),
}


# These can be counted, and are refused when all is answered.
COUNTED = {"missing": "100 values for 2 secrets", "small group": "101 values for 3 secrets"}


def refused_alike(tab: Tab, kind: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In the words of the command line; and a good file is taken after it."""
    name, text = BAD_FILES[kind]
    file = folder / name
    file.write_text(text, encoding="utf-8")
    assert run(["calibrate", str(file), "-c", "x", "-s", "s", "-e", "1"]) != 0
    told = capfd.readouterr().err.removeprefix("error: ").strip()
    told = told.replace(name, "the file")  # the page opened it without a name
    tab.give(file)
    if kind in COUNTED:
        tab.page.wait_for_selector(f"#groups >> text={COUNTED[kind]}", state="attached")
        tab.answer()
    # The page may add where it asks for what a command has an option for.
    assert tab.problem().startswith(told[:1].upper() + told[1:]), kind
    assert tab.page.is_hidden("#live")
    tab.give(write(folder / "good.csv", rows()))
    tab.page.wait_for_selector("#groups >> text=120 values for 3 secrets", state="attached")
    tab.no_problem()


def test_a_bad_file_is_refused_in_the_words_of_the_command_line(
    opened: Opened, studio: Served, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    for kind in BAD_FILES:
        if kind != NOTHING_TO_CHOOSE:
            refused_alike(tab, kind, tmp_path, capfd)


# No secret can be meant: here the page has words of its own, since none was named.
NOTHING_TO_CHOOSE = "one secret"


def test_a_file_without_the_columns_that_are_needed(
    opened: Opened, studio: Served, tmp_path: Path
) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    file = tmp_path / "t.csv"
    file.write_text(BAD_FILES[NOTHING_TO_CHOOSE][1], encoding="utf-8")
    tab.give(file)
    told = tab.problem()
    assert told.startswith("None of the ")
    # There is none to be chosen instead.
    assert "choose another" not in told
    assert tab.page.is_hidden("#live")


def test_a_file_whose_name_does_not_tell(opened: Opened, studio: Served, tmp_path: Path) -> None:
    """The table before it is gone: what is shown is of no table, and nothing can be released."""
    tab = opened(studio)
    tab.give(write(tmp_path / "good.csv", rows()))
    tab.answer()
    tab.page.wait_for_selector("#live", state="visible")
    (tmp_path / "t.xyz").write_text(GOOD, encoding="utf-8")
    tab.give(tmp_path / "t.xyz")
    assert tab.problem().startswith("The name 't.xyz' does not tell the format")
    tab.page.wait_for_selector("#live", state="hidden")


def test_a_file_that_is_too_large(opened: Opened, tmp_path: Path) -> None:
    file = write(tmp_path / "large.csv", rows(40_000))
    with served(most_bytes=1_000_000) as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        tab.give(file)
        told = tab.problem()
        # The browser notes every refusal.
        assert [each for each in tab.said if "413" not in each] == []
        tab.said.clear()
    assert "page takes at most 1.0 MB" in told
    assert "pufferfish studio FILE" in told


def test_the_file_that_it_was_started_with(opened: Opened, tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", rows())
    with served(given=str(file)) as studio:
        tab = opened(studio)
        tab.page.wait_for_selector("#groups >> text=120 values for 3 secrets", state="attached")
        assert tab.page.is_checked("input[name=source][value=given]")
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        named = tab.page.locator("#elsewhere").filter(has_text=shlex.quote(str(file)))
        named.wait_for(state="attached")
        # It is read where it is, and may be gone when it is wanted again.
        tab.choose("source", "adult")
        tab.shows("#tile-worst", "Black and Asian-Pac-Islander")
        file.unlink()
        tab.choose("source", "given")
        assert "No such file" in tab.problem()
        tab.choose("source", "adult")
        tab.shows("#tile-worst", "Black and Asian-Pac-Islander")
        tab.no_problem()


def test_a_file_that_changed_is_not_released(opened: Opened, tmp_path: Path) -> None:
    """Its certificate is about other values."""
    file = write(tmp_path / "t.csv", rows())
    with served(given=str(file)) as studio:
        tab = opened(studio)
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        write(file, [(number, 1000 * (kind == "w"), kind, x) for number, _, kind, x in rows()])
        tab.page.click("#release")
        assert "has changed since it was counted" in tab.problem()
        assert tab.page.locator("#released .files").count() == 0
        # The page that is opened anew counts anew, and nobody was told that it was released.
        tab = opened(studio)
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        assert tab.page.locator("#again").count() == 0
        tab.release()


# -- the same elsewhere -----------------------------------------------------------------------


def test_the_same_plan_elsewhere(
    opened: Opened, studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    tab.page.fill(f"{EPSILON} input[type=number]", "1.3")
    tab.shows("#tile-promise", "ε = 1.3")
    for folder in ("plan", "commands", "script"):
        (tmp_path / folder).mkdir()
        tab.save("adult.csv", tmp_path / folder)
    saved = tab.save("plan.json", tmp_path / "plan")
    commands, script = tab.page.eval_on_selector_all(
        "#elsewhere pre", "all => all.map(each => each.textContent)"
    )

    monkeypatch.chdir(tmp_path / "plan")
    assert run(["release", "adult.csv", "--plan", str(saved), "--output", "out.csv"]) == Exit.DONE
    monkeypatch.chdir(tmp_path / "commands")
    for line in commands.splitlines():
        program, *words = shlex.split(line)
        assert program == "pufferfish"
        assert run(words) == Exit.DONE
    monkeypatch.chdir(tmp_path / "script")
    exec(compile(script, "script", "exec"), {})

    plan = Plan.load(saved)
    shows_bound(tab, plan.calibration.certificate)
    outputs = {"plan": "out.csv", "commands": "adult-released.csv", "script": "adult-released.csv"}
    for folder, name in outputs.items():
        record = Record.load(tmp_path / folder / f"{name}.record.json")
        assert record.plan == plan
        assert record.rows_published == 32_561


# -- twice ------------------------------------------------------------------------------------


def test_a_column_is_released_once(opened: Opened) -> None:
    with served() as studio:
        first, second = opened(studio), opened(studio)
        for tab in (first, second):
            tab.shows("#tile-promise", "ε = 1")
            assert tab.page.locator("#again").count() == 0
        first.release()
        # Who released sees the box; the other page, too, at the latest when it is refused.
        for tab in (first, second):
            tab.page.click("#release")
            assert tab.problem().startswith("This column was already released (ε = 1, at ")
            tab.page.wait_for_selector("#again")
        assert second.page.locator("#released .files").count() == 0
        second.page.check("#again")
        second.release()
        second.no_problem()


def test_two_pages_at_once_release_one(opened: Opened) -> None:
    with served() as studio:
        tabs = opened(studio), opened(studio)
        for tab in tabs:
            tab.shows("#tile-promise", "ε = 1")
            tab.page.wait_for_selector("#release")
        for tab in tabs:
            tab.page.evaluate("document.getElementById('release').click()")
        tabs[0].page.wait_for_selector("#released .files")
        assert tabs[1].problem().startswith("This column was already released")
        assert tabs[1].page.locator("#released .files").count() == 0


def test_the_same_column_by_another_name(opened: Opened, tmp_path: Path) -> None:
    one, other = write(tmp_path / "a.csv", rows()), write(tmp_path / "b.parquet", rows())
    with served() as studio:
        tab = opened(studio)
        tab.give(one)
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        tab.release()
        tab.page.on("dialog", lambda dialog: dialog.accept())
        second = opened(studio)
        second.give(other)
        second.answer()
        second.page.wait_for_selector("#again")
        second.page.click("#release")
        assert second.problem().startswith("This column was already released")


def test_a_ledger_counts(opened: Opened, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    with served(ledger=ledger) as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        tab.release()
        written = ledger.read_bytes()
        assert written
        tab.page.wait_for_selector("#again")
        tab.page.check("#again")
        tab.page.click("#release")
        # The box does not overrule the ledger.
        assert tab.problem().startswith("A second release of the same rows is not covered")
        assert ledger.read_bytes() == written


def test_values_are_published_without_noise_only_if_asked_for(
    opened: Opened, tmp_path: Path
) -> None:
    with served() as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        tab.page.uncheck("input[name=beliefs][value=mixture]")
        tab.page.fill(f"{EPSILON} input[type=number]", "20")
        tab.shows("#tile-noise", "none")
        tab.page.wait_for_selector("#allow_no_noise")
        tab.page.click("#release")
        assert tab.problem().startswith("No noise is needed")
        tab.page.check("#allow_no_noise")
        tab.release()
        tab.no_problem()
        released = column_of(tab.save("adult-released.csv", tmp_path))
    original = pf.datasets.adult_education()["education-num"].tolist()
    assert sorted(map(float, released["education-num"])) == sorted(original)
