"""One secret pair under one belief, in both directions: the core of the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.priors import Components, Discrete, Prior
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import UNIT
from pufferfish.exact.band_pair import band_ratios
from pufferfish.exact.bounds import BoundedLaw, MixtureBounds, TableBounds
from pufferfish.exact.caps import matching_cap
from pufferfish.exact.compressed import compress
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.field import RatioField
from pufferfish.exact.hockeystick import hockey_stick
from pufferfish.exact.noised_sample import sampled_ratios
from pufferfish.exact.published import delta_of_published, epsilon_of_published
from pufferfish.exact.radius import delta_within, epsilon_within, inner_epsilon
from pufferfish.exact.supremum import supremum
from pufferfish.exact.tables import LaplaceTables, masses_hockey_stick, masses_supremum
from pufferfish.exact.tails import is_unbounded
from pufferfish.exact.tilted import tilt
from pufferfish.exact.wrong_laws import described_and_wrong
from pufferfish.exact.wrong_pair import stated_range, wrong_ratios
from pufferfish.noise import (
    AtomsOutput,
    GaussianNoise,
    LaplaceNoise,
    MixtureOutput,
    Noise,
    NoNoise,
    OutputLaw,
    TableOutput,
    output_law,
)

__all__ = ["BothWays", "PairOracle", "enclose", "quiet", "shorten"]

# The absolute width aimed at for δ.
TOLERANCE = 1e-10
# For tables with up to this many atoms together ε* under Gaussian noise is computed; for more,
# nothing is claimed about it where it is finite.
_MOST_ATOMS = 4_000


class BothWays(NamedTuple):
    """The same quantity for (first‖second) and (second‖first)."""

    forward: Enclosure
    backward: Enclosure

    @property
    def worst(self) -> Enclosure:
        """An enclosure of the larger of the two."""
        return Enclosure(
            max(self.forward.lower, self.backward.lower),
            max(self.forward.upper, self.backward.upper),
        )


class _Direction(NamedTuple):
    """One direction without holes: how to enclose HS and the supremum of the log-ratio."""

    hockey_stick: Callable[[float, float], Enclosure]
    supremum: Callable[[], Enclosure]


class PairOracle:
    """The exact privacy of one pair under one noise law, computed when needed and shared."""

    def __init__(self, laws: PairOfLaws, noise: Noise) -> None:
        """Prepare both directions; nothing is refined yet."""
        self._laws = laws
        self._noise = noise
        self._parts = laws.first.components(), laws.second.components()
        with quiet():
            self._forward, self._backward = _ways(laws, noise)

    def delta(self, epsilon: float, tolerance: float = TOLERANCE) -> BothWays:
        """δ at ε, both directions, with holes and grid, for all laws within the belief's radius."""
        found = self._believed_delta(epsilon, tolerance)
        if self._laws.radius == 0.0:
            return found
        inner = inner_epsilon(self._laws.radius, self._noise, epsilon)
        stricter = found if inner == epsilon else self._believed_delta(inner, tolerance)
        return BothWays(
            *(
                delta_within(self._laws.radius, self._noise, epsilon, *both)
                for both in zip(found, stricter, strict=True)
            )
        )

    def _believed_delta(self, epsilon: float, tolerance: float) -> BothWays:
        first, second = self._laws.missing_first, self._laws.missing_second
        with quiet():
            return BothWays(
                delta_of_published(
                    self._noise,
                    first,
                    second,
                    epsilon,
                    lambda inner: self._forward.hockey_stick(inner, tolerance),
                ),
                delta_of_published(
                    self._noise,
                    second,
                    first,
                    epsilon,
                    lambda inner: self._backward.hockey_stick(inner, tolerance),
                ),
            )

    def epsilon(self) -> BothWays:
        """sup of the log-ratio, with all that `delta` covers."""
        found = self._believed_epsilon()
        return BothWays(*(epsilon_within(self._laws.radius, self._noise, each) for each in found))

    def _believed_epsilon(self) -> BothWays:
        first, second = self._laws.missing_first, self._laws.missing_second
        with quiet():
            return BothWays(
                epsilon_of_published(
                    self._noise, first, second, self._forward.supremum(), *self._parts
                ),
                epsilon_of_published(
                    self._noise, second, first, self._backward.supremum(), *self._parts
                ),
            )


