"""The options, written as a command that asks for the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from pufferfish.options.planning import Asked

__all__ = ["arguments", "commands"]

_PLAN = "plan.json"


def commands(asked: Asked, output: str) -> str:
    """Two commands: one that makes the plan, and one that releases by it to `output`."""
    parts = (getattr(asked, each.name) for each in fields(asked))
    groups = [each for each in parts if is_dataclass(each)]
    plan = ["calibrate", *(word for group in groups for word in arguments(group))]
    # The table and its format; the plan holds which columns matter.
    table = arguments(replace(asked.table, column=None, secret=None))
    release = ["release", *table, "--plan", _PLAN, *_option("--output", output)]
    return "\n".join(
        " ".join(map(_quote, ["pufferfish", *words]))
        for words in ([*plan, "--output", _PLAN], [*release, "--report", "report.html"])
    )


def _quote(word: str) -> str:
    """A word as a shell takes it. Invisible characters are spelled out: pasted, they would act."""
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(map(_spell, word)) + "'"


def _spell(letter: str) -> str:
    if letter.isprintable() and letter not in "\\'":
        return letter
    return "".join(f"\\x{byte:02x}" for byte in letter.encode())


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
        # A file whose name begins with a dash would be taken for an option.
        yield f"./{value}" if str(value).startswith("-") else str(value)
        return
    # In an annotation, Typer keeps the first name in the place of the default.
    names = (option.default, *(option.param_decls or ()), "--" + name.replace("_", "-"))
    # A flag that can be denied has both names: --yes/--no.
    yes, _, no = next(each for each in map(str, names) if each.startswith("--")).partition("/")
    if isinstance(value, bool):
        yield yes if value else no
        return
    for each in value if isinstance(value, list) else [value]:
        short = isinstance(each, float) and float(f"{each:g}") == each
        yield from _option(yes, f"{each:g}" if short else str(each))


def _option(flag: str, value: str) -> tuple[str, ...]:
    """An option and its value, in one word where the value looks like another option."""
    return (f"{flag}={value}",) if value.startswith("-") else (flag, value)
