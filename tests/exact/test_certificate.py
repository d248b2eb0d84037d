"""The certificate as data: its verdict, and its way through JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import pufferfish as pf
from tests.support import scenario_of

INF = math.inf


def result(
    delta: tuple[float, float] = (0.0, 0.0),
    epsilon: tuple[float, float] = (0.0, 0.0),
    pair: tuple[Any, Any] = ("a", "b"),
) -> pf.PairResult:
    secrets = pf.SecretPair(*pair)
    return pf.PairResult(
        belief="belief",
        pair=secrets,
        direction=secrets,
        delta_lower=delta[0],
        delta_upper=delta[1],
        epsilon_lower=epsilon[0],
        epsilon_upper=epsilon[1],
    )


def certificate(goal: pf.Guarantee, *results: pf.PairResult) -> pf.Certificate:
    return pf.Certificate(goal=goal, noise=pf.LaplaceNoise(1.0), results=results)


@pytest.mark.parametrize(
    ("bounds", "holds"),
    [
        ((0.0, 0.0), True),
        ((0.0, 0.1), True),  # exactly the goal's δ is within the promise
        ((0.1, 0.1), True),
        ((0.1, math.nextafter(0.1, 1)), None),
        ((0.0, 0.2), None),
        ((math.nextafter(0.1, 1), 0.2), False),
        ((1.0, 1.0), False),
    ],
)
def test_with_delta_the_verdict_compares_delta(
    bounds: tuple[float, float], holds: bool | None
) -> None:
    # ε* is far above the goal's ε, which is no concern of a promise with δ > 0.
    found = certificate(pf.Guarantee(1.0, 0.1), result(delta=bounds, epsilon=(5.0, INF)))
    assert found.holds is holds


@pytest.mark.parametrize(
    ("bounds", "holds"),
    [
        ((0.0, 1.0), True),
        ((1.0, 1.0), True),
        ((1.0, math.nextafter(1.0, 2)), None),
        ((0.0, INF), None),
        ((math.nextafter(1.0, 2), 2.0), False),
        ((INF, INF), False),
        ((-3.0, -1.0), True),
    ],
)
def test_without_delta_the_verdict_compares_epsilon_only(
    bounds: tuple[float, float], holds: bool | None
) -> None:
    # An enclosure of δ must not decide a pure promise, whether it says 0 or a little more.
    for delta in ((0.0, 0.0), (0.0, 1e-10)):
        assert certificate(pf.Guarantee(1.0), result(delta, bounds)).holds is holds


def test_one_broken_pair_breaks_the_certificate() -> None:
    goal = pf.Guarantee(1.0, 0.1)
    good, unclear, bad = result((0.0, 0.05)), result((0.05, 0.15)), result((0.2, 0.3))
    assert certificate(goal, good, good).holds is True
    assert certificate(goal, good, unclear).holds is None
    assert certificate(goal, good, bad, unclear).holds is False


def test_the_worst_result_is_the_largest_upper_bound() -> None:
    wide, sharp = result((0.0, 0.3), (0.0, 2.0)), result((0.2, 0.2), (1.0, 4.0))
    with_delta = certificate(pf.Guarantee(1.0, 0.1), sharp, wide)
    assert with_delta.worst is wide
    assert (with_delta.delta_lower, with_delta.delta_upper) == (0.2, 0.3)
    pure = certificate(pf.Guarantee(1.0), wide, sharp)
    assert pure.worst is sharp
    assert (pure.epsilon_lower, pure.epsilon_upper) == (1.0, 4.0)


def test_the_least_epsilon_is_never_negative() -> None:
    found = certificate(pf.Guarantee(1.0), result(epsilon=(-2.0, -1.0)))
    assert (found.epsilon_lower, found.epsilon_upper) == (0.0, 0.0)


def test_refused_certificates() -> None:
    goal = pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match="at least one result"):
        certificate(goal)
    for bad in ({"delta": (0.2, 0.1)}, {"epsilon": (2.0, 1.0)}, {"delta": (-0.1, 0.1)}):
        with pytest.raises(pf.InvalidInputError, match="out of order"):
            result(**bad)
    for bad in ({"delta": (0.0, math.nan)}, {"epsilon": (math.nan, 1.0)}):
        with pytest.raises(pf.InvalidInputError, match="must be a number"):
            result(**bad)


VERDICTS = {
    "kept": certificate(pf.Guarantee(1.0, 0.1), result((0.0, 0.1), (0.5, INF))),
    "broken": certificate(pf.Guarantee(1.0, 0.1), result((0.2, 0.3), (INF, INF))),
    "open": certificate(pf.Guarantee(1.0), result((0.0, 0.3), (-INF, INF))),
    "pure": certificate(pf.Guarantee(0.1), result((0.0, 1e-300), (1 / 3, 2 / 3))),
    "integers": certificate(pf.Guarantee(1.0), result(pair=(0, 1))),
    "booleans": certificate(pf.Guarantee(1.0), result(pair=(False, True))),
    "mixed": certificate(pf.Guarantee(1.0), result(pair=("1", 1)), result(pair=("é:", "\n"))),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_json_round_trip(name: str) -> None:
    original = VERDICTS[name]
    text = original.to_json()
    again = pf.Certificate.from_json(text)
    assert again == original
    assert again.holds is original.holds
    assert again.to_json() == text
    for one, other in zip(original.results, again.results, strict=True):
        # == cannot tell 1 from True.
        assert [type(each) for each in one.pair] == [type(each) for each in other.pair]
        assert [type(each) for each in one.direction] == [type(each) for each in other.direction]
        assert isinstance(other.pair, pf.SecretPair)


def refuse_constant(name: str) -> float:
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("name", VERDICTS)
def test_the_text_is_strict_json(name: str) -> None:
    data = json.loads(VERDICTS[name].to_json(), parse_constant=refuse_constant)
    assert data["format"] == 1
    assert data["holds"] is VERDICTS[name].holds


@pytest.mark.parametrize(
    "noise",
    [
        pf.LaplaceNoise(1 / 3),
        pf.LaplaceNoise(3.0, 2.0**-30),
        pf.GaussianNoise(2.0),
        pf.GaussianNoise(2.0, 0.5),
        pf.NoNoise(),
    ],
)
def test_every_noise_law_comes_back(noise: object) -> None:
    original = pf.Certificate(goal=pf.Guarantee(1.0), noise=noise, results=(result(),))
    assert pf.Certificate.from_json(original.to_json()).noise == noise


def test_a_real_certificate_comes_back() -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 2.0))
    for noise in (pf.LaplaceNoise(1.5, 0.125), pf.GaussianNoise(1.5), pf.NoNoise()):
        original = pf.verify(scenario, noise, pf.Guarantee(1.0, 1e-3))
        assert pf.Certificate.from_json(original.to_json()) == original


def tampered(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = VERDICTS["kept"].to_dict()
    change(data)
    return data


TAMPERINGS: dict[str, Callable[[dict[str, Any]], object]] = {
    "verdict": lambda data: data.update(holds=False),
    "no verdict": lambda data: data.update(holds=None),
    "verdict is 1": lambda data: data.update(holds=1),
    "verdict missing": lambda data: data.pop("holds"),
    "smaller delta in the goal": lambda data: data["goal"].update(delta=0.01),
    "larger loss": lambda data: data["results"][0].update(delta_upper=0.5),
    "bounds out of order": lambda data: data["results"][0].update(delta_lower=0.5),
    "nan": lambda data: data["results"][0].update(delta_upper="nan"),
    "words for numbers": lambda data: data["results"][0].update(delta_upper="small"),
    "nothing for a number": lambda data: data["results"][0].update(delta_upper=None),
    "truth for a number": lambda data: data["results"][0].update(delta_lower=False),
    "negative delta": lambda data: data["results"][0].update(delta_lower=-1.0),
    "negative deltas": lambda data: data["results"][0].update(delta_lower=-1.0, delta_upper=-0.5),
    "number missing": lambda data: data["results"][0].pop("epsilon_upper"),
    "no results": lambda data: data.update(results=[]),
    "results are text": lambda data: data.update(results="none"),
    "results are null": lambda data: data.update(results=None),
    "another format": lambda data: data.update(format=2),
    "format missing": lambda data: data.pop("format"),
    "unknown noise": lambda data: data["noise"].update(kind="uniform"),
    "noise is text": lambda data: data.update(noise="laplace"),
    "noise is null": lambda data: data.update(noise=None),
    "unknown noise field": lambda data: data["noise"].update(std=1.0),
    "negative scale": lambda data: data["noise"].update(scale=-1.0),
    "scale is text": lambda data: data["noise"].update(scale="1.0"),
    "grid is no power of two": lambda data: data["noise"].update(grid=0.3),
    "goal without epsilon": lambda data: data["goal"].pop("epsilon"),
    "goal of zero": lambda data: data["goal"].update(epsilon=0.0),
    "goal is a list": lambda data: data.update(goal=[1.0, 0.1]),
    "a pair of three": lambda data: data["results"][0].update(pair=["a", "b", "c"]),
    "a pair of nulls": lambda data: data["results"][0].update(pair=[None, None]),
    "a pair of lists": lambda data: data["results"][0].update(pair=[["a"], ["b"]]),
    "a pair that is text": lambda data: data["results"][0].update(pair="ab"),
    "a direction of other secrets": lambda data: data["results"][0].update(direction=["x", "y"]),
    "a belief without a name": lambda data: data["results"][0].update(belief=3),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_refused(name: str) -> None:
    data = tampered(TAMPERINGS[name])
    with pytest.raises(pf.InvalidInputError):
        pf.Certificate.from_dict(data)
    with pytest.raises(pf.InvalidInputError):
        pf.Certificate.from_json(json.dumps(data))


def test_the_untampered_one_is_accepted() -> None:
    # Otherwise the test above could pass for any reason.
    assert pf.Certificate.from_dict(tampered(lambda data: None)) == VERDICTS["kept"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '"kept"', "{}"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.Certificate.from_json(text)


def test_a_certificate_is_not_a_truth_value() -> None:
    with pytest.raises(TypeError, match="holds is True"):
        bool(VERDICTS["broken"])


def test_a_long_certificate_has_a_short_repr() -> None:
    text = repr(certificate(pf.Guarantee(1.0), *[result()] * 500))
    assert "500 results" in text
    assert len(text) < 400
