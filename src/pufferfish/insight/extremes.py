"""Which part of the range sets the noise: the least noise if values were capped before it.

A few values far from all others can decide the size of the noise for everybody. Here that is
computed, not guessed. The tables among the beliefs are capped at their outermost 0.1, 0.5 and 1%,
on one side or on both. Where that lowers the noise of the pair that decides, all beliefs are made
again from the capped tables, and `calibrate` finds the least noise for all pairs.

The answer is derived from the beliefs and as private as they are. It is a hint, not a promise: a
release with a cap is described, calibrated and certified again. See docs/reference/limitations.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Belief, Scenario, Secret, SecretPair
from pufferfish.calibration.least_noise import calibrate_noise
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import PufferfishError
from pufferfish.exact.many import is_many
from pufferfish.fit import fit_beliefs
from pufferfish.fit.families import parse_family
from pufferfish.tables import Counts, Group
from pufferfish.words.numbers import about

__all__ = ["Outliers", "outliers"]

# The share of the values that is cut off on each side.
_SHARES = (0.001, 0.005, 0.01)
# A smaller reduction of the noise is not reported.
_CLEAR = 1.5
# The mildest cap that gains this fraction of what the tightest gains (in logarithms) is named.
_MOST_OF_IT = 0.8
# The most smooth laws that are fitted again: more would take too long.
_MOST_FITS = 12
# Atoms are merged within this fraction of the noise, which changes ε by about as little.
_MERGED = 1e-3
# The digits of the bounds that are named.
_DIGITS = 4

# The atoms of a table from which its number of rows is found, and the largest plausible number.
_MOST_ATOMS = 100
_MOST_ROWS = 10**9

# Lower and upper bound; None: not capped on that side.
_Cap = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outliers:
    """A part of the range that sets the noise; its text says what to do about it.

    Attributes:
        low: Values below this set it; None: no bound on this side.
        high: Values above this set it; None: no bound on this side.
        ratio: The least noise with values capped there, as a fraction of the noise without a cap.
        of_tables: Whether that holds only for the beliefs that are tables, because smooth ones
            could not be fitted again.
    """

    low: float | None
    high: float | None
    ratio: float
    of_tables: bool

    def __str__(self) -> str:
        """Which values set the noise, and what it would be without them."""
        ends = [
            f"{side} {bound:,.10g}"
            for side, bound in (("below", self.low), ("above", self.high))
            if bound is not None
        ]
        low, high = (
            name if bound is None else f"{bound:.10g}"
            for name, bound in (("LOW", self.low), ("HIGH", self.high))
        )
        whom = " for the beliefs that are tables" if self.of_tables else ""
        return (
            f"Values {' and '.join(ends)} set the noise; capped there before the noise (--cap "
            f"{low}:{high}) it would be {about(self.ratio)}{whom}. The bounds of a cap are "
            "published: choose public ones, since these were found in the data and reveal "
            "something about them."
        )


def outliers(calibration: Calibration) -> Outliers | None:
    """How much of the least noise a cap would save; None where that is little, or not known.

    It is known only where some belief is a table, and the noise was found by the method "exact".
    """
    law, scenario = calibration.mechanism, calibration.scenario
    unlike = calibration.method != "exact" or calibration.radius > 0.0
    # There are bounds already, and they decide.
    unlike |= calibration.certificate.wrong > 0.0 or scenario.sampled
    if unlike or law.identity or not law.additive or is_many(scenario):
        return None
    every = set(scenario.secrets)
    if any(each.given or not every <= each.priors.keys() for each in scenario.beliefs):
        return None  # beliefs about other rows, or other secrets, are not those of one table
    noise = calibration.noise
    tables = [belief for belief in scenario.beliefs if _is_table(belief, scenario.secrets)]
    # The one that decides, if it is a table.
    tables.sort(key=lambda belief: belief.name != calibration.certificate.worst.belief)
    if not tables:
        return None
    try:
        found = _cap_that_helps(tables[0], calibration)
        if found is None:
            return None
        capped = [_cap_belief(belief, found, scenario.secrets) for belief in tables]
        smooth = _fit_again(scenario, capped[0])
        std = _least_std(Scenario([*capped, *(smooth or ())], scenario.pairs), calibration)
    except PufferfishError:  # a promise that cannot be kept with values that are capped
        return None
    if std * _CLEAR > noise.std:
        return None
    return Outliers(low=found[0], high=found[1], ratio=std / noise.std, of_tables=smooth is None)


def _cap_that_helps(belief: Belief, calibration: Calibration) -> _Cap | None:
    """The mildest cap that removes most of what the outermost values add to the noise."""
    pair = calibration.certificate.worst.pair
    bounds = list(_bounds(belief, pair))
    if not bounds:
        return None
    merged = _cap_belief(belief, (None, None), pair, _MERGED * calibration.noise.std)

    def log_std(cap: _Cap) -> float:
        alone = Scenario([_cap_belief(merged, cap, pair)], [pair])
        return math.log(max(_least_std(alone, calibration), 1e-300))

    whole, tightest = log_std((None, None)), bounds[-1]
    if whole - log_std(tightest) < math.log(_CLEAR):
        return None
    gains = [whole - log_std(cap) for cap in _sides(tightest)]
    enough = _MOST_OF_IT * max(gains)
    # One side, if that is enough.
    side = next(index for index, gain in enumerate(gains) if gain >= enough)
    wider = (_sides(each)[side] for each in bounds[:-1])
    return next((cap for cap in wider if whole - log_std(cap) >= enough), _sides(tightest)[side])


def _sides(cap: _Cap) -> tuple[_Cap, _Cap, _Cap]:
    low, high = cap
    return (None, high), (low, None), cap


def _bounds(belief: Belief, pair: SecretPair) -> Iterator[_Cap]:
    """Caps that cut off more and more of the pair's values, with equal weight for both secrets."""
    laws = [law for law in map(belief.priors.get, pair) if isinstance(law, Discrete)]
    values = np.concatenate([law.values for law in laws])
    shares = np.concatenate([law.probabilities for law in laws])
    pooled = Discrete(values, shares / shares.sum())
    for share in _SHARES:
        ends = pooled.quantile([share, 1.0 - share])
        low, high = (float(f"{each:.{_DIGITS}g}") for each in ends)
        if low < high:
            yield low, high


