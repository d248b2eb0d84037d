"""What is done to rows of a Spark frame, in a form that can be sent to executors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from pufferfish.core.extras import pyarrow
from pufferfish.tables.arrow import arrow_batch, arrow_column, arrow_type
from pufferfish.tables.batch import Batch, Coded, ColumnType
from pufferfish.tables.change import Change, Changed
from pufferfish.tables.coding import Coding

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Changing"]


@dataclass(frozen=True, slots=True)
class Changing:
    """The part of a `Change` that rows need, with the same attributes."""

    columns: Mapping[str, ColumnType]
    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    secret: str
    bands: Coding | None
    change: Callable[[Batch, int | None], Changed]
    secrets: Callable[[Batch, int | None], tuple[Coded, ...]] | None = None

    @classmethod
    def of(cls, how: Change) -> Self:
        """What `how` does to rows, without an observer."""
        columns = dict(how.columns)
        return cls(columns, how.numbers, how.labels, how.secret, how.bands, how.checked)

    def read(self, part: pa.RecordBatch) -> Batch:
        """Rows as the change reads them."""
        labelled = self.secret if self.bands is None else None
        batch = arrow_batch(part, self.numbers, labelled, self.labels)
        return batch if self.bands is None else batch._replace(secret=self.bands.coded(batch))

    def looked_for(self, batch: Batch) -> tuple[Coded, ...]:
        """The secrets of rows for the observer."""
        return (batch.secret,) if self.secrets is None else self.secrets(batch, None)

    def changed(
        self, part: pa.RecordBatch, names: tuple[str, ...]
    ) -> tuple[pa.RecordBatch, tuple[Coded, ...]]:
        """The rows that stay, with some columns of the result, and their secrets."""
        pa = pyarrow()
        batch = self.read(part)
        changed, secrets = self.change(batch, None), self.looked_for(batch)
        if changed.rows is not None:
            part = part.filter(pa.array(changed.rows))
            stays = np.flatnonzero(changed.rows)
            secrets = tuple(each.taken(stays) for each in secrets)
        columns = [
            arrow_column(
                changed.columns[name], arrow_type(name, self.columns[name], part.column(name).type)
            )
            if name in self.columns
            else part.column(name)
            for name in names
        ]
        return pa.RecordBatch.from_arrays(columns, names=list(names)), secrets
