"""A released sum: noised, recorded, refused where it must be, and charged for repeats."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.core.ladder import rung_up
from pufferfish.documents.shape import read
from pufferfish.kinds.verifier import verify_document, verify_record
from pufferfish.ledger.file import read_ledger
from pufferfish.sums import (
    SumPlan,
    binary,
    calibrate_sum,
    certified_sum,
    finite_users,
    identical,
    moments,
    release_sum,
    together,
)
from pufferfish.sums import release as release_module
from pufferfish.sums.facts import SumFacts
from pufferfish.sums.record import SumRecord
from pufferfish.sums.secret import Protected
from pufferfish.sums.users_document import UsersEntries, users_to_dict
from pufferfish.sums.words import unpromised_sum
from tests import seams

GOAL = pf.Guarantee(1.0, 1e-6)


@cache
def plan(provenance: str = "private", **options: Any) -> SumPlan:
    users = binary([0.5, 0.1], [1.0, 3.0], [20, 2], provenance=provenance)
    return SumPlan(calibration=calibrate_sum(users, GOAL), **options)


VALUES = [0.0, 1.0, 1.0, 3.0, *[0.0] * 17]  # 21 of 22 users


def test_the_sum_is_noised_by_the_planned_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 releases: the mean of |noise| is b, and would be found out 10% below."""
    monkeypatch.setattr(release_module, "software_versions", dict)  # they take most of the time
    scale, count = plan().calibration.scale, 10_000
    errors = np.array([release_sum(VALUES, plan()).value - 5.0 for _ in range(count)])
    # |Laplace| is exponential: this mean has relative std 1/√n. Five of them: 6e-7.
    bound = 5.0 / math.sqrt(count)
    assert abs(np.abs(errors).mean() / scale - 1.0) < bound
    assert abs(np.abs(0.9 * errors).mean() / scale - 1.0) > bound
    assert abs(errors.mean()) < bound * math.sqrt(2.0) * scale
    assert len(set(errors.tolist())) > 0.99 * count


def test_published_values_lie_on_the_grid() -> None:
    grid = plan().calibration.noise.grid
    assert grid is not None
    value = release_sum(VALUES, plan()).value
    assert (Fraction(value) / Fraction(grid)).denominator == 1


def test_a_private_scale_is_rounded_up_to_a_rung() -> None:
    exact = calibrate_sum(plan().calibration.users, GOAL).scale
    assert plan().calibration.scale == rung_up(exact)
    assert plan("public").calibration.scale == exact


def test_a_scale_that_was_given_is_certified_and_not_rounded() -> None:
    users = plan().calibration.users
    exact = calibrate_sum(users, GOAL).scale
    given = calibrate_sum(users, GOAL, size=1.1 * exact)
    assert SumPlan(calibration=given, rounding="given").calibration is given
    assert given.scale == 1.1 * exact
    assert given.method == "given"
    with pytest.raises(pf.CertificationError) as refused:
        calibrate_sum(users, GOAL, size=0.9 * exact)
    assert f"give none, and {rung_up(exact):g} is used (sizes are rounded up to 1, 1.25," in str(
        refused.value
    )
    assert f"{exact:.3g}" not in str(refused.value)
    with pytest.raises(pf.InvalidInputError, match="finds its own"):
        calibrate_sum(users, GOAL, method="gaussian", size=1.0)


def test_a_mean_is_divided_by_the_described_users_and_not_by_the_rows() -> None:
    grid = plan().calibration.noise.grid
    assert grid is not None
    # On the grid after multiplying by 22; by any other number one of 30 would hardly be.
    for done in (release_sum(VALUES, plan(statistic="mean")) for _ in range(30)):
        steps = done.value * 22 / grid
        assert abs(steps - round(steps)) < 1e-4
        assert done.record.to_dict("public")["users"] == 22
    assert release_sum(VALUES, plan()).record.to_dict("public")["users"] is None


def test_a_count_is_of_ones() -> None:
    users = binary([0.3], counts=[10])
    counting = SumPlan(calibration=calibrate_sum(users, GOAL), statistic="count")
    assert abs(release_sum([1, 0, 1, *[0] * 7], counting).value - 2.0) < 100.0
    with pytest.raises(pf.UnsupportedError, match="zeros and ones"):
        plan(statistic="count")


