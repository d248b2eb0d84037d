"""A made-up mechanism moves in: a swap over five categories, with no scale and no std."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import pufferfish as pf
from pufferfish import mechanisms
from pufferfish.core.errors import InvalidInputError
from pufferfish.mechanisms import Drawing, LawWords, drawing_of, words_of
from pufferfish.noise import Law, law_from_dict, law_to_dict
from pufferfish.sampling import Entropy
from tests import seams

FIVE = ("a", "b", "c", "d", "e")
SCENARIO = pf.Scenario([pf.Belief({"x": pf.Gaussian(0.0, 1.0), "y": pf.Gaussian(1.0, 1.0)})])


@dataclass(frozen=True, slots=True)
class Swap(Law):
    """Each category becomes the next one with probability `share`/256."""

    values: tuple[str, ...]
    share: int

    @property
    def domain(self) -> tuple[str, ...]:
        return self.values

    def output(self, prior: Mapping[str, float]) -> dict[str, float]:
        moved = self.share / 256.0
        following = dict(zip(self.values, self.values[1:] + self.values[:1], strict=True))
        law = {value: (1.0 - moved) * mass for value, mass in prior.items()}
        for value, mass in prior.items():
            law[following[value]] += moved * mass
        return law

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        return self.share / 256.0


class Swapping(Drawing):
    """One byte for each value."""

    def check(self, law: Swap) -> None:
        if not 0 <= law.share <= 256:
            raise pf.UnsupportedError("a share is one of 256.")

    def draw(self, law: Swap, values: npt.NDArray[Any], entropy: Entropy) -> npt.NDArray[Any]:
        places = [law.values.index(each) if each in law.values else -1 for each in values]
        if -1 in places:
            raise InvalidInputError(f"row {places.index(-1)} is not in the domain.")
        moved = np.frombuffer(entropy.read(values.size), dtype=np.uint8) < law.share
        return np.array(law.values)[(np.array(places) + moved) % len(law.values)]

    def explain_exactness(self, law: Swap) -> str:
        return f"from a table of {len(law.values)} values"


class SwapWords(LawWords):
    """Only what must be said."""

    def noun(self, law: Swap, number: Any = str, error: Any = str) -> str:
        return f"a swap of {len(law.values)} categories"


@pytest.fixture(autouse=True)
def moved_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """For this file only."""
    for registry in (seams.LAWS_BY_TAG, seams.DRAWING_BY_LAW, seams.WORDS_BY_LAW):
        seams.put_copy(monkeypatch, registry)
    mechanisms.register(
        Swap,
        tag="swap",
        drawing=Swapping(),
        words=SwapWords(),
    )


def test_the_law_is_data() -> None:
    law = Swap(FIVE, 64)
    assert not law.additive
    assert not law.identity
    assert law.drawable
    assert law.error() == 0.25
    assert law.output(dict.fromkeys(FIVE, 0.2)) == pytest.approx(dict.fromkeys(FIVE, 0.2))


def test_its_document() -> None:
    document = law_to_dict(Swap(FIVE, 64))
    assert document == {"kind": "swap", "values": list(FIVE), "share": 64}
    assert law_from_dict(document) == Swap(FIVE, 64)
    with pytest.raises(InvalidInputError, match="has an entry 'shares', which is not known"):
        law_from_dict(document | {"shares": 2})
    with pytest.raises(InvalidInputError, match="share must be a whole number, got a text"):
        law_from_dict(document | {"share": "most"})


def test_its_words() -> None:
    law = Swap(FIVE, 64)
    words = words_of(law)
    assert words.short(law) == words.name_tried(law) == "a swap of 5 categories"
    assert words.done(law) == "The mechanism is a swap of 5 categories."
    assert words.error(law) == "error 0.25"
    assert words.in_full(law) == "a swap of 5 categories, error 0.25"
    assert words.proofs(law) == ()
    assert words.grid(law) == ""


def certificate(law: Law) -> pf.Certificate:
    """One that holds; this file is about who applies the law, not about who certifies it."""
    found = pf.verify(SCENARIO, pf.LaplaceNoise(4.0, 2.0**-20), pf.Guarantee(1.0))
    # A certificate is typed for noise until the oracle takes other laws.
    return replace(found, noise=law)  # type: ignore[arg-type]


def test_a_mechanism_applies_it() -> None:
    law = Swap(FIVE, 64)
    mechanism = pf.Mechanism(
        noise=law, certificate=certificate(law), entropy=pf.NotPrivateEntropy(1)
    )
    given = np.array(FIVE * 400)
    published = mechanism.apply(given)
    # 2,000 draws of probability 1/4: 8 standard errors.
    assert abs(np.mean(published != given) - 0.25) <= 8.0 * np.sqrt(0.25 * 0.75 / 2000)
    with pytest.raises(InvalidInputError, match="row 1 is not in the domain"):
        mechanism.apply(["a", "z"])


def test_what_cannot_be_drawn_is_refused() -> None:
    law = Swap(FIVE, 300)
    with pytest.raises(pf.UnsupportedError, match="one of 256"):
        pf.Mechanism(noise=law, certificate=certificate(law))
    kept = Swap(FIVE, 3)
    with pytest.raises(InvalidInputError, match="leave out postprocess"):
        pf.Mechanism(noise=kept, certificate=certificate(kept), postprocess=(pf.RoundTo(1.0),))


def test_a_calibration_has_a_mechanism_and_no_noise() -> None:
    law = Swap(FIVE, 64)
    found = pf.Calibration(
        scenario=SCENARIO,
        goal=pf.Guarantee(1.0),
        method="given",
        mechanism=law,
        certificate=certificate(law),
    )
    assert found.mechanism == law
    with pytest.raises(pf.UnsupportedError, match=r"Swap adds no noise to a value.*`mechanism`"):
        _ = found.noise
    applied = pf.Mechanism.from_calibration(found, entropy=pf.NotPrivateEntropy(1))
    assert set(applied.apply(["a"] * 50)) == {"a", "b"}


def test_who_has_not_registered_is_refused() -> None:
    class Stranger(Swap):
        pass

    law = Stranger(FIVE, 1)
    with pytest.raises(pf.UnsupportedError, match="no sampler"):
        drawing_of(law)
    with pytest.raises(pf.UnsupportedError, match="no words"):
        words_of(law)
    with pytest.raises(pf.UnsupportedError, match="has no imitation"):
        drawing_of(Swap(FIVE, 1)).imitate(Swap(FIVE, 1), 1, np.random.default_rng(1))


def test_a_calibration_of_noise_has_both() -> None:
    found = pf.calibrate(SCENARIO, pf.Guarantee(1.0))
    assert found.mechanism == found.noise == found.certificate.noise
    assert replace(found, method="given").mechanism == found.mechanism
    assert replace(found, noise=pf.NoNoise()).mechanism == pf.NoNoise()
    with pytest.raises(InvalidInputError, match="needs the law"):
        pf.Calibration(
            scenario=SCENARIO,
            goal=found.goal,
            method="exact",
            certificate=found.certificate,
        )
