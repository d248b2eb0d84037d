"""Numbers for people."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish
from pufferfish.beliefs.guarantee import Guarantee, guess_at_most, guess_promised
from pufferfish.calibration.in_words import promise_of
from pufferfish.core.numerics import decimal_of
from pufferfish.options.quoting import read_share
from pufferfish.words.certificates import describe_loss
from pufferfish.words.numbers import (
    about,
    at_least,
    at_most,
    between,
    odds_factor,
    percent,
    percent_down,
    percent_of,
    percent_up,
    readable,
    times,
)
from pufferfish.words.phrases import (
    changed_odds,
    delta_rows_in_words,
    exposed_rows,
    guessed_right,
    meaning,
    wrong_laws,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.72, "1.72"),
        (2.43244, "2.432"),
        (14424.9, "14,420"),
        (-373300.0, "-373,300"),
        (9999.4, "9999"),
        (1e12, "1e+12"),
        (1.5e-7, "1.5e-07"),
    ],
)
def test_thousands_are_set_apart_instead_of_an_exponent(number: float, text: str) -> None:
    assert readable(number) == text


def test_few_digits_need_no_exponent_either() -> None:
    assert readable(843.0, 2) == "840"


@given(st.floats(1e-6, 1e6), st.integers(2, 9))
def test_what_bounds_is_rounded_to_its_side(value: float, digits: int) -> None:
    width = Decimal(10) ** (1 - digits) * decimal_of(value)
    assert decimal_of(value) <= Decimal(at_most(value, digits)) <= decimal_of(value) + width
    assert decimal_of(value) - width <= Decimal(at_least(value, digits)) <= decimal_of(value)


@given(st.floats(1e-6, 1e6), st.floats(1e-12, 0.5))
def test_neither_end_of_an_enclosure_moves_inwards(lower: float, wide: float) -> None:
    upper = lower * (1.0 + wide)
    low, high = map(float, between(lower, upper).removeprefix("between ").split(" and "))
    # What is known to ten digits is written with nine.
    assert low <= lower
    assert upper <= high


def test_what_has_no_bound_stays_without() -> None:
    assert at_most(float("inf"), 4) == "inf"


@given(st.floats(0.0, 1.0), st.integers(2, 10))
def test_shares_are_rounded_to_their_side(share: float, digits: int) -> None:
    typed = decimal_of(share).scaleb(2)
    tenth, relative = Decimal("0.1"), Decimal(10) ** (1 - digits) * typed
    for up, down, width in (
        (percent_up(share), percent_down(share), tenth),
        (percent_up(share, digits), percent_down(share, digits), relative),
    ):
        assert typed <= Decimal(up[:-1]) <= typed + width
        assert typed - width <= Decimal(down[:-1]) <= typed


@given(st.integers(0, 9_999))
def test_what_is_typed_stays_as_it_is_typed(hundredths: int) -> None:
    """Also where a share times 100, or a percentage over 100, is not what was typed."""
    text = f"{Decimal(hundredths) / 100}%"
    share = read_share("--wrong", text, "3%")
    shown = f"{(Decimal(hundredths) / 100).normalize():f}%"
    assert percent_up(share, 6) == percent_down(share, 6) == shown
    assert at_most(share) == at_least(share) == f"{share:g}"


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_in_whole_percent_is_never_less(part: int, whole: int) -> None:
    assert percent_of(part, whole) * whole >= 100 * part
    assert percent_of(part, 0) == 0


@pytest.mark.parametrize(
    ("epsilon", "text"), [(0.0, "1"), (1.0, "2.719"), (699.0, "3.732e+303"), (800.0, "e^800")]
)
def test_the_factor_of_the_odds_is_never_too_small(epsilon: float, text: str) -> None:
    assert odds_factor(epsilon) == text


def test_an_enclosure_is_rounded_outwards() -> None:
    assert between(0.5, 0.5) == "0.5"
    assert between(0.12341, 0.12349) == "between 0.1234 and 0.1235"


def test_percent_times_and_parts() -> None:
    assert percent(0.25) == "25%"
    assert percent(0.123456, 2) == "12%"
    assert times(12.34) == "12 times"
    assert [about(each) for each in (0.66, 0.5, 1 / 3, 0.05)] == [
        "about two thirds",
        "about half",
        "about a third",
        "about 1/20",
    ]


# -- the numbers of a promise -----------------------------------------------------------------

PAIR = "'a' and 'b'"
# What is printed of a number, the number in it, how it is parsed back, and the side on which the
# promise is weaker.
UP, DOWN = True, False
SIDES: dict[str, tuple[Callable[[float], str], str, float, bool]] = {
    "ε": (lambda x: str(Guarantee(x)), r"ε = (\S+)$", 1.0, UP),
    "ε with δ": (lambda x: str(Guarantee(x, 0.1)), r"ε = (\S+),", 1.0, UP),
    "ε at which δ is said": (lambda x: Guarantee(x, 0.1).epsilon_text, r"(.*)", 1.0, UP),
    "δ": (lambda x: str(Guarantee(1.0, x)), r"δ = (\S+)\)", 1.0, UP),
    "δ in a sentence": (lambda x: promise_of(Guarantee(1.0, x)), r"plus (\S+)\.$", 1.0, UP),
    "δ of a pair": (lambda x: meaning(Guarantee(1.0, x), PAIR), r"plus (\S+)$", 1.0, UP),
    "δ of rows": (lambda x: delta_rows_in_words(x, 9), r"δ = (\S+) ", 1.0, UP),
    "a guess that is allowed": (lambda x: guessed_right(PAIR, x), r"most (\S+)%", 100.0, UP),
    "what can be guessed": (percent_up, r"(.*)%", 100.0, UP),
    "confidence": (lambda x: wrong_laws(0.0, x), r"with (\S+)% confidence", 100.0, DOWN),
    "wrong": (wrong_laws, r"within (\S+)% of a described", 100.0, DOWN),
    "an event under wrong laws": (wrong_laws, r"more than (\S+) percentage", 100.0, DOWN),
}


@pytest.mark.parametrize("name", SIDES)
@given(st.floats(1e-9, 1.0, exclude_max=True))
def test_a_printed_number_is_never_on_the_stronger_side(name: str, number: float) -> None:
    """Parsed back it is the typed number, or on its weaker side by at most 1e-5 of it.

    Or by a tenth of a percent: guesses are printed with one decimal.
    """
    said, pattern, per, up = SIDES[name]
    found = re.search(pattern, said(number))
    assert found is not None
    printed, typed = Decimal(found[1]), decimal_of(number) * int(per)
    beyond = printed - typed if up else typed - printed
    assert beyond >= 0
    assert beyond <= max(typed * Decimal("1e-5"), Decimal("0.1") if said is percent_up else 0)


@given(st.floats(0.5001, 0.9999))
def test_a_promise_by_accuracy_names_no_smaller_share_than_it_allows(share: float) -> None:
    goal = guess_at_most(share)
    allowed = guess_promised(goal)
    assert allowed is not None
    assert Decimal(str(goal).removeprefix("guess ≤ ")[:-1]) >= decimal_of(allowed) * 100


@given(st.floats(1e-6, 300.0))
def test_the_factor_is_rounded_up_like_its_epsilon(epsilon: float) -> None:
    factor = changed_odds("it", PAIR, epsilon).split("at most ")[1].split(",")[0]
    assert math.exp(epsilon) <= float(factor) <= 1.001 * math.exp(epsilon)


@given(st.floats(1e-9, 1.0, exclude_max=True), st.integers(1, 10**6))
def test_rows_that_delta_exposes_are_counted_up(delta: float, rows: int) -> None:
    assert min(decimal_of(delta) * rows, rows) <= exposed_rows(delta, rows)
    assert exposed_rows(delta, rows) < decimal_of(delta) * rows + 1
    assert exposed_rows(0.1, 30) == 3


def test_the_numbers_of_the_issue() -> None:
    assert "with 99.96% confidence" in wrong_laws(0.0, 0.9996)
    assert "with 94.96% confidence" in wrong_laws(0.0, 0.9496)
    assert "with 99.9999% confidence" in wrong_laws(0.0, 0.99999999)
    assert "within 1.2355% of" in wrong_laws(0.012355)
    assert str(Guarantee(1.0000004)) == "ε = 1.00001"
    assert str(Guarantee(0.1 + 0.2)) == "ε = 0.300001"
    assert str(Guarantee(1.0)) == "ε = 1"
    assert str(Guarantee(0.7, 1e-5)) == "(ε = 0.7, δ = 1e-05)"
    assert str(guess_at_most(0.57)) == "guess ≤ 57%"
    assert "with 95% confidence" in wrong_laws(0.0, 0.95)


class Exact:
    """A certificate whose ends are equal."""

    goal, epsilon_lower, epsilon_upper = Guarantee(2.0), 1.0000004, 1.0000004
    delta_lower = delta_upper = 0.0


def test_a_bound_known_exactly_is_no_smaller_in_print() -> None:
    assert describe_loss(Exact()).endswith("is 1.0000004")
    assert between(1.00000000049, 1.00000000049) == "1.00000001"


# Names of the numbers of a promise.
_PROMISED = re.compile(
    r"(^|_)(epsilon|delta|wrong|confidence|guess|kappa|floor)(_upper|_lower|_text)?$"
)
# The formulas of the paper, printed next to its own figures.
_ELSEWHERE = "paper"


def _promised(node: ast.AST) -> bool:
    return any(
        _PROMISED.search(each.attr if isinstance(each, ast.Attribute) else each.id)
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute | ast.Name)
        and not (isinstance(each, ast.Attribute) and ast.unparse(each) == "math.floor")
    )


def _formatted(text: str) -> list[str]:
    """Numbers of a promise that are rounded to the nearest: by a format, or by another function."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            for before, each in zip([None, *node.values], node.values, strict=False):
                # What was typed is repeated in an error.
                quoted = isinstance(before, ast.Constant) and str(before.value).endswith("got ")
                spec = each.format_spec if isinstance(each, ast.FormattedValue) else None
                rounds = spec is not None and re.search(r"[gfe%]'$", ast.unparse(spec))
                sided = isinstance(each, ast.FormattedValue) and "decimal_up" in ast.unparse(each)
                if rounds and not quoted and not sided and _promised(each):
                    found.append(ast.unparse(each))
        elif isinstance(node, ast.Call) and _promised(node):
            said = ast.unparse(node)
            if said.startswith(("percent(", "readable(")) and "round_up" not in said:
                found.append(said)
    return found


def test_numbers_of_a_promise_are_rounded_nowhere_else() -> None:
    root = Path(str(pufferfish.__file__)).parent
    nearest = {
        str(path.relative_to(root)): found
        for path in sorted(root.rglob("*.py"))
        if _ELSEWHERE not in path.relative_to(root).parts
        and (found := _formatted(path.read_text(encoding="utf-8")))
    }
    assert nearest == {}


@pytest.mark.parametrize(
    "text",
    ['f"{goal.epsilon:g}"', 'f"δ {x.delta_upper:.3g}"', "percent(each.wrong, 3)", 'f"{wrong:.1%}"'],
)
def test_such_a_place_would_be_found(text: str) -> None:
    assert _formatted(text)
    assert not _formatted('f"at most {at_most(goal.epsilon)}, got {epsilon:g}"')
