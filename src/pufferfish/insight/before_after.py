"""What a recoding does to the rows of a table: exactly, from its map and the frequencies of rows.

With frequencies w(x) and the map M(x,y), a column stays as it is in the share
Σ_x w(x)·Σ_y M(x,y)·[x and y agree in it] of the rows. For one secret, w is the law of its rows:
small groups, whose rows look least like all others, pay most.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.known import Given
from pufferfish.beliefs.labels import Label, key_of, label_key, parts_of, places_of
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Scenario, Secret
from pufferfish.calibration.categories import categories_of
from pufferfish.calibration.losses import column_of
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.strata import group_beliefs, shares_of
from pufferfish.core.validation import FloatArray
from pufferfish.insight.associations import Joint
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.law import Recoding

__all__ = ["ColumnKept", "Kept", "Rows", "by_secret", "expected", "kept_of", "rows_of"]
__all__ += ["rows_of_table", "secret_rows", "true_rows"]

Cells = tuple[tuple[Label, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rows:
    """Rows with the same published known values, and the law that is applied to them.

    Attributes:
        given: The known values.
        share: Their share of all rows of the table.
        values: The combinations that occur, one label for each published column.
        often: The frequency of each; they sum to 1.
        law: What is applied.
    """

    given: Given
    share: float
    values: Cells
    often: FloatArray
    law: Law


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnKept:
    """What is left of one column, and what publishing one constant would leave.

    Attributes:
        unchanged: The share of rows in which it stays as it is.
        mode_share: The share that one constant would leave as they are.
        rmse: The root mean square error of numbers; else None.
        std: The error of publishing the mean of numbers; else None.
    """

    unchanged: float
    mode_share: float
    rmse: float | None = None
    std: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is left of some rows.

    Attributes:
        rows: How many there are; None where they were not counted.
        unchanged: The share of rows that stay as they are in all columns.
        columns: What is left of each column.
        rmse: The error of a row: numbers count in stds of their column, a changed label counts 1.
    """

    rows: int | None
    unchanged: float
    columns: tuple[ColumnKept, ...]
    rmse: float


def rows_of(calibration: Calibration, kept: Sequence[str]) -> tuple[Rows, ...]:
    """The rows of a table by published known values, with the frequencies in the beliefs.

    Args:
        calibration: One law, or one for each known value.
        kept: The known columns that are published.
    """
    if calibration.parts:
        shares = shares_of(calibration.parts)
        return tuple(
            _rows(
                dict(zip(calibration.strata.columns, values, strict=True)),
                share,
                part.mechanism,
                part.scenario,
            )
            for values, (share, part) in zip(calibration.strata, shares, strict=True)
        )
    beliefs = [each for each in calibration.scenario.beliefs if {*each.given} == {*kept}]
    if not kept or not all(_counted(each) for each in beliefs) or not beliefs:
        return (_rows({}, 1.0, calibration.mechanism, calibration.scenario),)
    groups = group_beliefs(beliefs, kept)
    sizes = [_counted(group[0]) or 0 for _, group in groups]
    return tuple(
        _rows(
            dict(zip(kept, values, strict=True)),
            size / sum(sizes),
            calibration.mechanism,
            Scenario(group, calibration.scenario.pairs),
        )
        for (values, group), size in zip(groups, sizes, strict=True)
    )


def rows_of_table(
    columns: Sequence[str], table: Joint, kept: Sequence[str], law: Law
) -> tuple[Rows, ...]:
    """The same from a counted table; rows without a law are left out."""
    wide, places = len(columns), [table.columns.index(name) for name in kept]
    own = [table.columns.index(name) for name in columns]
    found: dict[object, tuple[Given, list[tuple[Label, ...]], list[float]]] = {}
    for cell, weight in zip(table.cells, table.weights.tolist(), strict=True):
        values = tuple(cell[place] for place in places)
        known: Given = dict(zip(kept, values, strict=True))
        _, cells, weights = found.setdefault(key_of(values), (known, [], []))
        cells.append(tuple(cell[place] for place in own[:wide]))
        weights.append(weight)
    made = []
    for given, cells, weights in found.values():
        one = _law_of(law, given)
        if one is not None:
            often = np.array(weights)
            made.append(
                Rows(
                    given=given,
                    share=float(often.sum()),
                    values=tuple(cells),
                    often=often / often.sum(),
                    law=one,
                )
            )
    return tuple(made)


