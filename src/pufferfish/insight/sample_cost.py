"""What a promise for the population costs, compared with the same promise for these rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Scenario, Secret
from pufferfish.calibration.again import calibrate_again
from pufferfish.calibration.losses import column_of
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import PufferfishError
from pufferfish.words.numbers import readable

__all__ = ["SampleCost", "sample_cost"]

# Rows are too few where the error is at least this fraction of that of a constant.
_FEW = 0.9
# The multiples of the number of rows that are tried, and for how long.
_TIMES = (2, 4, 8, 16, 32, 64)
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCost:
    """The error of a promise for the population, and what it is compared with.

    Attributes:
        rmse: The error of what was calibrated.
        plain_rmse: That of the same promise for exactly the described laws.
        constant_rmse: That of publishing one constant.
        times: How many times as many rows would bring the error halfway from that of the constant
            to the plain one; None: there are enough rows, or the number was not found.
        smallest: The pair's smaller secret, where the promise is tightest, and its rows; None:
            the laws were not counted.
    """

    rmse: float
    plain_rmse: float
    constant_rmse: float
    times: int | None
    smallest: tuple[Secret, int] | None

    @property
    def few(self) -> bool:
        """Whether the rows are too few: the error is close to that of a constant."""
        return self.rmse >= _FEW * self.constant_rmse and self.plain_rmse < _FEW * self.rmse

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "rmse": self.rmse,
            "plain_rmse": self.plain_rmse,
            "constant_rmse": self.constant_rmse,
            "few": self.few,
            "times": self.times,
            "smallest": None if self.smallest is None else list(self.smallest),
        }

    def __str__(self) -> str:
        """One paragraph."""
        text = (
            f"The error is {readable(self.rmse, 3)}. The same promise for exactly the described "
            "laws, which says nothing about the population, would have an error of "
            f"{readable(self.plain_rmse, 3)}; one constant for everybody has "
            f"{readable(self.constant_rmse, 3)}."
        )
        if not self.few:
            return text
        which, cheaper = "", ""
        if self.smallest is not None:
            secret, rows = self.smallest
            which = f" ({rows:,} of {secret!r})"
            if self.times is not None:
                cheaper = (
                    f" It would cost less with about {self.times} times as many rows of each "
                    f"secret, that is {rows * self.times:,} of {secret!r}: the error would then be "
                    "at most halfway from the plain one to that of the constant."
                )
        as_much = "more than" if self.rmse > self.constant_rmse else "almost as much as"
        return (
            f"{text} The promise holds; but with so few rows{which}, it costs {as_much} "
            f"publishing a constant.{cheaper} Less confidence costs less, and so do fewer pairs, "
            "among which it is divided."
        )


def sample_cost(calibration: Calibration) -> SampleCost | None:
    """What the sampling error costs; None where it is not covered, or nothing can be compared."""
    scenario = calibration.scenario
    if not scenario.sampled or calibration.parts:
        return None
    recode = calibration.recode
    nominal = {} if recode is None else {"nominal": True}
    try:
        plain = calibrate_again(calibration, scenario.as_described(), **nominal).rmse
    except PufferfishError:
        return None
    constant = column_of(scenario, None).std if recode is None else recode.constant_rmse
    worst = calibration.certificate.worst
    belief = next(each for each in scenario.beliefs if each.name == worst.belief)
    sizes = {secret: _rows(belief.priors[secret]) for secret in worst.pair}
    least = min(sizes, key=sizes.__getitem__)
    found = SampleCost(
        rmse=calibration.rmse,
        plain_rmse=plain,
        constant_rmse=constant,
        times=None,
        smallest=(least, sizes[least]) if sizes[least] else None,
    )
    return replace(found, times=_enough(calibration, found)) if found.few else found


def _rows(law: Prior) -> int:
    counts = law.counts if isinstance(law, Discrete | Categorical) else None
    return 0 if counts is None else int(np.sum(counts))


def _enough(calibration: Calibration, cost: SampleCost) -> int | None:
    """The least multiple of the number of rows, with the same frequencies, that is enough."""
    wanted = 0.5 * (cost.plain_rmse + cost.constant_rmse)
    begun = time.monotonic()
    for times in _TIMES if _scales(calibration.scenario) else ():
        if time.monotonic() - begun > _PATIENCE:
            return None
        beliefs = [_more_rows(each, times) for each in calibration.scenario.beliefs]
        more = Scenario(beliefs, calibration.scenario.pairs)
        if calibrate_again(calibration, more).rmse <= wanted:
            return times
    return None


def _scales(scenario: Scenario) -> bool:
    """Whether the regions come from counts, and not from given widths."""
    return all(each.region is None or each.region.shape != "band" for each in scenario.beliefs)


def _more_rows(belief: Belief, times: int) -> Belief:
    """The same frequencies in more rows."""
    if belief.region is None:
        return belief
    priors = {secret: _repeated(law, times) for secret, law in belief.priors.items()}
    missing = {secret: times * count for secret, count in belief.missing_counts.items()}
    return replace(belief, priors=priors, missing_counts=missing)


def _repeated(law: Prior, times: int) -> Prior:
    if isinstance(law, Discrete) and law.counts is not None:
        return Discrete(values=law.values, counts=law.counts * times)
    if isinstance(law, Categorical) and law.counts is not None:
        return Categorical(values=law.values, counts=law.counts * times)
    return law
