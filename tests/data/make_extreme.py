"""Writes extreme.json: hockey-stick divergences and log-ratio suprema in hard regimes.

The values are those of ``tests/reference.py`` (high precision, closed-form cdfs). Before one is
written, it is checked a second way: float quadrature of the positive part (Gauss-Legendre on a mesh
graded around every mean, from logarithms of densities written with the scaled erfc, which the
reference does not use), or a plain sum for tables without noise; the suprema against the maximum of
the log-ratio over that quadrature's points, which they may exceed only where it does not look. A
failed check stops the script. No randomness; a few minutes.

    python tests/data/make_extreme.py
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import reference

Law = list[tuple[float, float, float]]
Floats = NDArray[np.float64]


class Case(NamedTuple):
    name: str
    p: Law
    q: Law
    noise: tuple[Any, ...]
    epsilon: float
    scale_delta: float | None = None  # also ask for the exact scale at this delta
    anchor: float | None = None  # where the second way should look closely


# -------------------------------------------------------------------------------------------------
# The cases
# -------------------------------------------------------------------------------------------------


def normal(mean: float, std: float) -> Law:
    return [(1.0, mean, std)]


def atoms(*pairs: tuple[float, float]) -> Law:
    return [(w, x, 0.0) for w, x in pairs]


def dyadic(parts: Sequence[int], bits: int) -> list[float]:
    """Weights proportional to the parts, rounded to multiples of 2^-bits that sum to exactly 1."""
    whole = 2**bits
    units = [max(1, part * whole // sum(parts)) for part in parts]
    units[units.index(max(units))] += whole - sum(units)
    return [unit / whole for unit in units]


def many(count: int, shift: int) -> Law:
    """A mixture of many overlapping components, by formula."""
    weights = dyadic([1 + (11 * k + shift) % 17 for k in range(count)], 14)
    means = [((k * 618 + 37 * shift) % 1000) / 25 - 20 for k in range(count)]
    stds = [(4 + (7 * k + shift) % 13) / 8 for k in range(count)]
    return list(zip(weights, means, stds, strict=True))


def table(count: int, start: int, step: int, shift: int) -> Law:
    weights = dyadic([1 + (7 * k * k + shift) % 23 for k in range(count)], 14)
    return atoms(*((w, float(start + step * k)) for k, w in enumerate(weights)))


def local_maximum(
    p: Law, q: Law, noise: tuple[Any, ...], lo: float, hi: float
) -> tuple[float, float]:
    """Where the log-ratio is largest on [lo, hi], and its value there, by golden section."""

    def ratio(y: Any) -> Any:
        return mp.log(reference.density(p, y, noise) / reference.density(q, y, noise))

    with mp.workdps(50):
        a, b = mpf(lo), mpf(hi)
        golden = (mp.sqrt(5) - 1) / 2
        for _ in range(100):
            x, y = b - golden * (b - a), a + golden * (b - a)
            a, b = (a, y) if ratio(x) > ratio(y) else (x, b)
        return float(a), float(ratio(a))


def ratio_cases() -> list[Case]:
    """Stds from 1e-12 to 1e12 times the scale."""
    cases = []
    for r in (1e-12, 1e-6, 1e-3):
        noise = ("laplace", 1.0)
        cases += [
            Case(f"std/b={r:g}, equal stds", normal(0.0, r), normal(1.5, r), noise, 1.0),
            Case(f"std/b={r:g}, unequal stds", normal(0.0, r), normal(1.25, 3 * r), noise, 0.5),
            Case(
                f"std/b={r:g}, mixtures",
                [(0.5, 0.0, r), (0.5, 2.0, 2 * r)],
                [(0.25, 0.0, 2 * r), (0.5, 1.0, r), (0.25, 2.0 + r, r)],
                noise,
                0.25,
            ),
        ]
    for r in (1e-6, 1e-3):
        cases.append(
            Case(
                f"std/b={r:g}, same mean",
                normal(0.0, 4 * r),
                normal(0.0, r),
                ("laplace", 1.0),
                r * r,
            )
        )
    for r in (1e3, 1e6, 1e12):
        noise = ("laplace", 1 / r)
        cases += [
            Case(f"std/b={r:g}, equal stds", normal(0.0, r), normal(r, r), ("laplace", 1.0), 0.5),
            Case(f"std/b={r:g}, unequal stds", normal(0.0, 1.0), normal(0.5, 2.0), noise, 0.25),
            Case(
                f"std/b={r:g}, mixtures",
                [(0.5, 0.0, 1.0), (0.5, 3.0, 0.5)],
                [(0.25, 0.0, 0.75), (0.5, 1.0, 1.0), (0.25, 4.0, 2.0)],
                noise,
                1.0,
            ),
        ]
    return cases


def far_cases() -> list[Case]:
    cases = [
        Case(
            f"a std of 1 and one of 1e12, eps={epsilon:g}",
            [(0.75, 0.0, 1.0), (0.25, 0.0, 1e12)],
            [(0.5, 0.0, 1.0), (0.5, 0.0, 1e12)],
            ("laplace", 1.0),
            epsilon,
        )
        for epsilon in (0.25, 0.625)
    ]
    for gap in (1e3, 1e6, 1e9):
        p = [(0.5, 0.0, 1.0), (0.5, gap, 1.0)]
        q = [(0.25, 0.5, 1.0), (0.75, gap + 0.25, 1.5)]
        cases.append(
            Case(
                f"clusters {gap:g} apart", p, q, ("laplace", 1.0), 0.5, 0.05 if gap == 1e3 else None
            )
        )
    p = [(0.5, -1e6, 0.25), (0.25, 0.0, 4.0), (0.25, 1e6, 1.0)]
    q = [(0.5, -1e6, 0.25), (0.25, 1.0, 4.0), (0.25, 1e6, 2.0)]
    cases.append(Case("three clusters 1e6 apart, one shared", p, q, ("laplace", 1.0), 0.125))
    w = 2.0**-20
    p = [(1 - w, 0.0, 1.0), (w, 50.0, 1e-4)]
    for b in (1.0, 1e-3):
        cases.append(
            Case(
                f"spike of weight 2^-20 and std 1e-4, b={b:g}",
                p,
                normal(0.0, 1.0),
                ("laplace", b),
                1.0,
                5e-7,
            )
        )
    p, q = [(1 - w, 0.0, 1.0), (w, 50.0, 1e-4)], [(1 - w, 0.0, 1.0), (w, 50.001, 1e-4)]
    cases.append(Case("two spikes, 1e-3 apart", p, q, ("laplace", 1e-4), 1.0))
    return cases


def epsilon_cases() -> list[Case]:
    trap = [(0.5, 8.0, 1.0), (0.5, -8.0, 1.0)]
    deep = [(0.5, 40.0, 1.0), (0.5, -40.0, 1.0)]
    return [
        Case("eps=1e-4", normal(0.0, 1.0), normal(0.001, 1.0), ("laplace", 0.5), 1e-4, 1e-5),
        Case(
            "eps=1e-4, unequal stds",
            normal(0.0, 1.0),
            normal(0.0, 1.001),
            ("laplace", 2.0),
            1e-4,
            1e-5,
        ),
        Case("eps=28, narrow inside a gap", normal(0.0, 0.03), trap, ("laplace", 0.02), 28.0, 0.5),
        Case(
            "eps=50, unequal stds", normal(0.0, 1.0), normal(10.0, 0.75), ("laplace", 0.125), 50.0
        ),
        Case("eps=800, narrow inside a gap", normal(0.0, 0.05), deep, ("laplace", 0.02), 800.0),
        Case("eps=800, equal stds", normal(0.0, 1.0), normal(40.0, 1.0), ("laplace", 0.02), 800.0),
        Case(
            "delta=1e-15, equal stds", normal(0.0, 1.0), normal(1.0, 1.0), ("laplace", 0.05), 8.125
        ),
        Case(
            "delta=1e-15, unequal stds", normal(0.0, 1.0), normal(0.0, 1.05), ("laplace", 0.05), 3.0
        ),
        Case(
            "delta=1e-15, a far component of weight 2^-50",
            [(1 - 2.0**-50, 0.0, 1.0), (2.0**-50, 60.0, 1.0)],
            normal(0.0, 1.0),
            ("laplace", 1.0),
            1.0,
        ),
        Case(
            "just below the pure scale, equal stds",
            normal(0.0, 1.0),
            normal(1.0, 1.0),
            ("laplace", 1.06666),
            0.9375,
        ),
        Case(
            "just below the pure scale, mixtures",
            [(0.5, 0.0, 0.5), (0.5, 2.0, 0.5)],
            [(0.5, 0.5, 0.5), (0.5, 2.0, 0.75)],
            ("laplace", 0.4691029),
            1.0,
            0.0,
        ),
        Case(
            "delta=1e-15, Gaussian noise",
            normal(0.0, 1.0),
            normal(1.0, 1.0),
            ("gaussian", 7.42),
            1.0,
            1e-15,
        ),
    ]


def many_cases() -> list[Case]:
    return [
        Case("60 components", many(60, 3), many(60, 8), ("laplace", 0.5), 0.125),
        Case("60 components against 1", many(60, 5), normal(0.0, 12.0), ("laplace", 2.0), 0.25),
        Case("60 components, Gaussian noise", many(60, 3), many(60, 8), ("gaussian", 0.5), 0.125),
        Case(
            "30 atoms, half of them common",
            table(30, 0, 1, 2),
            table(30, -14, 2, 5),
            ("laplace", 1.5),
            0.5,
            1e-3,
        ),
        Case("30 atoms, b=1e-3", table(30, 0, 1, 2), table(30, -14, 2, 5), ("laplace", 1e-3), 0.5),
        Case(
            "30 atoms, Gaussian noise",
            table(30, 0, 1, 2),
            table(30, -14, 2, 5),
            ("gaussian", 1.5),
            0.5,
        ),
        Case("30 atoms, no noise", table(30, 0, 1, 2), table(30, -14, 2, 5), ("none",), 0.5),
        Case("30 common atoms, no noise", table(30, 0, 1, 2), table(30, 0, 1, 5), ("none",), 0.5),
    ]


def touching_cases() -> list[Case]:
    """Log-ratios that touch epsilon, or almost, at a maximum or on a plateau; identical laws."""
    one = (normal(0.0, 0.5), normal(0.25, 1.5), ("laplace", 1.0))
    p = [(0.75, 0.0, 0.5), (0.25, 8.0, 0.5)]
    q = [(0.5, 0.5, 1.5), (0.5, 8.25, 2.0)]
    two = (p, q, ("laplace", 0.5))
    cases = []
    for what, pair, lo, hi in (("global", one, -2.0, 2.0), ("lower local", two, 7.0, 9.0)):
        y, top = local_maximum(*pair, lo, hi)
        cases += [
            Case(f"eps = {what} maximum {text}", *pair, top + d, None, y)
            for text, d in (("- 1e-9", -1e-9), ("rounded", 0.0), ("+ 1e-9", 1e-9))
        ]
    mixture = [(0.5, 0.0, 1.0), (0.25, 3.0, 0.5), (0.25, 10.0, 0.0)]
    moved = [(w, m + 1.5, s) for w, m, s in mixture]
    rewritten = [(0.25, 10.0, 0.0), (0.25, 0.0, 1.0), (0.25, 3.0, 0.5), (0.25, 0.0, 1.0)]
    zero, moved_zero = normal(0.0, 0.0), normal(1.5, 0.0)
    return [
        *cases,
        Case(
            "translation at b=shift/eps", normal(0.0, 1.0), normal(1.5, 1.0), ("laplace", 2.0), 0.75
        ),
        Case(
            "translation at b=shift/eps, not dyadic",
            normal(0.0, 1.0),
            normal(0.1, 1.0),
            ("laplace", 1.0),
            0.1,
        ),
        Case(
            "translated mixture with an atom at b=shift/eps", mixture, moved, ("laplace", 2.0), 0.75
        ),
        Case("two atoms at b=shift/eps", zero, moved_zero, ("laplace", 2.0), 0.75, 1e-6),
        Case(
            "two atoms just below b=shift/eps", zero, moved_zero, ("laplace", 2.0 - 2.0**-30), 0.75
        ),
        Case("identical Gaussians", normal(0.0, 1.0), normal(0.0, 1.0), ("laplace", 0.5), 0.5, 0.0),
        Case("identical mixtures, written differently", mixture, rewritten, ("laplace", 0.5), 0.25),
    ]


def other_cases() -> list[Case]:
    coin = atoms((0.5, 0.0), (0.5, 1.0))
    half = [(0.5, 0.0, 0.0), (0.5, 2.0, 0.5)]
    quarter = [(0.25, 0.0, 0.0), (0.75, 1.0, 1.0)]
    agree_p = [(0.5, 0.0, 1.0), (0.5, 3.0, 2.0)]
    agree_q = [(0.5, 1.0, 1.0), (0.25, -2.0, 0.5), (0.25, 3.0, 2.0)]
    differ = [(0.5, 0.0, 1.0), (0.5, 3.0, 1.75)]
    return [
        Case("coin against a Gaussian", coin, normal(0.5, 0.5), ("laplace", 0.5), 0.25, 1e-3),
        Case("coin against a Gaussian, b=1e-3", coin, normal(0.5, 0.5), ("laplace", 1e-3), 2.0),
        Case("mixed laws", half, quarter, ("laplace", 0.25), 0.5),
        Case("mixed laws, Gaussian noise", half, quarter, ("gaussian", 0.5), 0.5),
        Case("mixed laws, no noise", half, quarter, ("none",), 0.5),
        Case(
            "atoms, Gaussian noise",
            normal(0.0, 0.0),
            normal(1.0, 0.0),
            ("gaussian", 1.0),
            1.0,
            1e-5,
        ),
        Case(
            "equal stds, Gaussian noise", normal(0.0, 1.0), normal(2.0, 1.0), ("gaussian", 1.5), 0.5
        ),
        Case(
            "unequal stds, Gaussian noise",
            normal(0.0, 1.0),
            normal(0.5, 2.0),
            ("gaussian", 1.0),
            0.5,
            1e-3,
        ),
        Case(
            "nearly equal stds, Gaussian noise",
            normal(0.0, 1.0),
            normal(1.0, 1.000001),
            ("gaussian", 1.0),
            0.5,
        ),
        Case(
            "mixtures with the same leading component, Gaussian noise",
            agree_p,
            agree_q,
            ("gaussian", 0.5),
            1.5,
            0.0,
        ),
        Case(
            "the same, an epsilon that needs infinite noise",
            agree_p,
            agree_q,
            ("gaussian", 4.0),
            0.25,
            0.0,
        ),
        Case(
            "mixtures with other leading components, Gaussian noise",
            agree_p,
            differ,
            ("gaussian", 0.5),
            0.05,
        ),
        Case(
            "small tables, Gaussian noise",
            coin,
            atoms((0.25, 0.0), (0.5, 0.5), (0.25, 1.0)),
            ("gaussian", 0.25),
            0.5,
        ),
        Case("equal stds, no noise", normal(0.0, 1.0), normal(0.5, 1.0), ("none",), 0.5),
        Case("unequal stds, no noise", normal(0.0, 1.0), normal(0.5, 2.0), ("none",), 0.5),
        Case(
            "mixtures with the same leading component, no noise", agree_p, agree_q, ("none",), 0.25
        ),
        Case("mixtures, no noise", agree_p, differ, ("none",), 0.05),
    ]


def all_cases() -> list[Case]:
    return (
        ratio_cases()
        + far_cases()
        + epsilon_cases()
        + many_cases()
        + touching_cases()
        + other_cases()
    )


# -------------------------------------------------------------------------------------------------
# The second way
# -------------------------------------------------------------------------------------------------

PER_DECADE = 120  # mesh cells per decade of distance from a mean


def log_density(law: Law, anchor: Floats, offset: Floats, noise: tuple[Any, ...]) -> Floats:
    """log density at anchor + offset (a narrow component far away keeps its digits)."""
    parts = []
    for w, mean, std in law:
        d = (anchor - mean) + offset
        scale = noise[1] if len(noise) > 1 else 0.0
        if noise[0] != "laplace":
            s = math.hypot(std, scale)
            parts.append(math.log(w / s) - 0.5 * math.log(2 * math.pi) - (d / s) ** 2 / 2)
        elif std == 0:
            parts.append(math.log(w / (2 * scale)) - np.abs(d) / scale)
        else:
            a = std / scale
            for z in (d / std, -d / std):
                body = -z * z / 2 + np.log(erfcx(np.maximum(a - z, 0.0) / math.sqrt(2)) / 2)
                tail = a * (a / 2 - z) + log_ndtr(z - a)
                parts.append(math.log(w / (2 * scale)) + np.where(z < a, body, tail))
    return np.asarray(np.logaddexp.reduce(parts, axis=0))


def graded(case: Case) -> tuple[Floats, Floats, Floats]:
    """Cells (anchor, left, right) covering all that matters, fine near every mean."""
    scale = case.noise[1] if len(case.noise) > 1 else 0.0
    laplace = case.noise[0] == "laplace"
    anchors: dict[float, float] = {}
    span = 0.0
    for _, mean, std in case.p + case.q:
        sizes = [s for s in ((std, scale) if laplace else (math.hypot(std, scale),)) if s > 0]
        span = max(span, 40 * max(sizes))
        points = [mean]
        if laplace and scale < std < 1e5 * scale and len(case.p) < 20:
            points += [mean - std**2 / scale, mean + std**2 / scale]
        for x in points:
            anchors[x] = min(anchors.get(x, math.inf), *sizes)
    if case.anchor is not None:
        anchors[case.anchor] = 1e-4
    centres = sorted(anchors)
    edges = [
        -math.inf,
        *((x + y) / 2 for x, y in pairwise(centres)),
        math.inf,
    ]
    cells: list[tuple[Floats, Floats, Floats]] = []
    for x, lo, hi in zip(centres, edges[:-1], edges[1:], strict=True):
        for sign, reach in ((-1, x - lo), (1, hi - x)):
            end = min(reach, span)
            first = min(anchors[x] / 50, end)
            count = (
                max(2, math.ceil(PER_DECADE * math.log10(end / first)) + 1) if end > first else 1
            )
            grid = np.concatenate([[0.0], np.geomspace(first, end, count)]) * sign
            left, right = np.minimum(grid[:-1], grid[1:]), np.maximum(grid[:-1], grid[1:])
            cells.append((np.full(left.shape, x), left, right))
    anchor, left, right = (np.concatenate(part) for part in zip(*cells, strict=True))
    return anchor, left, right


def second_way(case: Case) -> tuple[float, float, float, float]:
    """delta both ways and the largest log-ratio seen both ways, in floats."""
    if case.noise[0] == "none" and any(std == 0 for _, _, std in case.p + case.q):
        return tables(case)
    anchor, left, right = graded(case)
    nodes, weights = np.polynomial.legendre.leggauss(6)

    def logs(offset: Floats, which: Any = slice(None)) -> tuple[Floats, Floats]:
        first, second = (
            log_density(law, anchor[which], offset, case.noise) for law in (case.p, case.q)
        )
        return first, second

    deltas, tops = [], []
    for sign in (1, -1):

        def above(offset: Floats, which: Any = slice(None), sign: int = sign) -> NDArray[np.bool_]:
            p, q = logs(offset, which)
            return sign * (p - q) > case.epsilon

        # where the ends of a cell disagree, bisect: then only a doubly crossed cell has a kink
        start = above(left)
        crossed = np.flatnonzero(start != above(right))
        lo, hi = left[crossed], right[crossed]
        for _ in range(60):
            middle = (lo + hi) / 2
            same = above(middle, crossed) == start[crossed]
            lo, hi = np.where(same, middle, lo), np.where(same, hi, middle)
        crossing = right.copy()
        crossing[crossed] = lo
        total, top = 0.0, -math.inf
        everything = np.arange(len(anchor))
        for one, other, which in ((left, crossing, everything), (lo, right[crossed], crossed)):
            for node, weight in zip(nodes, weights, strict=True):
                p, q = logs((one + other) / 2 + node * (other - one) / 2, which)
                if sign < 0:
                    p, q = q, p
                value = -np.exp(p) * np.expm1(np.minimum(case.epsilon - (p - q), 0.0))
                total += float(np.sum(weight * (other - one) / 2 * value))
                seen = np.isfinite(p - q) & (np.abs(p) < 1e6) & (np.abs(q) < 1e6)
                top = max(top, float(np.max((p - q)[seen], initial=-math.inf)))
        deltas.append(total)
        tops.append(top)
    return deltas[0], deltas[1], tops[0], tops[1]


def tables(case: Case) -> tuple[float, float, float, float]:
    """Without noise, with atoms: a sum over the atoms, and the quadrature for the rest."""
    results: list[list[float]] = [[], []]
    rest = [[c for c in law if c[2] > 0] for law in (case.p, case.q)]
    smooth = (
        second_way(case._replace(p=rest[0], q=rest[1]))
        if all(rest)
        else (0.0, 0.0, -math.inf, -math.inf)
    )
    for i, (p, q) in enumerate(((case.p, case.q), (case.q, case.p))):
        other = {x: w for w, x, s in q if s == 0}
        mine = [(w, other.get(x, 0.0)) for w, x, s in p if s == 0]
        delta = math.fsum(max(w - math.exp(case.epsilon) * v, 0.0) for w, v in mine) + smooth[i]
        top = max(math.log(w / v) if v else math.inf for w, v in mine)
        results[i] = [delta, max(top, smooth[2 + i])]
    return results[0][0], results[1][0], results[0][1], results[1][1]


# -------------------------------------------------------------------------------------------------
# Values, checks, file
# -------------------------------------------------------------------------------------------------


def text(value: Any, digits: int = 20) -> str:
    if value == mp.inf:
        return "inf"
    return "0.0" if abs(value) < mpf(10) ** -38 else str(mp.nstr(value, digits))


def law_json(law: Law) -> dict[str, list[float]]:
    return {
        "weights": [c[0] for c in law],
        "means": [c[1] for c in law],
        "stds": [c[2] for c in law],
    }


def solve(case: Case) -> tuple[dict[str, Any], str]:
    """The entry of one case, and a line about it; an AssertionError if the second way disagrees."""
    started = time.perf_counter()
    delta_pq = reference.hockey_stick(case.p, case.q, case.epsilon, case.noise)
    delta_qp = reference.hockey_stick(case.q, case.p, case.epsilon, case.noise)
    epsilon_pq = reference.sup_log_ratio(case.p, case.q, case.noise)
    epsilon_qp = reference.sup_log_ratio(case.q, case.p, case.noise)
    entry: dict[str, Any] = {
        "name": case.name,
        "p": law_json(case.p),
        "q": law_json(case.q),
        "noise": {
            "kind": case.noise[0],
            "parameter": case.noise[1] if len(case.noise) > 1 else 0.0,
        },
        "epsilon": case.epsilon,
        "delta_pq": text(delta_pq),
        "delta_qp": text(delta_qp),
        "epsilon_pq": text(epsilon_pq),
        "epsilon_qp": text(epsilon_qp),
    }
    checks = []
    second = second_way(case)
    touching = case.anchor is not None
    for exact, seen in ((delta_pq, second[0]), (delta_qp, second[1])):
        error = abs(exact - seen)
        checks.append(f"{mp.nstr(exact, 6)} ({mp.nstr(error, 2)})")
        assert error <= (1e-5 if touching else 1e-8) * exact + (1e-20 if touching else 2e-16), (
            case.name,
            exact,
            seen,
        )
    for exact, seen in ((epsilon_pq, second[2]), (epsilon_qp, second[3])):
        assert seen <= exact + 1e-12 * (1 + abs(seen)), (case.name, exact, seen)
        attained = exact == seen or (exact != mp.inf and exact - seen <= 1e-3 * exact)
        checks.append(
            f"{mp.nstr(exact, 6)} ({'seen' if attained else 'seen ' + format(seen, '.4g')})"
        )
    if case.scale_delta is not None:
        entry["exact_scale"], line = solve_scale(case, case.scale_delta)
        checks.append(line)
    return entry, f"{case.name}: {'; '.join(checks)}; {time.perf_counter() - started:.1f} s"


def solve_scale(case: Case, delta: float) -> tuple[dict[str, Any], str]:
    """The exact scale at delta; by the second way, 1e-6 more is enough and 1e-6 less is not."""
    family = case.noise[0]
    value = reference.exact_scale(case.p, case.q, case.epsilon, delta, family)
    entry = {"family": family, "delta": delta, "value": text(value, 12)}
    line = f"scale at {delta:g}: {text(value, 12)}"
    if value in (0, mp.inf):
        return entry, line
    less, more = (
        second_way(case._replace(noise=(family, float(value * (1 + d))))) for d in (-1e-6, 1e-6)
    )
    if delta == 0:
        checked = max(less[2:]) > case.epsilon >= max(more[2:])
        return entry, line + (" (checked)" if checked else " (not checked)")
    assert max(less[:2]) > delta >= max(more[:2]), (case.name, value, less, more)
    return entry, line + " (checked)"


def main() -> None:
    entries = []
    with ProcessPoolExecutor() as pool:
        for entry, line in pool.map(solve, all_cases()):
            print(line, flush=True)
            entries.append(entry)
    Path(__file__).with_name("extreme.json").write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
