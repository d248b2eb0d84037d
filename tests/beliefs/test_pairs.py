"""Secrets and their pairs."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.beliefs.pairs import AllPairs, check_secret, some_secrets


def test_secrets_are_plain() -> None:
    assert check_secret(np.str_("a")) == "a"
    assert check_secret(np.int8(3)) == 3
    assert check_secret(np.bool_(True)) is True
    for wrong in (0.5, None, ("a",), [1]):
        with pytest.raises(pf.InvalidInputError, match="a secret must be"):
            check_secret(wrong)


def test_a_few_secrets_are_named() -> None:
    assert some_secrets(["a", 1]) == "'a', 1"
    assert some_secrets(range(22)).endswith("19 and 2 more")


def test_all_pairs_of_no_or_one_secret() -> None:
    assert len(AllPairs(())) == 0
    assert tuple(AllPairs(("a",))) == ()
    assert AllPairs(("a", "b")) == (("a", "b"),)
    with pytest.raises(IndexError):
        AllPairs(("a", "b"))[1]
