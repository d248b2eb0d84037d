"""Names that would mislead a reader of the code, and where tests reach into it."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pufferfish

SOURCE = Path(pufferfish.__file__).parent
TESTS = Path(__file__).parent

PRIVATE = re.compile(r"""setattr\([^)]*["'](?:[\w.]*\.)?_\w+["']""")


def modules(package: Path) -> set[str]:
    """The names of the modules and packages in one."""
    found = {each.stem for each in package.glob("*.py")} - {"__init__", "__main__"}
    return found | {each.parent.name for each in package.glob("*/__init__.py")}


def packages() -> list[Path]:
    return [each.parent for each in SOURCE.rglob("__init__.py")]


def test_no_function_has_the_name_of_a_module_beside_it() -> None:
    for package in packages():
        name = ".".join(package.relative_to(SOURCE.parent).parts)
        home = import_module(name)
        for each in modules(package):
            there = getattr(home, each, None)
            assert there is None or isinstance(there, ModuleType), f"{name}.{each}"


ENDINGS = re.compile(r"(ations?|ings?|ers?|ors?|ed|es|s|e)$")


def test_no_two_modules_differ_by_an_ending() -> None:
    for package in packages():
        stems = Counter(ENDINGS.sub("", each) or each for each in modules(package))
        assert not [stem for stem, count in stems.items() if count > 1 and len(stem) > 2], package


def test_packages_are_few_enough_to_be_read_at_a_glance() -> None:
    """Loose modules on the first floor have no place in the story."""
    assert {each.name for each in SOURCE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_private_names_are_replaced_in_one_place() -> None:
    """What moves inside the library then breaks one line of the tests: see tests/seams.py."""
    texts = {each: each.read_text(encoding="utf-8") for each in TESTS.rglob("*.py")}
    users = {each.relative_to(TESTS).as_posix() for each in texts if PRIVATE.search(texts[each])}
    assert users <= {"seams.py"}
