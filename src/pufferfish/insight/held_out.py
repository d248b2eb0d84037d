"""What a promise becomes on held-out rows: fit to one half, judge by the other.

A mechanism that is fitted to a table keeps its promise under the laws of that table. The next
sample has other laws. So the rows are split at random, each by a fair coin; beliefs are fitted to
one half; the mechanism is calibrated to them; and the result is judged, exactly, under the
frequencies of the other half:

    ε* = log max_y Q₁(y)/Q₂(y),    Q_i(y) = Σ_x P_i(x)·M(x,y),    P_i from the other half.

It is a measurement, and private like the table: it protects nobody, so its coins are seeded. The
list of values is that of the whole table, because values are published; their probabilities are
fitted to one half. A value that only the other half has counts there as one row. In tables of
categories or of several columns it goes through the public row for unseen combinations.

A sequential test chooses how far laws may be wrong. Let f be the probability that a random split
breaks the promise, and f₀ = 1 − share. A number is taken when

    Π (f₁/f₀ for a split that breaks it, (1−f₁)/(1−f₀) for one that keeps it) ≥ 1/(1 − confidence),

with f₁ = f₀/5. For f ≥ f₀ the expectation of a factor is at most 1, so the product is a nonnegative
supermartingale, and by Ville's inequality it ever reaches that level with a probability of at most
1 − confidence: the test may stop at any split. A few splits without a failure would not be enough:
if each split holds with probability 90%, 20 of them all hold in 12% of cases.

The confidence is that for one number. All numbers are tried on the same splits, in rising order. So
as long as a larger number holds in every split in which a smaller one does, it is also that of the
whole search: if any number that fails too often is taken, the largest of them would be.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.other_laws import check_sampled
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import DataError, UnreachableGoalError
from pufferfish.core.validation import finite, require
from pufferfish.exact.oracle import check_goal, check_scenario
from pufferfish.exact.unreachable import holes_in_words
from pufferfish.insight.halves import Half, apart_of, drawn, halves_of, how_many
from pufferfish.insight.set_apart import Apart, Split, judge_column
from pufferfish.insight.tables_apart import judge_table
from pufferfish.tables import Counts
from pufferfish.words.numbers import at_least, at_most

__all__ = ["WRONGS", "HeldOut", "held_out", "judge", "lost_in_words", "measure", "wrong_that_holds"]

# For a choice: how many splits may break the promise, and how much rarer than allowed failures are
# where a number is worth taking. For 95% of splits at 95% confidence, 73 splits decide if none
# breaks the promise, 113 if one does, 153 if two do.
_MAY_BREAK, _RARER = 2, 5.0
# How far laws may be wrong: the values tried, in rising order. They are public, so that a choice
# reveals little.
WRONGS = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """What became of a promise on held-out rows. It is as private as the table.

    Attributes:
        goal: The promise.
        splits: The result of each split.
        wrong: How far the laws were allowed to be wrong.
        lost: Further splits that could not judge: a half had no row of some secret, or of some
            known value.
        holes: Further splits in which no noise keeps the goal for the half that is used: missing
            values alone need a larger ε.
    """

    goal: Guarantee
    splits: tuple[Split, ...]
    wrong: float = 0.0
    lost: int = 0
    holes: int = 0

    @property
    def epsilon(self) -> float:
        """The median of ε* over the splits; inf where none of them has one."""
        return median(each.epsilon for each in self.splits) if self.splits else math.inf

    @property
    def delta(self) -> float:
        """The median of δ at the goal's ε; 1 where no split has one."""
        return median(each.delta for each in self.splits) if self.splits else 1.0

    @property
    def rmse(self) -> float:
        """The median error of a published value; inf where nothing keeps the goal."""
        return median(each.rmse for each in self.splits) if self.splits else math.inf

    @property
    def unchanged(self) -> float | None:
        """The median share of rows that stay as they are, for categories and several columns."""
        shares = [each.unchanged for each in self.splits if each.unchanged is not None]
        return median(shares) if shares else None

    @property
    def held(self) -> int:
        """The number of splits in which the promise was kept."""
        return sum(each.holds for each in self.splits)

    @property
    def share(self) -> float:
        """The share of splits in which the promise was kept."""
        return self.held / self.tried

    @property
    def tried(self) -> int:
        """How many splits could tell whether the goal is kept."""
        return len(self.splits) + self.holes

    def __str__(self) -> str:
        """One sentence."""
        if self.holes:
            return self._with_holes()
        several, found = len(self.splits), self._size
        lost = lost_in_words(self.lost, several + self.lost)
        beside = f"; {lost}" if lost else ""
        if several == 1:
            kept = "holds" if self.held else "does not hold"
            return (
                f"on rows that were not used, {found} (one split; {self.goal} {kept} "
                f"there{beside})."
            )
        return (
            f"on rows that were not used, {found} (median of {several} random splits; {self.goal} "
            f"held in {self.held}{beside})."
        )

    @property
    def _size(self) -> str:
        if self.goal.pure:
            return f"ε is {at_most(self.epsilon, 3)}"
        return f"δ at ε = {self.goal.epsilon_text} is {at_most(self.delta, 3)}"

    def _with_holes(self) -> str:
        judged = f" In the others {self._size} (median)." if self.splits else ""
        return (
            f"on rows that were not used, {self.goal} was kept in {self.held} of {self.tried} "
            f"random splits. In {self.holes} no noise keeps it for one half of the rows: which "
            f"values are missing reveals more there, and noise cannot hide that.{judged}"
        )


