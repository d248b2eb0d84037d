"""Laws other than the described ones: which methods and noises are proven to cover them."""

from __future__ import annotations

from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require

__all__ = ["check_wrong"]


def check_wrong(wrong: float, noise: str, method: str, distance: float, scenario: Scenario) -> None:
    """Refuse what is not proven of laws that may be wrong, or are those of a sampling region."""
    if scenario.sampled:
        if noise == "gaussian" or method not in ("exact", "given") or distance:
            raise UnsupportedError(
                "what a sample does not exclude (confidence=, --sampling-confidence) is covered by "
                'Laplace noise with method "exact" and no radius, and by recodings: the rest has '
                "no proof for it here."
            )
        require(
            not wrong,
            "wrong (--wrong) and confidence (--sampling-confidence) both say how far laws may be "
            "off: give one of them.",
        )
    if not wrong:
        return
    if noise == "gaussian" or method not in ("exact", "given"):
        raise UnsupportedError(
            "laws that may be wrong (wrong=, --wrong) are covered by Laplace noise with method "
            '"exact", and by recodings: the other methods, and Gaussian noise, have no proof for '
            "them here."
        )
    require(
        distance == 0.0,
        "wrong and radius say in two ways how far laws may be off: give one of them.",
    )
