"""A frontier in words, for the terminal: its tables, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.insight.frontier import Entry, Frontier
from pufferfish.insight.guesses import BY_HEART, accuracy_allowed
from pufferfish.words.numbers import at_most, percent, percent_down, percent_up, readable
from pufferfish.words.phrases import LADDER, delta_rows_in_words, list_texts
from pufferfish.words.terminal import align, fold

__all__ = ["ASKED", "CLIPPED", "NOISE", "REMAPPED", "SMALLER", "frontier_in_words"]
__all__ += ["holes_note", "wrong_name"]

SMALLER = "The smaller ε, the more alike the secrets look. Choose one with --epsilon"
NOISE, CLIPPED, REMAPPED, ASKED = "noise", "clipped", "remapped", "as asked"
_LAWS = "laws ±"
_MEANING = {
    NOISE: "the least Laplace noise",
    CLIPPED: "the same, moved into the public bounds",
    REMAPPED: "a recoding with the floor of that noise, which protects every value from everybody "
    "as much",
    ASKED: "the recoding that the options ask for",
}


def wrong_name(wrong: float) -> str:
    """The name of the recoding for laws that are wrong by up to this share."""
    return f"{_LAWS}{percent_down(wrong, 6)}"


def frontier_in_words(
    found: Frontier,
    left_out: Sequence[str] = (),
    not_split: str = "",
    *,
    picture: str | None = None,
    outliers: str = "",
    of_rows: bool,
) -> str:
    """The whole text: tables, then notes.

    Args:
        found: The frontier.
        left_out: What was left out to be quick.
        not_split: Why no rows could be set apart to judge, if that was asked for.
        picture: The file with the picture.
        outliers: Which values set the noise, if few do.
        of_rows: Whether whole rows of a table are published.
    """
    notes = list(_notes(found, left_out, not_split, picture, of_rows=of_rows))
    # After what each way is.
    notes[len(found.ways) :] = [
        *([fold(outliers, hyphens=True)] if outliers else []),
        *notes[len(found.ways) :],
    ]
    return "\n\n".join([*_tables(found, of_rows=of_rows), "\n".join(notes)])


def _tables(found: Frontier, *, of_rows: bool) -> Iterator[str]:
    yield (
        fold(f"{_error_in_words(found)}; * the smallest error{_proven(found)}.")
        + "\n"
        + _grid(found, lambda each: _error(found, each), "constant", readable(found.constant_rmse))
    )
    if of_rows:
        yield (
            "Rows that stay as they are.\n" + _grid(found, lambda each: percent(each.unchanged, 2))
        )
    yield (
        fold(
            "How often the best guess between two secrets is right, at most: 50% without the "
            f"release, {percent_up(found.guess_of_values)} with the true value"
            f"{f' ({BY_HEART})' if found.by_heart else ''}."
        )
        + "\n"
        + _grid(found, lambda each: percent_up(each.guess), "promise allows", None)
    )
    if found.judged:
        yield f"{_split_in_words(found)}\n{_grid(found, _held_out)}"


def _error_in_words(found: Frontier) -> str:
    recode = found.entries[0].calibration.recode
    if recode is not None and recode.parts:
        return "Error of a row, root of its mean loss"
    return "Error of a published value, root mean square"


def _proven(found: Frontier) -> str:
    whose = " among the mechanisms whose promise held in most splits" if found.judged else ""
    return f"{whose}, unless a constant errs less"


def _notes(
    found: Frontier, left_out: Sequence[str], not_split: str, picture: str | None, *, of_rows: bool
) -> Iterator[str]:
    for name in found.ways:
        yield fold(f"{name}: {_meaning(name)}.", others="  ")
    if found.delta and found.rows is not None:
        yield fold(delta_rows_in_words(found.delta, found.rows))
    yield from map(fold, _rounded_up(found))
    if any(each.rmse >= found.constant_rmse for each in found.entries):
        yield fold(
            "Where the constant errs less, the published column is useful for its distribution, "
            "but hardly for single rows."
        )
    reached = {each.goal.epsilon for each in found.entries}
    absent = [at_most(each) for each in found.epsilons if each not in reached]
    if absent:
        yield fold(f"Nothing that is compared here reaches, at this δ: ε = {', '.join(absent)}.")
    if found.holes > min(found.epsilons):
        yield fold(holes_note(found.holes))
    yield from map(fold, _not_judged(found, not_split))
    if left_out:
        yield fold(f"Left out: {'; '.join(left_out)}. --thorough shows what takes long.")
    if picture is not None:
        yield f"Picture     {picture} (private)"
    if of_rows:
        yield f"{SMALLER}."
    else:
        yield fold(f"{SMALLER}; --mechanism laplace shows how close noised values stay.")


def _rounded_up(found: Frontier) -> Iterator[str]:
    """Why the same noise is used at several ε, if it is."""
    for way in found.ways:
        sizes: dict[float, list[str]] = {}
        for each in found.entries:
            law, beliefs = each.calibration.mechanism, each.calibration.scenario.beliefs
            rounded = law.additive and not law.identity and not all(one.public for one in beliefs)
            if each.way == way and rounded:
                sizes.setdefault(each.rmse, []).append(each.goal.epsilon_text)
        same = [list_texts(each) for each in sizes.values() if len(each) > 1]
        if same:
            yield (
                f"{way} is the same at ε = {'; and at '.join(same)}: sizes are rounded up to "
                f"{LADDER}, so that they reveal less of the table."
            )
            return


def holes_note(holes: float) -> str:
    """That noise cannot hide which values are missing, and what can."""
    enough = (
        "no ε is large enough" if math.isinf(holes) else f"that alone needs ε = {at_most(holes, 3)}"
    )
    return (
        f"Noise cannot hide which values are missing: {enough}. A recoding can hide it "
        "(--mechanism recode)."
    )


def _not_judged(found: Frontier, not_split: str) -> Iterator[str]:
    """What could not be judged by rows that were not used, and the first reason for each way."""
    if not_split:
        yield f"What ε becomes on rows that were not used is not known: {not_split}."
    for way in found.ways:
        here = [each for each in found.entries if each.way == way and each.not_judged]
        if here:
            which = list_texts([each.goal.epsilon_text for each in here])
            yield (
                f"{way} at ε = {which} was not judged by rows that were not used, so it gets no *: "
                f"it cannot be found for half of the rows ({here[0].not_judged})."
            )


def _meaning(name: str) -> str:
    if name in _MEANING:
        return _MEANING[name]
    return (
        "a recoding without a floor, which keeps the promise for every law that differs from a "
        f"described one by at most {name.removeprefix(_LAWS)}"
    )


def _error(found: Frontier, each: Entry) -> str:
    star = "*" if each is found.best(each.goal.epsilon) else " "
    return f"{readable(each.rmse)}{star}"


def _held_out(each: Entry) -> str:
    if each.held_out is None:
        return "-"
    epsilon = each.held_out.epsilon
    shown = at_most(epsilon, 3) if math.isfinite(epsilon) else "∞"
    return f"{shown} ({each.held_out.held}/{len(each.held_out.splits)})"


def _split_in_words(found: Frontier) -> str:
    most = max(len(each.held_out.splits) for each in found.entries if each.held_out is not None)
    often = "one random split" if most == 1 else f"median of {most} random splits"
    return f"ε on rows that were not used, {often} (and in how many the promise held)."


def _grid(
    found: Frontier,
    shown: Callable[[Entry], str],
    last: str = "",
    entry: str | None = "",
) -> str:
    """A row for each ε, a column for each way, and one last column if it is given."""
    rows = [["ε", *found.ways, *([last] if last else [])]]
    for epsilon in found.epsilons:
        entries = [found.at(way, epsilon) for way in found.ways]
        if not any(entries):
            continue
        more = percent_up(accuracy_allowed(Guarantee(epsilon, found.delta)))
        rows.append(
            [
                at_most(epsilon),
                *("-" if each is None else shown(each) for each in entries),
                *([more if entry is None else entry] if last else []),
            ]
        )
    return align(rows, "right")