def true_rows(columns: Sequence[str], kept: Sequence[str], rows: Sequence[Rows]) -> Joint:
    """The law of a row before the release, with the known columns that are published."""
    known = [name for name in kept if all(name in each.given for each in rows)]
    cells = [
        (*value, *(each.given[name] for name in known)) for each in rows for value in each.values
    ]
    weights = np.concatenate([each.share * each.often for each in rows])
    return Joint.of((*columns, *known), cells, weights)


def expected(columns: Sequence[str], kept: Sequence[str], rows: Sequence[Rows]) -> Joint | None:
    """The exact law of a published row; None where noise makes it a density."""
    known = [name for name in kept if all(name in each.given for each in rows)]
    cells: list[tuple[Label, ...]] = []
    weights = []
    for each in rows:
        if not isinstance(each.law, Recoding):
            return None
        given = tuple(each.given[name] for name in known)
        cells += [(*parts_of(output), *given) for output in each.law.outputs]
        weights.append(each.share * (each.often @ _chances(each.law, each.values)))
    return Joint.of((*columns, *known), cells, np.concatenate(weights))


def kept_of(
    law: Recoding,
    values: Cells,
    weights: FloatArray,
    units: Sequence[float],
    rows: int | None = None,
) -> Kept:
    """What a recoding leaves of rows with these frequencies; `units`: stds of numbers, else 0."""
    often = weights / weights.sum()
    chances = often[:, None] * _chances(law, values)
    outputs = [parts_of(each) for each in law.outputs]
    every = np.ones(chances.shape, dtype=bool)
    columns, loss = [], 0.0
    for part, unit in enumerate(units):
        mine, theirs = [each[part] for each in values], [each[part] for each in outputs]
        same = _agree(mine, theirs)
        every &= same
        stays = float((chances * same).sum())
        mode = _mode(mine, often)
        if not unit:
            columns.append(ColumnKept(unchanged=stays, mode_share=mode))
            loss += float((chances * ~same).sum())
            continue
        gaps = (_numbers(mine)[:, None] - _numbers(theirs)) ** 2
        there = ~np.isnan(gaps)
        weight = float(chances[there].sum())
        square = float((chances[there] * gaps[there]).sum()) / weight if weight else 0.0
        columns.append(
            ColumnKept(
                unchanged=stays, mode_share=mode, rmse=math.sqrt(square), std=_std(mine, often)
            )
        )
        # A missing value that is made or filled costs as much as the value of another row.
        holes = float((chances * (~there & ~same)).sum())
        loss += weight * square / unit**2 + 2.0 * holes
    return Kept(
        rows=rows,
        unchanged=float((chances * every).sum()),
        columns=tuple(columns),
        rmse=math.sqrt(max(loss, 0.0)),
    )


def secret_rows(
    calibration: Calibration, name: str, secrets: Collection[Secret]
) -> tuple[Rows, ...]:
    """The rows of some secrets, each with the law applied to it; none if rows were not counted.

    Args:
        calibration: With beliefs about these secrets.
        name: The name of the column of the secret.
        secrets: The secrets in question.
    """
    found = []
    for part in calibration.parts or (calibration,):
        for belief in _least_informed(part.scenario.beliefs):
            for secret, prior in belief.priors.items():
                cells, weights, rows = _law_of_secret(prior)
                if secret not in secrets:
                    continue
                if rows is None:
                    return ()
                found.append(
                    Rows(
                        given={name: secret},
                        share=float(rows),
                        values=cells,
                        often=weights,
                        law=part.mechanism,
                    )
                )
    return tuple(found)


def by_secret(calibration: Calibration, units: Sequence[float]) -> dict[Secret, Kept]:
    """What the rows of each secret pay; empty for noise, which costs all rows the same.

    Known values are weighted by the number of rows of the secret that have each, where that was
    counted; else by the number of rows of the table.
    """
    found: dict[Secret, list[tuple[float, Kept]]] = {}
    parts = calibration.parts or (calibration,)
    for share, part in shares_of(parts):
        law = part.mechanism
        if not isinstance(law, Recoding):
            return {}
        for belief in _least_informed(part.scenario.beliefs):
            for secret, prior in belief.priors.items():
                cells, weights, rows = _law_of_secret(prior)
                if cells:
                    kept = kept_of(law, cells, weights, units, rows)
                    found.setdefault(secret, []).append((share, kept))
    return {secret: _together(kept) for secret, kept in found.items()}


