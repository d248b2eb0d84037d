"""How each law is drawn: exactly, from the one source of randomness, or not at all.

Noise is drawn on its grid γ: a value is rounded to the grid, γ·G is added in integers, and the sum
is converted once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.mechanisms.registry import Registry
from pufferfish.noise import GaussianNoise, LaplaceNoise, NoNoise
from pufferfish.sampling import FINEST_RATE, Entropy, discrete_gaussian, discrete_laplace

__all__ = ["DRAWINGS", "Drawing", "Imitation", "drawing_of"]

# Values this many grid steps from zero leave room for any noise in 64 bits. A double has fewer
# digits, but rounding the sum to one is a function of the sum, and costs no privacy.
_MOST_STEPS = 2**60
# The probability beyond 700 stds is negligible.
_FARTHEST = 700.0


class Imitation(Protocol):
    """A generator of floating-point numbers, which protects nobody."""

    def laplace(self, loc: float, scale: float, size: int) -> FloatArray:
        """Laplace numbers."""

    def normal(self, loc: float, scale: float, size: int) -> FloatArray:
        """Gaussian numbers."""


class Drawing(ABC):
    """How a type of laws is applied to values. Each method takes the law."""

    @abstractmethod
    def check(self, law: Any) -> None:
        """Refuse a law that cannot be drawn exactly."""

    @abstractmethod
    def draw(self, law: Any, values: npt.NDArray[Any], entropy: Entropy) -> npt.NDArray[Any]:
        """One published value for each value; values outside a domain are refused."""

    @abstractmethod
    def explain_exactness(self, law: Any) -> str:
        """What makes it exact, in a few words."""

    @property
    def claim(self) -> str:
        """What `check` makes sure of, as a claim of a record."""
        return "what is applied can be drawn exactly"

    @property
    def told(self) -> bool:
        """Whether the law itself shows that."""
        return True

    def tells(self, law: Any) -> bool:
        """Whether the law shows that, where it may be made of others."""
        return self.told

    def imitate(self, law: Any, count: int, source: Imitation) -> FloatArray:
        """Noise for `count` values, in floating point: for pictures, never to publish."""
        raise UnsupportedError(f"{type(law).__name__} has no imitation in floating point.")

    def limit(self, law: Any) -> float:
        """The largest |value| that it can be applied to, where values are any real numbers."""
        return math.inf

    def reach(self, law: Any) -> float:
        """How far a published value may be from the true one, up to negligible probability."""
        return 0.0


# Given a law on its grid and a count, returns that many whole numbers G.
Sampler = Callable[[Any, int, Entropy], npt.NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class _Added(Drawing):
    """Noise on a grid."""

    sampler: Sampler
    imitation: Callable[[Any, int, Imitation], FloatArray]

    @property
    def claim(self) -> str:
        return "the noise can be drawn exactly, on its grid"

    def imitate(
        self, law: LaplaceNoise | GaussianNoise, count: int, source: Imitation
    ) -> FloatArray:
        return self.imitation(law, count, source)

    def check(self, law: LaplaceNoise | GaussianNoise) -> None:
        if law.grid is None:
            raise UnsupportedError(
                "the noise has no grid, so drawing it would leak through the last digits. "
                "calibrate chooses a grid wherever one is proven; with pf.verify, give the noise "
                "law a grid: a power of two of about 2^-24 of its size."
            )
        if law.grid <= law.size * float(FINEST_RATE):
            raise UnsupportedError(
                "the grid is too fine to draw this noise exactly: it must be more than 2^-45 of "
                f"the noise's size, {law.size:g}. If calibrate chose the grid, ε is too small: "
                "choose one above about 1e-6."
            )

    def draw(
        self, law: LaplaceNoise | GaussianNoise, values: FloatArray, entropy: Entropy
    ) -> FloatArray:
        if law.grid is None:
            raise UnsupportedError(f"no sampler for {law!r}.")
        # Dividing by a power of two is exact; the sum is converted once, by the last product.
        steps = np.rint(values / law.grid).astype(np.int64)
        drawn = self.sampler(law, values.size, entropy)
        return np.asarray((steps + drawn) * law.grid, dtype=np.float64)

    def explain_exactness(self, law: LaplaceNoise | GaussianNoise) -> str:
        return f"in steps of {law.grid:.6g}"

    def limit(self, law: LaplaceNoise | GaussianNoise) -> float:
        return math.inf if law.grid is None else _MOST_STEPS * law.grid

    def reach(self, law: LaplaceNoise | GaussianNoise) -> float:
        return _FARTHEST * law.std


class _Unchanged(Drawing):
    """Values as they are."""

    @property
    def claim(self) -> str:
        return "no noise was added"

    def check(self, law: NoNoise) -> None:
        """Accept it: there is nothing to draw."""

    def draw(self, law: NoNoise, values: FloatArray, entropy: Entropy) -> FloatArray:
        return values

    def explain_exactness(self, law: NoNoise) -> str:
        return "as the record says"


def _laplace(law: Any, count: int, entropy: Entropy) -> npt.NDArray[np.int64]:
    return discrete_laplace(count, Fraction(law.grid) / Fraction(law.scale), entropy)


def _like_laplace(law: Any, count: int, source: Imitation) -> FloatArray:
    return source.laplace(0.0, law.scale, count)


def _gaussian(law: Any, count: int, entropy: Entropy) -> npt.NDArray[np.int64]:
    return discrete_gaussian(count, Fraction(law.std) / Fraction(law.grid), entropy)


def _like_gaussian(law: Any, count: int, source: Imitation) -> FloatArray:
    return source.normal(0.0, law.std, count)


DRAWINGS: Registry[Drawing] = Registry(
    "sampler",
    {
        LaplaceNoise: _Added(_laplace, _like_laplace),
        GaussianNoise: _Added(_gaussian, _like_gaussian),
        NoNoise: _Unchanged(),
    },
)
drawing_of = DRAWINGS.of
