"""What --mechanism auto compared, as a command shows it."""

from __future__ import annotations

from pufferfish.cli.show import Show
from pufferfish.columns.plan import Plan
from pufferfish.insight.choosing import Chosen
from pufferfish.options.adversaries import Described
from pufferfish.options.planning import Asked
from pufferfish.words.terminal import fold

__all__ = ["compared", "plan_shown"]


def plan_shown(asked: Asked, described: Described, show: Show) -> Plan:
    """The plan; what was compared for it is shown."""
    chosen = asked.choose(described, show)
    if chosen is not None:
        show.say(compared(chosen) + "\n")
    return asked.plan(described, show, chosen)


def compared(chosen: Chosen) -> str:
    """Every way and its error, and what the one that was taken publishes."""
    if not chosen.publishes_bounds:
        return str(chosen)
    beware = fold(
        "Beware: the bounds of the clipped noise are the least and the largest value of the "
        "column, and the record publishes them. Public ones are given with --cap LOW:HIGH."
    )
    return f"{chosen}\n{beware}"
