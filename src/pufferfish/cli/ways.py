"""What --mechanism auto compared, as a command shows it."""

from __future__ import annotations

from pufferfish.cli.show import Show
from pufferfish.columns.plan import ColumnPlan
from pufferfish.options.adversaries import Described
from pufferfish.options.planning import Asked

__all__ = ["plan_shown"]


def plan_shown(asked: Asked, described: Described, show: Show) -> ColumnPlan:
    """The plan; what was compared for it is shown."""
    chosen = asked.choose(described, show)
    if chosen is not None:
        show.say(f"{chosen}\n")
    return asked.plan(described, show, chosen)
