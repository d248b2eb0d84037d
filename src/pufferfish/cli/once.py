"""A command that refuses an option given twice where it takes one value.

The parser of options would let the last one win: `--epsilon 1 --epsilon 5` would keep ε = 5, and
somebody who reads only the beginning of the line would believe that ε is 1.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

from pufferfish.core.errors import InvalidInputError

__all__ = ["OnceCommand"]


class OnceCommand(TyperCommand):
    """A command that takes every option once, except those that may be given several times."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Count the options, then parse.

        Raises:
            InvalidInputError: An option that takes one value is given several times.
        """
        # A second parser, because it removes words from the list that it is given. It lists every
        # parameter in the order of the words, once for each time.
        _, _, found = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(found).items():
            if times > 1 and _is_single(option):
                names = "/".join([*option.opts, *option.secondary_opts])
                raise InvalidInputError(
                    f"{names} is given {times} times, but takes one value: leave the others out."
                )
        return super().parse_args(ctx, args)


def _is_single(option: Any) -> bool:
    """Whether a second one would contradict the first; not so for lists and plain flags."""
    if option.param_type_name != "option" or option.multiple:
        return False
    return not option.is_flag or bool(option.secondary_opts)
