"""An option that takes one value and is given twice: refused, whichever command it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main

from pufferfish.cli.app import app
from tests.cli.conftest import Typed

USAGE = 2

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
SINGLE = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option" and not option.multiple and not option.is_flag
]


@pytest.mark.parametrize(
    ("name", "option"), SINGLE, ids=[f"{name} {option.opts[0]}" for name, option in SINGLE]
)
def test_every_option_with_one_value(refused: Typed, name: str, option: Any) -> None:
    names = [option.opts[0], option.opts[-1]]
    said = refused(name, "t.csv", *(word for each in names for word in (each, "1")))
    assert said.code == USAGE
    assert f"{'/'.join(option.opts)} is given 2 times, but takes one value" in said.err


def test_there_are_many_such_options() -> None:
    assert len(SINGLE) > 60


@pytest.mark.parametrize(
    "twice",
    [("-e", "1", "-e", "5"), ("--epsilon=1", "-e5"), ("-e", "1", "--epsilon", "1")],
)
def test_nothing_is_published_and_no_value_is_repeated(
    refused: Typed, twice: tuple[str, ...]
) -> None:
    said = refused("release", "t.csv", "-c", "x", "-s", "s", "-o", "out.csv", *twice)
    assert said.code == USAGE
    assert "--epsilon/-e is given 2 times" in said.err
    assert not Path("out.csv").exists()


def test_a_flag_and_its_opposite(refused: Typed) -> None:
    said = refused("studio", "--browser", "--no-browser")
    assert said.code == USAGE
    assert "--browser/--no-browser is given 2 times" in said.err


def test_lists_and_plain_flags_may_be_repeated(typed: Typed) -> None:
    command = ("calibrate", "t.csv", "-c", "x", "-s", "s", "--belief", "empirical", "-e", "1")
    said = typed(*command, "--pair", "a:b", "--pair", "a:c", "--json", "--json", "-o", "p.json")
    assert said.code == 0, said.err
