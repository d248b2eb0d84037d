"""What a search over all users finds, whatever is believed of their sum."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import CertificationError, UnsupportedError
from pufferfish.exact.family import LaplaceFamily
from pufferfish.noise import Noise

__all__ = ["Found", "Search", "refuse_other_noise"]


def refuse_other_noise(noise: Noise, family: LaplaceFamily) -> None:
    """Refuse noise for which the closed forms of a sum do not hold.

    That is noise of another kind, or on a grid coarser than that of the laws to choose from.
    """
    if noise.identity:
        return
    usual = family(noise.size)
    if noise.kind != usual.kind:
        raise UnsupportedError("sums are released with Laplace noise.")
    if noise.grid is not None and usual.grid is not None and noise.grid > usual.grid:
        raise CertificationError(
            f"the grid {noise.grid:g} is too coarse for scale {noise.size:g}; sums are "
            f"certified on grids of at most {usual.grid:g}."
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

    noise: Noise
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

    def judge(self, noise: Noise) -> Found:
        """Whether this noise suffices for all users."""

    def pairs(self, kind: int) -> list[PairOfLaws]:
        """The pairs of one kind that decide, the one that decides most first."""

    def charge(self, decides: int) -> list[int] | None:
        """Kinds among whom is who decides the cost of repeats; None where that is not known."""
