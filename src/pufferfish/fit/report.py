"""The report of a fit: what was fitted, how it went, and how far it is from the data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import RELEASED, Belief, Secret
from pufferfish.fit.error import FitError
from pufferfish.fit.mixture import MixtureFit
from pufferfish.noise import Noise
from pufferfish.words.beliefs import law_in_words
from pufferfish.words.numbers import at_most
from pufferfish.words.phrases import moved_into
from pufferfish.words.terminal import fold

__all__ = ["FitReport", "GroupFit"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GroupFit:
    """The law of one secret beside its data.

    Attributes:
        secret: Whose values.
        records: How many rows have a value.
        missing: How many have none.
        prior: The fitted law.
        error: How far the law is from the data.
        scores: For a mixture the fits with 1, 2, ... components that were compared.
    """

    secret: Secret
    records: int
    missing: int
    prior: Prior
    error: FitError
    scores: tuple[MixtureFit, ...]

    def __repr__(self) -> str:
        """The rest may be private."""
        return f"GroupFit({self.secret!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FitReport:
    """A belief, and how it came about. Holds statistics of the data: as private as they are.

    Attributes:
        belief: What the adversary believes.
        column: The column that was fitted.
        secret: The column of the secret.
        family: The family of laws.
        noise: The noise after which the errors were asked for, if any.
        groups: Each secret's fit.
        background: For "ubm" the fits to all rows.
    """

    belief: Belief
    column: str
    secret: str
    family: str
    noise: Noise | None
    groups: tuple[GroupFit, ...]
    background: tuple[MixtureFit, ...]

    def __repr__(self) -> str:
        """Names what was fitted; the numbers may be private."""
        return f"FitReport({self.family!r} of {self.column!r} by {self.secret!r})"

    def explain(self) -> str:
        """What was fitted, how well it fits, and what to do where it does not."""
        lines = [
            f"PRIVATE: statistics of column {self.column!r} for each {self.secret!r}."
            if not self.belief.public
            else f"Column {self.column!r} for each {self.secret!r}.",
            f"Belief {self.belief.name!r}, provenance: {self.belief.provenance}.",
        ]
        for group in self.groups:
            lines += [_law(group), *_how_it_went(group.scores), _error(group.error)]
        if self.background:
            lines += ["All rows, the background that each secret adapts:"]
            lines += _how_it_went(self.background)
        lines += ["", *(fold(text, hyphens=True) for text in self._advice())]
        return "\n".join(lines)

    def _advice(self) -> list[str]:
        advice = []
        worst = max(self.groups, key=lambda group: group.error.ks_rounded)
        if worst.error.ks > 0.0:
            advice.append(
                "How fair a picture this is: at worst "
                f"({worst.secret!r}) the share of values up to some point is off by "
                f"{100 * worst.error.ks_rounded:.2g} percentage points, {_beside_chance(worst)}. "
                "A promise calibrated for this belief alone is made to somebody who sees the data "
                "this way. To cover those who know better, add the empirical belief (it knows the "
                "frequency of each value, for each secret) and bootstrap refits (--bootstrap 20; "
                "in Python pf.fit_beliefs(..., bootstrap=20))."
            )
            if self.noise is not None:
                largest = max(group.error.total_variation_upper or 0.0 for group in self.groups)
                variation = at_most(largest, 3)
                advice.append(
                    f"With δ > 0 the error can be absorbed instead: after {self.noise!r} the laws "
                    f"of the published value differ by at most {variation} in total variation, "
                    "so that (ε, δ) for this belief is (ε, δ + (1 + e^ε)·"
                    f"{variation}) for the frequencies in the data. With δ = 0 it cannot."
                )
        if any(isinstance(group.prior, Discrete) for group in self.groups):
            advice.append(
                "This adversary knows how often each value occurs for each secret. Who knows the "
                "exact set of rows, all but one row, or that several rows share a secret, knows "
                "more, and is not covered."
            )
        if self.belief.radius:
            advice.append(
                "There were too many different values to keep all: each was moved by at most "
                f"{at_most(self.belief.radius, 6)}, which every certificate of this belief "
                "allows for."
            )
        if self.belief.cap is not None:
            advice.append(
                f"All of this is about values that were {moved_into(*self.belief.cap)}. A release "
                "needs the same cap, and the bounds must be public."
            )
        if self.belief.provenance == RELEASED:
            advice.append(
                "Fitted on the column that is to be released: the size of the noise then depends "
                "on the data, and publishing it says a little about them."
            )
        return advice


def _law(group: GroupFit) -> str:
    holes = f", {group.missing} without a value" if group.missing else ""
    return f"{group.secret!r}: {group.records} records{holes}; {law_in_words(group.prior)}"


def _how_it_went(scores: tuple[MixtureFit, ...]) -> list[str]:
    if not scores:
        return []
    least = min(fit.bic for fit in scores)
    lines = ["    components  log-likelihood         BIC  above best  iterations  status"]
    for fit in scores:
        floor = f", {fit.at_floor} as narrow as allowed" if fit.at_floor else ""
        lines.append(
            f"    {fit.components:10d}  {fit.log_likelihood:14.2f}  {fit.bic:10.1f}  "
            f"{fit.bic - least:10.1f}  {fit.iterations:10d}  {fit.status}{floor}"
        )
    return lines


def _error(error: FitError) -> str:
    text = (
        f"    distance from the data: KS {error.ks:.3g} ({error.ks_rounded:.3g} once rounded to "
        f"the column's steps), W1 at most {at_most(error.w_1_upper, 3)}"
    )
    if error.kappa_upper is not None and error.total_variation_upper is not None:
        text += (
            f"; after noise: κ at most {at_most(error.kappa_upper, 3)}, total variation at "
            f"most {at_most(error.total_variation_upper, 3)}"
        )
    return text


def _beside_chance(group: GroupFit) -> str:
    """Against the KS test's 5% level, for a law that was not fitted."""
    level = 1.36 / math.sqrt(group.records)
    if group.error.ks_rounded <= level:
        return "which chance alone explains in a sample of this size"
    return "more than chance explains in a sample of this size"
