"""What a recoding does to a column, as far as an edition may show it.

A row with value x is published as y with probability M(x,y). For N rows with counts c(x) the share
of y has, from the draws alone, the variance Σ_x c(x)·M(x,y)(1 − M(x,y))/N², which is at most
q(1 − q)/N for an expected share q, because t(1 − t) is concave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Belief, Secret
from pufferfish.calibration.losses import Column, column_of, has_bins
from pufferfish.calibration.recoded_words import compare_in_words, moves_in_words
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.statement import Facts
from pufferfish.columns.statement.facts import RecodeStated
from pufferfish.core.validation import FloatArray
from pufferfish.exact.recoded import published_shares
from pufferfish.insight.choosing import clipped_figures
from pufferfish.insight.error_curve import ErrorPoint, error_curve
from pufferfish.recoding.domain import Value
from pufferfish.recoding.law import Recoding
from pufferfish.report.columns import Bars, bars_of_laws

__all__ = ["RecodedFacts", "SecretLoss", "recoded_facts"]

# Secrets with a line of their own, and with a picture.
_MOST_SECRETS, _MOST_DRAWN = 24, 6
# How often the rows are split to see what each promise becomes; once where a recoding is slow.
_SPLITS, _FEW_CELLS = 3, 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SecretLoss:
    """The error and the share of unchanged values for the rows of one secret.

    Attributes:
        secret: The secret.
        rows: How many there are; None where they were not counted.
        rmse: The root mean square error of a value.
        unchanged: The share of values that are published as they are.
        bars: How often values occur and are published, by the belief; None: no picture.
    """

    secret: Secret
    rows: int | None
    rmse: float
    unchanged: float
    bars: Bars | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RecodedFacts:
    """What a page says about a recoding.

    Attributes:
        stated: The public part of what was asked for; None for a recoding from elsewhere.
        confidence: The confidence with which the promise covers the population that the rows are a
            sample of; None: it does not.
        law: The recoding; None where its table is private.
        figures: What it costs; None where that is private.
        moves: How many values stay, and how far the others move, in words; empty where that is
            private.
        compared: The error, and what noise and a constant cost, in words; empty likewise.
        share_error: The largest standard error that the draws add to the share of a value; None
            where the table is private.
        clipped_rmse: The error of the least Laplace noise, clipped to the range of the column.
        curve: The error for other ε.
        by_secret: What the rows of each secret pay; in the internal edition only.
        bins: Whether values were put into bins; None where that is private.
    """

    stated: RecodeStated | None
    confidence: float | None
    law: Recoding | None
    bins: bool | None
    figures: Recode | None
    moves: str
    compared: str
    share_error: float | None
    clipped_rmse: float | None
    curve: tuple[ErrorPoint, ...]
    by_secret: tuple[SecretLoss, ...]


def recoded_facts(said: Facts, plan: ColumnPlan | None, *, internal: bool) -> RecodedFacts:
    """The facts of a recoding, from those of its record, and its plan where the edition holds it.

    Args:
        said: What the record states.
        plan: Its plan; in a public edition only if every belief is public.
        internal: Whether statistics of private data may be shown.
    """
    law = None if plan is None else plan.calibration.mechanism
    if plan is None or not isinstance(law, Recoding):
        return RecodedFacts(
            stated=said.recode,
            confidence=said.confidence,
            law=None,
            bins=None,
            figures=None,
            moves="",
            compared="",
            share_error=None,
            clipped_rmse=None,
            curve=(),
            by_secret=(),
        )
    calibration = plan.calibration
    column = column_of(calibration.scenario, None)
    recode = calibration.recode
    moves = compared = ""
    if recode is not None:
        of = said.recode.figures_of if said.recode is not None else "this table"
        moves = moves_in_words(recode, calibration.scenario, law, of)
        compared = compare_in_words(recode, calibration.scenario, calibration.goal, law, of)
    return RecodedFacts(
        stated=said.recode,
        confidence=said.confidence,
        law=law,
        bins=has_bins(law, column),
        figures=recode,
        moves=moves,
        compared=compared,
        share_error=_share_error(law, column),
        clipped_rmse=_clipped(recode, column),
        curve=error_curve(calibration, _splits(calibration, law) if internal else 0),
        by_secret=tuple(_by_secret(law, calibration)) if internal else (),
    )


def _splits(calibration: Calibration, law: Recoding) -> int:
    # A promise over sampling regions is for other rows already, and takes long to calibrate.
    if calibration.scenario.sampled:
        return 0
    return _SPLITS if len(law.values) <= _FEW_CELLS else 1


def _share_error(law: Recoding, column: Column) -> float:
    """√(max_y Σ_x π(x)M(x,y)(1 − M(x,y))), to be divided by √N."""
    chances = law.spread(column.values)
    return math.sqrt(float((column.histogram @ (chances * (1.0 - chances))).max(initial=0.0)))


def _clipped(recode: Recode | None, column: Column) -> float | None:
    """The error of the least Laplace noise, clipped to the range of the column."""
    if recode is None or not recode.laplace_rmse:
        return None
    ends = float(column.values.min()), float(column.values.max())
    return clipped_figures(recode.laplace_rmse / math.sqrt(2.0), ends, column)[0]


def _by_secret(law: Recoding, calibration: Calibration) -> Iterator[SecretLoss]:
    """What rows of each secret pay, by the first belief with tables; secrets of the pairs first."""
    scenario = calibration.scenario
    tables = (
        belief
        for belief in scenario.beliefs
        if all(isinstance(prior, Discrete) for prior in belief.priors.values())
    )
    belief = next(tables, None)
    if belief is None:
        return
    protected = [each for each in scenario.secrets if each in belief.priors]
    listed = dict.fromkeys([*protected, *belief.priors])
    for number, secret in enumerate(list(listed)[:_MOST_SECRETS]):
        prior = belief.priors[secret]
        if isinstance(prior, Discrete):
            yield _loss(law, belief, secret, prior, drawn=number < _MOST_DRAWN)


def _loss(
    law: Recoding, belief: Belief, secret: Secret, prior: Discrete, *, drawn: bool
) -> SecretLoss:
    hole = belief.missing[secret]
    values, shares = prior.values.tolist(), ((1.0 - hole) * prior.probabilities).tolist()
    frequencies: dict[Value, float] = dict(zip(values, shares, strict=True))
    if hole:
        frequencies[None] = hole
    counts = prior.counts
    return SecretLoss(
        secret=secret,
        rows=None if counts is None else int(counts.sum()) + belief.missing_counts.get(secret, 0),
        rmse=law.rmse(frequencies),
        unchanged=law.unchanged(frequencies),
        bars=_bars(law, belief, secret, prior) if drawn else None,
    )


def _bars(law: Recoding, belief: Belief, secret: Secret, prior: Discrete) -> Bars | None:
    numbers, masses = [], []
    for output, share in zip(law.coded_outputs, published_shares(law, belief, secret), strict=True):
        if output is not None:
            numbers.append(output)
            masses.append(share)
    total = sum(masses)
    if not total:
        return None
    weights: FloatArray = np.array(masses) / total
    # Values of one bin are shown at the number that stands for it.
    cells = np.array(law.cells.numbers)[law.cells.places(prior.values)]
    return bars_of_laws(Discrete(cells, prior.probabilities), Discrete(numbers, weights))
