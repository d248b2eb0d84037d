"""The exception tree."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.core import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_a_pufferfish_error_and_public(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, UserWarning if name == "CoverageWarning" else pf.PufferfishError)
    assert getattr(pf, name) is error


def test_the_tree() -> None:
    assert issubclass(pf.PufferfishError, Exception)
    assert issubclass(pf.InvalidInputError, ValueError)
    leaves = [
        pf.InvalidInputError,
        pf.UnsupportedError,
        pf.UnreachableGoalError,
        pf.CertificationError,
    ]
    for leaf in leaves:
        others = tuple(other for other in leaves if other is not leaf)
        assert not issubclass(leaf, others)
    for leaf in leaves[1:]:
        assert not issubclass(leaf, ValueError)


def test_one_except_clause_catches_every_refusal() -> None:
    with pytest.raises(pf.PufferfishError):
        pf.Gaussian(0.0, -1.0)
    with pytest.raises(ValueError, match="std"):
        pf.Gaussian(0.0, -1.0)
    with pytest.raises(pf.PufferfishError):
        pf.output_law(pf.Discrete([0.0], [1.0]), pf.NoNoise()).log_density(0.0)


def test_messages_survive() -> None:
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.Guarantee(-1.0)
    assert str(caught.value).startswith("epsilon must be greater than 0")
