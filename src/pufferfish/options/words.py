"""What was asked for, written as a command that asks for the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from pufferfish.options.planning import Asked

__all__ = ["arguments", "commands"]

_PLAN = "plan.json"


def commands(asked: Asked, output: str) -> str:
    """Two commands, one that makes the plan and one that releases by it to `output`."""
    groups = (asked.table, asked.adversaries, asked.goal, asked.accuracy, asked.publishing)
    plan = ["calibrate", *(word for group in groups for word in arguments(group))]
    table = [asked.table.file, *_reading(asked)]
    release = ["release", *table, "--plan", _PLAN, "--output", output]
    return "\n".join(
        shlex.join(["pufferfish", *words])
        for words in ([*plan, "--output", _PLAN], [*release, "--report", "report.html"])
    )


def arguments(group: Any) -> list[str]:
    """A group of options as words of a command line, without those that have their default."""
    hints = get_type_hints(type(group), include_extras=True)
    return [
        word
        for each in fields(group)
        if (value := getattr(group, each.name)) != each.default
        for word in _words(each.name, hints[each.name].__metadata__[0], value)
    ]


def _words(name: str, option: OptionInfo | ArgumentInfo, value: Any) -> Iterator[str]:
    if isinstance(option, ArgumentInfo):
        yield str(value)
        return
    # In an annotation the first name stands where elsewhere the default does.
    names = (option.default, *(option.param_decls or ()), "--" + name.replace("_", "-"))
    flag = next(each for each in map(str, names) if each.startswith("--"))
    if value is True:
        yield flag
        return
    for each in value if isinstance(value, list) else [value]:
        yield flag
        yield f"{each:g}" if isinstance(each, float) and float(f"{each:g}") == each else str(each)


def _reading(asked: Asked) -> Iterator[str]:
    """How the table is written, where its name does not tell."""
    for flag, value in (("--format", asked.table.format), ("--delimiter", asked.table.delimiter)):
        if value is not None:
            yield from (flag, value)
