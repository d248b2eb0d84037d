"""What keeps a promise, and the certificate that it does. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.in_words import explain
from pufferfish.core.validation import require
from pufferfish.exact import Certificate
from pufferfish.exact.many import is_many
from pufferfish.noise import Law, Noise, as_noise
from pufferfish.theorems import ComposableCertificate, Tau, composable
from pufferfish.words.explanation import Explanation

__all__ = ["Calibration"]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Calibration:
    """What keeps a goal, with the exact certificate of what it gives.

    Attributes:
        scenario: What must look alike, to whom.
        goal: The promise.
        method: How the size was found.
        mechanism: The law that is applied to each value.
        certificate: The exact certificate of one release under `mechanism`. It holds, unless
            `certified_only=False` asked to see a size that does not.
        tau: The form of τ(δ), for the methods that have one.
        radius: How far in W_∞ the true laws may be from the believed ones.
    """

    scenario: Scenario = field(repr=False)
    goal: Guarantee
    method: str
    mechanism: Law
    certificate: Certificate
    tau: Tau | None = None
    radius: float = 0.0

    def __init__(
        self,
        *,
        scenario: Scenario,
        goal: Guarantee,
        method: str,
        noise: Law | None = None,
        certificate: Certificate,
        tau: Tau | None = None,
        radius: float = 0.0,
        mechanism: Law | None = None,
    ) -> None:
        """Of a law that is given as `noise`, or as `mechanism` if it adds none."""
        law = mechanism if noise is None else noise
        require(law is not None, "a calibration needs the law that is applied.")
        given = (scenario, goal, method, law, certificate, tau, radius)
        for each, value in zip(fields(self), given, strict=True):
            object.__setattr__(self, each.name, value)

    def __repr__(self) -> str:
        """As it is made; the scenario is left out, for it may be large and private."""
        law = "noise" if self.mechanism.additive else "mechanism"
        return (
            f"Calibration(goal={self.goal!r}, method={self.method!r}, {law}={self.mechanism!r}, "
            f"certificate={self.certificate!r}, tau={self.tau!r}, radius={self.radius!r})"
        )

    @property
    def noise(self) -> Noise:
        """The noise to add, grid included; `NoNoise()` where none is needed.

        Raises:
            UnsupportedError: The mechanism is another one than noise that is added.
        """
        return as_noise(self.mechanism)

    @property
    def certified(self) -> bool:
        """Whether the promise is kept; False also where that could not be decided."""
        return self.certificate.holds is True

    @property
    def composable(self) -> ComposableCertificate | None:
        """What repeated releases cost, at the goal's δ; None where no coupling bounds it."""
        return composable(self.scenario, self.noise, self.goal.delta, self.radius)

    def explain(self, *, another_table: bool = False) -> Explanation:
        """What was done, what is promised, to whom, and what is not, in numbered steps.

        A string to print; its `steps` are the same as data.

        Args:
            another_table: Whether beliefs that say that they were fitted on the released column
                turned out to be about another table.
        """
        return explain(
            self.scenario,
            self.certificate,
            None if is_many(self.scenario) else self.composable,
            method=self.method,
            tau=self.tau,
            radius=self.radius,
            another_table=another_table,
        )
