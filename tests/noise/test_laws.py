"""Noise laws as data."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest

import pufferfish as pf

FAMILIES = [(pf.LaplaceNoise, "scale"), (pf.GaussianNoise, "std")]


@pytest.mark.parametrize(("family", "field"), FAMILIES)
def test_fields(family: type, field: str) -> None:
    noise = family(np.int64(3))
    assert getattr(noise, field) == 3.0
    assert type(getattr(noise, field)) is float
    assert noise.grid is None
    assert family(**{field: 3.0, "grid": 0.25}).grid == 0.25


def test_variances() -> None:
    assert pf.LaplaceNoise(3.0).variance == 18.0
    assert pf.GaussianNoise(3.0).variance == 9.0
    assert pf.NoNoise().variance == 0.0
    assert pf.NoNoise().grid is None


@pytest.mark.parametrize(("family", "field"), FAMILIES)
@pytest.mark.parametrize(
    "size", [0.0, -1.0, math.nan, math.inf, True, "1", None, 1j, [1.0], 1e101, 1e-101]
)
def test_refused_sizes(family: type, field: str, size: object) -> None:
    with pytest.raises(pf.InvalidInputError, match=field):
        family(size)


@pytest.mark.parametrize(("family", "field"), FAMILIES)
def test_no_noise_has_its_own_name(family: type, field: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=rf"{field}.*pf\.NoNoise\(\)"):
        family(0.0)


@pytest.mark.parametrize(("family", "field"), FAMILIES)
@pytest.mark.parametrize("exponent", [-300, -60, -24, -1, 0, 1])
def test_powers_of_two_are_grids(family: type, field: str, exponent: int) -> None:
    grid = 2.0**exponent
    assert family(2.0, grid=grid).grid == grid


@pytest.mark.parametrize(("family", "field"), FAMILIES)
@pytest.mark.parametrize(
    "grid", [0.75, 0.1, 3, math.nextafter(0.5, 1), math.nextafter(0.5, 0), 1e-3]
)
def test_other_numbers_are_no_grids(family: type, field: str, grid: float) -> None:
    with pytest.raises(pf.InvalidInputError, match="grid must be a power of two"):
        family(8.0, grid=grid)


@pytest.mark.parametrize(("family", "field"), FAMILIES)
@pytest.mark.parametrize("grid", [0.0, -0.5, math.nan, math.inf, True, "0.5"])
def test_refused_grids(family: type, field: str, grid: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="grid"):
        family(8.0, grid=grid)


@pytest.mark.parametrize(("family", "field"), FAMILIES)
def test_a_grid_is_at_most_the_size(family: type, field: str) -> None:
    assert family(0.5, grid=0.5).grid == 0.5
    with pytest.raises(pf.InvalidInputError, match=f"grid must not exceed the {field}"):
        family(0.5, grid=1.0)
    with pytest.raises(pf.InvalidInputError, match=f"grid must not exceed the {field}"):
        family(math.nextafter(0.5, 0), grid=0.5)


@pytest.mark.parametrize(
    "noise", [pf.LaplaceNoise(1.5, 2.0**-20), pf.GaussianNoise(1.5), pf.NoNoise()]
)
def test_frozen_comparable_hashable_picklable(noise: object) -> None:
    assert pickle.loads(pickle.dumps(noise)) == noise
    assert hash(pickle.loads(pickle.dumps(noise))) == hash(noise)
    # A field that does not exist may be refused in either way.
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError, AttributeError)):
        noise.grid = 1.0


def test_laws_of_different_families_differ() -> None:
    assert pf.LaplaceNoise(1.0) != pf.GaussianNoise(1.0)
    assert pf.LaplaceNoise(1.0) != pf.LaplaceNoise(1.0, 0.5)
    assert pf.NoNoise() == pf.NoNoise()
