"""No search loses more than a map that needs none, and none loses more for a weaker promise."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration import recode_categories
from pufferfish.core.errors import CertificationError
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.least_loss import Found, Task, least_loss
from pufferfish.recoding.trivial import trivial
from tests import seams
from tests.recoding import referee
from tests.recoding.hostile import case

# A search that stops takes the map of a promise on the ladder, so only that bounds it.
LADDER = 0.25, 0.5, 1.0, 2.0
EPSILONS = (*LADDER[:3], 1.3, LADDER[3], 3.0)
WRONGS = 0.0, 0.02, 0.1
LABELS = {"prestige": 3, "educ": 2, "happy": 2, "owngun": 2, "tvhours": 2, "female": 2}
COLUMNS = ("prestige",), ("educ", "happy", "prestige"), tuple(LABELS)


def survey(labels: dict[str, int], rows: int) -> dict[str, np.ndarray]:
    """Rows of correlated labels: all lean on one hidden trait, and some on the secret."""
    source = np.random.default_rng(1994)
    black = source.random(rows) < 0.14
    trait = source.normal(size=rows) - 1.5 * black
    table = {"black": np.where(black, "yes", "no")}
    for place, (name, count) in enumerate(labels.items()):
        lean = (0.8 - 0.2 * place) * trait + 0.8 * (place % 2) * black
        rank = (lean + source.normal(size=rows)).argsort().argsort()
        table[name] = np.array([f"{name} {each}" for each in rank * count // rows])
    return table


def task_of(
    columns: tuple[str, ...],
    epsilon: float,
    wrong: float,
    monkeypatch: pytest.MonkeyPatch,
    *,
    keep: bool = True,
    labels: dict[str, int] = LABELS,
) -> Task:
    """The task that `calibrate` searches for the columns of a survey."""
    found: list[Task] = []

    def noted(task: Task, **more: object) -> Found:
        found.append(task)
        raise KeyboardInterrupt

    beliefs = pf.fit_beliefs(survey(labels, 4000), columns=columns, secret="black")
    with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
        patched.setattr(recode_categories, "least_loss", noted)
        pf.calibrate(
            pf.Scenario(beliefs),
            pf.Guarantee(epsilon),
            mechanism="recode",
            floor=None,
            wrong=wrong,
            nominal=not wrong,
            keep_histogram=keep,
        )
    return found[0]


def kept_or_redrawn(task: Task) -> float:
    """The loss of keeping each row with the best probability p, and else drawing it from all rows.

    With at least p·least(P_j, y) and at most p·largest(P_i, y) of what is kept, the promise is

        p·largest(P_i, y) + (1−p)·π(y) ≤ e^ε·(p·least(P_j, y) + (1−p)·π(y))

    for each y. For a single cell the largest and the least are P(y) ± η, within 0 and 1.
    """
    laws = np.array([law.probabilities for law in task.duty.laws[0]])
    eta, factor = float(task.duty.wrong), np.exp(task.duty.goal.epsilon)
    shares = laws.mean(axis=0) if task.histogram is None else task.histogram[1]
    above, below = np.minimum(laws + eta, 1.0), np.maximum(laws - eta, 0.0)
    most = max(
        float(((above[i] - factor * below[j]) / shares)[shares > 0].max())
        for i, j in ((0, 1), (1, 0))
    )
    kept = min(1.0, (factor - 1.0) / (factor - 1.0 + max(most, 0.0)))
    own = np.diagonal(task.cost).sum()
    return float(kept * own + (1.0 - kept) * (task.cost.sum(axis=0) @ shares))


def constant(task: Task) -> float:
    wanted = None if task.histogram is None else task.histogram[1]
    by_output = task.cost.sum(axis=0)
    return float(by_output.min() if wanted is None else by_output @ wanted)


def judged(found: Found, task: Task) -> None:
    exact = [[Fraction(int(each), WHOLE) for each in row] for row in found.table]
    laws = [[Fraction(int(n), law.total) for n in law.low] for law in task.duty.laws[0]]
    assert referee.spent(exact, laws, task.duty.goal.epsilon, task.duty.wrong) == 0


@pytest.mark.parametrize("wrong", WRONGS)
@pytest.mark.parametrize(
    ("columns", "keep", "work"),
    [
        *((columns, True, None) for columns in COLUMNS),
        *((COLUMNS[1], keep, work) for keep in (True, False) for work in (0, 43, 100, 300)),
        (COLUMNS[1], False, None),
        (COLUMNS[2], True, 0),
    ],
)
def test_more_epsilon_never_costs_more(
    columns: tuple[str, ...],
    wrong: float,
    keep: bool,
    work: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where no search is permitted, or one that often stops before its end."""
    before = np.inf
    # Six columns go the way of large tables.
    seams.put(monkeypatch, seams.FEW_WRONG_CELLS_OUTSIDE, 1_000)
    for epsilon in EPSILONS:
        task = task_of(columns, epsilon, wrong, monkeypatch, keep=keep)
        if work is not None:
            seams.put(monkeypatch, seams.MOST_WORK_OF_A_SEARCH, work * task.cost.size)
            seams.put(monkeypatch, seams.MOST_STEPS_INSIDE, work)
        found = least_loss(task)
        loss = float(found.loss)
        assert found.bound <= loss
        # The losses that are compared with are those of doubles.
        assert loss <= min(before, constant(task), kept_or_redrawn(task)) * (1.0 + 1e-9)
        if len(columns) < 6:
            judged(found, task)
        if work is None or epsilon in LADDER:
            before = loss


@pytest.mark.heavy
@pytest.mark.parametrize("wrong", WRONGS)
def test_hundreds_of_combinations(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as in the survey in which more ε once cost more."""
    labels = {"prestige": 4, "educ": 6, "happy": 3, "owngun": 2, "tvhours": 4, "female": 2}
    before = np.inf
    for epsilon in EPSILONS:
        task = task_of(tuple(labels), epsilon, wrong, monkeypatch, labels=labels)
        assert task.cost.shape[0] > 600
        found = least_loss(task)
        loss = float(found.loss)
        assert loss - found.bound <= 1e-3 * loss
        assert loss <= min(before, constant(task), kept_or_redrawn(task)) * (1.0 + 1e-9)
        before = loss


def test_what_is_trivial_keeps_its_duty() -> None:
    kept = 0
    for seed in range(120):
        each = case(seed)
        task = each.task
        for kernel in (task.kernel, None):
            tables = trivial(task.cost, task.duty, kernel, task.histogram)
            for table in tables:
                assert (table >= 0).all(), seed
                assert (table.sum(axis=1) == WHOLE).all(), seed
                assert not each.broken(table), seed
                if task.histogram is not None:
                    given, wanted = task.histogram
                    assert given @ (table / WHOLE) == pytest.approx(wanted, abs=1e-6), seed
            kept += len(tables) - 1
    assert kept > 200


def test_a_promise_that_no_table_can_hold_leaves_the_constant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise CertificationError("too fine")

    monkeypatch.setattr("pufferfish.recoding.trivial.repair", refused)
    task = task_of(("educ",), 1.0, 0.0, monkeypatch)
    (table,) = trivial(task.cost, task.duty, None, task.histogram)
    assert (table == table[0]).all()