def test_no_noise_has_to_be_asked_for() -> None:
    calibration = calibrate_sum(identical(10_000, 1.0, 1.0), GOAL)
    with pytest.raises(pf.CertificationError, match="allow_no_noise"):
        SumPlan(calibration=calibration)
    asked = SumPlan(calibration=calibration, allow_no_noise=True)
    values = [0.1, 0.2, 0.3, *[0.0] * 9997]
    assert release_sum(values, asked).value == math.fsum([0.1, 0.2, 0.3])


def test_what_is_not_certified_cannot_be_planned() -> None:
    coins = together(binary([0.5], counts=[36]), binary([0.002], 18.0))
    shown = calibrate_sum(coins, GOAL, method="cor-1a", certified_only=False)
    with pytest.raises(pf.CertificationError):
        SumPlan(calibration=shown)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, float("nan")], "row 2"),
        ([1.0, None], "row 2"),
        ([0.0, 1.0, 2.0, *[0.0] * 19], "row 3"),
        ([0.0] * 23, "22 users"),
        ([0.0] * 20, "22 users"),
        (["1"], "numbers"),
        ([True], "numbers"),
    ],
)
def test_data_that_the_plan_does_not_describe_are_refused(values: Any, message: str) -> None:
    with pytest.raises(pf.DataError, match=message) as caught:
        release_sum(values, plan())
    assert "2.0" not in str(caught.value)


def test_a_value_is_protected_only_if_everybody_reports() -> None:
    users = binary([0.5], counts=[5])
    of_value = SumPlan(calibration=calibrate_sum(users, pf.Guarantee(1.0), "value"))
    release_sum([0, 1, 1, 0, 1], of_value)
    with pytest.raises(pf.DataError, match="5 users"):
        release_sum([0, 1, 1, 0], of_value)


def test_a_sum_that_swallows_its_noise_is_refused() -> None:
    users = moments([0.0], [1e-9])
    tiny = SumPlan(calibration=calibrate_sum(users, GOAL))
    with pytest.raises(pf.DataError, match="float cannot hold"):
        release_sum([1e9 + 0.3], tiny)


def test_the_sum_is_rounded_once() -> None:
    """2^53 + 1 is lost by adding one after the other; from all digits it is not."""
    exact_sum = seams.found(seams.EXACT_SUM)
    given = np.array([2.0**53, 1.0, 1.0, -1.0])
    assert exact_sum(given, decimal=False) == 2**53 + 1
    assert exact_sum(np.array([0.1] * 3), decimal=True) == Fraction(3, 10)


def test_values_far_from_all_that_is_believed_are_counted_for_the_curator() -> None:
    described = SumPlan(calibration=calibrate_sum(identical(3, 1.0, 1.0), GOAL))
    record = release_sum([1.0, 50.0], described).record
    assert record.to_dict("internal")["table"] == {"rows": 2, "outside": 1}
    assert "table" not in record.to_dict("public")


def test_plans_survive_being_written(tmp_path: Path) -> None:
    for provenance in ("private", "public"):
        place = tmp_path / f"{provenance}.json"
        plan(provenance).save(place)
        assert place.stat().st_mode & 0o077 == 0
        again = SumPlan.load(place)
        assert again.to_dict() == plan(provenance).to_dict()
        assert again.calibration.calibration.scenario == (
            plan(provenance).calibration.calibration.scenario
        )
    value = calibrate_sum(identical(4, 1.0, 2.0), GOAL, "value", between=(0.0, 0.5))
    written = SumPlan(calibration=value, column="pay", allow_no_noise=True)
    assert SumPlan.from_json(written.to_json()).to_dict() == written.to_dict()


def test_descriptions_survive_being_written() -> None:
    for users in (
        moments([0.1, 0.2], [0.3, 0.0], [1, 5]),
        binary([0.1, 0.3, 0.1], [1.0, -0.2, 1.0]),
        finite_users([pf.Discrete([0.0, 0.1, 7.0], [0.2, 0.3, 0.5])]),
    ):
        data = json.loads(json.dumps(users_to_dict(users)))
        assert users_to_dict(read(data, UsersEntries, "users").made()) == users_to_dict(users)


