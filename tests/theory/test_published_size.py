"""docs/theory/published-size.md by exact enumeration, sharing no code with the library.

Small tables, every assignment of their rows to persons, every published file, in fractions. The
noise has P(n) = 2^{−|n|}/3, and what is published is moved into 0 to 3: moving x by one changes the
probability of an output by a factor of at most `STEP`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

Row = tuple[str, int]
File = tuple[int, ...]

OUTPUTS = range(4)
STEP = 2

TABLES: list[tuple[Row, ...]] = [
    (("a", 0), ("b", 1)),
    (("a", 0), ("a", 0), ("b", 0), ("b", 1)),
    (("a", 0), ("a", 1), ("b", 1), ("b", 1)),
    (("a", 0), ("a", 0), ("a", 3), ("b", 0)),
    (("a", 1), ("b", 2), ("b", 1), ("b", 0)),
]


def noise(y: int, x: int) -> Fraction:
    at_the_end = y in (OUTPUTS[0], OUTPUTS[-1])
    return Fraction(2 if at_the_end else 1, 3 * 2 ** abs(y - x))


def files(table: tuple[Row, ...]) -> Iterator[tuple[Row, File, Fraction]]:
    """Every assignment of rows to persons, the first being the target, and every file."""
    assignments = list(permutations(table))
    for rows in assignments:
        for file in product(OUTPUTS, repeat=len(rows)):
            chance = Fraction(1, len(assignments))
            for y, (_, x) in zip(file, rows, strict=True):
                chance *= noise(y, x)
            yield rows[0], file, chance


def law(table: tuple[Row, ...], secret: str) -> dict[int, Fraction]:
    """How often each value occurs for a secret: what the empirical adversary believes."""
    values = [x for each, x in table if each == secret]
    return {x: Fraction(n, len(values)) for x, n in Counter(values).items()}


def sizes(table: tuple[Row, ...]) -> Counter[str]:
    return Counter(secret for secret, _ in table)


def own_ratio(table: tuple[Row, ...], y: int) -> Fraction:
    """p(y | a)/p(y | b) by the empirical laws: what the certificate bounds."""
    ours, theirs = (
        sum((p * noise(y, x) for x, p in law(table, secret).items()), Fraction(0))
        for secret in ("a", "b")
    )
    return ours / theirs


def factor(table: tuple[Row, ...]) -> Fraction:
    """e^ε: by how much the target's own value changes the odds at most, up or down."""
    ratios = [own_ratio(table, y) for y in OUTPUTS]
    return max(*ratios, *(1 / ratio for ratio in ratios))


@pytest.mark.parametrize("table", TABLES)
def test_who_knows_the_counts_believes_the_empirical_law(table: tuple[Row, ...]) -> None:
    """Proposition 1: the odds after the target's own value are those of the certificate."""
    seen: defaultdict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for (secret, _), file, chance in files(table):
        seen[file[0], secret] += chance
    before = Fraction(sizes(table)["a"], sizes(table)["b"])
    for y in OUTPUTS:
        assert seen[y, "a"] / seen[y, "b"] / before == own_ratio(table, y)


@pytest.mark.parametrize("table", TABLES)
def test_a_shuffled_file_says_nothing_that_the_counts_do_not(table: tuple[Row, ...]) -> None:
    """Proposition 2: exactly nothing, whatever comes out."""
    seen: defaultdict[tuple[File, str], Fraction] = defaultdict(Fraction)
    for (secret, _), file, chance in files(table):
        # In random order only how often each output occurs can be seen.
        seen[tuple(sorted(file)), secret] += chance
    before = Fraction(sizes(table)["a"], sizes(table)["b"])
    assert {seen[file, "a"] / seen[file, "b"] for file, _ in list(seen)} == {before}


def linked(table: tuple[Row, ...]) -> Fraction:
    """By how much a file changes the odds at most, if the target's place in it is known."""
    seen: defaultdict[tuple[File, str], Fraction] = defaultdict(Fraction)
    for (secret, _), file, chance in files(table):
        seen[file, secret] += chance
    before = Fraction(sizes(table)["a"], sizes(table)["b"])
    ratios = [seen[file, "a"] / seen[file, "b"] / before for file, _ in list(seen)]
    return max(*ratios, *(1 / ratio for ratio in ratios))


