"""An explanation in numbered steps: a string that also holds the steps as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from pufferfish.words.steps import Step
from pufferfish.words.terminal import number_steps

__all__ = ["Explanation", "notices"]


def notices(holds: bool | None, *, private: str) -> list[str]:
    """What comes before an explanation.

    Args:
        holds: Whether the promise is kept; None: not decided.
        private: What in it is not public; empty: everything is public.
    """
    said = []
    if holds is not True:
        kept = "is not kept" if holds is False else "could not be shown to be kept"
        said.append(f"NOT CERTIFIED: the promise below {kept}. Do not release with this.")
    if private:
        said.append(f"PRIVATE: {private} are not public, and this text holds their statistics.")
    return said


class Explanation(str):
    """What was done, what was promised and against whom, and what was not, in numbered steps.

    It is a string, folded for a terminal, because users print it, split it and search it. A page
    renders the steps, and never parses the text.

    Attributes:
        notices: What must be known before anything else, each in one line.
        steps: The steps, as data.
    """

    __slots__ = ("notices", "steps")
    notices: tuple[str, ...]
    steps: tuple[Step, ...]

    def __new__(cls, steps: Iterable[Step], notices: Iterable[str] = ()) -> Self:
        """Render the steps for a terminal."""
        steps, notices = tuple(steps), tuple(notices)
        made = super().__new__(cls, "\n".join([*notices, number_steps(steps)]))
        made.notices, made.steps = notices, steps
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Step, ...], tuple[str, ...]]]:
        """Support copies and pickles."""
        return type(self), (self.steps, self.notices)
