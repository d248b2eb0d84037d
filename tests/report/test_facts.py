"""The numbers of a report are those of the record, the certificate, and the formulas."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import laplace, norm

import pufferfish as pf
from pufferfish.report.columns import count_column
from pufferfish.report.facts import Facts, gather
from tests.report.releases import LAWS, ROWS, TABLE, VALUES, adult, calibration, released


def facts(done: pf.Release, edition: str = "internal", *, column: str = "x") -> Facts:
    source = done.record if edition == "internal" else done.record.to_dict("public")
    return gather(
        source,
        released=count_column(done.frame[column], column),
        original=count_column(TABLE["x"], "x"),
    )


@cache
def ten_pairs() -> Facts:
    return facts(adult(), column="education-num")


def test_what_is_guessed_is_between_chance_and_the_promise() -> None:
    found = facts(released())
    assert found.believed is not None
    before, after, allowed = found.believed.before, found.believed.after, found.allowed
    assert 0.5 < after.accuracy_upper < before.accuracy_upper
    assert after.accuracy_upper <= allowed.accuracy_upper
    assert 0.5 < after.auc_upper < before.auc_upper
    assert before.epsilon_upper == math.inf
    certificate = found.believed.calibration.certificate
    assert after.epsilon_upper == pytest.approx(certificate.epsilon_upper)
    assert allowed.accuracy_upper == pytest.approx(1.0 / (1.0 + math.exp(-0.5)))
    assert allowed.auc_upper == pytest.approx(1.0 - 1.0 / (1.0 + math.exp(0.5)))


def test_posteriors_are_those_of_the_promise() -> None:
    for each in facts(released()).posteriors:
        odds = each.prior / (1.0 - each.prior)
        assert each.upper / (1.0 - each.upper) == pytest.approx(odds * math.exp(0.5))
        assert each.lower / (1.0 - each.lower) == pytest.approx(odds * math.exp(-0.5))
    assert facts(released(calibration(delta=0.01))).posteriors == ()


def test_a_person_with_several_rows_has_the_promise_for_all_of_them() -> None:
    done = released(unit="person", person="k", rows_per_person=3, dependence="independent")
    found = facts(done)
    assert found.goal == pf.Guarantee(1.5)
    assert found.allowed.accuracy_upper == pytest.approx(1.0 / (1.0 + math.exp(-1.5)))


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_what_noise_does_to_a_value(noise: str) -> None:
    use = facts(released(calibration(noise, 0.01))).utility
    law = laplace(scale=use.std / math.sqrt(2)) if noise == "laplace" else norm(scale=use.std)
    assert use.error == pytest.approx(law.expect(abs), rel=1e-6)
    assert law.cdf(use.half_width) - law.cdf(-use.half_width) == pytest.approx(0.95)
    assert use.mean_error == pytest.approx(use.std / math.sqrt(ROWS))
    assert use.column_std == pytest.approx(VALUES.std())


def test_a_slope_is_as_flat_as_it_is_said_to_be() -> None:
    """By regression on many rows, with the noise that the record names."""
    use = facts(released()).utility
    assert use.reliability is not None
    assert use.inflation is not None
    generator, n = np.random.default_rng(1), 20_000
    flat, corrected, plain = [], [], []
    noise = released().record.plan.calibration.noise
    for _ in range(60):
        x = generator.normal(0.0, use.column_std or 0.0, n)
        z = generator.normal(0.0, 1.0, n) + 0.3 * x
        small = generator.normal(0.0, 1.0, n)
        y = x + generator.laplace(0.0, use.std / math.sqrt(2.0), n)
        flat.append(np.cov(y, z)[0, 1] / y.var())
        plain.append(np.cov(x, small)[0, 1] / x.var())
        corrected.append(pf.denoise.slope(y, small, noise).value)
    assert np.mean(flat) == pytest.approx(0.3 * use.reliability, rel=0.02)
    # 60 repeats know a ratio of stds to about 13%, 3 of which are allowed.
    assert np.std(corrected) / np.std(plain) == pytest.approx(use.inflation, rel=0.4)


def test_the_public_edition_knows_the_column_only_as_published() -> None:
    done = released()
    found = facts(done, "public")
    assert found.record is None
    assert found.believed is None
    assert found.covered is None
    assert found.utility.column_std is None
    assert found.utility.estimated
    assert found.bars is not None
    assert found.bars.original is None
    assert found.utility.rows == ROWS
    estimated, internal = found.utility.reliability, facts(done).utility.reliability
    assert estimated is not None
    assert internal is not None
    assert estimated != internal


def test_public_beliefs_may_be_shown_to_all() -> None:
    found = facts(released(calibration(provenance="public")), "public")
    assert found.believed is not None
    assert found.believed.calibration.certificate == calibration(provenance="public").certificate


def test_estimates_are_those_of_denoise() -> None:
    done = released()
    found = facts(done, "public").estimates
    assert found is not None
    noise = done.record.plan.calibration.noise
    by_name = dict(found.found)
    assert by_name["mean"] == pf.denoise.mean(done.frame["x"], noise)
    assert by_name["variance"] == pf.denoise.variance(done.frame["x"], noise)
    (median,) = pf.denoise.quantiles(done.frame["x"], noise, [0.5]).estimates
    # Asked for together with others, it is computed on a longer grid: other rounding errors.
    for name in ("value", "standard_error", "lower", "upper"):
        assert getattr(by_name["median"], name) == pytest.approx(getattr(median, name), rel=1e-9)
    assert found.refused == ()


def test_a_column_that_was_clipped_or_rounded_gets_no_estimate_that_is_wrong() -> None:
    clipped = facts(released(postprocess=(pf.Clip(45.0, 55.0),)))
    assert clipped.estimates is not None
    assert clipped.estimates.found == ()
    assert clipped.utility.lost is not None
    rounded = facts(released(postprocess=(pf.RoundTo(1.0),))).estimates
    assert rounded is not None
    names = {"mean", "variance", "first quartile", "median", "third quartile"}
    assert {name for name, _ in rounded.found} == names
    assert not rounded.refused


def test_few_rows_are_not_enough_for_quartiles() -> None:
    few = {"x": [50.0, 51.0, 52.0, 49.0], "s": ["a", "b", "a", "b"]}
    found = facts(released(table=few)).estimates
    assert found is not None
    assert {name for name, _ in found.found} == {"mean", "variance"}
    assert "100 rows" in found.refused[0][1]


def test_holes_are_not_counted_as_values() -> None:
    holes = {**TABLE, "x": np.where(np.arange(ROWS) < 70, np.nan, VALUES)}
    belief = pf.Belief(LAWS, missing={"a": 0.07, "b": 0.07})
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    said = facts(released(found, holes, missing="keep"))
    assert said.utility.rows == ROWS - 70
    assert said.believed is not None
    assert said.believed.views[0].simplified


def test_the_profile_is_that_of_all_pairs_and_meets_the_goal() -> None:
    found = ten_pairs().believed
    assert found is not None
    assert found.of_all
    goal = found.calibration.goal
    at_goal = found.profile.epsilons.index(pytest.approx(goal.epsilon))
    assert found.profile.delta_lower[at_goal] <= 0.0 <= found.profile.delta_upper[at_goal]
    assert all(
        one >= other
        for one, other in zip(found.bare.delta_upper, found.profile.delta_lower, strict=True)
    )


def test_the_pairs_stand_worst_first_and_all_results_are_covered() -> None:
    found = ten_pairs().believed
    assert found is not None
    certificate = found.calibration.certificate
    assert len(found.pairs) == 10
    uppers = [each.worst.epsilon_upper for each in found.pairs]
    assert uppers == sorted(uppers, reverse=True)
    assert uppers[0] == certificate.epsilon_upper
    for each in found.pairs:
        largest = max(
            result.epsilon_upper for result in certificate.results if result.pair == each.worst.pair
        )
        assert each.worst.epsilon_upper == largest
    assert found.views[0].belief.name == certificate.worst.belief
    assert found.views[0].pair == certificate.worst.pair


def test_a_view_draws_the_laws_of_its_belief() -> None:
    found = facts(released()).believed
    assert found is not None
    (view,) = found.views
    noise = found.calibration.noise
    for secret, curve, law in zip("ab", view.believed, LAWS.values(), strict=True):
        assert view.belief.priors[secret] == law
        assert curve.y == pytest.approx(norm.pdf(curve.x, law.mean, law.std), rel=1e-9)
    assert view.published is not None
    assert view.ratio is not None
    # The density with noise, by direct integration.
    x, nodes = view.published[0].x[::40], np.linspace(30.0, 70.0, 8001)
    width = nodes[1] - nodes[0]
    for curve, law in zip(view.published, LAWS.values(), strict=True):
        weights = norm.pdf(nodes, law.mean, law.std)
        scale = noise.std / math.sqrt(2.0)
        direct = (laplace.pdf(x[:, None], nodes, scale) * weights).sum(axis=1) * width
        assert curve.y[::40] == pytest.approx(direct, rel=1e-4)
    # The certificate encloses the curve.
    assert view.ratio.y.max() <= view.results[0].epsilon_upper
    assert -view.ratio.y.min() <= view.results[1].epsilon_upper
    assert view.ratio.y.max() == pytest.approx(view.results[0].epsilon_lower, rel=1e-2)


def test_every_step_of_the_explanation_is_there_in_order() -> None:
    found = facts(released()).believed
    assert found is not None
    steps = found.steps
    assert steps == found.calibration.explain().steps
    assert steps[0].paragraphs[0].startswith("Adversaries considered: 1.")
    assert steps[0].entries[0].text == "'curious' (provenance: private)"
    assert steps[0].entries[0].details[0].startswith("'a': a Gaussian, mean 49.5")
    assert steps[-1].paragraphs[0].startswith("Not promised")


def test_many_pairs_are_looked_at_where_it_matters() -> None:
    laws = {f"s{number}": pf.Gaussian(0.01 * number**1.1, 1.0) for number in range(14)}
    found = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    table = {"x": np.zeros(14), "s": np.array(list(laws))}
    said = facts(released(found, table)).believed
    assert said is not None
    assert not said.of_all
    assert len(said.pairs) == 12
    assert said.profile.delta_upper[0] == pytest.approx(2.0 * said.after.accuracy_upper - 1.0)
