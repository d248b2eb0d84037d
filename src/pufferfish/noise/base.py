"""What is applied to a value, as data: for every value, the law of the published one.

A `Law` says which values it takes, what comes out for a prior, and how large its error is. It does
not draw, describe itself in words or write documents: `documents` and `pufferfish.mechanisms` hold
how each law does that, registered once for each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from pufferfish.beliefs.priors import Components, Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.noise.kernels import Kernel
from pufferfish.noise.output import MixtureOutput, OutputLaw

if TYPE_CHECKING:
    from pufferfish.noise.laws import Noise

__all__ = ["AdditiveLaw", "Law", "Unit"]


class Law(ABC):
    """What is applied to each value, independently of all others."""

    __slots__ = ()

    @property
    def domain(self) -> tuple[Any, ...] | None:
        """The values that it takes, in their order; None: any real number."""
        return None

    @property
    def identity(self) -> bool:
        """Whether values are published as they are."""
        return False

    @property
    def additive(self) -> bool:
        """Whether a number is added to the value, which may be any real number."""
        return False

    @property
    def whole(self) -> bool:
        """Whether whole numbers come out for every input."""
        return False

    @property
    def takes_missing(self) -> bool:
        """Whether it takes a missing value, nan."""
        return False

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn exactly; False for an ideal law, which serves only to compute."""
        return True

    @property
    def ratio_scale(self) -> float:
        """b, if moving a value by d changes the log-density of Y by at most d/b; 0: no bound.

        With such a bound the costs of several releases add up, and beliefs may be a distance off.
        """
        return 0.0

    @property
    def at_floor(self) -> Noise | None:
        """Noise that protects no two values better than this law does, for any belief.

        Several releases are charged by it; None if nothing protects the values.
        """
        return None

    @property
    def floored(self) -> bool:
        """Whether every value is protected from everybody, whatever they believe."""
        return self.at_floor is not None

    @abstractmethod
    def output(self, prior: Any) -> Any:
        """The law of what is published, for a value that follows `prior`."""

    @abstractmethod
    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The root mean square error of a published value; for a category, how often it changes.

        Args:
            frequencies: How often each value occurs. Without them, the result is the largest error
                of any value. If a number is added, all errors are equal.
        """


class Unit(NamedTuple):
    """Numbers of a law of size 1: 1 over its largest density, E|N|, E N² and E N⁴."""

    peak_width: float
    mean_absolute: float
    moments: tuple[float, float]


class AdditiveLaw(Law):
    """Y = X + N, where N does not depend on X and its law is symmetric.

    All numbers are those of the continuous law, without its grid, unless they say so. The *size* of
    a law is Laplace's scale or a Gaussian's std; 0 for no noise.
    """

    __slots__ = ()

    unit: ClassVar[Unit]

    @property
    def additive(self) -> bool:
        """Always."""
        return True

    @property
    def at_floor(self) -> Noise:
        """Itself."""
        return cast("Noise", self)

    @property
    @abstractmethod
    def size(self) -> float:
        """Laplace's scale or a Gaussian's std; 0 for no noise."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """E N²."""

    @property
    def peak_width(self) -> float:
        """1 over the largest density of N: an interval of width w has at most w/peak_width of it.

        For the same reason, moving values by d on average changes the law of Y by at most
        d/peak_width in total variation. 0 for no noise, where nothing bounds that.
        """
        return self.unit.peak_width * self.size

    @property
    def mean_absolute(self) -> float:
        """E|N|."""
        return self.unit.mean_absolute * self.size

    @abstractmethod
    def half_width(self, confidence: float) -> float:
        """t with P(|N| ≤ t) = confidence."""

    @abstractmethod
    def cdf(self, points: FloatArray) -> FloatArray:
        """P(N ≤ t) for each point t."""

    @abstractmethod
    def modulus(self, frequency: float) -> float:
        """An upper bound of |E e^{itN}| at a frequency t, for the law on its grid."""

    @abstractmethod
    def resized(self, size: float) -> Noise:
        """The same law with another size and the same grid; no noise stays no noise."""

    @abstractmethod
    def ideal(self, part: float = 1.0) -> Noise:
        """The continuous law, without a grid, with a part of the size."""

    @abstractmethod
    def kernel(self, components: Components) -> Kernel:
        """The law of X + N for each Gaussian component of X."""

    def output(self, prior: Prior) -> OutputLaw:
        """The law of X + N in closed form, without the grid."""
        if isinstance(prior, Gaussian | GaussianMixture):
            return MixtureOutput(prior.components(), self)
        if isinstance(prior, Discrete):
            return self.output_of_table(prior)
        raise UnsupportedError(
            f"no closed form for a prior of type {type(prior).__name__}; "
            "covered are Gaussian, GaussianMixture and Discrete."
        )

    def output_of_table(self, table: Discrete) -> OutputLaw:
        """The law of X + N for a table."""
        return MixtureOutput(table.components(), self)
