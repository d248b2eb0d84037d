"""Options that several commands share: each group is a dataclass, and knows what it means."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from pufferfish.atomic import refuse_unusable, refuse_unusable_folder
from pufferfish.cli.show import Show
from pufferfish.errors import InvalidInputError, OutputExistsError
from pufferfish.mechanism import Clip, Postprocess, RoundTo
from pufferfish.tables import STANDARD_STREAM, FileFormat, Summary, format_of
from pufferfish.tables.manifest import MANIFEST
from pufferfish.tables.sources import find_source
from pufferfish.tables.spark.session import read_table, spark_session
from pufferfish.tables.summarise import summarise, summarise_files

__all__ = ["Engine", "Force", "Printing", "Publishing", "Table", "grouped"]


class Engine(StrEnum):
    """Who reads and writes tables."""

    LOCAL = "local"
    SPARK = "spark"


Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


def grouped(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose parameters that are groups become one option for each of their fields."""
    hints = get_type_hints(command, include_extras=True)
    flat: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name in inspect.signature(command).parameters:
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            flat += _parameters(hints[name])
        else:
            own = inspect.signature(command).parameters[name]
            flat.append(own.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def spread(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        return command(**given)

    # Typer reads the signature and the annotations; both must be those of the flat command.
    spread.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in flat}
    del spread.__wrapped__
    return spread


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Printing:
    """How a command speaks."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, no words.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False

    def show(self, *, to_stderr: bool = False) -> Show:
        """Where to speak."""
        return Show(self.json, self.quiet, to_stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table, and which of its columns matter."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV (also gzipped), Parquet or Arrow; a folder of such files, or a pattern in "
            "quotes ('2024/*.parquet'); - is stdin.",
        ),
    ]
    column: Annotated[
        str | None, typer.Option("--column", "-c", help="The numeric column to protect.")
    ] = None
    secret: Annotated[
        str | None, typer.Option("--secret", "-s", help="The column that must not be betrayed.")
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="csv, parquet or arrow, where the name does not tell; for Spark any of its "
            "formats, or table."
        ),
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a CSV; found by itself if not given.")
    ] = None
    engine: Annotated[
        Engine, typer.Option(help="Who reads and writes: this machine, or a Spark cluster.")
    ] = Engine.LOCAL
    master: Annotated[
        str | None,
        typer.Option(help="The cluster, such as spark://host:7077, yarn, local[*]."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options that belong to the other engine."""
        if self.engine is Engine.LOCAL and self.master is not None:
            raise InvalidInputError("--master belongs to --engine spark.")
        if self.engine is Engine.SPARK and self.delimiter is not None:
            raise InvalidInputError("--delimiter belongs to the local engine; Spark's CSV has ','.")
        if self.engine is Engine.SPARK and self.file == STANDARD_STREAM:
            raise InvalidInputError("a cluster cannot read standard input.")

    @property
    def path(self) -> Path:
        """The file, for the local engine."""
        return Path(self.file)

    @property
    def on_spark(self) -> bool:
        """Whether a cluster does the work."""
        return self.engine is Engine.SPARK

    def cluster(self) -> AbstractContextManager[Any]:
        """A session of the cluster; without one, nothing."""
        return spark_session(self.master) if self.on_spark else nullcontext()

    @property
    def columns(self) -> tuple[str, str]:
        """The column to protect and that of the secret, which must be named."""
        if self.column is None or self.secret is None:
            raise InvalidInputError(
                "name the column to protect and the column of the secret: --column NAME "
                "--secret NAME."
            )
        if self.column == self.secret:
            raise InvalidInputError(
                f"--column and --secret are both {self.column!r}; they must differ."
            )
        return self.column, self.secret

    def refuse_places(
        self,
        *places: Path | None,
        folder: Path | None = None,
        ledger: Path | None = None,
        force: bool,
    ) -> None:
        """Before any work: outputs that cannot be written, or would replace the table itself.

        Args:
            places: Files.
            folder: A folder.
            ledger: A file that is added to.
            force: Whether they may be replaced.
        """
        real = [place for place in places if place is not None and str(place) != STANDARD_STREAM]
        for place in real:
            refuse_unusable(place, force=force)
            if place.exists() and self.path.exists() and place.samefile(self.path):
                raise OutputExistsError(f"{place} is the table itself; choose another name.")
        if folder is not None:
            refuse_unusable_folder(folder, MANIFEST, force=force)
            real.append(folder)
        if not self.on_spark:
            source = find_source(self.file)
            if source.many:
                for place in real:
                    source.refuse_target(place)
        if ledger is not None:
            refuse_unusable(ledger, force=True)
            real.append(ledger)
        if len({place.resolve() for place in real}) < len(real):
            raise InvalidInputError("every output needs a name of its own.")

    @property
    def file_format(self) -> FileFormat:
        """How the table is written."""
        return format_of(self.file, self.format, self.delimiter)

    def summary(self, show: Show) -> Summary:
        """The counts of the whole file."""
        if self.on_spark:
            column, secret = self.columns
            with self.cluster() as session, show.progress(f"Counting {self.file}"):
                table = read_table(session, self.file, self.format, column)
                return summarise(table, column=column, secret=secret)
        if self.file == STANDARD_STREAM:
            raise InvalidInputError(
                "standard input cannot be read twice: make a plan from a file first (pufferfish "
                "calibrate FILE ... --output plan.json), then release - --plan plan.json."
            )
        with show.progress(f"Reading {self.path.name}") as progress:
            return summarise_files(self.file, self.file_format, *self.columns, progress=progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """What of the table is published, and what happens to noised values."""

    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Another column to publish as it is; may be given several times. What it says "
            "about the secret is not covered."
        ),
    ] = None
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle, though order can betray.")
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
            try:
                low, high = (float(each) for each in self.clip.split(":"))
            except ValueError:
                raise InvalidInputError(
                    "--clip must be two numbers with a colon between them, such as 0:16, got "
                    f"{self.clip!r}."
                ) from None
            steps.append(Clip(low, high))
        return tuple(steps)