def _together(parts: Sequence[tuple[float, Kept]]) -> Kept:
    """What is left of several groups of rows together."""
    counted = [kept.rows for _, kept in parts if kept.rows is not None]
    whole = len(counted) == len(parts)
    sizes = np.array([kept.rows if whole else share for share, kept in parts], dtype=np.float64)
    sizes = sizes / sizes.sum()

    def mean(numbers: Iterator[float]) -> float:
        return float(sizes @ np.fromiter(numbers, dtype=np.float64))

    def root(numbers: Iterable[float | None]) -> float | None:
        squares = [each**2 for each in numbers if each is not None]
        return math.sqrt(mean(iter(squares))) if squares else None

    columns = [
        ColumnKept(
            unchanged=mean(each.unchanged for each in several),
            mode_share=mean(each.mode_share for each in several),
            rmse=root(each.rmse for each in several),
            std=root(each.std for each in several),
        )
        for several in zip(*(kept.columns for _, kept in parts), strict=True)
    ]
    return Kept(
        rows=sum(counted) if whole else None,
        unchanged=mean(kept.unchanged for _, kept in parts),
        columns=tuple(columns),
        rmse=math.sqrt(mean(kept.rmse**2 for _, kept in parts)),
    )


def _least_informed(beliefs: Sequence[Belief]) -> list[Belief]:
    """The beliefs of the adversaries who know least, one for each secret and each known value."""
    fewest = min(len(each.given) for each in beliefs)
    found: dict[object, Belief] = {}
    for each in beliefs:
        if len(each.given) == fewest:
            found.setdefault((key_of(tuple(each.given.values())), frozenset(each.priors)), each)
    return list(found.values())


def _law_of_secret(prior: Prior) -> tuple[Cells, FloatArray, int | None]:
    if not isinstance(prior, Categorical | Discrete):
        return (), np.zeros(0), None
    values = prior.values if isinstance(prior, Categorical) else prior.values.tolist()
    counts = prior.counts
    rows = None if counts is None else int(counts.sum())
    return tuple(parts_of(each) for each in values), prior.probabilities, rows


def _rows(given: Given, share: float, law: Law, scenario: Scenario) -> Rows:
    """The rows with the values and frequencies in the beliefs."""
    if scenario.beliefs[0].labelled:
        found = categories_of(scenario)
        values, often = tuple(map(parts_of, found.values)), found.frequencies
    else:
        column = column_of(scenario, None).frequencies
        values = tuple((each,) for each in column)
        often = np.array(list(column.values()))
    return Rows(given=given, share=share, values=values, often=often / often.sum(), law=law)


def _counted(belief: Belief) -> int | None:
    table = belief.frequencies
    if table is None or table.counts is None:
        return None
    return int(table.counts.sum()) + belief.frequencies_missing


def _law_of(law: Law, given: Given) -> Law | None:
    if not isinstance(law, Stratified):
        return law
    place = law.place_of(given)
    return None if place is None else law.strata[place].law


def _chances(law: Recoding, values: Cells) -> FloatArray:
    """The probability of each output, for each value."""
    if not law.labelled:
        numbers = _numbers([each[0] for each in values])
        found = law.spread(np.nan_to_num(numbers))
        if np.isnan(numbers).any() and law.takes_missing:
            found[np.isnan(numbers)] = law.matrix[-1]
        return found
    places = places_of(law.values)
    unseen = None if law.unseen is None else np.array(law.unseen) / float(WHOLE)
    matrix = law.matrix
    found = np.zeros((len(values), len(law.outputs)))
    for row, value in enumerate(values):
        place = places.get(key_of(value))
        if place is not None:
            found[row] = matrix[place]
        elif unseen is not None:
            found[row] = unseen
    return found


def _agree(mine: Sequence[Label], theirs: Sequence[Label]) -> npt.NDArray[np.bool_]:
    """Where two lists of labels agree."""
    index: dict[object, int] = {}
    codes = [
        np.array([index.setdefault(label_key(each), len(index)) for each in labels])
        for labels in (mine, theirs)
    ]
    return np.asarray(codes[0][:, None] == codes[1])


def _mode(labels: Sequence[Label], often: FloatArray) -> float:
    """The frequency of the most frequent label."""
    shares: dict[object, float] = {}
    for label, share in zip(labels, often.tolist(), strict=True):
        shares[label_key(label)] = shares.get(label_key(label), 0.0) + share
    return max(shares.values())


def _std(labels: Sequence[Label], often: FloatArray) -> float:
    numbers = _numbers(labels)
    there = ~np.isnan(numbers)
    if not often[there].sum():
        return 0.0
    shares = often[there] / often[there].sum()
    mean = float(shares @ numbers[there])
    return math.sqrt(float(shares @ (numbers[there] - mean) ** 2))


def _numbers(labels: Sequence[Label]) -> FloatArray:
    return np.array([math.nan if each is None else float(each) for each in labels])
