"""What of a table is published, and what happens to noised values, as options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from pufferfish.errors import InvalidInputError
from pufferfish.mechanism import Clip, Postprocess, RoundTo

__all__ = ["Publishing", "bounds_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """What of the table is published, and what happens to noised values."""

    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Another column to publish as it is; may be given several times. The promise "
            "does not cover what the columns reveal together: that is measured, and said first."
        ),
    ] = None
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Do not shuffle rows, though their order can betray."),
    ] = False
    person: Annotated[
        str | None, typer.Option(help="The column that says which rows are one person's.")
    ] = None
    rows_per_person: Annotated[
        int, typer.Option(help="At most so many rows of one person; each further one costs.")
    ] = 1
    round_to: Annotated[
        float | None, typer.Option("--round", help="Round what is published to this step.")
    ] = None
    clip: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="Move what is outside public bounds to them."),
    ] = None
    allow_no_noise: Annotated[
        bool,
        typer.Option(
            "--allow-no-noise", help="Publish the raw column where the certificate needs no noise."
        ),
    ] = False

    def check(self) -> None:
        """Refuse numbers of rows that mean nothing."""
        if self.rows_per_person < 1:
            raise InvalidInputError(
                f"--rows-per-person must be at least 1, got {self.rows_per_person}."
            )
        if self.rows_per_person > 1 and self.person is None:
            raise InvalidInputError(
                "--rows-per-person needs --person, the column that says which rows are one "
                "person's."
            )

    @property
    def postprocess(self) -> tuple[Postprocess, ...]:
        """--round, then --clip."""
        steps: list[Postprocess] = [] if self.round_to is None else [RoundTo(self.round_to)]
        if self.clip is not None:
            steps.append(Clip(*bounds_of("--clip", self.clip)))
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
