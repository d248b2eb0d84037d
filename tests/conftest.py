"""One Hypothesis profile for every test: the same examples on every run, and no clock.

And one browser for the tests of a module, under each font that they ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=30,
    # A fixed set of examples cannot be made faster by drawing others.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Chromium, with this machine's fonts or with the one that is the parameter."""
    from tests.browsers import chromium

    with chromium(getattr(request, "param", None)) as running:
        yield running