def test_a_plan_with_too_little_noise_is_not_read() -> None:
    data = plan().to_dict()
    data["noise"] = {**data["noise"], "scale": 0.7 * plan().calibration.scale}
    with pytest.raises(pf.CertificationError):
        SumPlan.from_dict(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("users"),
        lambda data: data.update(surprise=1),
        lambda data: data.update(statistic="median"),
        lambda data: data["users"].update(counts=[1]),
        lambda data: data.update(goal={"epsilon": -1.0}),
    ],
)
def test_a_plan_of_another_shape_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(plan().to_json())
    change(data)
    with pytest.raises(pf.InvalidInputError):
        SumPlan.from_dict(data)


def repeatable() -> SumPlan:
    """Scale 3 for a value that moves by at most 1: each release costs a third."""
    users = binary([0.5], counts=[10])
    noise = pf.LaplaceNoise(3.0, 2.0**-24)
    found = certified_sum(users, Protected(), pf.Guarantee(1.0), noise)
    return SumPlan(calibration=found, rounding="given")


def test_repeats_go_through_the_ledger(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    for count in (1, 2):
        release_sum([1, 0] * 5, repeatable(), ledger=place)
        assert len(read_ledger(place).releases) == count
    before = place.read_bytes()
    with pytest.raises(pf.BudgetExceededError):
        release_sum([1, 0] * 5, repeatable(), ledger=place)
    assert place.read_bytes() == before


def test_a_refused_column_is_not_charged(tmp_path: Path) -> None:
    place = tmp_path / "ledger.json"
    with pytest.raises(pf.DataError):
        release_sum([7.0], repeatable(), ledger=place)
    assert not place.exists()


def test_repeats_that_cannot_be_charged_for_all_are_refused(tmp_path: Path) -> None:
    users = binary([0.01 * k for k in range(1, 31)], [1.0 + k % 3 for k in range(30)])
    many = SumPlan(calibration=calibrate_sum(users, GOAL))
    with pytest.raises(pf.UnsupportedError, match="repeated releases"):
        release_sum([1.0] * 30, many, ledger=tmp_path / "ledger.json")
    release_sum([1.0] * 30, many)


def test_the_public_edition_of_private_users_says_nothing_of_them() -> None:
    record = release_sum(VALUES, plan()).record.to_dict("public")
    told = {name: entry for name, entry in record.items() if name not in ("versions", "created")}
    assert set(told).isdisjoint({"plan", "certificate", "table"})
    text = json.dumps(told | {"published": None})
    assert not any(private in text for private in ("0.5", "0.1", "22", "user 1", "rows"))
    public = release_sum(VALUES, plan("public")).record.to_dict("public")
    assert public["plan"]["users"]["counts"]


def test_records_are_verified(tmp_path: Path) -> None:
    for provenance, verdict in (("private", None), ("public", True)):
        record = release_sum(VALUES, plan(provenance)).record
        record.save(tmp_path / f"{provenance}.json", "internal")
        record.save(tmp_path / f"{provenance}.public.json", "public")
        assert (tmp_path / f"{provenance}.json").stat().st_mode & 0o077 == 0
        assert verify_record(tmp_path / f"{provenance}.json").verdict is True
        assert verify_record(tmp_path / f"{provenance}.public.json").verdict is verdict


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(promise="everything"),
        lambda data: data["goal"].update(epsilon=0.5),
        lambda data: data["noise"].update(scale=100.0),
        lambda data: data.update(claim="and more"),
        lambda data: data.update(notice="Nothing here."),
        lambda data: data["plan"]["noise"].update(scale=0.1),
        lambda data: data["plan"]["users"].update(counts=[1]),
        lambda data: data["certificate"]["results"].pop(),
        lambda data: data["table"].update(rows=20),
        lambda data: data["table"].update(outside=22),
        lambda data: data["published"].update(value=0.1),
        lambda data: data["not_promised"].pop(3),
    ],
)
def test_a_false_record_is_found_out(
    change: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    data = release_sum(VALUES, plan()).record.to_dict("internal")
    place = tmp_path / "record.json"
    place.write_text(json.dumps(data), encoding="utf-8")
    assert verify_record(place).verdict is True
    change(data)
    place.write_text(json.dumps(data), encoding="utf-8")
    assert verify_record(place).verdict is False


@pytest.mark.parametrize("users", [binary([0.5, 0.2]), moments([1.0, 2.0], [1.0, 1.0])])
def test_no_single_sentence_tells_whether_tables_are_known(users: Any) -> None:
    tables = users.laws is not None
    noisy = SumPlan(calibration=calibrate_sum(users, pf.Guarantee(1.0, 0.01)))
    data = release_sum([1.0, 1.0], noisy).record.to_dict("public")
    assert "plan" not in data
    assert SumFacts.from_dict(data).tables is tables
    assert verify_document(data).verdict is None
    data["not_promised"] += unpromised_sum(tables=not tables)[-1:]
    assert not SumFacts.from_dict(data).tables
    assert verify_document(data).verdict is False


@pytest.mark.parametrize("statistic", ["sum", "mean"])
def test_records_survive_being_written(statistic: Any, tmp_path: Path) -> None:
    record = release_sum(VALUES, plan(statistic=statistic)).record
    record.save(tmp_path / "r.json", "internal")
    assert SumRecord.load(tmp_path / "r.json").to_dict() == record.to_dict()
    record.save(tmp_path / "public.json", "public")
    with pytest.raises(pf.InvalidInputError, match="only the internal edition"):
        SumRecord.load(tmp_path / "public.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["table"].update(rows=20),
        lambda data: data.update(promise="everything"),
        lambda data: data["plan"]["noise"].update(scale=0.1),
    ],
)
def test_a_false_record_is_not_loaded(change: Callable[[dict[str, Any]], object]) -> None:
    data = release_sum(VALUES, plan()).record.to_dict("internal")
    change(data)
    with pytest.raises(pf.CertificationError):
        SumRecord.from_dict(data)