def quiet() -> np.errstate:
    """Overflow gives an infinity or nan, which every bound reads as "not known"."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def _ways(laws: PairOfLaws, noise: Noise) -> tuple[_Direction, _Direction]:
    if laws.region is not None and laws.region.shape == "band" and isinstance(noise, NoNoise):
        return _ANYTHING, _ANYTHING
    if laws.region is not None:
        ratios = band_ratios if laws.region.shape == "band" else sampled_ratios
        forward, backward = ratios(laws, laws.region, noise)
        return (
            _Direction(lambda epsilon, _: forward.hockey_stick(epsilon), forward.supremum),
            _Direction(lambda epsilon, _: backward.hockey_stick(epsilon), backward.supremum),
        )
    if laws.wrong:
        return _wrong_directions(laws, noise)
    return _directions(laws.first, laws.second, noise)


def _directions(first: Prior, second: Prior, noise: Noise) -> tuple[_Direction, _Direction]:
    if first == second:
        return _EQUAL, _EQUAL
    laws = output_law(first, noise), output_law(second, noise)
    p, q = first.components(), second.components()
    caps = matching_cap(p, q, noise), matching_cap(q, p, noise)
    if isinstance(laws[0], TableOutput) and isinstance(laws[1], TableOutput):
        tables = LaplaceTables(laws[0], laws[1])
        return _of_tables(tables, caps[0]), _of_tables(tables.swap(), caps[1])
    if isinstance(laws[0], AtomsOutput) and isinstance(laws[1], AtomsOutput):
        tables_alone = laws[0].table, laws[1].table
        return _of_masses(*tables_alone), _of_masses(*tables_alone[::-1])
    if isinstance(laws[0], AtomsOutput) or isinstance(laws[1], AtomsOutput):
        return _SINGULAR, _SINGULAR
    if isinstance(noise, LaplaceNoise):
        field = RatioField(enclose(laws[0]), enclose(laws[1]))
        backward = field.swap()
        return (
            _Direction(partial(hockey_stick, field), lambda: supremum(field, p, q, noise, caps[0])),
            _Direction(
                partial(hockey_stick, backward), lambda: supremum(backward, q, p, noise, caps[1])
            ),
        )
    return _gaussian_directions(first, second, noise, caps)


def _wrong_directions(laws: PairOfLaws, noise: Noise) -> tuple[_Direction, _Direction]:
    """Both directions for all laws on the stated range within `wrong` of those described."""
    stated_range(laws)
    if isinstance(noise, GaussianNoise):
        raise UnsupportedError(
            "laws that may be wrong are covered by Laplace noise and by recodings; for Gaussian "
            "noise nothing is proven: use one of them."
        )
    if isinstance(noise, LaplaceNoise):
        forward, backward = wrong_ratios(laws, noise)
        return (
            _Direction(lambda epsilon, _: forward.hockey_stick(epsilon), forward.supremum),
            _Direction(lambda epsilon, _: backward.hockey_stick(epsilon), backward.supremum),
        )
    described = _directions(laws.first, laws.second, noise)
    return _moved(described[0], laws.wrong), _moved(described[1], laws.wrong)


def _moved(described: _Direction, wrong: float) -> _Direction:
    """Without noise: one law may have mass where another has none."""

    def hockey_stick(epsilon: float, tolerance: float) -> Enclosure:
        found = described.hockey_stick(epsilon, tolerance)
        return Enclosure(found.lower, described_and_wrong(found.upper, epsilon, wrong))

    return _Direction(hockey_stick, lambda: Enclosure(math.inf, math.inf))


def _gaussian_directions(
    first: Prior, second: Prior, noise: Noise, caps: tuple[float, float]
) -> tuple[_Direction, _Direction]:
    """Both directions with Gaussian kernels: δ from compressed tables, ε* from the tilted laws."""
    p, q = first.components(), second.components()
    short_p, error_p = shorten(first, noise)
    short_q, error_q = shorten(second, noise)
    field = RatioField(
        MixtureBounds(MixtureOutput(short_p, noise)), MixtureBounds(MixtureOutput(short_q, noise))
    )
    backward = field.swap()

    @cache
    def flat() -> RatioField:
        return RatioField(*tilt(MixtureOutput(p, noise), MixtureOutput(q, noise)))

    def peak(one: Components, other: Components, cap: float) -> Enclosure:
        if is_unbounded(one, other, noise):
            return Enclosure(math.inf, math.inf)
        if p.weights.size + q.weights.size > _MOST_ATOMS:
            return Enclosure(-math.inf, cap)
        return supremum(flat() if one is p else flat().swap(), one, other, noise, cap)

    return (
        _Direction(
            lambda epsilon, tolerance: _within(
                hockey_stick(field, epsilon, tolerance), epsilon, error_p, error_q
            ),
            lambda: peak(p, q, caps[0]),
        ),
        _Direction(
            lambda epsilon, tolerance: _within(
                hockey_stick(backward, epsilon, tolerance), epsilon, error_q, error_p
            ),
            lambda: peak(q, p, caps[1]),
        ),
    )


def shorten(prior: Prior, noise: Noise) -> tuple[Components, float]:
    """Components for δ, and their total variation from the prior's law of Y."""
    if isinstance(prior, Discrete) and isinstance(noise, GaussianNoise):
        return compress(prior, noise.std)
    return prior.components(), 0.0


