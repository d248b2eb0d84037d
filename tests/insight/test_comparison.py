"""Every method side by side: the numbers are those of each method, and broken promises show."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

import pufferfish as pf
from tests.support import scenario_of

ADULT = pf.Scenario(pf.datasets.adult_mixtures())
LOOSE, TIGHT, PURE = pf.Guarantee(1.0, 0.3), pf.Guarantee(1.0, 1e-3), pf.Guarantee(1.0)
# Where Theorem 2 fails: one part in twenty stands far out.
OUTLIER = scenario_of(
    pf.Gaussian(0.0, 1.0), pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
)
# Where Corollary 2 fails: the mean displacement is 5, the largest is 10.
ADAPTED = scenario_of(
    pf.GaussianMixture([0.5, 0.5], [0.0, 100.0], [1.0, 1.0]),
    pf.GaussianMixture([0.5, 0.5], [0.001, 110.0], [1.0, 1.0]),
)
GAUSSIANS = scenario_of(pf.Gaussian(44.0, 8.0), pf.Gaussian(41.0, 11.0))
SHIFTED = scenario_of(pf.Gaussian(44.0, 8.0), pf.Gaussian(41.0, 8.0))
TABLES = scenario_of(
    pf.Discrete([0.0, 1.0, 4.0], [0.5, 0.25, 0.25]), pf.Discrete([0.0, 2.0, 4.0], [0.25, 0.25, 0.5])
)
BOTH = pf.Scenario(
    [pf.datasets.adult_tables(), pf.datasets.adult_mixtures()],
    pairs=[("Black", "Asian-Pac-Islander")],
)
HOLED = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0), missing={"a": 0.25, "b": 0.125})
CASES = {
    "Adult, δ = 0.3": (ADULT, LOOSE),
    "Adult, δ = 0.001": (ADULT, TIGHT),
    "Adult, δ = 0": (ADULT, PURE),
    "outlier": (OUTLIER, TIGHT),
    "adapted": (ADAPTED, PURE),
    "Gaussians": (GAUSSIANS, TIGHT),
    "shifted": (SHIFTED, pf.Guarantee(0.5, 1e-3)),
    "shifted, δ = 0": (SHIFTED, PURE),
    "tables": (TABLES, PURE),
    "two beliefs": (BOTH, TIGHT),
    "holes": (HOLED, TIGHT),
}
# Those with tables.
RECODED = ("tables", "two beliefs")
METHODS = {"exact", "coupling", "thm-1", "remark-1", "thm-2", "cor-2"}


@cache
def comparison(case: str) -> pf.Comparison:
    return pf.compare(*CASES[case])


def rows(case: str) -> dict[str, pf.ComparedMethod]:
    """Those that add noise."""
    return {each.name: each for each in comparison(case).methods if each.name != "recode"}


def choices(name: str) -> dict[str, str]:
    """How `calibrate` is asked for a row."""
    method, _, rest = name.partition(", ")
    if rest == "Gaussian":
        return {"method": method, "mechanism": "gaussian"}
    return {"method": method, "tau": rest.removeprefix("τ ")} if rest else {"method": method}


@pytest.mark.parametrize("case", CASES)
def test_every_row_is_that_of_its_own_calibration(case: str) -> None:
    scenario, goal = CASES[case]
    assert comparison(case).goal == goal
    for name, row in rows(case).items():
        alone = pf.calibrate(scenario, goal, **choices(name), certified_only=False)
        assert row.calibration == alone
        assert row.valid is alone.certificate.holds
        assert row.delta_upper == alone.certificate.delta_upper
        assert row.epsilon_upper == alone.certificate.epsilon_upper
        again = pf.verify(scenario, alone.noise, goal)
        assert row.valid is again.holds


@pytest.mark.parametrize("case", CASES)
def test_every_method_is_there_or_refused_for_its_own_reason(case: str) -> None:
    scenario, goal = CASES[case]
    found = comparison(case)
    there, refused = {each.name for each in found.methods}, dict(found.refused)
    assert len(refused) == len(found.refused)
    more = {"recode"} if case in RECODED else set()
    assert {name.partition(",")[0] for name in there | refused.keys()} == METHODS | more
    assert not there & refused.keys()
    assert "exact, Gaussian" in there | refused.keys()
    for name, reason in found.refused:
        with pytest.raises((pf.UnsupportedError, pf.UnreachableGoalError)) as caught:
            pf.calibrate(scenario, goal, **choices(name), certified_only=False)
        assert str(caught.value) == reason


@pytest.mark.parametrize("case", CASES)
def test_sizes_are_compared_with_exact_laplace_noise(case: str) -> None:
    exact = rows(case)["exact"].calibration.noise
    for name, row in rows(case).items():
        noise = row.calibration.noise
        if isinstance(exact, pf.NoNoise):
            assert row.against_exact is None
        elif isinstance(noise, pf.LaplaceNoise):
            assert row.against_exact == pytest.approx(noise.scale / exact.scale, rel=1e-15)
        else:
            # A Laplace law of scale b has the std √2·b.
            assert row.against_exact == pytest.approx(
                noise.std / (math.sqrt(2.0) * exact.scale), rel=1e-14
            )
        if name == "exact" and not isinstance(exact, pf.NoNoise):
            assert row.against_exact == 1.0


@pytest.mark.parametrize("case", RECODED)
def test_tables_are_recoded_with_the_floor_of_the_noise(case: str) -> None:
    scenario, goal = CASES[case]
    (row,) = [each for each in comparison(case).methods if each.name == "recode"]
    exact, law = rows(case)["exact"].calibration.noise, row.calibration.mechanism
    assert isinstance(law, pf.Recoding)
    assert isinstance(exact, pf.LaplaceNoise)
    assert row.valid is pf.verify(scenario, law, goal).holds is True
    assert law.kappa == pytest.approx(1.0 / exact.scale)
    assert row.calibration.recode is not None
    assert row.against_exact == pytest.approx(row.calibration.recode.rmse / exact.std, rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_what_two_releases_cost(case: str) -> None:
    """Both are charged by the certificate that composes, the first one as well."""
    scenario, goal = CASES[case]
    for row in rows(case).values():
        noise = row.calibration.noise
        certificate = pf.composable(scenario, noise, goal.delta)
        if certificate is None:
            assert row.epsilon_of_two is None
            continue
        assert isinstance(noise, pf.LaplaceNoise)
        distance, step = Fraction(certificate.distance_upper), Fraction(noise.grid or 0.0)
        both = 2 * (distance + step) / Fraction(noise.scale) + Fraction(certificate.once_upper)
        assert row.epsilon_of_two is not None
        assert both <= Fraction(row.epsilon_of_two) <= both * (1 + Fraction(1, 2**52))
        line = next(
            each for each in str(comparison(case)).splitlines() if each.startswith(row.name)
        )
        # As printed, never less.
        assert float(line.split("ε = ")[-1]) >= row.epsilon_of_two


@pytest.mark.parametrize("case", CASES)
def test_the_table_has_a_line_for_each_and_fits_a_screen(case: str) -> None:
    text = str(comparison(case))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    for name, row in rows(case).items():
        (line,) = (line for line in lines if re.match(rf"{re.escape(name)}  ", line))
        assert ("BROKEN" in line) is (row.valid is False)
        assert ("kept" in line) is (row.valid is True)
        assert ("not covered" in line) is (row.epsilon_of_two is None)
        noise = row.calibration.noise
        size = noise.scale if isinstance(noise, pf.LaplaceNoise) else noise.std
        assert ("none" if size == 0.0 else f"{size:.5g}") in line
        if row.against_exact is not None:
            assert f"{row.against_exact:.3f}" in line
    flat = " ".join(text.split())
    for name, _ in comparison(case).refused:
        assert name in flat


# What we know of each case.


def test_the_adult_mixtures_need_no_noise_for_a_large_delta() -> None:
    found = rows("Adult, δ = 0.3")
    assert found["exact"].calibration.noise == pf.NoNoise()
    # What the mixtures give away of themselves at ε = 1.
    assert found["exact"].delta_upper == pytest.approx(0.04666, abs=5e-6)
    # What the paper's formula adds all the same: 1.939 with Q⁻¹ and 1.992 with Lambert W.
    for tau, printed in (("exact", 1.939), ("lambert", 1.992)):
        noise = found[f"thm-2, τ {tau}"].calibration.noise
        assert isinstance(noise, pf.LaplaceNoise)
        assert noise.scale == pytest.approx(printed, abs=5e-4)
        assert found[f"thm-2, τ {tau}"].valid is True


def test_the_adult_mixtures_with_a_small_delta() -> None:
    found = rows("Adult, δ = 0.001")
    assert set(found) == {
        "exact",
        "exact, Gaussian",
        "coupling",
        "thm-2, τ exact",
        "thm-2, τ lambert",
    }
    assert all(row.valid is True for row in found.values())
    ratios = [found[name].against_exact for name in ("exact", "coupling", "thm-2, τ lambert")]
    assert ratios == sorted(ratios)
    # As much as the promise allows, and no less noise would do.
    assert found["exact"].delta_upper == pytest.approx(1e-3, rel=1e-6)
    refused = dict(comparison("Adult, δ = 0.001").refused)
    assert set(refused) == {"thm-1", "remark-1", "cor-2"}
    assert "Gaussian priors" in refused["thm-1"]
    assert "translations" in refused["remark-1"]


def test_only_the_exact_method_is_pure_for_the_adult_mixtures() -> None:
    found = rows("Adult, δ = 0")
    assert set(found) == {"exact"}
    noise = found["exact"].calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert noise.scale == pytest.approx(1.5816, abs=5e-5)
    assert 1 - 1e-6 <= found["exact"].epsilon_upper <= 1.0
    assert found["exact"].epsilon_of_two is None
    refused = dict(comparison("Adult, δ = 0").refused)
    assert "delta" in refused["exact, Gaussian"]
    assert "coupling" in refused["coupling"]


@pytest.mark.parametrize(
    ("case", "broken"),
    [
        ("outlier", {"thm-2, τ exact", "thm-2, τ lambert"}),
        ("adapted", {"thm-2, τ exact", "thm-2, τ lambert", "cor-2"}),
    ],
)
def test_theorems_that_fail_are_shown_to(case: str, broken: set[str]) -> None:
    found = rows(case)
    assert {name for name, row in found.items() if row.valid is False} == broken
    assert {name for name, row in found.items() if row.valid is not True} == broken
    assert str(comparison(case)).count("BROKEN") == len(broken)
    for name in broken:
        against = found[name].against_exact
        assert against is not None
        assert against < 1.0


def test_by_how_much_the_theorems_fail() -> None:
    # Scale ½ leaves nearly all of the 0.05 that stands out to be seen.
    assert rows("outlier")["thm-2, τ exact"].delta_upper == pytest.approx(0.0499, abs=5e-5)
    # Half of the noise that is needed: a displacement of 10 at the scale 5.
    assert rows("adapted")["cor-2"].epsilon_upper == pytest.approx(2.0, abs=1e-3)


def test_gaussians_have_all_of_the_first_theorems() -> None:
    found = rows("Gaussians")
    for tau, quantile in (("exact", 3.2905), ("lambert", 3.3119)):
        noise = found[f"thm-1, τ {tau}"].calibration.noise
        assert isinstance(noise, pf.LaplaceNoise)
        # |Δμ| + τ·|Δσ|, with τ from tables of the normal law and of Lambert's function.
        assert noise.scale == pytest.approx(3.0 + quantile * 3.0, abs=5e-4)
        # For Gaussians the second theorem is the first.
        assert found[f"thm-2, τ {tau}"].calibration.noise == noise
    assert "remark-1" not in found
    shifted = rows("shifted, δ = 0")
    assert {"thm-1, τ exact", "thm-1, τ lambert", "remark-1", "cor-2"} <= set(shifted)
    # Tight: all of them, and the exact one, need |Δμ|/ε = 3.
    for row in shifted.values():
        assert row.against_exact == pytest.approx(1.0, abs=1e-6)
        assert row.valid is True


def test_tables_have_exact_and_coupling_noise_only() -> None:
    assert set(rows("tables")) == {"exact", "exact, Gaussian", "coupling"}
    # The extreme atoms agree, so that Gaussian noise can be pure; it is no Laplace noise.
    assert rows("tables")["exact, Gaussian"].valid is True
    assert rows("tables")["exact, Gaussian"].epsilon_of_two is None


def test_several_beliefs_are_as_hard_as_the_hardest() -> None:
    together = rows("two beliefs")["exact"].calibration.noise
    alone = [
        pf.calibrate(pf.Scenario([belief], pairs=BOTH.pairs), TIGHT).noise.std
        for belief in BOTH.beliefs
    ]
    # Each search stops within about 1e-9 of its root.
    assert together.std == pytest.approx(max(alone), rel=1e-8)
    assert rows("two beliefs")["coupling"].valid is True


def test_holes_leave_the_papers_formulas_out() -> None:
    refused = dict(comparison("holes").refused)
    for name in ("thm-1", "remark-1", "thm-2", "cor-2"):
        assert "missing" in refused[name]
    assert rows("holes")["exact"].valid is True


def test_holes_that_betray_the_secret_leave_nothing() -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0), missing={"a": 0.25})
    found = pf.compare(scenario, PURE)
    assert found.methods == ()
    assert {name.partition(",")[0] for name, _ in found.refused} == METHODS
    assert max(map(len, str(found).splitlines())) <= 100


def test_two_workers_find_what_one_finds() -> None:
    calls: list[tuple[int, int]] = []
    belief = pf.Belief(
        {
            number: pf.GaussianMixture([0.5, 0.5], [number / 4, 3.0], [1.0, 0.5 + number / 8])
            for number in range(3)
        }
    )
    scenario = pf.Scenario([belief])
    one = pf.compare(scenario, TIGHT)
    two = pf.compare(scenario, TIGHT, workers=2, progress=lambda *each: calls.append(each))
    assert two == one
    assert str(two) == str(one)
    assert calls[-1] == (3, 3)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="Scenario"):
        pf.compare(pf.datasets.adult_mixtures(), PURE)
    with pytest.raises(pf.InvalidInputError, match="Guarantee"):
        pf.compare(ADULT, 1.0)
    with pytest.raises(pf.InvalidInputError, match="workers"):
        pf.compare(ADULT, PURE, workers=0)


def test_a_method_that_is_broken_for_somebody_else_is_not_valid() -> None:
    """Of a sum the certificate is of those who decide; the search looks at everybody."""
    laws = pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0)
    kept = pf.compare(scenario_of(*laws), pf.Guarantee(1.0)).methods[0]
    assert kept.valid is True
    assert replace(kept, for_all=False).valid is False


def test_anybodys_map_is_judged() -> None:
    laws = {
        "a": pf.Discrete.from_counts({0: 9, 1: 1}),
        "b": pf.Discrete.from_counts({0: 1, 1: 9}),
    }
    scenario = pf.Scenario(pf.Belief(laws))
    maps = {
        "coin": pf.Recoding.from_matrix([0, 1], [[0.5, 0.5], [0.5, 0.5]]),
        "as it is": pf.Recoding.from_matrix([0, 1], [[1, 0], [0, 1]]),
    }
    found = pf.compare(scenario, pf.Guarantee(1.0), recodings=maps)
    by_name = {each.name: each for each in found.methods}
    assert by_name["coin"].valid is True
    assert by_name["coin"].calibration.rmse == pytest.approx(0.5**0.5)
    assert by_name["as it is"].valid is False
    assert by_name["as it is"].epsilon_upper == pytest.approx(math.log(9))
    assert "BROKEN" in str(found)
    with pytest.raises(pf.InvalidInputError, match="Recoding"):
        pf.compare(scenario, pf.Guarantee(1.0), recodings={"x": pf.LaplaceNoise(1.0)})  # type: ignore[dict-item]  # refused
