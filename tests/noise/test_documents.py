"""Laws write and read themselves, each under a tag of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.noise import (
    Law,
    as_noise,
    law_from_dict,
    law_to_dict,
    register_document,
)
from tests import seams


@dataclass(frozen=True, slots=True)
class Coin(Law):
    """Publishes nothing of the value."""

    sides: int

    def output(self, prior: Any) -> Any:
        return None

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        return 0.5


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is its own."""
    seams.put_copy(monkeypatch, seams.LAWS_BY_TAG)


@pytest.mark.parametrize(
    ("law", "document"),
    [
        (pf.LaplaceNoise(2.0, 0.5), {"kind": "laplace", "scale": 2.0, "grid": 0.5}),
        (pf.GaussianNoise(3.0), {"kind": "gaussian", "std": 3.0, "grid": None}),
        (pf.NoNoise(), {"kind": "none"}),
    ],
)
def test_round_trip(law: pf.Noise, document: dict[str, Any]) -> None:
    assert law_to_dict(law) == document
    assert list(law_to_dict(law)) == list(document)
    assert law_from_dict(document) == law


@pytest.mark.parametrize("kind", ["unheard-of", "Laplace", "", None, 3])
def test_unknown_tags_are_refused(kind: object) -> None:
    known = "must be one of 'laplace', 'gaussian', 'none'"
    with pytest.raises(
        pf.InvalidInputError, match=known if isinstance(kind, str) else "kind must be a text"
    ):
        law_from_dict({"kind": kind})


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="must be an object"):
        law_from_dict([])  # type: ignore[arg-type]


def test_another_law_registers_itself() -> None:
    with pytest.raises(pf.UnsupportedError, match="Coin cannot be written"):
        law_to_dict(Coin(2))
    register_document("coin", Coin)
    assert law_to_dict(Coin(2)) == {"kind": "coin", "sides": 2}
    assert law_from_dict({"kind": "coin", "sides": 2}) == Coin(2)
    with pytest.raises(pf.UnsupportedError, match=r"Coin adds no noise.*neither scale nor std"):
        as_noise(Coin(2))


def test_a_tag_belongs_to_one_law() -> None:
    with pytest.raises(pf.InvalidInputError, match="another law already has the tag 'laplace'"):
        register_document("laplace", Coin)
    register_document("coin", Coin)
    register_document("coin", Coin)
