"""A curator who types commands, in a folder with three tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import folder, typed
from tests.cli.tables import rows, write

__all__ = ["folder", "typed"]


@pytest.fixture(autouse=True)
def tables(tmp_path: Path) -> None:
    """p.csv, with two rows for each person; users.csv and data.csv, for a sum."""
    write(tmp_path / "p.csv", [[each[0] // 6 * 3 + each[0] % 3, *each[1:]] for each in rows()])
    write(tmp_path / "users.csv", [(0.5, 1, 36), (0.002, 18, 1)], ("p", "value", "count"))
    write(tmp_path / "data.csv", [(k % 2,) for k in range(36)], ("value",))
