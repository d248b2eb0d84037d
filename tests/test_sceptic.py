"""The sceptic sees what there is to see, and no more: on releases whose law is known."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.sceptic import Attack, attack, bound, drawn_anew, parity_table, xor_table

ROWS = 20_000
PAIR = ("no", "yes")


def answers(secrets: Any, epsilon: float, source: np.random.Generator) -> Any:
    """Randomised response: the bit of the secret, right with probability e^ε/(1 + e^ε)."""
    bits = np.asarray(secrets == "yes")
    wrong = source.random(bits.size) > 1.0 / (1.0 + math.exp(-epsilon))
    return bits ^ wrong


def hidden_in_noise(epsilon: float, seed: int) -> tuple[dict[str, Any], Any]:
    """A bit that keeps ε exactly, spread over three columns: no two of them say anything."""
    source = np.random.default_rng(seed)
    secrets = np.array(PAIR)[source.integers(0, 2, ROWS)]
    bits = answers(secrets, epsilon, source).astype(np.int64)
    first, second = source.integers(0, 2, (2, ROWS))
    return {
        "a": np.array(["x", "y"])[first],
        "b": second + source.integers(0, 5, ROWS) * 2,
        "c": np.array(["u", None], dtype=object)[first ^ (second & 1) ^ bits],
    }, secrets


class TestBound:
    def test_nothing_known(self) -> None:
        assert bound(1.0) == pytest.approx(math.e / (1 + math.e), rel=1e-15)
        assert bound(0.0) == 0.5
        assert bound(0.0, 0.2) == pytest.approx(0.6)
        assert bound(800.0) == 1.0

    def test_known(self) -> None:
        """a = (3/4, 1/4), b = (1/4, 3/4): ratio 3, so that below ε = log 3 nothing is added."""
        known, secrets = list("ffffmmmm"), ["no"] * 3 + ["yes", "no"] + ["yes"] * 3
        for epsilon, best in ((0.0, 0.75), (1.0, 0.75), (math.log(9.0), 0.9)):
            found = bound(epsilon, known=known, secrets=secrets, pair=PAIR)
            assert found == pytest.approx(best, rel=1e-15)
        # What gives the secret away, gives it away.
        assert bound(0.0, known=secrets, secrets=secrets, pair=PAIR) == 1.0
        # What says nothing, adds nothing.
        said = bound(0.7, known=list("ffff"), secrets=["no", "no", "yes", "yes"], pair=PAIR)
        assert said == pytest.approx(bound(0.7), rel=1e-15)

    @pytest.mark.parametrize("seed", range(12))
    def test_no_laws_within_the_promise_are_told_apart_better(self, seed: int) -> None:
        """The best over all laws of three outputs and all rules, by linear programs for each z."""
        source = np.random.default_rng(seed)
        epsilon, delta = source.uniform(0, 2), source.choice([0.0, 0.05, 0.3])
        known = source.integers(0, 4, 60)
        secrets = np.array(PAIR)[source.integers(0, 2, 60)]
        best = 0.0
        for z in range(4):
            a, b = (((known == z) & (secrets == s)).sum() / (secrets == s).sum() for s in PAIR)
            best += max(best_of_rule(a, b, epsilon, delta, rule) for rule in range(4))
        found = bound(epsilon, delta, known=known.tolist(), secrets=secrets, pair=PAIR)
        assert found == pytest.approx(min(best / 2, 1.0), rel=1e-9)


def best_of_rule(a: float, b: float, epsilon: float, delta: float, rule: int) -> float:
    """max a·Q_i(A) + b·Q_j(not A) over laws that keep the promise; A are the first outputs."""
    one, none, factor = np.eye(3), np.zeros((3, 3)), math.exp(epsilon)
    # Q_i, Q_j, then what is above e^ε times the other, for both directions.
    above = np.block([[one, -factor * one, -one, none], [-factor * one, one, none, -one]])
    spent = np.kron([[0, 0, 1, 0], [0, 0, 0, 1]], np.ones(3))
    laws = np.kron([[1, 0, 0, 0], [0, 1, 0, 0]], np.ones(3))
    inside = np.arange(3) < rule
    done = linprog(
        -np.concatenate([a * inside, b * ~inside, np.zeros(6)]),
        A_ub=np.vstack([above, spent]),
        b_ub=[0.0] * 6 + [delta] * 2,
        A_eq=laws,
        b_eq=[1.0, 1.0],
    )
    assert done.status == 0
    return float(-done.fun)


class TestMargin:
    def test_by_hand(self) -> None:
        """√(½·ln(10⁶)·2/(4·1000))."""
        assert Attack(0.5, (1000, 1000)).margin == pytest.approx(0.0587697, rel=1e-5)
        assert Attack(0.56, (1000, 1000)).above(0.5)
        assert not Attack(0.55, (1000, 1000)).above(0.5)

    def test_it_covers_what_chance_does(self) -> None:
        """In 2,000 attacks by coin, none is above: a false alarm has probability 0.002 in all."""
        source = np.random.default_rng(4)
        for _ in range(2000):
            shares = source.binomial([40, 900], 0.5) / [40, 900]
            assert not Attack(float(shares.mean()), (40, 900)).above(0.5)


class TestAttack:
    def test_what_keeps_the_promise_is_within_the_bound_and_close_to_it(self) -> None:
        published, secrets = hidden_in_noise(1.0, seed=1)
        found = attack(published, secrets, PAIR)
        assert not found.above(bound(1.0))
        # A learner that saw nothing could not refute anything.
        assert found.accuracy > bound(1.0) - 0.03

    def test_what_breaks_it_is_far_above(self) -> None:
        published, secrets = hidden_in_noise(2.0, seed=2)
        assert attack(published, secrets, PAIR).above(bound(1.0))
        assert attack(published, secrets, PAIR).accuracy > bound(1.0) + 0.1
        # A column of noise beside it hides little.
        published["noise"] = np.random.default_rng(3).normal(size=ROWS)
        assert attack(published, secrets, PAIR).above(bound(1.0))

    def test_what_says_nothing_is_at_one_half(self) -> None:
        published, secrets = hidden_in_noise(1.0, seed=3)
        for left_out in ("a", "b", "c"):
            rest = {name: each for name, each in published.items() if name != left_out}
            assert not attack(rest, secrets, PAIR).above(0.5)

    @pytest.mark.parametrize("conditional", [True, False])
    def test_known_columns(self, conditional: bool) -> None:
        """ε = 1/2 given a column that says 60:40; and ε = 1/2 for a column that is xored with it.

        The second keeps its promise for those who do not know the column, and that is not what the
        bound is about.
        """
        source = np.random.default_rng(5)
        known = source.integers(0, 2, ROWS)
        secrets = np.where(source.random(ROWS) < 0.4 + 0.2 * known, "yes", "no")
        answer = answers(secrets, 0.5 if conditional else 3.0, source).astype(np.int64)
        published = {"known": known, "answer": answer if conditional else answer ^ known}
        allowed = bound(0.5, known=known.tolist(), secrets=secrets, pair=PAIR)
        assert 0.6 < allowed < 0.63
        found = attack(published, secrets, PAIR)
        assert found.above(allowed) is not conditional
        assert found.accuracy > allowed - 0.02

    def test_others_than_the_pair_play_no_part(self) -> None:
        published, secrets = hidden_in_noise(1.0, seed=6)
        more = np.where(np.arange(ROWS) % 3 == 0, "other", secrets)
        found = attack(published, more, PAIR)
        assert sum(found.tried) == pytest.approx(ROWS / 3, abs=2)


class TestTables:
    @pytest.mark.parametrize(
        ("make", "secret"), [(xor_table, "diagnosis"), (parity_table, "carrier")]
    )
    def test_only_all_columns_together_betray_the_secret(self, make: Any, secret: str) -> None:
        table = make(6000, 19)
        secrets = table.pop(secret)
        pair = tuple(np.unique(secrets).tolist())
        assert attack(table, secrets, pair).accuracy > 0.98
        for left_out in table:
            rest = {name: each for name, each in table.items() if name != left_out}
            assert not attack(rest, secrets, pair).above(0.5)

    def test_any_two_columns_of_the_xor_table_are_independent(self) -> None:
        table = xor_table(40_000, 3)
        bits = {
            "score": table["score"] > 60,
            "sex": table["sex"] == "m",
            "diagnosis": table["diagnosis"] == "ill",
        }
        for a, b in combinations(bits, 2):
            # Five standard deviations of a correlation of independent bits.
            assert abs(np.corrcoef(bits[a], bits[b])[0, 1]) < 5 / math.sqrt(40_000)

    def test_rows_drawn_anew_have_the_laws_of_the_table(self) -> None:
        table = xor_table(50, 1)
        anew = drawn_anew(table, 100_000, 2)
        assert list(anew) == list(table)
        rows = set(zip(*(each.tolist() for each in table.values()), strict=True))
        assert set(zip(*(each.tolist() for each in anew.values()), strict=True)) == rows
        share = (anew["diagnosis"] == "ill").mean() - (table["diagnosis"] == "ill").mean()
        assert abs(share) < 5 * 0.5 / math.sqrt(100_000)
