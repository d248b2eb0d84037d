"""A recoding as data: its values, its outputs, and the table of whole numbers that is drawn from.

Value x is published as y with probability table(x,y)/2⁶². If a column has too many values to list,
x is first put into a bin; if noise is added first, x + N is. A floor κ means that

    M(x,·) ≤ e^{κ·d(x,x')}·M(x',·)    for every two values, whatever anybody believes.

It is a claim about the numbers of the table, and a table that breaks it is refused.

Categories, and tuples of several columns, are *labelled*: inside they are their places 0, 1, 2, …
in the list of values.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Labels, keys_of, places_of
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.numerics import reciprocal_down
from pufferfish.core.validation import FloatArray, finite, positive, require
from pufferfish.noise import LaplaceNoise, Law
from pufferfish.recoding import error
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.checks import (
    check_categories,
    check_metric,
    check_values,
    has_labels,
    rank_of,
)
from pufferfish.recoding.domain import AnyValue, Cells, Value, between, cells_of_labels
from pufferfish.recoding.exact import WHOLE, floor_of
from pufferfish.recoding.frequencies import Frequencies, weigh_labels
from pufferfish.recoding.kernels import line_floor, metric_floor
from pufferfish.recoding.table import round_table
from pufferfish.words.numbers import at_most

__all__ = ["Recoding"]

_MOST_CELLS = 1_000
# Larger whole numbers may change when they become doubles.
_LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Recoding(Law):
    """A random map from values to values.

    Attributes:
        values: The domain: listed values in rising order, or the number that stands for each bin;
            None, at the end, for a missing value. Or categories, or tuples of them in the order of
            their columns, with None for a missing one in any place.
        outputs: The values that may be published.
        table: Whole numbers: a row for each value, each with sum 2⁶².
        edges: The edges of the bins: bin k is [edges[k−1], edges[k]), and the first and the last
            bin reach to infinity. None: the values are listed.
        noise: Laplace noise that is added before the bin is looked up; None: no noise.
        floor: κ, for two values at distance 1; None: no floor is claimed.
        distances: The distances between the values, without the missing one, if they are not the
            differences.
        labelled: Whether values are categories, or tuples of them; whole numbers may be codes.
        unseen: For a labelled recoding, the row of a value that is not in the list; None: such a
            value is refused. The promise covers it as far as laws may be wrong.
    """

    values: tuple[AnyValue, ...]
    outputs: tuple[AnyValue, ...]
    table: IntegerTable
    edges: tuple[float, ...] | None = None
    noise: LaplaceNoise | None = None
    floor: float | None = None
    distances: FloatArray | None = None
    labelled: bool = False
    unseen: tuple[int, ...] | None = None
    _digest: bytes = field(init=False)

    def __post_init__(self) -> None:
        """Refuse a table that cannot be drawn from, and a floor that it does not keep."""
        object.__setattr__(self, "labelled", self.labelled or has_labels(self.values))
        check = check_categories if self.labelled else check_values
        for name in ("values", "outputs"):
            object.__setattr__(self, name, check(name, getattr(self, name)))
        require(
            sorted(self.cells.numbers) == list(self.cells.numbers),
            "the values must be in rising order.",
        )
        self._check_table()
        require(
            not self.labelled or (self.edges is None and self.noise is None),
            "categories have no bins, and no noise can be added to them: leave out edges and "
            "noise.",
        )
        self._check_unseen()
        if self.edges is not None:
            edges = tuple(finite("an edge", each) for each in self.edges)
            require(
                len(edges) == len(self.cells.numbers) - 1 and sorted(set(edges)) == list(edges),
                "edges must be in rising order, one between every two neighbouring bins.",
            )
            object.__setattr__(self, "edges", edges)
        require(
            self.noise is None or (self.edges is not None and self.noise.grid is not None),
            "noise that is added first needs a grid, and edges by which x + N is put into a bin.",
        )
        if self.distances is not None:
            object.__setattr__(
                self, "distances", check_metric(self.distances, len(self.cells.numbers))
            )
        if self.floor is not None:
            self._check_floor()
        object.__setattr__(self, "_digest", self._compute_digest())

    def _check_table(self) -> None:
        table = np.array(self.table, dtype=np.int64)
        shape = len(self.values), len(self.outputs)
        require(table.shape == shape, f"the table must have shape {shape}, got {table.shape}.")
        require(max(shape) <= _MOST_CELLS, f"a table has at most {_MOST_CELLS:,} rows or columns.")
        # No entry is above 2⁶², so 64 bits hold the sum of rows whose entries are checked first.
        whole = (table >= 0).all() and (table <= WHOLE).all()
        require(
            bool(whole) and all(sum(row) == WHOLE for row in table.tolist()),
            "every row of the table must hold whole numbers that sum to 2^62.",
        )
        table.setflags(write=False)
        object.__setattr__(self, "table", table)

    def _check_unseen(self) -> None:
        if self.unseen is None:
            return
        require(self.labelled, "numbers that are not listed are put into bins: use edges.")
        given = tuple(self.unseen)
        whole = all(isinstance(each, int | np.integer) for each in given)
        row = tuple(int(each) for each in given) if whole else ()
        require(
            len(row) == len(self.outputs) and min(row) >= 0 and sum(row) == WHOLE,
            "the row of unseen values must hold whole numbers that sum to 2^62.",
        )
        # Then, for each output, mass on unseen values does no more than mass on listed ones could,
        # which the promise for wrong laws covers.
        inside = (np.min(self.table, axis=0) <= row).all() and (
            row <= np.max(self.table, axis=0)
        ).all()
        require(bool(inside), "the row of unseen values must be a mixture of the others.")
        object.__setattr__(self, "unseen", row)

    def _check_floor(self) -> None:
        kappa = positive("floor", self.floor)
        require(
            self.edges is None,
            "values of two neighbouring bins may be arbitrarily close, so a table cannot give bins "
            "a floor: with bins, a floor comes from noise that is added first (noise=).",
        )
        require(
            self.distances is not None or not self.labelled,
            "categories have no distance of their own: a floor needs distances=.",
        )
        numbers = np.array(self.cells.numbers)
        pairs = (
            line_floor(numbers, kappa)
            if self.distances is None
            else metric_floor(self.distances, kappa)
        )
        require(
            floor_of(self.table, pairs),
            f"the table does not keep a floor of {at_most(kappa)}: some two values can be "
            "distinguished better than that.",
        )

    def _compute_digest(self) -> bytes:
        said = (self.values, self.outputs, self.edges, self.noise, self.floor)
        words = repr((*said, self.unseen) if self.labelled else said).encode()
        metric = b"" if self.distances is None else self.distances.tobytes()
        return hashlib.sha256(words + metric + self.table.tobytes()).digest()

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[AnyValue],
        matrix: npt.ArrayLike,
        outputs: Sequence[AnyValue] | None = None,
        *,
        floor: float | None = None,
        distances: npt.ArrayLike | None = None,
    ) -> Self:
        """The recoding of a matrix of probabilities, for example from another source.

        Its probabilities are rounded to multiples of 2⁻⁶²; the rounded numbers are judged and drawn
        from.

        Args:
            values: The domain, in any order; None for a missing value. Categories keep their order.
            matrix: A row for each value; rows sum to 1.
            outputs: The values that its columns publish; by default `values`.
            floor: A floor that it must keep; it is refused if it does not.
            distances: The distances between the values, if they are not the differences.
        """
        shares = np.asarray(matrix, dtype=np.float64)
        names = tuple(values)
        require(
            shares.ndim == 2 and shares.shape[0] == len(names),
            f"the matrix must have a row for each of the {len(names)} values.",
        )
        require(
            bool(np.isfinite(shares).all() and (shares >= 0.0).all())
            and bool(np.allclose(shares.sum(axis=1), 1.0, rtol=0.0, atol=1e-9)),
            "the rows of the matrix must be probabilities that sum to 1.",
        )
        order = list(range(len(names)))
        if not has_labels(names):
            order.sort(key=lambda place: rank_of(names[place]))
        metric = None if distances is None else np.asarray(distances, dtype=np.float64)
        return cls(
            values=tuple(names[place] for place in order),
            outputs=names if outputs is None else tuple(outputs),
            table=round_table((shares / shares.sum(axis=1, keepdims=True))[order]),
            floor=floor,
            distances=None if metric is None else metric[np.ix_(*[order[: len(metric)]] * 2)],
        )

    @property
    def cells(self) -> Cells:
        """The cells by which a value is looked up."""
        if self.labelled:
            return cells_of_labels(len(self.values))
        return Cells(cast("tuple[Value, ...]", self.values), self.edges, self.noise)

    @property
    def domain_of_laws(self) -> Cells | tuple[Labels, ...]:
        """The domain of laws: cells of numbers, or the categories themselves."""
        return self.values if self.labelled else self.cells

    @property
    def coded_outputs(self) -> tuple[Value, ...]:
        """The outputs as numbers: a category by its place in the list of values.

        An output that is not among the values has a place after them.
        """
        if not self.labelled:
            return cast("tuple[Value, ...]", self.outputs)
        places, size = places_of(self.values), len(self.values)
        return tuple(
            float(places.get(key, size + y)) for y, key in enumerate(keys_of(self.outputs))
        )

    @property
    def takes_missing(self) -> bool:
        """Whether the domain has a missing value."""
        return self.cells.takes_missing

    @property
    def listed(self) -> bool:
        """Whether it takes only the values that it lists."""
        return self.edges is None

    @property
    def binned(self) -> bool:
        """Whether values are put into bins; edges between listed values make no bins."""
        return self.edges is not None and self.edges != between(self.cells.numbers)

    @property
    def domain(self) -> tuple[Value, ...] | None:
        """The listed values, or the places of categories; with bins, any real number."""
        return self.cells.values if self.listed else None

    @property
    def whole(self) -> bool:
        """Whether all outputs are whole numbers, as the places of categories are."""
        return self.labelled or all(
            isinstance(each, float) and each.is_integer() and abs(each) < _LARGEST_WHOLE
            for each in self.outputs
        )

    @property
    def identity(self) -> bool:
        """Whether every value is published as it is."""
        if not self.listed or keys_of(self.values) != keys_of(self.outputs):
            return False
        return bool((np.diagonal(self.table) == WHOLE).all())

    @property
    def kappa(self) -> float | None:
        """The floor of the table, or of the noise that is added first, rounded up."""
        if self.noise is not None:
            return math.nextafter(1.0 / self.noise.scale, math.inf)
        return self.floor

    @property
    def floored(self) -> bool:
        """Whether there is a floor, also one for distances of its own."""
        return self.kappa is not None

    @property
    def ratio_scale(self) -> float:
        """1/κ, rounded down; 0 without a floor, or with a metric of the user's own."""
        if self.noise is not None:
            return self.noise.ratio_scale
        if self.floor is None or self.distances is not None:
            return 0.0
        return reciprocal_down(self.floor)

    @property
    def at_floor(self) -> LaplaceNoise | None:
        """The noise that is added first, or Laplace noise of scale 1/κ."""
        if self.noise is None and self.ratio_scale:
            return LaplaceNoise(self.ratio_scale)
        return self.noise

    @property
    def matrix(self) -> FloatArray:
        """The map: a row for each of `values`, a column for each of `outputs`."""
        return self.spread(self.cells.numbers, missing=self.takes_missing)

    def spread(self, numbers: Sequence[float] | FloatArray, *, missing: bool = False) -> FloatArray:
        """The probability of each output for each of some numbers, and last for a missing value."""
        shares = np.asarray(self.table / float(WHOLE))
        given = np.asarray(numbers, dtype=np.float64)
        if self.noise is None:
            rows = shares[self.cells.places(given)]
        else:
            inner = np.array(self.edges or ())
            below = self.noise.cdf(inner - given[:, None])
            steps = np.diff(below, prepend=0.0, append=1.0, axis=1)
            rows = steps @ shares[: steps.shape[1]]
        return np.concatenate([rows, shares[-1:]]) if missing else rows

    def output(self, prior: Prior) -> Discrete | Categorical:
        """The approximate law of the output for a value that follows a table; for pictures."""
        if isinstance(prior, Categorical) and self.labelled:
            weights = weigh_labels(self.values, prior)
            published = weights @ self.spread(self.cells.numbers)
            return Categorical(self.outputs, published / published.sum())
        if self.labelled or not isinstance(prior, Discrete):
            raise InvalidInputError(
                "the law that a recoding publishes is computed for tables only: give a Discrete "
                "prior."
            )
        if None in self.outputs:
            raise InvalidInputError("a published hole has no place in a table of numbers.")
        shares = prior.probabilities @ self.spread(prior.values)
        return Discrete([each or 0.0 for each in self.coded_outputs], shares / shares.sum())

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The root mean square error of a published value; for a category, how often it changes.

        Without frequencies it is that of the value with the largest error.
        """
        if frequencies is None:
            return error.largest(self)
        return 1.0 - self.unchanged(frequencies) if self.labelled else self.rmse(frequencies)

    def rmse(self, frequencies: Frequencies) -> float:
        """The root mean square error over rows that have a value before and after.

        Args:
            frequencies: The frequency of each value: {value: frequency}, a pandas Series of counts,
                a table (`Discrete`), or a list in the order of `values`.
        """
        return error.rmse(self, frequencies)

    def moved(self, frequencies: Frequencies) -> float:
        """The mean distance that a changed value moves, over rows with a value before and after."""
        return error.moved(self, frequencies)

    def unchanged(self, frequencies: Frequencies) -> float:
        """The share of rows that are published as they are, missing ones included.

        A value that is put into a bin counts as unchanged if the number of that bin is published.

        Args:
            frequencies: As for `rmse`.
        """
        return error.unchanged(self, frequencies)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same map with the same claims."""
        if not isinstance(other, Recoding):
            return NotImplemented
        return self._digest == other._digest

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash(self._digest)

    def __repr__(self) -> str:
        """Its size and its floor; the table may be private."""
        what = "bins" if not self.listed else "categories" if self.labelled else "values"
        floor = "no floor" if self.kappa is None else f"floor {at_most(self.kappa)}"
        return f"Recoding({len(self.values)} {what} to {len(self.outputs)}, {floor})"

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild, so that a copy's table cannot be written to either."""
        names = ["values", "outputs", "table", "edges", "noise", "floor", "distances"]
        names += ["labelled", "unseen"]
        return _rebuild, ({name: getattr(self, name) for name in names},)


def _rebuild(entries: dict[str, object]) -> Recoding:
    return Recoding(**entries)  # type: ignore[arg-type]  # as they were
