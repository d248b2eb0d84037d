"""An independent judge of recoded tables. It shares no code with the library, and imports none.

It is given rows as they stand in a table (tuples of labels, a secret and known labels for each),
and a recoding as plain data: values, outputs and whole numbers over 2⁶². From these it computes
in fractions, without rounding, what anybody may learn from one published row:

    Q_i(y | z) = Σ_x P_i(x | z)·M_z(x, y)

for each secret i, each combination z of known labels, and for somebody who knows none of them
(`EVERYBODY`). Where z is published as well, M may be another one for each z, and the promise is
about Q_i(y | z) for each z; what somebody learns who knows nothing is then the law of (z, y).

Laws that may be wrong by η in total variation: the worst law for one output y moves η of mass from
where M(·, y) is least to where it is largest. That is found by sorting.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import coo_array

WHOLE = 2**62
EVERYBODY = ("everybody",)

Label = Hashable
Cell = tuple[Label, ...]
Counts = Mapping[Cell, int]
# A ratio of two laws; infinite where one of them is 0 alone.
Ratio = Fraction | float


def exp_below(exponent: float) -> Fraction:
    """A fraction below e^exponent, by less than 1e-58 of it."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(exponent).exp().next_minus())


def exp_above(exponent: float) -> Fraction:
    """A fraction above e^exponent, by less than 1e-58 of it."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(exponent).exp().next_plus())


def log_of(ratio: Ratio) -> float:
    """ε of a ratio, to the nearest double: to look at. To judge by, there are powers of e."""
    if ratio in (0, math.inf):
        return math.inf if ratio else -math.inf
    exact = Fraction(ratio)
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(exact.numerator) / Decimal(exact.denominator)).ln())


@dataclass(frozen=True)
class Recode:
    """A random map from cells to cells: M(x, y) = table[x][y] / 2⁶²."""

    values: Sequence[Cell]
    outputs: Sequence[Cell]
    table: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        if len(set(self.values)) < len(self.values) or len(set(self.outputs)) < len(self.outputs):
            raise ValueError("a cell is listed twice")
        if len(self.table) != len(self.values):
            raise ValueError("one row for each value")
        for row in self.table:
            if len(row) != len(self.outputs) or any(type(each) is not int for each in row):
                raise ValueError("one whole number for each output")
            if min(row) < 0 or sum(row) != WHOLE:
                raise ValueError("a row is no law")

    def published(self, law: Counts, wrong: Fraction = Fraction(0)) -> Bounds:
        """The largest and the least Q(y), for each y, over laws within `wrong` of these counts."""
        unknown = set(law) - set(self.values)
        if unknown:
            raise ValueError(f"{len(unknown)} cells of the table are not described")
        total = sum(law.values())
        counts = [law.get(x, 0) for x in self.values]
        high, low = [], []
        for y in range(len(self.outputs)):
            column = [row[y] for row in self.table]
            mass = sum(n * w for n, w in zip(counts, column, strict=True) if n)
            middle = Fraction(mass, total * WHOLE)
            up = _moved(counts, column, wrong * total)
            down = _moved(counts, [-w for w in column], wrong * total)
            high.append(middle + up / (total * WHOLE))
            low.append(middle - down / (total * WHOLE))
        return Bounds(tuple(high), tuple(low))


@dataclass(frozen=True)
class Bounds:
    """The largest and the least probability of each output; equal where no law may be wrong."""

    high: tuple[Fraction, ...]
    low: tuple[Fraction, ...]


def _moved(counts: Sequence[int], column: Sequence[int], wrong: Fraction) -> Fraction:
    """What Σ counts·column gains, if `wrong` of the counts goes from the least to the largest."""
    gain, rest, best = Fraction(0), wrong, max(column)
    if not rest:
        return gain
    for weight, count in sorted(zip(column, counts, strict=True)):
        part = min(Fraction(count), rest)
        gain += part * (best - weight)
        rest -= part
        if not rest:
            break
    return gain


@dataclass(frozen=True)
class Judged:
    """The worst over ordered pairs of secrets, for one group of adversaries."""

    ratio: Ratio
    pair: tuple[Label, Label]
    output: Label
    delta_upper: Fraction
    absent: tuple[Label, ...] = ()

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, as a double."""
        return log_of(self.ratio)

    def between(self, low: float, high: float) -> bool:
        """Whether the ratio lies between e^low and e^high, without rounding."""
        top = math.inf if high == math.inf else exp_above(high)
        return exp_below(low) <= self.ratio <= top

    def keeps(self, epsilon: float, delta: float = 0.0) -> bool:
        """Whether the promise is kept; δ must have been computed for this ε."""
        if delta == 0.0:
            return self.ratio <= exp_below(epsilon)
        return self.delta_upper <= Fraction(delta)


def count(
    rows: Sequence[Cell], secrets: Sequence[Label], known: Sequence[Cell] | None = None
) -> dict[Cell, dict[Label, Counter[Cell]]]:
    """Who knows what, then the secret, then how often each cell occurs."""
    found: dict[Cell, dict[Label, Counter[Cell]]] = defaultdict(lambda: defaultdict(Counter))
    for place, (row, secret) in enumerate(zip(rows, secrets, strict=True)):
        found[EVERYBODY][secret][row] += 1
        if known is not None:
            found[known[place]][secret][row] += 1
    return {who: dict(laws) for who, laws in found.items()}


