"""The table: every promise is kept, nothing is missing, and other ways agree."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.table import DELTAS, WAYS
from examples.paper.tabular import SHOWN, markdown, parts
from scipy.integrate import trapezoid

import pufferfish as pf
from pufferfish.core.errors import UnsupportedError
from pufferfish.insight.other_ways import alternatives
from tests.support import ROOT

LAPLACE = ("Theorem 2", "Theorem 2, Lambert τ", "repaired coupling", "local DP")


def test_every_row_is_there(written: Written) -> None:
    rows = written.reproduction.table.rows
    assert DELTAS == (0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-5, 0.0)
    ours = ["our mixtures of 3", "our mixtures of 4", "table"]
    beliefs = [("Adult", "paper's mixtures"), *(("Adult", each) for each in ours)]
    beliefs += [("Hungarian", each) for each in ours]
    wanted = [(*belief, delta) for belief in beliefs for delta in DELTAS]
    assert [(row.experiment, row.belief, row.goal.delta) for row in rows] == wanted
    assert all(row.goal.epsilon == 1.0 and tuple(row.entries) == tuple(WAYS) for row in rows)


def test_promises_are_kept_and_exact_is_the_least(written: Written) -> None:
    for row in written.reproduction.table.rows:
        least = row.certificate("exact").noise.std
        for entry in row.entries.values():
            if entry.certificate is None:
                assert entry.reason
                continue
            assert entry.certificate.holds is True
            assert entry.certificate.delta_upper <= row.goal.delta or row.goal.pure
            assert entry.accuracy_upper is not None
            assert 0.5 <= entry.accuracy_upper <= row.before_upper
            if entry.way in LAPLACE and entry.noise != pf.NoNoise():
                # Within the grid that each method reserves.
                assert least <= entry.certificate.noise.std * (1.0 + 1e-6)


def test_no_noise_is_its_own_result(written: Written) -> None:
    for row in written.reproduction.table.rows:
        none = row.certificate("exact").noise == pf.NoNoise()
        assert none == (row.bare_upper <= row.goal.delta)
        if none:
            assert row.entries["exact"].accuracy_upper == row.before_upper


def test_what_does_not_apply_says_why(written: Written) -> None:
    for row in written.reproduction.table.rows:
        refused = {each.way for each in row.entries.values() if each.certificate is None}
        wanted = set()
        if row.belief == "table" or row.goal.pure:
            wanted |= {"Theorem 2", "Theorem 2, Lambert τ"}
        if row.goal.pure:
            wanted |= {"exact, Gaussian noise"}
            if row.belief != "table":  # no coupling of unequal stds is bounded
                wanted |= {"repaired coupling"}
        assert refused == wanted
        for way in refused:
            with pytest.raises(UnsupportedError):
                row.certificate(way)


def test_local_dp_is_the_range_and_agrees_with_alternatives(written: Written) -> None:
    table = written.reproduction.table
    pure = table.row("Adult", "table", 0.0)
    assert pure.scale("local DP") == pytest.approx(15.0, rel=1e-6)  # 1 to 16
    assert pure.scale("local DP") >= 15.0
    scenario = pf.Scenario(pf.datasets.adult_tables(), [("Black", "Asian-Pac-Islander")])
    (local,) = alternatives(pf.calibrate(scenario, pf.Guarantee(1.0)))
    assert local.scale == 15.0
    # Two points 15 apart have δ = 1 − e^{(ε − 15/b)/2}.
    for delta in (0.5, 0.3, 0.1, 1e-2):
        b = table.row("Adult", "table", delta).scale("local DP")
        assert 1.0 - math.exp((1.0 - 15.0 / b) / 2.0) == pytest.approx(delta, rel=1e-5)
    chol = table.row("Hungarian", "table", 0.0)
    assert chol.scale("local DP") == pytest.approx(603.0 - 85.0, rel=1e-6)


def hockey_stick(p: pf.Discrete, q: pf.Discrete, b: float) -> float:
    """∫(p − e·q)_+ for tables with Laplace noise, by the trapezoidal rule on a fine grid."""
    y = np.linspace(-40.0, 60.0, 200_001)
    laws = [
        np.exp(-np.abs(y[:, None] - each.values) / b) @ each.probabilities / (2.0 * b)
        for each in (p, q)
    ]
    return float(trapezoid(np.maximum(laws[0] - math.e * laws[1], 0.0), y))


def test_an_exact_scale_by_another_way(written: Written) -> None:
    priors = pf.datasets.adult_tables().priors
    p, q = priors["Black"], priors["Asian-Pac-Islander"]
    assert isinstance(p, pf.Discrete)
    assert isinstance(q, pf.Discrete)
    b = written.reproduction.table.row("Adult", "table", 1e-2).scale("exact")
    # The rule errs by about 1e-8 here.
    assert max(hockey_stick(p, q, b), hockey_stick(q, p, b)) <= 1e-2 + 1e-7
    less = 0.999 * b
    assert max(hockey_stick(p, q, less), hockey_stick(q, p, less)) > 1e-2 + 1e-6


def test_the_csv_says_the_same(written: Written) -> None:
    text = (written.folder / "table.csv").read_text(encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(text)))
    rows = written.reproduction.table.rows
    assert len(lines) == len(rows) * len(WAYS)
    entries = [(row, entry) for row in rows for entry in row.entries.values()]
    for line, (row, entry) in zip(lines, entries, strict=True):
        assert (line["experiment"], line["adversary"]) == (row.experiment, row.belief)
        assert (float(line["delta"]), line["way"]) == (row.goal.delta, entry.way)
        assert float(line["guessed_before"]) == row.before_upper
        if entry.certificate is None:
            assert line["reason"] == entry.reason
            assert line["std"] == ""
            continue
        assert float(line["std"]) == entry.certificate.noise.std
        assert line["scale"] == ("" if entry.scale is None else repr(entry.scale))
        assert float(line["delta_upper"]) == entry.certificate.delta_upper
        assert float(line["least_epsilon_upper"]) == entry.certificate.epsilon_upper
        assert line["kept"] == "yes"
        assert float(line["guessed_after"]) == entry.accuracy_upper


def test_the_short_form_is_markdown(written: Written) -> None:
    text = markdown(written.reproduction.table)
    assert (written.folder / "table.md").read_text(encoding="utf-8") == text
    lines = [line.strip("| \n").split(" | ") for line in text.splitlines()]
    assert {len(line) for line in lines} == {2 + len(SHOWN) + 2}
    pure = next(line for line in lines if line[:2] == ["Adult, paper's mixtures", "0"])
    assert pure[2:7] == ["–", "–", "2.237", "–", "21.21"]  # 2.237 is √2 · 1.58161
    much = next(line for line in lines if line[:2] == ["Adult, paper's mixtures", "0.3"])
    assert much[4:6] == ["none", "none"]


def test_the_page_has_a_table_for_each_adversary(written: Written) -> None:
    found = list(parts(written.reproduction.table))
    assert len(found) == 7
    for part in found:
        assert [line.delta for line in part.lines][-1] == "0"
        for line in part.lines:
            assert len(line.cells) == len(SHOWN)
        dashes = sum(cell.std == "–" for line in part.lines for cell in line.cells)
        assert (dashes > 0) == bool(part.notes)


def test_the_page_about_the_paper_shows_what_comes_out(written: Written) -> None:
    page = (ROOT / "docs" / "explanation" / "paper.md").read_text(encoding="utf-8")
    assert markdown(written.reproduction.table) in page
