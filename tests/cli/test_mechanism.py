"""--mechanism, and the options that only a recoding has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pufferfish.calibration.postprocess import Clip
from pufferfish.cli.exits import Exit
from pufferfish.columns.plan import Plan
from pufferfish.recoding.law import Recoding
from tests.cli.conftest import Typed
from tests.cli.tables import changed, column, rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
CALIBRATE = ("calibrate", "t.csv", *COLUMNS)
RELEASE = ("release", "t.csv", *COLUMNS, "-e", "1", "-o", "out.csv")
RECODE = ("--mechanism", "recode")


def test_a_recoding_is_released_and_verifies(typed: Typed, folder: Path) -> None:
    said = typed(*RELEASE, *RECODE)
    assert (said.code, said.err) == (0, "")
    assert " of 100 values\n" in said.out or " of 100 values stay" in said.out
    assert "with fresh noise" not in said.out
    assert set(column(folder / "out.csv", "x")) <= {str(each) for each in range(12)}
    checked = typed("verify", "out.csv.record.json")
    assert checked.code == 0
    assert "this recoding keeps ε = 1" in checked.out
    assert "the recoding was really drawn" in checked.out


def test_a_plan_of_a_recoding_is_released(typed: Typed) -> None:
    assert typed(*CALIBRATE, "-e", "1", *RECODE, "-o", "plan.json").code == 0
    assert typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv").code == 0
    mixed = typed("release", "t.csv", "--plan", "plan.json", "-o", "b.csv", "--wrong", "0.1")
    assert mixed.code == Exit.USAGE
    assert isinstance(Plan.load("plan.json").calibration.mechanism, Recoding)


@pytest.mark.parametrize("given", ["3%", "0.03"])
def test_the_options_reach_the_recoding(typed: Typed, given: str) -> None:
    more = ("--floor", "0.5", "--wrong", given, "--loss", "absolute", "--any-histogram")
    found = typed(*CALIBRATE, "-e", "1", *RECODE, *more, "-o", "plan.json", "--json").json
    assert (found["floor"], found["wrong"]) == (0.5, 0.03)
    recode = Plan.load("plan.json").calibration.recode
    assert recode is not None
    assert (recode.loss, recode.keep_histogram) == ("absolute", False)


def test_no_floor_and_edges(typed: Typed) -> None:
    wanted = (*CALIBRATE, "-e", "1", *RECODE, "--json", "--edges", "0:9:3", "--floor", "none")
    assert typed(*wanted).code == Exit.USAGE
    found = typed(*wanted, "--nominal").json
    assert found["floor"] is None
    assert found["noise"]["edges"] == [0.0, 3.0, 6.0, 9.0]


def test_the_figures_of_noise_and_of_a_recoding(typed: Typed) -> None:
    noise = typed(*CALIBRATE, "-e", "1", "--json").json
    scale = noise["noise"]["scale"]
    assert noise["rmse"] == noise["laplace_rmse"] == pytest.approx(2**0.5 * scale)
    assert noise["floor"] == pytest.approx(1.0 / scale)
    assert (noise["unchanged"], noise["wrong"]) == (0.0, 0.0)
    assert noise["least_loss_bound"] is None
    found = typed(*CALIBRATE, "-e", "1", *RECODE, "--json").json
    assert 0.0 < found["unchanged"] < 1.0
    assert found["rmse"] < found["laplace_rmse"] <= noise["rmse"]
    assert found["least_loss_bound"] <= found["rmse"] ** 2
    assert found["constant_rmse"] == noise["constant_rmse"]
    released = typed(*RELEASE, *RECODE, "--json").json
    names = ("rmse", "unchanged", "floor", "wrong", "least_loss_bound", "held_out_epsilon")
    assert [released[name] for name in names] == [found[name] for name in names]


def test_noise_for_laws_that_may_be_wrong(typed: Typed, folder: Path) -> None:
    wanted = ("--cap", "0:20", "--wrong", "3%")
    plain = typed(*CALIBRATE, "-e", "1", "--cap", "0:20", "--json").json
    found = typed(*CALIBRATE, "-e", "1", *wanted, "--json").json
    assert (plain["wrong"], found["wrong"]) == (0.0, 0.03)
    assert found["certificate"]["wrong"] == 0.03
    assert found["noise"]["scale"] > plain["noise"]["scale"]
    said = typed(*RELEASE, *wanted)
    assert said.code == 0
    assert "within 3% of a described one" in " ".join(said.out.split())
    record = next(folder.glob("*.record.json"))
    assert typed("verify", str(record)).code == 0
    ways = typed(*CALIBRATE, "-e", "1", *wanted, "--mechanism", "auto", "--json").json["compared"]
    names = [way["name"] for way in ways["ways"]]
    assert names == ["noise", "clipped noise", "remapped noise", "recoding"]
    for more in (("--accuracy", "2"), ("--scale", "2")):
        assert "needs --epsilon" in typed(*CALIBRATE, *wanted, *more).err


def test_what_is_done_to_noise_afterwards_counts_for_its_error(typed: Typed) -> None:
    wanted = (*CALIBRATE, "-e", "1", "--json")
    plain, clipped = typed(*wanted).json, typed(*wanted, "--clip", "0:11").json
    assert clipped["rmse"] < plain["rmse"]
    assert typed(*wanted, "--round", "5").json["rmse"] is None


def test_auto_takes_the_smallest_error_and_shows_all(typed: Typed) -> None:
    wanted = (*CALIBRATE, "-e", "1", "--mechanism", "auto")
    said = typed(*wanted)
    assert said.out.startswith("way ")
    found = typed(*wanted, "--json").json
    ways = {way["name"]: way for way in found["compared"]["ways"]}
    assert set(ways) == {"noise", "clipped noise", "remapped noise"}
    assert found["rmse"] == min(way["rmse"] for way in ways.values())
    released = typed(*RELEASE, "--mechanism", "auto")
    assert released.code == 0
    assert "\nconstant " in released.out


def test_noise_is_clipped_to_public_bounds_only(typed: Typed) -> None:
    """Bins that are too wide lose more than noise does."""
    wanted = (*CALIBRATE, "-e", "1", "--mechanism", "auto", "--edges=-900,11.5")
    said = typed(*wanted, "-o", "plan.json")
    assert "The clipped noise is not taken" in said.out
    assert Plan.load("plan.json").postprocess == ()
    public = typed(*wanted, "--cap=-1:12", "-o", "public.json")
    assert "is not taken" not in public.out
    assert Plan.load("public.json").postprocess == (Clip(-1.0, 12.0),)


@pytest.mark.parametrize(
    ("more", "ways"),
    [
        ((), ["noise", "remapped", "laws ±1%", "laws ±5%"]),
        (("--mechanism", "auto", "--cap=-1:12"), ["noise", "clipped", "remapped", "laws ±1%"]),
        (("--mechanism", "recode", "--floor", "0.5", "--wrong", "1%"), ["noise", "as asked"]),
    ],
)
def test_without_epsilon_mechanisms_are_compared(
    typed: Typed, more: tuple[str, ...], ways: list[str]
) -> None:
    said = typed(*CALIBRATE, *more, "--belief", "empirical")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 100
    lines = said.out.splitlines()[1:]  # the legend has two lines
    assert "  ".join(ways) in " ".join(lines[1].split()).replace(" ", "  ").replace(
        "laws  ", "laws "
    ).replace("as  asked", "as asked")
    assert lines[1].split()[-1] == "constant"
    assert [line.split()[0] for line in lines[2:8]] == ["0.1", "0.25", "0.5", "1", "2", "4"]
    for words in ("50% without the release", "promise allows", "median of 3 random splits"):
        assert words in said.out
    found = typed(*CALIBRATE, *more, "--belief", "empirical", "--splits", "0", "--json").json
    assert {each["way"] for each in found["choices"]} >= {*ways}
    assert found["guess_without_release"] == 0.5 < found["guess_with_true_value"]
    assert all(each["held_out"] is None for each in found["choices"])
    assert "what ε becomes on rows that were not used" in found["left_out"][0]


def test_the_comparison_says_which_values_set_the_noise(typed: Typed, folder: Path) -> None:
    """As `calibrate --epsilon` does, and only where few values do."""
    write(folder / "far.csv", [*rows("ab", 400), *[[0, "a", 1000, "u"]] * 3])
    how = ("calibrate", "far.csv", *COLUMNS, "--belief", "empirical", "--splits", "0")
    hint = " ".join(typed(*how, "-e", "1").out.split()).partition("Values above ")[2][:60]
    assert "set the noise; capped there" in hint
    said = typed(*how)
    assert f"At ε = 1: Values above {hint}" in " ".join(said.out.split())
    assert max(map(len, said.out.splitlines())) <= 100
    assert typed(*how, "--json").json["outliers"].startswith("At ε = 1: Values above")
    plain = ("--belief", "empirical", "--splits", "0")
    assert "set the noise" not in typed(*CALIBRATE, *plain).out
    assert typed(*CALIBRATE, *plain, "--json").json["outliers"] is None


def test_bins_that_a_smooth_belief_needs_are_explained(typed: Typed) -> None:
    """Nobody chose bins: the column has few values, and as a table it needs none."""
    how = ("calibrate", "t.csv", "-c", "x", "-s", "s", "-e", "1", "--mechanism", "recode")
    more = ("--floor", "none", "--sampling-confidence", "95%", "--splits", "0", "--pair", "a:b")
    refused = typed(*how, *more)
    assert refused.code != 0
    said = " ".join(refused.err.split())
    assert "the smooth laws of 'mixture' need bins" in said
    assert "--belief empirical" in said
    assert typed(*how, *more, "--belief", "empirical").code == 0


def test_what_delta_permits_and_what_is_certified_are_told_apart(typed: Typed) -> None:
    how = (*CALIBRATE, "-e", "1", "-d", "0.01", "--splits", "0")
    said = " ".join(typed(*how, "-o", "plan.json").out.split())
    delta = Plan.load("plan.json").certificate.delta_upper
    assert delta < 0.01
    assert "permits, at worst, that 2 of 120 published rows reveal everything" in said
    (shown,) = re.findall(
        r"The certificate shows less: .* δ at ε = 1 is at most ([0-9.e-]+)\.", said
    )
    assert delta <= float(shown) <= 1.01 * delta


def test_figures_of_noise_and_of_all_strata_are_called_so(typed: Typed) -> None:
    how = ("--mechanism", "auto", "--keep", "o", "--min-group", "5", "--pair", "a:b", "-e", "1")
    said = typed("release", "t.csv", *COLUMNS, *how, "-o", "kept.csv", "--no-stress")
    assert said.code == 0
    text = " ".join(said.out.split())
    assert "For all rows together: " in text
    assert "the least Laplace noise, before its size is rounded up, gives " in text
    assert "The promise leaves no margin for laws that differ" in text


def test_a_recoding_as_asked_is_that_of_calibrate(typed: Typed) -> None:
    asked = ("--mechanism", "recode", "--floor", "0.5", "--wrong", "1%", "--splits", "0", "--json")
    found = typed(*CALIBRATE, *asked).json["choices"]
    alone = typed(*CALIBRATE, *asked, "-e", "1").json
    (same,) = (each for each in found if each["way"] == "as asked" and each["goal"]["epsilon"] == 1)
    assert same["rmse"] == alone["rmse"]


def test_the_picture_and_what_it_does_not_go_with(typed: Typed) -> None:
    drawn = (*CALIBRATE, "--splits", "0", "--picture")
    assert typed(*drawn, "f.svg").code == 0
    assert Path("f.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert "exists already" in typed(*drawn, "f.svg").err
    for more, why in (
        (("f.gif",), ".svg or .png"),
        (("f.png", "-e", "1"), "leave out the promise"),
        (("f.png", "--mechanism", "gaussian"), "comparison of mechanisms"),
    ):
        said = typed(*drawn, *more)
        assert said.code == 2
        assert why in said.err


def test_rows_that_delta_may_expose_are_counted(typed: Typed) -> None:
    for more in ((), ("--mechanism", "gaussian"), ("-e", "1")):
        said = typed(*CALIBRATE, *more, "-d", "0.01", "--splits", "0")
        assert "With δ = 0.01 the definition permits, at worst, that" in " ".join(said.out.split())
    assert "may fail" not in typed(*CALIBRATE, "--splits", "0").out
    assert typed(*CALIBRATE, "-e", "1", "-d", "0.01", "--json").json["delta_rows"] > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--mechanism", "magic"), "--mechanism must be laplace, gaussian, recode or auto"),
        ((*RECODE, "--floor", "abc"), "--floor must be noise"),
        ((*RECODE, "--floor", "-1"), "--floor must be noise"),
        ((*RECODE, "--wrong", "2"), "such as 0.03 or 3%"),
        ((*RECODE, "--wrong", "nan"), "such as 0.03 or 3%"),
        ((*RECODE, "--loss", "mean"), "--loss must be squared, absolute or changed"),
        ((*RECODE, "--edges", "3,2"), "--edges must be"),
        ((*RECODE, "--edges", "0:9"), "--edges must be"),
        ((*RECODE, "--edges", "0:1e9:1"), "--edges must be"),
        ((*RECODE, "--method", "coupling"), "--method and --scale are about noise"),
        ((*RECODE, "--scale", "2"), "--method and --scale are about noise"),
        ((*RECODE, "--round", "1"), "--round and --clip are about noise"),
        ((*RECODE, "--person", "id", "--rows-per-person", "2"), "leave out --mechanism"),
        (("--floor", "none"), "only a recoding has --floor"),
        (("--mechanism", "gaussian", "--wrong", "3%"), "nothing is proven for Gaussian noise"),
        (("--nominal", "--floor", "none"), "--floor and --nominal"),
        (("--wrong", "3%"), "--wrong with noise needs public bounds of the values, --cap LOW:HIGH"),
        (("--wrong", "auto"), "--wrong must be a share"),
        (("--any-histogram",), "only a recoding has --any-histogram"),
        (("--mechanism", "auto", "--wrong", "3%"), "--cap LOW:HIGH"),
        (("--mechanism", "auto", "--floor", "none"), "leave out --floor with --mechanism auto"),
        (("--mechanism", "auto", "--method", "thm-2"), "--method and --scale are about noise"),
        (("--mechanism", "auto", "--clip", "0:9"), "--cap LOW:HIGH"),
    ],
)
def test_what_does_not_go_together_is_refused_in_words(
    refused: Typed, given: tuple[str, ...], said: str
) -> None:
    found = refused(*CALIBRATE, "-e", "1", *given)
    assert found.code == Exit.USAGE
    assert said in found.err
    assert refused(*RELEASE, *given).err == found.err


def test_an_accuracy_is_about_noise(refused: Typed) -> None:
    assert "--epsilon" in refused(*CALIBRATE, *RECODE, "--accuracy", "2").err


def test_a_missing_value_is_one_of_the_domain(typed: Typed, folder: Path) -> None:
    content = rows()
    for number in range(0, len(content), 9):
        content[number][2] = ""
    write(folder / "t.csv", content)
    assert typed(*RELEASE, *RECODE).code == Exit.BAD_DATA
    said = typed(*RELEASE, *RECODE, "--missing", "keep", "--min-group", "5")
    assert said.code == 0
    assert "missing values were recoded like the others" in " ".join(said.out.split())
    record = json.loads((folder / "out.csv.record.json").read_text("utf-8"))
    assert record["plan"]["noise"]["values"][-1] is None
    assert typed("verify", "out.csv.record.json").code == 0


def test_a_column_of_text_is_refused_without_a_cell(refused: Typed, folder: Path) -> None:
    write(folder / "t.csv", changed(2, "4711-cell", 5))
    found = refused(*RELEASE, *RECODE)
    assert found.code == Exit.BAD_DATA
    assert "4711" not in found.err
