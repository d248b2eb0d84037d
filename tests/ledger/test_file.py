"""A ledger in a file: releases add up across runs, and one too many is refused."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout

import pufferfish as pf
from pufferfish.calibration.least_noise import recertify
from pufferfish.ledger import file as ledger_file
from pufferfish.ledger.file import charge, read_ledger
from tests.support import PATIENCE


def scenario(mean: float = 1.0) -> pf.Scenario:
    """X and X' = X + mean: a coupling within `mean`, so that costs add up."""
    return pf.Scenario(pf.Belief({"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(mean, 2.0)}))


@cache
def calibration(scale: float = 2.25, epsilon: float = 1.0, mean: float = 1.0) -> pf.Calibration:
    """Each release of scale b costs mean/b: two of 2.25 fit into 1, three do not."""
    law = pf.LaplaceNoise(scale, 2.0**-24)
    return recertify(scenario(mean), pf.Guarantee(epsilon), law, method="given")


def plan(found: pf.Calibration | None = None, **fields: Any) -> pf.Plan:
    fields = {"rounding": "given", **fields}
    return pf.Plan(calibration=found or calibration(), column="x", secret="s", **fields)


TABLE = {"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"]}


def listing(folder: Path) -> list[str]:
    """What is in a folder, without the file of a lock, which may stay."""
    return sorted(each.name for each in folder.iterdir() if each.suffix != ".lock")


def test_two_releases_fit_and_a_third_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    for count in (1, 2):
        pf.release(TABLE, plan(), ledger=place)
        assert read_ledger(place).releases == (calibration().noise,) * count
        assert read_ledger(place).budget == pf.Guarantee(1.0)
        assert read_ledger(place).scenario == scenario()
    before = place.read_bytes()
    with pytest.raises(pf.BudgetExceededError):
        pf.release(TABLE, plan(), ledger=place)
    assert place.read_bytes() == before
    assert listing(tmp_path) == ["ledger.json"]


def test_a_ledger_from_before_there_were_counts_goes_on(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    laws = {"a": pf.Discrete.from_counts({1: 1, 3: 2}), "b": pf.Discrete.from_counts({2: 1, 3: 2})}
    whole = pf.Discrete.from_counts({1: 1, 2: 1, 3: 9})
    belief = pf.Belief(laws, frequencies=whole)
    law = pf.LaplaceNoise(2.25, 2.0**-24)
    found = recertify(pf.Scenario(belief), pf.Guarantee(1.0), law, method="given")
    pf.release(TABLE, plan(found), ledger=place)
    kept = read_ledger(place).scenario.beliefs[0]
    assert kept.frequencies == whole
    old = json.loads(place.read_text())
    del old["scenario"]["beliefs"][0]["frequencies"]
    for secret in old["scenario"]["beliefs"][0]["secrets"]:
        del secret["prior"]["counts"]
    place.write_text(json.dumps(old))
    pf.release(TABLE, plan(found), ledger=place)
    assert len(read_ledger(place).releases) == 2


def test_files_are_charged_too(tmp_path: Path) -> None:
    name = "ledger.json"
    (tmp_path / "in.csv").write_text("x,s\n1,a\n2,b\n")
    for count in (1, 2):
        pf.release(
            tmp_path / "in.csv", plan(), tmp_path / f"{count}.csv", ledger=str(tmp_path / name)
        )
        assert len(read_ledger(tmp_path / name).releases) == count
    with pytest.raises(pf.BudgetExceededError):
        pf.release(tmp_path / "in.csv", plan(), tmp_path / "3.csv", ledger=tmp_path / name)
    assert listing(tmp_path) == ["1.csv", "2.csv", "in.csv", name]


def test_a_refused_release_draws_no_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "ledger.json"
    for _ in range(2):
        pf.release(TABLE, plan(), ledger=place)

    def drawn(*_: object) -> None:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr(pf.Mechanism, "apply", drawn)
    with pytest.raises(pf.BudgetExceededError):
        pf.release(TABLE, plan(), ledger=place)


def test_only_to_look_writes_nothing(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    assert charge(place, calibration(), only_check=True).releases == (calibration().noise,)
    assert listing(tmp_path) == []
    charge(place, calibration())
    before = place.read_bytes()
    charge(place, calibration(), only_check=True)
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    "other",
    [calibration(mean=1.25, scale=3.0), calibration(epsilon=1.5)],
    ids=["beliefs", "promise"],
)
def test_another_scenario_or_promise_is_refused(tmp_path: Path, other: pf.Calibration) -> None:
    place = tmp_path / "ledger.json"
    pf.release(TABLE, plan(), ledger=place)
    before = place.read_bytes()
    with pytest.raises(pf.InvalidInputError, match="do not add up"):
        pf.release(TABLE, plan(other), ledger=place)
    assert place.read_bytes() == before


def test_another_size_of_noise_is_added_up(tmp_path: Path) -> None:
    """1/2.25 + 1/4 + 1/4 < 1, and no fourth."""
    place = tmp_path / "ledger.json"
    pf.release(TABLE, plan(), ledger=place)
    for _ in range(2):
        pf.release(TABLE, plan(calibration(4.0)), ledger=place)
    with pytest.raises(pf.BudgetExceededError):
        pf.release(TABLE, plan(calibration(4.0)), ledger=place)
    assert len(read_ledger(place).releases) == 3


def test_the_second_release_that_nothing_covers_is_refused(tmp_path: Path) -> None:
    gaussian = pf.calibrate(scenario(), pf.Guarantee(0.1, 0.01), mechanism="gaussian")
    place = tmp_path / "ledger.json"
    pf.release(TABLE, plan(gaussian, rounding="ladder"), ledger=place)
    with pytest.raises(pf.UnsupportedError):
        pf.release(TABLE, plan(gaussian, rounding="ladder"), ledger=place)


# Which values.


def public_plan(**fields: Any) -> pf.Plan:
    """Of beliefs that anyone may know, which describe whatever they describe."""
    laws = {"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(1.0, 2.0)}
    of = pf.Scenario(pf.Belief(laws, provenance="public"))
    law = pf.LaplaceNoise(2.25, 2.0**-24)
    fields = {"column": "x", "secret": "s", "unit": "person", "person": "p", **fields}
    return pf.Plan(calibration=recertify(of, pf.Guarantee(1.0), law), **fields)


PERSONS: dict[str, Any] = {
    "x": [1.0, 5.0, 3.0],
    "y": [1.0, 2.0, 3.0],
    "s": ["a", "a", "b"],
    "t": ["a", "a", "b"],
    "p": [1, 1, 2],
    "q": [1, 1, 2],
}


@pytest.mark.parametrize(
    "other", [{"one_row": "mean"}, {"column": "y"}, {"secret": "t"}, {"person": "q"}]
)
def test_other_values_do_not_add_up(tmp_path: Path, other: dict[str, Any]) -> None:
    place = tmp_path / "ledger.json"
    pf.release(PERSONS, public_plan(one_row="first"), ledger=place)
    before = place.read_bytes()
    with pytest.raises(pf.InvalidInputError, match="other values"):
        pf.release(PERSONS, public_plan(**{"one_row": "first", **other}), ledger=place)
    assert place.read_bytes() == before
    pf.release(PERSONS, public_plan(one_row="first"), ledger=place)
    assert len(read_ledger(place).releases) == 2


def test_a_ledger_that_does_not_say_which_values_is_read_and_says_from_then_on(
    tmp_path: Path,
) -> None:
    place = tmp_path / "ledger.json"
    pf.release(PERSONS, public_plan(one_row="first"), ledger=place)
    data = json.loads(place.read_text(encoding="utf-8"))
    of = data.pop("of")
    place.write_text(json.dumps(data), encoding="utf-8")
    pf.release(PERSONS, public_plan(one_row="first"), ledger=place)
    assert json.loads(place.read_text(encoding="utf-8"))["of"] == of


# Failures.


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        ({"x": [1.0, float("nan")], "s": ["a", "b"]}, {}),
        ({"x": [1.0, 2.0], "s": ["a", "z"]}, {}),
        ({"x": [1.0, 2.0], "s": ["a", "b"], "p": [1, 1]}, {"unit": "person", "person": "p"}),
    ],
)
def test_a_failed_release_is_not_charged(tmp_path: Path, table: Any, fields: Any) -> None:
    place = tmp_path / "ledger.json"
    with pytest.raises(pf.DataError):
        pf.release(table, plan(**fields), ledger=place)
    assert listing(tmp_path) == []
    pf.release({**TABLE, "p": [1, 2, 3]}, plan(**fields), ledger=place)
    before = place.read_bytes()
    with pytest.raises(pf.DataError):
        pf.release(table, plan(**fields), ledger=place)
    assert place.read_bytes() == before


def test_a_release_that_would_replace_a_file_is_not_charged(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,s\n1,a\n2,b\n")
    (tmp_path / "out.csv").write_text("precious")
    with pytest.raises(pf.OutputExistsError):
        pf.release(tmp_path / "in.csv", plan(), tmp_path / "out.csv", ledger=tmp_path / "l.json")
    assert listing(tmp_path) == ["in.csv", "out.csv"]


def test_nothing_is_published_that_is_not_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full just when the ledger is written."""

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    (tmp_path / "in.csv").write_text("x,s\n1,a\n2,b\n")
    monkeypatch.setattr(ledger_file, "write_text", full)
    for fields in ({}, {"keep_order": True}):
        with pytest.raises(OSError, match="No space"):
            pf.release(
                tmp_path / "in.csv", plan(**fields), tmp_path / "o.csv", ledger=tmp_path / "l.json"
            )
        assert listing(tmp_path) == ["in.csv"]


RELEASE = """
import sys
import pufferfish as pf
pf.release_file(sys.argv[1], pf.Plan.load(sys.argv[2]), "-", ledger=sys.argv[3])
"""


def test_what_somebody_has_read_from_standard_output_is_charged(tmp_path: Path) -> None:
    """As with `pufferfish release ... -o - | head`: what was seen cannot be called back."""
    rows = "".join(f"{row},a\n" for row in range(900_000))
    (tmp_path / "in.csv").write_text("x,s\n" + rows)
    plan(keep_order=True).save(tmp_path / "plan.json")
    given = [str(tmp_path / name) for name in ("in.csv", "plan.json", "ledger.json")]
    with subprocess.Popen(
        [sys.executable, "-c", RELEASE, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        seen = process.stdout.read(100_000)
        process.stdout.close()
        process.wait(PATIENCE)
    assert seen == b"" or len(read_ledger(tmp_path / "ledger.json").releases) == 1


def test_a_release_that_others_overtook_is_refused_in_the_end(tmp_path: Path) -> None:
    """There was room at the start; meanwhile somebody else took it."""
    place = tmp_path / "ledger.json"
    pf.release(TABLE, plan(), ledger=place)
    (tmp_path / "in.csv").write_text("x,s\n1,a\n2,b\n")

    def overtaken(_: float) -> None:
        charge(place, calibration())

    with pytest.raises(pf.BudgetExceededError):
        pf.release_file(
            str(tmp_path / "in.csv"),
            plan(),
            str(tmp_path / "out.csv"),
            ledger=place,
            progress=overtaken,
        )
    assert listing(tmp_path) == ["in.csv", "ledger.json"]
    assert len(read_ledger(place).releases) == 2


HOLD = """
import sys
from pathlib import Path
from pufferfish.ledger import file as ledger_file

with ledger_file.hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another program that holds the lock of a ledger until its input ends, or it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process


def test_a_lock_keeps_others_out(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    with held(place):
        with pytest.raises(pf.InvalidInputError, match="another release is using the ledger"):
            pf.release(TABLE, plan(), ledger=place)
        assert listing(tmp_path) == []
        # To look is allowed: what is there is whole.
        charge(place, calibration(), only_check=True)
    pf.release(TABLE, plan(), ledger=place)
    assert listing(tmp_path) == ["ledger.json"]


def test_a_program_that_was_killed_holds_no_lock(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    with held(place) as process:
        process.kill()
    pf.release(TABLE, plan(), ledger=place)
    assert len(read_ledger(place).releases) == 1


def test_of_many_at_once_as_many_fit_as_one_after_the_other(tmp_path: Path) -> None:
    """Each is charged or refused; nobody's charge is lost, and there is room for two."""
    place = tmp_path / "ledger.json"
    start = threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(pf.InvalidInputError):
                try:
                    charge(place, calibration())
                except pf.BudgetExceededError:
                    return False
                return True
            time.sleep(0.01)
        raise AssertionError("the lock was never free")

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == [False] * 6 + [True] * 2
    assert len(read_ledger(place).releases) == 2


def test_the_ledger_is_read_and_written_under_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, lock = tmp_path / "ledger.json", tmp_path / "ledger.json.lock"
    charge(place, calibration())
    seen = []
    for name in ("read_document", "write_text"):
        true = getattr(ledger_file, name)

        def watched(*given: Any, name: str = name, true: Any = true, **options: Any) -> Any:
            with pytest.raises(Timeout), FileLock(lock, timeout=0):
                pass
            seen.append((name, stat.S_IMODE(lock.stat().st_mode)))
            return true(*given, **options)

        monkeypatch.setattr(ledger_file, name, watched)
    charge(place, calibration())
    assert seen == [("read_document", 0o600), ("write_text", 0o600)]
    with FileLock(lock, timeout=0):
        pass


@pytest.mark.parametrize("provenance", ["private", "public"])
def test_a_ledger_is_for_its_owner_alone(tmp_path: Path, provenance: str) -> None:
    place = tmp_path / "ledger.json"
    laws = {"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(1.0, 2.0)}
    known = pf.Scenario(pf.Belief(laws, provenance=provenance))
    found = recertify(known, pf.Guarantee(1.0), pf.LaplaceNoise(2.25, 2.0**-24))
    before = os.umask(0)
    try:
        for _ in range(2):
            charge(place, found)
            assert stat.S_IMODE(place.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_ledger_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    charge(place, calibration())
    good = json.loads(place.read_text())
    for change, error in (
        ({"releases": good["releases"] * 3}, pf.BudgetExceededError),
        ({"version": 9}, pf.InvalidInputError),
        ({"pufferfish": "plan"}, pf.InvalidInputError),
        ({"releases": 5}, pf.InvalidInputError),
    ):
        place.write_text(json.dumps(good | change))
        with pytest.raises(error):
            charge(place, calibration())
    del good["budget"]
    place.write_text(json.dumps(good))
    with pytest.raises(pf.InvalidInputError, match="budget"):
        charge(place, calibration())
    assert listing(tmp_path) == ["ledger.json"]
