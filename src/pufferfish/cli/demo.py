"""Run the whole path on the built-in UCI Adult data: education level must not betray race.

Noise, clipped noise and a recoding are compared, and what errs least is released.

Example: pufferfish demo --output pufferfish-demo
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.held_out import measured
from pufferfish.cli.printing import Printing
from pufferfish.cli.release import publish
from pufferfish.cli.ways import plan_shown
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import MissingExtraError, OutputExistsError
from pufferfish.core.extras import check_report
from pufferfish.datasets import adult_education, csv_text
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.goal import Goal
from pufferfish.options.groups import flatten_groups
from pufferfish.options.planning import Asked
from pufferfish.options.table import Table
from pufferfish.tables import format_of

__all__ = ["command"]

_PAIR = "Black:Asian-Pac-Islander"


@flatten_groups
def command(
    printing: Printing,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "pufferfish-demo"
    ),
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="How alike.")] = 1.0,
) -> None:
    """Write the table, then do what `release` does."""
    show = printing.show()
    output.mkdir(parents=True, exist_ok=True)
    text = csv_text(adult_education())
    table = Table(file=str(output / "adult.csv"), column="education-num", secret="race")  # noqa: S106
    if not table.path.exists():
        write_text(table.path, text)
    elif table.path.read_text(encoding="utf-8") != text:
        raise OutputExistsError(f"{output} holds another adult.csv; choose another --output.")
    released, report = output / "released.csv", _report_path(output)
    wanted = "" if report is None else f" --report {report}"
    show.say(
        f"$ pufferfish release {table.file} --column education-num --secret race --pair {_PAIR} "
        f"--epsilon {epsilon:g} --mechanism auto --output {released}{wanted}\n"
    )
    asked = Asked(
        table=table,
        adversaries=Adversaries(pair=[_PAIR]),
        goal=Goal(epsilon=epsilon, mechanism="auto"),
    )
    described = asked.described(show)
    plan = plan_shown(asked, described, show)
    plan.save(output / "plan.json", force=True)
    publish(
        table,
        plan,
        released,
        format_of(released),
        None,
        None,
        report,
        show,
        force=True,
        just_counted=described.counted,
        held_out=measured(asked, described, plan, None, show),
    )
    if report is None:
        show.say("Report      not written; pip install 'pufferfish-privacy[report]' first")


def _report_path(output: Path) -> Path | None:
    """Where to write a report; None where what it needs is not installed."""
    try:
        check_report()
    except MissingExtraError:
        return None
    return output / "report.html"
