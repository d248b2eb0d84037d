"""Every method side by side: its noise, and what it truly gives.

Example: pufferfish compare adult.csv -c education-num -s race --pair Black:White --epsilon 1
"""

from __future__ import annotations

from pufferfish.cli.adversaries import Adversaries
from pufferfish.cli.goal import Promise
from pufferfish.cli.options import Printing, Table, grouped
from pufferfish.compare import compare

__all__ = ["command"]


@grouped
def command(table: Table, adversaries: Adversaries, promise: Promise, printing: Printing) -> None:
    """Compare."""
    show = printing.show()
    wanted = promise.guarantee()
    scenario = adversaries.described(table, show).scenario
    found = compare(scenario, wanted, workers=promise.workers)
    show.result(str(found), found.to_dict())
