"""The paper's sufficient conditions, one module each, by the paper's names, and coupling bounds.

| id                 | about                                             | holds            |
|--------------------|---------------------------------------------------|------------------|
| `thm-1`            | Gaussian priors                                   | yes              |
| `remark-1`         | translations of any shape                         | yes, tight       |
| `cor-1a`           | presence of a user in a sum, Gaussian belief      | yes              |
| `cor-1a-identical` | the same for users that are alike                 | yes              |
| `cor-1b`           | the value of a user in a sum                      | yes              |
| `thm-2`            | Gaussian mixtures                                 | not in general   |
| `cor-2`            | mixtures that differ in their means only          | not in general   |
| `coupling`         | any priors: the repair of `thm-2`, and the tightest of these | yes   |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.theorems import (
    cor_1a,
    cor_1a_identical,
    cor_1b,
    cor_2,
    coupling,
    remark_1,
    thm_1,
    thm_2,
)
from pufferfish.theorems.composition import ComposableCertificate, composable
from pufferfish.theorems.rows import DEPENDENCES, Dependence, composable_rows
from pufferfish.theorems.tau_of_delta import TAU_FORMS, Tau, tau

__all__ = [
    "DEPENDENCES",
    "PAPER_METHODS",
    "TAU_FORMS",
    "ComposableCertificate",
    "Dependence",
    "PaperMethod",
    "Tau",
    "composable",
    "composable_rows",
    "cor_1a",
    "cor_1a_identical",
    "cor_1b",
    "cor_2",
    "coupling",
    "paper_scale",
    "remark_1",
    "tau",
    "thm_1",
    "thm_2",
]


class PaperMethod(NamedTuple):
    """A formula of the paper for one pair of priors, whether it has a τ, and whether it is true."""

    scale: Callable[..., float]
    has_tau: bool
    is_true: bool


PAPER_METHODS: dict[str, PaperMethod] = {
    "thm-1": PaperMethod(thm_1.scale, has_tau=True, is_true=True),
    "remark-1": PaperMethod(remark_1.scale, has_tau=False, is_true=True),
    "thm-2": PaperMethod(thm_2.scale, has_tau=True, is_true=False),
    "cor-2": PaperMethod(cor_2.scale, has_tau=False, is_true=False),
}


def paper_scale(method: str, scenario: Scenario, goal: Guarantee, form: Tau = "exact") -> float:
    """The scale that a formula of the paper gives: the largest over all beliefs and pairs.

    Raises:
        UnsupportedError: A pair does not meet the assumptions of the theorem.
    """
    require(
        method in PAPER_METHODS, f"method {method!r} is not known; known: {list(PAPER_METHODS)}."
    )
    formula = PAPER_METHODS[method]
    forms = (form,) if formula.has_tau else ()
    largest = 0.0
    for laws in scenario.laws():
        if laws.missing_first != laws.missing_second:
            raise UnsupportedError(
                f"{method} does not cover values that are missing more often for one secret than "
                "for another; use the method exact or coupling."
            )
        largest = max(largest, formula.scale(laws.first, laws.second, goal, *forms))
    return largest