def lost_in_words(lost: int, splits: int) -> str:
    """How many of the splits could not judge; empty where all could."""
    if not lost:
        return ""
    return f"{lost} of {splits} splits could not judge, because a half had no row of some secret"


def held_out(
    scenario: Scenario,
    goal: Guarantee,
    *,
    counts: Any = None,
    splits: int = 5,
    seed: int = 0,
    **asked: Any,
) -> HeldOut:
    """What ε becomes on held-out rows: `calibrate` with one half of the rows, judged by the other.

        scenario = pf.Scenario(pf.fit_belief(table, "age", "race", "empirical"))
        pf.held_out(scenario, pf.Guarantee(1.0), mechanism="recode", floor=None, wrong=0.03)

    Args:
        scenario: What must look alike, to whom. Beliefs that are fitted on the released column are
            fitted again to each half; others stay as they are. If all stay, the whole table judges.
        goal: The promise.
        counts: The rows that the beliefs are about: `Counts`, capped, without rows that are
            dropped; for categories, several columns or known ones the table itself. By default the
            rows from which empirical beliefs of the scenario were counted, and then every belief is
            fitted again.
        splits: The number of times the rows are split.
        seed: The seed of the splits. It protects nothing.
        asked: Further arguments of `calibrate`: `mechanism`, `floor`, `wrong`, ...

    Raises:
        InvalidInputError: No belief knows how many rows there are.
        PufferfishError: Whatever `calibrate` raises for a half.
    """
    check_scenario(scenario)
    check_goal(goal)
    halves = apart_of(scenario, counts)
    several = _split(halves, goal, lambda each: calibrate(each, goal, **asked), seed)
    found = tuple(islice(several, how_many(splits)))
    return HeldOut(goal=goal, splits=found, wrong=asked.get("wrong", 0.0))


