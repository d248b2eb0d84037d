"""Every method side by side: its noise, and what it truly gives.

Example: pufferfish compare adult.csv -c education-num -s race --pair Black:White --epsilon 1
"""

from __future__ import annotations

from pufferfish.cli.adversaries import Adversaries
from pufferfish.cli.goal import Promise
from pufferfish.cli.options import Printing, Table, grouped
from pufferfish.compare import compare
from pufferfish.exact.certificate import noise_to_dict

__all__ = ["command"]


@grouped
def command(table: Table, adversaries: Adversaries, promise: Promise, printing: Printing) -> None:
    """Compare."""
    show = printing.show()
    wanted = promise.guarantee()
    scenario = adversaries.described(table, show).scenario
    found = compare(scenario, wanted, workers=promise.workers)
    show.result(
        str(found),
        {
            "goal": {"epsilon": wanted.epsilon, "delta": wanted.delta},
            "methods": [
                {
                    "name": each.name,
                    "noise": noise_to_dict(each.calibration.noise),
                    "valid": each.valid,
                    "against_exact": each.against_exact,
                }
                for each in found.methods
            ],
            "refused": dict(found.refused),
        },
    )
