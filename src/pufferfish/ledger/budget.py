"""Several releases of the same rows: what they cost together, and when to stop.

The exact certificate is for one release: it uses the randomness that a belief ascribes to X, and
two releases can cost far more than twice as much. So a first release is judged by the certificate,
with all that it assumes; as soon as there is a second one, all of them are charged by a bound that
adds up:

- D/b each, at the budget's δ, where the described laws are coupled within D
  (`theorems.composition`): not for laws that may be wrong, nor for those of a sampling region;
- Λ each, δ = 0, whatever anybody believes (`theorems.anybody`).

The smaller sum counts. Where neither exists, a second release is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.distance import within
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import BudgetExceededError, CertificationError, UnsupportedError
from pufferfish.core.numerics import float_upper
from pufferfish.core.validation import nonnegative, probability_below_one, require
from pufferfish.exact import Certificate, verify
from pufferfish.exact.oracle import check_goal, check_law, check_scenario
from pufferfish.noise import Law
from pufferfish.theorems import ComposableCertificate, Dependence, composable_rows
from pufferfish.theorems.anybody import cost_for_anybody
from pufferfish.theorems.composition import adding_up
from pufferfish.words.certificates import describe_loss
from pufferfish.words.numbers import at_least, at_most

__all__ = ["Ledger"]

# The least and the largest ε of a promise.
_LEAST, _LARGEST = 1e-100, 1e100
# What some releases cost together; None if they are not covered.
_Bound = Callable[[tuple[Law, ...]], Guarantee | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The releases of the same rows so far, and the promise that all of them keep together.

    Attributes:
        scenario: What must be indistinguishable, to whom.
        budget: The promise for all releases together.
        releases: What was applied in each release, each drawn afresh. Publishing the same noised
            column again is not a new release. Where the described laws are coupled, a recoding is
            charged by its floor κ, like Laplace noise of scale 1/κ.
        radius: How far in W_∞ the true laws may be from the believed ones.
        wrong: How far in total variation they may be.
        rows: How many rows of one person each release publishes, at most, if the budget is for all
            of them together. With several, the first release too is charged by a bound that adds
            up.
        dependence: What is assumed about them: "any" or "equal" (`theorems.rows`).
        width: No two values are farther apart than this, if they are capped; else infinite.
        calibration: One release that is certified already; if it is the first, it is not judged
            again.
    """

    scenario: Scenario = field(repr=False)
    budget: Guarantee
    releases: tuple[Law, ...] = ()
    radius: float = 0.0
    wrong: float = 0.0
    rows: int = 1
    dependence: Dependence = "any"
    width: float = math.inf
    calibration: Calibration | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse releases that break the budget."""
        check_scenario(self.scenario)
        check_goal(self.budget)
        require(
            isinstance(self.releases, list | tuple),
            f"releases must be a list of noise laws, got {type(self.releases).__name__}.",
        )
        object.__setattr__(self, "releases", tuple(self.releases))
        # A negative radius would loosen what the first release must keep.
        object.__setattr__(self, "radius", nonnegative("radius", self.radius))
        object.__setattr__(self, "wrong", probability_below_one("wrong", self.wrong))
        for law in self.releases:
            check_law(law)
        require(
            isinstance(self.rows, int) and not isinstance(self.rows, bool) and self.rows >= 1,
            f"rows must be a whole number of at least 1, got {self.rows!r}.",
        )
        require(
            self.dependence in ("any", "equal"),
            f'dependence must be "any" or "equal" in a ledger, got {self.dependence!r}.',
        )
        require(isinstance(self.width, int | float) and self.width > 0.0, "width must be positive.")
        if len(self.releases) == 1 and self.rows == 1:
            self._check_first(self.releases[0])
        elif self.releases:
            self._check_all()

    @classmethod
    def of(
        cls,
        calibration: Calibration,
        *,
        rows: int = 1,
        dependence: Dependence = "any",
        width: float = math.inf,
    ) -> Self:
        """A ledger without releases, for the promise of a calibration and all that it assumes."""
        return cls(
            scenario=calibration.scenario,
            budget=calibration.goal,
            radius=calibration.radius,
            wrong=calibration.certificate.wrong,
            rows=rows,
            dependence=dependence,
            width=width,
            calibration=calibration,
        )

    def charge(self, noise: Law) -> Self:
        """The ledger with one more release.

        Raises:
            BudgetExceededError: Together the releases would cost more than the budget.
            CertificationError: The first release alone does not keep the budget.
            UnsupportedError: Only a certificate for one release exists.
        """
        return replace(self, releases=(*self.releases, noise))

    @property
    def spent(self) -> Guarantee | None:
        """What the releases so far are charged by a bound that adds up.

        None before the first release, and where no such bound exists. After one release it may
        exceed the budget, which the exact certificate has shown to be kept.
        """
        return self._least[1] if self.releases else None

    @property
    def _least(self) -> tuple[_Bound, Guarantee | None]:
        """The bound by which the releases cost least, and that cost."""
        bounds: tuple[_Bound, ...] = (self._if_coupled, self._for_anybody)
        found = [(bound, bound(self.releases)) for bound in bounds]
        return min(found, key=lambda each: math.inf if each[1] is None else each[1].epsilon)

    def _if_coupled(self, releases: tuple[Law, ...]) -> Guarantee | None:
        charged = adding_up(releases)
        certificate = self._composable(releases[0]) if charged else None
        return None if certificate is None else certificate.total(charged or ())

    def _for_anybody(self, releases: tuple[Law, ...]) -> Guarantee | None:
        one = cost_for_anybody(self.scenario, releases, self.width)
        if self.rows * one > _LARGEST:
            return None
        return Guarantee(max(float_upper(self.rows * Fraction(one)), _LEAST))

    def _composable(self, law: Law) -> ComposableCertificate | None:
        """The coupling of the described laws, where there is one."""
        return composable_rows(
            self.scenario,
            law,
            self.budget.delta,
            self.radius,
            wrong=self.wrong,
            rows=self.rows,
            dependence=self.dependence,
            width=self.width,
        )

    def _check_first(self, law: Law) -> None:
        inner = within(law, self.budget, self.radius)
        certificate = self._known_certificate(law, inner)
        if certificate is None:
            certificate = verify(self.scenario, law, inner or self.budget, wrong=self.wrong)
        if inner is None or certificate.holds is not True:
            first, second = certificate.worst.direction
            raise CertificationError(
                f"one release with {law!r} does not keep {self.budget}: "
                f"{describe_loss(certificate)}, for {first!r} against {second!r}. First calibrate "
                "for the budget, and for the radius if there is one."
            )

    def _known_certificate(self, law: Law, goal: Guarantee | None) -> Certificate | None:
        """That of the calibration, if it is about this law, this promise and all it assumes."""
        if self.calibration is None or self.calibration.scenario != self.scenario:
            return None
        known = self.calibration.certificate
        asked = (law, goal, self.wrong)
        return known if (known.noise, known.goal, known.wrong) == asked else None

    def _check_all(self) -> None:
        bound, total = self._least
        if total is None:
            raise UnsupportedError(self._not_covered)
        if total.epsilon > self.budget.epsilon:
            everybody = ", whatever anybody believes" if bound == self._for_anybody else ""
            raise BudgetExceededError(
                f"{len(self.releases)} {self._what} would cost {total}{everybody}, more than the "
                f"budget of {self.budget}, by ε {at_most(total.epsilon - self.budget.epsilon, 3)}. "
                f"{self._remedy(bound)}"
            )

    @property
    def _what(self) -> str:
        if self.rows == 1:
            return "releases of the same rows"
        return f"release(s) of {self.rows} rows of one person"

    @property
    def _not_covered(self) -> str:
        if self.rows > 1:
            return (
                f"no certificate covers {self.rows} rows of one person with this mechanism and "
                "these beliefs."
            )
        assumed = (
            " Here laws may be wrong (wrong=, --wrong), so that no coupling bounds the cost."
            if self.wrong
            else " Here laws have a sampling region (--sampling-confidence), so that no coupling "
            "bounds the cost."
            if self.scenario.sampled
            else ""
        )
        return (
            "a second release of the same rows is not covered: there is only the exact certificate "
            f"of one release.{assumed} Several draws of the same rows add up only where every one "
            "of them, the first included, is a recoding with a floor (--floor NUMBER); or noise "
            "with public bounds (--cap) and no missing values; or, for laws as described, Laplace "
            "noise where the values of two secrets can be coupled within a bounded distance, "
            "except with a probability of the budget's delta. Publish the first release again "
            "instead of drawing anew."
        )

    def _remedy(self, bound: _Bound) -> str:
        *earlier, last = self.releases
        before = bound(tuple(earlier)) if earlier else None
        left = self.budget.epsilon - (0.0 if before is None else before.epsilon)
        if left <= 0.0:
            return (
                f"The earlier releases already cost {before} by a bound that adds up, and leave no "
                "room: publish one of them again instead of drawing anew. A first release with a "
                "smaller floor, or with more noise, leaves some."
            )
        if not last.additive:
            return (
                f"ε = {at_least(left, 4)} is left for the last one: give it a smaller floor "
                "(--floor)."
            )
        coupled = self._composable(last) if bound == self._if_coupled else None
        least = (
            self.rows * self.width / left
            if coupled is None
            else replace(coupled, once_upper=0.0).scale_for(left)
        )
        return f"For the last release, scale {at_most(1.001 * least, 4)} would fit."
