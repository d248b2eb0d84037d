"""A slow, independent, high-precision reference for the law of Y = X + N.

Nothing here imports the library. A law of X is a list of ``(weight, mean, std)``, a Gaussian
mixture in which a std of 0 is an atom. The noise N is ``("laplace", b)``, ``("gaussian", theta)``
or ``("none",)``. Weights are taken as they are, not normalised, so that a law may be a
sub-probability. Numbers are read exactly (a float is the binary fraction it is) and every result is
an ``mpf`` with about ``DIGITS`` correct digits.

How the hockey-stick divergence is found: the log-ratio log p/q is sampled, with its derivative, on
a mesh that knows every mean, std and scale; cells on which a cubic does not follow it are split;
extrema and crossings of epsilon are polished by bracketing; the divergence is P(S) - e^epsilon Q(S)
from closed-form cdfs, on the set S where the log-ratio exceeds epsilon. No quadrature. As
P(S) - e^epsilon Q(S) is at most the divergence for *every* S, a missed crossing could only make the
answer too small, and an inexact one changes it in second order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from mpmath import mp, mpf

Real = Any  # a float, an int or an mpf: mpmath carries no types
Law = Sequence[tuple[Real, Real, Real]]
Noise = tuple[Any, ...]

DIGITS = 40  # digits of a result
MESH_RATIO = 1.6  # ratio of successive distances from a mean to the nodes around it
MESH_STEPS = 8  # nodes at 1/2, 1, 3/2, ..., MESH_STEPS times every scale
MESH_TOLERANCE = 1e-2  # cells are split until a cubic follows the log-ratio, relative to its range
LEVEL_TOLERANCE = 1e-6  # the same, absolutely, for the cells near the level that is asked for
REACH = 20  # stds after which a Gaussian tail is negligible: exp(-200)
MAX_SCALE = 1e4  # where the search for a scale gives up
MAX_EPSILON = 10_000  # meshes reach far enough for crossings of levels up to this size


class _Component(NamedTuple):
    weight: Real
    mean: Real
    std: Real


class _Node(NamedTuple):
    """The log-ratio at a point, with its left and right derivatives (an atom is a kink)."""

    y: Real
    value: Real
    left: Real
    right: Real


_Law = tuple[_Component, ...]


# -------------------------------------------------------------------------------------------------
# One law: density, derivative, tails
# -------------------------------------------------------------------------------------------------


def _read(noise: Noise, number: Real, *laws: Law) -> tuple[list[_Law], Real, str, Real]:
    """The arguments as exact numbers; no noise is Gaussian noise of scale 0."""
    kind, scale = ("gaussian", 0) if noise[0] == "none" else noise
    if kind not in ("laplace", "gaussian") or scale < 0 or (kind == "laplace" and scale == 0):
        raise ValueError(f"not a noise: {noise!r}")
    with mp.workdps(4 * DIGITS):  # mpf(x) rounds x to the working precision
        read = [
            tuple(_Component(mpf(w), mpf(m), mpf(s)) for w, m, s in law if w > 0) for law in laws
        ]
        return read, mpf(number), kind, mpf(scale)


def _normal_cdf(z: Real) -> Real:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def _laplace_parts(d: Real, std: Real, b: Real, side: int) -> tuple[Real, Real]:
    """R and L: at mean + d, density (R + L)/2b, slope (L - R)/2b^2, cdf Phi(z) + (L - R)/2."""
    if std == 0:
        right = d > 0 or (d == 0 and side > 0)
        return (mp.exp(-d / b), mpf(0)) if right else (mpf(0), mp.exp(d / b))
    z, a = d / std, std / b
    return tuple(mp.exp(a * a / 2 - a * x) * _normal_cdf(x - a) for x in (z, -z))


def _density(law: _Law, y: Real, kind: str, scale: Real, side: int = 1) -> tuple[Real, Real]:
    """Density and derivative of Y at y, approached from the given side."""
    value = slope = mpf(0)
    for w, mean, std in law:
        d = y - mean
        if kind == "laplace":
            right, left = _laplace_parts(d, std, scale, side)
            value += w * (right + left) / (2 * scale)
            slope += w * (left - right) / (2 * scale**2)
        else:
            v = std**2 + scale**2
            g = w * mp.exp(-d * d / (2 * v)) / mp.sqrt(2 * mp.pi * v)
            value += g
            slope -= g * d / v
    return value, slope


def _lower(d: Real, std: Real, kind: str, scale: Real) -> Real:
    """P(Y <= mean + d) for one component; the upper tail is the same at -d (atoms of Y apart)."""
    if kind == "laplace":
        right, left = _laplace_parts(d, std, scale, 1)
        centre = _normal_cdf(d / std) if std else mpf(d >= 0)
        return centre + (left - right) / 2
    s = mp.hypot(std, scale)
    return _normal_cdf(d / s) if s else mpf(d >= 0)


def _mass(law: _Law, lo: Real, hi: Real, kind: str, scale: Real) -> Real:
    """P(lo < Y < hi), each component from the tail that does not cancel; ends may be infinite."""
    total = mpf(0)
    for w, mean, std in law:
        if hi == mp.inf or (lo != -mp.inf and lo + hi > 2 * mean):
            part = _lower(mean - lo, std, kind, scale) if lo != -mp.inf else mpf(1)
            part -= _lower(mean - hi, std, kind, scale) if hi != mp.inf else 0
        else:
            part = _lower(hi - mean, std, kind, scale)
            part -= _lower(lo - mean, std, kind, scale) if lo != -mp.inf else 0
        total += w * part
    return total


def density(law: Law, y: Real, noise: Noise) -> Real:
    """The density of X + N at y (of its continuous part, if there is no noise)."""
    (x,), y, kind, scale = _read(noise, y, law)
    with mp.workdps(_digits(x, kind, scale, DIGITS, abs(y))):
        return _density(_split(x, kind, scale)[1], y, kind, scale)[0]


def cdf(law: Law, y: Real, noise: Noise) -> Real:
    """P(X + N <= y)."""
    (x,), y, kind, scale = _read(noise, y, law)
    with mp.workdps(_digits(x, kind, scale, DIGITS, abs(y))):
        return sum((w * _lower(y - mean, std, kind, scale) for w, mean, std in x), mpf(0))


def _split(law: _Law, kind: str, scale: Real) -> tuple[dict[Real, Real], _Law]:
    """The atoms of Y (only without noise) and the components of its continuous part."""
    if kind == "laplace" or scale > 0:
        return {}, law
    atoms: dict[Real, Real] = {}
    for w, mean, std in law:
        if std == 0:
            atoms[mean] = atoms.get(mean, mpf(0)) + w
    return atoms, tuple(c for c in law if c.std > 0)


# -------------------------------------------------------------------------------------------------
# Two laws: tails and mesh of the log-ratio
# -------------------------------------------------------------------------------------------------


def _tail(p: _Law, q: _Law, kind: str, scale: Real, side: int) -> Real:
    """The limit of log p/q as y tends to side * infinity."""
    if kind == "laplace":
        p_mgf, q_mgf = (
            sum(w * mp.exp(side * mean / scale + (std / scale) ** 2 / 2) for w, mean, std in law)
            for law in (p, q)
        )
        return mp.log(p_mgf / q_mgf)
    (p_weight, p_rank), (q_weight, q_rank) = (_leading(law, side) for law in (p, q))
    if p_rank == q_rank:
        return mp.log(p_weight / q_weight)
    return mp.inf if p_rank > q_rank else -mp.inf


def _leading(law: _Law, side: int) -> tuple[Real, tuple[Real, Real]]:
    """Under Gaussian noise: the weight and rank (std, extremeness) of the leader of a tail."""
    rank = max((c.std, side * c.mean) for c in law)
    return sum(c.weight for c in law if (c.std, side * c.mean) == rank), rank


def _gaussian_reach(p: _Law, q: _Law, scale: Real, side: int) -> Real:
    """Where each law has become its leading component, and log p/q settled or past MAX_EPSILON."""

    def exponent(c: _Component, y: Real) -> Real:
        v = c.std**2 + scale**2
        return mp.log(c.weight) - mp.log(v) / 2 - (y - c.mean) ** 2 / (2 * v)

    leaders = []
    for law in (p, q):
        weight, (std, extreme) = _leading(law, side)
        leaders.append(_Component(weight, side * extreme, std))
    same = leaders[0][1:] == leaders[1][1:]
    sign = 1 if _tail(p, q, "gaussian", scale, side) > 0 else -1
    both = p + q
    start = max(side * c.mean for c in both)
    step = max(mp.hypot(c.std, scale) for c in both) * REACH
    while True:
        y = side * (start + step)
        settled = all(
            c[1:] == lead[1:] or exponent(lead, y) - exponent(c, y) > 3 * DIGITS
            for law, lead in zip((p, q), leaders, strict=True)
            for c in law
        )
        here, there = (
            exponent(leaders[0], x) - exponent(leaders[1], x)
            for x in (y, side * (start + 2 * step))
        )
        growing = sign * there > sign * here > 2 * MAX_EPSILON
        if settled and (same or growing):
            return y
        step *= 2


def _bounds(p: _Law, q: _Law, kind: str, scale: Real) -> tuple[Real, Real]:
    """Beyond these points the log-ratio is at its limit, or monotone and past MAX_EPSILON."""
    if kind == "gaussian":
        return _gaussian_reach(p, q, scale, -1), _gaussian_reach(p, q, scale, 1)
    spans = [(c.mean, c.std**2 / scale + REACH * c.std) for c in p + q]
    return min(m - s for m, s in spans), max(m + s for m, s in spans)


def _digits(law: _Law, kind: str, scale: Real, digits: int, reach: Real) -> int:
    """Working digits: the exponents of exp and erfc must keep `digits` digits behind the point."""
    reach = reach + max(abs(c.mean) for c in law)
    if kind == "laplace":
        size = max([(c.std / scale) ** 2 for c in law] + [reach / scale])
    else:
        size = max(
            [(reach / s) ** 2 for c in law if (s := mp.hypot(c.std, scale)) > 0], default=mpf(1)
        )
    return digits + 10 + 2 * max(0, int(mp.ceil(mp.log10(1 + size))) // 2 + 1)


def _ladder(p: _Law, q: _Law, kind: str, scale: Real, lo: Real, hi: Real) -> list[Real]:
    """Initial nodes: around every component, at multiples of its own scales, then ever wider."""
    means = {c.mean for c in p + q}
    points = {lo, hi}
    smallest = mp.inf
    for _, mean, std in set(p + q):
        scales = [
            s for s in ((std, scale) if kind == "laplace" else (mp.hypot(std, scale),)) if s > 0
        ]
        smallest = min(smallest, *scales)
        offsets = [s * k / 2 for s in scales for k in range(1, 2 * MESH_STEPS + 1)]
        x = min(scales) / 4
        while x < hi - lo:
            offsets.append(x)
            x *= MESH_RATIO
        centres = [mean]
        if kind == "laplace" and std > scale:  # where the Gaussian body turns into a Laplace tail
            centres += [mean - std**2 / scale, mean + std**2 / scale]
        points.update(centre + sign * x for centre in centres for x in offsets for sign in (-1, 1))
        points.update(centres)
    kept: list[Real] = []
    for y in sorted(y for y in points if lo <= y <= hi):
        if kept and y - kept[-1] < smallest / 4 and y not in means:
            continue
        kept.append(y)
    return kept


class _Ratio:
    """log p/q of two laws without common atoms, sampled on a mesh."""

    def __init__(self, p: _Law, q: _Law, kind: str, scale: Real, digits: int) -> None:
        self.p, self.q, self.kind, self.scale, self.digits = p, q, kind, scale, digits
        self.noise = mpf(10) ** (5 - digits)  # differences of the log-ratio that mean nothing
        self.lo, self.hi = _bounds(p, q, kind, scale)
        self.dps = _digits(p + q, kind, scale, digits, max(abs(self.lo), abs(self.hi)))
        with mp.workdps(self.dps):
            self.lower_limit = _tail(p, q, kind, scale, -1)
            self.upper_limit = _tail(p, q, kind, scale, 1)
            self.atoms = {c.mean for c in p + q if c.std == 0} if kind == "laplace" else set()
            nodes = [self.node(y) for y in _ladder(p, q, kind, scale, self.lo, self.hi)]
            self.nodes = list(
                self.refine(nodes, lambda a, b: MESH_TOLERANCE * (1 + abs(b.value - a.value)))
            )

    def flipped(self) -> _Ratio:
        """log q/p on the same mesh."""
        other = copy(self)
        other.p, other.q = self.q, self.p
        other.lower_limit, other.upper_limit = -self.lower_limit, -self.upper_limit
        with mp.workdps(self.dps):
            other.nodes = [_Node(n.y, -n.value, -n.left, -n.right) for n in self.nodes]
        return other

    def node(self, y: Real) -> _Node:
        (p, dp), (q, dq) = (_density(law, y, self.kind, self.scale) for law in (self.p, self.q))
        right = left = dp / p - dq / q
        if y in self.atoms:
            (_, dp), (_, dq) = (
                _density(law, y, self.kind, self.scale, -1) for law in (self.p, self.q)
            )
            left = dp / p - dq / q
        return _Node(y, mp.log(p / q), left, right)

    def refine(
        self, nodes: list[_Node], tolerance: Callable[[_Node, _Node], Real]
    ) -> Iterator[_Node]:
        """Nodes, with cells halved until the cubic through the ends predicts the middle well."""
        yield nodes[0]
        stack = list(pairwise(nodes))[::-1]
        while stack:
            left, right = stack.pop()
            allowed = tolerance(left, right)
            width = right.y - left.y
            if allowed == mp.inf or width <= mpf(10) ** (-self.dps) * (self.hi - self.lo):
                yield right
                continue
            middle = self.node((left.y + right.y) / 2)
            value = (left.value + right.value) / 2 + width * (left.right - right.left) / 8
            slope = 3 * (right.value - left.value) / 2 - width * (left.right + right.left) / 4
            if (
                abs(middle.value - value) <= allowed
                and abs(width * middle.left - slope) <= 4 * allowed
            ):
                yield middle
                yield right
            else:
                stack += [(middle, right), (left, middle)]

    def near(self, level: Real) -> list[_Node]:
        """The mesh, refined where the log-ratio may be near the level, with its extrema there."""

        def tolerance(left: _Node, right: _Node) -> Real:
            return LEVEL_TOLERANCE if close(left, right) else mp.inf

        def close(left: _Node, right: _Node) -> bool:
            bottom, top = sorted((left.value, right.value))
            pad = (top - bottom) / 2 + (right.y - left.y) * (abs(left.right) + abs(right.left)) / 4
            return bool(bottom - pad <= level <= top + pad)

        nodes = list(self.refine(self.nodes, tolerance))
        found = [nodes[0]]
        for left, right in pairwise(nodes):
            rise = (right.y - left.y) * max(abs(left.right), abs(right.left))
            if left.right * right.left < 0 and rise > self.noise and close(left, right):
                y = _root(
                    lambda y: self.node(y).right,
                    left.y,
                    right.y,
                    left.right,
                    right.left,
                    self.digits,
                )
                found.append(self.node(y))
            found.append(right)
        return found

    def above(self, level: Real) -> list[tuple[Real, Real]]:
        """The intervals on which the log-ratio exceeds the level (not by rounding alone)."""

        def sign(value: Real) -> int:
            return 0 if abs(value - level) <= self.noise else (1 if value > level else -1)

        nodes = self.near(level)
        ends = [(n.y, sign(n.value)) for n in nodes]
        ends = [(-mp.inf, sign(self.lower_limit)), *ends, (mp.inf, sign(self.upper_limit))]
        found: list[tuple[Real, Real]] = []
        for (lo, left), (hi, right) in pairwise(ends):
            if left <= 0 and right <= 0:
                continue
            if left * right < 0:
                if lo == -mp.inf or hi == mp.inf:
                    raise ArithmeticError("the mesh ends before the log-ratio has settled")
                f_lo, f_hi = (self.node(y).value - level for y in (lo, hi))
                root = _root(lambda y: self.node(y).value - level, lo, hi, f_lo, f_hi, self.digits)
                found.append((root, hi) if right > 0 else (lo, root))
            else:
                found.append((lo, hi))
            if len(found) > 1 and found[-2][1] == found[-1][0]:  # adjacent: one interval
                found[-2:] = [(found[-2][0], found[-1][1])]
        return found

    def supremum(self) -> Real:
        best, last = max(n.value for n in self.nodes), -mp.inf
        while best > last:  # a finer mesh may show a higher hill than the one it was refined for
            last, best = best, max(n.value for n in self.near(best))
        return max(best, self.lower_limit, self.upper_limit)


def _root(
    f: Callable[[Real], Real], lo: Real, hi: Real, f_lo: Real, f_hi: Real, digits: int
) -> Real:
    """The zero of f in a bracket, by Ridders' method, to `digits` digits of the bracket's width."""
    stop = (hi - lo) * mpf(10) ** (-digits)
    last = mp.inf
    while True:
        middle = (lo + hi) / 2
        f_middle = f(middle)
        x = middle + (middle - lo) * mp.sign(f_lo) * f_middle / mp.sqrt(f_middle**2 - f_lo * f_hi)
        f_x = f(x)
        if f_x == 0 or abs(x - last) <= stop or hi - lo <= stop:
            return x
        last = x
        points = sorted([(lo, f_lo), (middle, f_middle), (x, f_x), (hi, f_hi)])
        (lo, f_lo), (hi, f_hi) = next(
            cell for cell in pairwise(points) if cell[0][1] * cell[1][1] <= 0
        )
        if f_lo * f_hi == 0:
            return lo if f_lo == 0 else hi


@lru_cache(maxsize=64)
def _ratio(p: _Law, q: _Law, kind: str, scale: Real, digits: int) -> _Ratio:
    return (
        _ratio(q, p, kind, scale, digits).flipped() if q < p else _Ratio(p, q, kind, scale, digits)
    )


# -------------------------------------------------------------------------------------------------
# The questions
# -------------------------------------------------------------------------------------------------


def hockey_stick(p: Law, q: Law, epsilon: Real, noise: Noise) -> Real:
    """HS_epsilon(P||Q), the integral of (p - e^epsilon q)_+; epsilon may be negative."""
    if not abs(epsilon) <= MAX_EPSILON:
        raise ValueError(f"epsilon out of range: {epsilon!r}")
    laws, epsilon, kind, scale = _read(noise, epsilon, p, q)
    digits = DIGITS
    while True:
        with mp.workdps(digits + 10):
            (p_atoms, p_rest), (q_atoms, q_rest) = (_split(law, kind, scale) for law in laws)
            factor = mp.exp(epsilon)
            total = sum(
                (max(w - factor * q_atoms.get(x, 0), mpf(0)) for x, w in p_atoms.items()), mpf(0)
            )
            mass = sum(p_atoms.values(), mpf(0))
            if not p_rest or not q_rest:
                return total + sum((c.weight for c in p_rest), mpf(0))
            ratio = _ratio(p_rest, q_rest, kind, scale, digits)
        with mp.workdps(ratio.dps):
            factor = mp.exp(epsilon)
            for lo, hi in ratio.above(epsilon):
                part = _mass(p_rest, lo, hi, kind, scale)
                mass += part
                total += max(part - factor * _mass(q_rest, lo, hi, kind, scale), mpf(0))
        if (
            total == 0
            or total > mass * mpf(10) ** (DIGITS // 2 + 5 - digits)
            or digits > 4 * DIGITS
        ):
            return total
        digits *= 2  # P(S) and e^epsilon Q(S) cancel: more digits


def hockey_stick_missing(
    p: Law, q: Law, epsilon: Real, noise: Noise, missing: tuple[Real, Real]
) -> Real:
    """The same where a value is missing, and seen to be, with these probabilities under p and q."""
    p_missing, q_missing = missing
    with mp.workdps(DIGITS + 10):
        hole = max(mpf(p_missing) - mp.exp(mpf(epsilon)) * mpf(q_missing), mpf(0))
        kept = [
            [(mpf(w) * (1 - mpf(m)), x, s) for w, x, s in law]
            for law, m in ((p, p_missing), (q, q_missing))
        ]
        if p_missing == 1 or q_missing == 1:
            return hole + sum((c[0] for c in kept[0]), mpf(0))
    return hole + hockey_stick(kept[0], kept[1], epsilon, noise)


def sup_log_ratio(p: Law, q: Law, noise: Noise) -> Real:
    """The supremum of log p/q over the line, tails included; it may be infinite."""
    laws, _, kind, scale = _read(noise, 0, p, q)
    with mp.workdps(DIGITS + 10):
        (p_atoms, p_rest), (q_atoms, q_rest) = (_split(law, kind, scale) for law in laws)
        if any(x not in q_atoms for x in p_atoms) or (p_rest and not q_rest):
            return mp.inf
        best = max((mp.log(w / q_atoms[x]) for x, w in p_atoms.items()), default=-mp.inf)
        if not p_rest:
            return best
        if kind == "gaussian" and mp.inf in (
            _tail(p_rest, q_rest, kind, scale, side) for side in (-1, 1)
        ):
            return mp.inf
        ratio = _ratio(p_rest, q_rest, kind, scale, DIGITS)
    with mp.workdps(ratio.dps):
        return max(best, ratio.supremum())


def pure_epsilon(p: Law, q: Law, noise: Noise) -> Real:
    """The smallest epsilon at which both divergences vanish."""
    return max(sup_log_ratio(p, q, noise), sup_log_ratio(q, p, noise))


def exact_scale(p: Law, q: Law, epsilon: Real, delta: Real, family: str) -> Real:
    """The smallest scale at which both divergences are at most delta, to 1e-11 relative.

    Infinite where there is none (given up at MAX_SCALE times the spread of the laws over epsilon):
    at delta = 0 no Gaussian noise brings the largest log-ratio below the supremum over t of
    |log M_p(t)/M_q(t)|, M the moment generating functions.
    """

    def excess(noise: Noise) -> Real:
        if delta == 0:
            return pure_epsilon(p, q, noise) / epsilon - 1
        both = (hockey_stick(p, q, epsilon, noise), hockey_stick(q, p, epsilon, noise))
        worst = max(both) / mpf(delta)
        return mp.log(worst) if worst > 1 else worst - 1

    if excess(("none",)) <= 0:
        return mpf(0)
    with mp.workdps(DIGITS):
        spread = max(abs(mpf(m) - n) + abs(mpf(s) - t) for _, m, s in p for _, n, t in q)
        lo = hi = start = mp.log(spread / epsilon)
        f_lo = f_hi = excess((family, mp.exp(hi)))
        while f_hi > 0:
            if f_hi == mp.inf or hi > start + mp.log(MAX_SCALE):
                return mp.inf
            lo, f_lo = hi, f_hi
            hi += 1
            f_hi = excess((family, mp.exp(hi)))
        while f_lo <= 0:
            hi, f_hi = lo, f_lo
            lo -= 1
            f_lo = excess((family, mp.exp(lo)))
        if f_hi == 0:
            return mp.exp(hi)
        return mp.exp(_root(lambda x: excess((family, mp.exp(x))), lo, hi, f_lo, f_hi, 12))
