"""What a search over all users finds, whatever is believed of their sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from pufferfish.errors import CertificationError, UnsupportedError
from pufferfish.exact.family import laplace_family
from pufferfish.guarantee import Guarantee
from pufferfish.noise import LaplaceNoise, NoNoise
from pufferfish.scenario import PairOfLaws

__all__ = ["Found", "LawOfSize", "Search", "SumNoise", "laplace_laws", "refuse_coarse"]

SumNoise = LaplaceNoise | NoNoise
# The law of a given scale, on the grid that goes with it.
LawOfSize = Callable[[float], LaplaceNoise]


def laplace_laws(goal: Guarantee) -> LawOfSize:
    """The laws that `calibrate` chooses from, known to be Laplace."""
    family = laplace_family(goal)

    def law(size: float) -> LaplaceNoise:
        found = family(size)
        if not isinstance(found, LaplaceNoise):
            raise UnsupportedError("sums are calibrated for Laplace noise.")
        return found

    return law


def refuse_coarse(noise: SumNoise, law: LawOfSize) -> None:
    """Refuse a grid coarser than that of the laws which closed forms leave room for."""
    if noise.grid is not None:
        usual = law(noise.size).grid
        if usual is not None and noise.grid > usual:
            raise CertificationError(
                f"the grid {noise.grid:g} is too coarse for scale {noise.size:g}; sums are "
                f"certified on grids of at most {usual:g}."
            )


class Found(NamedTuple):
    """The noise, whether it suffices for every user, and who decides.

    Attributes:
        noise: The law.
        kind: A kind of users who needs all of it, or for whom it is not enough.
        certificates: How many pairs had to be certified.
        holds: Whether it suffices for every user.
        least: Whether no less would do for that kind; False where the scale was given, rounded up
            to settle many users together, or found by a bound.
    """

    noise: SumNoise
    kind: int
    certificates: int
    holds: bool
    least: bool = True


class Search(Protocol):
    """Certificates for all users of a sum, for one secret and one goal."""

    @property
    def goal(self) -> Guarantee:
        """What each certificate must keep: the goal asked for, or a little more."""

    @property
    def belief(self) -> str:
        """What is believed of the sum, as certificates call it."""

    def least(self) -> Found:
        """The least noise for all users, or a little more; none where none is needed."""

    def judge(self, noise: SumNoise) -> Found:
        """Whether this noise suffices for all users."""

    def pairs(self, kind: int) -> list[PairOfLaws]:
        """The pairs of one kind that decide, the one that decides most first."""

    def charged(self, decides: int) -> list[int] | None:
        """Kinds among whom is who decides the cost of repeats; None where that is not known."""