def _is_table(belief: Belief, secrets: tuple[Secret, ...]) -> bool:
    return all(isinstance(belief.priors[secret], Discrete) for secret in secrets)


def _cap_belief(
    belief: Belief, cap: _Cap, secrets: tuple[Secret, ...], step: float = 0.0
) -> Belief:
    """A table of some secrets, with its values capped to [low, high] and rounded to a step."""
    low, high = cap
    ends = -math.inf if low is None else low, math.inf if high is None else high
    priors = {}
    for secret in secrets:
        law = belief.priors[secret].components()
        values = np.rint(law.means / step) * step if step else law.means
        priors[secret] = Discrete(np.clip(values, *ends), law.weights)
    missing = {secret: belief.missing[secret] for secret in priors}
    return Belief(priors, belief.name, belief.provenance, missing, belief.radius)


def _fit_again(scenario: Scenario, table: Belief) -> tuple[Belief, ...] | None:
    """The smooth beliefs, fitted again to a capped table; None where that cannot be done."""
    smooth = [each for each in scenario.beliefs if not _is_table(each, scenario.secrets)]
    families = list(dict.fromkeys(each.name.partition(",")[0] for each in smooth))
    if not families:
        return ()
    same = all(each.provenance == table.provenance for each in smooth)
    if not same or len(families) * len(scenario.secrets) > _MOST_FITS:
        return None
    try:
        for family in families:
            parse_family(family)
    except PufferfishError:  # a belief that was made by hand
        return None
    groups = {secret: _counts(table, secret) for secret in table.priors}
    summary = Counts.of_groups(groups, "value", "secret", bin_width=2.0 * table.radius)
    return fit_beliefs(summary, families=families, min_group=1, provenance=table.provenance)


def _counts(table: Belief, secret: Secret) -> Group:
    """Counts in the proportions of a table: as far as can be seen, those from which it was made."""
    law, share = table.priors[secret].components(), table.missing[secret]
    fractions = [Fraction(each).limit_denominator(2**24) for each in law.weights[:_MOST_ATOMS]]
    total = math.lcm(*(each.denominator for each in fractions))
    if total > _MOST_ROWS:
        total = math.ceil(1.0 / float(law.weights.min()))
    counts = np.maximum(np.rint(law.weights * total), 1.0).astype(np.int64)
    missing = round(float(counts.sum()) * share / (1.0 - share))
    return Group(law.means.copy(), counts, missing)


def _least_std(scenario: Scenario, calibration: Calibration) -> float:
    """The least size of noise of the calibration's kind for its goal; 0 where none is needed."""
    kind = calibration.noise.kind
    return 0.0 if kind == "none" else calibrate_noise(scenario, calibration.goal, kind).noise.std