def ratio(first: Bounds, second: Bounds) -> tuple[Ratio, int]:
    """max_y Q_i(y)/Q_j(y), infinite where only Q_j is 0; and where it is. Where both are 0: not."""
    worst: tuple[Ratio, int] = (Fraction(0), 0)
    for y, (a, b) in enumerate(zip(first.high, second.low, strict=True)):
        if b == 0 and a > 0:
            return math.inf, y
        if b > 0 and a / b > worst[0]:
            worst = a / b, y
    return worst


def hockey_stick(first: Bounds, second: Bounds, epsilon: float) -> Fraction:
    """Σ_y [Q_i(y) − e^ε·Q_j(y)]₊ from above, by less than 1e-58; each y with its own worst laws."""
    factor = exp_below(epsilon)
    terms = (a - factor * b for a, b in zip(first.high, second.low, strict=True))
    return sum((each for each in terms if each > 0), Fraction(0))


def judge_laws(
    laws: Mapping[Label, Counts],
    recode: Recode,
    epsilon: float,
    *,
    pairs: Sequence[tuple[Label, Label]] | None = None,
    wrong: Fraction = Fraction(0),
    secrets: Sequence[Label] = (),
) -> Judged:
    """One group of adversaries. A secret that none of their rows has is named as absent."""
    seen = {secret: recode.published(law, wrong) for secret, law in laws.items()}
    wanted = list(permutations(secrets or laws, 2))
    if pairs is not None:
        wanted = [each for a, b in pairs for each in ((a, b), (b, a))]
    absent = tuple(dict.fromkeys(each for pair in wanted for each in pair if each not in seen))
    found: list[tuple[Ratio, tuple[Label, Label], Label, Fraction]] = []
    for i, j in wanted:
        if i in seen and j in seen:
            worst, place = ratio(seen[i], seen[j])
            spent = hockey_stick(seen[i], seen[j], epsilon)
            found.append((worst, (i, j), recode.outputs[place], spent))
    if not found:
        raise ValueError("there is no pair to compare")
    worst, pair, output, _ = max(found, key=lambda each: each[0])
    return Judged(worst, pair, output, max(each[3] for each in found), absent)


def judge(
    rows: Sequence[Cell],
    secrets: Sequence[Label],
    recodes: Recode | Mapping[Cell, Recode],
    epsilon: float,
    *,
    known: Sequence[Cell] | None = None,
    pairs: Sequence[tuple[Label, Label]] | None = None,
    wrong: Fraction = Fraction(0),
) -> dict[Cell, Judged]:
    """Everybody who may look, and the worst that they can learn.

    One recoding serves those who know `known` and those who do not: both are judged. A recoding
    for each combination z is published with z: then each z is judged, and as `EVERYBODY` the law
    of the whole row (z, y), for the described laws themselves: what the known columns say is in it,
    and no promise is made about it.
    """
    counted = count(rows, secrets, known)
    every = list(dict.fromkeys(secrets))
    found = {}
    for who, laws in counted.items():
        if isinstance(recodes, Recode):
            mine = recodes
        elif who == EVERYBODY:
            continue
        else:
            mine = recodes[who]
        found[who] = judge_laws(laws, mine, epsilon, pairs=pairs, wrong=wrong, secrets=every)
    if not isinstance(recodes, Recode):
        if known is None:
            raise ValueError("recodings by known labels, and no labels")
        found[EVERYBODY] = _whole_row(counted, recodes, epsilon, every, pairs)
    return found


def _whole_row(
    counted: Mapping[Cell, Mapping[Label, Counts]],
    recodes: Mapping[Cell, Recode],
    epsilon: float,
    secrets: Sequence[Label],
    pairs: Sequence[tuple[Label, Label]] | None,
) -> Judged:
    """The law of (z, y): one recoding whose values and outputs have z in front."""
    values = [(*z, *x) for z, mine in recodes.items() for x in mine.values]
    outputs = [(*z, *y) for z, mine in recodes.items() for y in mine.outputs]
    table, before = [], 0
    for mine in recodes.values():
        after = len(outputs) - before - len(mine.outputs)
        table += [[*[0] * before, *row, *[0] * after] for row in mine.table]
        before += len(mine.outputs)
    laws: dict[Label, Counter[Cell]] = defaultdict(Counter)
    for z, groups in counted.items():
        if z != EVERYBODY:
            for secret, law in groups.items():
                laws[secret].update({(*z, *x): n for x, n in law.items()})
    whole = Recode(values, outputs, table)
    return judge_laws(laws, whole, epsilon, pairs=pairs, secrets=secrets)


# The least loss of any recoding, by one linear program.


