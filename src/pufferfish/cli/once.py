"""A command that refuses an option given twice where it takes one value, and what is no number.

The parser of options would let the last one win: `--epsilon 1 --epsilon 5` would keep ε = 5, and
somebody who reads only the beginning of the line would believe that ε is 1. And its message about
what is no number does not show what was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

from typer.core import TyperCommand

from pufferfish.core.errors import InvalidInputError

__all__ = ["OnceCommand"]


# By type: what an option takes, in words.
_NUMBERS: dict[Any, tuple[Callable[[str], object], str]] = {
    float: (float, "a number such as 0.5 (with a decimal point)"),
    int: (int, "a whole number such as 10"),
}


class OnceCommand(TyperCommand):
    """A command that takes every option once, except those that may be given several times."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Count the options, look at their numbers, then parse.

        Raises:
            InvalidInputError: An option that takes one value is given several times, or an option
                that takes a number is given something else.
        """
        # A second parser, because it removes words from the list that it is given. It lists every
        # parameter in the order of the words, once for each time.
        given, _, found = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(found).items():
            if times > 1 and _is_single(option):
                names = "/".join([*option.opts, *option.secondary_opts])
                raise InvalidInputError(
                    f"{names} is given {times} times, but takes one value: leave the others out."
                )
        hints = get_type_hints(self.callback)
        for option in found:
            _refuse_no_number(option, hints.get(option.name), given.get(option.name))
        return super().parse_args(ctx, args)


def _refuse_no_number(option: Any, hint: Any, given: object) -> None:
    for kind, (read, wanted) in _NUMBERS.items():
        if isinstance(given, str) and kind in (hint, *get_args(hint)):
            try:
                read(given)
            except ValueError:
                raise InvalidInputError(
                    f"{'/'.join(option.opts)} must be {wanted}, got {given!r}."
                ) from None


def _is_single(option: Any) -> bool:
    """Whether a second one would contradict the first; not so for lists and plain flags."""
    if option.param_type_name != "option" or option.multiple:
        return False
    return not option.is_flag or bool(option.secondary_opts)
