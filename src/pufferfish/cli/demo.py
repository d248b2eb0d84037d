"""Run all steps on the built-in UCI Adult data: publish a table that must not reveal race.

Education, occupation and income are published together; sex is published as it is, so everybody
knows it.

Example: pufferfish demo --output pufferfish-demo
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.printing import Printing
from pufferfish.cli.publish import publish
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import MissingExtraError, OutputExistsError
from pufferfish.core.extras import check_report, install_in_words
from pufferfish.datasets import adult, csv_text
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.describing import describe_table
from pufferfish.options.goal import Goal
from pufferfish.options.groups import flatten_groups
from pufferfish.options.joint import plan_table
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.table import Table
from pufferfish.options.words import arguments
from pufferfish.tables import format_of

__all__ = ["command"]

# Levels of schooling: no high school diploma, a diploma, some college, a degree.
_LEVELS = "education-num=8.5,9.5,12.5"


@flatten_groups
def command(
    printing: Printing,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "pufferfish-demo"
    ),
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="The promise, ε.")] = 1.0,
) -> None:
    """Write the table, then do what `release` does."""
    show = printing.show()
    output.mkdir(parents=True, exist_ok=True)
    text = csv_text(adult())
    asked = Asked(
        table=Table(
            file=str(output / "adult.csv"),
            column=["education-num", "occupation", "income"],
            secret=["race"],
        ),
        adversaries=Adversaries(pair=["Black:White"]),
        goal=Goal(epsilon=epsilon),
        recoding=HowRecoded(wrong="5%", edges=[_LEVELS]),
        publishing=Publishing(keep=["sex"]),
    )
    if not asked.table.path.exists():
        write_text(asked.table.path, text)
    elif asked.table.path.read_text(encoding="utf-8") != text:
        raise OutputExistsError(f"{output} holds another adult.csv; choose another --output.")
    released, report = output / "released.csv", _report_path(output)
    show.say(f"$ {_typed(asked, released, report)}\n")
    described = describe_table(asked, show)
    plan = plan_table(asked, described, show)
    plan.save(output / "plan.json", force=True)
    publish(
        asked.table,
        plan,
        released,
        format_of(released),
        None,
        None,
        report,
        show,
        force=True,
        just_counted=described.counted,
    )
    if report is None:
        show.say(f"Report      not written; {install_in_words('report')}")


def _typed(asked: Asked, released: Path, report: Path | None) -> str:
    """The command that does the same, broken into lines that fit a terminal."""
    groups = (asked.table, asked.publishing, asked.adversaries, asked.goal, asked.recoding)
    file, *options = [word for group in groups for word in arguments(group)]
    options += ["--output", str(released)]
    options += [] if report is None else ["--report", str(report)]
    lines = [f"pufferfish release {file}"]
    for name, value in zip(options[::2], options[1::2], strict=True):
        said = f" {name} {value}"
        if len(lines[-1] + said) > _WIDTH:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += said
    return "\n".join(lines)


_WIDTH = 96


def _report_path(output: Path) -> Path | None:
    """Where to write the report; None if the libraries it needs are not installed."""
    try:
        check_report()
    except MissingExtraError:
        return None
    return output / "report.html"
