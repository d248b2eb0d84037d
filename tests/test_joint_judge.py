"""The judge is right where a hand can follow, and where somebody else has computed the answer."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from tests.joint_judge import (
    EVERYBODY,
    WHOLE,
    Bounds,
    Recode,
    count,
    exp_above,
    exp_below,
    hockey_stick,
    judge,
    judge_laws,
    least_loss,
    log_of,
    loss_matrix,
    ratio,
)

A, B = ("a",), ("b",)
QUARTER = WHOLE // 4
# a stays with 3/4, b with 1/2.
MIXED = Recode([A, B], [A, B], [[3 * QUARTER, QUARTER], [2 * QUARTER, 2 * QUARTER]])
IDENTITY = Recode([A, B], [A, B], [[WHOLE, 0], [0, WHOLE]])
CONSTANT = Recode([A, B], [A], [[WHOLE], [WHOLE]])


def exactly(*law: str) -> Bounds:
    both = tuple(map(Fraction, law))
    return Bounds(both, both)


class TestByHand:
    def test_published_laws(self) -> None:
        """3 of 4 rows have a: 3/4·3/4 + 1/4·1/2 = 11/16."""
        assert MIXED.published({A: 3, B: 1}) == exactly("11/16", "5/16")
        assert MIXED.published({B: 7}) == exactly("1/2", "1/2")

    def test_ratios(self) -> None:
        assert ratio(exactly("11/16", "5/16"), exactly("1/2", "1/2")) == (Fraction(11, 8), 0)
        assert ratio(exactly("1/2", "1/2"), exactly("11/16", "5/16")) == (Fraction(8, 5), 1)

    def test_what_only_one_law_has_is_an_infinite_ratio(self) -> None:
        assert ratio(exactly("1/2", "1/2"), exactly("1", "0")) == (math.inf, 1)
        # The other way round nothing is infinite, and what neither has does not count.
        assert ratio(exactly("1", "0"), exactly("1/2", "1/2")) == (Fraction(2), 0)
        assert ratio(exactly("1", "0"), exactly("1", "0")) == (Fraction(1), 0)

    def test_infinite_ratio_of_a_table(self) -> None:
        found = judge([A, A, A, B], ["s", "s", "t", "s"], IDENTITY, 50.0)[EVERYBODY]
        assert found.ratio == found.epsilon == math.inf
        assert found.pair == ("s", "t")
        assert found.output == B
        assert not found.keeps(50.0)
        # One in three rows of s says that it is none of t.
        assert found.delta_upper == Fraction(1, 3)
        assert found.keeps(50.0, 0.34)
        assert not found.keeps(50.0, 0.33)

    def test_hockey_stick(self) -> None:
        """At ε = 0 it is the total variation."""
        assert hockey_stick(exactly("11/16", "5/16"), exactly("1/2", "1/2"), 0.0) == pytest.approx(
            Fraction(3, 16), abs=1e-50
        )
        log_2 = math.log(2.0)
        spent = hockey_stick(exactly("3/4", "1/4"), exactly("1/4", "3/4"), log_2)
        assert float(spent) == pytest.approx(0.25, abs=1e-15)

    def test_a_law_that_may_be_wrong(self) -> None:
        """P = (3/4, 1/4), wrong by 1/8: (7/8, 1/8) and (5/8, 3/8) are the ends."""
        found = MIXED.published({A: 3, B: 1}, Fraction(1, 8))
        ends = [MIXED.published({A: n, B: 8 - n}) for n in (7, 5)]
        assert found.high == (ends[0].high[0], ends[1].high[1])
        assert found.low == (ends[1].low[0], ends[0].low[1])
        # More cannot move than there is.
        assert MIXED.published({A: 1}, Fraction(2)).low == (Fraction(1, 2), Fraction(1, 4))

    def test_a_constant_says_nothing(self) -> None:
        found = judge([A, B, B], ["s", "t", "t"], CONSTANT, 0.5, wrong=Fraction(1, 5))[EVERYBODY]
        assert found.ratio == 1
        assert found.delta_upper == 0
        assert found.keeps(1e-9)

    def test_what_is_no_recoding(self) -> None:
        for broken in (
            ([A, A], [A], [[WHOLE], [WHOLE]]),
            ([A], [A, B], [[WHOLE]]),
            ([A], [A, B], [[WHOLE + 1, -1]]),
            ([A], [A, B], [[WHOLE, 1]]),
            ([A], [A], [[1.0 * WHOLE]]),
            ([A, B], [A], [[WHOLE]]),
        ):
            with pytest.raises(ValueError, match=r"cell|row|whole number"):
                Recode(*broken)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="not described"):
            CONSTANT.published({("c",): 1})

    def test_powers_of_e_are_from_below_and_close(self) -> None:
        assert exp_below(0.0) < 1 < exp_below(0.0) * (1 + Fraction(1, 10**57))
        assert float(exp_below(1.0)) == math.e
        assert exp_below(2.5) < exp_above(2.5) < exp_below(2.5) * (1 + Fraction(1, 10**57))
        assert log_of(exp_below(3.0)) == log_of(exp_above(3.0)) == 3.0
        assert log_of(math.inf) == -log_of(Fraction(0)) == math.inf

    def test_where_a_ratio_lies(self) -> None:
        """To the last digit: log 2 lies between two neighbouring doubles, and not above both."""
        nearest = math.log(2.0)
        low, high = math.nextafter(nearest, 0.0), math.nextafter(nearest, 1.0)
        found = judge([A, A, B], ["s", "t", "t"], IDENTITY, 1.0, pairs=[("s", "t")])[EVERYBODY]
        assert found.ratio == math.inf
        assert found.between(50.0, math.inf)
        assert not found.between(0.0, 700.0)
        two = replace(found, ratio=Fraction(2))
        assert two.between(low, high)
        assert not two.between(high, 1.0)
        assert not two.between(0.0, low)
        assert two.between(0.0, math.inf)


class TestKnown:
    """Sex is known. Within each sex the promise holds, and without it it does not: and so on."""

    # 8 rows: (value, secret, known)
    ROWS = (
        *[(A, "s", ("f",))] * 3,
        (A, "t", ("f",)),
        *[(B, "s", ("m",))] * 1,
        *[(B, "t", ("m",))] * 3,
    )

    def parts(self) -> tuple[list[Any], ...]:
        return tuple(map(list, zip(*self.ROWS, strict=True)))

    def test_the_conditional_promise_does_not_imply_the_unconditional_one(self) -> None:
        rows, secrets, known = self.parts()
        found = judge(rows, secrets, IDENTITY, 1.0, known=known)
        assert found[("f",)].ratio == found[("m",)].ratio == 1
        # a: 3/4 of s, 1/4 of t.
        assert found[EVERYBODY].ratio == 3
        assert list(count(rows, secrets, known)) == [EVERYBODY, ("f",), ("m",)]

    def test_own_recodings_are_judged_by_what_is_published_with_them(self) -> None:
        rows, secrets, known = self.parts()
        each = {("f",): CONSTANT, ("m",): IDENTITY}
        found = judge(rows, secrets, each, 1.0, known=known)
        assert found[("f",)].ratio == found[("m",)].ratio == 1
        # The whole row says what sex says.
        assert found[EVERYBODY].ratio == 3
        assert found[EVERYBODY].output in (("f", "a"), ("m", "b"))

    def test_nor_does_the_unconditional_one_imply_the_conditional_one(self) -> None:
        """The xor of two bits, and one of them is known."""
        cells = list(product((0, 1), (0, 1)))
        rows, known = [(a ^ b,) for a, b in cells], [(b,) for _, b in cells]
        recode = Recode([(0,), (1,)], [(0,), (1,)], [[WHOLE, 0], [0, WHOLE]])
        found = judge(rows, [a for a, _ in cells], recode, 1.0, known=known)
        assert found[EVERYBODY].ratio == 1
        assert found[(0,)].ratio == found[(1,)].ratio == math.inf

    def test_a_secret_that_nobody_has(self) -> None:
        laws: dict[Any, Any] = {"s": {A: 1}, "t": {A: 1}}
        found = judge_laws(laws, IDENTITY, 1.0, secrets=["s", "t", "u"])
        assert found.absent == ("u",)
        with pytest.raises(ValueError, match="no pair"):
            judge_laws({"s": {A: 1}}, IDENTITY, 1.0, secrets=["s", "t"])

    def test_only_the_pairs_that_are_asked_for(self) -> None:
        laws: dict[Any, Any] = {"s": {A: 1, B: 1}, "t": {A: 1, B: 1}, "u": {A: 1}}
        assert judge_laws(laws, IDENTITY, 1.0).ratio == math.inf
        assert judge_laws(laws, IDENTITY, 1.0, pairs=[("s", "t")]).ratio == 1


class TestAgainstEveryLaw:
    """On a small table, the corners of the laws that may be wrong are tried one by one."""

    @pytest.mark.parametrize("seed", range(20))
    def test_the_worst_law_is_found_by_sorting(self, seed: int) -> None:
        source = np.random.default_rng(seed)
        cells = [(k,) for k in range(4)]
        table = [[int(n) for n in source.integers(0, 2**60, 3)] for _ in cells]
        table = [[*row, WHOLE - sum(row)] for row in table]
        recode = Recode(cells, cells, table)
        law = {cell: int(n) for cell, n in zip(cells, source.integers(0, 9, 4), strict=True) if n}
        wrong = Fraction(int(source.integers(1, 30)), 40)
        found = recode.published(law, wrong)
        total = sum(law.values())
        chances = [Fraction(law.get(cell, 0), total) for cell in cells]
        sums = []
        # A corner: as much as there is leaves the cells in some order, and goes to one.
        for order in product(range(4), repeat=5):
            rest, moved = wrong, list(chances)
            for x in order[:4]:
                part = min(moved[x], rest)
                moved[x] -= part
                rest -= part
            moved[order[4]] += wrong - rest
            sums.append(
                [
                    sum(p * Fraction(row[y], WHOLE) for p, row in zip(moved, table, strict=True))
                    for y in range(4)
                ]
            )
        assert found.high == tuple(max(each[y] for each in sums) for y in range(4))
        assert found.low == tuple(min(each[y] for each in sums) for y in range(4))


LIMITS = json.loads((Path(__file__).parent / "data" / "recoding_tables.json").read_text())


def named(case: dict[str, Any]) -> str:
    said = ("epsilon", "wrong", "keep_histogram")
    return " ".join([*case["columns"], *(f"{each}={case[each]}" for each in said if each in case)])


class TestLeastLoss:
    def test_two_values_by_hand(self) -> None:
        """P = (3/4, 1/4), (1/4, 3/4), ε = log 2: symmetric, each value stays with 5/6.

        (3/4·k + 1/4·(1−k)) / (1/4·k + 3/4·(1−k)) = 2 at k = 5/6.
        """
        laws = [np.array([0.75, 0.25]), np.array([0.25, 0.75])]
        cost = loss_matrix([A, B], [A, B], {})
        found, table = least_loss(cost, np.array([0.5, 0.5]), [laws], math.log(2.0))
        assert found == pytest.approx(1 / 6, rel=1e-9)
        assert table.sum(axis=1) == pytest.approx([1.0, 1.0])

    def test_delta_is_what_may_be_seen_at_once(self) -> None:
        """At ε = 0, δ is a total variation: (3/4 − 1/4)·(1 − loss in all) = δ."""
        laws = [np.array([0.75, 0.25]), np.array([0.25, 0.75])]
        cost = loss_matrix([A, B], [A, B], {})
        found, _ = least_loss(cost, np.array([0.5, 0.5]), [laws], 0.0, delta=0.2)
        assert found == pytest.approx((1 - 0.2 / 0.5) / 2, rel=1e-9)

    def test_losses_of_tuples(self) -> None:
        values = [(1.0, "x"), (3.0, "x"), (1.0, "y")]
        cost = loss_matrix(values, values[:2], {0: 2.0}, [1.0, 5.0])
        assert cost.tolist() == [[0.0, 1.0], [1.0, 0.0], [5.0, 6.0]]

    @pytest.mark.parametrize("case", LIMITS, ids=named)
    def test_the_known_limits(self, case: dict[str, Any]) -> None:
        """Computed elsewhere, to about 1e-7; this is a second program for the same number."""
        table = pf.datasets.adult()
        rows = list(zip(*(table[each].tolist() for each in case["columns"]), strict=True))
        cells = sorted(set(rows), key=str)
        assert len(cells) == case["cells"]
        place = {cell: k for k, cell in enumerate(cells)}
        laws = count(rows, table[case["secret"]].tolist())[EVERYBODY].values()
        numbers = {
            k: float(np.std(table[each]))
            for k, each in enumerate(case["columns"])
            if table[each].dtype == np.int64
        }

        def law_of(law: Counter[Any]) -> Any:
            found = np.zeros(len(cells))
            for cell, each in law.items():
                found[place[cell]] = each
            return found / found.sum()

        found, _ = least_loss(
            loss_matrix(cells, cells, numbers),
            law_of(Counter(rows)),
            [[law_of(each) for each in laws]],
            case["epsilon"],
            wrong=case.get("wrong", 0.0),
            keep_histogram=case.get("keep_histogram", False),
        )
        assert found == pytest.approx(case["least_mean_loss"], rel=1e-6)
