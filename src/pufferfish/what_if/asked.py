"""What a stress test is asked to do, checked once for Python and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pufferfish.core.validation import finite_array, positive, probability_below_one, require

__all__ = ["WRONGS", "Asked"]

# How far laws may be wrong, in total variation.
WRONGS = (0.001, 0.01, 0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who is judged, and how long that may take; the arguments of `stress`."""

    columns: Sequence[str] | None = None
    bands: Mapping[str, Sequence[float]] = field(default_factory=dict)
    pairs: bool = True
    min_rows: int = 20
    wrongs: Sequence[float] = WRONGS
    unit: float | None = None
    resamples: int = 200
    splits: int = 10
    learner: bool = True
    answers: bool = True
    seconds: float = 60.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no test can be made of."""
        positive("seconds", self.seconds)
        if self.unit is not None:
            positive("unit", self.unit)
        for name, least in (("min_rows", 1), ("resamples", 0), ("splits", 0), ("seed", 0)):
            _whole(name, getattr(self, name), least)
        if self.columns is not None:
            columns = _listed("columns", self.columns, 'names, such as ["sex"]')
            require(
                all(isinstance(each, str) for each in columns),
                f'columns must be a list of names, such as ["sex"], got {self.columns!r}.',
            )
            object.__setattr__(self, "columns", columns)
        shares = _listed("wrongs", self.wrongs, "shares, such as [0.01]")
        wrongs = tuple(probability_below_one("wrongs", each) for each in shares)
        object.__setattr__(self, "wrongs", wrongs)
        require(
            isinstance(self.bands, Mapping),
            f'bands must map columns to edges, such as {{"age": [30, 45]}}, got {self.bands!r}.',
        )
        bands = {name: _edges(f"bands[{name!r}]", each) for name, each in self.bands.items()}
        object.__setattr__(self, "bands", bands)


def _listed(name: str, given: Any, what: str) -> tuple[Any, ...]:
    """The entries of a list; a text is none."""
    listed = isinstance(given, Iterable) and not isinstance(given, str)
    require(listed, f"{name} must be a list of {what}, got {given!r}.")
    return tuple(given)


def _edges(name: str, given: Any) -> tuple[float, ...]:
    edges = finite_array(name, _listed(name, given, "edges in rising order, such as [30, 45]"))
    require(bool((np.diff(edges) > 0.0).all()), f"{name} must be in rising order.")
    return tuple(edges.tolist())


def _whole(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    option = f"--{name.replace('_', '-')}"
    require(
        whole and value >= least,
        f"{name} ({option}) must be a whole number of at least {least}, got {value!r}.",
    )
