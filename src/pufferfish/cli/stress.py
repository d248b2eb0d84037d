"""What if they know more? Test what a promise becomes for adversaries that were not described.

Example: pufferfish stress plan.json adult.csv --bands age=15:90:15
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.planned import planned_in
from pufferfish.cli.printing import Printing
from pufferfish.core.validation import require
from pufferfish.options.groups import flatten_groups
from pufferfish.options.quoting import read_edges, read_share, two_pieces
from pufferfish.options.table import Marks, Table
from pufferfish.what_if.asked import WRONGS, Asked
from pufferfish.what_if.run import stress_engine
from pufferfish.what_if.subject import subject_of

__all__ = ["command"]


@flatten_groups
def command(
    printing: Printing,
    document: Annotated[
        Path, typer.Argument(help="A plan, or the internal record of a release: what to test.")
    ],
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table that is released.")],
    earlier: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="An earlier table, whose frequencies others may know."),
    ] = None,
    other: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A further column that somebody may know; may be given several times. "
            "By default all columns of the table.",
        ),
    ] = None,
    bands: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=EDGES",
            help="The bands in which a column of numbers is known, such as age=15:90:15; may be "
            "given for several columns. By default up to 20 numbers are known as they are, more "
            "of them in fifths.",
        ),
    ] = None,
    singly: Annotated[
        bool, typer.Option("--singly", help="Test columns one by one only, not in pairs.")
    ] = False,
    min_rows: Annotated[
        int, typer.Option(help="Judge a pair only if both secrets have at least this many rows.")
    ] = 20,
    wrong: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="By how much laws may be wrong; may be given several times.",
            show_default="0.1%, 1%, 5%",
        ),
    ] = None,
    unit: Annotated[
        float | None,
        typer.Option(
            help="How closely the value is known.",
            show_default="1, or the smallest step of the column",
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(help="How often rows are drawn anew.")] = 200,
    splits: Annotated[int, typer.Option(help="How often rows are split in halves.")] = 10,
    no_learner: Annotated[
        bool, typer.Option("--no-learner", help="Leave out the learner that uses all columns.")
    ] = False,
    no_answers: Annotated[
        bool, typer.Option("--no-answers", help="Do not calibrate what would answer each case.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="About how long it may take; the result says what is left out.")
    ] = 60.0,
    seed: Annotated[
        int, typer.Option(help="Seed of the rows that are drawn; protects nothing.")
    ] = 0,
    file_format: Annotated[
        str | None,
        typer.Option("--format", help="csv, parquet or arrow, if the name does not tell."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The character between fields of a CSV; detected by default.")
    ] = None,
    na: Marks = None,
) -> None:
    """Test and report."""
    show = printing.show()
    plan = planned_in(document, show, "Test", {"cases": None})
    shares = (
        WRONGS
        if wrong is None
        else tuple(read_share("--wrong", each, "0.01 or 1%") for each in wrong)
    )
    cuts = [two_pieces("--bands", each, "=", "age=15:90:15") for each in bands or ()]
    for name, number in Counter(name for name, _ in cuts).items():
        require(number == 1, f"--bands names column {name!r} twice: give its edges once.")
    asked = Asked(
        columns=other,
        bands={name: read_edges(f"--bands {name}=", text) for name, text in cuts},
        pairs=not singly,
        min_rows=min_rows,
        wrongs=shares,
        unit=unit,
        resamples=resamples,
        splits=splits,
        learner=not no_learner,
        answers=not no_answers,
        seconds=seconds,
        seed=seed,
    )
    tables = [
        Table(file=each, format=file_format, delimiter=delimiter, na=na)
        for each in (table, earlier)
        if each is not None
    ]
    with ExitStack() as stack, show.progress("Testing") as progress:
        engine, *others = [stack.enter_context(each.opened(())) for each in tables]
        found = stress_engine(
            subject_of(plan, {}),
            engine,
            asked,
            earlier=others[0] if others else None,
            progress=progress,
        )
    show.result(str(found), found.to_dict())
