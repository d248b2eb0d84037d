"""One page that ties figures, table, counterexamples and errata together: no script, no network."""

from __future__ import annotations

from examples.paper.draw import page_pictures
from examples.paper.errata import Erratum
from examples.paper.figure import Figure
from examples.paper.table import EPSILON, Table
from examples.paper.tabular import SHOWN, parts, short_form
from pufferfish.report.templates import templates

__all__ = ["page"]


def page(
    figures: tuple[Figure, ...],
    counterexamples: Figure,
    table: Table,
    errata: tuple[Erratum, ...],
    headline: tuple[tuple[str, str], ...],
) -> str:
    """The whole page, with pictures inside it; the same pictures are files next to it."""
    text: str = (
        # The page uses the report's style sheet and macros.
        templates("examples.paper", "pufferfish.report")
        .get_template("page.html.j2")
        .render(
            figures=[(figure, page_pictures(figure)) for figure in figures],
            counterexamples=(counterexamples, page_pictures(counterexamples)),
            ways=SHOWN,
            parts=tuple(parts(table)),
            short=short_form(table),
            broken=[
                f"{row.experiment}, {row.belief}, δ = {row.goal.delta:g}"
                for row in table.rows
                if (certificate := row.entries["Theorem 2"].certificate) is not None
                and certificate.holds is not True
            ],
            errata=errata,
            headline=headline,
            epsilon=EPSILON,
        )
    )
    return text
