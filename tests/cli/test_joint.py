"""Tables on the command line: several columns, columns that others know, public rules."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from pufferfish.joint.plan import TablePlan
from pufferfish.options.quoting import escaped, pieces, plain
from tests.cli.conftest import Typed
from tests.cli.tables import CELL, column

USAGE, NOT_PRIVATE, BAD_DATA = 2, 3, 4
HEADER = ("id", "born", "job", "sex", "age", "race", "score", "grade", "pregnant")
BASE = ("people.csv", "-s", "race")
JOINT = (*BASE, "-c", "job", "-c", "grade", "-e", "0.5")


def people(path: Path, rows: int = 1100, jobs: tuple[str, ...] = ("x", "y", "z")) -> None:
    """The same for every run: job and score say something about race, given sex as well."""
    draws = random.Random(5)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for number in range(rows):
            sex, race = draws.choice(("Male", "Female")), draws.choice("AB")
            job = draws.choice(jobs if race != "A" else (*jobs, *jobs[:1] * 3))
            writer.writerow(
                [
                    number,
                    f"{draws.choice((1980, 1990))}-0{draws.randint(1, 9)}-11",
                    job,
                    sex,
                    draws.randrange(20, 70),
                    race,
                    draws.randrange(6) + (race == "B"),
                    draws.choice(("low", "mid", "high")),
                    draws.choice(("yes", "no")) if sex == "Female" else "no",
                ]
            )


@pytest.fixture(autouse=True)
def _people(folder: Path) -> None:
    people(folder / "people.csv")


def test_one_category_by_itself(typed: Typed) -> None:
    said = typed("release", *BASE, "-c", "job", "-e", "0.3", "-o", "out.csv")
    assert said.code == 0
    assert said.err == ""
    assert "Default     --wrong is 5%" in said.out
    assert set(column(Path("out.csv"), "job")) == {"x", "y", "z"}
    assert typed("verify", "out.csv.record.json").code == 0


def test_columns_together_with_one_that_everybody_knows(typed: Typed) -> None:
    said = typed("release", *JOINT, "--keep", "sex", "-o", "out.csv", "--wrong", "3%")
    assert said.code == 0
    assert "for somebody who already knows 'sex'" in said.out
    assert "By itself it reveals whether 'race' is 'A' or 'B'" in said.out
    assert "where sex = Female: " in said.out
    assert "Default" not in said.out
    with Path("out.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["job", "sex", "grade"]
    assert sorted(column(Path("out.csv"), "sex")) == sorted(column(Path("people.csv"), "sex"))
    verified = typed("verify", "out.csv.record.json")
    assert verified.code == 0
    assert "this recoding keeps" in verified.out
    # Entries of the plan have names of their own.
    assert "noise" not in verified.out.partition("From this edition")[0]
    assert typed("report", "out.csv.record.json", "--original", "people.csv").code == 0


def test_kept_and_known_is_kept(typed: Typed) -> None:
    for number, more in enumerate(([], ["--known", "sex"])):
        said = typed("calibrate", *JOINT, "--keep", "sex", *more, "-o", f"{number}.json")
        assert said.code == 0
        assert ("'sex': a kept column" in said.err) == bool(more)
    first, second = (TablePlan.load(f"{number}.json") for number in range(2))
    assert first.known == second.known == first.keep == second.keep == ("sex",)
    assert first.calibration.mechanism == second.calibration.mechanism


def test_a_plan_is_released(typed: Typed) -> None:
    said = typed("calibrate", *JOINT, "--known", "sex", "-o", "plan.json")
    assert said.code == 0
    assert said.out.startswith("Beware: 'sex' is known to some.")
    assert "unchanged  by a constant" in said.out
    assert "--wrong is 5%, the default" in said.out
    assert typed("release", "people.csv", "--plan", "plan.json", "-o", "out.csv").code == 0
    assert column(Path("out.csv"), "job")
    assert "sex" not in Path("out.csv").read_text(encoding="utf-8").splitlines()[0]


def test_choosing_an_epsilon(typed: Typed) -> None:
    said = typed("calibrate", *JOINT[:-2], "--keep", "sex")
    assert said.code == 0
    first, _, head, *rows = said.out.splitlines()
    assert "root of its mean loss" in first
    assert head.split()[-1] == "constant"
    assert [row.split()[0] for row in rows[:6]] == ["0.1", "0.25", "0.5", "1", "2", "4"]
    assert "Rows that stay as they are." in said.out
    assert "e+" not in said.out
    found = typed("calibrate", *JOINT[:-2], "--keep", "sex", "--json").json["choices"]
    assert {each["way"] for each in found} == {"laws ±1%", "laws ±5%"}
    shares = [each["unchanged"] for each in found if each["way"] == "laws ±5%"]
    assert found[0]["columns"].keys() == {"job", "grade"}
    assert shares == sorted(shares)


def test_json(typed: Typed) -> None:
    options = (*JOINT, "--keep", "sex")
    found = typed("calibrate", *options, "--json").json
    assert [each["column"] for each in found["columns"]] == ["job", "grade"]
    assert [each["known"] for each in found["strata"]] == [{"sex": "Female"}, {"sex": "Male"}]
    assert found["wrong"] == 0.05
    assert found["certificate"]["holds"] is True
    released = typed("release", *options, "--json", "-o", "out.csv").json
    assert released["columns"] == found["columns"]
    assert released["rows"] == 1100
    fitted = typed("fit", *JOINT[:-2], "--known", "sex", "--json").json
    assert len(fitted["beliefs"]) == 3


def test_numbers_that_are_known_or_published_by_bands(typed: Typed) -> None:
    said = typed(
        *("release", *BASE, "-c", "score", "-c", "grade", "-e", "1", "--keep", "age"),
        *("--bands", "age=45", "--edges", "score=2.5,4.5", "-o", "out.csv"),
    )
    assert said.code == 0
    assert set(column(Path("out.csv"), "age")) == {"<45", ">=45"}
    assert set(column(Path("out.csv"), "score")) <= {"1.5", "3.5", "5.5"}


def test_numbers_with_a_known_column_have_noise_or_a_recoding(typed: Typed) -> None:
    numbers = (*BASE, "-c", "score", "-e", "1", "--keep", "sex", "--belief", "empirical")
    assert "Laplace noise" in typed("release", *numbers, "-o", "noise.csv").out
    said = typed("release", *numbers, "--mechanism", "recode", "-o", "recoded.csv")
    assert said.code == 0
    assert set(column(Path("recoded.csv"), "score")) <= {str(each) for each in range(7)}


def test_dates_merged_labels_orders_and_losses(typed: Typed) -> None:
    said = typed(
        *("release", *BASE, "-c", "born", "-c", "job", "-c", "grade", "-e", "1", "-o", "out.csv"),
        *("--dates", "born=year", "--merge", "job:y,z=other", "--order", "grade:low,mid,high"),
        *("--loss", "grade=steps", "--loss", "job=changed", "--weight", "job=2"),
    )
    assert said.code == 0
    assert set(column(Path("out.csv"), "born")) == {"1980", "1990"}
    assert set(column(Path("out.csv"), "job")) == {"x", "other"}


def test_what_must_never_occur_does_not(typed: Typed) -> None:
    said = typed(
        *("release", *BASE, "-c", "job", "-c", "pregnant", "-e", "0.5", "--keep", "sex"),
        *("--never", "sex=Male,pregnant=yes", "-o", "out.csv"),
    )
    assert said.code == 0
    rows = zip(column(Path("out.csv"), "sex"), column(Path("out.csv"), "pregnant"), strict=True)
    assert ("Male", "yes") not in set(rows)


def test_several_secrets_each_or_together(typed: Typed) -> None:
    several = ("people.csv", "-s", "race", "-s", "pregnant", "-c", "job", "-e", "0.5")
    said = typed("calibrate", *several, "-o", "each.json")
    assert said.code == 0
    pairs = TablePlan.load("each.json").scenario.pairs
    assert {*pairs} == {("race = A", "race = B"), ("pregnant = no", "pregnant = yes")}
    assert typed("calibrate", *several, "--secrets-jointly", "-o", "both.json").code == 0
    assert len(TablePlan.load("both.json").scenario.pairs) == 6
    named = ("--pair", "race = A:race = B", "--pair", "pregnant = no:pregnant = yes")
    assert typed("calibrate", *several, *named, "-o", "named.json").code == 0
    assert {*TablePlan.load("named.json").scenario.pairs} == {*pairs}
    assert typed("calibrate", *several, "--against", "race = A", "-o", "against.json").code == 0
    assert {*TablePlan.load("against.json").scenario.pairs} == {*pairs}


def test_a_missing_secret_is_a_group_if_asked(typed: Typed, folder: Path) -> None:
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    holes = [
        line.replace(",A,", ",,") if place % 4 == 0 else line for place, line in enumerate(lines)
    ]
    (folder / "people.csv").write_text("\n".join(holes) + "\n", encoding="utf-8")
    said = typed("release", *JOINT, "--missing-secret", "-o", "out.csv")
    assert said.code == 0
    assert "each of 3 pairs" in said.out


def test_beliefs_of_a_table_are_fitted_and_taken(typed: Typed) -> None:
    said = typed("fit", *JOINT[:-2], "--known", "sex", "-o", "beliefs.json")
    assert said.code == 0
    assert said.out.startswith("PRIVATE")
    assert "'empirical, sex = Female', who knows that sex = Female" in said.out
    from_file = typed("calibrate", *JOINT, "--keep", "sex", "--belief", "beliefs.json")
    assert from_file.out == typed("calibrate", *JOINT, "--keep", "sex").out


def test_a_reference_table(typed: Typed, folder: Path) -> None:
    people(folder / "other.csv", rows=1200)
    said = typed("release", *JOINT, "--keep", "sex", "--reference", "other.csv", "-o", "out.csv")
    assert said.code == 0
    assert "reference sample" in said.out


def test_models_are_judged_by_rows_that_were_not_used(typed: Typed) -> None:
    said = typed("release", *JOINT, "--belief", "chain", "-o", "out.csv")
    assert said.code == 0
    assert "believes a model of how often each combination" in said.out
    assert "Held out    on rows that were not used" in said.out


def test_unprotected_columns_are_said_first(typed: Typed) -> None:
    said = typed("release", *JOINT, "--keep-unprotected", "id", "-o", "out.csv")
    assert said.code == 0
    assert "'id' is published without protection" in said.out.split("Promise")[0].replace(
        "\n            ", " "
    )


def test_persons_with_one_row_each(typed: Typed, refused: Typed, folder: Path) -> None:
    assert typed("release", *JOINT, "--person", "id", "-o", "out.csv").code == 0
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    (folder / "people.csv").write_text("\n".join([*lines, lines[-1]]) + "\n", encoding="utf-8")
    said = refused("release", *JOINT, "--person", "id", "-o", "twice.csv")
    assert said.code == BAD_DATA
    assert "some person has several rows" in said.err
    assert "--rows-per-person" not in said.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("-c", "jbo", "-c", "grade"), USAGE, ["no column 'jbo'", "Did you mean 'job'?", "'sex'"]),
        (("-c", "job", "--known", "race"), USAGE, ["'race'", "one role"]),
        (("-c", "job", "--keep", "job"), USAGE, ["'job'", "one role"]),
        (("-c", "job", "-c", "job"), USAGE, ["--column names a column twice"]),
        (("-c", "job", "--keep", "age"), USAGE, ["'age'", "--bands age=25,45,65"]),
        (("-c", "job", "-c", "born"), USAGE, ["holds dates", "--dates born=year"]),
        (("-c", "born"), USAGE, ["holds dates", "--dates born=year"]),
        (("-c", "job", "--bands", "age=40"), USAGE, ["--bands", "'age'", "neither"]),
        (("-c", "job", "--merge", "job:xx=y"), USAGE, ["no row has", "'xx'", "'x', 'y', 'z'"]),
        (("-c", "job", "--order", "job:x,q"), USAGE, ["no row has", "'q'"]),
        (("-c", "job", "--never", "job=q"), USAGE, ["--never", "no row has", "'q'"]),
        (("-c", "job", "--never", "sex=Male"), USAGE, ["--never", "'sex'", "neither"]),
        (("-c", "job", "--keep", "sex", "--never", "sex=Male"), USAGE, ["nothing to publish"]),
        (("-c", "job", "--merge", "job"), USAGE, ["--merge", "city:Ulm,Bonn=other"]),
        (("-c", "job", "--dates", "job=day"), USAGE, ["year, quarter or month"]),
        (("-c", "job", "--bands", "job=1,2"), USAGE, ["not a column of numbers"]),
        (("-c", "job", "-c", "grade", "--edges", "1,2"), USAGE, ["--edges must name the column"]),
        (("-c", "job", "-c", "grade", "--loss", "job=q"), USAGE, ["--loss job="]),
        (("-c", "job", "-c", "grade", "--weight", "sex=2"), USAGE, ["--weight", "'sex'"]),
        (("-c", "job", "-c", "grade", "--mechanism", "laplace"), USAGE, ["are recoded"]),
        (("-c", "job", "--scale", "2"), USAGE, ["--scale", "are recoded"]),
        (("-c", "job", "--method", "coupling"), USAGE, ["--method", "are recoded"]),
        (("-c", "job", "--mechanism", "auto", "--wrong", "3%"), USAGE, ["give --mechanism recode"]),
        (("-c", "score", "--keep", "sex", "--held-out", "95%"), USAGE, ["give --mechanism recode"]),
        (("-c", "job", "--held-out", "95%", "--nominal"), USAGE, ["--held-out", "--nominal"]),
        (("-c", "job", "-c", "grade", "--cap", "0:1"), USAGE, ["for one column of numbers"]),
        (("-c", "job", "-c", "grade", "--pair", "A:C"), USAGE, ["no value 'C'", "'A', 'B'"]),
        (("-c", "job", "-c", "id"), NOT_PRIVATE, ["1,100 categories", "--edges", "--merge"]),
        (("-c", "job", "--keep", "age", "--bands", "age=21,22"), BAD_DATA, ["--merge", "--bands"]),
        (("-c", "job", "--known", "race", "-s", "sex"), USAGE, ["one role"]),
    ],
)
def test_bad_input_is_refused_in_words(
    refused: Typed, options: tuple[str, ...], code: int, words: list[str]
) -> None:
    said = refused("release", *BASE, *options, "-e", "1", "-o", "out.csv")
    assert said.code == code
    assert all(each in said.err for each in words), said.err
    assert not Path("out.csv").exists()


def test_a_stratum_with_one_secret_only(refused: Typed, folder: Path) -> None:
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if ",Male," not in line or ",B," not in line]
    (folder / "people.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    said = refused("release", *JOINT, "--keep", "sex", "-o", "out.csv")
    assert said.code == BAD_DATA
    assert "or none at all" in said.err


def test_a_category_that_was_not_described(typed: Typed, refused: Typed, folder: Path) -> None:
    assert typed("calibrate", *JOINT, "-o", "plan.json").code == 0
    people(folder / "new.csv", jobs=("x", "y", CELL))
    said = refused("release", "new.csv", "--plan", "plan.json", "-o", "out.csv")
    assert said.code == BAD_DATA
    assert "another table" in said.err
    meant = ("release", "new.csv", "--plan", "plan.json", "-o", "out.csv", "--beliefs-from-plan")
    said = refused(*meant)
    assert said.code == BAD_DATA
    assert "values that no belief considers" in said.err
    assert CELL not in said.err


def test_numbers_with_text_among_them_do_not_become_categories(
    refused: Typed, folder: Path
) -> None:
    text = (folder / "people.csv").read_text(encoding="utf-8").replace(",A,3,", ",A,none,")
    (folder / "people.csv").write_text(text, encoding="utf-8")
    assert (
        "must hold numbers"
        in refused("release", *BASE, "-c", "score", "-e", "1", "-o", "o.csv").err
    )
    said = refused("release", *BASE, "-c", "score", "-c", "job", "-e", "1", "-o", "o.csv")
    assert said.code == USAGE
    assert "--na TEXT" in said.err
    assert "--codes score" in said.err


def test_signs_within_labels() -> None:
    assert pieces(r"a\,b,c", ",") == [r"a\,b", "c"]
    assert [plain(each) for each in pieces(r"a\,b,c\\,d", ",")] == ["a,b", "c\\", "d"]
    for text in ("a,b", "a\\,b", "=", "\\"):
        assert [plain(each) for each in pieces(escaped(text, ",="), ",")] == [text]


def test_labels_with_separators_are_merged(typed: Typed, folder: Path) -> None:
    text = (folder / "people.csv").read_text(encoding="utf-8").replace(",low,", ',"<=1,5",')
    (folder / "people.csv").write_text(text, encoding="utf-8")
    said = typed("release", *JOINT, "--merge", r"grade:<=1\,5,mid=less", "-o", "out.csv")
    assert said.code == 0
    assert set(column(Path("out.csv"), "grade")) == {"less", "high"}


@pytest.mark.parametrize("kept", [(), ("--keep", "sex")])
def test_wrong_is_found_for_a_table_and_its_record_says_so(
    typed: Typed, kept: tuple[str, ...]
) -> None:
    held_out = ("-c", "job", "-e", "0.5", "--held-out", "50%", *kept)
    said = typed("release", *BASE, *held_out, "-o", "out.csv")
    assert said.code == 0
    assert "It was chosen by looking at the table." in said.err
    assert "--wrong is 5%" not in said.out
    assert typed("verify", "out.csv.record.json").code == 0
    for edition in ("record", "public"):
        words = Path(f"out.csv.{edition}.json").read_text(encoding="utf-8")
        assert "wrong was chosen, from a short public list, by looking at the table" in words
    assert typed("calibrate", *BASE, *held_out, "--json").json["wrong"] > 0.0


def test_noise_given_known_columns_needs_bounds_to_find_wrong(typed: Typed) -> None:
    said = typed("calibrate", *BASE, "-c", "score", "-e", "1", "--keep", "sex", "--held-out", "90%")
    assert said.code == USAGE
    assert "--held-out with noise needs public bounds" in said.err