def distance(table: tuple[Row, ...]) -> int:
    """W_∞ of the two laws: the largest gap between quantiles of the same order."""
    laws = [sorted(x for secret, x in table if secret == each) for each in ("a", "b")]
    steps = math.lcm(*map(len, laws))
    ours, theirs = ([x for x in values for _ in range(steps // len(values))] for values in laws)
    return max(abs(first - second) for first, second in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("table", TABLES)
def test_a_linked_file_costs_at_most_two_releases(table: tuple[Row, ...]) -> None:
    """Proposition 3: the coupling bound of two releases, not the certificate's factor."""
    assert linked(table) <= STEP ** (2 * distance(table))
    assert linked(table) >= factor(table)


def test_a_linked_file_may_cost_more_than_the_certificate_says() -> None:
    """Two rows, one of each: that the other is no `a` says that the target is one."""
    table = TABLES[0]
    assert linked(table) == factor(table) ** 2
    assert linked(TABLES[1]) > factor(TABLES[1])


def test_counts_that_are_not_known_change_nothing_if_the_group_sizes_are() -> None:
    """A mixture of tables with the same group sizes keeps the largest of their factors."""
    tables = [table for table in TABLES if sizes(table) == Counter(a=2, b=2)]
    assert len(tables) == 2
    seen: defaultdict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for weight, table in zip((Fraction(1, 3), Fraction(2, 3)), tables, strict=True):
        for (secret, _), file, chance in files(table):
            seen[file[0], secret] += weight * chance
    most = max(map(factor, tables))
    for y in OUTPUTS:
        assert 1 / most <= seen[y, "a"] / seen[y, "b"] <= most


def test_a_value_that_tells_the_group_sizes_tells_more() -> None:
    """What remains: both tables keep ε = 0, and the value says which of them it is."""
    tables = (("a", 0), ("a", 0), ("b", 0)), (("a", 3), ("b", 3), ("b", 3))
    assert [factor(table) for table in tables] == [1, 1]
    seen: defaultdict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for table in tables:
        for (secret, _), file, chance in files(table):
            seen[file[0], secret] += chance / 2
    before = sum(seen[y, "a"] for y in OUTPUTS) / sum(seen[y, "b"] for y in OUTPUTS)
    assert before == 1
    assert seen[0, "a"] / seen[0, "b"] == Fraction(17, 10)


def excess(rows: int) -> tuple[float, float]:
    """(δ at the certificate's ε, largest |log-ratio|) of a linked file.

    Half of the rows are of each secret, `a` with the value 0 and `b` with 1, and each is published
    as it is with odds e to 1: ε = 1 for one row. Of the others only the number of ones matters.
    """
    half, right = rows // 2, math.e / (1.0 + math.e)

    def ones(of_zero: int, of_one: int) -> np.ndarray:
        laws = (
            [math.comb(n, k) * p**k * (1.0 - p) ** (n - k) for k in range(n + 1)]
            for n, p in ((of_zero, 1.0 - right), (of_one, right))
        )
        return np.convolve(*map(np.array, laws))

    others = ones(half - 1, half), ones(half, half - 1)
    laws = [
        np.array([others[value] * (right if y == value else 1.0 - right) for y in (0, 1)])
        for value in (0, 1)
    ]
    sides = [np.maximum(p - math.e * q, 0.0).sum() for p, q in (laws, laws[::-1])]
    return max(sides), float(np.abs(np.log(laws[0] / laws[1])).max())


def test_what_a_linked_file_tells_beyond_falls_with_the_number_of_rows() -> None:
    """The table in the page; the worst file stays as bad, and becomes rare like 1/√rows."""
    found = {rows: excess(rows) for rows in (4, 16, 64, 256)}
    for _, most in found.values():
        # A dozen roundings of exponents that are about 2.
        assert most == pytest.approx(2.0, abs=1e-12)
    assert [round(delta, 3) for delta, _ in found.values()] == [0.205, 0.081, 0.039, 0.019]


def test_an_outlier_in_a_linked_file() -> None:
    """The example in the page: 2,000 rows at 50, one at 300, whose place is known.

    Of the others R(50)/R(300) is the mean of e^{(|y−50|−|y−300|)/b}; the certificate's ε is 1.
    """
    group, gap, draws = 1801, 250.0, 4_000
    scale = gap / math.log1p(group * (math.e - 1.0))
    generator = np.random.default_rng(19)

    def towards(y: np.ndarray) -> np.ndarray:
        return np.exp((np.abs(y) - np.abs(y - gap)) / scale)

    mean = np.array([towards(generator.laplace(0.0, scale, 2_000)).mean() for _ in range(draws)])
    own = towards(gap + generator.laplace(0.0, scale, draws))
    alone = np.log(1.0 + (own - 1.0) / group)
    file = np.log(1.0 + (own / mean - 1.0) / group)
    assert alone.max() <= 1.0 + 1e-12
    # Twenty standard errors of a median, and of a quantile, of so many draws.
    assert np.quantile(file, 0.5) == pytest.approx(0.83, abs=0.1)
    assert np.quantile(file, 0.99) == pytest.approx(3.66, abs=0.3)
    assert math.log1p(math.expm1(2.0 * gap / scale) / group) == pytest.approx(8.58, abs=0.01)
