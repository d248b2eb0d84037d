"""The result of a calibration, as data: the mechanism and its certificate."""

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
from pufferfish.documents.types import NotNegative, Numbers, Positive, Share
from pufferfish.exact import Certificate
from pufferfish.exact.many import is_many
from pufferfish.noise import Law, Noise, Stratified, as_noise
from pufferfish.theorems import ComposableCertificate, Tau, composable_rows
from pufferfish.words.explanation import Explanation

__all__ = ["Calibration", "PartFigures", "Recode", "recode_to_plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFigures:
    """What a recoding of categories, or of several columns, does to one column.

    Attributes:
        column: Its name; empty where it has none.
        unchanged: The share of rows in which it is published as it is.
        mode_share: The share of rows that publishing one constant would leave as they are.
        rmse: The root mean square error of a column of numbers.
        std: The error of publishing the mean of a column of numbers for everybody.
    """

    column: str
    unchanged: Annotated[float, Meta(ge=0, le=1)]
    mode_share: Annotated[float, Meta(ge=0, le=1)]
    rmse: NotNegative | None = None
    std: NotNegative | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """The requirements on a recoding, and its cost; as private as the table it was found from.

    Attributes:
        floor: κ, in units of the column; None: no floor.
        floor_of_noise: Whether κ is that of the least noise, and so depends on the beliefs.
        wrong: How far in total variation each law may be from the one believed.
        wrong_of_table: Whether `wrong` was chosen by looking at the table.
        loss: "squared", "absolute", "changed", "steps", or "own" for a loss that the user gave;
            "columns" for the sum over columns that is the default for categories.
        weighted: Whether the loss has weights that the user gave.
        keep_histogram: Whether published values occur as often as before, on average.
        mean_loss: The mean loss of a row.
        least_loss: A lower bound on the loss of every map with these outputs, through the kernel of
            this floor, that keeps the promise.
        rmse: The root mean square error of a published value; for categories and several columns
            that of a row, where numbers count in stds of their column and a changed category counts
            1.
        unchanged: The share of values, or for several columns of rows, that are published as they
            are.
        moved: The mean distance that the others move, counted as for `rmse`.
        constant_rmse: The error of publishing one constant for everybody, counted likewise: for
            numbers the column's std.
        laplace_rmse: The error of the least Laplace noise; None if there is none.
        parts: For categories: the figures of each column.
        never: Labels that are never published together.
        edges: The public edges of the bins that were asked for; None: none were.
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
    edges: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Calibration:
    """A mechanism that keeps a goal, with its exact certificate.

    Attributes:
        scenario: The beliefs, and the pairs of secrets.
        goal: The promise.
        method: How the size was found.
        mechanism: The law that is applied to each value.
        certificate: The exact certificate of one release under `mechanism`. It holds, unless
            `certified_only=False` asked for a size that does not keep the promise.
        tau: The form of τ(δ), for the methods that have one.
        radius: How far in W_∞ the true laws may be from the believed ones.
        recode: For a recoding: the requirements and its cost.
        parts: If each stratum of known values has a law of its own: the calibration of each, in the
            order of the law's strata.
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
        """Take the law as `noise`, or as `mechanism` if it adds no noise."""
        law = mechanism if noise is None else noise
        require(law is not None, "a calibration needs the law that is applied.")
        strata = len(law.strata) if isinstance(law, Stratified) else 0
        require(
            len(parts) == strata, "a law for each stratum needs a calibration for each stratum."
        )
        given = (scenario, goal, method, law, certificate, tau, radius, recode, parts)
        for each, value in zip(fields(self), given, strict=True):
            object.__setattr__(self, each.name, value)

    def __repr__(self) -> str:
        """All fields but the scenario, which may be large and private."""
        law = "noise" if self.mechanism.additive else "mechanism"
        return (
            f"Calibration(goal={self.goal!r}, method={self.method!r}, {law}={self.mechanism!r}, "
            f"certificate={self.certificate!r}, tau={self.tau!r}, radius={self.radius!r})"
        )

    @property
    def noise(self) -> Noise:
        """The noise to add, grid included; `NoNoise()` where none is needed.

        Raises:
            UnsupportedError: The mechanism does not add noise.
        """
        return as_noise(self.mechanism)

    @property
    def rmse(self) -> float:
        """The root mean square error: the std of noise, or a recoding's error over the rows."""
        if self.recode is not None:
            return self.recode.rmse
        if self.parts:
            return math.sqrt(sum(share * part.rmse**2 for share, part in shares_of(self.parts)))
        if self.mechanism.additive:
            return self.mechanism.error()
        return self.mechanism.error(column_of(self.scenario, None).frequencies)

    @property
    def strata(self) -> Strata[Calibration]:
        """The calibration of each stratum: of the rows with each combination of known values.

        Where one law serves everybody, each stratum has that law and a certificate of its own. The
        key is the values in the order of the known columns: strata["Male", ">50K"]; with one known
        column: strata["Male"].
        """
        if isinstance(self.mechanism, Stratified):
            given = tuple(each.given for each in self.mechanism.strata)
            return Strata(self.mechanism.columns, given, self.parts)
        return one_law_for_all(self)

    @property
    def certified(self) -> bool:
        """Whether the promise is certified; False also if that could not be decided."""
        return self.certificate.holds is True

    @property
    def wrong_of_noise(self) -> float:
        """For noise: how far in total variation each law may be from the one believed.

        It is 0 for a recoding, whose `recode` has its own entry for it.
        """
        return 0.0 if self.recode is not None else self.certificate.wrong

    @property
    def composable(self) -> ComposableCertificate | None:
        """The cost of repeated releases, at the goal's δ; None if no coupling bounds it."""
        return composable_rows(
            self.scenario,
            self.mechanism,
            self.goal.delta,
            self.radius,
            wrong=self.certificate.wrong,
        )

    def explain(self, *, another_table: bool = False) -> Explanation:
        """What was done, what is promised, against whom, and what is not, in numbered steps.

        The result is a string to print; its `steps` hold the same as data.

        Args:
            another_table: Whether beliefs that are labelled as fitted on the released column turned
                out to be about another table.
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
    """Figures for a document; entries of categories are left out if there are none."""
    if recode is None:
        return None
    document: dict[str, Any] = plain(recode) | {"never": [dict(rule) for rule in recode.never]}
    return {
        name: entry
        for name, entry in document.items()
        if entry or name not in ("parts", "never", "edges")
    }
