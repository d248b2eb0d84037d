"""What a map costs, and what an edition may show of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report.facts import gather
from pufferfish.report.recoded_facts import RecodedFacts
from tests.report.recodings import CASES, HOLED, SECRETS, VALUES, recoded


def facts_of(name: str, edition: str = "internal", provenance: str | None = None) -> RecodedFacts:
    record, _ = recoded(name, provenance)
    source = record if edition == "internal" else record.to_dict("public")
    found = gather(source, released=None, original=None).recoded
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_public_edition_of_a_private_map_shows_nothing_of_it(name: str) -> None:
    found = facts_of(name, "public")
    assert found.law is None
    assert found.figures is None
    assert found.share_error is None
    assert found.clipped_rmse is None
    assert found.curve == ()
    assert found.by_secret == ()
    assert found.stated is not None
    assert found.stated.rmse is None
    assert found.stated.unchanged is None


def test_the_public_edition_of_a_public_map_shows_it_but_no_secret_by_itself() -> None:
    found = facts_of("floor of the noise", "public", "public")
    assert found.law is not None
    assert found.figures is not None
    assert found.by_secret == ()


@pytest.mark.parametrize("name", ["floor of the noise", "wrong laws", "holes"])
def test_what_the_rows_of_each_secret_pay(name: str) -> None:
    """Against the rows themselves."""
    column = HOLED if CASES[name][2] else VALUES
    record, _ = recoded(name)
    law = record.plan.calibration.mechanism
    assert isinstance(law, pf.Recoding)
    outputs = [math.nan if each is None else each for each in law.outputs]
    found = {each.secret: each for each in facts_of(name).by_secret}
    assert set(found) == {"rare-secret", "b"}
    for secret, each in found.items():
        rows = column[secret == SECRETS]
        assert each.rows == rows.size
        present = rows[~np.isnan(rows)]
        places = [law.values.index(value) for value in present]
        squares = np.nan_to_num((present[:, None] - outputs) ** 2)
        shown = np.array([not math.isnan(output) for output in outputs])
        weights = law.matrix[places] * shown
        assert each.rmse == pytest.approx(math.sqrt((weights * squares).sum() / weights.sum()))
        kept = sum(law.matrix[place, place] for place in places)
        holes = rows.size - present.size
        if holes:
            kept += holes * law.matrix[-1, -1]
        assert each.unchanged == pytest.approx(kept / rows.size)


def test_the_error_of_clipped_noise() -> None:
    """Against draws; six standard errors."""
    found = facts_of("floor of the noise")
    assert found.figures is not None
    assert found.figures.laplace_rmse is not None
    assert found.clipped_rmse is not None
    scale = found.figures.laplace_rmse / math.sqrt(2.0)
    source = np.random.default_rng(0)
    values = np.tile(VALUES, 200)
    noised = np.clip(values + source.laplace(0.0, scale, values.size), VALUES.min(), VALUES.max())
    squares = (noised - values) ** 2
    allowed = 6.0 * float(squares.std()) / math.sqrt(squares.size)
    assert abs(found.clipped_rmse**2 - float(squares.mean())) <= allowed


def test_what_draws_add_to_a_share() -> None:
    """Against many draws of the whole column; the largest of seven stds, to 10%."""
    found = facts_of("floor of the noise")
    law = found.law
    assert law is not None
    assert found.share_error is not None
    source = np.random.default_rng(1)
    shares = np.zeros((2_000, len(law.outputs)))
    values, counts = np.unique(VALUES, return_counts=True)
    for value, count in zip(values, counts, strict=True):
        row = law.matrix[law.values.index(value)]
        shares += source.multinomial(count, row / row.sum(), len(shares))
    error = float((shares / VALUES.size).std(axis=0).max())
    assert found.share_error / math.sqrt(VALUES.size) == pytest.approx(error, rel=0.1)
    assert found.share_error <= 0.5


def test_bars_are_the_laws_before_and_after() -> None:
    for each in facts_of("floor of the noise").by_secret:
        assert each.bars is not None
        assert each.bars.original is not None
        for shares in (each.bars.original, each.bars.released):
            assert shares.sum() == pytest.approx(1.0, abs=0.02)
