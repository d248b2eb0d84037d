"""Options: which parts of a table are published, and what happens to noised values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo
from pufferfish.calibration.rows import SeveralRows
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import bounds, positive
from pufferfish.tables.one_row import OneRow, Way
from pufferfish.theorems import DEPENDENCES

__all__ = ["Publishing", "bounds_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """Which parts of the table are published, and what happens to noised values."""

    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Another column to publish as it is, so that everybody knows it; may be given "
            "several times. The promise holds for somebody who knows it.",
        ),
    ] = None
    keep_unprotected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Another column to publish as it is; may be given several times. The promise "
            "does not cover what the columns reveal together: the command measures and prints it.",
        ),
    ] = None
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Do not shuffle rows, although their order can reveal."),
    ] = False
    person: Annotated[
        str | None, typer.Option(help="The column that says which rows are one person's.")
    ] = None
    rows_per_person: Annotated[
        int,
        typer.Option(
            help="At most this many rows of one person; each further row needs more noise."
        ),
    ] = 1
    rows_are: Annotated[
        str,
        typer.Option(
            metavar="any|equal|independent",
            help="How the rows of a person depend on each other. any: nothing is assumed. equal: "
            "all repeat one value; refused if they do not. independent: given the secret, as you "
            "state; tested, and refused if the data contradict it.",
        ),
    ] = "any"
    one_row: Annotated[
        str | None,
        typer.Option(
            metavar="first|mean",
            help="Publish one row for each person: the first, or one with the mean of the values.",
        ),
    ] = None
    step: Annotated[
        float | None,
        typer.Option(
            help="Every value is a multiple of this (1: whole numbers), and everybody may know "
            "it: recipients estimate far better with it. Other values are refused."
        ),
    ] = None
    round_to: Annotated[
        float | None, typer.Option("--round", help="Round what is published to this step.")
    ] = None
    clip: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="Move published values to these public bounds."),
    ] = None
    allow_no_noise: Annotated[
        bool,
        typer.Option(
            "--allow-no-noise", help="Publish the raw column where the certificate needs no noise."
        ),
    ] = False

    def check(self) -> None:
        """Refuse --round that is not a step, and options that exclude or lack each other."""
        if self.round_to is not None:
            positive("--round", self.round_to, hint="Leave it out to round nothing.")
        if self.rows_per_person < 1:
            raise InvalidInputError(
                f"--rows-per-person must be at least 1, got {self.rows_per_person}."
            )
        if self.rows_per_person > 1 and self.person is None:
            raise InvalidInputError(
                "--rows-per-person needs --person, the column that says which rows are one "
                "person's."
            )

        if self.rows_are not in DEPENDENCES:
            raise InvalidInputError(
                f"--rows-are must be any, equal or independent, got {self.rows_are!r}."
            )
        if self.rows_are != "any" and self.one_row is not None:
            raise InvalidInputError("give one of --rows-are and --one-row.")
        if self.one_row not in (None, "first", "mean"):
            raise InvalidInputError(f"--one-row must be first or mean, got {self.one_row!r}.")
        if self.one_row is not None and (self.person is None or self.rows_per_person > 1):
            raise InvalidInputError(
                "--one-row needs --person, the column that says which rows are one person's, and "
                "makes one row of them: leave out --rows-per-person."
            )
        if self.one_row == "mean" and (self.keep or self.keep_unprotected):
            given = "--keep" if self.keep else "--keep-unprotected"
            raise InvalidInputError(
                f"{given} does not go with --one-row mean: no row of the table has that value, so "
                f"no other column belongs to it. Leave out {given}, or give --one-row first."
            )
        if self.one_row is not None and self.keep_order:
            raise InvalidInputError(
                "--keep-order does not go with --one-row: one row for each person has no place in "
                "the order of the table."
            )
        if self.rows_are != "any" and self.rows_per_person == 1:
            raise InvalidInputError(
                "--rows-are is about several rows of one person: give their number with "
                "--rows-per-person."
            )

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that everybody knows because they are published, once each."""
        return tuple(dict.fromkeys(self.keep or ()))

    @property
    def rows(self) -> SeveralRows:
        """The rows of a person, and what is assumed of them."""
        dependence: Any = self.rows_are
        return SeveralRows(self.rows_per_person, dependence)

    def reduction(self, column: str, secret: str) -> OneRow | None:
        """How the rows of a person become one row, if they do."""
        if self.person is None or self.one_row is None:
            return None
        way: Way = "mean" if self.one_row == "mean" else "first"
        return OneRow(person=self.person, column=column, secret=secret, way=way)

    @property
    def postprocess(self) -> tuple[Postprocess, ...]:
        """--round, then --clip."""
        steps: list[Postprocess] = [] if self.round_to is None else [RoundTo(self.round_to)]
        if self.clip is not None:
            steps.append(Clip(*bounds("--clip", bounds_of("--clip", self.clip))))
        return tuple(steps)


def bounds_of(option: str, text: str) -> tuple[float, float]:
    """LOW:HIGH as two numbers."""
    try:
        low, high = (float(each) for each in text.split(":"))
        return low, high
    except ValueError:
        raise InvalidInputError(
            f"{option} must be two numbers with a colon between them, such as 0:16, got {text!r}."
        ) from None
