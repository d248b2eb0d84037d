"""The plan: one document that means the same when it is read again, and cannot be weakened."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.calibration.least_noise import recertify
from pufferfish.columns.statement import Facts, promise
from pufferfish.core.ladder import rung_up
from pufferfish.options.goal import Goal
from tests.strategies import priors


def scenario(
    first: Prior, second: Prior, provenance: str = "private", **fields: Any
) -> pf.Scenario:
    return pf.Scenario(pf.Belief({"a": first, "b": second}, provenance=provenance, **fields))


@cache
def calibration(provenance: str = "private", epsilon: float = 1.0) -> pf.Calibration:
    laws = pf.Gaussian(0.25, 1.5), pf.Gaussian(1.3, 1.7)
    return pf.calibrate(scenario(*laws, provenance), pf.Guarantee(epsilon))


def plan(provenance: str = "private", **fields: Any) -> pf.Plan:
    return pf.Plan(
        **{"calibration": calibration(provenance), "column": "x", "secret": "s"} | fields
    )


def points(distance: float, provenance: str = "private") -> pf.Scenario:
    """Needs Laplace noise of scale distance/ε."""
    return scenario(pf.Discrete([0.0], [1.0]), pf.Discrete([distance], [1.0]), provenance)


# Written and read.


@settings(max_examples=25)
@given(
    first=priors,
    second=priors,
    epsilon=st.floats(0.1, 4.0),
    delta=st.sampled_from([0.0, 1e-6, 0.01]),
    noise=st.sampled_from(["laplace", "gaussian"]),
    provenance=st.sampled_from(["private", "public"]),
    rows=st.integers(1, 5),
)
def test_a_plan_is_the_same_when_read_again(
    first: Prior,
    second: Prior,
    epsilon: float,
    delta: float,
    noise: Any,
    provenance: str,
    rows: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    try:
        found = pf.calibrate(
            scenario(first, second, provenance), pf.Guarantee(epsilon, delta), noise
        )
    except (pf.UnreachableGoalError, pf.CertificationError):
        assume(False)
    before = plan(
        calibration=found,
        keep_unprotected=("k", "ä b"),
        unit="person",
        person="who",
        rows_per_person=rows,
        dependence="independent",
        postprocess=(pf.RoundTo(0.1), pf.Clip(-1 / 3, 1e5)),
        others=("c", 7, True),
        allow_no_noise=True,
    )
    again = pf.Plan.from_json(before.to_json())
    assert again == before
    assert again.to_json() == before.to_json()
    assert again.calibration.certificate == before.calibration.certificate
    folder = tmp_path_factory.mktemp("plans")
    before.save(folder / "plan.json")
    loaded = pf.Plan.load(folder / "plan.json")
    assert loaded == before
    assert loaded.to_json() == before.to_json()


CHOICES: list[dict[str, Any]] = [
    {},
    {"keep_unprotected": ("k",)},
    {"keep_order": True},
    {"missing": "drop"},
    {"missing": "keep"},
    {"unit": "person", "person": "who", "rows_per_person": 3, "dependence": "independent"},
    {"unit": "person", "person": "who", "one_row": "first", "keep_unprotected": ("k",)},
    {"unit": "person", "person": "who", "one_row": "mean"},
    {"postprocess": (pf.Clip(0, 5), pf.RoundTo(1))},
    {"others": ("c", True, 0)},
    {"allow_no_noise": True},
]


@pytest.mark.parametrize("fields", CHOICES, ids=str)
def test_every_choice_is_written_down(fields: dict[str, Any], tmp_path: Path) -> None:
    before = plan(**fields)
    before.save(tmp_path / "plan.json")
    again = pf.Plan.load(tmp_path / "plan.json")
    assert again == before
    for field, value in fields.items():
        assert getattr(again, field) == value
    assert [type(each) for each in again.others] == [type(each) for each in before.others]
    if fields:
        assert again != plan()


def test_the_method_and_the_radius_are_written_down() -> None:
    tables = scenario(pf.Discrete([0.0, 4.0], [0.5, 0.5]), pf.Discrete([3.0, 7.0], [0.5, 0.5]))
    wide = pf.calibrate(tables, pf.Guarantee(1.0), method="coupling", radius=0.25)
    again = pf.Plan.from_json(plan(calibration=wide).to_json()).calibration
    assert (again.method, again.radius) == ("coupling", 0.25)
    smooth = scenario(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0))
    paper = pf.calibrate(smooth, pf.Guarantee(1.0, 0.1), method="thm-1", tau="lambert")
    read = pf.Plan.from_json(plan(calibration=paper).to_json()).calibration
    assert (read.method, read.tau) == ("thm-1", "lambert")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("provenance", ["private", "reference sample", "public"])
def test_a_plan_is_for_its_owner_alone(provenance: str, tmp_path: Path) -> None:
    """Whatever the beliefs: it may name secrets of the table that no belief knows."""
    before, path = os.umask(0o022), tmp_path / "plan.json"
    try:
        plan(provenance).save(path)
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    assert "private" in path.read_text().split("notice")[1][:80]


@pytest.mark.parametrize(
    "change",
    [
        {"keep_order": "false"},
        {"allow_no_noise": "no"},
        {"allow_no_noise": 1},
        {"person": 3, "unit": "person"},
        {"person": ["id"], "unit": "person"},
        {"keep": {"city": 1}},
        {"keep": "city"},
        {"tau": {}},
        {"rows_per_person": 10**400, "person": "id", "unit": "person"},
        {"radius": "wide"},
    ],
    ids=str,
)
def test_an_entry_of_the_wrong_kind_is_refused(change: dict[str, Any]) -> None:
    """A text such as "false" must not switch anything on."""
    with pytest.raises(pf.InvalidInputError):
        pf.Plan.from_dict(plan("public").to_dict() | change)


def test_one_private_belief_makes_the_plan_private(tmp_path: Path) -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    beliefs = [
        pf.Belief(laws, name="known", provenance="public"),
        pf.Belief(laws, name="fitted"),
    ]
    both = plan(calibration=pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.7)))
    assert not both.public
    both.save(tmp_path / "plan.json")
    assert mode(tmp_path / "plan.json") == 0o600
    assert both.calibration.noise.scale == 1.6  # type: ignore[union-attr]


def test_a_plan_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    plan().save(tmp_path / "plan.json")
    with pytest.raises(pf.OutputExistsError):
        plan().save(tmp_path / "plan.json")
    plan(keep_unprotected=("k",)).save(tmp_path / "plan.json", force=True)
    assert pf.Plan.load(tmp_path / "plan.json").keep == ("k",)


# Tampered with.


def tampered(change: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(plan().to_json())
    change(data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["noise"].update(scale=data["noise"]["scale"] * 0.97),
        lambda data: data["noise"].update(scale=data["noise"]["scale"] / 10.0),
        lambda data: data["goal"].update(epsilon=0.9),
        lambda data: data["scenario"]["beliefs"][0]["secrets"][0]["prior"].update(mean=-1.0),
        lambda data: data.update(radius=1.0),
        lambda data: data.update(noise={"kind": "none"}, allow_no_noise=True),
    ],
    ids=["a little less", "far less", "stronger promise", "other belief", "radius", "none"],
)
def test_a_plan_that_does_not_keep_its_promise_is_refused(change: Any, tmp_path: Path) -> None:
    # With the least noise, which leaves no room.
    least = replace(plan("public").calibration, method="given")
    data = json.loads(plan(calibration=least, rounding="given").to_json())
    change(data)
    with pytest.raises(pf.CertificationError):
        pf.Plan.from_dict(data)
    (tmp_path / "plan.json").write_text(json.dumps(data))
    with pytest.raises(pf.CertificationError):
        pf.Plan.load(tmp_path / "plan.json")


def test_more_noise_than_needed_is_fine() -> None:
    larger = pf.Plan.from_dict(tampered(lambda data: data["noise"].update(scale=8.0)))
    assert larger.mechanism.noise.scale == 8.0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(colum="y"), "an entry 'colum', which is not known"),
        (lambda data: data.update({"certificate": {"holds": True}}), "an entry 'certificate'"),
        (lambda data: data.pop("noise"), "no entry 'noise'"),
        (lambda data: data.pop("goal"), "no entry 'goal'"),
        (lambda data: data.pop("column"), "shape"),
        (lambda data: data["goal"].update(gamma=1.0), "shape"),
        (lambda data: data["noise"].update(kind="cauchy"), "noise.kind must be one of 'laplace'"),
        (lambda data: data["noise"].update(grid=None), "grid"),
        (lambda data: data.update(method="magic"), "method must be one of 'cor-2', 'coupling'"),
        (lambda data: data.update(postprocess=[{"round": 1}]), "postprocess"),
        (lambda data: data.update(missing="guess"), "missing"),
        (lambda data: data.update(keep="k"), "keep"),
        (lambda data: data.update(keep=[5]), r"keep\[0\] must be a text"),
    ],
)
def test_a_plan_of_the_wrong_shape_is_refused(change: Any, message: str) -> None:
    with pytest.raises((pf.InvalidInputError, pf.UnsupportedError), match=message):
        pf.Plan.from_dict(tampered(change))


@pytest.mark.parametrize("version", [0, 2, 99, None, "1"])
def test_an_unknown_version_is_refused_with_advice(version: object, tmp_path: Path) -> None:
    data = tampered(lambda data: data.update(version=version))
    with pytest.raises(pf.InvalidInputError, match="newer pufferfish") as caught:
        pf.Plan.from_json(json.dumps(data))
    assert repr(version) in str(caught.value)
    (tmp_path / "plan.json").write_text(json.dumps(data))
    with pytest.raises(pf.InvalidInputError, match="version"):
        pf.Plan.load(tmp_path / "plan.json")


# The size that is published.


def digits(number: float) -> int:
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@given(distance=st.floats(1e-6, 1e6), epsilon=st.floats(0.1, 10.0))
def test_a_private_size_is_rounded_up_to_a_rung(distance: float, epsilon: float) -> None:
    found = pf.calibrate(points(distance), pf.Guarantee(epsilon))
    assert isinstance(found.noise, pf.LaplaceNoise)
    private = plan(calibration=found)
    noise = private.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert noise.scale == rung_up(found.noise.scale)
    assert private.calibration.certified
    assert private.mechanism.noise == noise
    # The grid is that of the rung, whatever the least size was.
    assert noise == pf.calibrate(points(distance), pf.Guarantee(epsilon), size=noise.scale).noise
    # Once more changes nothing.
    assert pf.Plan.from_json(private.to_json()) == private
    assert plan(calibration=private.calibration) == private


def test_the_grid_does_not_tell_where_below_the_rung_the_size_was() -> None:
    """Between the rungs 63 and 80 lies 64, where the usual grid doubles."""
    found = [pf.calibrate(points(each), pf.Guarantee(1.0)) for each in (63.5, 65.0)]
    below, above = (each.noise.grid for each in found)
    assert (below, above) == (2.0**-19, 2.0**-18)
    laws = {plan(calibration=each).calibration.noise for each in found}
    assert laws == {pf.LaplaceNoise(80.0, 2.0**-18)}


def test_a_size_that_was_given_is_not_rounded() -> None:
    found = pf.calibrate(points(1.0), pf.Guarantee(1.0), size=1.2345)
    given_plan = plan(calibration=found, rounding="given")
    assert given_plan.calibration is found
    assert pf.Plan.from_json(given_plan.to_json()) == given_plan
    assert plan(calibration=found).calibration.noise.scale == 1.25  # type: ignore[union-attr]
    with pytest.raises(pf.InvalidInputError, match="rounding must be one of"):
        plan(calibration=found, rounding="none")


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_public_size_is_left_alone(noise: Any) -> None:
    found = pf.calibrate(points(1.23456, "public"), pf.Guarantee(1.0, 0.01), noise)
    open_plan = plan(calibration=found)
    assert open_plan.calibration is found
    assert open_plan.public
    private = plan(calibration=pf.calibrate(points(1.23456), pf.Guarantee(1.0, 0.01), noise))
    size = "scale" if noise == "laplace" else "std"
    assert digits(getattr(found.noise, size)) > 10
    assert getattr(private.calibration.noise, size) == rung_up(getattr(found.noise, size))


@pytest.mark.parametrize("size", [1.0, 1.25, 8.0, 2.5e-3, 160.0, 6.3e5])
def test_a_size_on_a_rung_stays(size: float) -> None:
    law = pf.LaplaceNoise(size, 2.0**-20)
    found = recertify(points(size / 2.0), pf.Guarantee(1.0), law)
    assert plan(calibration=found).calibration is found


def test_a_size_a_hair_above_goes_up() -> None:
    for size, expected in (
        (1.0 + 1e-15, 1.25),
        (8.001, 10.0),
        (999.5, 1000.0),
        (0.0123401, 0.0125),
    ):
        law = pf.LaplaceNoise(size, 2.0**-30)
        found = recertify(points(size / 2.0), pf.Guarantee(1.0), law)
        assert plan(calibration=found).calibration.noise.scale == expected  # type: ignore[union-attr]


# Refusals.


def test_publishing_without_noise_has_to_be_asked_for() -> None:
    laws = pf.Gaussian(0.0, 1.0), pf.Gaussian(0.1, 1.0)
    bare = pf.calibrate(scenario(*laws), pf.Guarantee(1.0, 0.1))
    assert bare.noise == pf.NoNoise()
    with pytest.raises(pf.CertificationError, match="allow_no_noise"):
        plan(calibration=bare)
    allowed = plan(calibration=bare, allow_no_noise=True)
    assert pf.Plan.from_json(allowed.to_json()) == allowed
    data = json.loads(allowed.to_json())
    data["allow_no_noise"] = False
    with pytest.raises(pf.CertificationError, match="allow_no_noise"):
        pf.Plan.from_dict(data)


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_beliefs_with_holes_need_a_plan_that_keeps_them(missing: Any) -> None:
    laws = pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0])
    holes = pf.calibrate(scenario(*laws, missing={"a": 0.1, "b": 0.1}), pf.Guarantee(1.0))
    with pytest.raises(pf.InvalidInputError, match='missing="keep"'):
        plan(calibration=holes, missing=missing)
    assert plan(calibration=holes, missing="keep").missing == "keep"
    assert plan(missing=missing).missing == missing


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"column": "s"}, "differ"),
        ({"keep_unprotected": ("s",)}, "cannot be kept"),
        ({"keep_unprotected": ("x",)}, "is protected"),
        ({"keep_unprotected": "x"}, "list"),
        ({"column": ""}, "name"),
        ({"secret": None}, "name"),
        ({"missing": "guess"}, "missing"),
        ({"unit": "table"}, "unit"),
        ({"unit": "person"}, "person"),
        ({"person": "who"}, "person"),
        ({"rows_per_person": 2}, "person"),
        ({"unit": "person", "person": "who", "rows_per_person": 0}, "rows_per_person"),
        ({"unit": "person", "person": "who", "rows_per_person": True}, "rows_per_person"),
        ({"unit": "person", "person": "who", "rows_per_person": 1.5}, "rows_per_person"),
        ({"unit": "person", "person": "x"}, "column of its own"),
        ({"unit": "person", "person": "s"}, "column of its own"),
        ({"others": (1.5,)}, "secret"),
        ({"postprocess": ("round",)}, "postprocess"),
        ({"calibration": None}, "Calibration"),
    ],
    ids=str,
)
def test_what_contradicts_itself_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        plan(**fields)


def test_a_calibration_that_is_not_certified_is_refused() -> None:
    laws = pf.Gaussian(0.0, 1.0), pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
    seen = pf.calibrate(
        scenario(*laws), pf.Guarantee(1.0, 1e-3), method="thm-2", certified_only=False
    )
    with pytest.raises(pf.CertificationError):
        plan(calibration=seen)


def test_a_promise_for_persons_adds_up() -> None:
    found = pf.calibrate(points(1.0), pf.Guarantee(0.25, 0.01))
    persons: dict[str, Any] = {"unit": "person", "person": "who", "dependence": "independent"}
    several = plan(calibration=found, rows_per_person=4, **persons)
    assert several.promise == pf.Guarantee(1.0, 0.04)
    assert plan(calibration=found, unit="person", person="who").promise == pf.Guarantee(0.25, 0.01)
    assert plan(calibration=found).promise == pf.Guarantee(0.25, 0.01)
    with pytest.raises(pf.InvalidInputError, match="δ"):
        plan(calibration=found, rows_per_person=100, **persons)


@pytest.mark.parametrize("dependence", ["any", "equal"])
@pytest.mark.parametrize("provenance", ["private", "public"])
def test_the_promise_for_persons_is_the_goal_where_noise_is_for_all_rows(
    dependence: Any, provenance: str
) -> None:
    laws = pf.Discrete([0.0, 3.0], [0.5, 0.5]), pf.Discrete([1.0, 4.0], [0.5, 0.5])
    goal = pf.Guarantee(1.0 / 3.0)
    found = pf.calibrate_rows(scenario(*laws, provenance), goal, 3, dependence)
    persons: dict[str, Any] = {"unit": "person", "person": "who", "dependence": dependence}
    several = plan(calibration=found, rows_per_person=3, **persons)
    assert several.promise == goal
    assert pf.Plan.from_json(several.to_json()) == several
    # More rows than a rung has room for, or less noise, also in a document that was edited.
    with pytest.raises(pf.CertificationError, match="5 rows of one person together cost"):
        plan(calibration=found, rows_per_person=5, **persons)
    data = json.loads(several.to_json())
    with pytest.raises(pf.CertificationError, match="30 rows of one person together cost"):
        pf.Plan.from_dict(data | {"rows_per_person": 30})
    less = data | {"noise": data["noise"] | {"scale": 0.6 * data["noise"]["scale"]}}
    with pytest.raises(pf.CertificationError):
        pf.Plan.from_dict(less)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"one_row": "first"}, "unit"),
        ({"one_row": "last", "unit": "person", "person": "who"}, "one_row"),
        (
            {"one_row": "mean", "unit": "person", "person": "who", "rows_per_person": 2},
            "rows_per_person=1",
        ),
        (
            {"one_row": "mean", "unit": "person", "person": "who", "keep_unprotected": ("k",)},
            "kept columns",
        ),
        ({"one_row": "first", "unit": "person", "person": "who", "keep_order": True}, "keep_order"),
        ({"dependence": "some"}, "dependence"),
    ],
)
def test_one_row_that_contradicts_itself_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=words):
        plan(**fields)


def test_smooth_beliefs_say_nothing_of_several_rows_without_a_cap() -> None:
    persons: dict[str, Any] = {"unit": "person", "person": "who", "rows_per_person": 2}
    with pytest.raises(pf.UnsupportedError, match="--one-row"):
        plan(**persons)
    # Between public bounds no two values are far apart, whatever is believed.
    laws = {"a": pf.Gaussian(0.25, 1.5), "b": pf.Gaussian(1.3, 1.7)}
    for high, kept in ((10.0, True), (14.0, False)):
        capped = pf.Scenario(pf.Belief(laws, cap=(0.0, high)))
        wide = pf.calibrate_rows(capped, pf.Guarantee(1.0), 2, cap=(0.0, 10.0), rounding="ladder")
        assert wide.noise.std >= 20.0 * 2.0**0.5
        if kept:
            made = plan(calibration=wide, cap=(0.0, high), **persons)
            assert made.promise == pf.Guarantee(1.0)
        else:
            with pytest.raises(pf.CertificationError):
                plan(calibration=wide, cap=(0.0, high), **persons)


def test_rows_are_shuffled_unless_their_order_is_asked_for() -> None:
    assert plan().shuffled
    assert plan(keep_unprotected=("k",)).shuffled
    assert not plan(keep_order=True).shuffled


def test_which_secrets_are_known_and_which_are_protected() -> None:
    laws = {each: pf.Discrete([float(each)], [1.0]) for each in (1, 2, 3)}
    narrow = pf.Scenario(pf.Belief(laws), pairs=[(1, 2)])
    chosen = plan(calibration=pf.calibrate(narrow, pf.Guarantee(1.0)), others=("z",))
    assert chosen.secrets == {1, 2, 3, "z"}
    assert chosen.protected == {1, 2}


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 10, 49])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0 / 3.0, 1.0])
def test_the_promise_for_a_person_is_never_rounded_down(rows: int, epsilon: float) -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    scenario = pf.Scenario(pf.Belief(laws, provenance="public"))
    chosen = pf.Plan(
        calibration=pf.calibrate(scenario, pf.Guarantee(epsilon, 1e-3)),
        column="x",
        secret="s",
        unit="person",
        person="id",
        rows_per_person=rows,
        dependence="independent",
    )
    assert rows * Fraction(epsilon) <= Fraction(chosen.promise.epsilon)
    assert rows * Fraction(1e-3) <= Fraction(chosen.promise.delta)
    # And what the command line asks of each row adds up to no more than was asked for.
    each = Goal(epsilon=epsilon, delta=1e-3).guarantee(rows)
    assert rows * Fraction(each.epsilon) <= Fraction(epsilon)
    assert rows * Fraction(each.delta) <= Fraction(1e-3)


# A cap, and what the beliefs say of it.

TABLES = {"a": pf.Discrete([0.0, 3.0], [0.5, 0.5]), "b": pf.Discrete([1.0, 3.0], [0.5, 0.5])}
SMOOTH = {"a": pf.Gaussian(1.0, 1.0), "b": pf.Gaussian(2.0, 1.0)}


def with_cap(laws: dict[str, Any], belief_cap: Any, cap: Any) -> pf.Plan:
    found = pf.calibrate(pf.Scenario(pf.Belief(laws, cap=belief_cap)), pf.Guarantee(1.0))
    return pf.Plan(calibration=found, column="x", secret="s", cap=cap)


@pytest.mark.parametrize(
    ("laws", "belief_cap", "cap"),
    [
        (TABLES, (0, 3), (0, 3)),
        (SMOOTH, (0, 3), (0, 3)),
        # A cap that moves nothing of what is believed possible.
        (TABLES, None, (0, 3)),
        (TABLES, None, (-5.5, 100)),
    ],
)
def test_a_cap_goes_with_beliefs_about_capped_values(laws: Any, belief_cap: Any, cap: Any) -> None:
    made = with_cap(laws, belief_cap, cap)
    assert made.cap == (float(cap[0]), float(cap[1]))
    again = pf.Plan.from_json(made.to_json())
    assert again == made
    assert again.calibration.scenario.beliefs[0].cap == belief_cap


@pytest.mark.parametrize(
    ("laws", "belief_cap", "cap", "message"),
    [
        (TABLES, None, (0, 2), "outside the cap"),
        (TABLES, None, (0.5, 3), "outside the cap"),
        (SMOOTH, None, (-100, 100), "outside the cap"),
        (TABLES, (0, 3), None, "no cap"),
        (TABLES, (0, 3), (0, 4), "another cap"),
        (SMOOTH, (0, 3), (0, 2), "another cap"),
        (TABLES, None, (3, 0), "smaller bound first"),
        (TABLES, None, (0, float("inf")), "finite"),
        (TABLES, None, 3, "two numbers"),
        (TABLES, None, "0:3", "two numbers"),
    ],
)
def test_beliefs_about_other_values_than_are_noised_are_refused(
    laws: Any, belief_cap: Any, cap: Any, message: str
) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        with_cap(laws, belief_cap, cap)


# The step of the values, which is published.


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"step": 0.0}, "step"),
        ({"step": float("nan")}, "step"),
        ({"step": "1"}, "step"),
        ({"step": 1.0, "unit": "person", "person": "who", "one_row": "mean"}, "mean of values"),
    ],
)
def test_a_step_that_means_nothing_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=words):
        plan(**fields)


def test_a_step_is_kept_and_published() -> None:
    chosen = plan(step=0.5)
    assert pf.Plan.from_json(chosen.to_json()) == chosen
    facts = Facts.of(chosen)
    assert facts.to_dict()["step"] == 0.5
    assert "every value is a multiple of 0.5" in promise(facts)
    assert "multiple" not in promise(Facts.of(plan()))
