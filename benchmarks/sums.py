"""Sums over users: ten million different users, and the table of twenty thousand coins."""

import numpy as np

import pufferfish as pf
from benchmarks.result import Result
from benchmarks.timing import once, typical
from pufferfish.core.validation import FloatArray
from pufferfish.sums import SumCalibration, Users, binary, calibrate_sum, moments
from pufferfish.sums.paper import paper_scales
from pufferfish.sums.secret import Protected
from pufferfish.sums.tables import UserTables

USERS = 10_000_000
COINS = 20_000
PAPER_MS, EXACT_MS = 1_000.0, 10_000.0


def run() -> list[Result]:
    users = _users()
    goals = (pf.Guarantee(1.0, 1e-6), pf.Guarantee(1.0), pf.Guarantee(0.1, 1e-6))
    return [_paper(users, goals[0]), *(_exact(users, goal) for goal in goals), *_table()]


def _users() -> Users:
    """All different; together they vary so little that noise is needed."""
    generator = np.random.default_rng(USERS)
    means = generator.uniform(0.0, 1.0, USERS)
    stds = generator.uniform(0.0, 1.0, USERS) * np.sqrt(10.0 / USERS)
    return moments(means, stds)


def _paper(users: Users, goal: pf.Guarantee) -> Result:
    ours = typical(lambda: paper_scales("cor-1a", users, Protected(), goal).max(), repeats=3)
    return Result(
        what=f"sum, {USERS:,} different users, cor-1a",
        ours=ours,
        target=f"< {PAPER_MS:,.0f} ms",
        met=ours < PAPER_MS,
    )


def _exact(users: Users, goal: pf.Guarantee) -> Result:
    found: list[SumCalibration] = []
    ours = once(lambda: found.append(calibrate_sum(users, goal)))
    return Result(
        what=f"… exact, {goal}",
        ours=ours,
        target=f"< {EXACT_MS:,.0f} ms",
        met=ours < EXACT_MS,
        note=f"Scale {found[0].scale:.6g}; {found[0].certificates} certificates settled all users.",
    )


def _table() -> list[Result]:
    chances = np.random.default_rng(COINS).uniform(0.0, 1.0, COINS)
    users = binary(chances)
    whole = typical(lambda: UserTables(users).total(), repeats=3)
    cut = typical(lambda: UserTables(users, 1e-20).total(), repeats=3)
    peer = once(lambda: _recursion(chances))
    masses, expected = UserTables(users).total().masses, _recursion(chances)
    seen = expected > 1e-250
    apart = np.abs(masses[seen] / expected[seen] - 1.0).max()
    return [
        Result(
            what=f"table of a sum of {COINS:,} coins, all different, every entry",
            ours=whole,
            peer=peer,
            note="Peer: the quadratic recursion, one user after the other, vectorised. The largest "
            f"relative difference of an entry above 1e-250 is {apart:.1g}.",
        ),
        Result(what="… with ends of mass 1e-20 cut and counted", ours=cut, peer=peer),
    ]


def _recursion(chances: FloatArray) -> FloatArray:
    masses = np.zeros(chances.size + 1)
    masses[0] = 1.0
    for done, p in enumerate(chances):
        masses[1 : done + 2] = masses[1 : done + 2] * (1.0 - p) + masses[: done + 1] * p
        masses[0] *= 1.0 - p
    return masses
