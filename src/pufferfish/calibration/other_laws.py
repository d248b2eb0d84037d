"""Checks that a method and a noise are proven to cover laws other than the described ones."""

from __future__ import annotations

from pufferfish.beliefs.region import refuse_both
from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require

__all__ = ["check_sampled", "check_wrong", "survives_resampling"]


def check_sampled(wrong: float, scenario: Scenario) -> None:
    """Refuse laws that may be wrong by a share where a belief has a sampling region."""
    for belief in scenario.beliefs:
        if belief.region is not None:
            refuse_both(belief.name, wrong)


def survives_resampling(scenario: Scenario) -> bool:
    """Whether the promise is about more than the laws of one table: regions, or public laws."""
    return scenario.confidence is not None or all(
        each.public or each.region is not None for each in scenario.beliefs
    )


def check_wrong(wrong: float, noise: str, method: str, distance: float, scenario: Scenario) -> None:
    """Refuse methods without a proof for laws that may be wrong, or for a sampling region."""
    if scenario.sampled:
        if noise == "gaussian" or method not in ("exact", "given") or distance:
            raise UnsupportedError(
                "a sampling region (confidence=, --sampling-confidence) is covered by Laplace "
                'noise with method "exact" and no radius, and by recodings; for everything else '
                "there is no proof: use one of these two."
            )
        check_sampled(wrong, scenario)
    if not wrong:
        return
    if noise == "gaussian" or method not in ("exact", "given"):
        raise UnsupportedError(
            "laws that may be wrong (wrong=, --wrong) are covered by Laplace noise with method "
            '"exact" and by recodings; for other methods and for Gaussian noise there is no proof: '
            "use one of these two."
        )
    require(
        distance == 0.0,
        "wrong and radius both state how far laws may be wrong: give one of them.",
    )
