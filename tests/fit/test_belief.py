"""From a table to beliefs: names, holes, bins, bootstraps, and what is refused in which words."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf

RELEASED = "fitted on the released column"


def rows(sizes: dict[str, int], seed: int = 0) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    secrets = np.repeat(list(sizes), list(sizes.values()))
    centres = np.repeat(np.arange(len(sizes)) * 10.0, list(sizes.values()))
    return {"x": np.round(generator.normal(centres, 4.0)), "s": secrets}


TABLE = rows({"a": 150, "b": 250})


def with_holes() -> dict[str, Any]:
    table = {name: column.copy() for name, column in TABLE.items()}
    table["x"][:30] = math.nan  # 30 of the 150 rows of a
    table["x"][-25:] = math.nan  # 25 of the 250 rows of b
    return table


# -------------------------------------------------------------------------------------------------
# One belief
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["mixture-2", "gaussian", "empirical", "ubm-2"])
def test_holes_are_kept_by_secret(family: str) -> None:
    belief = pf.fit_belief(with_holes(), "x", "s", family)
    assert dict(belief.missing) == {"a": 30 / 150, "b": 25 / 250}
    # The law is that of the rows with a value.
    table = with_holes()
    kept = ~np.isnan(table["x"])
    without = {name: column[kept] for name, column in table.items()}
    assert dict(pf.fit_belief(without, "x", "s", family).priors) == dict(belief.priors)


def test_names() -> None:
    assert pf.fit_belief(TABLE, "x", "s", "gaussian").name == "gaussian"
    assert pf.fit_belief(TABLE, "x", "s", "gaussian", name="who").name == "who"
    assert pf.fit_belief(TABLE, "x", "s", "mixture", 2).name == "mixture-2"


def test_a_summary_needs_no_names() -> None:
    summary = pf.summarise(TABLE, column="x", secret="s")
    plain = pf.fit_belief(TABLE, "x", "s", "gaussian")
    assert pf.fit_belief(summary, family="gaussian") == plain
    assert pf.fit_belief(summary, "x", "s", "gaussian") == plain
    with pytest.raises(pf.InvalidInputError, match="summary is of 'x' by 's'"):
        pf.fit_belief(summary, "y", "s")
    with pytest.raises(pf.InvalidInputError, match=r"column=\.\.\. or .*, and secret=\.\.\."):
        pf.fit_belief(TABLE, "x")


def test_the_same_again() -> None:
    one, other = (pf.fit_belief(TABLE, "x", "s") for _ in range(2))
    assert one == other


def test_binned_frequencies_have_a_radius() -> None:
    binned = pf.summarise(TABLE, column="x", secret="s", most_values=10)
    assert binned.bin_width > 0.0
    assert pf.fit_belief(binned, family="empirical").radius == binned.bin_width / 2
    # A fitted law is the belief itself.
    for family in ("gaussian", "mixture-2", "ubm-2"):
        assert pf.fit_belief(binned, family=family).radius == 0.0
    exact = pf.fit_belief(TABLE, "x", "s", "empirical")
    assert exact.radius == 0.0
    # Its certificate covers the table that was not binned.
    goal, noise = pf.Guarantee(1.0, 0.01), pf.LaplaceNoise(12.0)
    wide = pf.verify(pf.Scenario(pf.fit_belief(binned, family="empirical")), noise, goal)
    true = pf.verify(pf.Scenario(exact), noise, goal)
    assert wide.delta_upper >= true.delta_lower
    assert wide.epsilon_upper >= true.epsilon_lower


# -------------------------------------------------------------------------------------------------
# Several beliefs
# -------------------------------------------------------------------------------------------------

FAMILIES = ["mixture-2", "ubm-2", "gaussian", "empirical"]


def test_names_and_families() -> None:
    beliefs = pf.fit_beliefs(TABLE, "x", "s", FAMILIES, bootstrap=2)
    assert [belief.name for belief in beliefs] == [
        name
        for family in FAMILIES
        for name in (family, f"{family}, resample 1", f"{family}, resample 2")
    ]
    for belief in beliefs:
        assert belief.provenance == RELEASED
        assert list(belief.priors) == ["a", "b"]
    for family in FAMILIES:
        plain = pf.fit_belief(TABLE, "x", "s", family)
        assert plain in beliefs
    assert pf.Scenario(beliefs).pairs == (("a", "b"),)


def test_families_by_default_and_repeated() -> None:
    assert [each.name for each in pf.fit_beliefs(TABLE, "x", "s")] == ["mixture", "empirical"]
    twice = pf.fit_beliefs(TABLE, "x", "s", ["gaussian", "gaussian"])
    assert [each.name for each in twice] == ["gaussian"]


def test_resamples_repeat_by_seed() -> None:
    def beliefs(seed: int) -> tuple[pf.Belief, ...]:
        return pf.fit_beliefs(TABLE, "x", "s", FAMILIES, bootstrap=2, seed=seed)

    assert beliefs(5) == beliefs(5)
    one, other = beliefs(5), beliefs(6)
    for index, (mine, theirs) in enumerate(zip(one, other, strict=True)):
        assert (mine == theirs) is (index % 3 == 0)
    # The resamples of one seed differ from the fit and from one another.
    for start in range(0, 12, 3):
        laws = [belief.priors["a"] for belief in one[start : start + 3]]
        assert laws[0] != laws[1] != laws[2] != laws[0]


def test_resamples_keep_holes_and_components() -> None:
    beliefs = pf.fit_beliefs(
        with_holes(), "x", "s", ["mixture", "mixture-3", "ubm-2", "empirical"], bootstrap=3
    )
    for belief in beliefs:
        assert dict(belief.missing) == {"a": 30 / 150, "b": 25 / 250}
    for start, family in ((0, "mixture"), (4, "mixture-3"), (8, "ubm-2")):
        first, *others = beliefs[start : start + 4]
        assert first.name == family
        for secret, law in first.priors.items():
            for other in others:
                assert len(other.priors[secret].weights) == len(law.weights)
    for resample in beliefs[13:]:
        for secret, records in (("a", 120), ("b", 225)):
            counts = resample.priors[secret].probabilities * records
            np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
            assert set(resample.priors[secret].values) <= set(beliefs[12].priors[secret].values)
    for resample in beliefs[9:12]:
        a, b = resample.priors.values()
        assert (a.weights, a.stds) == (b.weights, b.stds)


def test_resamples_scatter_as_the_mean_does() -> None:
    """The means of 200 refits have the std error σ/√n, to a fifth (four std errors of a std)."""
    beliefs = pf.fit_beliefs(TABLE, "x", "s", ["gaussian"], bootstrap=200)
    for secret, size in (("a", 150), ("b", 250)):
        plain = beliefs[0].priors[secret]
        means = [belief.priors[secret].mean for belief in beliefs[1:]]
        assert np.std(means) == pytest.approx(plain.std / math.sqrt(size), rel=0.2)
        assert np.mean(means) == pytest.approx(
            plain.mean, abs=4 * plain.std / math.sqrt(200 * size)
        )


def test_binned_resamples_have_the_radius_too() -> None:
    binned = pf.summarise(TABLE, column="x", secret="s", most_values=10)
    for belief in pf.fit_beliefs(binned, families=["empirical"], bootstrap=2):
        assert belief.radius == binned.radius > 0.0


@pytest.mark.parametrize("bootstrap", [-1, 2.0, True, "3", None])
def test_unusable_numbers_of_resamples(bootstrap: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="bootstrap"):
        pf.fit_beliefs(TABLE, "x", "s", ["gaussian"], bootstrap=bootstrap)


def test_families_are_a_list() -> None:
    with pytest.raises(pf.InvalidInputError, match=r"\['gaussian'\]"):
        pf.fit_beliefs(TABLE, "x", "s", "gaussian")
    with pytest.raises(pf.InvalidInputError, match="empty"):
        pf.fit_beliefs(TABLE, "x", "s", [])


# -------------------------------------------------------------------------------------------------
# Provenance
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provenance", [None, "reference sample", "public"])
def test_provenance_is_carried_to_the_certificate(provenance: str | None) -> None:
    choices = {} if provenance is None else {"provenance": provenance}
    expected = provenance or RELEASED
    belief = pf.fit_belief(TABLE, "x", "s", "gaussian", **choices)
    assert belief.provenance == expected
    assert belief.public is (provenance == "public")
    (first, *_) = pf.fit_beliefs(TABLE, "x", "s", ["gaussian"], **choices)
    assert first.provenance == expected
    assert pf.fit_report(TABLE, "x", "s", "gaussian", **choices).belief.provenance == expected
    goal = pf.Guarantee(1.0, 0.01)
    calibration = pf.calibrate(pf.Scenario(belief), goal)
    results = calibration.certificate.results
    assert [result.provenance for result in results] == [expected, expected]
    again = pf.Certificate.from_json(calibration.certificate.to_json())
    assert again == calibration.certificate
    assert [result.provenance for result in again.results] == [expected, expected]
    text = " ".join(calibration.explain().split())
    assert f"provenance: {expected}" in text
    assert text.startswith("PRIVATE") is (provenance != "public")


def test_what_rests_on_the_released_column_is_said_in_the_explanation() -> None:
    def text(provenance: str) -> str:
        belief = pf.fit_belief(TABLE, "x", "s", "gaussian", provenance=provenance)
        found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0, 0.01))
        return " ".join(found.explain().split()).replace(provenance, "")

    assert len(text(RELEASED)) > len(text("reference sample"))


def test_a_certificate_from_before_there_was_provenance() -> None:
    belief = pf.Belief(dict(pf.fit_belief(TABLE, "x", "s", "gaussian").priors))
    certificate = pf.verify(pf.Scenario(belief), pf.LaplaceNoise(9.0), pf.Guarantee(1.0, 0.1))
    old = certificate.to_dict()
    for entry in old["results"]:
        del entry["provenance"]
    assert pf.Certificate.from_dict(old) == certificate


def test_a_fitted_belief_does_not_show_itself() -> None:
    for belief in pf.fit_beliefs(TABLE, "x", "s", ["gaussian", "empirical", "mixture"]):
        for text in (repr(belief), str(belief)):
            assert not any(character.isdigit() for character in text)


# -------------------------------------------------------------------------------------------------
# What is refused
# -------------------------------------------------------------------------------------------------

fitters = pytest.mark.parametrize("fit", [pf.fit_belief, pf.fit_report, pf.fit_beliefs])


def refusal(fit: Any, data: Any, *names: Any, **choices: Any) -> str:
    with pytest.raises(pf.InvalidInputError) as caught:
        fit(data, *(names or ("x", "s")), **choices)
    return str(caught.value)


@fitters
def test_small_groups_are_refused_and_not_named(fit: Any) -> None:
    table = rows({"many": 149, "rare": 29, "others": 241, "scarce": 17})
    message = refusal(fit, table)
    assert "fewer than 30 records" in message
    assert "merge small groups" in message
    assert "min_group" in message
    assert "'many', 'others'" in message
    for hidden in ("rare", "scarce", "29", "17", "149", "241"):
        assert hidden not in message.replace("min_group", "")
    assert "none" in refusal(fit, rows({"rare": 29, "scarce": 3}))


def test_thirty_are_enough() -> None:
    pf.fit_belief(rows({"a": 30, "b": 30}), "x", "s", "gaussian")
    # Rows without a value do not count.
    table = rows({"a": 30, "b": 30})
    table["x"][0] = math.nan
    assert "fewer than 30" in refusal(pf.fit_belief, table)


def test_min_group_may_be_lowered_and_raised() -> None:
    table = rows({"a": 12, "b": 9})
    belief = pf.fit_belief(table, "x", "s", "gaussian", min_group=9)
    assert set(belief.priors) == {"a", "b"}
    assert "fewer than 10" in refusal(pf.fit_belief, table, min_group=10)
    assert "fewer than 200" in refusal(pf.fit_belief, TABLE, min_group=200)
    for bad in (0, -3, "30", None):
        assert "min_group" in refusal(pf.fit_belief, TABLE, min_group=bad)


def test_the_way_out_for_small_groups() -> None:
    table = rows({"many": 149, "rare": 29, "others": 241})
    summary = pf.summarise(table, column="x", secret="s").only(["many", "others"])
    assert set(pf.fit_belief(summary, family="gaussian").priors) == {"many", "others"}


@pytest.mark.parametrize("family", ["gaussian", "mixture", "ubm"])
def test_a_constant_column(family: str) -> None:
    table = {"x": np.full(100, 31.5), "s": ["a", "b"] * 50}
    message = refusal(pf.fit_belief, table, "x", "s", family)
    assert "'x' is constant" in message
    assert 'family="empirical"' in message
    assert "31.5" not in message
    law = pf.Discrete([31.5], [1.0])
    assert dict(pf.fit_belief(table, "x", "s", "empirical").priors) == {"a": law, "b": law}


@fitters
def test_one_secret_only(fit: Any) -> None:
    message = refusal(fit, rows({"alone": 77}))
    assert "'s' has only one value" in message
    assert "alone" not in message
    assert "77" not in message


@fitters
@pytest.mark.parametrize("frame", [dict, pd.DataFrame])
def test_what_tables_refuse_is_refused(fit: Any, frame: Any) -> None:
    wrong = {
        "row 41": {"x": [*range(40), math.inf, *range(39)], "s": ["a", "b"] * 40},
        "must hold text": {"x": np.arange(80.0), "s": [0.5, 1.5] * 40},
        "Did you mean 'x'": {"x_": np.arange(80.0), "s": ["a", "b"] * 40},
    }
    for part, table in wrong.items():
        if part.startswith("Did"):
            message = refusal(fit, frame({"x": np.arange(80.0), "s": ["a", "b"] * 40}), "xx", "s")
        else:
            message = refusal(fit, frame(table))
        assert part in message


@pytest.mark.parametrize("frame", [dict, pd.DataFrame])
def test_texts_are_categories_and_no_numbers(frame: Any) -> None:
    table = frame({"x": ["31337", "8"] * 40, "s": ["a"] * 30 + ["b"] * 50})
    assert "must hold numbers" in (message := refusal(pf.fit_report, table))
    assert "31337" not in message
    for given in ({"family": "gaussian"}, {"components": 3, "family": "mixture"}):
        message = refusal(pf.fit_belief, table, **given)
        assert "categories" in message
        assert "31337" not in message
    belief = pf.fit_belief(table, "x", "s")
    assert belief.name == "empirical"
    assert belief.columns == ("x",)
    assert belief.priors["a"] == pf.Categorical(["31337", "8"], counts=[15, 15])


def test_a_group_without_values_says_so() -> None:
    table = rows({"a": 40, "b": 40})
    table["x"][:40] = math.nan
    assert "fewer than 1 records" in refusal(pf.fit_belief, table, min_group=1)


def test_a_belief_about_the_released_column_names_its_counts() -> None:
    summary = pf.summarise(TABLE, column="x", secret="s")
    for belief in pf.fit_beliefs(summary, families=["gaussian", "empirical"], bootstrap=1):
        assert belief.fitted_on == summary.fingerprint
        assert belief.fitted_at is not None
        assert datetime.fromisoformat(belief.fitted_at).utcoffset() == timedelta(0)
    capped = pf.fit_belief(TABLE, "x", "s", "empirical", cap=(-1.0, 1.0))
    assert capped.cap == (-1.0, 1.0)
    assert capped.fitted_on == summary.capped(-1.0, 1.0).fingerprint != summary.fingerprint
    assert capped == pf.fit_belief(summary.capped(-1.0, 1.0), family="empirical")
    assert pf.fit_report(TABLE, "x", "s", "gaussian", cap=(-1.0, 1.0)).belief.cap == (-1.0, 1.0)


@pytest.mark.parametrize("provenance", ["public", "reference sample", "private"])
def test_a_belief_from_elsewhere_does_not(provenance: str) -> None:
    belief = pf.fit_belief(TABLE, "x", "s", "gaussian", provenance=provenance)
    assert (belief.fitted_on, belief.fitted_at) == (None, None)


def test_a_cap_keeps_the_radius_of_bins() -> None:
    binned = pf.summarise(TABLE, column="x", secret="s", most_values=10)
    capped = pf.fit_belief(binned, family="empirical", cap=(-1.0, 1.0))
    assert capped.radius == binned.radius > 0.0
    assert capped.lies_within(-1.0, 1.0)


# -------------------------------------------------------------------------------------------------
# What a fit keeps of the counts
# -------------------------------------------------------------------------------------------------

THREE = rows({"a": 150, "b": 250, "few": 3})
THREE["x"][[0, 1, 151, -1]] = math.nan  # two of a, one of b, one of few
FRAMES = [dict, pd.DataFrame, lambda table: pf.summarise(table, column="x", secret="s")]


def counter(table: dict[str, Any], secret: str | None = None) -> Counter[float]:
    chosen = np.full(table["x"].size, True) if secret is None else table["s"] == secret
    return Counter(table["x"][chosen & ~np.isnan(table["x"])].tolist())


def found(law: pf.Discrete | None) -> dict[float, int]:
    assert law is not None
    assert law.counts is not None
    return dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))


@pytest.mark.parametrize("frame", FRAMES, ids=["dict", "frame", "summary"])
def test_a_table_keeps_its_counts(frame: Any) -> None:
    data = frame(with_holes())
    names = () if isinstance(data, pf.Counts) else ("x", "s")
    belief = pf.fit_belief(data, *names, family="empirical")
    for secret, law in belief.priors.items():
        assert found(law) == counter(with_holes(), secret)
    assert dict(belief.missing_counts) == {"a": 30, "b": 25}
    assert found(belief.frequencies) == counter(with_holes())
    assert belief.frequencies_missing == 55


@pytest.mark.parametrize("family", ["empirical", "gaussian", "mixture-2", "ubm-2"])
def test_frequencies_are_those_of_all_rows(family: str) -> None:
    some = pf.summarise(THREE, column="x", secret="s").only(["a", "b"])
    belief = pf.fit_belief(some, family=family)
    assert found(belief.frequencies) == counter(THREE)
    assert belief.frequencies_missing == 4
    assert belief.fitted_on == some.fingerprint
    capped = pf.fit_belief(some, family=family, cap=(0.0, 9.0))
    moved = {"x": np.clip(THREE["x"], 0.0, 9.0), "s": THREE["s"]}
    assert found(capped.frequencies) == counter(moved)
    dropped = pf.fit_belief(some.without_missing(), family=family)
    assert found(dropped.frequencies) == counter(THREE)
    assert dropped.frequencies_missing == 0


def test_frequencies_of_bins_are_those_of_their_centres() -> None:
    binned = pf.summarise(TABLE, column="x", secret="s", most_values=10)
    belief = pf.fit_belief(binned, family="empirical")
    table = found(belief.frequencies)
    assert sum(table.values()) == 400
    for centre, count in table.items():
        low, high = centre - belief.radius, centre + belief.radius
        assert count == ((low <= TABLE["x"]) & (high > TABLE["x"])).sum()


def test_a_smooth_belief_of_many_values_stays_small() -> None:
    many = {"x": np.arange(20_002) / 8.0, "s": np.tile(["a", "b"], 10_001)}
    gaussian, table = pf.fit_beliefs(many, "x", "s", ["gaussian", "empirical"])
    assert gaussian.frequencies is None
    assert len(found(table.frequencies)) == 20_002
    fewer = {name: column[:10_000] for name, column in many.items()}
    assert len(found(pf.fit_belief(fewer, "x", "s", "gaussian").frequencies)) == 10_000


def test_a_resample_has_counts_of_its_own() -> None:
    table, again = pf.fit_beliefs(with_holes(), "x", "s", ["empirical"], bootstrap=1)
    assert table.frequencies is not None
    assert again.frequencies is None
    assert again.missing_counts == table.missing_counts
    assert sum(found(again.priors["a"]).values()) == 120
    assert found(again.priors["a"]) != found(table.priors["a"])


def test_a_public_belief_says_no_more_of_the_table_than_its_laws() -> None:
    every = pf.summarise(THREE, column="x", secret="s")
    some = every.only(["a", "b"])
    public: Any = {"provenance": "public", "min_group": 1}
    for family in ("gaussian", "mixture-2"):
        assert pf.fit_belief(every, family=family, **public).frequencies is None
    assert pf.fit_belief(some, family="empirical", **public).frequencies is None
    belief = pf.fit_belief(every, family="empirical", **public)
    total = sum((Counter(found(law)) for law in belief.priors.values()), Counter())
    assert found(belief.frequencies) == total


def test_counts_that_floats_cannot_hold_are_still_fitted() -> None:
    huge = pf.Counts.from_counts(["a", "a", "b"], [1.0, 2.0, 2.0], [2**52, 2**52, 50])
    belief = pf.fit_belief(huge, family="empirical")
    assert belief.priors["a"] == pf.Discrete([1.0, 2.0], [0.5, 0.5])
    assert dict(belief.missing_counts) == {"b": 0}
    assert belief.frequencies is None
