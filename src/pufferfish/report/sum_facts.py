"""Every number and sentence of the report of a sum, from its record.

As for a column, the public edition is gathered from the public document alone. It holds what is
derived from the users only if that document describes them, which it does only where they are
public.

A published number y = s + N has the noise's std as its standard error, and y ± t with
P(|N| ≤ t) = 95% covers the true sum s in 95% of releases; for a mean, divide everything by the
number of described users.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pufferfish.exact import PrivacyProfile, privacy_profile
from pufferfish.insight.comparison import Comparison
from pufferfish.insight.guesses import Success, success, success_allowed
from pufferfish.insight.strongest import half_width
from pufferfish.kinds.verdict import Verification
from pufferfish.noise import NoNoise
from pufferfish.report.facts import Posterior, posteriors, profile_epsilons
from pufferfish.report.sources import Verified
from pufferfish.report.usage import CONFIDENCE
from pufferfish.report.views import View, views
from pufferfish.sums.calibration import SumCalibration
from pufferfish.sums.compare import compare_sum
from pufferfish.sums.facts import SumFacts, sum_words
from pufferfish.sums.limit import check_limit
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.record import SumRecord
from pufferfish.sums.words import explain_sum
from pufferfish.words.steps import Step

__all__ = ["KnownUsers", "SumError", "SumReport", "gather_sum"]

# Other methods are tried for up to this many users with different tables: each needs them all.
_MOST_COMPARED = 500


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class KnownUsers:
    """What follows from the description of the users; as private as that is.

    Attributes:
        calibration: The noise, certified for every user.
        views: The sum with and without those who decide, to draw.
        before: How well the adversary guesses about them from the true sum.
        after: The same, from the published sum.
        profile: δ(ε) for them.
        bare: δ(ε) without noise.
        comparison: Every method side by side; None where there are too many users to try all.
        steps: The explanation, step by step, as data.
    """

    calibration: SumCalibration
    views: tuple[View, ...]
    before: Success
    after: Success
    profile: PrivacyProfile
    bare: PrivacyProfile
    comparison: Comparison | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SumError:
    """How far the published number may be from the true one.

    Attributes:
        std: Its standard error, which is all from the noise.
        half_width: The error is at most this in 95% of releases.
        spread: The std of the true number, from what is known about the users; None where that is
            not stated.
    """

    std: float
    half_width: float
    spread: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SumReport:
    """What the page of a sum says.

    Attributes:
        document: The record's document of the edition.
        said: What it states.
        value: The published number.
        words: The same in words, written from what it states.
        allowed: The most that the promise alone allows an adversary.
        posteriors: The same for a probability; empty where δ > 0.
        users: What follows from the users, if they may be shown.
        record: The record; internal only.
        error: How far the published number may be from the true one.
        found: The result of verifying the document from which the record was read.
    """

    document: Mapping[str, Any]
    said: SumFacts
    value: float
    words: dict[str, Any]
    allowed: Success
    posteriors: tuple[Posterior, ...]
    users: KnownUsers | None
    record: SumRecord | None
    error: SumError
    found: Verification


def gather_sum(verified: Verified) -> SumReport:
    """The facts of a report: an internal one from a record, a public one from a public document."""
    source, document = verified.source, verified.document
    record = source if isinstance(source, SumRecord) else None
    said = SumFacts.from_dict(document)
    plan = record.plan if record is not None else _public_plan(document)
    calibration = None if plan is None else plan.calibration
    return SumReport(
        document=document,
        said=said,
        value=document["published"]["value"],
        # Written again from the facts, whatever words the document has.
        words=sum_words(said),
        allowed=success_allowed(said.goal),
        posteriors=posteriors(said.goal),
        users=None if calibration is None else _known_entries(calibration),
        record=record,
        error=_error(said, calibration),
        found=verified.found or Verification(edition=document["edition"], checks=()),
    )


def _public_plan(document: Mapping[str, Any]) -> SumPlan | None:
    return SumPlan.from_dict(document["plan"]) if "plan" in document else None


def _error(said: SumFacts, calibration: SumCalibration | None) -> SumError:
    divided = said.users if said.statistic == "mean" and said.users else 1
    spread = None if calibration is None else math.sqrt(calibration.users.variance) / divided
    return SumError(
        std=said.noise.std / divided,
        half_width=half_width(said.noise, CONFIDENCE) / divided,
        spread=spread,
    )


def _known_entries(calibration: SumCalibration) -> KnownUsers:
    users, goal, protected = calibration.users, calibration.goal, calibration.protected
    scenario, noise = calibration.calibration.scenario, calibration.noise
    epsilons = profile_epsilons(goal)
    few = users.laws is None or users.kinds <= _MOST_COMPARED
    limit = check_limit(users, goal, protected) if few and users.laws is not None else None
    return KnownUsers(
        calibration=calibration,
        views=views(scenario, calibration.calibration.certificate),
        before=success(scenario, NoNoise()),
        after=success(scenario, noise),
        profile=privacy_profile(scenario, noise, epsilons),
        bare=privacy_profile(scenario, NoNoise(), epsilons),
        comparison=compare_sum(users, goal, protected.what, between=protected.between)
        if few
        else None,
        steps=explain_sum(calibration, limit).steps,
    )
