"""The words of the three laws that add noise, or none."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.mechanisms import words_of

LAPLACE, GAUSSIAN, NONE = pf.LaplaceNoise(2.0, 0.25), pf.GaussianNoise(20000.0), pf.NoNoise()


@pytest.mark.parametrize(
    ("form", "laplace", "gaussian", "none"),
    [
        ("short", "Laplace, scale 2", "Gaussian, std 20000", "none"),
        ("in_full", "Laplace, scale 2, std 2.828", "Gaussian, std 20000", "none"),
        ("figures", "Laplace, scale 2, std 2.828", "Gaussian, std 20,000", "no noise"),
        ("name_tried", "Laplace scale 2", "Gaussian std 20000", "no noise"),
        (
            "done",
            "Laplace noise of scale 2 (std 2.828) was added.",
            "Gaussian noise of std 20,000 was added.",
            "No noise was added.",
        ),
        ("error", "std 2.828", "std 20,000", "none"),
        (
            "grid",
            ", in multiples of 2^-2 so that it can be drawn exactly",
            ", not on a grid",
            "",
        ),
    ],
)
def test_forms(form: str, laplace: str, gaussian: str, none: str) -> None:
    found = [getattr(words_of(law), form)(law) for law in (LAPLACE, GAUSSIAN, NONE)]
    assert found == [laplace, gaussian, none]


def test_what_the_error_is_compared_with_stands_after_it() -> None:
    half = ", half of the sum's own"
    words = words_of(LAPLACE).propose(LAPLACE, "{:.1f}".format, half)
    assert words == "Laplace with scale 2.0 (std 2.828, half of the sum's own)"
    words = words_of(GAUSSIAN).propose(GAUSSIAN, "{:.1f}".format, half)
    assert words == "Gaussian with std 20000.0, half of the sum's own"


def test_proofs() -> None:
    pages = [[page for page, _ in words_of(law).proofs(law)] for law in (LAPLACE, GAUSSIAN, NONE)]
    assert pages == [["sampling"], ["gaussian-noise", "sampling"], []]
