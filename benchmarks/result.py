"""One line of the table, and the table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was measured. `met` is None where no target was set; `note` is printed below."""

    what: str
    ours: float
    unit: str = "ms"
    peer: float | None = None
    target: str = ""
    met: bool | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times more the peer takes."""
        return None if self.peer is None else self.peer / self.ours

    @property
    def verdict(self) -> str:
        return "" if self.met is None else "met" if self.met else "MISSED"


_HEADER = ("", "what", "ours", "peer", "peer/ours", "target", "")


def as_table(results: list[Result]) -> str:
    """Aligned columns, then the notes by number."""
    noted = [result for result in results if result.note]
    rows = [_HEADER] + [
        (
            f"[{noted.index(result) + 1}]" if result.note else "",
            result.what,
            f"{_number(result.ours)} {result.unit}",
            "–" if result.peer is None else f"{_number(result.peer)} {result.unit}",
            "–" if result.ratio is None else f"{result.ratio:,.1f}",
            result.target,
            result.verdict,
        )
        for result in results
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = (2, 3, 4)
    lines = [
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"[{number}] {result.note}" for number, result in enumerate(noted, 1)]
    return "\n".join([*lines, "", *notes])


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
