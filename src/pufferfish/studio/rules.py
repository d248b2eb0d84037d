r"""Public rules for columns: from one line of text for each to the options of the command line.

A line holds rules with semicolons between them: edges of bins without a keyword (`20:75:5` or
`25,45,65`), a unit of dates (`year`), `codes`, `merge A,B=C`, `order A,B,C`, `steps`, `weight 2`.
As on the command line, a backslash makes the next character literal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import get_args

from pufferfish.beliefs.rules import Unit
from pufferfish.core.errors import InvalidInputError
from pufferfish.options.quoting import escaped, pieces
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.roles import Roles

__all__ = ["Options", "named_options", "never_options", "rule_options"]

# Values by the name of an option.
Options = dict[str, list[str]]
_DIGITS = frozenset("+-.0123456789")


def rule_options(entered: Mapping[str, str], published: Collection[str]) -> Options:
    """The rules entered for columns, as options, which check what they mean.

    Args:
        entered: A line of rules for some of the columns.
        published: The columns that are published under the promise: numbers in bins are published
            as numbers; bins of other columns are called bands.

    Raises:
        InvalidInputError: A rule of an unknown kind.
    """
    found: Options = {}
    for column, line in entered.items():
        for rule in filter(None, (each.strip() for each in pieces(line, ";"))):
            option, value = _option(column, rule, published=column in published)
            found.setdefault(option, []).append(value)
    return found


def never_options(line: str) -> Options:
    """The combinations that are never published, as options."""
    rules = [_tidy(each, ",=") for each in pieces(line, ";") if each.strip()]
    return {"never": rules} if rules else {}


def named_options(found: Options) -> tuple[Roles, HowRecoded]:
    """The two groups of options that they belong to."""
    recoding = {name: found[name] for name in ("edges", "loss", "weight", "never") if name in found}
    roles = {name: value for name, value in found.items() if name not in recoding}
    return Roles(**roles), HowRecoded(**recoding)  # type: ignore[arg-type]


def _option(column: str, rule: str, *, published: bool) -> tuple[str, str]:
    """The name of an option, and its value."""
    before, after = escaped(column, "="), escaped(column, ":")
    word, _, rest = rule.partition(" ")
    if rule[0] in _DIGITS:
        return "edges" if published else "bands", f"{before}={rule.replace(' ', '')}"
    if rule in get_args(Unit):
        return "dates", f"{before}={rule}"
    if rule == "codes":
        return "codes", column
    if rule == "steps":
        return "loss", f"{before}=steps"
    if word == "weight":
        return "weight", f"{before}={rest.strip()}"
    if word == "merge":
        return "merge", f"{after}:{_tidy(rest, ',=')}"
    if word == "order":
        return "order", f"{after}:{_tidy(rest, ',')}"
    raise InvalidInputError(
        f"the rule for column {column!r} must be edges of bins (20:75:5, or 25,45,65), year, "
        "quarter, month, codes, merge A,B=C, order A,B,C, steps or weight 2, with semicolons "
        f"between several, got {rule!r}."
    )


def _tidy(text: str, separators: str) -> str:
    """The text without spaces around separators of labels."""
    for sign in separators:
        text = sign.join(each.strip() for each in pieces(text, sign))
    return text
