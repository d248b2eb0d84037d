"""An estimate with its standard error and its 95% interval."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pufferfish.core.errors import CoverageWarning

__all__ = ["Estimate", "Z", "announce", "normal_estimate"]

# The normal law is within ±Z with probability 0.95.
Z = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number about the law of X, and how far the rows and the noise may have moved it.

    Attributes:
        value: The estimate, unchanged: a variance or a probability may be below 0.
        standard_error: Its standard error; ∞ where the data set no bound.
        lower: Lower end of the 95% interval; −∞ where the data set no bound.
        upper: Upper end of the 95% interval; ∞ where the data set no bound.
        note: A note for its readers; may be empty.
        warning: Why the interval may cover less often than 95%; empty where nothing of the kind was
            measured. A `CoverageWarning` says the same.
    """

    value: float
    standard_error: float
    lower: float
    upper: float
    note: str = ""
    warning: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes 0: the data tell the value from 0."""
        return self.lower > 0.0 or self.upper < 0.0

    def __str__(self) -> str:
        error = self.standard_error
        # Two digits of the standard error; more would be noise.
        known = math.isfinite(error) and error > 0.0
        places = 1 - math.floor(math.log10(error)) if known else 4

        def text(number: float) -> str:
            if not math.isfinite(number) or not -4 <= places <= 12:
                return f"{number:.6g}"
            return f"{round(number, places):.{max(places, 0)}f}"

        ends = f"(standard error {text(error)}, 95%: {text(self.lower)} to {text(self.upper)})"
        note = f"; {self.note}" if self.note else ""
        warning = f"; WARNING: {self.warning}" if self.warning else ""
        return f"{text(self.value)} {ends}{note}{warning}"


def announce(estimates: Iterable[Estimate], rows: str = "") -> tuple[Estimate, ...]:
    """The estimates; emits each different warning among them once, for the caller's caller.

    Args:
        estimates: The estimates.
        rows: Which rows they are about, if not about all; for their notes.
    """
    found = tuple(
        replace(each, note="; ".join(filter(None, (rows, each.note)))) for each in estimates
    )
    for text in dict.fromkeys(each.warning for each in found if each.warning):
        warnings.warn(f"an interval may miss: {text}.", CoverageWarning, stacklevel=3)
    return found


def normal_estimate(
    value: float, standard_error: float, note: str = "", warning: str = ""
) -> Estimate:
    """value ± Z·standard_error, for an estimate that is nearly normal."""
    return Estimate(
        value=value,
        standard_error=standard_error,
        lower=value - Z * standard_error,
        upper=value + Z * standard_error,
        note=note,
        warning=warning,
    )
