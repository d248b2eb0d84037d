"""Every refusal: one line, the right code, what to do, and never a cell's content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import CELL, HEADER, changed, rows, write

USAGE, NOT_PRIVATE, BAD_DATA, INPUT_OUTPUT = 2, 3, 4, 5
COLUMNS = ("-c", "x", "-s", "s")
RELEASE = ("release", "t.csv", *COLUMNS, "--belief", "empirical", "-o", "out.csv")
CALIBRATE = ("calibrate", "t.csv", *COLUMNS, "--belief", "empirical")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-e", "0"), ["epsilon", "greater than 0", "0"]),
        (("-e", "-1"), ["epsilon", "greater than 0", "-1"]),
        (("-e", "nan"), ["epsilon", "finite"]),
        (("-e", "inf"), ["epsilon", "finite"]),
        (("-e", "1", "-d", "1"), ["delta", "less than 1"]),
        (("-e", "1", "-d", "-0.1"), ["delta", "at least 0"]),
        ((), ["--epsilon", "calibrate"]),
        (("-e", "1", "--pair", "a"), ["--pair", "colon", "A:B"]),
        (("-e", "1", "--pair", "a:b:c"), ["--pair", r"\:"]),
        (("-e", "1", "--pair", "a:"), ["--pair", "A:B"]),
        (("-e", "1", "--pair", "a:b", "--against", "a"), ["--pair", "--against", "not both"]),
        (("-e", "1", "--pair", "a:q"), ["'q'", "'a', 'b', 'c'"]),
        (("-e", "1", "--against", "q"), ["'q'", "'a', 'b', 'c'"]),
        (("-e", "1", "--missing", "maybe"), ["--missing", "refuse, keep or drop", "'maybe'"]),
        (("-e", "1", "--method", "magic"), ["'magic'", "'exact'"]),
        (("-e", "1", "--mechanism", "pink"), ["'pink'", "laplace", "gaussian"]),
        (("-e", "1", "--workers", "0"), ["workers", "at least 1"]),
        (("-e", "1", "--min-group", "0"), ["--min-group", "greater than 0"]),
        (("-e", "1", "--keep-unprotected", "s"), ["'s'", "cannot be kept"]),
        (("-e", "1", "--keep-unprotected", "x"), ["'x'", "is protected"]),
        (("-e", "1", "--keep-unprotected", "nope"), ["no column 'nope'", "'id', 's', 'x', 'o'"]),
        (("-e", "1", "--person", "nope"), ["no column 'nope'"]),
        (("-e", "1", "--clip", "2:0"), ["--clip", "smaller bound first"]),
        (("-e", "1", "--clip", "0"), ["--clip", "0:16"]),
        (("-e", "1", "--clip", "nan:1"), ["finite"]),
        (("-e", "1", "--round", "0"), ["--round", "greater than 0"]),
        (("-e", "1", "--scale", "-3"), ["--scale", "greater than 0"]),
        (("--guess", "40%"), ["--guess", "above 50%"]),
        (("-e", "1", "--belief", "mixture-99"), ["mixture", "1 to 60"]),
        (
            ("-e", "1", "--sampling-confidence", "95%", "--bootstrap", "3"),
            ["leave out", "--bootstrap"],
        ),
        (("-e", "1", "--delimiter", ";;"), ["delimiter", "one character"]),
        (("-e", "1", "--delimiter", ";"), ["no column"]),
    ],
)
def test_an_option_that_cannot_be_meant(
    refused: Typed, arguments: tuple[str, ...], words: list[str]
) -> None:
    said = refused(*RELEASE, *arguments)
    assert said.code == USAGE
    assert all(word in said.err for word in words)
    assert not Path("out.csv").exists()


def test_wrong_laws_and_a_sampling_confidence_exclude_each_other(refused: Typed) -> None:
    both = ("--sampling-confidence", "95%", "--wrong", "3%", "--cap", "0:9")
    said = refused(*RELEASE, "-e", "1", *both)
    assert said.code == 3
    for words in ("--wrong", "--sampling-confidence", "leave out one of them"):
        assert words in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-e", "lots"), ["--epsilon/-e must be a number", "0.5 (with a deci", "got 'lots'."]),
        (("-e", "1,0"), ["--epsilon/-e must be a number such as 0.5 (with a", "got '1,0'."]),
        (("-e", "1", "-d", "few"), ["--delta/-d must be a number", "got 'few'."]),
        (("-e", "1", "--round", "up"), ["--round must be a number", "got 'up'."]),
        (("-e", "1", "--workers", "1.5"), ["--workers must be a whole number", "got '1.5'."]),
        (("-e", "1", "--colour"), ["--colour"]),
    ],
)
def test_an_option_that_cannot_be_read(
    refused: Typed, arguments: tuple[str, ...], words: list[str]
) -> None:
    said = refused(*RELEASE, *arguments)
    assert said.code == USAGE
    assert all(word in said.err for word in words)


@pytest.mark.parametrize("arguments", [("frobnicate",), ("--colour",), ("release", "t.csv")])
def test_a_command_that_cannot_be_read(refused: Typed, arguments: tuple[str, ...]) -> None:
    assert refused(*arguments).code == USAGE


def test_a_command_that_is_spelt_wrongly(refused: Typed) -> None:
    ending = "Did you mean 'release'? See pufferfish --help.\n"
    assert refused("releas").err.endswith(ending)
    assert refused("release", "t.csv").err.endswith("'. See pufferfish release --help.\n")


@pytest.mark.parametrize("columns", [("-c", "x"), ("-c", "x", "-c", "o")])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "error: nobody.csv is empty: a CSV needs a first line"),
        ("x,s,o\n", "error: nobody.csv: there are no rows to "),
    ],
)
def test_a_table_without_rows_is_named(
    refused: Typed, columns: tuple[str, ...], text: str, words: str
) -> None:
    Path("nobody.csv").write_text(text, encoding="utf-8")
    said = refused("calibrate", "nobody.csv", *columns, "-s", "s", "-e", "1")
    assert said.code == 4
    assert said.err.startswith(words)


def test_a_table_that_is_not_there(refused: Typed) -> None:
    said = refused("calibrate", "none.csv", "-c", "x", "-s", "s", "-e", "1")
    assert said.code == 5
    assert said.err == (
        "error: none.csv: No such file or directory. Check the name, or give the path of the "
        "folder that it is in.\n"
    )


@pytest.mark.parametrize("command", ["fit", "calibrate", "release", "compare"])
@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("-c", "y", "-s", "s"), ["no column 'y'", "'id', 's', 'x', 'o'"]),
        (("-c", "x", "-s", "y"), ["no column 'y'"]),
        (("-c", "x"), ["--secret"]),
        (("-s", "s"), ["--column"]),
    ],
)
def test_columns_by_the_wrong_name(
    refused: Typed, command: str, columns: tuple[str, ...], words: list[str]
) -> None:
    options = {"fit": (), "release": ("-e", "1", "-o", "out.csv")}.get(command, ("-e", "1"))
    said = refused(command, "t.csv", *columns, *options)
    assert said.code == USAGE
    assert all(word in said.err for word in words)


def test_the_column_cannot_be_its_own_secret(refused: Typed) -> None:
    said = refused("release", "t.csv", "-c", "x", "-s", "x", "-e", "1", "-o", "out.csv")
    assert said.code == USAGE
    assert "two" in said.err or "differ" in said.err or "same" in said.err


def test_a_pair_of_a_secret_with_itself(refused: Typed) -> None:
    said = refused(*RELEASE, "-e", "1", "--pair", "a:a")
    assert said.code == USAGE
    # The column has three values; the pair is what is wrong.
    assert "only one value" not in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--accuracy", "0"), ["accuracy", "greater than 0"]),
        (("--accuracy", "-1"), ["accuracy", "greater than 0"]),
        (("--accuracy", "nan"), ["accuracy", "finite"]),
        (("--mean-within", "0"), ["mean", "greater than 0"]),
        (("--accuracy", "1", "--mean-within", "1"), ["one of", "--accuracy", "--mean-within"]),
        (("--accuracy", "1", "-e", "1"), ["one of", "--epsilon", "--accuracy"]),
        (("--accuracy", "1", "--method", "thm-1"), ["exact"]),
        (("--accuracy", "1", "--confidence", "2"), ["confidence", "between 0 and 1"]),
        (("--accuracy", "1", "-d", "1"), ["delta", "less than 1"]),
        (("--accuracy", "1", "-d", "-1"), ["delta", "at least 0"]),
        (("--accuracy", "1", "--mechanism", "pink"), ["laplace", "gaussian", "'pink'"]),
        (("-d", "2"), ["delta", "less than 1"]),
        (("--belief", "guess"), ["'guess'", "'mixture'"]),
        (("--belief", "mixture-0"), ["1 to 60 components"]),
        (("-e", "1", "--person", "id", "--rows-per-person", "0"), ["--rows-per-person"]),
        (("-e", "1", "--person", "id", "--rows-per-person", "-2"), ["--rows-per-person"]),
        (("-e", "1", "--rows-per-person", "2"), ["--rows-per-person", "--person"]),
        (("-e", "1", "--person", "id", "--rows-are", "equal"), ["--rows-per-person"]),
        (("-e", "1", "--person", "id", "--rows-are", "alike"), ["--rows-are", "'alike'"]),
        (("-e", "1", "--one-row", "mean"), ["--one-row", "--person"]),
        (("-e", "1", "--person", "id", "--one-row", "last"), ["--one-row", "first or mean"]),
        (("-e", "1", "--person", "id", "--one-row", "mean", "--keep-unprotected", "o"), ["--keep"]),
        (("-e", "1", "--person", "id", "--one-row", "first", "--keep-order"), ["--keep-order"]),
        (
            ("-e", "1", "--person", "id", "--one-row", "mean", "--rows-are", "independent"),
            ["--one-row", "--rows-are"],
        ),
        (
            (
                "-e",
                "1",
                "-d",
                "0.1",
                "--mechanism=gaussian",
                "--person",
                "id",
                "--rows-per-person=2",
            ),
            ["Laplace", "--one-row"],
        ),
        (("-e", "1", "--public-reference"), ["--public-reference", "--reference"]),
    ],
)
def test_a_goal_that_cannot_be_meant(
    refused: Typed, arguments: tuple[str, ...], words: list[str]
) -> None:
    said = refused(*CALIBRATE, *arguments)
    assert said.code == USAGE
    assert all(word in said.err for word in words)


def test_a_promise_that_this_noise_cannot_keep(refused: Typed) -> None:
    gaussian = ("--mechanism", "gaussian")
    said = refused("calibrate", "t.csv", *COLUMNS, "--belief", "gaussian", "-e", "1", *gaussian)
    assert said.code == NOT_PRIVATE
    assert "delta" in said.err


def test_an_accuracy_that_leaves_no_promise(refused: Typed) -> None:
    said = refused(*CALIBRATE, "--mechanism", "gaussian", "--accuracy", "1")
    assert said.code == NOT_PRIVATE
    assert "delta" in said.err


def test_a_table_of_choices_without_any_choice(refused: Typed) -> None:
    # Gaussian noise reaches no ε at δ = 0: an empty table would be no answer.
    said = refused(*CALIBRATE, "--mechanism", "gaussian")
    assert said.code == NOT_PRIVATE
    assert "delta" in said.err


def test_an_epsilon_too_small_to_draw_noise_for(refused: Typed) -> None:
    said = refused(*CALIBRATE, "-e", "1e-12")
    assert said.code == NOT_PRIVATE
    assert "epsilon" in said.err.lower() or "ε" in said.err


@pytest.mark.parametrize("command", ["fit", "calibrate", "release"])
@pytest.mark.parametrize(
    ("place", "content", "words"),
    [
        (2, CELL, ["'x'", "numbers", "row 78"]),
        (2, "inf", ["'x'", "row 78", "infinite"]),
    ],
)
def test_a_cell_that_cannot_be_used(
    refused: Typed, folder: Path, command: str, place: int, content: str, words: list[str]
) -> None:
    write(folder / "t.csv", changed(place, content, row=78))
    options = {"fit": (), "release": ("-e", "1", "-o", "out.csv")}.get(command, ("-e", "1"))
    said = refused(command, "t.csv", *COLUMNS, *options)
    assert said.code == BAD_DATA
    assert all(word in said.err for word in words)
    assert CELL not in said.err


def test_missing_values_say_what_can_be_done(refused: Typed, folder: Path) -> None:
    write(folder / "t.csv", changed(2, "", row=5))
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "--missing keep" in said.err
    assert "--missing drop" in said.err


@pytest.mark.parametrize("twice", [("id", "s", "x", "x"), ("id", "s", "x", "s")])
def test_two_columns_of_the_same_name(refused: Typed, folder: Path, twice: tuple[str, ...]) -> None:
    write(folder / "t.csv", rows(), header=twice)
    said = refused(*RELEASE, "-e", "1")
    assert said.code == USAGE
    assert repr(twice[3]) in said.err


def test_two_columns_of_the_same_name_that_are_not_used(typed: Typed, folder: Path) -> None:
    write(folder / "t.csv", rows(), header=("o", "s", "x", "o"))
    assert typed(*RELEASE, "-e", "1").code == 0
    said = typed(*RELEASE, "-e", "1", "--keep-unprotected", "o", "--force")
    assert said.code == USAGE
    assert "'o'" in said.err


@pytest.mark.parametrize("command", ["fit", "calibrate", "release"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        (",".join(HEADER) + "\n", ["no rows"]),
    ],
)
def test_a_table_with_nothing_in_it(
    refused: Typed, folder: Path, command: str, text: str, words: list[str]
) -> None:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    options = {"fit": (), "release": ("-e", "1", "-o", "out.csv")}.get(command, ("-e", "1"))
    said = refused(command, "t.csv", *COLUMNS, *options)
    assert said.code == BAD_DATA
    assert all(word in said.err for word in words)


def test_only_one_secret(refused: Typed, folder: Path) -> None:
    write(folder / "t.csv", rows(["a"]))
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "only one value" in said.err


def test_small_groups_are_refused_without_being_named(refused: Typed, folder: Path) -> None:
    write(folder / "t.csv", [*rows(), [900, CELL, 3, "u"], [901, CELL, 4, "u"]])
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "'a', 'b', 'c'" in said.err
    assert CELL not in said.err
    # What to do, in the words of the command line.
    assert "--min-group" in said.err
    assert "pf." not in said.err
    assert CELL not in refused(*RELEASE, "-e", "1", "--pair", "a:q").err


def test_at_most_twenty_secrets_are_listed(refused: Typed, folder: Path) -> None:
    write(folder / "t.csv", rows([f"s{number:02}" for number in range(25)], each=30))
    said = refused(*RELEASE, "-e", "1", "--against", "q")
    assert said.code == USAGE
    assert "'s19' and 5 more" in said.err
    assert "s20" not in said.err


def test_text_in_another_encoding(refused: Typed, folder: Path) -> None:
    text = (folder / "t.csv").read_text(encoding="utf-8").replace(",a,", ",ä,")
    (folder / "t.csv").write_bytes(text.encode("latin-1"))
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "UTF-8" in said.err


def test_a_row_with_too_many_fields_is_named(refused: Typed, folder: Path) -> None:
    with (folder / "t.csv").open("a", encoding="utf-8") as file:
        file.write(f"1,a,2,u,{CELL},6\n")
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "121" in said.err or "122" in said.err
    assert CELL not in said.err


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.csv.gz"])
def test_a_file_that_is_not_what_its_name_says(refused: Typed, folder: Path, name: str) -> None:
    (folder / name).write_text(CELL, encoding="utf-8")
    said = refused("calibrate", name, *COLUMNS, "-e", "1")
    assert said.code == BAD_DATA
    assert CELL not in said.err


def test_a_parquet_file_that_is_called_csv(refused: Typed, folder: Path) -> None:
    (folder / "t.csv").write_bytes(b"PAR1\x15\x04\x150,\x15.L\x15\x06\x15\x00\n\x12\x00\x00\x18")
    said = refused(*RELEASE, "-e", "1")
    assert said.code == BAD_DATA
    assert "\ufffd" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("calibrate", "none.csv", *COLUMNS, "-e", "1"),
        ("fit", "none.csv", *COLUMNS),
        ("release", "none.csv", *COLUMNS, "-e", "1", "-o", "out.csv"),
        ("release", "t.csv", "--plan", "none.json", "-o", "out.csv"),
        ("calibrate", "t.csv", *COLUMNS, "-e", "1", "--belief", "none.json"),
        ("calibrate", "t.csv", *COLUMNS, "-e", "1", "--reference", "none.csv"),
        ("verify", "none.json"),
    ],
)
def test_a_file_that_is_not_there(refused: Typed, arguments: tuple[str, ...]) -> None:
    said = refused(*arguments)
    assert said.code == INPUT_OUTPUT
    assert "none." in said.err


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"pufferfish": "poem"}', "{", "\x00"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("release", "t.csv", "-o", "out.csv", "--plan", "d.json"),
        ("calibrate", "t.csv", *COLUMNS, "-e", "1", "--belief", "d.json"),
        ("verify", "d.json"),
    ],
)
def test_a_document_that_is_none(
    refused: Typed, folder: Path, arguments: tuple[str, ...], text: str
) -> None:
    (folder / "d.json").write_text(text, encoding="utf-8")
    assert refused(*arguments).code == USAGE


def test_errors_of_json_commands_go_to_standard_error(refused: Typed) -> None:
    assert refused(*RELEASE, "-e", "0", "--json").code == USAGE
    assert refused(*RELEASE, "-e", "0", "--quiet").code == USAGE


def _write_incomes(folder: Path, entries: Sequence[str], separator: str = ";") -> None:
    rows = [f"{entry}{separator}{'AB'[row % 2]}" for row, entry in enumerate(entries)]
    text = "\n".join([f"income{separator}origin", *rows])
    (folder / "incomes.csv").write_text(text + "\n", encoding="utf-8")


_INCOMES = ("incomes.csv", "-s", "origin", "-c", "income", "-e", "1")
_OWN_COMMA = "column 'income' holds text{}; its entries look like numbers with a decimal comma: "
_COMMA = f"error: {_OWN_COMMA}write 45246.5 instead of 45246,5.\n"


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ((), " in row 1"),
        (("--missing", "drop"), " in row 1"),
        (("--mechanism", "recode"), " in row 1"),
        (("--known", "k"), ""),
        (("-c", "k"), ""),
    ],
)
@pytest.mark.parametrize("whole", [0, 3])
def test_numbers_with_a_decimal_comma_are_not_taken_as_categories(
    refused: Typed, folder: Path, options: tuple[str, ...], where: str, whole: int
) -> None:
    entries = [f"{31 + row % 9},{row % 7}" if row % 5 >= whole else f"{row}" for row in range(200)]
    entries = ["31,5", *entries]
    _write_incomes(folder, [f"{each};{'xy'[row % 3 == 0]}" for row, each in enumerate(entries)])
    text = (folder / "incomes.csv").read_text(encoding="utf-8")
    (folder / "incomes.csv").write_text(text.replace("income;", "income;k;", 1), encoding="utf-8")
    said = refused("calibrate", *_INCOMES, *options)
    assert said.code == 4
    assert said.err == _COMMA.format(where)


def test_answers_with_a_comma_are_categories(refused: Typed, folder: Path) -> None:
    answers = ["1", "2", "1,2,3", "none", "1,2"] * 40
    _write_incomes(folder, answers)
    # They are read; both origins have the same.
    assert "no value has to change" in refused("calibrate", *_INCOMES).err


def test_a_text_with_too_many_categories_is_one_column(refused: Typed, folder: Path) -> None:
    _write_incomes(folder, [f"EUR {row // 2}" for row in range(4000)])
    said = refused("calibrate", *_INCOMES)
    assert said.err.startswith(
        "error: column 'income' is text and taken as categories (2,000 different ones), and a "
        "recoding takes at most 1,000. Merge rare categories (--merge). If it means numbers, write "
    )
    said = refused("calibrate", *_INCOMES, "--missing", "drop")
    assert said.err.startswith(
        "error: column 'income' is text and taken as categories. --missing drop is for one column "
    )
