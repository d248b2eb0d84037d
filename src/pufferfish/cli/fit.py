"""Fit beliefs: for each secret, the law that an adversary would expect of a column, or of several.

Example: pufferfish fit adult.csv --column education-num --secret race --output beliefs.json
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pufferfish.beliefs.documents import belief_to_dict
from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.scenario import PUBLIC, REFERENCE, RELEASED
from pufferfish.cli.printing import Force, Printing
from pufferfish.cli.show import Show
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit import fit_beliefs, fit_report
from pufferfish.fit.verbs import fit_counts
from pufferfish.noise import LaplaceNoise
from pufferfish.options.adversaries import Adversaries, Cap, cap_bounds, families_of, save_beliefs
from pufferfish.options.counting import count_asked, holds_categories
from pufferfish.options.groups import flatten_groups
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.roles import Roles
from pufferfish.options.table import Table
from pufferfish.words.beliefs import law_in_words
from pufferfish.words.explanation import notices

__all__ = ["command"]

_ORIGINS = {"released": RELEASED, "reference": REFERENCE, "public": PUBLIC}


@flatten_groups
def command(
    table: Table,
    roles: Roles,
    printing: Printing,
    belief: Annotated[
        list[str] | None,
        typer.Option(
            help="gaussian, mixture, mixture-3, ubm or empirical; may be given several times. By "
            "default mixture and empirical. Categories, and several columns: empirical (the "
            "default there), independent or chain."
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Number of further adversaries of each kind, on resampled rows.")
    ] = 0,
    scale: Annotated[
        float | None,
        typer.Option(
            help="Also print how far fit and data differ after Laplace noise of this scale."
        ),
    ] = None,
    origin: Annotated[
        str,
        typer.Option(help="What the table is: released (to be published), reference or public."),
    ] = "released",
    min_group: Annotated[int, typer.Option(help="Refuse a secret with fewer records.")] = 30,
    edges: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=A,B,C",
            help="Public edges of the bins of a published column, as for release; may be given "
            "for several columns.",
        ),
    ] = None,
    cap: Cap = None,
    person: Annotated[
        str | None,
        typer.Option(help="With --one-row: the column that says which rows are one person's."),
    ] = None,
    one_row: Annotated[
        str | None,
        typer.Option(
            metavar="first|mean",
            help="Count each person once, by their first row or the mean of their values: for a "
            "release with the same options.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the beliefs here.")
    ] = None,
    force: Force = False,
) -> None:
    """Fit, report, write."""
    show = printing.show()
    if origin not in _ORIGINS:
        raise InvalidInputError(f"--origin must be one of {', '.join(_ORIGINS)}, got {origin!r}.")
    asked = Asked(
        table=table,
        roles=roles,
        adversaries=Adversaries(
            belief=belief, bootstrap=bootstrap, min_group=min_group, cap=cap, missing="keep"
        ),
        recoding=HowRecoded(edges=edges),
    )
    require(asked.joint or not edges, "--edges must name the column: --edges COLUMN=A,B,C.")
    noise = None if scale is None else LaplaceNoise(scale)
    publishing = Publishing(person=person, one_row=one_row)
    publishing.check()
    if (person is None) != (one_row is None):
        raise InvalidInputError("--person and --one-row belong together: give both or neither.")
    table.refuse_places(output, force=force)
    reduction = None if one_row is None else publishing.reduction(*table.columns)
    try:
        families = [] if asked.joint else families_of(belief)
        summary = None if asked.joint else table.summary(show, reduction)
    except InvalidInputError:
        if not holds_categories(asked):
            raise
        summary = None
    if summary is None:
        require(
            scale is None and person is None,
            "--scale, --person and --one-row are for one column of numbers without known columns: "
            "leave them out.",
        )
        _fit_table(asked, _ORIGINS[origin], output, show, force=force)
        return
    bounds = cap_bounds(cap)
    if bounds is not None:
        summary = summary.capped(*bounds)
    shared: dict[str, Any] = {"min_group": min_group, "provenance": _ORIGINS[origin]}
    reports = [fit_report(summary, family=each, noise=noise, **shared) for each in families]
    beliefs = tuple(report.belief for report in reports)
    if bootstrap:
        beliefs = fit_beliefs(summary, families=families, bootstrap=bootstrap, **shared)
    if output is not None:
        save_beliefs(output, beliefs, force=force)
    written = "" if output is None else f"\n\nBeliefs written to {output}."
    show.result(
        "\n\n".join(report.explain() for report in reports) + written,
        {"beliefs": [belief_to_dict(each) for each in beliefs]},
    )


def _fit_table(
    asked: Asked, provenance: str, output: Path | None, show: Show, *, force: bool
) -> None:
    """Show and write beliefs about a table: one for each combination of known values."""
    adversaries = asked.adversaries
    counted = count_asked(asked, show)
    with show.progress("Fitting"):
        beliefs = fit_counts(
            counted,
            adversaries.fitted,
            adversaries.bootstrap,
            min_group=adversaries.min_group,
            cap=adversaries.bounds,
            provenance=provenance,
        )
    if output is not None:
        save_beliefs(output, beliefs, force=force)
    said = []
    for each in beliefs:
        knows = f", who knows that {given_in_words(each.given)}" if each.given else ""
        laws = [f"  {secret!r}: {law_in_words(law)}" for secret, law in each.priors.items()]
        said.append("\n".join([f"{each.name!r}{knows}", *laws]))
    public = all(each.public for each in beliefs)
    head = [] if public else [notices(True, private="some beliefs")[0]]
    written = "" if output is None else f"\n\nBeliefs written to {output}."
    show.result(
        "\n\n".join([*head, *said]) + written,
        {"beliefs": [belief_to_dict(each) for each in beliefs]},
    )
