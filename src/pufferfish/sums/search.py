"""What a search over all users finds, for any belief about their sum."""

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

    Refused are other kinds of noise, and grids coarser than that of the laws to choose from.
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
        certificates: The number of pairs that had to be certified.
        holds: Whether the noise suffices for every user.
        least: Whether no smaller noise suffices for that kind; False where the scale was given,
            rounded up to settle many users together, or found by a bound.
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
        """The promise that each certificate must keep: the goal, or a slightly stronger one."""

    @property
    def belief(self) -> str:
        """The belief about the sum, in the words of certificates."""

    def least(self) -> Found:
        """The least noise for all users, or a little more; no noise where none is needed."""

    def judge(self, noise: Noise) -> Found:
        """Whether this noise suffices for all users."""

    def pairs(self, kind: int) -> list[PairOfLaws]:
        """The pairs of one kind that decide, the one that decides most first."""

    def charge(self, decides: int) -> list[int] | None:
        """The kinds that may decide the cost of repeats; None where that is not known."""
