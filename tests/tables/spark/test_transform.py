"""What a change may look at on a cluster, and the types in which its columns come back."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tables.spark.tables import frame
from tests.tables.test_batch import how, published, unchanged
from tests.tables.test_change import GIVEN, READS, SEEN, look

pytestmark = pytest.mark.xdist_group("spark")


class Watching:
    """Looks at all rows of one secret, and notes what is published of them."""

    secrets = ("u",)
    most_each = 1000

    def __init__(self) -> None:
        self.seen: list[str] = []

    def look(self, codes: Any, labels: Any, columns: Any) -> None:
        self.seen += columns(np.arange(codes.size))["y"]


@pytest.mark.parametrize("keep", [(), ("sex", "age")])
def test_columns_that_are_looked_at(spark: Any, tmp_path: Path, keep: tuple[str, ...]) -> None:
    watching = Watching()
    done = how(look, keep=keep, look=watching, **READS)
    found = published(frame(spark, GIVEN, 2), done, tmp_path / "out")[0].toArrow().to_pydict()
    order = [SEEN.index(each) for each in found.pop("y")]
    assert sorted(order) == [0, 1, 2, 3]
    assert found == {name: [GIVEN[name][row] for row in order] for name in GIVEN if name in keep}
    assert sorted(watching.seen) == sorted(each for each in SEEN if each.endswith("u"))


def test_types_stay(spark: Any, tmp_path: Path) -> None:
    given = {
        "n": [3, None, 2],
        "truth": [True, None, False],
        "day": [date(2024, 1, 1), None, date(1999, 7, 1)],
        "s": ["", "u", "v"],
    }
    there = frame(spark, given, 1).selectExpr("cast(n as smallint) n", "truth", "day", "s")
    same: dict[str, Any] = dict.fromkeys(("n", "truth", "day"), "same")
    found = published(there, how(unchanged_labels, columns=same, keep=()), tmp_path / "out")[0]
    assert found.dtypes == there.drop("s").dtypes
    # The rows of `frame` come in any order: their partition is made of several others.
    rows = sorted(repr(tuple(each.values())) for each in found.toArrow().to_pylist())
    assert rows == sorted(map(repr, zip(*(given[name] for name in same), strict=True)))


def unchanged_labels(batch: Any, before: int | None) -> Any:
    """Rows without a secret are the change's to refuse, and this one does not."""
    assert batch.secret.missing.any()
    return unchanged(batch, before)
