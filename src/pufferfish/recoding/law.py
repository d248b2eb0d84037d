"""A recoding as data: which values it takes, what it may publish, and the whole numbers drawn from.

Value x is published as y with probability table(x,y)/2⁶². Where a column has too many values to
list them, x is first put into a bin; where noise goes first, x + N is. A floor κ says that

    M(x,·) ≤ e^{κ·d(x,x')}·M(x',·)    for every two values, whatever anybody believes.

It is a claim about the numbers of the table, and a table that breaks it is no recoding.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.numerics import reciprocal_down
from pufferfish.core.validation import FloatArray, finite, positive, require
from pufferfish.noise import LaplaceNoise, Law
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.domain import Cells, Value, between
from pufferfish.recoding.exact import WHOLE, floor_of
from pufferfish.recoding.frequencies import Frequencies, weigh
from pufferfish.recoding.kernels import line_floor, metric_floor
from pufferfish.recoding.table import round_table

__all__ = ["Recoding"]

_MOST_CELLS = 1_000
# Every pair of values is compared for distances of one's own.
_MOST_OWN = 200
# Beyond this a whole number may change when it becomes a double.
_LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Recoding(Law):
    """A random map from values to values.

    Attributes:
        values: The domain: listed values in rising order, or what stands for each bin; None, at
            the end, for a missing value.
        outputs: What may be published.
        table: Whole numbers, a row for each value, which sums to 2⁶².
        edges: Between which values the bins lie: bin k is from edges[k−1] up to, not including,
            edges[k]; the first and the last reach to infinity. None: the values are listed.
        noise: Laplace noise that is added before the bin is looked up; None: none is.
        floor: κ, for two values at distance 1; None: none is claimed.
        distances: Between the values, the missing one left out, if not their differences.
    """

    values: tuple[Value, ...]
    outputs: tuple[Value, ...]
    table: IntegerTable
    edges: tuple[float, ...] | None = None
    noise: LaplaceNoise | None = None
    floor: float | None = None
    distances: FloatArray | None = None
    _digest: bytes = field(init=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn, and a floor that the table does not keep."""
        for name in ("values", "outputs"):
            object.__setattr__(self, name, _check_values(name, getattr(self, name)))
        require(
            sorted(self.cells.numbers) == list(self.cells.numbers),
            "the values must be in rising order.",
        )
        self._check_table()
        if self.edges is not None:
            edges = tuple(finite("an edge", each) for each in self.edges)
            require(
                len(edges) == len(self.cells.numbers) - 1 and sorted(set(edges)) == list(edges),
                "edges must be in rising order, one between each two bins.",
            )
            object.__setattr__(self, "edges", edges)
        require(
            self.noise is None or (self.edges is not None and self.noise.grid is not None),
            "noise that goes first needs edges, by which x + N is put into a bin, and a grid.",
        )
        if self.distances is not None:
            object.__setattr__(
                self, "distances", _check_metric(self.distances, len(self.cells.numbers))
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

    def _check_floor(self) -> None:
        kappa = positive("floor", self.floor)
        require(
            self.edges is None,
            "values of one bin are not told apart, and those of two may be as close as one likes: "
            "with bins a floor comes from noise that goes first.",
        )
        numbers = np.array(self.cells.numbers)
        pairs = (
            line_floor(numbers, kappa)
            if self.distances is None
            else metric_floor(self.distances, kappa)
        )
        require(
            floor_of(self.table, pairs),
            f"the table does not keep a floor of {kappa:g}: some two values can be told apart "
            "better than that.",
        )

    def _compute_digest(self) -> bytes:
        words = repr((self.values, self.outputs, self.edges, self.noise, self.floor)).encode()
        metric = b"" if self.distances is None else self.distances.tobytes()
        return hashlib.sha256(words + metric + self.table.tobytes()).digest()

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[Value],
        matrix: npt.ArrayLike,
        outputs: Sequence[Value] | None = None,
        *,
        floor: float | None = None,
        distances: npt.ArrayLike | None = None,
    ) -> Self:
        """The recoding of a matrix of probabilities, such as somebody else's.

        Its probabilities are rounded to multiples of 2⁻⁶², and what is rounded is what is judged
        and drawn.

        Args:
            values: The domain, in any order; None for a missing value.
            matrix: A row for each value; rows sum to 1.
            outputs: What its columns publish; without them, the values.
            floor: A floor that it keeps; refused if it does not.
            distances: Between the values, if that is not their difference.
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
        order = sorted(range(len(names)), key=lambda place: _rank(names[place]))
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
        """What a value is looked up by."""
        return Cells(self.values, self.edges, self.noise)

    @property
    def takes_missing(self) -> bool:
        """Whether a missing value is one of the domain."""
        return self.cells.takes_missing

    @property
    def listed(self) -> bool:
        """Whether it takes the values that it lists, and no others."""
        return self.edges is None

    @property
    def binned(self) -> bool:
        """Whether values are put into bins; edges that only lie between listed values make none."""
        return self.edges is not None and self.edges != between(self.cells.numbers)

    @property
    def domain(self) -> tuple[Value, ...] | None:
        """The listed values; with bins, any real number."""
        return self.values if self.listed else None

    @property
    def whole(self) -> bool:
        """Whether everything that it publishes is a whole number."""
        return all(
            each is not None and each.is_integer() and abs(each) < _LARGEST_WHOLE
            for each in self.outputs
        )

    @property
    def identity(self) -> bool:
        """Whether every value is published as it is."""
        if not self.listed or self.values != self.outputs:
            return False
        return bool((np.diagonal(self.table) == WHOLE).all())

    @property
    def kappa(self) -> float | None:
        """The floor: that of the table, or of the noise that goes first, rounded up."""
        if self.noise is not None:
            return math.nextafter(1.0 / self.noise.scale, math.inf)
        return self.floor

    @property
    def ratio_scale(self) -> float:
        """1/κ, rounded down; 0 without a floor, or with a metric of one's own."""
        if self.noise is not None:
            return self.noise.ratio_scale
        if self.floor is None or self.distances is not None:
            return 0.0
        return reciprocal_down(self.floor)

    @property
    def at_floor(self) -> LaplaceNoise | None:
        """The noise that goes first, or Laplace noise of scale 1/κ."""
        if self.noise is None and self.ratio_scale:
            return LaplaceNoise(self.ratio_scale)
        return self.noise

    @property
    def matrix(self) -> FloatArray:
        """The map: a row for each of `values`, a column for each of `outputs`."""
        return self.spread(self.cells.numbers, missing=self.takes_missing)

    def spread(self, numbers: Sequence[float] | FloatArray, *, missing: bool = False) -> FloatArray:
        """For each of some numbers how likely each output is; for a missing value at the end."""
        shares = self.table / float(WHOLE)
        given = np.asarray(numbers, dtype=np.float64)
        if self.noise is None:
            rows = shares[self.cells.places(given)]
        else:
            inner = np.array(self.edges or ())
            below = self.noise.cdf(inner - given[:, None])
            steps = np.diff(below, prepend=0.0, append=1.0, axis=1)
            rows = steps @ shares[: steps.shape[1]]
        return np.concatenate([rows, shares[-1:]]) if missing else rows

    def output(self, prior: Prior) -> Discrete:
        """About how likely each output is, for a value that follows a table; for pictures."""
        if not isinstance(prior, Discrete):
            raise InvalidInputError("what a recoding publishes is worked out for tables here.")
        if None in self.outputs:
            raise InvalidInputError("a published hole has no place in a table of numbers.")
        shares = prior.probabilities @ self.spread(prior.values)
        return Discrete([float(each or 0.0) for each in self.outputs], shares / shares.sum())

    def error(self, frequencies: Mapping[Value, float] | None = None) -> float:
        """The root mean square error of a published value.

        Without frequencies that of the value that has most.
        """
        if frequencies is not None:
            return self.rmse(frequencies)
        return float(np.sqrt(self._mean_squares().max(initial=0.0)))

    def rmse(self, frequencies: Frequencies) -> float:
        """The root mean square error over rows that have a value before and after.

        Args:
            frequencies: How often each value occurs: {value: how often}, a pandas Series of counts,
                a table (`Discrete`), or a list in the order of `values`.
        """
        numbers, weights, _ = weigh(self.cells, frequencies)
        rows, error = self.spread(numbers), self._squares(numbers)
        kept = weights @ (rows * self._published).sum(axis=1)
        return math.sqrt(float((weights @ (rows * error).sum(axis=1)) / kept)) if kept else 0.0

    def moved(self, frequencies: Frequencies) -> float:
        """How far a changed value moves, on average, where it has a value before and after."""
        numbers, weights, _ = weigh(self.cells, frequencies)
        rows, gaps = self.spread(numbers), np.sqrt(self._squares(numbers))
        changed = weights @ (rows * self._published * (gaps > 0.0)).sum(axis=1)
        return float(weights @ (rows * gaps).sum(axis=1) / changed) if changed else 0.0

    def unchanged(self, frequencies: Frequencies) -> float:
        """The share of rows that are published as they are, missing ones included.

        A value that is put into a bin stays as it is if what stands for that bin is published.

        Args:
            frequencies: As for `rmse`.
        """
        numbers, weights, missing = weigh(self.cells, frequencies)
        published = np.array([math.nan if each is None else each for each in self.outputs])
        itself = np.array(self.cells.numbers)[self.cells.places(numbers)]
        same = float(weights @ (self.spread(numbers) * (published == itself[:, None])).sum(axis=1))
        if missing and self.takes_missing and None in self.outputs:
            same += missing * float(self.table[-1, self.outputs.index(None)]) / float(WHOLE)
        return same / float(weights.sum() + missing)

    @property
    def _published(self) -> FloatArray:
        """1 where an output is a number, 0 where it is a hole."""
        return np.array([0.0 if each is None else 1.0 for each in self.outputs])

    def _squares(self, numbers: FloatArray) -> FloatArray:
        published = np.array([0.0 if each is None else each for each in self.outputs])
        return np.asarray((numbers[:, None] - published) ** 2 * self._published)

    def _mean_squares(self) -> FloatArray:
        numbers = np.array(self.cells.numbers)
        return np.asarray((self.spread(numbers) * self._squares(numbers)).sum(axis=1))

    def __eq__(self, other: object) -> bool:
        """The same map, with the same claims."""
        if not isinstance(other, Recoding):
            return NotImplemented
        return self._digest == other._digest

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash(self._digest)

    def __repr__(self) -> str:
        """Its size and its floor; the table may be private."""
        what = "values" if self.listed else "bins"
        floor = "no floor" if self.kappa is None else f"floor {self.kappa:.6g}"
        return f"Recoding({len(self.values)} {what} to {len(self.outputs)}, {floor})"

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild, so that a copy's table cannot be written to either."""
        names = ("values", "outputs", "table", "edges", "noise", "floor", "distances")
        return _rebuild, ({name: getattr(self, name) for name in names},)


