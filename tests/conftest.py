"""One Hypothesis profile for every test: the same examples on every run, and no clock."""

from __future__ import annotations

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
