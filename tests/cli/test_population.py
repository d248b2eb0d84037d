"""A promise for the population, from the command line: kept, recorded, verified, and said."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Typed


@pytest.fixture
def table(folder: Path) -> Path:
    generator = np.random.default_rng(0)
    place = folder / "table.csv"
    with place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["level", "group"])
        for group, law in (("a", [0.5, 0.3, 0.2]), ("b", [0.2, 0.3, 0.5])):
            for level in generator.choice(3, size=900, p=law):
                writer.writerow([level, group])
    return place


ASKED = ["--column", "level", "--secret", "group", "--belief", "empirical", "--epsilon", "0.5"]
RECODED = [*ASKED, "--mechanism", "recode", "--floor", "none", "--sampling-confidence", "95%"]


def test_it_is_released_recorded_and_verified(table: Path, typed: Typed, folder: Path) -> None:
    output = folder / "out.csv"
    done = typed("release", str(table), *RECODED, "--output", str(output))
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "with 95% confidence, for the population from which the rows come" in said
    assert "The same promise for exactly the described laws" in said
    record = json.loads((folder / "out.csv.record.json").read_text())
    assert record["confidence"] == 0.95
    assert record["certificate"]["confidence"] == 0.95
    assert all(each["witnesses"] for each in record["certificate"]["results"])
    public = json.loads((folder / "out.csv.public.json").read_text())
    assert "95% confidence" in public["promise"]
    assert typed("verify", str(folder / "out.csv.record.json")).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sampling-confidence", "99.96%"], "with 99.96% confidence"),
        (["--wrong", "1.2355%"], "within 1.2355% of a described one"),
        (["--wrong", "2%", "--epsilon", "0.5000004"], "ε = 0.500001"),
    ],
    ids=str,
)
def test_a_promise_is_not_printed_as_a_stronger_one(
    table: Path, typed: Typed, folder: Path, options: list[str], said: str
) -> None:
    output = folder / "out.csv"
    how = ["--mechanism", "recode", "--floor", "none"]
    chosen = ASKED[:-2] if "--epsilon" in options else ASKED
    done = typed("release", table, *chosen, *how, *options, "--output", output)
    assert done.code == 0, done.err
    assert said in " ".join(done.out.split())
    assert said in (folder / "out.csv.public.json").read_text(encoding="utf-8")
    page = folder / "page.html"
    assert typed("report", folder / "out.csv.public.json", "--output", page).code == 0
    assert said in page.read_text(encoding="utf-8")


def test_a_record_that_claims_more_confidence_is_found_out(
    table: Path, typed: Typed, folder: Path
) -> None:
    output = folder / "out.csv"
    assert typed("release", str(table), *RECODED, "--output", str(output)).code == 0
    place = folder / "out.csv.record.json"
    record = json.loads(place.read_text())
    text = json.dumps(record).replace("0.95", "0.999").replace("95%", "99.9%")
    forged = folder / "forged.json"
    forged.write_text(text)
    assert typed("verify", str(forged)).code == 3


def test_noise_keeps_it_too_and_costs_more(table: Path, typed: Typed) -> None:
    scales = []
    for more in ([], ["--sampling-confidence", "0.95"]):
        done = typed("calibrate", str(table), *ASKED, "--splits", "0", *more, "--json")
        assert done.code == 0, done.err
        found = json.loads(done.out)
        scales.append(found["noise"]["scale"])
    assert found["certificate"]["confidence"] == 0.95
    assert scales[0] < scales[1]


@pytest.mark.parametrize("share", ["0", "100%", "much"])
def test_what_is_no_confidence_is_refused(table: Path, refused: Typed, share: str) -> None:
    done = refused("calibrate", str(table), *ASKED, "--sampling-confidence", share)
    assert done.code == 2
    assert "--sampling-confidence" in done.err


def test_verify_checks_the_witnesses_and_searches_nothing(
    table: Path, typed: Typed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed("release", str(table), *RECODED, "--output", str(folder / "out.csv")).code == 0

    def searched(*_: object) -> None:
        raise AssertionError("a search")

    monkeypatch.setattr("pufferfish.recoding.regions.worst_laws", searched)
    assert typed("verify", str(folder / "out.csv.record.json")).code == 0
    # Without them it must search.
    record = json.loads((folder / "out.csv.record.json").read_text())
    for each in record["certificate"]["results"]:
        del each["witnesses"]
    (folder / "bare.json").write_text(json.dumps(record))
    with pytest.raises(AssertionError, match="a search"):
        typed("verify", str(folder / "bare.json"))


def test_it_is_about_the_rows_that_are_released(table: Path, refused: Typed) -> None:
    asked = ("calibrate", str(table), *ASKED, "--sampling-confidence", "95%")
    assert "--reference" in refused(*asked, "--reference", str(table)).err


def test_a_band_covers_smooth_adversaries(
    table: Path, typed: Typed, refused: Typed, folder: Path
) -> None:
    asked = [*ASKED[:4], "--belief", "gaussian", "--epsilon", "0.5", "--splits", "0"]
    sure = [*asked, "--sampling-confidence", "95%"]
    banded = [*sure, "--region", "band", "--cap", "0:2"]
    done = typed("release", str(table), *banded, "--output", str(folder / "out.csv"))
    assert done.code == 0, done.err
    record = json.loads((folder / "out.csv.record.json").read_text())
    (belief,) = record["plan"]["scenario"]["beliefs"]
    assert belief["region"]["shape"] == "band"
    assert typed("verify", str(folder / "out.csv.record.json")).code == 0
    plain = json.loads(typed("calibrate", str(table), *asked, "--cap", "0:2", "--json").out)
    assert plain["noise"]["scale"] < record["noise"]["scale"]
    # What it cannot cover is refused with what helps.
    assert "--region band" in refused("calibrate", str(table), *sure).err
    assert "--cap LOW:HIGH" in refused("calibrate", str(table), *banded[:-2]).err
    recoded = [*banded, "--mechanism", "recode", "--floor", "none"]
    assert "--region dirichlet" in refused("calibrate", str(table), *recoded).err
    alone = [*asked, "--region", "band"]
    assert "--sampling-confidence" in refused("calibrate", str(table), *alone).err
    assert "dirichlet or band" in refused("calibrate", str(table), *sure, "--region", "box").err


def test_only_files_of_beliefs_have_no_sample(
    table: Path, typed: Typed, refused: Typed, folder: Path
) -> None:
    fitted = typed("fit", str(table), *ASKED[:4], "--output", str(folder / "b.json"))
    assert fitted.code == 0, fitted.err
    asked = [*ASKED[:4], "--epsilon", "0.5", "--belief", str(folder / "b.json")]
    said = refused("calibrate", str(table), *asked, "--sampling-confidence", "95%")
    assert "--belief empirical" in said.err


def test_json_has_what_the_text_says(table: Path, typed: Typed) -> None:
    asked = ("calibrate", str(table), *RECODED, "--splits", "0")
    found = json.loads(typed(*asked, "--json").out)["population"]
    assert found["plain_rmse"] <= found["rmse"]
    text = " ".join(typed(*asked).out.split())
    assert f"{found['plain_rmse']:.3g}" in text
    assert "population" not in json.loads(typed(*asked[:-4], "--nominal", "--json").out)


def test_a_share_of_wrong_laws_is_not_sought_next_to_a_confidence(
    table: Path, refused: Typed
) -> None:
    # Nothing is proven for both, so that a search would only take long.
    for more in (
        ["--mechanism", "recode", "--held-out", "95%"],
        ["--held-out", "90%", "--cap", "0:2"],
    ):
        asked = [*ASKED, "--sampling-confidence", "95%", *more]
        assert "leave out one of them" in refused("calibrate", str(table), *asked).err


def test_rows_of_a_person_next_to_a_confidence_are_refused_with_what_helps(
    folder: Path, refused: Typed
) -> None:
    place = folder / "persons.csv"
    rows = [f"{row % 3},{'ab'[row % 2]},{row // 2}" for row in range(400)]
    place.write_text("\n".join(["level,group,id", *rows]) + "\n")
    asked = [*ASKED, "--sampling-confidence", "95%", "--person", "id", "--rows-per-person", "2"]
    said = refused("calibrate", str(place), *asked).err
    assert "--sampling-confidence" in said
    assert "--one-row" in said
    assert "--belief empirical" not in said
