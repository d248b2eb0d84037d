"""Models of several columns, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.fit.models import fit_model

CODES = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]])


def by_hand(family: str, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The formulas of the module, cell by cell."""

    def often(**fixed: int) -> float:
        places = {int(name[1:]): code for name, code in fixed.items()}
        return float(
            sum(
                n
                for row, n in zip(codes, counts, strict=True)
                if all(row[k] == code for k, code in places.items())
            )
        )

    found = []
    for row in codes:
        share = often(x0=row[0])
        for k in range(1, len(row)):
            if family == "independent":
                share *= often(**{f"x{k}": row[k]})
            else:
                before = often(**{f"x{k - 1}": row[k - 1]})
                both = often(**{f"x{k - 1}": row[k - 1], f"x{k}": row[k]})
                share *= both / before if before else 0.0
        found.append(share)
    return np.array(found) / sum(found)


@pytest.mark.parametrize("family", ["independent", "chain"])
@given(counts=st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
def test_models_are_what_their_formulas_say(family: str, counts: list[int]) -> None:
    number = np.array(counts)
    found = fit_model(family, CODES, number)
    assert found.sum() == pytest.approx(1.0)
    assert found == pytest.approx(by_hand(family, CODES, number), abs=1e-12)
    # Who has a combination believes it to be possible.
    assert (found[number > 0] > 0.0).all()


def test_models_of_one_column_are_the_table() -> None:
    counts = np.array([3, 1, 0])
    for family in ("independent", "chain"):
        assert fit_model(family, np.array([[0], [1], [2]]), counts) == pytest.approx(
            [0.75, 0.25, 0]
        )


def test_beliefs_of_a_model() -> None:
    """Secret a has (x,p) and (y,q) only, 2 and 1 times; independent: 4 : 1 : 2 : 2."""
    frame = pd.DataFrame(
        {
            "c": [*"xxy", *"xyxy"],
            "d": [*"ppq", *"ppqq"],
            "s": [*"aaa", *"bbbb"],
        }
    )
    given = {"columns": ["c", "d"], "secret": "s", "min_group": 1}
    empirical, independent, chain = pf.fit_beliefs(
        frame, families=["empirical", "independent", "chain"], **given
    )
    assert [each.name for each in (empirical, independent, chain)] == [
        "empirical",
        "independent",
        "chain",
    ]
    for cell, table, model in (
        (("x", "p"), 2 / 3, 4 / 9),
        (("y", "q"), 1 / 3, 1 / 9),
        (("x", "q"), 0.0, 2 / 9),
        (("y", "p"), 0.0, 2 / 9),
    ):
        assert empirical.priors["a"].mass(cell) == pytest.approx(table)
        assert independent.priors["a"].mass(cell) == pytest.approx(model)
        assert chain.priors["a"].mass(cell) == pytest.approx(table)
    assert empirical.priors["a"].counts is not None
    assert independent.priors["a"].counts is None
    # How often each occurs is counted, whatever the model.
    assert independent.frequencies == empirical.frequencies
