"""`pufferfish sum`: from users to a published number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import write

IDENTICAL = ("sum", "--identical", "10,1,1", "-e", "1")


@pytest.fixture
def coins(folder: Path) -> Path:
    return write(folder / "users.csv", [(0.5, 1, 36), (0.002, 18, 1)], ("p", "value", "count"))


@pytest.fixture
def data(folder: Path) -> Path:
    return write(folder / "data.csv", [(k % 2,) for k in range(36)], ("value",))


def test_help_has_an_example(typed: Typed) -> None:
    said = typed("sum", "-h")
    assert said.code == 0
    assert "Example: pufferfish sum" in said.out


def test_identical_users(typed: Typed) -> None:
    said = typed(*IDENTICAL, "-d", "1e-3")
    assert said.code == 0
    assert "scale 0.94004" in said.out
    assert "The user who decides: user 1, one of 10 alike" in said.out
    assert typed(*IDENTICAL, "--json").json["noise"]["scale"] == pytest.approx(1.366026, rel=1e-6)


@pytest.mark.usefixtures("coins")
def test_the_coins_are_not_gaussian(typed: Typed) -> None:
    said = typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--json")
    assert said.code == 0
    assert said.json["decides"] == {"user": 37, "alike": 1}
    assert said.json["central_limit"]["holds"] is False
    assert typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--method", "cor-1a").code == 3


@pytest.mark.usefixtures("coins")
def test_every_method_side_by_side(typed: Typed) -> None:
    said = typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--compare")
    assert said.code == 0
    assert "classic DP" in said.out
    assert "BROKEN" in said.out
    found = typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--compare", "--json").json
    assert found["methods"][0] | {"noise": None} == {
        "name": "exact",
        "noise": None,
        "valid": True,
        "against_exact": 1.0,
    }


@pytest.mark.usefixtures("coins", "data")
def test_a_sum_is_planned_published_and_verified(typed: Typed) -> None:
    said = typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--data", "data.csv", "-o", "p.json")
    assert said.code == 0
    assert "Published sum of 'value'" in said.out
    assert typed("verify", "data.csv.sum.record.json").code == 0
    assert typed("verify", "data.csv.sum.public.json").code == 6
    again = typed("sum", "--plan", "p.json", "--data", "data.csv", "--record", "r.json", "--json")
    assert again.code == 0
    published = json.loads(Path("r.public.json").read_text(encoding="utf-8"))
    assert published["published"]["value"] == again.json["value"]
    assert typed("sum", "--plan", "p.json", "--data", "data.csv").code == 5  # records exist


@pytest.mark.usefixtures("data")
def test_a_ledger_refuses_one_too_many(typed: Typed) -> None:
    write(Path("few.csv"), [(0.5, 36)], ("p", "count"))
    publish = ("sum", "few.csv", "-e", "1", "--data", "data.csv", "--ledger", "l.json", "--force")
    assert typed(*publish).code == 0
    said = typed(*publish)
    assert said.code == 3
    assert "releases of the same rows" in said.err


@pytest.mark.usefixtures("data")
def test_no_noise_must_be_allowed(typed: Typed) -> None:
    publish = ("sum", "--identical", "36,0.1,1", "-e", "1", "-d", "1e-2", "--data", "data.csv")
    assert typed(*publish).code == 3
    said = typed(*publish, "--allow-no-noise", "--json")
    assert (said.code, said.json["value"]) == (0, 18.0)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("sum", "-e", "1"), 2),
        (("sum", "t.csv", "--identical", "1,1,1", "-e", "1"), 2),
        (("sum", "--identical", "1,1", "-e", "1"), 2),
        (("sum", "--identical", "1.5,1,1", "-e", "1"), 2),
        (("sum", "--identical", "10,1,1"), 2),
        (("sum", "t.csv", "-e", "1"), 4),
        (("sum", "away.csv", "-e", "1"), 5),
        ((*IDENTICAL, "--protect", "luck"), 2),
        ((*IDENTICAL, "--protect", "value"), 3),
        ((*IDENTICAL, "--protect", "value", "--between", "0,1"), 2),
        ((*IDENTICAL, "--ledger", "l.json"), 2),
        ((*IDENTICAL, "--compare", "-o", "p.json"), 2),
        ((*IDENTICAL, "--plan", "p.json"), 2),
        (("sum", "--plan", "p.json"), 5),
    ],
)
def test_what_cannot_be_meant_is_refused(
    refused: Typed, arguments: tuple[str, ...], code: int
) -> None:
    assert refused(*arguments).code == code


def test_a_value_between_two(typed: Typed) -> None:
    said = typed(*IDENTICAL, "--protect", "value", "--between", "0:2", "--json")
    assert said.json["noise"]["scale"] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.usefixtures("data")
def test_no_cell_is_quoted(refused: Typed) -> None:
    write(Path("bad.csv"), [(0,), ("4711-cell",)], ("value",))
    write(Path("few.csv"), [(0.5, 40)], ("p", "count"))
    said = refused("sum", "few.csv", "-e", "1", "--data", "bad.csv")
    assert said.code == 4
    assert "4711" not in said.err


@pytest.mark.parametrize("name", ["k.png", "k.svg"])
def test_a_picture_of_scale_against_users(typed: Typed, folder: Path, name: str) -> None:
    said = typed(*IDENTICAL, "-d", "1e-3", "--plot", name)
    assert said.code == 0
    assert f"drawn in {name}" in said.out
    drawn = (folder / name).read_bytes()
    assert drawn.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    assert typed(*IDENTICAL, "-d", "1e-3", "--plot", name).code == 5  # it is there already


@pytest.mark.usefixtures("coins")
def test_what_cannot_be_drawn(typed: Typed) -> None:
    for arguments in (
        (*IDENTICAL, "--plot", "k.pdf"),
        ("sum", "users.csv", "-e", "1", "--plot", "k.png"),
        (*IDENTICAL, "--protect", "value", "--between", "0:1", "--plot", "k.png"),
    ):
        said = typed(*arguments)
        assert said.code == 2
        assert "--plot" in said.err or ".png or .svg" in said.err


@pytest.mark.usefixtures("coins")
def test_an_empty_line_is_a_user_whose_value_is_missing(typed: Typed, folder: Path) -> None:
    (folder / "data.csv").write_text("value\n" + "1\n" * 20 + "\n" + "0\n" * 16)
    said = typed("sum", "users.csv", "-e", "1", "--data", "data.csv")
    assert said.code == 4
    assert "row 21" in said.err


@pytest.mark.parametrize("given", ["nan,1,1", "inf,1,1"])
def test_a_number_of_users_that_is_none(typed: Typed, given: str) -> None:
    assert typed("sum", "--identical", given, "-e", "1").code == 2
