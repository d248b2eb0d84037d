"""Compute all of the paper, and write it into one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from os import PathLike
from pathlib import Path

import pufferfish as pf
from examples.paper import counterexamples as counter
from examples.paper import fig_1, fig_2, fig_3, fig_4, fig_5, table, tabular
from examples.paper.counterexamples import Found
from examples.paper.draw import figure_file
from examples.paper.errata import Erratum, errata
from examples.paper.experiments import TABLE, adult, hungarian
from examples.paper.figure import Figure, plot
from examples.paper.page import page
from examples.paper.table import Table
from pufferfish.core.atomic import replacing
from pufferfish.core.extras import check_report, matplotlib
from pufferfish.words.numbers import at_most

__all__ = ["PAGE", "Progress", "Reproduction", "Written", "compute_figures", "paper"]

# Called with (what is done, number done, number in all).
Progress = Callable[[str, int, int], None]

# The file to open first.
PAGE = "index.html"
# Steps: seven adversaries for each δ; fits, five figures, counterexamples; files of six figures,
# the page.
_STEPS = 7 * len(table.DELTAS) + 7 + 7


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reproduction:
    """All that was computed.

    Attributes:
        figures: Figs. 1 to 5.
        counterexamples: The counterexamples to Theorem 2 and Corollary 2, as a figure.
        cases: The same as numbers.
        table: The noise that each way takes.
        errata: Where the paper does not hold.
    """

    figures: tuple[Figure, ...]
    counterexamples: Figure
    cases: tuple[Found, ...]
    table: Table
    errata: tuple[Erratum, ...]

    @property
    def headline(self) -> tuple[tuple[str, str], ...]:
        """The few numbers to remember, each with what it is."""
        mixtures, tables = (
            self.table.row("Adult", belief, 0.0) for belief in ("paper's mixtures", TABLE)
        )
        asked = self.table.row("Adult", mixtures.belief, 0.3)
        return (
            (
                f"{asked.scale('Theorem 2'):.4f}",
                "is the Laplace scale that the paper's Theorem 2 takes to promise δ = 0.3 on Adult "
                "(its own mixtures, ε = 1)",
            ),
            (
                at_most(mixtures.scale("exact"), 6),
                "suffices for δ = 0, without any exception, by the exact certificate",
            ),
            (
                at_most(tables.scale("exact"), 6),
                "suffices against an adversary who knows the table itself",
            ),
            (
                at_most(mixtures.bare_upper, 4),
                "is the true δ (ε = 1) of the paper's own mixtures without any noise",
            ),
            *(
                (
                    f"{each.formula.certificate.delta_lower:.4f}",
                    f"is the true δ of a counterexample for which {each.case.statement} promises "
                    f"{each.case.goal.delta:g}",
                )
                for each in self.cases
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Written:
    """What `paper` wrote.

    Attributes:
        folder: The folder.
        files: The names of the files, the page first.
        reproduction: What was computed.
    """

    folder: Path
    files: tuple[str, ...]
    reproduction: Reproduction


def paper(
    folder: str | PathLike[str], *, force: bool = False, progress: Progress | None = None
) -> Written:
    """Compute every figure, the table, the counterexamples and the errata, and write them.

    Nothing is written before everything is computed.

    Args:
        folder: The folder to write to; made if it does not exist.
        force: Write into a folder that is not empty, over files of the same names.
        progress: Called with (what is done, number done, number in all).

    Raises:
        OutputExistsError: The folder is not empty, or a file has its name.
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    place = Path(folder)
    check_report()
    matplotlib()
    _refuse_used(place, force)
    step = _counter(progress or (lambda what, done, total: None))
    found = compute_figures(step)
    contents = dict(_files(found, step))
    place.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        with replacing(place / name, force=force) as file:
            file.write(content)
    return Written(folder=place, files=tuple(sorted(contents, key=_page_first)), reproduction=found)


def compute_figures(step: Callable[[str], None] = lambda what: None) -> Reproduction:
    """Compute all numbers; `step` is told each time some are done."""
    experiments = adult(), hungarian()
    step("the columns and their fits")
    rows = table.compute(experiments, step)
    figures = []
    for make in (
        fig_1.figure,
        lambda: fig_2.figure(fig_2.compute()),
        lambda: fig_3.figure(experiments[0], rows),
        lambda: fig_4.figure(experiments[1], rows),
        fig_5.figure,
    ):
        figures.append(make())
        step(figures[-1].number)
    cases = counter.compute()
    step("the counterexamples")
    return Reproduction(
        figures=tuple(figures),
        counterexamples=counter.figure(cases),
        cases=cases,
        table=rows,
        errata=tuple(errata(*experiments, rows, cases)),
    )


def _files(found: Reproduction, step: Callable[[str], None]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file."""
    for figure in (*found.figures, found.counterexamples):
        for kind in ("png", "svg"):
            yield f"{figure.name}.{kind}", figure_file(figure, kind)
        yield f"{figure.name}.csv", plot(figure).encode()
        step(f"the files of {figure.number}")
    yield "table.csv", tabular.table_csv(found.table).encode()
    yield "table.md", tabular.markdown(found.table).encode()
    text = page(found.figures, found.counterexamples, found.table, found.errata, found.headline)
    yield PAGE, text.encode()
    step("the page")


def _refuse_used(place: Path, force: bool) -> None:
    if place.exists() and not place.is_dir():
        raise pf.OutputExistsError(f"{place} is not a folder; choose another one.")
    if not force and place.exists() and any(place.iterdir()):
        raise pf.OutputExistsError(
            f"{place} is not empty; choose another folder, or replace files of the same names in "
            "it with --force (force=True)."
        )


def _page_first(name: str) -> tuple[bool, str]:
    return name != PAGE, name


def _counter(progress: Progress) -> Callable[[str], None]:
    """Count the steps that are done."""
    done = count(1)
    return lambda what: progress(what, next(done), _STEPS)
