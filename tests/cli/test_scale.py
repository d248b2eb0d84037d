"""Noise whose size is public: --scale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pufferfish.cli.exits import Exit
from pufferfish.columns.plan import Plan
from pufferfish.core.ladder import rung_up
from pufferfish.sums import SumPlan
from tests.cli.conftest import Typed
from tests.cli.tables import write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
CALIBRATE = ("calibrate", "t.csv", *COLUMNS)
RELEASE = ("release", "t.csv", *COLUMNS, "-o", "out.csv")


def public(folder: Path) -> Any:
    return json.loads((folder / "out.csv.public.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("more", "kind", "size"),
    [((), "laplace", "scale"), (("--mechanism", "gaussian", "-d", "0.01"), "gaussian", "std")],
)
def test_a_scale_is_used_as_it_is(
    typed: Typed, folder: Path, more: tuple[str, ...], kind: str, size: str
) -> None:
    said = typed(*RELEASE, "-e", "1", "--scale", "98.765", *more)
    assert (said.code, said.err) == (0, "")
    record = public(folder)
    assert (record["noise"]["kind"], record["noise"][size]) == (kind, 98.765)
    assert record["goal"]["epsilon"] == 1.0
    assert record["rounding"] == "given"
    assert "Whether noise of this size keeps this ε depends" in record["headline"][0]
    assert "chosen without the data" in record["not_promised"][-1]
    assert typed("verify", "out.csv.record.json").code == 0


def test_too_little_is_refused_before_anything_is_written(typed: Typed, folder: Path) -> None:
    least = typed(*CALIBRATE, "-e", "1", "--json").json["noise"]["scale"]
    said = typed(*RELEASE, "-e", "1", "--scale", str(0.5 * least))
    assert said.code == Exit.NOT_PRIVATE
    assert f"give none, and {least:g} is used (sizes" in " ".join(said.err.split())
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("more", [(), ("--rows-are", "equal")])
def test_too_little_for_all_rows_of_a_person_names_a_rung_that_is_enough(
    typed: Typed, more: tuple[str, ...]
) -> None:
    """The rung used to be that of one row, which is refused in turn."""
    wanted = (*CALIBRATE, "-e", "1", "--person", "id", "--rows-per-person", "600", *more)
    enough = typed(*wanted, "--json").json["noise"]["scale"]
    said = typed(*wanted, "--scale", "2")
    assert said.code == Exit.NOT_PRIVATE
    assert "600 rows of one person together" in " ".join(said.err.split())
    assert f"give none, and {enough:g} is used (sizes" in " ".join(said.err.split())
    assert typed(*wanted, "--scale", str(enough)).code == 0


def test_without_epsilon_the_least_one_is_found_and_published_as_a_rung(typed: Typed) -> None:
    found = typed(*CALIBRATE, "--scale", "10", "-o", "plan.json", "--json").json
    epsilon = found["goal"]["epsilon"]
    assert rung_up(epsilon) == epsilon
    assert found["noise"]["scale"] == 10.0
    plan = Plan.load("plan.json")
    assert (plan.rounding, plan.calibration.certified) == ("given", True)
    assert typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv").code == 0


@pytest.mark.parametrize(
    "more",
    [
        ("-e", "1", "--method", "coupling"),
        ("--accuracy", "2"),
        ("--mean-within", "2"),
        ("-e", "1", "--mechanism", "cauchy"),
    ],
)
def test_what_finds_a_scale_of_its_own_does_not_go_with_it(
    typed: Typed, more: tuple[str, ...]
) -> None:
    assert typed(*CALIBRATE, "--scale", "50", *more).code == Exit.USAGE


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
def test_what_is_no_scale_is_refused(typed: Typed, scale: str) -> None:
    assert typed(*CALIBRATE, "-e", "1", "--scale", scale).code == Exit.USAGE
    assert typed(*CALIBRATE, "--scale", scale).code == Exit.USAGE


def test_a_plan_has_decided_the_scale(typed: Typed) -> None:
    assert typed(*CALIBRATE, "-e", "1", "-o", "plan.json").code == 0
    said = typed("release", "t.csv", "--plan", "plan.json", "-o", "out.csv", "--scale", "9")
    assert said.code == Exit.USAGE


def test_the_scale_of_a_sum(typed: Typed, folder: Path) -> None:
    write(folder / "users.csv", [(0.5, 36)], ("p", "count"))
    wanted = ("sum", "users.csv", "-e", "1")
    said = typed(*wanted, "--scale", "1.2345", "-o", "plan.json", "--json")
    assert said.code == 0
    plan = SumPlan.load("plan.json")
    assert (plan.rounding, plan.calibration.scale) == ("given", 1.2345)
    assert typed(*wanted, "--scale", "0.5").code == Exit.NOT_PRIVATE
    assert typed(*wanted, "--scale", "2", "--compare").code == Exit.USAGE
    assert typed(*wanted, "--scale", "2", "--method", "cor-1a").code == Exit.USAGE
