"""Fixtures of audits with learners."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sklearn.ensemble  # noqa: F401 - threads can be limited only where they are loaded
from threadpoolctl import threadpool_limits

from tests import seams


@pytest.fixture
def _one_thread() -> Iterator[None]:
    """Two threads that wait for each other on a busy machine take minutes instead of a second."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the fast learner, where the rest of the work is what is tested."""
    both = seams.found(seams.LEARNERS)
    seams.put(monkeypatch, seams.LEARNERS, lambda seed: both(seed)[:1])
