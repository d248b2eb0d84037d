"""What each command does when all is well, from the help on."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pufferfish.cli import calibrate, compare, demo, fit, release, report, verify
from pufferfish.cli import sum as sum_
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.ladder import rung_up
from pufferfish.datasets import adult_education
from pufferfish.options import adversaries
from pufferfish.tables.manifest import file_sha256
from tests.cli.conftest import Typed
from tests.cli.tables import changed, column, rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
CALIBRATE = ("calibrate", "t.csv", *COLUMNS)
RELEASE = ("release", "t.csv", *COLUMNS, "-e", "1", "-o", "out.csv")
MODULES = (demo, fit, calibrate, release, verify, report, compare, sum_)
NAMES = [module.__name__.rsplit(".", 1)[1] for module in MODULES]


def test_help_names_every_command_and_exit_code(typed: Typed) -> None:
    said = typed("--help")
    assert said.code == 0
    assert all(re.search(rf"^  {name} ", said.out, re.MULTILINE) for name in NAMES)
    assert all(f"{code} " in said.out for code in (0, 2, 3, 4, 5, 6))


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_has_an_example(typed: Typed, name: str) -> None:
    said = typed(name, "-h")
    assert said.code == 0
    assert f"Example: pufferfish {name}" in said.out


def test_the_examples_of_the_help_work(typed: Typed, folder: Path) -> None:
    columns = adult_education()
    content = zip(*(each.tolist() for each in columns.values()), strict=True)
    write(folder / "adult.csv", content, header=list(columns))
    for module in MODULES[1:]:
        found = re.search(r"^Example: pufferfish (.*)$", module.__doc__ or "", re.MULTILINE)
        assert found is not None
        said = typed(*shlex.split(found[1]))
        assert (said.code, said.err) == (0, "")


def test_completion_can_be_shown(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    said = typed("--show-completion", "bash")
    assert said.code == 0
    assert "_PUFFERFISH_COMPLETE" in said.out


def test_version(typed: Typed) -> None:
    said = typed("--version")
    assert said.code == 0
    assert re.search(r"\d+\.\d+\.\d+", said.out)


def test_demo_leaves_a_release_that_verifies(typed: Typed) -> None:
    said = typed("demo")
    assert said.code == 0
    assert said.out.startswith("$ pufferfish release ")
    assert typed("verify", "pufferfish-demo/released.csv.record.json").code == 0


def test_demo_does_not_overwrite_what_it_did_not_write(typed: Typed, folder: Path) -> None:
    (folder / "adult.csv").write_text("mine", encoding="utf-8")
    assert typed("demo", "-o", ".").code == 5
    assert (folder / "adult.csv").read_text(encoding="utf-8") == "mine"


def test_fit_writes_beliefs_that_calibrate_takes(typed: Typed) -> None:
    said = typed("fit", "t.csv", *COLUMNS, "--scale", "1", "-o", "beliefs.json")
    assert said.code == 0
    assert said.out.startswith("PRIVATE")
    assert Path("beliefs.json").stat().st_mode & 0o077 == 0
    from_file = typed("calibrate", "t.csv", *COLUMNS[:4], "--belief", "beliefs.json", "-e", "1")
    assert from_file.out == typed(*CALIBRATE, "-e", "1").out


def test_calibrate_without_a_goal_prints_a_table(typed: Typed) -> None:
    said = typed(*CALIBRATE)
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()[3:9]] == [
        "0.1",
        "0.25",
        "0.5",
        "1",
        "2",
        "4",
    ]


def test_a_table_of_choices_writes_no_plan_and_says_so(typed: Typed) -> None:
    said = typed(*CALIBRATE, "-o", "plan.json")
    assert not Path("plan.json").exists()
    assert said.code == 2
    assert "--epsilon" in said.err


def test_the_table_of_choices_counts_every_row_of_a_person(typed: Typed) -> None:
    one = typed(*CALIBRATE, "--json").json["choices"]
    several = ("--person", "id", "--rows-per-person", "2", "--rows-are", "independent")
    two = typed(*CALIBRATE, *several, "--json").json["choices"]
    # ε = 1 for two rows takes what ε = 0.5 takes for one, and no less.
    assert two[3]["goal"]["epsilon"] == 1.0
    assert one[2]["goal"]["epsilon"] == 0.5
    assert two[3]["noise"]["scale"] >= one[2]["noise"]["scale"]


def test_the_table_of_choices_names_the_kind_of_noise(typed: Typed) -> None:
    for choice in typed(*CALIBRATE, "--mechanism", "laplace", "--json").json["choices"]:
        assert choice["noise"]["kind"] == "laplace"


@pytest.mark.parametrize("wanted", [("--accuracy", "20"), ("--mean-within", "1.5")])
def test_an_accuracy_gives_an_epsilon_that_keeps_it(typed: Typed, wanted: tuple[str, str]) -> None:
    found = typed(*CALIBRATE, *wanted, "-o", "plan.json", "--json").json
    again = typed(*CALIBRATE, "-e", found["goal"]["epsilon"], "--json").json
    # Noise that follows from an accuracy is not rounded; ε is, and the least noise for it.
    assert found["noise"]["scale"] <= again["noise"]["scale"] * 1.3
    assert rung_up(found["goal"]["epsilon"]) == found["goal"]["epsilon"]
    assert typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv").code == 0


def test_a_plan_that_follows_an_accuracy_is_not_called_the_smallest(typed: Typed) -> None:
    said = typed(*CALIBRATE, "--accuracy", "20")
    assert "the smallest size that the exact certificate accepts" not in said.out


def test_a_release_and_its_records(typed: Typed) -> None:
    said = typed(*RELEASE)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Beware      The size of the noise depends on the table")
    assert "\nPublished   120 rows of 'x' in out.csv" in said.out
    assert "out.csv.record.json (private), out.csv.public.json (may be published)" in said.out
    assert Path("out.csv").read_text(encoding="utf-8").splitlines()[0] == "x"
    assert Path("out.csv.record.json").stat().st_mode & 0o077 == 0
    public = Path("out.csv.public.json").read_text(encoding="utf-8")
    assert '"mean' not in public
    assert '"values"' not in public


def test_a_release_by_a_plan(typed: Typed) -> None:
    plan = typed(*CALIBRATE, "-e", "1", "-o", "plan.json")
    assert "pufferfish release t.csv --plan plan.json --output OUT" in plan.out
    # A plan does not say how it was found, so nobody can find it again for one half of the rows.
    direct = typed(*RELEASE, "--splits", "0")
    planned = typed("release", "t.csv", "--plan", "plan.json", "-o", "other.csv")
    assert planned.code == 0
    assert planned.out.replace("other.csv", "out.csv") == direct.out


@pytest.mark.parametrize(
    "option", [("-e", "1"), ("--keep", "o"), ("--known", "o"), ("-c", "x"), ("--pair", "a:b")]
)
def test_a_plan_has_decided(typed: Typed, option: tuple[str, str]) -> None:
    typed(*CALIBRATE, "-e", "1", "-o", "plan.json")
    said = typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv", *option)
    assert said.code == 2
    assert "leave out --plan" in said.err


def test_a_plan_with_less_noise_is_refused(typed: Typed, folder: Path) -> None:
    typed(*CALIBRATE, "-e", "1", "-o", "plan.json")
    text = (folder / "plan.json").read_text(encoding="utf-8")
    less = re.sub(r'"scale": [\d.]+', '"scale": 0.5', text)
    assert less != text
    (folder / "plan.json").write_text(less, encoding="utf-8")
    said = typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv")
    assert said.code == 3
    assert said.err.count("\n") == 1
    assert not Path("out.csv").exists()


def test_verify_says_which_claim_holds(typed: Typed, folder: Path) -> None:
    typed(*RELEASE)
    internal = typed("verify", "out.csv.record.json", "--released", "out.csv")
    assert internal.code == 0
    assert "This record is consistent with itself.\nIt is not signed" in internal.out
    public = typed("verify", "out.csv.public.json", "--released", "out.csv")
    assert public.code == 6
    assert "not checkable" in public.out
    other = typed("verify", "out.csv.record.json", "--released", "t.csv")
    assert other.code == 3
    sums = [file_sha256(folder / name) for name in ("t.csv", "out.csv")]
    assert other.out.startswith(
        f"NO             t.csv is not the file that was published: its SHA-256 is {sums[0]}, the "
        f"record names {sums[1]}. Different line endings do not explain it: the contents differ. "
        "Ask for the original file.\n"
    )
    for mark in (b"", b"\xef\xbb\xbf"):
        text = (folder / "out.csv").read_bytes().replace(b"\n", b"\r\n")
        (folder / "mailed.csv").write_bytes(mark + text)
        mailed = typed("verify", "out.csv.record.json", "--released", "mailed.csv")
        assert mailed.code == 3
        assert "Only its line endings differ" in mailed.out
        assert "The values are the published ones, but the file is NOT" in mailed.out
        assert "does NOT belong" not in mailed.out
    ending = "This file does NOT belong to this record.\nThe record is consistent with itself.\n"
    assert ending in other.out
    public = typed("verify", "out.csv.public.json", "--released", "t.csv")
    assert public.code == 3
    assert "record.\nNo other contradiction was found. The lines marked 'not che" in public.out


def test_a_record_that_was_changed(typed: Typed, folder: Path) -> None:
    typed(*RELEASE)
    record = folder / "out.csv.record.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(re.sub(r'"scale": [\d.]+', '"scale": 0.5', text), encoding="utf-8")
    assert typed("verify", "out.csv.record.json").code == 3


# Ten values of each secret, two steps apart: scale 2 for ε = 1. Two rows of a person can differ by
# 2 · 11: scale 22. Both are rounded up to a rung.
TOLD = ("-c", "x", "-s", "s")
SIZES: list[tuple[tuple[str, ...], dict[str, float]]] = [
    ((), {"scale": 2.5}),
    (("--mechanism", "gaussian", "--delta", "0.01"), {"std": 3.2}),
    (("--mechanism", "gaussian", "--delta", "0.01", "--belief", "gaussian"), {"std": 2.5}),
    (("--person", "id", "--rows-per-person", "2", "--belief", "empirical"), {"scale": 25.0}),
]


@pytest.mark.parametrize(("more", "size"), SIZES)
def test_the_size_of_the_noise(typed: Typed, more: tuple[str, ...], size: dict[str, float]) -> None:
    found = typed("calibrate", "t.csv", *TOLD, "-e", "1", *more, "--json").json["noise"]
    assert found.items() >= size.items()


def test_compare(typed: Typed) -> None:
    said = typed("compare", "t.csv", *COLUMNS, "-e", "1")
    assert said.code == 0
    assert said.out.startswith("method")


def test_compare_does_not_take_what_it_ignores(typed: Typed) -> None:
    # It compares all methods and noises: choosing one means nothing.
    assert typed("compare", "t.csv", *COLUMNS, "-e", "1", "--method", "magic").code == 2


FIGURES = {"rmse", "unchanged", "constant_rmse", "laplace_rmse", "held_out_epsilon"}
FIGURES |= {"held_out", "floor", "wrong", "least_loss_bound", "guess", "figures_of"}
RELEASED = {"headline", "output", "rows", "goal", "noise", "record", "public_record", "report"}
RELEASED |= FIGURES | {"stress"}
CHOICES = {"choices", "constant_rmse", "delta", "delta_rows", "left_out", "not_split", "picture"}
CHOICES |= {"rows"}
CHOICES |= {"guess_with_true_value", "guess_without_release", "holes_epsilon", "outliers"}
PLANNED = {"goal", "delta_rows", "unit", "noise", "certificate", "plan"} | FIGURES


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        # A table: what stays of each column, and given what is known.
        (("demo",), (RELEASED - {"laplace_rmse"}) | {"columns", "strata"}),
        (("fit", "t.csv", *COLUMNS), {"beliefs"}),
        (CALIBRATE, CHOICES),
        ((*CALIBRATE, "-e", "1"), PLANNED),
        ((*CALIBRATE, "--accuracy", "9"), PLANNED),
        (RELEASE, RELEASED),
        (("compare", "t.csv", *COLUMNS, "-e", "1"), {"goal", "methods", "refused"}),
    ],
)
def test_json_and_quiet(typed: Typed, arguments: tuple[str, ...], keys: set[str]) -> None:
    said = typed(*arguments, "--json")
    assert (said.code, said.err) == (0, "")
    assert set(said.json) == keys
    force = ("--force",) if arguments[0] == "release" else ()
    quiet = typed(*arguments, "--quiet", *force)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_json_and_quiet_of_verify(typed: Typed) -> None:
    typed(*RELEASE)
    for edition, code in (("record", 0), ("public", 6)):
        said = typed("verify", f"out.csv.{edition}.json", "--json")
        assert said.code == code
        entries = {
            "verdict",
            "edition",
            "checks",
            "headline",
            "notes",
            "unchecked",
            "signed_by",
            "vouched",
        }
        entries |= {"conclusion"}
        assert set(said.json) == entries
        quiet = typed("verify", f"out.csv.{edition}.json", "-q")
        assert (quiet.code, quiet.out, quiet.err) == (code, "", "")


def test_rows_with_kept_columns_are_shuffled_whole(typed: Typed) -> None:
    said = typed(*RELEASE, "--keep-unprotected", "o", "--keep-unprotected", "id")
    assert said.code == 0
    assert said.out.startswith("Beware")
    assert "in random order" in said.out
    numbers, texts = column(Path("out.csv"), "id"), column(Path("out.csv"), "o")
    assert numbers != column(Path("t.csv"), "id")
    before = dict(zip(column(Path("t.csv"), "id"), column(Path("t.csv"), "o"), strict=True))
    assert dict(zip(numbers, texts, strict=True)) == before


def test_kept_columns_stay_beside_their_rows(typed: Typed) -> None:
    assert (
        typed(*RELEASE, "--keep-unprotected", "o", "--keep-unprotected", "id", "--keep-order").code
        == 0
    )
    assert column(Path("out.csv"), "id") == column(Path("t.csv"), "id")
    assert column(Path("out.csv"), "o") == column(Path("t.csv"), "o")
    assert "s" not in Path("out.csv").read_text(encoding="utf-8").splitlines()[0].split(",")


def test_kept_numbers_are_written_as_they_were(typed: Typed) -> None:
    typed(*RELEASE, "--keep-unprotected", "id", "--keep-order")
    line = Path("out.csv").read_text(encoding="utf-8").splitlines()[1]
    assert line.split(",")[0] == "0"


def test_rounding_and_clipping(typed: Typed) -> None:
    said = typed(*RELEASE, "--round", "0.5", "--clip", "0:10")
    assert said.code == 0
    published = {float(value) for value in column(Path("out.csv"), "x")}
    assert published <= {step / 2 for step in range(21)}
    assert {0.0, 10.0} <= published


def test_clipped_values_are_not_said_to_have_the_true_mean(typed: Typed) -> None:
    # Every published value is at most 1 and the true mean is above 5.
    said = typed(*RELEASE, "--clip", "0:1")
    assert "of the true mean" not in said.out
    assert "mean within" not in said.out


def test_rows_of_one_person(typed: Typed, folder: Path) -> None:
    # Two rows of each person, with one secret.
    pairs = [[3 * (number // 6) + number % 3, *rest] for number, *rest in rows()]
    write(folder / "t.csv", pairs)
    said = typed(*RELEASE, "--person", "id")
    assert said.code == 4
    assert "--rows-per-person" in said.err
    assert "--one-row" in said.err
    several = ("--person", "id", "--rows-per-person", "2", "--force")
    said = typed(*RELEASE, *several, "--belief", "gaussian")
    assert said.code == 3
    assert "--rows-are independent" in said.err
    said = typed(*RELEASE, *several)
    assert said.code == 0
    assert "one person (at most 2 rows, however they depend on each other)" in said.out
    # These rows are a function of each other.
    said = typed(*RELEASE, *several, "--rows-are", "independent")
    assert said.code == 4
    assert "a test at level 1% rejects it" in said.err
    said = typed(*RELEASE, *several, "--rows-are", "equal")
    assert said.code == 4
    assert "several values of 'x'" in said.err
    for way in ("first", "mean"):
        said = typed(*RELEASE, "--person", "id", "--one-row", way, "--force", "--min-group", "10")
        assert said.code == 0
        assert len(column(Path("out.csv"), "x")) == 60


def test_a_plan_for_rows_of_one_person_says_first_what_it_rests_on(typed: Typed) -> None:
    several = ("--person", "id", "--rows-per-person", "2", "-e", "1")
    said = typed(*CALIBRATE, *several, "--rows-are", "independent")
    assert said.code == 0
    beware, *others = said.out.split("\n\n")
    assert "taken to be independent given 's', as the curator states" in " ".join(beware.split())
    first = " ".join(" ".join(others[:3]).split())
    assert "taken to be independent given the secret, as you stated" in first
    assert "the release runs a test at level 1%" in first
    said = typed(*CALIBRATE, *several)
    assert "Proven for all rows of a person together" in " ".join(said.out.split())


def test_beliefs_are_fitted_to_one_row_of_each_person(typed: Typed, folder: Path) -> None:
    pairs = [[3 * (number // 6) + number % 3, *rest] for number, *rest in rows()]
    write(folder / "t.csv", pairs)
    one = ("--person", "id", "--one-row", "mean")
    fitted = ("fit", "t.csv", *COLUMNS, "--min-group", "10", "-o", "b.json")
    assert typed(*fitted, *one).code == 0
    assert typed(*fitted, "--force", "--person", "id").code == 2
    columns = ("calibrate", "t.csv", "-c", "x", "-s", "s", "-e", "1", *one, "--json")
    by_file = typed(*columns, "--belief", "b.json").json
    by_table = typed(*columns, "--belief", "empirical", "--min-group", "10").json
    assert by_file["noise"] == by_table["noise"]


def test_missing_values(typed: Typed, folder: Path) -> None:
    write(folder / "t.csv", changed(2, "", row=5))
    assert typed(*RELEASE, "--missing", "drop").code == 0
    assert len(column(Path("out.csv"), "x")) == 119
    # One secret has a hole and the others have none: no ε at δ = 0, but δ allows for it.
    assert typed(*RELEASE, "--missing", "keep", "--force").code == 3
    assert typed(*RELEASE, "--missing", "keep", "-d", "0.1", "--force").code == 0
    lines = Path("out.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert sum(line in ("", '""') for line in lines) == 1
    assert len(lines) == 120


def test_a_ledger_refuses_a_release_too_many(typed: Typed) -> None:
    assert typed(*RELEASE, "--ledger", "ledger.json").code == 0
    codes = [typed(*RELEASE, "--ledger", "ledger.json", "--force").code for _ in range(3)]
    assert codes[-1] == 3


@pytest.mark.parametrize("pair", [r"a\:1:b\\2", r"c, d:a\:1", "--against"])
def test_secrets_with_colons(typed: Typed, folder: Path, pair: str) -> None:
    write(folder / "t.csv", rows(["a:1", "b\\2", "c, d"]))
    option = ("--against", "a:1") if pair == "--against" else ("--pair", pair)
    assert typed(*RELEASE, *option).code == 0


def test_many_secrets_are_announced_before_the_work(
    typed: Typed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(*arguments: object, **options: object) -> None:
        raise InvalidInputError("the work began")

    # Fitting comes first, and takes long by itself.
    monkeypatch.setattr(adversaries, "fit_beliefs", begin)
    write(folder / "t.csv", rows([f"user{number}" for number in range(300)], each=30))
    smooth = ("-e", "1", "--belief", "mixture")
    note = typed(*CALIBRATE, *smooth).err.split("error: the work began")[0]
    assert "44,850 pairs" in note
    assert "--belief empirical" in note


def test_one_pair_of_many_secrets_is_quick_and_quiet(typed: Typed, folder: Path) -> None:
    write(folder / "t.csv", rows([f"user{number}" for number in range(300)], each=30))
    said = typed(*CALIBRATE, "-e", "1", "--pair", "user3:user7")
    assert (said.code, said.err) == (0, "")
