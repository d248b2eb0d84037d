"""What can be audited: mechanisms, callables, programs; and what they may do wrong."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits import Command
from pufferfish.audits.subject import as_subject
from pufferfish.core.errors import DataError, InvalidInputError
from tests.audits.subjects import ADULT, PURE
from tests.door.swapped import plan

VALUES = np.array([1.0, -2.5, 1e-300, 1e300, 0.1])


def program(source: str) -> Command:
    return Command([sys.executable, "-c", source])


def _calibrated(*steps: pf.Postprocess) -> pf.Mechanism:
    return pf.Mechanism.from_calibration(pf.calibrate(ADULT, PURE), steps)


# --- programs -----------------------------------------------------------------------------------


def test_a_program_gets_every_digit_and_gives_every_digit() -> None:
    echo = program("import sys; sys.stdout.write(sys.stdin.read())")
    assert np.array_equal(echo(VALUES), VALUES)


def test_a_program_may_write_holes() -> None:
    hole = program("import sys; [print('nan') for line in sys.stdin]")
    assert np.isnan(hole(VALUES)).all()


def test_no_shell_is_involved() -> None:
    source = "import sys; print(len(sys.argv)); [print(0) for _ in list(sys.stdin)[1:]]"
    command = Command([sys.executable, "-c", source, "a; b", "$HOME"])
    assert command(VALUES)[0] == 3.0


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(InvalidInputError, match=r"no-such-program cannot be run: No such file"):
        Command(["no-such-program"])(VALUES)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys; sys.stdin.read(); sys.exit(3)", "ended with code 3: it wrote no message"),
        ("import sys; sys.stdin.read(); sys.exit('out of luck')", "code 1: out of luck"),
        ("import sys; sys.stdin.read(); print('four')", "wrote something that is not a number"),
        (
            "import sys; print('noised: ' + sys.stdin.read())",
            "wrote something that is not a number",
        ),
    ],
)
def test_a_program_that_fails(source: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as raised:
        program(source)(VALUES)
    assert "1e+300" not in str(raised.value)


def test_a_program_that_takes_too_long() -> None:
    slow = Command([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)
    with pytest.raises(DataError, match=r"took more than 0.2 s for 5 values"):
        slow(VALUES)


@pytest.mark.parametrize("source", ["print(1.0)", "[print(1.0) for _ in range(6)]", "pass"])
def test_a_program_that_writes_too_few_or_too_many(source: str) -> None:
    publish = as_subject(program(f"import sys; sys.stdin.read(); {source}")).publish
    with pytest.raises(DataError, match="5 values were given"):
        publish(VALUES)


@pytest.mark.parametrize("arguments", ["cat", [], ()])
def test_a_command_is_a_list(arguments: Any) -> None:
    with pytest.raises(InvalidInputError, match="a command must be a list"):
        Command(arguments)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan")])
def test_a_timeout_is_positive(timeout: float) -> None:
    with pytest.raises(InvalidInputError, match="timeout"):
        Command(["cat"], timeout)


# --- callables and mechanisms -------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        lambda values: values[:-1],
        lambda values: values[:, None],
        lambda values: float(values.sum()),
        lambda values: np.append(values, 0.0),
    ],
)
def test_one_result_for_each_value(wrong: Any) -> None:
    with pytest.raises(DataError, match="one published value for each value"):
        as_subject(wrong).publish(VALUES)


@pytest.mark.parametrize("kind", [list, tuple, lambda values: values.astype(np.float32)])
def test_anything_like_an_array_will_do(kind: Any) -> None:
    found = as_subject(lambda values: kind(values + 1.0)).publish(VALUES[:2])
    assert found.dtype == np.float64
    assert found.tolist() == [2.0, -1.5]


def test_writing_into_the_given_array_changes_nothing() -> None:
    def in_place(values: Any) -> Any:
        values += 1.0
        return values

    given = np.zeros(3)
    assert as_subject(in_place).publish(given).tolist() == [1.0, 1.0, 1.0]
    assert given.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("wrong", [None, 3.0, "cat", pf.LaplaceNoise(1.0)])
def test_what_cannot_be_audited(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="an audit needs a Mechanism, or a callable"):
        as_subject(wrong)


def test_only_noise_that_is_added_is_audited() -> None:
    with pytest.raises(pf.UnsupportedError, match="an audit attacks noise that is added to values"):
        as_subject(plan().mechanism)


def test_of_a_mechanism_both_stages_are_seen() -> None:
    subject = as_subject(_calibrated(pf.RoundTo(1.0), pf.Clip(1.0, 16.0)))
    column = np.full(1000, 9.0)
    published, noised = subject.publish(column), subject.noised(column)
    assert set(published) <= set(range(1, 17))
    assert np.unique(noised).size > 990
    assert noised.min() < 1.0
    assert subject.noise == _calibrated().noise


def test_of_a_black_box_the_law_is_not_known() -> None:
    subject = as_subject(_calibrated().apply)
    assert subject.noise is None
    assert subject.noised is subject.publish
