r"""Names and labels within one option: how they are separated, and how separators are escaped.

A backslash takes the character after it as it is: `A\,B` is one label with a comma in it.
"""

from __future__ import annotations

import math
import re

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.numerics import decimal_of

__all__ = ["escaped", "number_of", "numbers_in", "pieces", "plain", "read_edges"]
__all__ += ["read_share", "two_pieces"]

# More edges than any recoding takes.
_MOST_EDGES = 1_000


def pieces(text: str, separator: str, most: int = 0) -> list[str]:
    r"""A text, cut at each separator that has no backslash before it; backslashes stay.

    Args:
        text: The text that was typed.
        separator: One character.
        most: The largest number of cuts; 0: no limit.
    """
    found, skip = [""], False
    for letter in text:
        if not skip and letter == separator and (not most or len(found) <= most):
            found.append("")
            continue
        skip = not skip and letter == "\\"
        found[-1] += letter
    return found


def plain(piece: str) -> str:
    r"""A piece without its escapes: `\,` is a comma, `\\` a backslash."""
    return re.sub(r"\\(.?)", r"\1", piece, flags=re.DOTALL)


def escaped(text: object, separators: str) -> str:
    """A text with its separators escaped."""
    return re.sub(rf"([\\{re.escape(separators)}])", r"\\\1", str(text))


def two_pieces(option: str, text: str, separator: str, example: str) -> tuple[str, str]:
    """A column's name, and the rest of the text, not yet cut.

    Raises:
        InvalidInputError: The separator is missing, or nothing stands before it.
    """
    found = pieces(text, separator, 1)
    if len(found) != 2 or not found[0].strip():
        raise InvalidInputError(
            f"{option} needs a column's name and {separator!r} after it, such as {option} "
            rf"{example}, got {text!r}; a {separator!r} within a name is written \{separator}."
        )
    return plain(found[0]).strip(), found[1]


def number_of(text: str) -> float | None:
    """A finite number; None if the text is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def numbers_in(text: str) -> tuple[float, ...] | None:
    """A,B,C, or START to STOP in steps; None if the text is neither, or does not rise."""
    ranged = ":" in text
    found = [number_of(each) for each in text.split(":" if ranged else ",")]
    known = [each for each in found if each is not None]
    good = len(known) == len(found) and (len(known) == 3 or not ranged)
    if good and ranged:
        start, stop, step = known
        count = (stop - start) / step + 1e-9 if step > 0.0 else -1.0
        good = 0.0 <= count < _MOST_EDGES
        known = [start + place * step for place in range(int(count) + 1)] if good else []
    if not good or sorted(set(known)) != known or len(known) >= _MOST_EDGES:
        return None
    return tuple(known)


def read_edges(option: str, text: str) -> tuple[float, ...]:
    """Public edges of bins.

    Raises:
        InvalidInputError: The text is neither a list of rising numbers nor a range.
    """
    found = numbers_in(text)
    if found is None:
        raise InvalidInputError(
            f"{option} must be numbers in rising order with commas between them, such as 0,10,20, "
            f"or START:STOP:STEP, such as 0:100:5, fewer than {_MOST_EDGES:,} in all, got {text!r}."
        )
    return found


def read_share(option: str, text: str, example: str) -> float:
    """A share of at least 0 and less than 1, as a number or in percent."""
    percent = text.endswith("%")
    number = number_of(text.removesuffix("%"))
    # As typed: 99.96 / 100.0 is a little less than 0.9996.
    share = number
    if number is not None and percent:
        share = float(decimal_of(number).scaleb(-2))
    if share is None or not 0.0 <= share < 1.0:
        raise InvalidInputError(
            f"{option} must be a share of at least 0 and less than 1, such as {example}, got "
            f"{text!r}."
        )
    return share
