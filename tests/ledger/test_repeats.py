"""What a ledger accepts keeps its budget: 500 random plans, judged for the worst laws they cover.

The judge (`tests.repeats_judge`) shares no code with the library, and reads nothing of it but the
table of a map or the scale of a noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.ledger.file import read_ledger
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.releases import row_kind
from tests import joint_judge, repeats_judge
from tests.repeats_judge import Counts, Sharing

CAP = (0.0, 5.0)
PLANS, SHARDS = 500, 10


class Made(NamedTuple):
    """A random plan, and by which laws its promise holds."""

    plan: Any
    table: dict[str, list[Any]]
    asked: dict[str, Any]
    known: bool
    kept: bool
    sharing: Sharing

    def asking(self, **other: Any) -> Made:
        """The plan for the same beliefs with another size, floor or share of wrong laws."""
        asked, old = self.asked | other, self.plan
        found = pf.calibrate(old.calibration.scenario, old.calibration.goal, **asked)
        sharing = self.sharing._replace(wrong=Fraction(asked["wrong"]))
        return self._replace(plan=replace(old, calibration=found), asked=asked, sharing=sharing)


def random_table(chance: np.random.Generator, *, labels: bool, holes: bool) -> dict[str, list[Any]]:
    """Rows of two secrets, with values from 0 to 5 that tell them apart a little."""
    rows = int(chance.integers(60, 200))
    secret = chance.integers(0, 2, rows)
    values = np.clip(chance.integers(0, 5, rows) + secret * chance.integers(0, 2, rows), 0, 5)
    gone = chance.random(rows) < 0.15 if holes else np.zeros(rows, bool)
    column = ["abcdef"[x] if labels else float(x) for x in values]
    return {
        "x": [None if lost else x for lost, x in zip(gone, column, strict=True)],
        "s": ["ab"[each] for each in secret],
        "k": ["uv"[each] for each in chance.integers(0, 2, rows)],
    }


def random_plan(chance: np.random.Generator) -> Made:
    """Noise or a recoding, for numbers or labels, with all that a promise may assume."""
    sampled, labels, noise = chance.random(3) < (0.1, 0.25, 0.5)
    # Over a sampling region, recodings of numbers and any δ take long to find.
    noise = not labels and bool(noise or sampled)
    wrong = 0.0 if sampled else float(chance.choice([0.0, 0.02, 0.1, 0.3]))
    known, kept = ((False, False), (True, False), (True, True))[chance.choice(3, p=[0.5, 0.2, 0.3])]
    holes = not sampled and not (noise and wrong) and chance.random() < 0.25
    capped = not labels and (bool(noise and wrong) or chance.random() < 0.5)
    table = random_table(chance, labels=labels, holes=holes)
    more: dict[str, Any] = {"cap": CAP} if capped else {}
    beliefs = pf.fit_beliefs(
        table,
        columns=["x"],
        secret="s",
        families=("empirical",),
        min_group=1,
        known=["k"] if known else [],
        confidence=0.9 if sampled else None,
        **more,
    )
    delta = 0.0 if sampled else float(chance.choice([0.0, 0.0, 0.05]))
    goal = pf.Guarantee(float(chance.choice([0.5, 1.0, 3.0])), delta)
    asked: dict[str, Any] = {"wrong": wrong, "keep": ["k"] if kept else []}
    if noise:
        asked |= {"mechanism": "laplace", "size": float(chance.choice([3.0, 6.0, 12.0, 25.0]))}
    else:
        floor = chance.choice([None, 0.05, 0.1, 0.2, 0.5], p=[0.15, 0.3, 0.2, 0.2, 0.15])
        asked |= {"mechanism": "recode", "floor": floor, "nominal": not wrong and not sampled}
        asked |= {"keep_histogram": bool(chance.random() < 0.5)}
    found = pf.calibrate(pf.Scenario(beliefs), goal, **asked)
    if holes and not labels:
        more |= {"missing": "keep"}
    more |= {"known": ["k"]} if known else {}
    more |= {"keep": ["k"]} if kept else {}
    plan = pf.Plan(calibration=found, columns=["x"], secret="s", rounding="given", **more)
    sharing = Sharing(Fraction(wrong), 0.1 if sampled else None)
    return Made(plan, table, asked, known, kept, sharing)


def another_plan(chance: np.random.Generator, made: Made) -> Made:
    """Sometimes another one for the same rows and beliefs, which the ledger may take or refuse."""
    change: dict[str, Any] = {"size": 40.0} if "size" in made.asked else {"floor": 0.05}
    if made.sharing.error is None and chance.random() < 0.3:
        wrong = 0.0 if made.sharing.wrong else 0.1
        change = {"wrong": wrong}
        if "floor" in made.asked:
            change["nominal"] = not wrong
    try:
        return made.asking(**change) if chance.random() < 0.4 else made
    except pf.PufferfishError:
        return made


def accepted(made: Made, other: Made, place: Path) -> list[Made]:
    """The plans of the releases that the ledger takes, the other one after the first."""
    done: list[Made] = []
    for each in [made, other, made, made]:
        try:
            row_kind(each.plan).session(each.plan).charge(place, only_check=False)
        except (pf.BudgetExceededError, pf.UnsupportedError, pf.InvalidInputError):
            continue
        done.append(each)
    return done


def law_of(plan: Any, known: tuple[Hashable, ...]) -> Any:
    law = plan.calibration.mechanism
    if not isinstance(law, Stratified):
        return law
    (found,) = [each.law for each in law.strata if tuple(each.given) == known]
    return found


def as_map(law: Recoding) -> dict[Hashable, tuple[int, ...]]:
    """value → the whole numbers of its row; with one more row where unseen values have one."""
    places = [x[0] if isinstance(x, tuple) else x for x in law.values]
    rows = {x: tuple(map(int, row)) for x, row in zip(places, law.table.tolist(), strict=True)}
    return rows | ({} if law.unseen is None else {"unseen": law.unseen})


def groups(made: Made) -> Iterator[tuple[tuple[Hashable, ...], Mapping[Hashable, Counts]]]:
    """Who knows what, and the values of each secret among the rows that fit."""
    known = [(each,) for each in made.table["k"]] if made.known else None
    counted = joint_judge.count([(x,) for x in made.table["x"]], made.table["s"], known)
    for who, laws in counted.items():
        if not (made.kept and who == joint_judge.EVERYBODY):
            yield who, {s: Counter({x[0]: n for x, n in law.items()}) for s, law in laws.items()}


def broken(done: list[Made], chance: np.random.Generator) -> list[tuple[Hashable, ...]]:
    """Those against whom the accepted releases together break the promise of the plan."""
    made = max(done, key=lambda each: each.sharing.wrong)
    goal = made.plan.calibration.goal
    found = []
    for who, laws in groups(made):
        applied = [law_of(each.plan, who) for each in done]
        if isinstance(applied[0], Recoding):
            maps = {id(law): as_map(law) for law in applied}
            drawn = repeats_judge.draws_of_maps([maps[id(law)] for law in applied])
        elif all(isinstance(law, pf.LaplaceNoise) for law in applied):
            scales = [law.scale for law in applied]
            values = sorted({x for x in made.table["x"] if x is not None})
            drawn = repeats_judge.draws_of_noise(
                scales, values, made.plan.cap, chance, holes=None in made.table["x"]
            )
        else:
            continue  # no noise, which has its own test
        for one, other in repeats_judge.each_way(laws):
            if repeats_judge.breaks(drawn, one, other, (goal.epsilon, goal.delta), made.sharing):
                found.append(who)
                break
    return found


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_ledger_accepts_more_than_its_budget(shard: int, tmp_path: Path) -> None:
    chance = np.random.default_rng(20260 + shard)
    made, several, refused = 0, 0, 0
    bad = []
    while made < PLANS // SHARDS:
        try:
            plan = random_plan(chance)
        except pf.PufferfishError:
            refused += 1
            assert refused < 20 * PLANS, "plans must not all be refused"
            continue
        made += 1
        done = accepted(plan, another_plan(chance, plan), tmp_path / f"{made}.json")
        assert done, "one release is what the plan is for"
        several += len(done) > 1
        if broken(done, chance):
            bad.append((made, len(done), plan.plan.calibration))
    assert not bad
    # The test would mean little if everything were refused.
    assert several >= PLANS // SHARDS // 10


# The cases by which the ledger was broken: x = 0, …, 28 for one secret and 1, …, 29 for the other.

EACH = 4 * 29
APART: dict[str, list[Any]] = {
    "x": [i % 29 for i in range(EACH)] + [1 + i % 29 for i in range(EACH)],
    "s": ["a"] * EACH + ["b"] * EACH,
    "k": ["u", "v"] * EACH,
}
WIDE = (0.0, 29.0)


def apart(*, known: bool = False, confidence: float | None = None, **asked: Any) -> Any:
    """A plan for ε = 1 and these rows."""
    what: dict[str, Any] = {"columns": ["x"], "known": ["k"]} if known else {"column": "x"}
    beliefs = pf.fit_beliefs(
        APART,
        secret="s",
        families=("empirical",),
        cap=WIDE,
        confidence=confidence,
        **what,
    )
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0), **asked)
    rounding: Any = "given" if "size" in asked else "ladder"
    return pf.Plan(calibration=found, secret="s", cap=WIDE, rounding=rounding, **what)


RECODING = {"mechanism": "recode", "floor": 0.2, "keep_histogram": False}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("asked", [{}, RECODING], ids=["noise", "recoding"])
def test_laws_that_may_be_wrong_have_no_second_draw(
    asked: dict[str, Any], known: bool, tmp_path: Path
) -> None:
    plan, ledger = apart(known=known, wrong=0.1, **asked), tmp_path / "ledger.json"
    pf.release(APART, plan, ledger=ledger)
    before = ledger.read_bytes()
    with pytest.raises(pf.BudgetExceededError, match="whatever anybody believes"):
        pf.release(APART, plan, ledger=ledger)
    assert ledger.read_bytes() == before


def told(drawn: repeats_judge.Drawn) -> float:
    """ε of the worst laws that are exactly 10% off."""
    one, other = Counter(APART["x"][:EACH]), Counter(APART["x"][EACH:])
    return max(
        repeats_judge.log_ratio(*Sharing(Fraction(0.1)).worst(*laws, weights))
        for _, weights in drawn.outcomes
        for laws in ((one, other), (other, one))
    )


def test_the_judge_finds_what_such_draws_reveal() -> None:
    """One draw keeps ε = 1; two, three, four and six reveal far more."""
    scale, law = (apart(wrong=0.1, **each).calibration.mechanism for each in ({}, RECODING))
    values, chance = [float(x) for x in range(30)], np.random.default_rng(1)
    found = [
        told(repeats_judge.draws_of_noise([scale.scale] * n, values, WIDE, chance, holes=False))
        for n in (1, 2, 3, 4, 6)
    ]
    assert found == pytest.approx([0.969, 1.815, 2.587, 3.315, 4.685], abs=1e-3)
    rows = as_map(law)
    twice = [told(repeats_judge.draws_of_maps([rows] * n)) for n in (1, 2)]
    assert twice == pytest.approx([1.0, 1.687], abs=1e-3)


@pytest.mark.parametrize("shares", [(0.0, 0.1), (0.1, 0.0)])
@pytest.mark.parametrize("asked", [{"size": 40.0}, RECODING], ids=["noise", "recoding"])
def test_a_ledger_is_for_one_share_of_wrong_laws(
    asked: dict[str, Any], shares: tuple[float, float], tmp_path: Path
) -> None:
    first, second = (
        apart(wrong=each, **asked, **({} if "size" in asked else {"nominal": not each}))
        for each in shares
    )
    pf.release(APART, first, ledger=tmp_path / "ledger.json")
    with pytest.raises(pf.InvalidInputError, match=r"laws wrong by 1?0%"):
        pf.release(APART, second, ledger=tmp_path / "ledger.json")


@pytest.mark.parametrize("confidence", [None, 0.9])
def test_noise_that_hides_all_values_from_everybody_is_drawn_again(
    confidence: float | None, tmp_path: Path
) -> None:
    """29/64 each, for laws that may be wrong and for those of a region: two draws, and no third."""
    more = {"confidence": confidence} if confidence else {"wrong": 0.1}
    plan, ledger = apart(size=64.0, **more), tmp_path / "ledger.json"
    for _ in range(2):
        pf.release(APART, plan, ledger=ledger)
    spent = read_ledger(ledger).spent
    assert spent is not None
    assert spent == pf.Guarantee(spent.epsilon, 0.0)
    assert 58 / 64 <= spent.epsilon <= 58 / 64 + 1e-6
    with pytest.raises(pf.BudgetExceededError):
        pf.release(APART, plan, ledger=ledger)


def test_without_public_bounds_a_region_has_no_second_draw() -> None:
    laws = {"a": pf.Discrete([0.0, 4.0], [0.5, 0.5]), "b": pf.Discrete([3.0, 7.0], [0.5, 0.5])}
    near = pf.Ledger(scenario=pf.Scenario(pf.Belief(laws)), budget=pf.Guarantee(1.0))
    twice = near.charge(pf.LaplaceNoise(9.0)).charge(pf.LaplaceNoise(9.0))
    assert len(twice.releases) == 2
    capped = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0)))
    wrong = pf.Ledger(scenario=capped, budget=pf.Guarantee(1.0), wrong=0.1)
    with pytest.raises(pf.UnsupportedError, match="laws may be wrong"):
        wrong.charge(pf.LaplaceNoise(9.0)).charge(pf.LaplaceNoise(9.0))
    with pytest.raises(pf.InvalidInputError, match="wrong"):
        replace(wrong, wrong=-0.1)


def test_a_first_release_is_judged_for_laws_that_may_be_wrong() -> None:
    laws = {"a": pf.Discrete([0.0, 4.0], [0.5, 0.5]), "b": pf.Discrete([3.0, 7.0], [0.5, 0.5])}
    capped = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0)))
    noise = pf.calibrate(capped, pf.Guarantee(1.0)).noise
    assert pf.Ledger(scenario=capped, budget=pf.Guarantee(1.0)).charge(noise)
    with pytest.raises(pf.CertificationError):
        pf.Ledger(scenario=capped, budget=pf.Guarantee(1.0), wrong=0.1).charge(noise)


def test_a_ledger_knows_all_that_a_certificate_assumes() -> None:
    """A new assumption of certificates must be given a place in ledgers, or a refusal."""
    assumed = {each.name for each in fields(pf.Certificate)} - {"noise", "results", "screened"}
    # The confidence is that of the regions in the scenario.
    assert assumed == {"goal", "wrong", "confidence"}
    found = apart(wrong=0.1).calibration
    ledger = pf.Ledger.of(found)
    assert (ledger.budget, ledger.wrong, ledger.scenario.confidence) == (
        found.certificate.goal,
        found.certificate.wrong,
        found.certificate.confidence,
    )
    # A certificate of another law, or under other beliefs or a larger share, is none.
    with pytest.raises(pf.CertificationError):
        ledger.charge(pf.LaplaceNoise(1.0))
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([29.0], [1.0])}
    far = pf.Scenario(pf.Belief(laws, cap=WIDE))
    for other in (replace(ledger, scenario=far), replace(ledger, wrong=0.3)):
        with pytest.raises(pf.CertificationError):
            other.charge(found.mechanism)