def _rebuild(entries: dict[str, object]) -> Recoding:
    return Recoding(**entries)  # type: ignore[arg-type]  # as they were


def _rank(value: Value) -> float:
    """Numbers in their order, a missing value last."""
    return math.inf if value is None else float(value)


def _check_values(name: str, given: Sequence[Value]) -> tuple[Value, ...]:
    require(isinstance(given, Sequence | np.ndarray) and len(given) > 0, f"{name} must be a list.")
    checked = tuple(None if each is None else finite(name, each) + 0.0 for each in given)
    require(len(set(checked)) == len(checked), f"{name} must not name a value twice.")
    require(None not in checked[:-1], f"a missing value stands at the end of {name}.")
    return checked


def _check_metric(given: npt.ArrayLike, count: int) -> FloatArray:
    """Distances: symmetric, 0 on the diagonal; they may be infinite."""
    distances = np.array(given, dtype=np.float64)
    require(count <= _MOST_OWN, f"distances of your own are for at most {_MOST_OWN} values.")
    require(
        distances.shape == (count, count)
        and not np.isnan(distances).any()
        and bool((distances == distances.T).all() and (distances >= 0.0).all())
        and not np.diagonal(distances).any(),
        f"distances must be a symmetric matrix of {count} by {count}, with 0 on its diagonal.",
    )
    distances.setflags(write=False)
    return distances
