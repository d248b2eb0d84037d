"""The quick test after a release: the same cases by another way to read, and never an error."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.columns.record import Record
from pufferfish.tables.verbs import to_read
from pufferfish.what_if.quick import quick_stress, stress_in_words
from pufferfish.what_if.result import Case, Stress
from tests import seams

EVERY = ("colour", "age", "day")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 3600.0)
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["x", "s", *EVERY])
        for number in range(2_000):
            secret, colour = number % 2, ("red", "blue")[number // 2 % 2]
            value = number // 4 % 5 + secret * (1 if colour == "red" else 2)
            day = f"20{number % 3 + 10}-01-0{number % 7 + 1}"
            rows.writerow([value, "ab"[secret], colour, 20 + number * 7 % 61, day])
    return path


@pytest.fixture
def record(table: Path, tmp_path: Path) -> Record:
    counts = pf.summarise(table, column="x", secret="s")
    beliefs = pf.Scenario(pf.fit_belief(counts, family="empirical"))
    found = pf.calibrate(beliefs, pf.Guarantee(0.5))
    plan = pf.Plan(calibration=found, column="x", secret="s")
    done: Any = pf.release(table, plan, tmp_path / "out.csv")
    return done.record


def test_columns_one_by_one_are_judged_as_all_at_once(table: Path, record: Record) -> None:
    """A quick test reads column by column; a full one counts all combinations first."""
    quick = quick_stress(record, to_read(table))
    assert isinstance(quick, Stress)
    whole = pf.stress(record.plan, table, resamples=0, splits=0, learner=False, answers=False)
    assert {case.columns for case in quick.of("columns")} == {(name,) for name in EVERY}
    for name in EVERY:
        assert quick.knowing(name) == whole.knowing(name)
    assert quick.bands == whole.bands
    assert quick.of("value") == whole.of("value")
    assert [each.knows for each in quick.of("laws")] == ["has laws that differ by 1%"]


def test_no_time_is_said_and_not_taken_for_kept(
    table: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 1e-9)
    found = quick_stress(record, to_read(table))
    assert isinstance(found, Stress)
    for case in found.of("columns"):
        assert (case.holds, case.epsilon) == (None, None)
        assert "it took too long" in case.note
    # The bands of a column are not looked for either.
    assert found.knowing("age").note == "not judged, because it took too long"
    first, late, *_ = stress_in_words(found).paragraphs
    assert "for 3 it cannot be told" in first
    assert "The time limit of about 1e-09 seconds ended the search before 3 of them" in late
    assert all(f"also knows '{name}'" in late for name in EVERY)
    assert late in str(found)


def test_large_tables_halves_and_unreadable_ones_are_said(
    table: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = replace(record, beliefs_from="other rows", rows_fitted=1_000)
    assert quick_stress(half, to_read(table)) == "only one half of the table was released"
    other = table.with_name("other.csv")
    other.write_text("x\n1\n")
    missed = quick_stress(record, to_read(other))
    assert isinstance(missed, str)
    assert "Not tested: " in stress_in_words(missed).paragraphs[0]
    table.unlink()
    assert isinstance(quick_stress(record, to_read(table)), str)
    seams.put(monkeypatch, seams.ROWS_OF_STRESS, 1_999)
    assert quick_stress(record, to_read(table)) == "the table has more than 1,999 rows"


def stress_of(sizes: dict[str, float], *more: Case) -> Stress:
    cases = [
        Case(kind="columns", knows=f"also knows '{name}'", epsilon=size, holds=size <= 1.0)
        for name, size in sizes.items()
    ]
    return Stress(
        goal=pf.Guarantee(1.0),
        subject="",
        rows=10,
        rmse=1.0,
        constant_rmse=None,
        cases=(*cases, *more),
        min_rows=20,
        seconds=10.0,
    )


SMALL = Case(
    kind="columns",
    knows="also knows 'e'",
    small=4,
    small_share=1.0,
    note="not judged, because of x",
)


def test_nobody_to_whom_the_promise_is_kept_is_among_the_worst() -> None:
    late = Case(kind="columns", knows="also knows 'f'", late=True)
    step = stress_in_words(stress_of({"a": 0.9, "b": 2.0}, SMALL, late))
    assert [each.text for each in step.entries] == ["somebody who also knows 'b': ε = 2"]
    # Those who were not judged are named, and why.
    assert step.paragraphs[1:] == (
        "The time limit of about 10 seconds ended the search before 1 of them: somebody who also "
        "knows 'f'.",
        "Somebody who also knows 'e' was not judged, because of x.",
    )


def test_that_the_promise_is_kept_for_all_is_said_so() -> None:
    step = stress_in_words(stress_of({"a": 0.9, "b": 0.5}))
    assert (
        "2 such cases were judged: the promise is kept for all 2 that were tried. "
        in (step.paragraphs[0])
    )
    assert not step.entries
    some = stress_in_words(stress_of({"a": 0.9, "b": 0.5}, SMALL))
    assert "kept for 2 that were tried, and for 1 it cannot be told. " in some.paragraphs[0]


def test_numbers_in_bands_and_dates_by_year_are_called_so(table: Path, record: Record) -> None:
    found = quick_stress(record, to_read(table))
    assert isinstance(found, Stress)
    assert found.knowing("age").knows == "also knows 'age' in bands"
    assert found.knowing("day").knows == "also knows 'day' by year"
    assert found.knowing("colour").knows == "also knows 'colour'"


def test_the_worst_three_are_told() -> None:
    found = stress_of({"a": 0.9, "b": 2.0, "c": 40.0, "d": 18.4}, SMALL)
    told = [each.text for each in stress_in_words(found).entries]
    assert told == [
        "somebody who also knows 'c': ε = ∞",
        "somebody who also knows 'd': ε above 10",
        "somebody who also knows 'b': ε = 2",
    ]
    said = stress_in_words(found).paragraphs[0]
    assert (
        "5 such cases were judged: the promise is not kept for 3, and for 1 it cannot be told"
        in said
    )
