"""Noise for all rows of a person: enough, and hardly more."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.calibration import rows as persons
from pufferfish.calibration.least_noise import recertify
from pufferfish.calibration.rows import SeveralRows, certify_rows, least_epsilon_rows, share
from pufferfish.insight.strongest import choices
from pufferfish.ledger.file import read_ledger

LAWS = pf.Discrete([0.0, 3.0, 4.0], [0.2, 0.5, 0.3]), pf.Discrete([1.0, 3.0], [0.5, 0.5])
SCENARIO = pf.Scenario(pf.Belief({"a": LAWS[0], "b": LAWS[1]}))


@pytest.mark.parametrize("dependence", ["any", "equal"])
@pytest.mark.parametrize("rows", [2, 7, 365])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0 / 3.0, 1.0, 8.0])
@pytest.mark.parametrize("rounding", [None, "ladder"])
def test_it_is_enough_and_hardly_more(
    dependence: Any, rows: int, epsilon: float, rounding: Any
) -> None:
    goal = pf.Guarantee(epsilon)
    found = pf.calibrate_rows(SCENARIO, goal, rows, dependence, rounding=rounding)
    noise = found.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert found.certified
    several = SeveralRows(rows, dependence)
    cost = certify_rows(SCENARIO, noise, 0.0, several).cost()
    assert cost.epsilon <= epsilon
    assert cost.epsilon >= epsilon * (0.78 if rounding else 1.0 - 1e-5)
    # Against the formula, in exact numbers: D = 2, Δ = 3.
    grid = Fraction(noise.grid or 0.0)
    total = rows * (2 if dependence == "equal" else 3)
    assert (total + rows * grid) / Fraction(noise.scale) <= Fraction(epsilon)


@pytest.mark.parametrize("dependence", ["any", "equal"])
@pytest.mark.parametrize("rounding", [None, "ladder"])
def test_one_certificate_is_enough_for_many_rows(
    dependence: Any, rounding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size is solved for, not searched: it used to take 1,562 certificates."""
    made = []

    def counted(*given: Any, **more: Any) -> Any:
        made.append(given)
        return recertify(*given, **more)

    monkeypatch.setattr(persons, "recertify", counted)
    for epsilon in (0.3, 1.0, 5.0):
        made.clear()
        goal = pf.Guarantee(epsilon)
        found = pf.calibrate_rows(SCENARIO, goal, 10_000, dependence, rounding=rounding)
        assert len(made) == 1
        cost = certify_rows(SCENARIO, found.noise, 0.0, SeveralRows(10_000, dependence)).cost()
        least = {None: 1.0 - 1e-3, "ladder": 0.78}[rounding]
        assert least * epsilon <= cost.epsilon <= epsilon


def test_more_rows_than_the_grid_allows_for_are_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="the grid of the noise"):
        pf.calibrate_rows(SCENARIO, pf.Guarantee(1.0), 2**24)


def test_the_strongest_promise_of_a_given_noise() -> None:
    noise = pf.LaplaceNoise(10.0, 2.0**-20)
    found = least_epsilon_rows(SCENARIO, noise, 0.0, SeveralRows(3, "any"))
    # (2 + 2·3)/10, and the grid; private beliefs: the next rung.
    assert found.goal.epsilon == 1.0
    public = pf.Scenario(pf.Belief({"a": LAWS[0], "b": LAWS[1]}, provenance="public"))
    exact = least_epsilon_rows(public, noise, 0.0, SeveralRows(3, "equal"))
    assert exact.goal.epsilon == pytest.approx(0.6, rel=1e-5)


def test_rows_that_say_nothing_need_no_noise_if_they_are_equal() -> None:
    same = pf.Scenario(pf.Belief({"a": LAWS[0], "b": LAWS[0]}))
    found = pf.calibrate_rows(same, pf.Guarantee(1.0), 3, "equal")
    assert found.noise == pf.NoNoise()
    fields: dict[str, Any] = {"unit": "person", "person": "p", "rows_per_person": 3}
    made = pf.Plan(
        calibration=found,
        column="x",
        secret="s",
        dependence="equal",
        allow_no_noise=True,
        **fields,
    )
    assert made.promise == pf.Guarantee(1.0)
    # They may still be told apart by what they have in common.
    assert isinstance(pf.calibrate_rows(same, pf.Guarantee(1.0), 3).noise, pf.LaplaceNoise)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="several rows"):
        pf.calibrate_rows(SCENARIO, pf.Guarantee(1.0), 1)
    with pytest.raises(pf.InvalidInputError, match="independent"):
        pf.calibrate_rows(SCENARIO, pf.Guarantee(1.0), 2, "independent")


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 10, 49])
def test_shares_add_up_to_no_more(rows: int) -> None:
    for epsilon, delta in ((0.1, 1e-3), (1.0 / 3.0, 0.0), (1.0, 0.3)):
        each = share(pf.Guarantee(epsilon, delta), rows)
        assert rows * Fraction(each.epsilon) <= Fraction(epsilon)
        assert rows * Fraction(each.delta) <= Fraction(delta)


