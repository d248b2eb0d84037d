"""Which pair the page shows: the worst, or one chosen from the list or the heat map."""

from __future__ import annotations

from collections.abc import Callable

from htmltools import Tag
from shiny import reactive, render, ui

from pufferfish.exact import Certificate, PairResult
from pufferfish.options.adversaries import pair_text
from pufferfish.report.pictures import heat_secrets
from pufferfish.report.views import worst_first
from pufferfish.studio.bench import AnyOutlook, Outlook
from pufferfish.studio.controls import choices
from pufferfish.studio.latest import renew
from pufferfish.studio.panels import moving_parts
from pufferfish.studio.session import Page
from pufferfish.studio.table_panels import table_parts
from pufferfish.words.phrases import pair_in_words

__all__ = ["wire_looks"]

# Pairs that can be chosen from a list.
_MOST_LISTED = 200


def wire_looks(page: Page, outlook: Callable[[], AnyOutlook]) -> None:
    """Send every outlook to the page, for the pair that the user has chosen."""
    listed: reactive.Value[dict[str, str]] = reactive.value({})
    chosen: reactive.Value[str] = reactive.value("")

    @reactive.effect
    def _list() -> None:
        # Sorted, whatever the order of the results: the list stays as it is while a slider moves.
        shown = outlook()
        looks = _looks(shown.calibration.certificate) if isinstance(shown, Outlook) else {}
        found = sorted(looks.items())[:_MOST_LISTED]
        renew(listed, {name: _in_words(result) for name, result in found})

    @reactive.effect
    async def _move() -> None:
        found = outlook()
        if not isinstance(found, Outlook):
            await page.send("moved", **table_parts(found))
            return
        look = _looks(found.calibration.certificate).get(chosen())
        await page.send("moved", **moving_parts(found, look))

    @reactive.effect
    def _choose() -> None:
        look = str(page.entry("look") or "")
        with reactive.isolate():
            beyond = bool(chosen()) and chosen() not in listed()
        # The list shows its first entry where it lacks the pair: the user did not choose that.
        if look or not beyond:
            renew(chosen, look)

    @reactive.effect
    def _choose_cell() -> None:
        cell = page.entry("cell")
        with reactive.isolate():
            look = _look_of(cell, outlook().calibration.certificate)
            in_list = look in listed()
        if look is not None:
            renew(chosen, look)
        if in_list:
            ui.update_select("look", selected=look, session=page.session)

    @render.ui
    def chooser() -> Tag | None:
        looks = listed()
        if len(looks) < 2:
            return None
        with reactive.isolate():
            now = chosen() if chosen() in looks else ""
        return choices("look", "Look at", {"": "the worst pair"} | looks, now)


def _looks(certificate: Certificate) -> dict[str, PairResult]:
    """Each pair as each adversary sees it, keyed by its name in the list."""
    found: dict[str, PairResult] = {}
    for result in worst_first(certificate):
        found.setdefault(f"{pair_text(*result.pair)} {result.belief}", result)
    return found


def _in_words(result: PairResult) -> str:
    return f"{pair_in_words(result.pair)}, as '{result.belief}' sees them"


def _look_of(cell: object, certificate: Certificate) -> str | None:
    """The name of the pair in a cell of the heat map, for the adversary who sees most of it."""
    secrets = heat_secrets(certificate)
    try:
        row, column = (secrets[int(each)] for each in str(cell).split(","))
    except (ValueError, IndexError):
        return None
    wanted = {row, column}
    return next(
        (name for name, each in _looks(certificate).items() if set(each.pair) == wanted), None
    )
