"""Fit what an adversary would believe of a column, for each secret.

Example: pufferfish fit adult.csv --column education-num --secret race --output beliefs.json
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pufferfish.beliefs.documents import belief_to_dict
from pufferfish.beliefs.scenario import PUBLIC, REFERENCE, RELEASED
from pufferfish.cli.printing import Force, Printing
from pufferfish.core.errors import InvalidInputError
from pufferfish.fit import fit_beliefs, fit_report
from pufferfish.noise import LaplaceNoise
from pufferfish.options.adversaries import Cap, cap_bounds, families_of, save_beliefs
from pufferfish.options.groups import flatten_groups
from pufferfish.options.publishing import Publishing
from pufferfish.options.table import Table

__all__ = ["command"]

_ORIGINS = {"released": RELEASED, "reference": REFERENCE, "public": PUBLIC}


@flatten_groups
def command(
    table: Table,
    printing: Printing,
    belief: Annotated[
        list[str] | None,
        typer.Option(
            help="gaussian, mixture, mixture-3, ubm or empirical; may be given several times. By "
            "default mixture and empirical."
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="So many more adversaries of each kind, fitted to resampled rows.")
    ] = 0,
    scale: Annotated[
        float | None,
        typer.Option(
            help="Also say how far fit and data differ after Laplace noise of this scale."
        ),
    ] = None,
    origin: Annotated[
        str,
        typer.Option(help="The table is: released (to be published), reference, or public."),
    ] = "released",
    min_group: Annotated[int, typer.Option(help="Refuse a secret with fewer records.")] = 30,
    cap: Cap = None,
    person: Annotated[
        str | None,
        typer.Option(help="With --one-row: the column that says which rows are one person's."),
    ] = None,
    one_row: Annotated[
        str | None,
        typer.Option(
            metavar="first|mean",
            help="Count each person once, by its first row or the mean of its values: for a "
            "release with the same options.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the beliefs here (JSON or YAML).")
    ] = None,
    force: Force = False,
) -> None:
    """Fit, report, write."""
    show = printing.show()
    if origin not in _ORIGINS:
        raise InvalidInputError(f"--origin must be one of {', '.join(_ORIGINS)}, got {origin!r}.")
    noise = None if scale is None else LaplaceNoise(scale)
    families = families_of(belief)
    publishing = Publishing(person=person, one_row=one_row)
    publishing.check()
    if (person is None) != (one_row is None):
        raise InvalidInputError("--person and --one-row belong together: give both, or none.")
    table.refuse_places(output, force=force)
    reduction = None if one_row is None else publishing.reduction(*table.columns)
    summary = table.summary(show, reduction)
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
