"""Numbers for people."""

from __future__ import annotations

import pytest

from pufferfish.numerics import readable


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
