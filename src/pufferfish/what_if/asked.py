"""What a stress test is asked to do, checked once for Python and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
            listed = not isinstance(self.columns, str) and isinstance(self.columns, Iterable)
            require(
                listed and all(isinstance(each, str) for each in self.columns),
                f'columns must be a list of names, such as ["sex"], got {self.columns!r}.',
            )
        require(
            not isinstance(self.wrongs, str) and isinstance(self.wrongs, Iterable),
            f"wrongs must be a list of shares, such as [0.01], got {self.wrongs!r}.",
        )
        for share in self.wrongs:
            probability_below_one("wrongs", share)
        require(
            isinstance(self.bands, Mapping),
            f'bands must map columns to edges, such as {{"age": [30, 45]}}, got {self.bands!r}.',
        )
        for name, edges in self.bands.items():
            self._check_edges(name, edges)

    @staticmethod
    def _check_edges(name: str, edges: object) -> None:
        of = f"bands[{name!r}]"
        require(
            isinstance(edges, Iterable) and not isinstance(edges, str),
            f"{of} must be a list of edges in rising order, such as [30, 45], got {edges!r}.",
        )
        numbers = finite_array(of, edges if isinstance(edges, np.ndarray) else list(edges))  # type: ignore[call-overload]
        require(bool((np.diff(numbers) > 0.0).all()), f"{of} must be in rising order.")


def _whole(name: str, value: object, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    option = f"--{name.replace('_', '-')}"
    require(
        whole and int(value) >= least,  # type: ignore[call-overload]
        f"{name} ({option}) must be a whole number of at least {least}, got {value!r}.",
    )
