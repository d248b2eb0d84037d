"""The page of all commands and their options, written from the commands themselves."""

from __future__ import annotations

import html
from typing import Any

import typer.main

from pufferfish.cli.app import app

_INTRODUCTION = """# Every command and option

This page is written from the commands, as `pufferfish COMMAND --help` shows them. What they are
for, and how their options work together, is in [the command line](command-line.md).
"""


def commands_page() -> str:
    """Markdown: a section for each command, with its examples and a table of its options."""
    parts = [_INTRODUCTION]
    for name, command in _commands("pufferfish", typer.main.get_command(app)):
        parts.append(_section(name, command))
    return "\n".join(parts)


def _commands(path: str, command: Any) -> list[tuple[str, Any]]:
    """With those of groups, in the order in which `--help` lists them."""
    found = []
    for name, each in command.commands.items():
        of_group = _commands(f"{path} {name}", each) if hasattr(each, "commands") else []
        found += of_group or [(f"{path} {name}", each)]
    return found


def _section(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    lines = [f"## {name.removeprefix('pufferfish ')}", ""]
    for paragraph in (command.help or "").split("\n\n"):
        text = " ".join(paragraph.split())
        before, colon, example = text.partition(": pufferfish ")
        lines += [f"{before}: `pufferfish {example}`" if colon else text, ""]
    records = [parameter.get_help_record(context) for parameter in command.params]
    lines += ["| option | meaning |", "|---|---|"]
    for option, meaning in filter(None, records):
        name = option.replace("<list[str]>", "<str> ...")
        lines.append(f"| <code>{_cell(name)}</code> | {_cell(meaning)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """What neither ends a cell nor begins a tag, nor is a mark of Markdown."""
    shown = html.escape(" ".join(text.split()), quote=False)
    for mark in "|*_":
        shown = shown.replace(mark, f"&#{ord(mark)};")
    return shown
