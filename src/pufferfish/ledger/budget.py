"""Several releases of the same column: what they cost together, and when to stop.

The exact certificate is for one release: it uses the randomness that a belief ascribes to X, and
two releases can cost far more than twice as much. So a first release is judged exactly; as soon as
there is a second one, all of them are charged by the certificate that composes
(`theorems.composition`): D/b each, their sum within the budget's ε, at the budget's δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.distance import within
from pufferfish.core.errors import BudgetExceededError, CertificationError, UnsupportedError
from pufferfish.core.validation import nonnegative, require
from pufferfish.exact import verify
from pufferfish.exact.oracle import check_goal, check_law, check_scenario
from pufferfish.noise import LaplaceNoise, Noise
from pufferfish.recoding.law import Recoding
from pufferfish.theorems import ComposableCertificate, Dependence, composable_rows
from pufferfish.theorems.composition import adding_up
from pufferfish.words.certificates import describe_loss

__all__ = ["Ledger"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The releases of one column so far, and the promise that all of them keep together.

    Attributes:
        scenario: What must be indistinguishable, to whom.
        budget: The promise for all releases together.
        releases: What was applied in each release, each drawn afresh. Publishing the same noised
            column again is not a new release. A recoding is charged by its floor κ, like Laplace
            noise of scale 1/κ; without a floor there is no second release.
        radius: How far in W_∞ the true laws may be from the believed ones.
        rows: How many rows of one person each release publishes, at most, if the budget is for all
            of them together. With several, the first release too is charged by the certificate
            that composes.
        dependence: What is assumed about them: "any" or "equal" (`theorems.rows`).
        width: No two values are farther apart than this, if they are capped; else infinite.
    """

    scenario: Scenario = field(repr=False)
    budget: Guarantee
    releases: tuple[Noise | Recoding, ...] = ()
    radius: float = 0.0
    rows: int = 1
    dependence: Dependence = "any"
    width: float = math.inf

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

    def charge(self, noise: Noise | Recoding) -> Ledger:
        """The ledger with one more release.

        Raises:
            BudgetExceededError: Together the releases would cost more than the budget.
            CertificationError: The first release alone does not keep the budget.
            UnsupportedError: Only a certificate for one release exists.
        """
        return replace(self, releases=(*self.releases, noise))

    @property
    def spent(self) -> Guarantee | None:
        """What the certificate that composes charges for the releases so far.

        None before the first release, and where no such certificate exists. After one release
        it may exceed the budget, which the exact certificate has shown to be kept.
        """
        certificate = self._composable() if self.releases else None
        return None if certificate is None else certificate.total(self._charged)

    @property
    def _charged(self) -> list[LaplaceNoise]:
        """Laplace noise that protects any two values no better than the releases, to add up."""
        floors = (each.at_floor for each in self.releases)
        return adding_up(each for each in floors if each is not None)

    def _composable(self) -> ComposableCertificate | None:
        """The certificate by which several releases are charged, where there is one."""
        charged = self._charged
        if len(charged) < len(self.releases):
            return None
        return composable_rows(
            self.scenario,
            charged[0],
            self.budget.delta,
            self.radius,
            rows=self.rows,
            dependence=self.dependence,
            width=self.width,
        )

    def _check_first(self, noise: Noise | Recoding) -> None:
        inner = within(noise, self.budget, self.radius)
        certificate = verify(self.scenario, noise, inner or self.budget)
        if inner is None or certificate.holds is not True:
            first, second = certificate.worst.direction
            raise CertificationError(
                f"one release with {noise!r} does not keep {self.budget}: "
                f"{describe_loss(certificate)}, for {first!r} against {second!r}. First calibrate "
                "for the budget, and for the radius if there is one."
            )

    def _check_all(self) -> None:
        certificate, charged = self._composable(), self._charged
        if certificate is None:
            if self.rows > 1:
                raise UnsupportedError(
                    f"no certificate covers {self.rows} rows of one person with this noise and "
                    "these beliefs."
                )
            raise UnsupportedError(
                "a second release of the same value is not covered: there is only the exact "
                "certificate of one release. Several releases need Laplace noise, or a recoding "
                "with a floor, and beliefs under which the values of two secrets can be coupled "
                "within a bounded distance, except with a probability of the budget's delta. "
                "Publish the first release again instead of drawing anew."
            )
        total = certificate.total(charged)
        if total.epsilon > self.budget.epsilon:
            raise BudgetExceededError(
                f"{len(charged)} {self._what} would cost {total}, more than the "
                f"budget of {self.budget}, by ε {total.epsilon - self.budget.epsilon:.3g}. "
                f"{self._remedy(certificate, charged)}"
            )

    @property
    def _what(self) -> str:
        if self.rows == 1:
            return "releases of the same value"
        return f"release(s) of {self.rows} rows of one person"

    def _remedy(self, certificate: ComposableCertificate, charged: list[LaplaceNoise]) -> str:
        before = certificate.total(charged[:-1])
        left = self.budget.epsilon - before.epsilon
        if left <= 0.0:
            return (
                f"The earlier releases already cost {before} by the certificate that composes: "
                "publish one of them again instead of drawing anew."
            )
        alone = replace(certificate, noise=charged[-1], once_upper=0.0)
        return f"For the last release, scale {1.001 * alone.scale_for(left):.4g} would fit."
