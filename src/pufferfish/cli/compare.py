"""Compare all methods: the noise of each, and the ε that it truly gives.

Example: pufferfish compare adult.csv -c education-num -s race --pair Black:White --epsilon 1
"""

from __future__ import annotations

from pufferfish.cli.printing import Printing
from pufferfish.insight.comparison import compare
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.goal import Promise
from pufferfish.options.groups import flatten_groups
from pufferfish.options.table import Table

__all__ = ["command"]


@flatten_groups
def command(table: Table, adversaries: Adversaries, promise: Promise, printing: Printing) -> None:
    """Compare."""
    show = printing.show()
    wanted = promise.guarantee()
    scenario = adversaries.described(table, show).scenario
    found = compare(scenario, wanted, workers=promise.workers)
    show.result(str(found), found.to_dict())
