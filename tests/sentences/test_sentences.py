"""Every sentence of five releases is on a list that says what decides it, and is judged by that.

`sentences.txt` has a line for each shape of a sentence: what decides it, and the sentence with
slots. A slot is decided by the method of this name in `slots.py`, which computes the fact from the
rows, the command and the map; a sentence as a whole by the property named before it. "numbers":
the slots alone. "definition": it says what a word, a promise or a picture means, or what is done by
construction. "advice": what to do. "elsewhere": another test decides it, named after a colon.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sentences.cases import CASES
from tests.sentences.facts import Said
from tests.sentences.shown import show
from tests.sentences.slots import Slots

_SLOT = re.compile(r"\{(\w+)\}")
LIST = [
    line.partition(" | ")[::2]
    for line in Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines()
]


def _pattern(template: str) -> re.Pattern[str]:
    literal = _SLOT.split(template)
    return re.compile(
        "".join("(.+?)" if i % 2 else re.escape(each) for i, each in enumerate(literal))
    )


PATTERNS = [(decider, template, _pattern(template)) for decider, template in LIST]


def _same_bytes() -> Callable[[int], bytes]:
    """Bytes that are no secret: what is drawn is the same in every run of this test."""
    count = itertools.count()
    return lambda size: next(count).to_bytes(size, "big")


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> list[Slots]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", _same_bytes())
        return [Slots(show(name, tmp_path_factory.mktemp(name))) for name in CASES]


def judge(facts: Slots, sentence: str) -> set[str] | str:
    """The templates of a sentence; or what is wrong with it."""
    fit = [(d, t, m) for d, t, p in PATTERNS if (m := p.fullmatch(sentence))]
    wrong = ["no entry"] if not fit else []
    for decider, template, match in fit:
        said: Said = {}
        bad = [] if not hasattr(facts, decider) or getattr(facts, decider) else [decider]
        for slot, text in zip(_SLOT.findall(template), match.groups(), strict=True):
            if not _fits(facts, slot, text, said):
                bad.append(f"{slot}: {text}")
            said[slot] = text
        if not bad:
            return {template for _, template, _ in fit}
        wrong += bad
    return f"{facts.name}: {sentence!r} ({', '.join(wrong)})"


def _fits(facts: Slots, slot: str, text: str, said: Said) -> bool:
    try:
        return bool(getattr(facts, slot)(said)(text))
    except (ValueError, KeyError, IndexError):
        return False


def test_every_sentence_is_on_the_list_and_true(releases: list[Slots]) -> None:
    wrong, used = [], set()
    for facts in releases:
        for sentence in sorted(facts.shown.sentences):
            found = judge(facts, sentence)
            if isinstance(found, str):
                wrong.append(found)
            else:
                used |= found
    assert not wrong, "\n".join(wrong)
    assert not [template for _, template in LIST if template not in used]
