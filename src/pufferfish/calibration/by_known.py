"""Calibration stratum by stratum: a law for each combination of published known values.

Where z is published in the row, Q_i(y|z) ≤ e^ε·Q_j(y|z) must hold for each z, and rows with other z
do not matter. So every stratum is a problem of its own, and the worst certificate is that of all.
Each law depends on z, so this promises nothing against somebody who does not see z; where z is
published there is no such person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.least_noise import as_published, recertify
from pufferfish.calibration.result import Calibration, PartFigures, Recode
from pufferfish.calibration.strata import group_beliefs, shares_of
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import require
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.stratified import split_strata
from pufferfish.noise import Law, Stratified, Stratum
from pufferfish.theorems import Tau
from pufferfish.words.phrases import list_in_words

__all__ = ["calibrate_by_known", "combine", "publish_any", "recertify_any", "seen_by_all"]


def calibrate_by_known(
    scenario: Scenario, columns: Sequence[str], calibrate: Callable[[Scenario], Calibration]
) -> Calibration:
    """A calibration for each combination of the values of some known columns.

    Args:
        scenario: Adversaries who know these columns; others cannot exist where these are published,
            and are left out.
        columns: The known columns that are published.
        calibrate: Calibrates for the adversaries who know the same values.
    """
    seen = seen_by_all(scenario, columns)
    groups = group_beliefs(seen.beliefs, columns)
    for _, beliefs in groups:
        # A promise against those who know more implies nothing for those who know only these
        # columns.
        require(
            any({*each.given} == {*columns} for each in beliefs),
            f"every adversary who knows some values of {list_in_words(columns)} knows further "
            "columns, so nothing would be promised against somebody who does not: add the belief "
            "with these columns alone (fit_beliefs makes it as well), or keep the further columns "
            "too (--keep).",
        )
    parts = [(values, calibrate(Scenario(beliefs, scenario.pairs))) for values, beliefs in groups]
    return combine(seen, columns, parts)


def seen_by_all(scenario: Scenario, columns: Sequence[str]) -> Scenario:
    """The adversaries who know these columns, as everybody does who sees the release.

    Raises:
        InvalidInputError: No described adversary knows them.
    """
    known = [each for each in scenario.beliefs if {*columns} <= {*each.given}]
    if not known:
        raise InvalidInputError(
            f"{list_in_words(columns)} is published in every row, so everybody knows it, but no "
            "described adversary does: fit beliefs with known=... (--known)."
        )
    return Scenario(known, scenario.pairs)


def combine(
    scenario: Scenario,
    columns: Sequence[str],
    parts: Sequence[tuple[tuple[Label, ...], Calibration]],
) -> Calibration:
    """The calibrations of all strata as one, whose certificate is the worst of theirs."""
    made = tuple(part for _, part in parts)
    first = made[0]
    require(
        len({(each.goal, each.certificate.wrong, each.method) for each in made}) == 1,
        "all strata must have the same promise and the same method.",
    )
    law = Stratified(
        columns=tuple(columns),
        strata=tuple(Stratum(values, part.mechanism) for values, part in parts),
    )
    certificate = Certificate(
        goal=first.goal,
        noise=law,
        results=tuple(each for part in made for each in part.certificate.results),
        screened=tuple(each for part in made for each in part.certificate.screened),
        wrong=first.certificate.wrong,
        confidence=scenario.confidence,
    )
    return Calibration(
        scenario=scenario,
        goal=first.goal,
        method=first.method,
        mechanism=law,
        certificate=certificate,
        tau=first.tau,
        radius=first.radius,
        recode=combine_figures(made),
        parts=made,
    )


def recertify_any(
    scenario: Scenario,
    goal: Guarantee,
    law: Law,
    *,
    method: str,
    tau: Tau | None,
    radius: float,
    recodes: Sequence[Recode],
    wrong: float = 0.0,
    recorded: Certificate | None = None,
) -> Calibration:
    """`recertify`, also for a law of each stratum; `recodes` has the figures of each law."""
    said: dict[str, Any] = {"method": method, "tau": tau, "radius": radius, "wrong": wrong}
    said["recorded"] = recorded
    if not isinstance(law, Stratified):
        require(len(recodes) <= 1, "a single law needs the figures of a single recoding.")
        figures = recodes[0] if recodes else None
        return recertify(scenario, goal, law, recode=figures, **said)
    require(
        len(recodes) in (0, len(law.strata)),
        "figures must be given for every stratum, or for none.",
    )
    known: list[Recode | None] = [*recodes] or [None] * len(law.strata)
    parts = [
        (
            stratum.given,
            recertify(part, goal, one, recode=figures, **said),
        )
        for (part, one), stratum, figures in zip(
            split_strata(scenario, law), law.strata, known, strict=True
        )
    ]
    return combine(scenario, law.columns, parts)


def publish_any(calibration: Calibration, rounding: Rounding) -> Calibration:
    """`as_published`, also for a law of each stratum."""
    if not calibration.parts:
        return as_published(calibration, rounding)
    strata = calibration.strata
    parts = [as_published(part, rounding) for part in strata.parts]
    return combine(
        calibration.scenario, strata.columns, list(zip(strata.given, parts, strict=True))
    )


def combine_figures(parts: Sequence[Calibration]) -> Recode | None:
    """The figures of all rows together; None if some stratum is not recoded."""
    weighed = [(share, part.recode) for share, part in shares_of(parts)]
    known = [(share, each) for share, each in weighed if each is not None]
    if len(known) < len(weighed):
        return None
    first, every = known[0][1], [each for _, each in known]
    for name in ("loss", "edges", "never"):
        require(
            all(getattr(each, name) == getattr(first, name) for each in every),
            f"all strata must have the same {name}.",
        )

    def mean(figure: Callable[[Recode], float]) -> float:
        return sum(share * figure(each) for share, each in known)

    floors = [each.floor for _, each in known]
    weakest = [each for each in floors if each is not None]
    noises = [each.laplace_rmse for _, each in known]
    least = [each for each in noises if each is not None]
    return replace(
        first,
        keep_histogram=all(each.keep_histogram for each in every),
        floor_of_noise=any(each.floor_of_noise for each in every),
        wrong_of_table=any(each.wrong_of_table for each in every),
        weighted=any(each.weighted for each in every),
        floor=max(weakest) if len(weakest) == len(floors) else None,
        mean_loss=mean(lambda each: each.mean_loss),
        least_loss=mean(lambda each: each.least_loss),
        rmse=mean(lambda each: each.rmse**2) ** 0.5,
        unchanged=mean(lambda each: each.unchanged),
        moved=mean(lambda each: each.moved),
        constant_rmse=mean(lambda each: each.constant_rmse**2) ** 0.5,
        laplace_rmse=(
            mean(lambda each: (each.laplace_rmse or 0.0) ** 2) ** 0.5
            if len(least) == len(noises)
            else None
        ),
        parts=tuple(
            _combine_part([(share, each.parts[place]) for share, each in known])
            for place in range(len(first.parts))
        ),
    )


def _combine_part(parts: list[tuple[float, PartFigures]]) -> PartFigures:
    def mean(figure: Callable[[PartFigures], float]) -> float:
        return sum(share * figure(each) for share, each in parts)

    first = parts[0][1]
    if first.rmse is None:
        return replace(
            first,
            unchanged=mean(lambda each: each.unchanged),
            mode_share=mean(lambda each: each.mode_share),
        )
    return replace(
        first,
        unchanged=mean(lambda each: each.unchanged),
        mode_share=mean(lambda each: each.mode_share),
        rmse=mean(lambda each: (each.rmse or 0.0) ** 2) ** 0.5,
    )
