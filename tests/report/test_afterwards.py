"""Rounding and clipping: words, code and pictures say what was published."""

from __future__ import annotations

import io
import math
import re
from contextlib import redirect_stdout
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.postprocess import process
from pufferfish.noise import output_law
from pufferfish.report import report
from pufferfish.report.afterwards import view_afterwards
from pufferfish.report.views import views
from tests.report.releases import LAWS, ROWS, TABLE, Page, calibration

NOISES = ["laplace", "gaussian", "none"]
STEPS: dict[str, tuple[Any, ...]] = {
    "neither": (),
    "round": (pf.RoundTo(0.5),),
    "round to whole numbers": (pf.RoundTo(1.0),),
    "round coarsely": (pf.RoundTo(25.0),),
    "clip": (pf.Clip(48.0, 52.0),),
    "clip far away": (pf.Clip(0.0, 200.0),),
    "round, then clip": (pf.RoundTo(1.0), pf.Clip(45.0, 55.5)),
    "clip, then round": (pf.Clip(45.2, 55.5), pf.RoundTo(1.0)),
    "clip, then round finely": (pf.Clip(45.2, 55.5), pf.RoundTo(0.001)),
}
LOST = {name for name in STEPS if "clip" in name or "coarse" in name}


@cache
def law(noise: str) -> pf.Calibration:
    if noise != "none":
        return calibration(noise, 0.01 if noise == "gaussian" else 0.0)
    laws = {"a": pf.Gaussian(50.0, 2.5), "b": pf.Gaussian(50.1, 2.5)}
    return pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.1))


def plan(noise: str, steps: str, **fields: Any) -> pf.Plan:
    return pf.Plan(
        calibration=law(noise),
        column="x",
        secret="s",
        postprocess=STEPS[steps],
        allow_no_noise=noise == "none",
        **fields,
    )


def is_lost(noise: str, steps: str) -> bool:
    return steps in LOST or (noise == "none" and "round" in steps)


def code_of(html: str) -> str:
    found = re.search("<pre><code>(.*?)</code></pre>", html, re.DOTALL)
    return "" if found is None else unescape(found[1])