def _within(found: Enclosure, epsilon: float, error_p: float, error_q: float) -> Enclosure:
    """HS_ε of the true laws, from that of laws this far away in total variation."""
    if error_p == error_q == 0.0:
        return found
    error = (error_p + math.exp(min(epsilon, 700.0)) * error_q) * (1.0 + 1e-9)
    return Enclosure(max(found.lower - error, 0.0), min(found.upper + error, 1.0))


def enclose(law: OutputLaw) -> BoundedLaw:
    """The bounds that the cell method needs for a law of Y with a density."""
    if isinstance(law, TableOutput):
        return TableBounds(law)
    if isinstance(law, MixtureOutput):
        return MixtureBounds(law)
    raise UnsupportedError(f"no bounds for a law of type {type(law).__name__}.")


def _of_tables(tables: LaplaceTables, cap: float) -> _Direction:
    return _Direction(
        lambda epsilon, _: tables.hockey_stick(epsilon), lambda: tables.supremum().capped(cap)
    )


def _of_masses(p: Discrete, q: Discrete) -> _Direction:
    return _Direction(
        lambda epsilon, _: masses_hockey_stick(p, q, epsilon), lambda: masses_supremum(p, q)
    )


# Equal laws: L = 0, and (p − e^ε q)_+ = p·(1 − e^ε)_+.
_EQUAL = _Direction(
    lambda epsilon, tolerance: Enclosure(
        -math.expm1(min(epsilon, 0.0)) * (1.0 - 4.0 * UNIT),
        -math.expm1(min(epsilon, 0.0)) * (1.0 + 4.0 * UNIT),
    ),
    lambda: Enclosure(0.0, 0.0),
)

# A table and a continuous law, both without noise, are distinguished with certainty. Without noise,
# laws of a band may have atoms where others have none.
_ANYTHING = _Direction(
    lambda _epsilon, _tolerance: Enclosure(0.0, 1.0), lambda: Enclosure(math.inf, math.inf)
)
_SINGULAR = _Direction(
    lambda epsilon, tolerance: Enclosure(1.0, 1.0), lambda: Enclosure(math.inf, math.inf)
)