def test_a_table_to_choose_from_is_for_all_rows() -> None:
    wanted: dict[str, Any] = {"epsilons": (1.0,), "rows": 4}
    found = {each: choices(SCENARIO, dependence=each, **wanted)[0] for each in ("any", "equal")}
    for dependence, choice in found.items():
        assert choice.goal == pf.Guarantee(1.0)
        calibrated = pf.calibrate_rows(
            SCENARIO,
            pf.Guarantee(1.0),
            4,
            dependence,  # type: ignore[arg-type]
            rounding="ladder",
        )
        assert choice.noise == calibrated.noise


# Ledgers.


def plan(dependence: Any, rows: int = 2, epsilon: float = 1.0, scale: float = 1.0) -> pf.Plan:
    calibration = pf.calibrate_rows(SCENARIO, pf.Guarantee(epsilon), rows, dependence)
    noise = calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    wide = pf.LaplaceNoise(scale * noise.scale, noise.grid)
    return pf.Plan(
        calibration=recertify(SCENARIO, calibration.goal, wide, method="given"),
        column="x",
        secret="s",
        unit="person",
        person="p",
        rows_per_person=rows,
        dependence=dependence,
    )


TABLE = {"x": [3.0, 3.0, 3.0, 1.0], "s": ["a", "a", "b", "b"], "p": [1, 1, 2, 3]}


@pytest.mark.parametrize("dependence", ["any", "equal"])
def test_a_ledger_charges_every_row_of_every_release(dependence: Any, tmp_path: Path) -> None:
    """Twice the noise that one release needs: two releases fit, and no third."""
    twice = plan(dependence, scale=2.1)
    ledger = tmp_path / "ledger.json"
    for _ in range(2):
        pf.release(TABLE, twice, ledger=ledger)
    assert read_ledger(ledger).rows == 2
    spent = read_ledger(ledger).spent
    assert spent is not None
    # The size is rounded up to a rung: 10 for 8.4 (equal), and 16 for 12.6 (any).
    assert spent.epsilon == pytest.approx({"any": 0.75, "equal": 0.8}[dependence], rel=1e-6)
    with pytest.raises(pf.BudgetExceededError, match="of 2 rows of one person would cost"):
        pf.release(TABLE, twice, ledger=ledger)
    # The ledger of two rows is not that of three.
    with pytest.raises(pf.InvalidInputError, match="counts releases for other"):
        pf.release(TABLE, plan(dependence, rows=3, scale=2.1), ledger=ledger)


def test_a_second_release_without_room_is_refused(tmp_path: Path) -> None:
    once = plan("any")
    pf.release(TABLE, once, ledger=tmp_path / "ledger.json")
    with pytest.raises(pf.BudgetExceededError):
        pf.release(TABLE, once, ledger=tmp_path / "ledger.json")


def test_equal_rows_that_are_not_equal_are_refused() -> None:
    other = TABLE | {"x": [3.0, 4.0, 3.0, 1.0]}
    with pytest.raises(pf.DataError, match="several values of 'x'"):
        pf.release(other, plan("equal"))
    pf.release(other, plan("any"))


@pytest.mark.parametrize("kind", ["dict", "arrow", "parquet"])
def test_rows_that_are_equal_once_they_are_capped_are_equal(kind: str, tmp_path: Path) -> None:
    """The noise is added to 100 and 100, whatever was there before."""
    columns = {"x": [120.0, 130.0, 60.0, 50.0], "s": ["a", "a", "b", "b"], "p": [1, 1, 2, 3]}
    belief = pf.Belief(
        {"a": pf.Discrete([100.0], [1.0]), "b": pf.Discrete([50.0, 60.0], [0.5, 0.5])}
    )
    cap = (0.0, 100.0)
    made = pf.Plan(
        calibration=pf.calibrate_rows(pf.Scenario(belief), pf.Guarantee(1.0), 2, "equal", cap=cap),
        column="x",
        secret="s",
        unit="person",
        person="p",
        rows_per_person=2,
        dependence="equal",
        cap=cap,
    )

    def released(given: dict[str, Any]) -> int:
        if kind == "dict":
            return pf.release(given, made).record.rows_capped
        table = pa.table(given)
        if kind == "arrow":
            return pf.release(table, made).record.rows_capped
        pq.write_table(table, tmp_path / "in.parquet")
        done = pf.release(tmp_path / "in.parquet", made, tmp_path / "out.parquet")
        (tmp_path / "out.parquet").unlink()
        return done.record.rows_capped

    assert released(columns) == 2
    with pytest.raises(pf.DataError, match="several values of 'x'"):
        released(columns | {"x": [99.0, 130.0, 60.0, 50.0]})
