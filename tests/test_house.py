"""The tests stand where the code stands: who looks for the test of a module knows its name."""

from __future__ import annotations

import re
from pathlib import Path

import pufferfish

SOURCE = Path(pufferfish.__file__).parent
TESTS = Path(__file__).parent

# Folders about the library as a whole: attacks on it, what it promises to the letter, its proofs.
ABOUT_THE_WHOLE = {"attacks", "frozen", "theory"}

# Files that name no module. To be emptied: what is about one module takes its name.
NAMING_NO_MODULE = {
    "audit/test_sums.py",
    "cli/test_commands.py",
    "cli/test_files.py",
    "cli/test_folders.py",
    "cli/test_messages.py",
    "cli/test_na.py",
    "cli/test_scale.py",
    "cli/test_signing.py",
    "cli/test_streams.py",
    "denoise/test_weights.py",
    "exact/test_closed_forms.py",
    "exact/test_extreme.py",
    "exact/test_golden.py",
    "exact/test_montecarlo.py",
    "exact/test_properties.py",
    "exact/test_traps.py",
    "learning/test_what_numbers_hide.py",
    "mechanisms/test_register.py",
    "release/test_cap.py",
    "release/test_files.py",
    "release/test_folders.py",
    "release/test_release.py",
    "report/test_browser.py",
    "report/test_canary.py",
    "studio/test_browser.py",
    "studio/test_private.py",
    "tables/spark/test_command_line.py",
    "tables/spark/test_faults.py",
    "tables/spark/test_release.py",
    "test_canary.py",
    "test_documents.py",
    "test_house.py",
    "test_schemas.py",
    "test_statements.py",
    "test_unpublished.py",
    "test_version_1.py",
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
    mirroring = [each for each in files if each.parts[0] not in ABOUT_THE_WHOLE]
    without = {each.as_posix() for each in mirroring if not names_a_module(each)}
    assert sorted(without) == sorted(NAMING_NO_MODULE)


def test_private_names_are_replaced_in_one_place() -> None:
    """What moves inside the library then breaks one line of the tests: see tests/seams.py."""
    texts = {each: each.read_text(encoding="utf-8") for each in TESTS.rglob("*.py")}
    users = {each.relative_to(TESTS).as_posix() for each in texts if PRIVATE.search(texts[each])}
    assert users <= {"seams.py"}