@pytest.mark.parametrize("edition", ["internal", "public"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("steps", STEPS)
# Rounded values may pile up at an end by chance, which looks like clipping.
@pytest.mark.filterwarnings("ignore::pufferfish.CoverageWarning")
def test_words_and_code(edition: Any, noise: str, steps: str) -> None:
    """Refutes "averages are not lost", of a column whose mean went from 1,078 to 7,298."""
    done = pf.release(TABLE, plan(noise, steps))
    values = done.frame["x"]
    html = report(done.record, edition=edition, released=values)
    text, code = Page(html).text, code_of(html)
    if is_lost(noise, steps):
        assert "not lost" not in text
        assert "removed again" not in text
        assert "Averages of the published values are not those of the true ones" in text
        assert "pf.denoise" not in code
        return
    assert ("averages are not lost" in text) == (noise != "none")
    assert "not those of the true ones" not in text
    printed: list[Any] = []
    exec(code, {"values": values, "print": printed.append})
    assert len(printed) == 3
    mean, variance, *_ = printed
    # Seven standard errors: less than one run in 10⁶ is that far off, by the noise alone.
    assert abs(mean.value - TABLE["x"].mean()) <= 7.0 * mean.standard_error
    assert abs(variance.value - TABLE["x"].var()) <= 7.0 * variance.standard_error


@pytest.mark.parametrize(
    "name", ["o.csv", "o.csv.gz", "o.parquet", "o.arrow", "o d'é.csv", "o.tsv"]
)
@pytest.mark.filterwarnings("ignore::pufferfish.CoverageWarning")
@pytest.mark.parametrize("missing", ["refuse", "keep"])
def test_the_code_reads_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, missing: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    holes = np.arange(ROWS) % 10 == 0 if missing == "keep" else np.zeros(ROWS, dtype=bool)
    lines = [
        f"{'' if hole else x},{s}" for x, s, hole in zip(TABLE["x"], TABLE["s"], holes, strict=True)
    ]
    Path("in.csv").write_text("x,s\n" + "\n".join(lines) + "\n", encoding="utf-8")
    share = dict.fromkeys(LAWS, 0.1) if missing == "keep" else {}
    belief = pf.Belief(LAWS, missing=share)
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    chosen = pf.Plan(calibration=found, column="x", secret="s", missing=missing)
    done = pf.release("in.csv", chosen, name)
    code = code_of(report(done.record, released=name))
    if name.endswith(".tsv"):
        assert "# values: the published column" in code
        return
    said = io.StringIO()
    with redirect_stdout(said):
        exec(code, {})
    assert len(said.getvalue().splitlines()) == 5


@pytest.mark.filterwarnings("ignore::pufferfish.CoverageWarning")
def test_few_rows_have_the_code_that_runs() -> None:
    few = {name: column[:50] for name, column in TABLE.items()}
    done = pf.release(few, plan("laplace", "neither"))
    code = code_of(report(done.record, released=done.frame["x"]))
    exec(code, {"values": done.frame["x"], "print": str})
    assert "quantiles" not in code


def bounds_near(curve: Any, low: float, high: float) -> bool:
    return bool(curve.x.min() == low and curve.x.max() == high)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("steps", STEPS)
def test_pictures_hold_what_can_be_published(noise: str, steps: str) -> None:
    found = plan(noise, steps)
    certificate = found.calibration.certificate
    (view,) = views(found.calibration.scenario, certificate, found.postprocess)
    assert view.seen is not None
    curves, bounds = view.seen.curves, view.seen.bounds
    low, high = process(np.array([-1e30, 1e30]), found.postprocess).tolist()
    for place, curve in enumerate(curves):
        assert low <= curve.x.min()
        assert curve.x.max() <= high
        inside = (
            float(curve.y.sum())
            if curve.is_table
            else float(np.diff(curve.x) @ (curve.y[1:] + curve.y[:-1])) / 2.0
        )
        whole = inside + sum(bound.masses[place] for bound in bounds)
        assert whole <= 1.001
        assert whole >= (0.999 if "clip" in steps and bounds_near(curve, low, high) else 0.9)
    if curves[0].is_table:
        np.testing.assert_allclose(process(curves[0].x, found.postprocess), curves[0].x)
    # What is done to a noised value says no more than the value did.
    epsilon = max(result.epsilon_upper for result in view.results)
    changes = [
        *view.seen.ratio.y.tolist(),
        *(math.log(a / b) for a, b in (e.masses for e in bounds)),
    ]
    assert max(map(abs, changes)) <= epsilon * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "steps", ["round to whole numbers", "round, then clip", "clip, then round", "clip"]
)
def test_probabilities_are_those_of_draws(steps: str) -> None:
    """Within five standard errors of a million draws, for each published value."""
    found = plan("laplace", steps)
    prior, noise = LAWS["a"], found.calibration.noise
    generator = np.random.default_rng(3)
    count = 1_000_000
    noised = generator.normal(prior.mean, prior.std, count) + generator.laplace(
        0.0, noise.scale, count
    )  # type: ignore[union-attr]
    drawn = process(noised, found.postprocess)
    x = np.linspace(20.0, 80.0, 401)
    law_of = output_law(prior, noise)
    seen = view_afterwards((law_of, law_of), x, found.postprocess)
    curve = seen.curves[0]
    points = (
        zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        if curve.is_table
        else [(bound.value, bound.masses[0]) for bound in seen.bounds]
    )
    for value, mass in points:
        share = float(np.mean(np.isclose(drawn, value)))
        assert abs(share - mass) <= 5.0 * math.sqrt(mass * (1.0 - mass) / count) + 1e-6


def test_a_clipped_picture_says_what_is_at_its_ends() -> None:
    done = pf.release(TABLE, plan("laplace", "clip"))
    text = Page(report(done.record, released=done.frame["x"])).text
    assert "with noise, then moved into [48, 52]" in text
    assert re.search(r"All that lay beyond 48 is at 48: [\d.]+% for 'a', [\d.]+% for 'b'\.", text)
    assert "before it was moved into [48, 52]: off by" in text


def test_mean_of_a_column_like_capital_gain() -> None:
    """Mostly 0, a few large: clipped at 0 the mean of the published values is nothing like it."""
    values = np.where(np.arange(2000) % 12 == 0, 13_000.0, 0.0)
    table = {"x": values, "s": np.array(["a", "b"] * 1000)}
    beliefs = {"a": pf.Gaussian(1000.0, 4000.0), "b": pf.Gaussian(1500.0, 4000.0)}
    found = pf.calibrate(pf.Scenario(pf.Belief(beliefs)), pf.Guarantee(0.1))
    chosen = pf.Plan(
        calibration=found, column="x", secret="s", postprocess=(pf.Clip(0.0, 99_999.0),)
    )
    done = pf.release(table, chosen)
    assert done.frame["x"].mean() > 1.5 * values.mean()
    html = report(done.record, edition="public", released=done.frame["x"])
    assert "values beyond 0 or 99999, noise included, were moved to that bound" in Page(html).text
    assert code_of(html) == ""
