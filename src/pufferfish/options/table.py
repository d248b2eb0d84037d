"""Options: the table, and which of its columns matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from pufferfish.core.atomic import refuse_unusable, refuse_unusable_folder
from pufferfish.core.errors import InvalidInputError, OutputExistsError, UnsupportedError
from pufferfish.options.voice import Voice
from pufferfish.tables import STANDARD_STREAM, Counting, Counts, FileFormat, format_of
from pufferfish.tables.engine import Engine as TableEngine
from pufferfish.tables.halves import Halves, split_engine
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.manifest import MANIFEST
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.sources import find_source
from pufferfish.tables.spark.engine import SparkEngine
from pufferfish.tables.spark.session import number_columns, read_table, spark_session

__all__ = ["Engine", "Marks", "Table"]


Marks = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="MARK",
        help="A text that means a missing value or secret; may be given several times. "
        "Without it only null, NaN and empty entries are missing.",
    ),
]


class Engine(StrEnum):
    """What reads and writes tables."""

    LOCAL = "local"
    SPARK = "spark"


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
        list[str] | None,
        typer.Option(
            "--column",
            "-c",
            help="The column to publish under the promise: numbers or categories; given several "
            "times, these columns together.",
        ),
    ] = None
    secret: Annotated[
        list[str] | None,
        typer.Option(
            "--secret",
            "-s",
            help="The column that must not be revealed; given several times, each of them.",
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="csv, parquet or arrow, if the name does not tell; on Spark any of its formats, "
            "or table."
        ),
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="The character between fields of a CSV; detected by default.")
    ] = None
    na: Marks = None
    engine: Annotated[
        Engine, typer.Option(help="What reads and writes: this machine, or a Spark cluster.")
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
            raise InvalidInputError(
                "--delimiter belongs to the local engine: leave it out; Spark's CSV has ','."
            )
        if self.engine is Engine.SPARK and self.file == STANDARD_STREAM:
            raise InvalidInputError("a cluster cannot read standard input: give a file.")

    @property
    def path(self) -> Path:
        """The file, for the local engine."""
        return Path(self.file)

    @property
    def on_spark(self) -> bool:
        """Whether a cluster does the work."""
        return self.engine is Engine.SPARK

    def cluster(self) -> AbstractContextManager[Any]:
        """A session of the cluster; None without a cluster."""
        return spark_session(self.master) if self.on_spark else nullcontext()

    @property
    def columns(self) -> tuple[str, str]:
        """The one column to publish and the column of the one secret, which must be named."""
        if not self.column or not self.secret:
            raise InvalidInputError(
                "name the column to publish and the column of the secret: --column NAME "
                "--secret NAME."
            )
        if len(self.column) > 1 or len(self.secret) > 1:
            raise InvalidInputError(
                "this command takes one column and one secret: give --column and --secret once "
                "each."
            )
        column, secret = self.column[0], self.secret[0]
        if column == secret:
            raise InvalidInputError(f"--column and --secret are both {column!r}; they must differ.")
        return column, secret

    @contextmanager
    def opened(self, names: Sequence[str]) -> Iterator[TableEngine]:
        """The table, to be read. In a CSV on a cluster, `names` that hold numbers become numbers.

        Args:
            names: The columns that matter.
        """
        if not self.on_spark:
            self._refuse_stream()
            yield FilesEngine(source=self.file, source_format=self.file_format)
            return
        with self.cluster() as session:
            texts = self.read(session, (), tuple(names))
            numbers = number_columns(texts, names)
            labels = tuple(name for name in names if name not in numbers)
            yield SparkEngine(frame=self.read(session, numbers, labels) if numbers else texts)

    def refuse_places(
        self,
        *places: Path | None,
        folder: Path | None = None,
        ledger: Path | None = None,
        force: bool,
    ) -> None:
        """Refuse, before any work, outputs that cannot be written or would replace the table.

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
            raise InvalidInputError("two outputs have the same name: give each its own.")

    @property
    def file_format(self) -> FileFormat:
        """The format of the table."""
        return format_of(self.file, self.format, self.delimiter, na=self.na or ())

    def read(self, session: Any, numbers: tuple[str, ...], labels: tuple[str, ...]) -> Any:
        """The table as a frame of the cluster; the arguments are those of `read_table`."""
        return read_table(session, self.file, self.format, numbers, labels, self.na or ())

    def summary(self, voice: Voice, one_row: OneRow | None = None) -> Counts:
        """The counts of the whole file; with `one_row`, each person counts once."""
        what = Counting.of_column(*self.columns, one_row=one_row)
        if self.on_spark:
            column, secret = self.columns
            with self.cluster() as session, voice.progress(f"Counting {self.file}"):
                table = self.read(session, (column,), (secret,))
                return SparkEngine(frame=table).fold(what)
        self._refuse_stream()
        with voice.progress(f"Reading {self.path.name}") as progress:
            engine = FilesEngine(source=self.file, source_format=self.file_format)
            return engine.fold(what, progress=progress)

    def halves(self, voice: Voice) -> Halves:
        """The counts of the file, split at random."""
        with voice.progress(f"Reading {self.path.name}") as progress:
            engine = FilesEngine(source=self.file, source_format=self.file_format)
            return split_engine(engine, Counting.of_column(*self.columns), progress)

    def refuse_half(self) -> None:
        """Refuse a table whose rows cannot be split by their number."""
        if self.on_spark:
            raise UnsupportedError("rows of a cluster have no numbers: --fit-on half is for files.")
        self._refuse_stream()

    def _refuse_stream(self) -> None:
        if self.file == STANDARD_STREAM:
            raise InvalidInputError(
                "standard input cannot be read twice: make a plan from a file first (pufferfish "
                "calibrate FILE ... --output plan.json), then release - --plan plan.json."
            )
