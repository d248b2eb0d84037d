"""What --mechanism auto compared, as a command shows it."""

from __future__ import annotations

from pufferfish.cli.show import Show
from pufferfish.columns.plan import ColumnPlan
from pufferfish.joint.plan import TablePlan
from pufferfish.options.adversaries import Described
from pufferfish.options.describing import DescribedTable
from pufferfish.options.joint import choose_for_table, plan_table
from pufferfish.options.planning import Asked

__all__ = ["plan_shown", "table_plan_shown"]


def plan_shown(asked: Asked, described: Described, show: Show) -> ColumnPlan:
    """The plan of a column; shows what was compared for it."""
    chosen = asked.choose(described, show)
    if chosen is not None:
        show.say(f"{chosen}\n")
    return asked.plan(described, show, chosen)


def table_plan_shown(asked: Asked, described: DescribedTable, show: Show) -> TablePlan:
    """The plan of a table; shows what was compared for it."""
    chosen = choose_for_table(asked, described, show)
    if chosen is not None:
        show.say(f"{chosen}\n")
    return plan_table(asked, described, show, chosen)
