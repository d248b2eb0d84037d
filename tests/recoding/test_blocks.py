"""Both blocks: G and its transpose belong together, and a step solves the system it should."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.blocks import Block, Plain
from pufferfish.recoding.program import Group, Program
from pufferfish.recoding.wrong import Wrong


def block(seed: int) -> Block:
    """With one adversary of four secrets and one of two, and with zeros in the laws."""
    source = np.random.default_rng(seed)
    cells, outs = 6, 6
    laws = source.dirichlet(np.ones(cells), 6) * (source.random((6, cells)) < 0.8) + 0.01 * (
        np.arange(cells) == 0
    )
    laws /= laws.sum(axis=1, keepdims=True)
    every = tuple((i, j) for i in range(4) for j in range(i))
    frequencies = source.dirichlet(np.ones(cells))
    program = Program(
        cost=source.random((cells, outs)),
        kernel=np.eye(cells),
        groups=(Group(laws[:4], every), Group(laws[4:], ((0, 1),))),
        goal=pf.Guarantee(0.7),
        wrong=0.05 if seed % 2 else 0.0,
        histogram=(frequencies, frequencies) if seed % 4 > 1 else None,
    )
    return (Wrong if program.wrong else Plain)(program, 2.0)


@pytest.mark.parametrize("seed", range(4))
class TestBlock:
    def test_it_starts_inside(self, seed: int) -> None:
        each = block(seed)
        start = each.start()
        slacks = each.slacks(start)
        assert all((force > 0.0).all() for force in each.forces(slacks))
        assert all((slack > 0.0).all() for slack in slacks)
        assert start[0].sum(axis=0) == pytest.approx(1.0)

    def test_only_entries_are_pulled_at_first(self, seed: int) -> None:
        each = block(seed)
        pulled = each.pull(each.forces(each.slacks(each.start())))
        if isinstance(each, Wrong):
            assert all(part == pytest.approx(0.0, abs=1e-12) for part in pulled[1:])

    def test_pulling_is_the_transpose(self, seed: int) -> None:
        each, source = block(seed), np.random.default_rng(seed)
        point = [source.normal(size=part.shape) for part in each.start()]
        slacks = each.slacks(point)
        forces = [source.normal(size=part.shape) for part in slacks]
        there = sum(float((a * b).sum()) for a, b in zip(slacks, forces, strict=True))
        back = sum(float((a * b).sum()) for a, b in zip(point, each.pull(forces), strict=True))
        assert there == pytest.approx(back)

    def test_a_step_solves_its_system(self, seed: int) -> None:
        each, source = block(seed), np.random.default_rng(seed)
        start = each.start()
        weights = [source.uniform(0.5, 2.0, part.shape) for part in each.slacks(start)]
        g = [source.normal(size=part.shape) for part in start]
        missing, unkept = source.normal(size=each.cells), source.normal(size=each.outs)
        if each.histogram is not None:
            # What all y miss together is what all cells miss together.
            unkept += (missing @ each.histogram[0] - unkept.sum()) / each.outs
        each.factor(weights)
        move = each.solve(g, missing, unkept)
        slacks = each.slacks(move.point)
        for a, b, weight, push in zip(slacks, move.slacks, weights, move.push, strict=True):
            assert a == pytest.approx(b, abs=1e-6)
            assert weight * a == pytest.approx(push, abs=1e-6)
        pulled = each.pull(move.push)
        pulled[0] = pulled[0] + move.alpha
        if each.histogram is not None:
            pulled[0] += move.nu[:, None] * each.histogram[0]
            assert move.point[0] @ each.histogram[0] == pytest.approx(unkept, abs=1e-6)
        for a, b in zip(pulled, g, strict=True):
            # A step is held back a little: by 1e-8.
            assert a == pytest.approx(b, abs=1e-5)
        assert move.point[0].sum(axis=0) == pytest.approx(missing, abs=1e-6)
