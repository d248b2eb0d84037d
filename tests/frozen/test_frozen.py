"""What users rely on, written down: the terminal, the documents, the names and their arguments.

A change of the house must not change any of it. Where a change is meant, write it down anew and
read the difference: `PUFFERFISH_FREEZE=1 python -m pytest tests/frozen`.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.columns.plan import ColumnPlan
from pufferfish.joint.plan import TablePlan
from tests.cli.conftest import Typed

EXPECTED = Path(__file__).parent / "expected"
# Each session is typed in a folder of its own, which holds the tables.
SESSIONS = {
    "calibrate": [
        "calibrate t.csv -c x -s s",
        "calibrate t.csv -c x -s s -e 1 -o plan.yaml",
        "calibrate t.csv -c x -s s -e 1 --delta 0.01 --noise gaussian",
        "calibrate t.csv -c x -s s -e 1 --json",
    ],
    "release": [
        "release t.csv -c x -s s -e 1 -o out.csv",
        "verify out.csv.record.json",
        "verify out.csv.public.json --json",
    ],
    "release-gaussian": [
        "release t.csv -c x -s s -e 1 --delta 0.01 --noise gaussian --belief gaussian -o "
        "out.csv --round 1 --clip 0:20",
        "verify out.csv.record.json",
    ],
    "release-persons": [
        "release p.csv -c x -s s -e 1 --person id --rows-per-person 2 --belief empirical "
        "--keep-order -o out.csv",
        "verify out.csv.record.json",
        "verify out.csv.public.json",
    ],
    "release-kept": [
        "release t.csv -c x -s s -e 1 --keep-unprotected o --cap 0:20 --scale 40 -o out.csv",
        "verify out.csv.record.json",
    ],
    "no-noise": [
        "release t.csv -c x -s s -e 9 --delta 0.9 -o out.csv",
        "release t.csv -c x -s s -e 9 --delta 0.9 --allow-no-noise -o out.csv",
        "verify out.csv.record.json",
    ],
    "fit": [
        "fit t.csv -c x -s s",
        "fit t.csv -c x -s s --json",
    ],
    "compare": [
        "compare t.csv -c x -s s -e 1",
    ],
    "sum": [
        "sum --identical 10,1,1 -e 1 -d 1e-3",
        "sum users.csv -e 1 -d 1e-3 --compare",
        "sum users.csv -e 1 --data data.csv --record out.csv.record.json",
        "verify out.csv.record.json",
    ],
    "refusals": [
        "release t.csv -c y -s s -e 1 -o out.csv",
        "release t.csv -c x -s s -e 0 -o out.csv",
        "release t.csv -c x -s s -e 1 -e 2 -o out.csv",
        "verify t.csv",
        "audit none.json",
    ],
}
DOCUMENTS = ("plan.yaml", "out.csv.record.json", "out.csv.public.json")


def frozen(name: str, text: str) -> None:
    """Compare with what was written down, or write it down."""
    path = EXPECTED / name
    if os.environ.get("PUFFERFISH_FREEZE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def steady(text: str) -> str:
    """Without what no two runs, or no two machines, have in common."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+Z?", "<time>", text)
    text = re.sub(r"\b20\d\d-\d\d-\d\d\b", "<date>", text)
    # What was drawn, and what depends on it.
    text = re.sub(
        r"(sum of 'value': |on the grid of its noise \(|\"value\": )-?[\d.]+", r"\1<drawn>", text
    )
    text = re.sub(r"\d+( different among)", r"<drawn>\1", text)
    text = re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda found: f"{float(found[0]):.8g}", text)
    versions = r'("(?:[a-z-]*pufferfish[a-z-]*|numpy|scipy|python|pyarrow|narwhals)": )"[^"]*"'
    return re.sub(versions, r'\1"<version>"', text)


@pytest.mark.parametrize("name", SESSIONS)
def test_the_terminal_and_the_documents(typed: Typed, name: str) -> None:
    lines = []
    for command in SESSIONS[name]:
        said = typed(*command.split())
        lines += [f"$ pufferfish {command}", said.out, said.err, f"[{said.code}]\n"]
    frozen(f"{name}.txt", steady("\n".join(lines)))
    for document in DOCUMENTS:
        if Path(document).exists():
            frozen(f"{name}.{document}", steady(Path(document).read_text(encoding="utf-8")))


def test_names_and_their_arguments() -> None:
    frozen("names.txt", "".join(f"{line}\n" for line in _named(pf, "pf")))


def _named(owner: Any, path: str) -> Iterator[str]:
    for name in sorted(owner.__all__):
        found = getattr(owner, name)
        if inspect.ismodule(found):
            yield from _named(found, f"{path}.{name}")
        elif inspect.isclass(found) and not issubclass(found, BaseException):
            yield from _of_class(found, f"{path}.{name}")
            if found is pf.Plan:
                # What it makes has the arguments.
                for kind in (ColumnPlan, TablePlan):
                    yield from _of_class(kind, f"{path}.{name}, {kind.KIND}")
        elif callable(found) and not inspect.isclass(found):
            yield f"{path}.{name}{_signature(found)}"
        else:
            yield f"{path}.{name}"


def _of_class(found: type, called: str) -> Iterator[str]:
    # Slots and dataclasses look for arguments in `__init__`; a plan is made by `__new__`.
    made = found.__init__ if issubclass(found, pf.Plan) else found
    yield f"class {called}{_signature(made)}".replace("(self, ", "(")
    ours = [each for each in found.__mro__ if each.__module__.startswith("pufferfish")]
    members = {name: value for each in ours[::-1] for name, value in vars(each).items()}
    for member, value in sorted(members.items()):
        if not member.startswith("_"):
            yield from _member(member, value, found)


def _member(name: str, value: Any, owner: type) -> Iterator[str]:
    if isinstance(value, property):
        yield f"    .{name}"
    elif isinstance(value, classmethod | staticmethod) or inspect.isfunction(value):
        yield f"    .{name}{_signature(getattr(owner, name))}"
    elif dataclasses.is_dataclass(owner) and name in {
        each.name for each in dataclasses.fields(owner)
    }:
        yield f"    .{name}"


def _signature(found: Callable[..., Any]) -> str:
    try:
        arguments = inspect.signature(found).parameters.values()
    except ValueError:
        return ""
    shown = []
    for each in arguments:
        default = "" if each.default is each.empty else f"={_plain(each.default)}"
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        only = "only " if each.kind is each.KEYWORD_ONLY else ""
        shown.append(f"{only}{stars}{each.name}{default}")
    return f"({', '.join(shown)})"


def _plain(default: object) -> str:
    text = repr(default)
    return "…" if " at 0x" in text or text.startswith("<") else text
