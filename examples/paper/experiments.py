"""The paper's two experiments: the columns, the secrets, and the beliefs of adversaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import pufferfish as pf
from examples.paper.figure import FloatArray

__all__ = ["TABLE", "Experiment", "adult", "hungarian"]

# The name of the adversary who knows the frequency of each value.
TABLE = "table"
# The text says three components; the curves of Fig. 3 have four.
_COMPONENTS = (3, 4)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Experiment:
    """One column, one pair of secrets, several adversaries.

    Attributes:
        name: The name of the data.
        column: The column that is published.
        secret: The column that must not be revealed.
        pair: The two secrets.
        values: For each secret the values of the column, without rows that have none.
        rows: The number of rows of the file; `present` of them have a value.
        present: See `rows`.
        beliefs: The adversaries. The paper's noise is calibrated for the first; the last knows the
            table.
        fits: How the mixtures of 3 and 4 components were fitted.
    """

    name: str
    column: str
    secret: str
    pair: pf.SecretPair
    values: Mapping[str, FloatArray]
    rows: int
    present: int
    beliefs: tuple[pf.Belief, ...]
    fits: tuple[pf.FitReport, ...]

    def scenario(self, belief: pf.Belief) -> pf.Scenario:
        """The pair, as one adversary sees it."""
        return pf.Scenario(belief, [self.pair])

    @property
    def first(self) -> pf.Scenario:
        """The pair, as seen by the adversary for whom the paper calibrates."""
        return self.scenario(self.beliefs[0])

    @property
    def table(self) -> pf.Scenario:
        """The pair, as seen by the adversary who knows the table."""
        return self.scenario(self.beliefs[-1])

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest value of the two secrets."""
        both = np.concatenate(list(self.values.values()))
        return float(both.min()), float(both.max())


def adult() -> Experiment:
    """Fig. 3: education level, and race being Black or Asian-Pac-Islander (UCI Adult)."""
    pair = pf.SecretPair("Black", "Asian-Pac-Islander")
    return _experiment(
        "Adult",
        pf.datasets.adult_education(),
        "education-num",
        "race",
        pair,
        pf.datasets.adult_mixtures(),
    )


def hungarian() -> Experiment:
    """Fig. 4: cholesterol, and sex (UCI Heart Disease, Hungarian file).

    The paper's mixtures are not in its source, so all mixtures are ours.
    """
    pair = pf.SecretPair("female", "male")
    return _experiment("Hungarian", pf.datasets.hungarian_cholesterol(), "chol", "sex", pair)


def _experiment(
    name: str,
    columns: Mapping[str, np.ndarray[Any, Any]],
    column: str,
    secret: str,
    pair: pf.SecretPair,
    *given: pf.Belief,
) -> Experiment:
    present = ~np.isnan(columns[column])
    used = present & np.isin(columns[secret], pair)
    # The paper's theorems do not cover missing values, so rows without a value are left out.
    rows = {each: entries[used] for each, entries in columns.items()}
    fits = tuple(
        pf.fit_report(
            rows,
            column,
            secret,
            components=count,
            provenance="public",
            name=f"our mixtures of {count}",
        )
        for count in _COMPONENTS
    )
    table = pf.fit_belief(rows, column, secret, "empirical", provenance="public", name=TABLE)
    return Experiment(
        name=name,
        column=column,
        secret=secret,
        pair=pair,
        values={str(each): rows[column][rows[secret] == each].astype(np.float64) for each in pair},
        rows=present.size,
        present=int(present.sum()),
        beliefs=(*given, *(fit.belief for fit in fits), table),
        fits=fits,
    )
