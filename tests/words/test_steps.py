"""What is said is data: titles, paragraphs and lists, rendered late."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.columns.story import story
from pufferfish.studio.fragments import tell
from pufferfish.sums import binary, check_limit, explain_sum
from pufferfish.words.explanation import Explanation
from pufferfish.words.steps import Entry, Step
from pufferfish.words.terminal import COLUMNS, align, label_lines, number_steps

LONG = "word " * 40 + "end."


@cache
def calibration() -> pf.Calibration:
    laws = {"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(1.5, 2.0)}
    return pf.calibrate(pf.Scenario(pf.Belief(laws, name="curious")), pf.Guarantee(0.5))


def of_a_calibration() -> tuple[Step, ...]:
    return calibration().explain().steps


def of_a_sum() -> tuple[Step, ...]:
    users, goal = binary(np.full(20, 0.5)), pf.Guarantee(1.0, 1e-3)
    return explain_sum(pf.calibrate_sum(users, goal), check_limit(users, goal)).steps


def of_a_release() -> tuple[Step, ...]:
    table = {"x": np.arange(100.0), "s": np.array(["a", "b"] * 50)}
    plan = pf.Plan(calibration=calibration(), column="x", secret="s", keep_order=True)
    return story(pf.release(table, plan).record)


@pytest.mark.parametrize("said", [of_a_calibration, of_a_sum, of_a_release])
def test_each_step_has_a_title_of_its_own_and_whole_sentences(
    said: Callable[[], tuple[Step, ...]],
) -> None:
    steps = said()
    titles = [step.title for step in steps]
    assert len(steps) >= 8
    assert len(set(titles)) == len(titles)
    assert all(titles)
    for step in steps:
        assert step.paragraphs or step.entries
        texts = [*step.paragraphs, *(entry.text for entry in step.entries)]
        assert all(text == text.strip() for text in texts)
        # No layout in the words: that is for who renders them.
        assert not any("\n" in text or "  " in text for text in texts)


@pytest.mark.parametrize("render", [number_steps, label_lines])
def test_a_terminal_shows_every_word_in_lines_that_fit(
    render: Callable[[Iterable[Step]], str],
) -> None:
    steps = of_a_release()
    text = render(steps)
    assert max(map(len, text.splitlines())) <= COLUMNS or render is number_steps
    whole = " ".join(text.split())
    for step in steps:
        assert all(paragraph in whole for paragraph in step.paragraphs)
        assert all(f"- {entry.text}" in whole for entry in step.entries)


def test_an_explanation_is_the_text_that_it_always_was() -> None:
    found = calibration().explain()
    assert isinstance(found, str)
    assert str(found) == f"{found.notices[0]}\n{number_steps(found.steps)}"
    assert found.notices == (
        "PRIVATE: some beliefs are not public, and this text holds their statistics.",
    )
    assert found.startswith("PRIVATE")
    assert "\n9. Not promised: " in found


def pickled(found: Explanation) -> Explanation:
    restored: Explanation = pickle.loads(pickle.dumps(found))
    return restored


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_an_explanation_can_be_copied(again: Callable[[Explanation], Explanation]) -> None:
    found = Explanation([Step("a", ("One.",), (Entry("x", ("y",)),))], ["Mind."])
    copied = again(found)
    assert (copied, copied.steps, copied.notices) == (found, found.steps, found.notices)


def test_hanging_indents() -> None:
    step = Step("title", (LONG,), (Entry("entry", ("detail",)),))
    first, *others = number_steps([step]).splitlines()
    assert first.startswith("1. word")
    assert others[0].startswith("   word")
    assert others[-2:] == ["   - entry", "     detail"]
    steps = Step("Title", ("One.", "Two.")), Step("List", (), (Entry(LONG),))
    lines = label_lines(steps).splitlines()
    assert lines[:2] == ["Title       One.", "            Two."]
    assert lines[2].startswith("List        - word")
    assert all(line.startswith(" " * 14 + "word") for line in lines[3:])


def test_the_page_of_the_studio_shows_the_same_words() -> None:
    steps = (Step("Promise", ("<b>",)), Step("Not covered", (), (Entry("this"), Entry("that"))))
    html = str(tell(steps))
    assert "<dt>Promise</dt>" in html
    assert "&lt;b&gt;" in html
    assert html.count("<li>") == 2


def test_tables_are_aligned() -> None:
    rows = [("a", "bb"), ("ccc", "d")]
    assert align(rows, "left", ruled=True) == "a    bb\n---  --\nccc  d"
    assert align(rows, "right") == "  a  bb\nccc   d"