def wrong_that_holds(
    scenario: Scenario,
    goal: Guarantee,
    *,
    counts: Any = None,
    share: float = 0.95,
    confidence: float = 0.95,
    wrongs: Iterable[float] = WRONGS,
    seed: int = 0,
    **asked: Any,
) -> HeldOut:
    """The least `wrong` with which the promise holds on held-out rows.

    It is for a recoding, or for Laplace noise between the public bounds that the beliefs state. It
    is chosen by looking at the table, from a few public numbers. The rows are split as often as the
    test needs: with share and confidence of 95%, at least 73 times for the number that is taken.

    Args:
        scenario: As for `held_out`, like all arguments not described here.
        goal: The promise.
        counts: The rows.
        share: The share of all random splits in which the promise must hold.
        confidence: For each number tried, the probability with which it is not taken if the promise
            holds in a smaller share; for the whole search, if a larger number holds in all splits
            in which a smaller one does.
        wrongs: The numbers tried, in rising order.
        seed: The seed of the splits; all numbers are tried on the same ones.
        asked: Further arguments of `calibrate`; without `mechanism` it is a recoding.

    Returns:
        The result of the splits for the number that was chosen: `HeldOut.wrong`.

    Raises:
        UnreachableGoalError: Too many splits break the promise for every number tried.
        UnsupportedError: A belief has a sampling region: nothing is proven for both together.
    """
    check_scenario(scenario)
    check_goal(goal)
    halves = apart_of(scenario, counts)
    wanted, sure = _inside("share", share), _inside("confidence", confidence)
    tried = tuple(wrongs)
    check_sampled(max(tried, default=0.0), scenario)
    how = {"mechanism": "recode"} | asked
    for wrong in sorted(tried):
        options = how | {"wrong": wrong}
        if not wrong and how["mechanism"] == "recode":
            options["nominal"] = True  # this is a measurement, not a promise
        found = _enough(_split(halves, goal, _asking(goal, options), seed), wanted, sure)
        if found is not None:
            return HeldOut(goal=goal, splits=found, wrong=wrong)
    raise UnreachableGoalError(
        f"on rows that were not used, {goal} breaks in too many splits, even if laws may be wrong "
        f"by {at_least(max(tried, default=0.0))}. Use more rows, or a floor."
    )


def _inside(name: str, value: float) -> float:
    share = finite(name, value)
    require(0.0 < share < 1.0, f"{name} must be a share between 0 and 1, got {share:g}.")
    return share


def _enough(splits: Iterable[Split], share: float, confidence: float) -> tuple[Split, ...] | None:
    """The splits after which enough of them are known to hold; None if too many do not."""
    may = 1.0 - share
    kept, broken = math.log((1.0 - may / _RARER) / share), -math.log(_RARER)
    evidence, needed = 0.0, -math.log(1.0 - confidence)
    found: list[Split] = []
    for each in splits:
        found.append(each)
        evidence += kept if each.holds else broken
        if sum(not one.holds for one in found) > _MAY_BREAK:
            return None
        if evidence >= needed:
            return tuple(found)
    # No row was used for fitting: all of them judged once, and no coin decides.
    return tuple(found) if all(each.holds for each in found) else None


def _asking(goal: Guarantee, options: dict[str, Any]) -> Callable[[Scenario], Calibration]:
    return lambda scenario: calibrate(scenario, goal, **options)


def measure(
    scenario: Scenario,
    goal: Guarantee,
    counts: Counts,
    calibrated: Callable[[Scenario], Calibration],
    *,
    splits: int = 5,
    seed: int = 0,
    patience: float = math.inf,
) -> HeldOut:
    """`held_out` for any way to calibrate.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise that is judged.
        counts: The rows.
        calibrated: Calibrates the promise for beliefs.
        splits: How many times the rows are split, at most.
        seed: The seed of the splits.
        patience: After this many seconds no further split is begun; one split is always done.

    Raises:
        DataError: In every split, a half has no row of some secret.
    """
    begun, found, lost, holes = time.monotonic(), [], 0, 0
    refused: DataError | None = None
    for half in islice(drawn(apart_of(scenario, counts), seed), how_many(splits)):
        try:
            if isinstance(half, DataError):
                raise half
            found.append(half.judged(calibrated(half.scenario), goal))
        except DataError as error:
            refused, lost = error, lost + 1
        except UnreachableGoalError:
            if not isinstance(half, Half) or not holes_in_words(half.scenario, goal):
                raise
            holes += 1
        if time.monotonic() - begun > patience:
            break
    if not found and not holes and refused is not None:
        raise refused
    return HeldOut(goal=goal, splits=tuple(found), lost=lost, holes=holes)


def _split(
    apart: Apart, goal: Guarantee, calibrated: Callable[[Scenario], Calibration], seed: int
) -> Iterator[Split]:
    for half in halves_of(apart, seed):
        yield half.judged(calibrated(half.scenario), goal)


def judge(calibration: Calibration, goal: Guarantee, other: Counts) -> HeldOut:
    """The judgement on what was calibrated, by rows that were not used for fitting anyway."""
    found = (
        judge_column(calibration, goal, other)
        if other.of_column
        else judge_table(calibration, goal, other)
    )
    return HeldOut(goal=goal, splits=(found,))
