"""Canaries in the data: nothing of them is in a public report, and all would have been found."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import figures, report
from pufferfish.report.columns import bars_of, count_column
from pufferfish.report.notebook import to_html
from tests.test_canary import LABEL, PLANS, leaks, planned, private_numbers, table


@cache
def release(arguments: Any) -> pf.Release:
    return pf.release(table(), planned(*arguments))


def readable(page: str) -> str:
    """All but coordinates: words, attributes that are read out, and numbers on axes."""
    page = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", page)
    labels = re.findall(r'(?:aria-label|title|alt|content)="([^"]*)"', page)
    return html.unescape(" ".join([words, *labels]))


@cache
def published(arguments: Any) -> Any:
    """A column as it might have been published: the same for every run, unlike a real one."""
    generator, noise = np.random.default_rng(5), planned(*arguments).calibration.noise
    values = table()["x"]
    if isinstance(noise, pf.LaplaceNoise):
        return values + generator.laplace(0.0, noise.scale, values.size)
    return values + generator.normal(0.0, noise.std, values.size)


def shown_by(values: Any, noise: Any) -> set[str]:
    """What anybody can compute from the published column: estimates, and a picture's axis."""
    estimates = [pf.denoise.mean(values, noise), pf.denoise.variance(values, noise)]
    estimates += pf.denoise.quantiles(values, noise, [0.25, 0.5, 0.75]).estimates
    ends = [(each.value, each.standard_error, each.lower, each.upper) for each in estimates]
    texts = {f"{number:.{digits}g}" for each in ends for number in each for digits in (2, 4)}
    column = count_column(values, "x")
    assert column is not None
    bars = bars_of(column, None)
    assert bars is not None
    return texts | set(re.findall(r">([^<>]+)</text>", figures.histogram("h", bars)))


@pytest.mark.parametrize("arguments", PLANS, ids=str)
@pytest.mark.parametrize("with_column", [True, False])
def test_nothing_private_is_in_a_public_report(arguments: Any, with_column: bool) -> None:
    record = release(arguments).record
    values, sources, shown = published(arguments), {}, set()
    if with_column:
        sources = {"released": values, "original": table()["x"]}
        shown = shown_by(values, record.plan.calibration.noise)
    text = readable(report(record, edition="public", **sources))
    found = leaks(text, private_numbers(record.plan), LABEL, "mixture'", "empirical'")
    assert [each for each in found if each.split(": ")[-1] not in shown] == []


@pytest.mark.parametrize("arguments", PLANS, ids=str)
def test_the_same_search_finds_them_in_the_internal_report(arguments: Any) -> None:
    record = release(arguments).record
    text = readable(report(record, released=published(arguments), original=table()["x"]))
    found = leaks(text, private_numbers(record.plan))
    assert any(each.startswith("std: ") for each in found)
    assert any(each.startswith(record.plan.calibration.scenario.beliefs[0].name) for each in found)


def test_the_public_report_does_not_depend_on_anything_private() -> None:
    """Two tables, two fits, two originals; the same noise, promise and published column."""
    pages = []
    for mean, spread in ((300.0, 40.0), (9000.0, 41.0)):
        laws = {"a": pf.Gaussian(mean, spread), "b": pf.Gaussian(mean + 20.0, spread)}
        noise = pf.LaplaceNoise(64.0, 2.0**-20)
        found = pf.calibrate(pf.Scenario(pf.Belief(laws, name=f"b{mean}")), pf.Guarantee(0.9))
        assert isinstance(found.noise, pf.LaplaceNoise)
        assert found.noise.scale < noise.scale
        certificate = pf.verify(found.scenario, noise, found.goal)
        plan = pf.Plan(
            calibration=pf.Calibration(
                scenario=found.scenario,
                goal=found.goal,
                method="given",
                noise=noise,
                certificate=certificate,
            ),
            column="x",
            secret="s",
            others=("c", "d") if mean > 1000.0 else ("c",),
        )
        secrets = ["a", "b", "c"] * 50
        original = np.random.default_rng(int(mean)).normal(mean, spread, 150)
        record = pf.release({"x": original, "s": np.array(secrets)}, plan).record
        published = np.random.default_rng(7).normal(0.0, 1.0, 150)
        page = report(record, edition="public", released=published, original=original)
        pages.append(page.replace(record.sha256, "").replace(record.created, ""))
    assert pages[0] == pages[1]


def test_a_path_of_the_original_is_not_even_read(tmp_path: Path) -> None:
    done = release(PLANS[0])
    assert report(done.record, edition="public", original=tmp_path / "not there.csv")


def test_a_stress_test_is_in_the_internal_report_only() -> None:
    done = release(PLANS[0])
    rows = {**table(), "canary": np.arange(len(table()["x"])) % 2}
    found = pf.stress(done.record.plan, rows, splits=0, resamples=0, learner=False, answers=False)
    for edition, there in (("internal", True), ("public", False)):
        text = readable(report(done.record, edition=edition, stress=found))
        assert ("canary" in text) is there
        assert ("What if they know more?" in text) is there


def test_a_notebook_marks_what_is_private() -> None:
    plan = planned(*PLANS[1])
    for each in (plan, plan.calibration, plan.calibration.scenario, plan.calibration.certificate):
        assert "Private." in readable(to_html(each))
    # A record is shown by its promise, and needs no mark.
    done = release(PLANS[1])
    text = readable(to_html(done.record))
    assert leaks(text, private_numbers(plan), LABEL) == []
    assert "Private." not in text
