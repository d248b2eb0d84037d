"""Data frames of any kind, through narwhals: pandas, Polars eager and lazy, PyArrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pufferfish.errors import InvalidInputError, MissingExtraError
from pufferfish.tables.arrow import arrow_batches
from pufferfish.tables.names import check_columns
from pufferfish.tables.tally import Batch

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["frame_batches", "narwhals"]


def frame_batches(frame: Any, column: str, secret: str, count: str | None) -> Iterator[Batch]:
    """The rows of a frame, as far as two or three of its columns go."""
    given = narwhals(frame)
    check_columns(given.collect_schema().names(), column, secret, count)
    # A set would lose the order, and one column may be asked for twice.
    names = dict.fromkeys([column, secret, *([] if count is None else [count])])
    chosen: Any = given.select(*names)
    if hasattr(chosen, "collect"):
        chosen = chosen.collect()
    return arrow_batches(_to_arrow(chosen), column, secret, count)


def narwhals(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """A frame behind one interface."""
    try:
        import narwhals as nw  # noqa: PLC0415
        import pyarrow  # noqa: F401, PLC0415
    except ImportError:
        raise MissingExtraError(
            f"to read a {type(frame).__name__} as a frame, install the extra: "
            "pip install 'pufferfish-privacy[frames]'. Without it, give a dict of arrays: "
            "{'column': values, 'secret': secrets}."
        ) from None
    try:
        return nw.from_native(frame)  # type: ignore[no-any-return]
    except TypeError:
        raise InvalidInputError(
            f"data must be a frame (pandas, Polars, PyArrow), a dict of arrays or a Summary, got "
            f"{type(frame).__name__}."
        ) from None


def _to_arrow(frame: nw.DataFrame[Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    try:
        return frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Arrow's own message would quote a cell.
        raise InvalidInputError(
            f"the columns {', '.join(map(repr, frame.columns))} hold values of mixed kinds; "
            "convert each to one kind (numbers; text for secrets) first."
        ) from None
