"""The recoding with the least loss: what it promises, what it refuses, what it costs."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.exact import WHOLE
from tests.recoding.referee import exp_fraction, spent

CASES = json.loads((Path(__file__).parents[1] / "data" / "recoding_education.json").read_text())


def education(pair: list[str] | None) -> pf.Scenario:
    pairs = None if pair is None else [(pair[0], pair[1])]
    return pf.Scenario(pf.datasets.adult_tables(), pairs=pairs)


def laws_of(scenario: pf.Scenario) -> list[list[Fraction]]:
    belief, found = scenario.beliefs[0], []
    values = sorted({float(v) for law in belief.priors.values() for v in law.values})
    for secret in scenario.secrets:
        law: Any = belief.priors[secret]
        counts = dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))
        found.append([Fraction(counts.get(v, 0), sum(counts.values())) for v in values])
    return found


def named(case: dict[str, Any]) -> str:
    said = ("pair", "epsilon", "delta", "floor", "wrong", "keep_histogram")
    return " ".join(f"{name}={case[name]}" for name in said if case.get(name))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_known_limits_are_met(case: dict[str, Any]) -> None:
    scenario = education(case["pair"])
    goal = pf.Guarantee(case["epsilon"], case.get("delta", 0.0))
    found = pf.calibrate(
        scenario,
        goal,
        mechanism="recode",
        floor=case.get("floor"),
        wrong=case.get("wrong", 0.0),
        keep_histogram=case.get("keep_histogram", False),
        nominal=True,
    )
    law, figures = found.mechanism, found.recode
    assert isinstance(law, pf.Recoding)
    assert figures is not None
    least = case["least_mean_loss"]
    assert figures.mean_loss <= 1.001 * least
    # The limits themselves were found to about 1e-6.
    assert (1 - 1e-5) * least <= figures.least_loss * (1 + 1e-9) <= figures.mean_loss * (1 + 1e-9)
    frequencies = found.scenario.beliefs[0].frequencies
    assert frequencies is not None
    known = dict(zip(frequencies.values.tolist(), frequencies.counts, strict=True))
    assert law.rmse(known) == pytest.approx(case["least_rmse"], rel=1e-3)
    assert law.unchanged(known) == pytest.approx(case["unchanged"], abs=0.02)
    # What is drawn keeps the promise, by arithmetic of another kind.
    table = [[Fraction(int(n), WHOLE) for n in row] for row in law.table]
    wrong = Fraction(case.get("wrong", 0.0))
    assert spent(table, laws_of(scenario), goal.epsilon, wrong) <= Fraction(goal.delta)
    if case.get("floor"):
        factors = [exp_fraction(case["floor"] * d) for d in range(16)]
        for x, row in enumerate(table):
            for z, other in enumerate(table):
                assert all(a <= factors[abs(x - z)] * b for a, b in zip(row, other, strict=True))


def test_the_default_is_remapped_noise_and_keeps_the_histogram() -> None:
    scenario = education(["Black", "Asian-Pac-Islander"])
    found = pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode")
    noise = pf.calibrate(scenario, pf.Guarantee(1.0)).noise
    law, figures = found.mechanism, found.recode
    assert isinstance(law, pf.Recoding)
    assert isinstance(noise, pf.LaplaceNoise)
    assert figures is not None
    assert law.kappa == pytest.approx(1.0 / noise.scale)
    assert figures.floor_of_noise
    assert figures.laplace_rmse == pytest.approx(noise.std)
    assert figures.rmse < 0.85 * noise.std
    table = found.scenario.beliefs[0].frequencies
    assert table is not None
    assert table.probabilities @ law.matrix == pytest.approx(table.probabilities, abs=1e-7)
    assert found.composable is not None


def test_with_delta_the_noise_itself_goes_first() -> None:
    scenario = education(["Black", "Asian-Pac-Islander"])
    found = pf.calibrate(scenario, pf.Guarantee(1.0, 0.01), mechanism="recode")
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    assert law.noise == pf.calibrate(scenario, pf.Guarantee(1.0, 0.01)).noise
    assert found.certified


def test_a_promise_that_would_not_survive_the_next_sample_has_to_be_asked_for() -> None:
    public = education(["Black", "Asian-Pac-Islander"])
    private = pf.Belief(dict(public.beliefs[0].priors), provenance="private")
    scenario, goal = pf.Scenario(private, public.pairs), pf.Guarantee(1.0)
    for floor in (None, 1.0):
        with pytest.raises(pf.InvalidInputError, match="next sample"):
            pf.calibrate(scenario, goal, mechanism="recode", floor=floor)
        assert pf.calibrate(scenario, goal, mechanism="recode", floor=floor, wrong=0.01).certified
        assert pf.calibrate(scenario, goal, mechanism="recode", floor=floor, nominal=True).certified
    # Distances of one's own cannot be compared with those of the noise.
    gaps = 1000.0 * np.abs(np.subtract.outer(np.arange(16.0), np.arange(16.0)))
    with pytest.raises(pf.InvalidInputError, match="next sample"):
        pf.calibrate(scenario, goal, mechanism="recode", floor=0.1, metric=gaps)
    # A floor that protects more than the noise does needs no such word, nor do public beliefs.
    assert pf.calibrate(scenario, goal, mechanism="recode", floor=0.5).certified
    assert pf.calibrate(public, goal, mechanism="recode", floor=None).certified


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mechanism": "swap"}, "not known"),
        ({"mechanism": "recode", "method": "thm-2"}, "for noise"),
        ({"mechanism": "recode", "size": 3.0}, "for noise"),
        ({"mechanism": "recode", "floor": "none"}, "floor must be"),
        ({"mechanism": "recode", "floor": -1.0}, "floor"),
        ({"mechanism": "recode", "wrong": 1.0}, "wrong"),
        ({"mechanism": "recode", "loss": "cubic"}, "loss must be"),
        ({"mechanism": "recode", "loss": np.ones((3, 3))}, "16 by 16"),
        ({"mechanism": "recode", "weights": {}}, "weights"),
        ({"mechanism": "recode", "weights": {None: 2.0, 1: -1.0}}, "weights"),
        ({"mechanism": "recode", "edges": []}, "edges"),
        ({"mechanism": "recode", "edges": "ab"}, "edges"),
        ({"mechanism": "recode", "edges": [3.0, 1.0]}, "rising"),
        ({"mechanism": "recode", "keep_histogram": "no"}, "true or false"),
        ({"mechanism": "recode", "metric": np.zeros((16, 16))}, "its units"),
        ({"mechanism": "recode", "floor": 1.0, "metric": np.full((16, 16), np.nan)}, "symmetric"),
        ({"mechanism": "recode", "floor": 1.0, "metric": np.zeros((3, 3))}, "16 values"),
        ({"floor": 0.5}, "recode"),
        ({"keep_histogram": False}, "recode"),
        ({"loss": np.ones((3, 3))}, "recode"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: dict[str, Any], message: str) -> None:
    scenario = education(["Black", "Asian-Pac-Islander"])
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.calibrate(scenario, pf.Guarantee(1.0), **arguments)


def test_mechanism_names_noise_too() -> None:
    scenario = education(["Black", "Asian-Pac-Islander"])
    for name in ("laplace", "gaussian"):
        goal = pf.Guarantee(1.0, 0.01)
        named: Any = name
        one = pf.calibrate(scenario, goal, mechanism=named)
        assert one.noise == pf.calibrate(scenario, goal, named).noise


def test_losses_and_weights_change_what_is_least() -> None:
    scenario = education(["Black", "Asian-Pac-Islander"])
    goal = pf.Guarantee(1.0)
    found = {
        loss: pf.calibrate(scenario, goal, mechanism="recode", loss=loss, keep_histogram=False)
        for loss in ("squared", "absolute", "changed")
    }
    figures = {loss: each.recode for loss, each in found.items()}
    assert figures["squared"] is not None
    assert figures["changed"] is not None
    assert figures["squared"].rmse == min(each.rmse for each in figures.values() if each)
    assert figures["changed"].unchanged == max(each.unchanged for each in figures.values() if each)
    own = np.subtract.outer(np.arange(1, 17), np.arange(1, 17)) ** 2
    same = pf.calibrate(scenario, goal, mechanism="recode", loss=own, keep_histogram=False)
    assert same.recode is not None
    assert same.recode.mean_loss == pytest.approx(figures["squared"].mean_loss, rel=1e-6)
    # Only the value 1 counts: it can then be published as it is.
    one = pf.calibrate(scenario, goal, mechanism="recode", weights={1: 1.0}, keep_histogram=False)
    assert one.recode is not None
    assert one.recode.mean_loss == pytest.approx(0.0, abs=1e-6)


def test_a_missing_value_is_recoded_without_any_delta() -> None:
    counts = {"a": {1: 80, 2: 15, 3: 5}, "b": {1: 10, 2: 30, 3: 60}}
    laws = {name: pf.Discrete.from_counts(each) for name, each in counts.items()}
    belief = pf.Belief(laws, missing_counts={"a": 40, "b": 5})
    scenario = pf.Scenario(belief)
    with pytest.raises(pf.PufferfishError):
        pf.calibrate(scenario, pf.Guarantee(1.0))
    found = pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode")
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    assert law.values == (1.0, 2.0, 3.0, None)
    assert found.certified
    # The floor is about values: that one is missing is told apart from them.
    assert law.floor is not None
    rows = law.matrix
    assert (rows[0] <= math.exp(law.floor) * rows[1] * (1 + 1e-12)).all()
    # No noise keeps the promise: 40 of 140 are missing, and 5 of 105.
    assert found.recode is not None
    assert found.recode.laplace_rmse is None
    needed = math.log((40 / 140) / (5 / 105))
    text = " ".join(str(found.explain()).split())
    assert "no Laplace noise keeps this promise (noise cannot hide which values are missing" in text
    assert f"they alone need an ε of at least {math.ceil(100 * needed) / 100:g}" in text
    # Where one does, it is that which keeps the promise with the holes.
    wide = pf.calibrate(scenario, pf.Guarantee(3.0), mechanism="recode").recode
    assert wide is not None
    assert wide.laplace_rmse == pf.calibrate(scenario, pf.Guarantee(3.0)).noise.error()


def test_smooth_beliefs_have_bins() -> None:
    belief = pf.Belief(
        {"a": pf.Gaussian(0, 1), "b": pf.GaussianMixture([0.5, 0.5], [0, 1], [1, 1])},
        provenance="public",
    )
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5), mechanism="recode")
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    assert law.edges is not None
    assert law.noise is not None
    edges = [-2.0, 0.0, 2.0]
    coarse = pf.calibrate(
        pf.Scenario(belief), pf.Guarantee(0.5), mechanism="recode", edges=edges, floor=None
    )
    assert isinstance(coarse.mechanism, pf.Recoding)
    assert coarse.mechanism.edges == tuple(edges)
    assert coarse.certified


def test_a_circle_has_a_floor_of_its_own() -> None:
    """Months: December is next to January."""
    rng = np.random.default_rng(0)
    laws = {s: pf.Discrete.from_counts(dict(enumerate(rng.integers(5, 50, 12)))) for s in "ab"}
    gaps = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    circle = np.minimum(gaps, 12 - gaps).astype(float)
    found = pf.calibrate(
        pf.Scenario(pf.Belief(laws)),
        pf.Guarantee(1.0),
        mechanism="recode",
        floor=0.8,
        metric=circle,
        wrong=0.01,
    )
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    table = [[Fraction(int(n), WHOLE) for n in row] for row in law.table]
    for x, row in enumerate(table):
        for z, other in enumerate(table):
            factor = exp_fraction(0.8 * circle[x, z])
            assert all(a <= factor * b for a, b in zip(row, other, strict=True))
    # Repeats are charged by distances of values, which these are not.
    assert found.composable is None


def test_nothing_has_to_be_hidden_where_laws_are_alike() -> None:
    law = pf.Discrete.from_counts({1: 5, 2: 5})
    found = pf.calibrate(
        pf.Scenario(pf.Belief({"a": law, "b": law})), pf.Guarantee(1.0), mechanism="recode"
    )
    assert found.mechanism.identity
    with pytest.raises(pf.CertificationError):
        pf.Mechanism.from_calibration(found)
    assert pf.Mechanism.from_calibration(found, allow_no_noise=True).apply([1, 2]).tolist() == [
        1,
        2,
    ]


def test_the_explanation_tells_what_happens_to_a_value() -> None:
    found = pf.calibrate(
        education(["Black", "Asian-Pac-Islander"]),
        pf.Guarantee(1.0),
        mechanism="recode",
        floor=1.0,
        wrong=0.03,
    )
    text = " ".join(str(found.explain()).split())
    assert "of 100 values stay as they are; the others move by" in text
    assert "publishing one constant for everybody 2.57" in text
    assert "within 3% of a described one" in text
    assert "Noise to add" not in text


def test_progress_and_a_limit_of_time() -> None:
    seen: list[tuple[int, int]] = []
    scenario = education(None)
    pf.calibrate(
        scenario,
        pf.Guarantee(1.0),
        mechanism="recode",
        floor=None,
        wrong=0.03,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen
    assert seen[0] == (1, 0)

    def cancel(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode", wrong=0.03, progress=cancel)


def test_repeats_are_not_charged_by_described_laws_where_laws_may_be_wrong() -> None:
    """A coupling of the described laws says nothing about all that are near them."""
    scenario = education(["Black", "Asian-Pac-Islander"])
    asked: dict[str, Any] = {"mechanism": "recode", "floor": 1.0}
    plain = pf.calibrate(scenario, pf.Guarantee(1.0), nominal=True, **asked)
    robust = pf.calibrate(scenario, pf.Guarantee(1.0), wrong=0.01, **asked)
    assert plain.composable is not None
    assert robust.composable is None
