"""The tests stand where the code stands: who looks for the test of a module knows its name."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pufferfish

SOURCE = Path(pufferfish.__file__).parent
TESTS = Path(__file__).parent

# Folders about the library as a whole: attacks on it, what it promises to the letter, its proofs,
# what moves in from outside, tables before a judge. So are the files beside this one.
ABOUT_THE_WHOLE = {"attacks", "door", "frozen", "joint", "theory"}

# Files about a whole package, or about a path through it: none of its modules has their name.
ABOUT_A_PACKAGE = {
    "audits/test_sums.py",
    "beliefs/test_guess.py",
    "cli/test_commands.py",
    "cli/test_files.py",
    "cli/test_folders.py",
    "cli/test_guess.py",
    "cli/test_holes.py",
    "cli/test_mechanism.py",
    "cli/test_messages.py",
    "cli/test_na.py",
    "cli/test_scale.py",
    "cli/test_signing.py",
    "cli/test_streams.py",
    "cli/test_table_options.py",
    "denoise/test_weights.py",
    "exact/test_closed_forms.py",
    "exact/test_extreme.py",
    "exact/test_golden.py",
    "exact/test_montecarlo.py",
    "exact/test_properties.py",
    "exact/test_traps.py",
    "learning/test_what_numbers_hide.py",
    "mechanisms/test_register.py",
    "releases/test_cap.py",
    "releases/test_files.py",
    "releases/test_folders.py",
    "releases/test_recoded.py",
    "releases/test_release.py",
    "report/test_browser.py",
    "report/test_canary.py",
    "schemas/test_schemas.py",
    "studio/test_browser.py",
    "studio/test_private.py",
    "studio/test_recoding.py",
    "studio/test_tables.py",
    "tables/spark/test_command_line.py",
    "tables/spark/test_door.py",
    "tables/spark/test_faults.py",
    "tables/spark/test_joint.py",
    "tables/spark/test_page.py",
    "tables/spark/test_release.py",
    "tables/test_without_secret.py",
    "theorems/test_extremes.py",
    "theorems/test_paper_formulas.py",
    "theorems/test_theorem_2_fails.py",
}


PRIVATE = re.compile(r"""setattr\([^)]*["'](?:[\w.]*\.)?_\w+["']""")


def names_a_module(test: Path) -> bool:
    """Whether `<path>/test_<name>.py` has a module or package `<path>/<name>` to be about."""
    subject = SOURCE / test.parent / test.stem.removeprefix("test_")
    return subject.with_suffix(".py").is_file() or (subject / "__init__.py").is_file()


def test_every_test_file_names_a_module() -> None:
    files = [each.relative_to(TESTS) for each in TESTS.rglob("test_*.py")]
    mirroring = [
        each for each in files if len(each.parts) > 1 and each.parts[0] not in ABOUT_THE_WHOLE
    ]
    without = {each.as_posix() for each in mirroring if not names_a_module(each)}
    assert sorted(without) == sorted(ABOUT_A_PACKAGE)


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


def test_modules_hold_one_idea() -> None:
    sizes = {each: len(each.read_text("utf-8").splitlines()) for each in SOURCE.rglob("*.py")}
    assert not [each for each, lines in sizes.items() if lines > 420]


def test_private_names_are_replaced_in_one_place() -> None:
    """What moves inside the library then breaks one line of the tests: see tests/seams.py."""
    texts = {each: each.read_text(encoding="utf-8") for each in TESTS.rglob("*.py")}
    users = {each.relative_to(TESTS).as_posix() for each in texts if PRIVATE.search(texts[each])}
    assert users <= {"seams.py"}
