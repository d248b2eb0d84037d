"""The part of a table farthest from a point, and its density at that point under Laplace noise.

For a table P on [L, H] and Laplace noise of scale b let u = (y − L)/b and v = (x − L)/b. Among all
parts of P with mass μ, the one farthest from u has the least ∫ e^{−|u−v|}. It consists of a tail of
mass α on the left and one of mass μ − α on the right. With more α the left tail takes mass at its
next atom l, and the right tail gives up mass at its innermost atom r; that pays as soon as u passes
(l + r)/2. These midpoints (`turns`) rise with α, so that between two of them α is fixed, and

    F_μ(u) = e^{−u}·Σ_left w·e^{v} + e^{u}·Σ_right w·e^{−v}.

Masses are sums of floats: the error of α is at most `slack`. With both tails shorter (longer) by
that much, the part is inside (around) the true one, and F_μ is bounded from below (above).
Proof: docs/theory/wrong-noise.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.noise import TableOutput

__all__ = ["Farthest", "farthest_part", "slack_of"]

_Places = npt.NDArray[np.intp]


class _Tail(NamedTuple):
    """A tail for each α: its whole atoms, seen from the last one, and a part of the next.

    Attributes:
        log_whole: log Σ w·e^{−distance to `last`} over the whole atoms.
        last: The place of the last whole atom.
        log_rest: log of the mass that is taken from the next atom.
        following: The place of the next atom.
    """

    log_whole: FloatArray
    last: FloatArray
    log_rest: FloatArray
    following: FloatArray

    def log_sum(self, which: _Places, u: FloatArray) -> FloatArray:
        """log Σ w·e^{−|u − place|} over a tail; u is not within its whole atoms."""
        return np.asarray(
            np.logaddexp(
                self.log_whole[which] - np.abs(u - self.last[which]),
                self.log_rest[which] - np.abs(u - self.following[which]),
            )
        )


class Farthest(NamedTuple):
    """F_μ, piece by piece.

    Attributes:
        turns: The points at which the part changes, in rising order; one fewer than there are
            parts.
        left: The tails on the left.
        right: The tails on the right.
    """

    turns: FloatArray
    left: _Tail
    right: _Tail

    def parts(
        self, middle: FloatArray, start: FloatArray, end: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """On pieces without a turn inside: log of the left part at `start`, of the right at `end`.

        The left part falls from there as e^{−u}, the right one rises to there as e^{u}.
        """
        which = np.searchsorted(self.turns, middle)
        return self.left.log_sum(which, start), self.right.log_sum(which, end)

    def log_at(self, u: FloatArray) -> FloatArray:
        """log F_μ at points."""
        which = np.searchsorted(self.turns, u)
        return np.asarray(np.logaddexp(self.left.log_sum(which, u), self.right.log_sum(which, u)))


def slack_of(atoms: int) -> float:
    """More than the rounding error of a mass."""
    return 4.0 * (atoms + 8) * UNIT


def farthest_part(law: TableOutput, places: FloatArray, mass: float, side: float) -> Farthest:
    """F_μ of a table with Laplace noise.

    Args:
        law: The table and the noise.
        places: v for each atom.
        mass: μ.
        side: −1 bounds F_μ from below, +1 from above.
    """
    masses = law.table.probabilities
    count, shift = masses.size, side * slack_of(masses.size)
    below = np.concatenate([[0.0], np.cumsum(masses)])
    # The masses α at which the left or the right tail has a whole number of atoms.
    steps = np.concatenate([below, below - below[-1] + mass, [0.0, mass]])
    alpha = np.unique(np.clip(steps, 0.0, mass))
    middle = 0.5 * (alpha[:-1] + alpha[1:])
    left = _atom(below, middle, count)
    right = _atom(below, middle + (below[-1] - mass), count)
    turns = 0.5 * (places[left] + places[right])
    return Farthest(
        turns,
        _tails(law.log_left, masses, places, alpha + shift),
        _tails(law.log_right[::-1], masses[::-1], -places[::-1], mass - alpha + shift, flip=True),
    )


def _atom(below: FloatArray, level: FloatArray, count: int) -> _Places:
    """The atom at a level of the cumulated masses."""
    return np.clip(np.searchsorted(below, level, side="right") - 1, 0, count - 1)


def _tails(
    log_sums: FloatArray,
    masses: FloatArray,
    places: FloatArray,
    mass: FloatArray,
    *,
    flip: bool = False,
) -> _Tail:
    """Tails from the left end; `log_sums` are those of whole atoms, seen from the last one."""
    below = np.concatenate([[0.0], np.cumsum(masses)])
    whole = np.clip(np.searchsorted(below, mass, side="right") - 1, 0, masses.size)
    last, following = np.maximum(whole - 1, 0), np.minimum(whole, masses.size - 1)
    rest = np.where(whole < masses.size, np.maximum(mass - below[whole], 0.0), 0.0)
    side = -1.0 if flip else 1.0
    with np.errstate(divide="ignore"):
        return _Tail(
            np.where(whole > 0, log_sums[last], -np.inf),
            side * places[last],
            np.log(rest),
            side * places[following],
        )