def test_a_record_of_a_sum_has_no_file(tmp_path: Path) -> None:
    release_sum(VALUES, plan()).record.save(tmp_path / "r.json", "internal")
    with pytest.raises(pf.InvalidInputError, match="no file"):
        verify_record(tmp_path / "r.json", tmp_path / "r.json")


def test_the_digits_of_a_sum_without_noise_do_not_tell_who_added() -> None:
    """0.1 + 0.1 + 0.1 and 0.3 are the same sum, and the same float."""
    users = finite_users(
        [pf.Discrete([0, 0.1], [0.5, 0.5])] * 12 + [pf.Discrete([0, 0.3], [0.5] * 2)]
    )
    bare = SumPlan(calibration=calibrate_sum(users, pf.Guarantee(1.0, 0.2)), allow_no_noise=True)
    assert isinstance(bare.calibration.noise, pf.NoNoise)
    three, one = [0.1] * 3 + [0.0] * 10, [0.0] * 12 + [0.3]
    assert release_sum(three, bare).value == release_sum(one, bare).value == 0.3


def test_random_values_cannot_be_repeated_without_exceptions(tmp_path: Path) -> None:
    users = moments([10.0, 0.0], [0.0, 20.0], [1, 100])
    noise = pf.LaplaceNoise(21.0, 2.0**-21)
    once = SumPlan(calibration=certified_sum(users, Protected(), pf.Guarantee(1.0), noise))
    with pytest.raises(pf.UnsupportedError, match="repeated releases"):
        release_sum([10.0] + [1.0] * 100, once, ledger=tmp_path / "l.json")


def test_the_two_values_are_part_of_the_promise() -> None:
    secret: Any = {"protect": "value", "between": (0.0, 1.0)}
    calibration = calibrate_sum(identical(5, 1.0, 1.0), pf.Guarantee(1.0), **secret)
    public = release_sum([1.0] * 5, SumPlan(calibration=calibration)).record.to_dict("public")
    assert public["between"] == [0.0, 1.0]
    assert "reported 0 or 1" in public["promise"]


@pytest.mark.parametrize(
    "users", [together(binary([0.5]), binary([0.5])), binary([0.5, 0.7, 0.5], [0.0, 0.0, 1.0])]
)
def test_equal_kinds_survive_being_written(users: Any) -> None:
    once = SumPlan(calibration=calibrate_sum(users, pf.Guarantee(1.0)))
    assert SumPlan.from_json(once.to_json()).to_dict() == once.to_dict()
