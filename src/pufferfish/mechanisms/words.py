"""Each law in words: its name and figures, for a table, a sentence or an error."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pufferfish.mechanisms.registry import Registry
from pufferfish.noise import GaussianNoise, LaplaceNoise, NoNoise
from pufferfish.words.numbers import readable

__all__ = ["WORDS", "LawWords", "Number", "words_of"]

# A number as text.
Number = Callable[[float], str]


def _size(number: float) -> str:
    return readable(number, 6)


class LawWords(ABC):
    """Words for a type of laws. Each method takes the law."""

    def called(self, law: Any) -> str:
        """What such a law is called in a sentence about any law."""
        return "noise"

    @abstractmethod
    def noun(self, law: Any, number: Number = _size, error: Number = readable) -> str:
        """What is applied: "Laplace noise of scale 2 (std 2.828)".

        Args:
            law: The law.
            number: How its own figures are written.
            error: How its error is written.
        """

    def short(self, law: Any) -> str:
        """The short form, for a cell of a table."""
        return self.noun(law)

    def figures(self, law: Any) -> str:
        """Name and figures, one after the other."""
        return self.noun(law)

    def propose(self, law: Any, number: Number, beside: str = "") -> str:
        """What is going to be applied.

        Args:
            law: The law.
            number: How its own figures are written.
            beside: What the error is compared with; it is written after the error.
        """
        return f"{self.noun(law, number)}{beside}"

    def grid(self, law: Any) -> str:
        """The grid, to be written after `propose`; empty where there is none to name."""
        return ""

    def in_full(self, law: Any, number: Number = readable) -> str:
        """The short form, followed by the error where that is another figure."""
        return f"{self.short(law)}, {self.error(law, number)}"

    def name_tried(self, law: Any) -> str:
        """A law that did not suffice, with enough digits to tell it from one that does."""
        return self.noun(law)

    def done(self, law: Any) -> str:
        """A sentence on what was applied."""
        return f"The mechanism is {self.noun(law)}."

    def error(self, law: Any, number: Number = readable) -> str:
        """The error of a published value."""
        return f"error {number(law.error())}"

    def proofs(self, law: Any) -> tuple[tuple[str, str], ...]:
        """Pages of docs/theory that prove the statements about it, and what each shows."""
        return ()


_SAMPLING = ("sampling", "the noise is drawn exactly, on its grid, whose cost is certified")
_GAUSSIAN = ("gaussian-noise", "the law of what is published under Gaussian noise")


@dataclass(frozen=True, slots=True)
class _NoiseWords(LawWords):
    """Words for noise that is named by its size; where that is not the std, the std follows."""

    name: str
    size: str
    pages: tuple[tuple[str, str], ...]

    def _std(self, law: LaplaceNoise | GaussianNoise, number: Number, beside: str = "") -> str:
        return beside if self.size == "std" else f" (std {number(law.std)}{beside})"

    def noun(
        self,
        law: LaplaceNoise | GaussianNoise,
        number: Number = _size,
        error: Number = readable,
    ) -> str:
        size = number(law.size)
        return f"{self.name} noise of {self.size} {size}{self._std(law, error)}"

    def short(self, law: LaplaceNoise | GaussianNoise) -> str:
        return f"{self.name}, {self.size} {law.size:.5g}"

    def figures(self, law: LaplaceNoise | GaussianNoise) -> str:
        size = "" if self.size == "std" else f", {self.size} {_size(law.size)}"
        return f"{self.name}{size}, {self.error(law)}"

    def propose(self, law: LaplaceNoise | GaussianNoise, number: Number, beside: str = "") -> str:
        std = self._std(law, "{:.4g}".format, beside)
        return f"{self.name} with {self.size} {number(law.size)}{std}"

    def grid(self, law: LaplaceNoise | GaussianNoise) -> str:
        if law.grid is None:
            return ", not on a grid"
        power = math.frexp(law.grid)[1] - 1
        return f", in multiples of 2^{power} so that it can be drawn exactly"

    def in_full(self, law: LaplaceNoise | GaussianNoise, number: Number = readable) -> str:
        short = self.short(law)
        return short if self.size == "std" else f"{short}, {self.error(law, number)}"

    def name_tried(self, law: LaplaceNoise | GaussianNoise) -> str:
        return f"{self.name} {self.size} {law.size:.6g}"

    def done(self, law: LaplaceNoise | GaussianNoise) -> str:
        return f"{self.noun(law)} was added."

    def error(self, law: LaplaceNoise | GaussianNoise, number: Number = readable) -> str:
        return f"std {number(law.std)}"

    def proofs(self, law: LaplaceNoise | GaussianNoise) -> tuple[tuple[str, str], ...]:
        return self.pages


class _NoNoiseWords(LawWords):
    """Words for values that are published as they are."""

    def noun(self, law: NoNoise, number: Number = _size, error: Number = readable) -> str:
        return "no noise"

    def short(self, law: NoNoise) -> str:
        return "none"

    def in_full(self, law: NoNoise, number: Number = readable) -> str:
        return "none"

    def done(self, law: NoNoise) -> str:
        return "No noise was added."

    def error(self, law: NoNoise, number: Number = readable) -> str:
        return "none"


WORDS: Registry[LawWords] = Registry(
    "words",
    {
        LaplaceNoise: _NoiseWords("Laplace", "scale", (_SAMPLING,)),
        GaussianNoise: _NoiseWords("Gaussian", "std", (_GAUSSIAN, _SAMPLING)),
        NoNoise: _NoNoiseWords(),
    },
)
words_of = WORDS.of
