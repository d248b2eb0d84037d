"""Tables to choose ε from: a frontier of mechanisms, or the accuracy of noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.recode import needs_public_bins
from pufferfish.calibration.result import Calibration
from pufferfish.cli.frontier_words import (
    ASKED,
    CLIPPED,
    NOISE,
    REMAPPED,
    SMALLER,
    frontier_in_words,
    holes_note,
    wrong_name,
)
from pufferfish.cli.show import Show
from pufferfish.core.atomic import replacing
from pufferfish.core.errors import InvalidInputError, PufferfishError
from pufferfish.core.validation import require
from pufferfish.exact.many import is_many
from pufferfish.exact.unreachable import epsilon_of_holes
from pufferfish.insight.extremes import outliers
from pufferfish.insight.frontier import Frontier, Way, frontier, with_clipped
from pufferfish.insight.halves import Half, split_rows
from pufferfish.insight.strongest import EPSILONS, Choice, choices
from pufferfish.noise import law_to_dict
from pufferfish.options.adversaries import Described
from pufferfish.options.describing import DescribedTable
from pufferfish.options.joint import how_calibrated
from pufferfish.options.planning import Asked
from pufferfish.report.frontier_picture import frontier_picture
from pufferfish.tables import Counts
from pufferfish.words.numbers import at_most, percent_down, percent_up
from pufferfish.words.phrases import delta_rows_in_words
from pufferfish.words.terminal import align, fold

__all__ = ["Choosing", "choose", "choose_table", "picture_kind"]

# By how much laws may be wrong in the recodings without a floor that are compared.
_WRONGS = (0.01, 0.05)
# The most cells of a map that is found within seconds for all ε: for the described laws, and for
# laws that may be wrong.
_MOST_CELLS, _MOST_WRONG = 120, 40
# How often rows are split without --splits, where that is quick.
_SPLITS = 3


class Choosing:
    """How much is shown.

    Args:
        splits: How many times rows are split; None: a few times where that is quick.
        thorough: Whether to show what takes long as well.
        picture: The file to draw the picture in.
        force: Whether the picture may replace a file.
    """

    def __init__(
        self, splits: int | None, picture: Path | None, *, thorough: bool, force: bool
    ) -> None:
        self.splits, self.thorough, self.picture, self.force = splits, thorough, picture, force

    def how_often(self, *, quick: bool) -> int:
        """How many times to split the rows."""
        require(
            self.splits is None or self.splits >= 0,
            f"--splits must be at least 0, got {self.splits}.",
        )
        if self.splits is not None:
            return self.splits
        return _SPLITS if quick or self.thorough else 0


def picture_kind(path: Path | None) -> str:
    """The format of the picture, svg or png, from the name of the file; empty without a file."""
    kind = "" if path is None else path.suffix.removeprefix(".").lower()
    if path is not None and kind not in ("svg", "png"):
        raise InvalidInputError(f"--picture must name a file .svg or .png, got {str(path)!r}.")
    return kind


def choose(asked: Asked, described: Described, how: Choosing, show: Show) -> None:
    """Show the frontier of one column of numbers; for one kind of noise, its accuracy."""
    named = asked.goal.mechanism is not None and asked.goal.adds_noise
    noise_said = named or asked.accuracy.confidence is not None
    if noise_said or not asked.publishing.rows.apart or is_many(described.scenario):
        if how.picture is not None or how.thorough:
            raise InvalidInputError(
                "--picture and --thorough are about the comparison of mechanisms: leave out "
                "--mechanism. Where rows of a person depend on each other, or there "
                "are thousands of pairs, only noise is compared."
            )
        _choose_noise(asked, described, show)
        return
    rows = asked.adversaries.prepared(described.counted)
    cells = rows.pooled.values.size
    ways, left_out = _ways(asked, described.scenario, cells, how)
    splits = how.how_often(quick=cells <= _MOST_WRONG)
    left_out += [] if splits else [_UNSPLIT]
    several = asked.publishing.rows_per_person > 1
    halves, not_split = _halves(described.scenario, rows, splits, several=several)
    with show.progress("Comparing") as progress:
        found = frontier(
            described.scenario,
            ways,
            delta=asked.goal.delta,
            rows_of_person=asked.publishing.rows.count,
            halves=halves,
            rows=described.records,
            progress=progress,
        )
        bounds = _public_bounds(asked, described.scenario)
        if bounds is not None and NOISE in found.ways:
            found = with_clipped(found, NOISE, CLIPPED, described.scenario, bounds)
        few = _outliers(found)
    _tell(found, left_out, not_split, how, show, of_rows=False, few=few)


def _outliers(found: Frontier) -> str:
    """Which values set the noise, if few do, at the ε closest to 1 that noise reaches."""
    noised = [each for each in found.entries if each.way == NOISE]
    if not noised:
        return ""
    middle = min(noised, key=lambda each: abs(math.log(each.goal.epsilon)))
    said = outliers(middle.calibration)
    return "" if said is None else f"At ε = {middle.goal.epsilon_text}: {said}"


def _ways(
    asked: Asked, scenario: Scenario, cells: int, how: Choosing
) -> tuple[list[Way], list[str]]:
    """What is compared; and what is left out, because it takes long or nothing is proven for it."""
    options = asked.recoding.arguments
    ways, left_out = [Way(name=NOISE, calibrated=_least_noise)], []
    if needs_public_bins(scenario, cells) and not asked.recoding.cuts:
        return ways, [
            "recodings (with a sampling confidence they need --belief empirical or, for "
            "many values, --edges)"
        ]
    if asked.goal.kind == "recode":
        return [*ways, Way(name=ASKED, calibrated=_mapped(options))], []
    if how.thorough or cells <= _MOST_CELLS:
        ways.append(Way(name=REMAPPED, calibrated=_mapped(options)))
    else:
        left_out.append(f"remapped noise ({cells:,} values)")
    if how.thorough or cells <= _MOST_WRONG:
        ways += [
            Way(
                name=wrong_name(wrong),
                calibrated=_mapped({**options, "floor": None, "wrong": wrong}),
            )
            for wrong in _WRONGS
        ]
    else:
        left_out.append(f"recodings for wrong laws ({cells:,} values)")
    return ways, left_out


def _halves(
    scenario: Scenario, rows: Counts, splits: int, *, several: bool = False
) -> tuple[tuple[Half, ...], str]:
    """The random halves of the rows; if --splits asks for them and there are none, the reason."""
    if several and splits:
        return (), "a split takes rows one by one, and a person has several"
    try:
        return (split_rows(scenario, rows, splits) if splits else ()), ""
    except PufferfishError as error:
        return (), f"in a random half of the rows, {str(error).rstrip('.')}"


_UNSPLIT = "what ε becomes on rows that were not used (or --splits N)"


def _least_noise(scenario: Scenario, goal: Guarantee) -> Calibration:
    public = all(belief.public for belief in scenario.beliefs)
    return calibrate(scenario, goal, rounding=None if public else "ladder")


def _mapped(options: dict[str, Any]) -> Callable[[Scenario, Guarantee], Calibration]:
    return lambda scenario, goal: calibrate(scenario, goal, mechanism="recode", **options)


def _public_bounds(asked: Asked, scenario: Scenario) -> tuple[float, float] | None:
    """The public bounds: those of --cap, or of a table that everybody knows."""
    if asked.adversaries.bounds is not None:
        return asked.adversaries.bounds
    for belief in scenario.beliefs:
        table = belief.frequencies
        if belief.public and isinstance(table, Discrete) and table.values.size > 1:
            return float(table.values[0]), float(table.values[-1])
    return None


def choose_table(asked: Asked, described: DescribedTable, how: Choosing, show: Show) -> None:
    """Show the frontier of a table."""
    ways, left_out = _table_ways(asked, described, how)
    splits = how.how_often(quick=_few(described))
    left_out += [] if splits else [_UNSPLIT]
    halves, not_split = _halves(described.scenario, described.counted, splits)
    with show.progress("Comparing") as progress:
        found = frontier(
            described.scenario,
            ways,
            delta=asked.goal.delta,
            halves=halves,
            rows=described.counted.rows,
            progress=progress,
        )
    _tell(found, left_out, not_split, how, show, of_rows=True)


def _few(described: DescribedTable) -> bool:
    """Whether all maps of a table are found within seconds."""
    layout = described.counted.roles
    names = (*layout.column_names, *layout.known_names)
    return len(described.counted.marginal(names).counts) <= _MOST_WRONG


def _table_ways(
    asked: Asked, described: DescribedTable, how: Choosing
) -> tuple[list[Way], list[str]]:
    """What is compared for a table, and what is left out because it takes long."""
    labelled = not described.counted.roles.numeric
    own = how_calibrated(asked, described)
    left_out: list[str] = []

    def way(name: str, **more: Any) -> Way:
        def calibrated(scenario: Scenario, goal: Guarantee) -> Calibration:
            return calibrate(scenario, goal, workers=asked.goal.workers, **own | more)

        return Way(name=name, calibrated=calibrated)

    if not labelled:
        ways = [way(NOISE if own["mechanism"] == "laplace" else ASKED)]
        if asked.goal.mechanism is None:
            mapped = {"method": "exact", "size": None, "mechanism": "recode"}
            ways.append(way(REMAPPED, **mapped))
        return ways, left_out
    if asked.recoding.wrong is not None or asked.recoding.nominal:
        return [way(ASKED)], left_out
    wrongs = _WRONGS if how.thorough or _few(described) else _WRONGS[1:]
    if wrongs != _WRONGS:
        left_out.append(f"a recoding for laws that are wrong by {percent_down(_WRONGS[0], 6)}")
    return [way(wrong_name(wrong), wrong=wrong) for wrong in wrongs], left_out


def _tell(
    found: Frontier,
    left_out: list[str],
    not_split: str,
    how: Choosing,
    show: Show,
    *,
    of_rows: bool,
    few: str = "",
) -> None:
    if how.picture is not None:
        drawn = frontier_picture(found, picture_kind(how.picture))
        with replacing(how.picture, force=how.force, private=True) as file:
            file.write(drawn)
    picture = None if how.picture is None else str(how.picture)
    show.result(
        frontier_in_words(
            found, left_out, not_split, picture=picture, outliers=few, of_rows=of_rows
        ),
        {
            **found.to_dict(),
            "left_out": left_out,
            "not_split": not_split or None,
            "outliers": few or None,
            "picture": picture,
        },
    )


def _choose_noise(asked: Asked, described: Described, show: Show) -> None:
    """Show noise, accuracy and the adversary's success for several ε."""
    kind: Any = asked.goal.kind
    rows = asked.publishing.rows
    found = choices(
        described.scenario,
        asked.goal.delta,
        kind,
        asked.accuracy.level,
        rows=rows.count,
        dependence=rows.dependence,
        cap=asked.adversaries.bounds,
    )
    reached = {each.goal.epsilon for each in found}
    absent = ", ".join(at_most(epsilon) for epsilon in EPSILONS if epsilon not in reached)
    refused = f"\nCannot be reached with this noise and δ: ε = {absent}." if absent else ""
    holes = epsilon_of_holes(described.scenario, asked.goal.delta)
    if absent and holes > min(EPSILONS):
        refused += f"\n{fold(holes_note(holes))}"
    delta = asked.goal.delta
    rare = f"\n{fold(delta_rows_in_words(delta, described.records))}" if delta else ""
    show.result(
        f"{_noise_table(found)}{refused}{rare}\n\n{SMALLER}, or an accuracy with --accuracy.",
        {"choices": [asdict(each) | {"noise": law_to_dict(each.noise)} for each in found]},
    )


def _noise_table(found: tuple[Choice, ...]) -> str:
    """ε against noise, accuracy and the adversary's success."""
    rows = [("ε", "noise std", "each value within", "guessed right, at worst", "promise allows")]
    for each in found:
        rows.append(
            (
                each.goal.epsilon_text,
                "none needed" if each.noise.identity else f"{each.noise.error():.4g}",
                f"±{at_most(each.half_width, 3)} in {percent_down(each.confidence, 6)}",
                percent_up(each.accuracy_after),
                percent_up(each.accuracy_allowed),
            )
        )
    return align(rows, "right")
