"""The page about Spark does what it shows, on the cluster of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shown import ON_SPARK, settle, walk

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def folder(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where relative paths begin, for this process and for Spark, whose process is older."""
    files = spark._jvm.org.apache.hadoop.fs
    system = files.FileSystem.get(spark._jsc.hadoopConfiguration())
    before = system.getWorkingDirectory()
    settle(tmp_path, monkeypatch)
    system.setWorkingDirectory(files.Path(str(tmp_path)))
    yield
    system.setWorkingDirectory(before)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_the_page_does_what_it_shows(capfd: pytest.CaptureFixture[str]) -> None:
    """The session is that of the tests, for the snippet and for the commands."""
    walk(ON_SPARK, capfd.readouterr)
