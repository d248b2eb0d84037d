"""A Spark session for the command line, and the tables that it can read."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from pufferfish.core.errors import EngineError, InvalidInputError
from pufferfish.core.extras import pyspark
from pufferfish.tables.encodings import not_utf8
from pufferfish.tables.marks import check_marks, numbers_of
from pufferfish.tables.names import MARKS_HINT, check_columns, not_numeric
from pufferfish.tables.spark.jobs import spark_errors, understood

__all__ = ["number_columns", "read_table", "spark_session"]

# The form of a number; Java's parser would also accept 1d and 0x1p4.
_MASTER = re.compile(r"(local(\[.*\])?|local-cluster\[.*\]|yarn)$|(spark|k8s)://.+")
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


@contextlib.contextmanager
def spark_session(master: str | None) -> Iterator[Any]:
    """A session on a cluster, which ends with the block unless it existed before.

    Args:
        master: The cluster's address (spark://host:7077, yarn, k8s://..., local[*]); None: that of
            Spark's own configuration, or else this machine.
    """
    if master is not None and not _MASTER.match(master):
        raise InvalidInputError(
            f"{master!r} is not a cluster's address; say --master spark://HOST:PORT, yarn, "
            "k8s://HOST:PORT, or local[*] for this machine."
        )
    # PySpark warns on every start; none of its pandas functions are used.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = pyspark("sql").SparkSession.builder.appName("pufferfish")
    builder = builder.config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master is not None:
        builder = builder.master(master)
    if master is None or master.startswith("local"):
        # Executors on this machine can use the same Python.
        builder = builder.config("spark.pyspark.python", sys.executable)
    refused: tuple[type[Exception], ...] = (*spark_errors(), RuntimeError, OSError)
    own = pyspark("sql").SparkSession.getActiveSession() is None
    try:
        session = builder.getOrCreate()
    except refused as error:
        raise EngineError(
            "Spark did not start. It needs Java 17 or newer, and a cluster that answers at the "
            "address given with --master."
        ) from error
    # Spark's messages quote cells.
    session.sparkContext.setLogLevel("OFF")
    try:
        with _stop_on_sigterm(session):
            yield session
    finally:
        if own:
            session.stop()


@contextlib.contextmanager
def _stop_on_sigterm(session: Any) -> Iterator[None]:
    """On SIGTERM, end the jobs and then raise here, as Spark does on Ctrl-C."""

    def stop(number: int, frame: object) -> None:
        session.sparkContext.cancelAllJobs()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def read_table(
    session: Any,
    source: str,
    kind: str | None,
    numbers: tuple[str, ...],
    labels: tuple[str, ...] = (),
    na: Sequence[str] = (),
) -> Any:
    """A table that Spark can read: a file or folder in one of its formats, or from its catalogue.

    Args:
        session: The session.
        source: A path, an address, or the name of a table.
        kind: One of Spark's formats (parquet, orc, csv, json, avro, delta, ...), or "table"; None:
            Parquet, or CSV where the name says so.
        numbers: The columns that must hold numbers. In a CSV everything else is text.
        labels: The columns that are read as labels, such as that of the secret.
        na: Texts that mean a missing number or label.
    """
    marks = check_marks(na)
    if kind is None:
        kind = "csv" if source.endswith((".csv", ".csv.gz", ".tsv")) else "parquet"
    try:
        with understood():
            if kind == "csv":
                text = _without_marks(_read_csv(session, source), numbers + labels, marks)
                return _with_numbers(_refusing_replaced(text, labels), numbers)
            by_name = kind == "table"
            table = session.table(source) if by_name else session.read.format(kind).load(source)
            return _without_marks(table, numbers + labels, marks)
    except EngineError as error:
        raise InvalidInputError(
            f"Spark cannot read {source!r} as {kind}: check that every executor can reach it, and "
            "that this is its format (name another with --format)."
        ) from error


def number_columns(table: Any, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of text that hold only numbers, at least one: a CSV does not declare types."""
    sql = pyspark("sql.functions")
    check_columns(table.columns, *names)
    kinds = dict(table.dtypes)
    texts = [name for name in names if kinds[name] == "string"]
    if not texts:
        return ()
    counted = []
    for place, name in enumerate(texts):
        text = sql.trim(table[_quote(name)])
        there = text.isNotNull() & ~sql.lower(text).isin("", "nan")
        number = there & text.rlike(_NUMBER)
        counted.append(sql.count_if(number).alias(f"n{place}"))
        counted.append(sql.count_if(there & ~number).alias(f"t{place}"))
    with understood():
        found = table.agg(*counted).collect()[0]
    return tuple(
        name for place, name in enumerate(texts) if found[f"n{place}"] and not found[f"t{place}"]
    )


def _read_csv(session: Any, source: str) -> Any:
    """A CSV as in RFC 4180, all of it text; a malformed row stops the job."""
    options = {
        "header": "true",
        "sep": "\t" if source.endswith(".tsv") else ",",
        "escape": '"',
        "multiLine": "true",
        "mode": "FAILFAST",
        # Otherwise Spark does not parse fields that are not used, and misses none.
        "columnPruning": "false",
    }
    return session.read.options(**options).csv(source)


def _without_marks(table: Any, names: Sequence[str], marks: Sequence[str]) -> Any:
    """A table with null where there is a mark, in some of its columns, as by `without_marks`."""
    sql, kinds = pyspark("sql.functions"), dict(table.dtypes)
    changed = {}
    for name in names if marks else ():
        if name not in kinds:
            continue
        column = table[_quote(name)]
        if kinds[name] == "string":
            marked = sql.trim(column).isin(*marks)
        elif numbers_of(marks) and kinds[name] != "boolean":
            marked = column.cast("double").isin(*numbers_of(marks))
        else:
            continue
        changed[name] = sql.when(sql.coalesce(~marked, sql.lit(True)), column)
    return table.withColumns(changed) if changed else table


def _quote(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _refusing_replaced(table: Any, labels: tuple[str, ...]) -> Any:
    """Refuse bytes that are not UTF-8: Spark replaces all by one sign, which would merge labels."""
    sql = pyspark("sql.functions")
    refusal = sql.raise_error(sql.lit(f"pufferfish.core.errors.DataError: {not_utf8()}"))
    texts = {name: table[_quote(name)] for name in labels if name in table.columns}
    return table.withColumns(
        {
            name: sql.when(text.contains("\ufffd"), refusal).otherwise(text)
            for name, text in texts.items()
        }
    )


def _with_numbers(table: Any, numbers: tuple[str, ...]) -> Any:
    """A table of text with some columns as numbers; other text stops the job with a message."""
    check_columns(table.columns, *numbers)
    return table.withColumns({name: _number(name, table[_quote(name)]) for name in numbers})


def _number(name: str, column: Any) -> Any:
    sql = pyspark("sql.functions")
    text = sql.trim(column)
    missing = sql.lower(text).isin("", "nan") | text.isNull()
    refusal = f"pufferfish.core.errors.DataError: {not_numeric(name, 'text')} {MARKS_HINT}"
    number = sql.when(text.rlike(_NUMBER), text.cast("double"))
    return sql.when(~missing, sql.coalesce(number, sql.raise_error(sql.lit(refusal))))
