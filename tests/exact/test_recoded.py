"""The judge of recodings, against arithmetic of its own kind and against draws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.optimize import linprog
from scipy.stats import norm

import pufferfish as pf
from pufferfish.exact.cell_laws import cell_law
from pufferfish.recoding.domain import Cells
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.table import round_table
from tests.joint_judge import Recode, exp_below, judge_laws, log_of
from tests.recoding.referee import spent

FLIP = pf.Recoding.from_matrix([0, 1], [[0.75, 0.25], [0.25, 0.75]])


def counted(*groups: list[int], missing: dict[str, int] | None = None) -> pf.Scenario:
    names = "abcdefgh"
    laws = {
        names[place]: pf.Discrete.from_counts(dict(enumerate(counts)))
        for place, counts in enumerate(groups)
    }
    return pf.Scenario(pf.Belief(laws, missing_counts=missing))


def test_known_numbers() -> None:
    scenario = counted([1, 0], [0, 1])
    assert pf.pure_epsilon(scenario, FLIP).upper == pytest.approx(math.log(3), abs=1e-12)
    profile = pf.privacy_profile(scenario, FLIP, [0.0, math.log(3) / 2, 2.0])
    expected = [0.5, 0.75 - math.sqrt(3) * 0.25, 0.0]
    assert profile.delta_upper == pytest.approx(expected, abs=1e-12)
    assert profile.delta_lower == pytest.approx(expected, abs=1e-12)
    for epsilon, holds in ((1.1, True), (1.09, False), (math.log(3) + 1e-15, True)):
        assert pf.verify(scenario, FLIP, pf.Guarantee(epsilon)).holds is holds


def test_promises_beyond_what_a_float_can_say() -> None:
    law = pf.Recoding.from_matrix([0, 1], np.eye(2))
    for epsilon in (600.0, 800.0, 1e6):
        assert pf.verify(counted([1, 1], [1, 0]), law, pf.Guarantee(epsilon)).holds is False
        assert pf.verify(counted([1, 1], [1, 9]), law, pf.Guarantee(epsilon)).holds is True


def test_what_one_secret_alone_can_publish_has_no_bound() -> None:
    law = pf.Recoding.from_matrix([0, 1], np.eye(2))
    certificate = pf.verify(counted([1, 1], [1, 0]), law, pf.Guarantee(1.0))
    assert certificate.epsilon_lower == math.inf
    assert certificate.holds is False
    assert pf.verify(counted([1, 1], [1, 0]), law, pf.Guarantee(1.0, 0.5)).holds is True
    assert pf.verify(counted([1, 1], [1, 0]), law, pf.Guarantee(1.0, 0.49)).holds is False


@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, outs, secrets = (int(rng.integers(1, 7)) for _ in range(3))
    secrets += 1
    groups = [rng.integers(0, 20, cells) + (np.arange(cells) == 0) for _ in range(secrets)]
    matrix = rng.dirichlet(np.full(outs, 0.5), cells)
    law = pf.Recoding.from_matrix(range(cells), matrix, outputs=range(outs))
    scenario = counted(*[each.tolist() for each in groups])
    wrong = float(rng.choice([0.0, 0.01, 0.2]))
    goal = pf.Guarantee(float(rng.uniform(0.05, 2.0)), float(rng.choice([0.0, 0.01, 0.1])))
    certificate = pf.verify(scenario, law, goal, wrong=wrong)
    laws = [[Fraction(int(n), int(each.sum())) for n in each] for each in groups]
    table = [[Fraction(int(n), WHOLE) for n in row] for row in law.table]
    true = spent(table, laws, goal.epsilon, Fraction(wrong))
    assert certificate.holds is (true <= Fraction(goal.delta)) or (
        certificate.holds is None and wrong and not goal.pure
    )
    if not goal.pure:
        assert certificate.delta_upper == pytest.approx(float(true), abs=1e-12)
        assert Fraction(certificate.delta_upper) >= true


@pytest.mark.parametrize("seed", range(8))
def test_no_law_within_what_may_be_wrong_does_worse(seed: int) -> None:
    """The worst law of each kind, found by linear programming."""
    rng = np.random.default_rng(seed)
    size, wrong = 5, 0.07
    groups = [rng.integers(0, 30, size) + 1 for _ in range(2)]
    matrix = rng.dirichlet(np.ones(4), size)
    law = pf.Recoding.from_matrix(range(size), matrix, outputs=range(4))
    certificate = pf.verify(
        counted(*[each.tolist() for each in groups]), law, pf.Guarantee(1.0), wrong=wrong
    )

    def extreme(counts: Any, weights: Any) -> float:
        # p' = p + a − b, a, b ≥ 0, Σa = Σb ≤ η.
        share = counts / counts.sum()
        found = linprog(
            np.concatenate([-weights, weights]),
            A_ub=np.block([[-np.eye(size), np.eye(size)], [np.ones(size), np.zeros(size)]]),
            b_ub=np.append(share, wrong),
            A_eq=np.concatenate([np.ones(size), -np.ones(size)])[None, :],
            b_eq=[0.0],
        )
        return float(share @ weights - found.fun)

    worst = max(
        extreme(one, column) / -extreme(other, -column)
        for column in matrix.T
        for one, other in (groups, groups[::-1])
    )
    assert certificate.epsilon_upper == pytest.approx(math.log(worst), abs=1e-9)
    assert certificate.epsilon_lower == pytest.approx(math.log(worst), abs=1e-9)


def test_counts_are_exact_and_missing_ones_too() -> None:
    scenario = counted([3, 4], [5, 2], missing={"a": 7, "b": 0})
    cells = Cells((0.0, 1.0, None))
    law = cell_law(cells, scenario.beliefs[0], "a")
    shares = [Fraction(int(n), law.total) for n in law.low]
    assert shares == [Fraction(3, 14), Fraction(4, 14), Fraction(1, 2)]
    with pytest.raises(pf.UnsupportedError, match="missing"):
        cell_law(Cells((0.0, 1.0)), scenario.beliefs[0], "a")
    with pytest.raises(pf.UnsupportedError, match="does not take"):
        cell_law(Cells((0.0, None)), scenario.beliefs[0], "a")


def enclosed(cells: Cells, prior: pf.Prior, radius: float = 0.0) -> tuple[Any, Any]:
    belief = pf.Belief({"a": prior, "b": prior}, radius=radius)
    law = cell_law(cells, belief, "a")
    total = float(law.total)
    return [float(n) / total for n in law.low], [float(n) / total for n in law.high]


def test_smooth_laws_are_enclosed_in_bins() -> None:
    cells = Cells((-1.0, 0.5, 2.0, 9.0), (0.0, 1.0, 8.0))
    low, high = enclosed(cells, pf.Gaussian(0.3, 0.9))
    with mp.workdps(40):
        ends = [mp.ncdf((edge - mp.mpf(0.3)) / mp.mpf(0.9)) for edge in (0, 1, 8)]
        true = [ends[0], ends[1] - ends[0], ends[2] - ends[1], 1 - ends[2]]
    for a, b, share in zip(low, high, true, strict=True):
        assert a <= share <= b
        assert b - a <= 1e-11 * share + 1e-13


def test_noise_on_its_grid_is_enclosed() -> None:
    """Every point of the grid summed, in many digits."""
    noise, cells = pf.LaplaceNoise(1.0, 2.0**-4), Cells((0.0, 1.0, 2.0), (0.4, 1.5))
    placed = Cells(cells.values, cells.edges, noise)
    prior = pf.Discrete([0.0, 0.9], [0.25, 0.75])
    low, high = enclosed(placed, prior)
    true = [mp.mpf(0)] * 3
    with mp.workdps(30):
        step = mp.mpf(2) ** -4
        norming = mp.tanh(step / 2)
        for value, share in ((0, 0.25), (round(0.9 * 16), 0.75)):
            for n in range(-800, 801):
                y = (value + n) * step
                place = 0 if y < mp.mpf(0.4) else 1 if y < 1.5 else 2
                true[place] += share * norming * mp.exp(-abs(n) * step)
    for a, b, share in zip(low, high, true, strict=True):
        assert a <= share <= b
        assert b <= a * math.exp(4.1 * 2.0**-4)
    wide_low, wide_high = enclosed(placed, prior, radius=0.5)
    assert all(a >= b for a, b in zip(low, wide_low, strict=True))
    assert all(a <= b for a, b in zip(high, wide_high, strict=True))


def test_a_coarse_belief_needs_noise_and_a_smooth_one_bins() -> None:
    with pytest.raises(pf.UnsupportedError, match="noise"):
        enclosed(Cells((0.0, 1.0), (0.5,)), pf.Discrete([0.0], [1.0]), radius=0.1)
    with pytest.raises(pf.UnsupportedError, match="bins"):
        enclosed(Cells((0.0, 1.0)), pf.Gaussian(0, 1))


def test_noise_then_a_map_promises_no_less_than_noise() -> None:
    scenario = pf.Scenario(pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)}))
    noise = pf.LaplaceNoise(1.5, 2.0**-24)
    edges = tuple(np.arange(-3.0, 4.5, 0.5))
    middles = tuple(np.arange(-3.25, 4.5, 0.5))
    law = pf.Recoding(
        values=middles,
        outputs=middles,
        table=np.diag([WHOLE] * len(middles)),
        edges=edges,
        noise=noise,
    )
    points = [0.0, 0.2, 0.5]
    mapped, plain = (pf.privacy_profile(scenario, each, points) for each in (law, noise))
    for a, b in zip(mapped.delta_upper, plain.delta_upper, strict=True):
        assert a <= b + 1e-6
    # Fine bins lose little: the bound is no empty one.
    assert mapped.delta_lower[0] > 0.8 * plain.delta_lower[0]


def test_thousands_of_pairs_are_bounded_by_one() -> None:
    rng = np.random.default_rng(1)
    groups = {f"s{n}": dict(enumerate((rng.integers(1, 9, 4)).tolist())) for n in range(60)}
    laws = {name: pf.Discrete.from_counts(counts) for name, counts in groups.items()}
    every = pf.Scenario(pf.Belief(laws))
    law = pf.Recoding.from_matrix(range(4), 0.5 * np.eye(4) + 0.125)
    many = pf.verify(every, law, pf.Guarantee(1.0))
    assert len(many.results) == 2
    each = [
        pf.verify(pf.Scenario(every.beliefs, [pair]), law, pf.Guarantee(1.0)).epsilon_upper
        for pair in every.pairs
    ]
    assert many.epsilon_upper == pytest.approx(max(each), abs=1e-12)
    assert many.holds is (max(each) <= 1.0)
    with pytest.raises(pf.UnsupportedError, match="thousands"):
        pf.verify(every, law, pf.Guarantee(1.0, 0.1))


def test_a_certificate_says_how_wrong_laws_may_be_and_keeps_it() -> None:
    certificate = pf.verify(counted([5, 4], [4, 5]), FLIP, pf.Guarantee(1.0), wrong=0.05)
    again = pf.Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.wrong == 0.05
    assert "wrong" not in pf.verify(counted([5, 4], [4, 5]), FLIP, pf.Guarantee(1.0)).to_dict()
    with pytest.raises(pf.UnsupportedError, match="wrong"):
        pf.verify(counted([5, 4], [4, 5]), pf.LaplaceNoise(1.0), pf.Guarantee(1.0), wrong=0.1)
    for wrong in (-0.1, 1.0, math.nan):
        with pytest.raises(pf.InvalidInputError):
            pf.verify(counted([5, 4], [4, 5]), FLIP, pf.Guarantee(1.0), wrong=wrong)


def test_bounds_meet_the_share_of_draws() -> None:
    """What is drawn is what was judged: a smooth value, noise first, bins, a map."""
    scenario = pf.Scenario(pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)}))
    noise = pf.LaplaceNoise(1.0, 2.0**-24)
    law = pf.Recoding(
        values=(-1.0, 1.0),
        outputs=(-1.0, 1.0),
        table=np.array([[WHOLE - WHOLE // 8, WHOLE // 8], [WHOLE // 4, WHOLE - WHOLE // 4]]),
        edges=(0.0,),
        noise=noise,
    )
    cells = cell_law(law.cells, scenario.beliefs[0], "b")
    chance = float(cells.high[1]) / cells.total
    true = (1 - chance) * 0.125 + chance * 0.75
    certificate = pf.verify(scenario, law, pf.Guarantee(5.0))
    mechanism = pf.Mechanism(noise=law, certificate=certificate)
    rng = np.random.default_rng(3)
    drawn = mechanism.apply(norm.rvs(1, 1, size=200_000, random_state=rng))
    assert abs((drawn == 1.0).mean() - true) < 6 * math.sqrt(0.25 / 200_000)


def test_many_atoms_are_enclosed_as_well() -> None:
    """What adding up tens of thousands of parts loses, on a grid too fine to hide it."""
    atoms = 20_000
    rng = np.random.default_rng(4)
    values = np.sort(rng.choice(10**6, atoms, replace=False)).astype(float)
    counts = rng.integers(1, 50, atoms)
    prior = pf.Discrete(values, counts=counts)
    noise = pf.LaplaceNoise(1e5, 2.0**-28)
    edges = tuple(np.arange(-2e5, 1.3e6, 3e5))
    middles = tuple(np.arange(len(edges) + 1.0))
    low, high = enclosed(Cells(middles, edges, noise), prior)
    total = int(counts.sum())
    with mp.workdps(40):
        for place in (0, 2, len(edges)):
            ends = [-mp.inf if place == 0 else edges[place - 1]]
            ends.append(mp.inf if place == len(edges) else edges[place])
            share = mp.mpf(0)
            for value, count in zip(values, counts.tolist(), strict=True):
                below = [
                    mp.mpf(end > 0) if mp.isinf(end) else _laplace_cdf(end - value, 1e5)
                    for end in ends
                ]
                share += count * (below[1] - below[0])
            assert low[place] <= share / total <= high[place]


def _laplace_cdf(at: float, scale: float) -> Any:
    tail = mp.exp(-abs(mp.mpf(at)) / scale) / 2
    return tail if at < 0 else 1 - tail


# -------------------------------------------------------------------------------------------------
# Labels and tuples, before a judge that shares no code
# -------------------------------------------------------------------------------------------------

PARTS: list[Any] = ["a", "b", 1, True, None]


@st.composite
def tables_of_labels(draw: st.DrawFn) -> tuple[Any, ...]:
    """Cells, a table of whole numbers, and counts by what is known and by secret."""
    width = draw(st.integers(1, 2))
    cells = st.tuples(*[st.sampled_from(PARTS)] * width)
    values = draw(st.lists(cells, min_size=2, max_size=5, unique_by=repr))
    shares = st.lists(st.integers(0, 6), min_size=len(values), max_size=len(values))
    rows = [draw(shares.filter(any)) for _ in values]
    table = round_table(np.array([np.array(row) / sum(row) for row in rows]))
    secrets = ["s", "t", "u"][: draw(st.integers(2, 3))]
    counts = {
        known: {secret: draw(shares.filter(any)) for secret in secrets}
        for known in (None, *["p", "q"][: draw(st.integers(0, 2))])
    }
    wrong = draw(st.sampled_from([0.0, 0.01, 0.125]))
    delta = draw(st.sampled_from([0.0, 0.05, 0.25]))
    return values, table, counts, wrong, delta, draw(st.floats(0.05, 3.0))


def by_repr(cell: Any) -> tuple[str, ...]:
    """The judge compares with ==, which takes True for 1."""
    return tuple(map(repr, cell))


@settings(max_examples=200)
@given(tables_of_labels())
def test_no_promise_about_labels_is_false(case: tuple[Any, ...]) -> None:
    values, table, counts, wrong, delta, epsilon = case
    labels = [value[0] if len(value) == 1 else value for value in values]
    law = pf.Recoding(values=labels, outputs=labels, table=table, labelled=True)
    beliefs = [
        pf.Belief(
            {secret: pf.Categorical(labels, counts=found) for secret, found in laws.items()},
            name=f"knows {known}",
            given={} if known is None else {"z": known},
        )
        for known, laws in counts.items()
    ]
    goal = pf.Guarantee(epsilon, delta)
    certificate = pf.verify(pf.Scenario(beliefs), law, goal, wrong=wrong)
    cells = [by_repr(value) for value in values]
    theirs = Recode(cells, cells, table.tolist())
    judged = [
        judge_laws(
            {s: dict(zip(cells, found, strict=True)) for s, found in laws.items()},
            theirs,
            epsilon,
            wrong=Fraction(wrong),
        )
        for laws in counts.values()
    ]
    worst = max(each.ratio for each in judged)
    spent_upper = max(each.delta_upper for each in judged)
    kept = worst <= exp_below(epsilon) or (delta > 0 and spent_upper <= Fraction(delta))
    if certificate.holds:
        assert kept
    elif kept:
        # Only where the last digits of e^ε decide.
        assert worst > exp_below(epsilon * (1 - 1e-12))
    assert certificate.epsilon_lower <= log_of(worst) * (1 + 1e-12) + 1e-15
    assert certificate.epsilon_upper >= log_of(worst) * (1 - 1e-15)
    for each, found in zip(beliefs, judged, strict=True):
        mine = [result for result in certificate.results if result.belief == each.name]
        assert max(result.epsilon_upper for result in mine) >= log_of(found.ratio) * (1 - 1e-15)


def test_unseen_labels_cannot_betray_more_than_wrong_laws() -> None:
    """A law that moves η to unseen labels is one of those that `wrong` covers."""
    values = ["a", "b", "c"]
    law = pf.Recoding.from_matrix(values, [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.3, 0.3, 0.4]])
    unseen = [int(each) for each in law.table[0] // 2 + law.table[2] // 2]
    unseen[0] += WHOLE - sum(unseen)
    with_row = pf.Recoding(
        values=values, outputs=values, table=law.table, unseen=tuple(unseen), labelled=True
    )
    counts = {"s": [5, 3, 2], "t": [2, 3, 5]}
    belief = pf.Belief(
        {s: pf.Categorical(values, counts=found) for s, found in counts.items()}, columns=["c"]
    )
    eta = Fraction(1, 10)
    bound = pf.verify(pf.Scenario(belief), with_row, pf.Guarantee(3.0), wrong=0.1).epsilon_upper
    rows = [*law.table.tolist(), unseen]
    for one in range(3):
        for other in range(3):
            # η of the mass of one label goes to labels that nobody saw.
            laws = []
            for found, place in ((counts["s"], one), (counts["t"], other)):
                shares = [Fraction(each, 10) for each in found]
                moved = min(eta, shares[place])
                shares[place] -= moved
                shares.append(moved)
                laws.append([sum(p * r[y] for p, r in zip(shares, rows)) for y in range(3)])  # noqa: B905
            for a, b in (laws, laws[::-1]):
                assert max(math.log(p / q) for p, q in zip(a, b, strict=True)) <= bound


def test_beliefs_about_other_things_are_refused() -> None:
    labels = pf.Recoding.from_matrix(["a", "b"], [[0.5, 0.5], [0.5, 0.5]])
    numbers = pf.Scenario(pf.Belief({"s": pf.Discrete([0], [1]), "t": pf.Discrete([1], [1])}))
    with pytest.raises(pf.UnsupportedError, match="about numbers"):
        pf.verify(numbers, labels, pf.Guarantee(1.0))
    words = pf.Scenario(
        pf.Belief({"s": pf.Categorical(["a"], [1]), "t": pf.Categorical(["c"], [1])})
    )
    with pytest.raises(pf.UnsupportedError, match="categories that the recoding does not take"):
        pf.verify(words, labels, pf.Guarantee(1.0))
    with pytest.raises(pf.UnsupportedError, match="about categories"):
        pf.verify(words, FLIP, pf.Guarantee(1.0))
    # "1" is not 1, and True is neither.
    codes = pf.Recoding.from_matrix([True, "x"], [[0.5, 0.5], [0.5, 0.5]])
    for label in (1, "1", "True"):
        other = pf.Categorical([label, "x"], [0.5, 0.5])
        with pytest.raises(pf.UnsupportedError, match="does not take"):
            pf.verify(pf.Scenario(pf.Belief({"s": other, "t": other})), codes, pf.Guarantee(1.0))
