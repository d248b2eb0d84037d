"""What is applied to a value, as data: the law of what is published, for every value given.

A `Law` says which values it takes, what comes out for a prior, and how large its error is. It
neither draws nor speaks nor writes documents: `documents` and `pufferfish.mechanisms` hold how each
law does, registered once for each.
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
        """Whether whole numbers come out, whatever goes in."""
        return False

    @property
    def takes_missing(self) -> bool:
        """Whether a missing value, nan, is one of those that it takes."""
        return False

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn exactly; False for an ideal law, which is only computed with."""
        return True

    @property
    def ratio_scale(self) -> float:
        """b, where moving a value by d changes the log-density of Y by d/b at most; 0: no bound.

        By such a bound the costs of several releases add up, and beliefs may be off by a distance.
        """
        return 0.0

    @property
    def at_floor(self) -> Noise | None:
        """Noise that protects every two values no better than this does, whatever one believes.

        Several releases are charged by it; None where nothing protects them.
        """
        return None

    @abstractmethod
    def output(self, prior: Any) -> Any:
        """The law of what is published, for a value that follows `prior`."""

    @abstractmethod
    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The root mean square error of a published value; of a category, how often it changes.

        Args:
            frequencies: How often each value occurs; without them, the error of the value that has
                most. Where a number is added, it is the same for all.
        """


class Unit(NamedTuple):
    """Numbers of a law of size 1: 1 over its largest density, E|N|, and E N² and E N⁴."""

    peak_width: float
    mean_absolute: float
    moments: tuple[float, float]


class AdditiveLaw(Law):
    """Y = X + N, where N does not depend on X and its law is symmetric.

    All numbers are those of the continuous law, its grid set aside, but where they say so. The
    *size* of a law is what it is called by: Laplace's scale, a Gaussian's std; 0 for none.
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
        """Laplace's scale, a Gaussian's std; 0 for none."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """E N²."""

    @property
    def peak_width(self) -> float:
        """1 over the largest density of N: an interval of width w has at most w/peak_width of it.

        For the same reason moving values by d on average changes the law of Y by d/peak_width in
        total variation, at most. 0 for none, where nothing bounds that.
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
        """At least |E e^{itN}| at a frequency t, for the law on its grid."""

    @abstractmethod
    def resized(self, size: float) -> Noise:
        """The same law with another size; the grid stays, and no noise stays none."""

    @abstractmethod
    def ideal(self, part: float = 1.0) -> Noise:
        """The continuous law, without the grid, with a part of the size."""

    @abstractmethod
    def kernel(self, components: Components) -> Kernel:
        """The law of X + N for each Gaussian component of X."""

    def output(self, prior: Prior) -> OutputLaw:
        """The law of X + N, in closed form (the grid set aside)."""
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
