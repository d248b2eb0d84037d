"""What keeps a promise, and the certificate that it does. Data only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from msgspec import Meta

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.in_words import explain
from pufferfish.calibration.losses import column_of
from pufferfish.calibration.recoded_words import explain_recoding
from pufferfish.calibration.strata import Strata, explain_strata, one_law_for_all, shares_of
from pufferfish.core.validation import require
from pufferfish.documents.shape import plain
from pufferfish.documents.types import NotNegative, Positive, Share
from pufferfish.exact import Certificate
from pufferfish.exact.many import is_many
from pufferfish.noise import Law, Noise, Stratified, as_noise
from pufferfish.theorems import ComposableCertificate, Tau, composable
from pufferfish.words.explanation import Explanation

__all__ = ["Calibration", "PartFigures", "Recode", "recode_to_plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFigures:
    """What a recoding of several columns, or of a category, does to one of them.

    Attributes:
        column: Its name; empty where it has none.
        unchanged: The share of rows in which it is published as it is.
        mode_share: The share of rows that publishing one constant would leave as they are.
        rmse: Of a column of numbers, the root mean square error.
        std: Of a column of numbers, that of publishing its mean for everybody.
    """

    column: str
    unchanged: Annotated[float, Meta(ge=0, le=1)]
    mode_share: Annotated[float, Meta(ge=0, le=1)]
    rmse: NotNegative | None = None
    std: NotNegative | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """What was asked of a recoding, and what it costs. As private as the table it was found from.

    Attributes:
        floor: κ, in units of the column; None: none.
        floor_of_noise: Whether κ is that of the least noise, and so depends on the beliefs.
        wrong: How far in total variation each law may be from the one believed.
        wrong_of_table: Whether that was chosen by looking at the table.
        loss: "squared", "absolute", "changed", "steps", or "own" for what somebody gave; "columns"
            for the sum over columns that is the default for categories.
        weighted: Whether values count for the loss by weights that were given.
        keep_histogram: Whether published values occur as often as before, on average.
        mean_loss: The mean loss of a row.
        least_loss: No map with these outputs, by way of the kernel of this floor, that keeps the
            promise loses less.
        rmse: The root mean square error of a published value. Of categories, and of several
            columns: of a row, where numbers count in stds of their column and a changed category 1.
        unchanged: The share of values that are published as they are; of several columns, of rows.
        moved: How far the others move, on average, counted as for `rmse`.
        constant_rmse: The error of publishing one constant for everybody, counted likewise: of
            numbers the column's std.
        laplace_rmse: That of the least Laplace noise; None where there is none.
        parts: Of categories: each column by itself.
        never: Labels that are never published together.
    """

    floor: Positive | None
    floor_of_noise: bool
    wrong: Share
    loss: Literal["squared", "absolute", "changed", "steps", "columns", "own"]
    weighted: bool
    keep_histogram: bool
    mean_loss: NotNegative
    least_loss: NotNegative
    rmse: NotNegative
    unchanged: Annotated[float, Meta(ge=0, le=1)]
    moved: NotNegative
    constant_rmse: NotNegative
    laplace_rmse: NotNegative | None
    wrong_of_table: bool = False
    parts: tuple[PartFigures, ...] = ()
    never: tuple[Mapping[str, Label], ...] = ()


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
        recode: Of a recoding: what was asked of it, and what it costs.
        parts: Where each value of known columns has a law of its own: the calibration of each, in
            the order of the law's strata.
    """

    scenario: Scenario = field(repr=False)
    goal: Guarantee
    method: str
    mechanism: Law
    certificate: Certificate
    tau: Tau | None = None
    radius: float = 0.0
    recode: Recode | None = None
    parts: tuple[Calibration, ...] = field(default=(), repr=False)

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
        recode: Recode | None = None,
        parts: tuple[Calibration, ...] = (),
    ) -> None:
        """Of a law that is given as `noise`, or as `mechanism` if it adds none."""
        law = mechanism if noise is None else noise
        require(law is not None, "a calibration needs the law that is applied.")
        strata = len(law.strata) if isinstance(law, Stratified) else 0
        require(len(parts) == strata, "a law by known values needs a calibration for each.")
        given = (scenario, goal, method, law, certificate, tau, radius, recode, parts)
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
    def rmse(self) -> float:
        """The root mean square error: the std of noise; of a recoding, over the table's rows."""
        if self.recode is not None:
            return self.recode.rmse
        if self.parts:
            return math.sqrt(sum(share * part.rmse**2 for share, part in shares_of(self.parts)))
        if self.mechanism.additive:
            return self.mechanism.error()
        return self.mechanism.error(column_of(self.scenario, None).frequencies)

    @property
    def strata(self) -> Strata[Calibration]:
        """For each combination of known values the calibration of rows that have them.

        Where one law serves everybody, each has that law, and its own certificate. By the values
        in the order of the known columns: strata["Male", ">50K"]; one column's: strata["Male"].
        """
        if isinstance(self.mechanism, Stratified):
            given = tuple(each.given for each in self.mechanism.strata)
            return Strata(self.mechanism.columns, given, self.parts)
        return one_law_for_all(self)

    @property
    def certified(self) -> bool:
        """Whether the promise is kept; False also where that could not be decided."""
        return self.certificate.holds is True

    @property
    def wrong_of_noise(self) -> float:
        """Of noise: how far in total variation each law may be from the one believed.

        Of a recoding 0: its `recode` says it.
        """
        return 0.0 if self.recode is not None else self.certificate.wrong

    @property
    def composable(self) -> ComposableCertificate | None:
        """What repeated releases cost, at the goal's δ; None where no coupling bounds it."""
        noise = self.mechanism.at_floor
        if noise is None or isinstance(self.mechanism, Stratified):
            return None  # what is known of a row may change between two releases
        if self.certificate.wrong or self.scenario.sampled:
            return None  # values are coupled as the described laws have them
        return composable(self.scenario, noise, self.goal.delta, self.radius)

    def explain(self, *, another_table: bool = False) -> Explanation:
        """What was done, what is promised, to whom, and what is not, in numbered steps.

        A string to print; its `steps` are the same as data.

        Args:
            another_table: Whether beliefs that say that they were fitted on the released column
                turned out to be about another table.
        """
        if isinstance(self.mechanism, Stratified):
            return explain_strata(self, another_table=another_table)
        composable = None if is_many(self.scenario) else self.composable
        if not self.mechanism.additive:
            return explain_recoding(
                self.scenario,
                self.certificate,
                composable,
                self.recode,
                another_table=another_table,
            )
        return explain(
            self.scenario,
            self.certificate,
            composable,
            method=self.method,
            tau=self.tau,
            radius=self.radius,
            another_table=another_table,
        )


def recode_to_plain(recode: Recode | None) -> dict[str, Any] | None:
    """Figures for a document; what only categories have is left out where there are none."""
    if recode is None:
        return None
    document: dict[str, Any] = plain(recode) | {"never": [dict(rule) for rule in recode.never]}
    return {
        name: entry for name, entry in document.items() if entry or name not in ("parts", "never")
    }