def loss_matrix(
    values: Sequence[Cell],
    outputs: Sequence[Cell],
    stds: Mapping[int, float],
    weights: Sequence[float] | None = None,
) -> npt.NDArray[np.float64]:
    """c(x, y): squared error in stds where a column has one, else 1 for a changed label; summed."""
    cost = np.zeros((len(values), len(outputs)))
    for place in range(len(values[0])):
        weight = 1.0 if weights is None else weights[place]
        for x, given in enumerate(values):
            for y, shown in enumerate(outputs):
                before: Any = given[place]
                after: Any = shown[place]
                if place in stds:
                    cost[x, y] += weight * ((before - after) / stds[place]) ** 2
                else:
                    cost[x, y] += weight * (before != after)
    return cost


@dataclass
class _Program:
    """Rows of a linear program, written one by one."""

    size: int = 0
    rows: int = 0

    def __post_init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []

    def variables(self, *shape: int) -> npt.NDArray[np.int64]:
        fresh = np.arange(self.size, self.size + math.prod(shape)).reshape(shape)
        self.size += fresh.size
        return fresh

    def at_most(self, terms: Sequence[tuple[int, float]], right: float) -> None:
        self.entries += [(self.rows, int(place), float(each)) for place, each in terms if each]
        self.right.append(right)
        self.rows += 1

    def matrix(self) -> coo_array:
        rows, columns, entries = zip(*self.entries, strict=True)
        return coo_array((entries, (rows, columns)), shape=(self.rows, self.size))


def least_loss(
    cost: npt.NDArray[np.float64],
    frequencies: npt.NDArray[np.float64],
    groups: Sequence[Sequence[npt.NDArray[np.float64]]],
    epsilon: float,
    *,
    delta: float = 0.0,
    wrong: float = 0.0,
    keep_histogram: bool = False,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> tuple[float, npt.NDArray[np.float64]]:
    """The least mean loss of any M, and one that has it: the program as it is written down.

    min Σ π(x)·c(x,y)·M(x,y) over M ≥ 0 whose rows sum to 1, with Σ_y t(y) ≤ δ and
    H_i(y) − e^ε·L_j(y) ≤ t(y) for every y, every ordered pair, and every group of laws, each pair
    with t of its own. Without `wrong`, H_i = L_i = Σ_x P_i(x)·M(x,y). With it, H_i is at least

        Σ P_i·M + η·λ + Σ_x P_i(x)·s(x),   s(x) ≥ u − M(x,y) − λ,   s, λ ≥ 0,   u ≥ M(·,y),

    which at its least is the largest published mass over laws within η; L_i is mirrored. `groups`
    are the adversaries: the laws that one of them compares, in the order of `pairs`.
    """
    n, m = cost.shape
    program = _Program()
    table = program.variables(n, m)
    factor = math.exp(epsilon)
    top, bottom = program.variables(m), program.variables(m)
    for x, y in product(range(n), range(m)):
        program.at_most([(table[x, y], 1.0), (top[y], -1.0)], 0.0)
        program.at_most([(table[x, y], -1.0), (bottom[y], 1.0)], 0.0)

    def side(law: npt.NDArray[np.float64], y: int, sign: float) -> list[tuple[int, float]]:
        """H (sign 1) or −L (sign −1), as a sum of variables."""
        terms = [(table[x, y], sign * law[x]) for x in range(n)]
        if not wrong:
            return terms
        price, short = program.variables(), program.variables(n)
        far, turn = (top, 1.0) if sign > 0 else (bottom, -1.0)
        for x in range(n):
            row = [(far[y], turn), (table[x, y], -turn), (int(price), -1.0), (short[x], -1.0)]
            program.at_most(row, 0.0)
        return [*terms, (int(price), wrong), *((short[x], law[x]) for x in range(n))]

    for laws in groups:
        wanted = list(permutations(range(len(laws)), 2))
        if pairs is not None:
            wanted = [each for a, b in pairs for each in ((a, b), (b, a))]
        high = [[side(law, y, 1.0) for y in range(m)] for law in laws]
        low = [[side(law, y, -1.0) for y in range(m)] for law in laws]
        for i, j in wanted:
            over = program.variables(m) if delta else None
            for y in range(m):
                terms = high[i][y] + [(place, factor * each) for place, each in low[j][y]]
                if over is not None:
                    terms = [*terms, (over[y], -1.0)]
                program.at_most(terms, 0.0)
            if over is not None:
                program.at_most([(each, 1.0) for each in over], delta)

    equal = _Program(size=program.size)
    for row in table:
        equal.at_most([(each, 1.0) for each in row], 1.0)
    for y in range(m) if keep_histogram else ():
        equal.at_most([(table[x, y], frequencies[x]) for x in range(n)], frequencies[y])
    objective = np.zeros(program.size)
    objective[: n * m] = (frequencies[:, None] * cost).ravel()
    done: Any = linprog(  # type: ignore[call-overload]  # its types know no sparse matrices
        objective,
        A_ub=program.matrix().tocsr(),
        b_ub=program.right,
        A_eq=equal.matrix().tocsr(),
        b_eq=equal.right,
        bounds=(0, None),
        method="highs",
    )
    if done.status != 0:
        raise ArithmeticError(done.message)
    return float(done.fun), done.x[: n * m].reshape(n, m)
