"""The bound is below the least loss of a program written down elsewhere, whatever it is given."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

import pufferfish.recoding.least_loss as module
from pufferfish.recoding.dual import lower_bound
from tests.recoding.dense import least
from tests.recoding.hostile import case


def shaken(value: Any, source: np.random.Generator) -> Any:
    """The same multipliers, each of them wrong."""
    if isinstance(value, np.ndarray):
        noise = np.exp(source.normal(0.0, 0.5, value.shape)) * (source.random(value.shape) < 0.9)
        return value * noise + source.exponential(0.01, value.shape)
    if isinstance(value, tuple):
        return tuple(shaken(each, source) for each in value)
    if is_dataclass(value):
        return replace(
            value, **{f.name: shaken(getattr(value, f.name), source) for f in fields(value)}
        )
    return value


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_is_below_and_close(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, Any]] = []

    def noted(*args: Any, **more: Any) -> float:
        given.append((args, more))
        return lower_bound(*args, **more)

    monkeypatch.setattr(module, "lower_bound", noted)
    each = case(seed, most=4)
    found = module.least_loss(each.task)
    best = least(each)
    # Two solvers differ by what they take for 0, measured by what a constant loses.
    close = 1e-6 * max(float(each.task.cost.sum(axis=0).min()), 1e-9)
    assert found.bound - close <= best <= float(found.loss) + close
    assert float(found.loss) - found.bound <= 2.0 * close
    (args, more) = given[0]
    source = np.random.default_rng(seed)
    for _ in range(5):
        assert lower_bound(args[0], args[1], shaken(args[2], source), **more) <= best + close
