"""Options of a recoding: how values are mapped to values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from pufferfish.calibration.asked import AskedFloor
from pufferfish.core.errors import InvalidInputError
from pufferfish.options.quoting import number_of, pieces, plain, read_edges, read_share, two_pieces

__all__ = ["HowRecoded"]

_SHARE = "0.03 or 3%"
_LOSSES = ("squared", "absolute", "changed")
_OF_COLUMN = (*_LOSSES, "steps")


@dataclass(frozen=True, slots=True, kw_only=True)
class HowRecoded:
    """The options of a map from values to values."""

    floor: Annotated[
        str | None,
        typer.Option(
            metavar="noise|none|NUMBER",
            help="What protects every value from everybody, whatever they believe. noise: as much "
            "as the least noise does. A number κ: values at distance d (in units of the column) "
            "are told apart by a factor of at most e^(κ·d).",
            show_default="noise",
        ),
    ] = None
    wrong: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Keep the promise for every law that is off by at most this, such as 0.03 or 3%; "
            "with noise, between the bounds of --cap.",
            show_default="0",
        ),
    ] = None
    held_out: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Find the least --wrong with which the promise holds in this share of random "
            "splits of the table, such as 95%: fitted to one half, judged by the other. It takes "
            "73 splits and more.",
        ),
    ] = None
    loss: Annotated[
        list[str] | None,
        typer.Option(
            metavar="squared|absolute|changed|COLUMN=...",
            help="What is made as small as possible: the squared or absolute error, or the number "
            "of changed values. For a table, for each column: COLUMN=changed, steps (in its "
            "order), squared or absolute.",
            show_default="squared; 1 for a changed category",
        ),
    ] = None
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBER",
            help="For a table: how much a column counts; may be given for several columns.",
            show_default="1",
        ),
    ] = None
    never: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LABEL,COLUMN=LABEL",
            help="For a table: labels that are never published together, such as "
            '"sex=Male,pregnant=yes"; may be given several times.',
        ),
    ] = None
    keep_histogram: Annotated[
        bool,
        typer.Option(
            "--keep-histogram/--any-histogram",
            help="Whether values occur as often as before, on average.",
        ),
    ] = True
    nominal: Annotated[
        bool,
        typer.Option(
            "--nominal",
            help="Permit a weak floor without --wrong, although such a promise does not survive "
            "the next sample.",
        ),
    ] = False
    edges: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,C|START:STOP:STEP|COLUMN=...",
            help="Public edges of bins; the middle of a bin is published. By default up to 400 "
            "values are taken as a list, more get bins with round edges. For a table, for each "
            "column: COLUMN=A,B,C.",
        ),
    ] = None

    def refuse(self, mechanism: str, bounds: tuple[float, float] | None) -> None:
        """Refuse options that do not go with a mechanism.

        Args:
            mechanism: "auto", "laplace", "gaussian" or "recode".
            bounds: The bounds to which values are capped, if they are.
        """
        if mechanism == "recode":
            return
        if self.wrong is not None or self.held_out is not None:
            self._refuse_wrong(mechanism, bounds)
        own = {
            "--floor": self.floor is not None,
            "--loss": self.loss is not None,
            "--weight": self.weight is not None,
            "--never": self.never is not None,
            "--nominal": self.nominal,
        }
        if mechanism != "auto":
            own |= {
                "--any-histogram": not self.keep_histogram,
                "--edges": self.edges is not None,
            }
        given = [name for name, said in own.items() if said]
        if not given:
            return
        if mechanism == "auto":
            raise InvalidInputError(
                f"leave out {' and '.join(given)} with --mechanism auto, which compares mechanisms "
                "by their squared error at the same promise and the same floor; or give "
                "--mechanism recode."
            )
        raise InvalidInputError(
            f"{mechanism.title()} noise is added here, and only a recoding has "
            f"{' and '.join(given)}: give --mechanism recode, or leave out {' and '.join(given)}."
        )

    def _refuse_wrong(self, mechanism: str, bounds: tuple[float, float] | None) -> None:
        """Refuse `wrong` where no proof covers it."""
        option = "--wrong" if self.held_out is None else "--held-out"
        if mechanism == "gaussian":
            raise InvalidInputError(
                f"{option} is for Laplace noise and for recodings; nothing is proven for Gaussian "
                "noise. Give --mechanism laplace or --mechanism recode."
            )
        if mechanism == "auto" and self.holds_in is not None:
            raise InvalidInputError(
                f"{option} finds how wrong laws may be for one mechanism, and --mechanism auto "
                "compares several: give --mechanism recode or --mechanism laplace, or a share such "
                "as --wrong 3%."
            )
        if bounds is None and (self.share or self.holds_in is not None):
            raise InvalidInputError(
                f"{option} with noise needs public bounds of the values, --cap LOW:HIGH: without "
                "bounds no noise covers laws that may be wrong, since a small share of values "
                "could lie anywhere. Or give --mechanism recode."
            )

    @property
    def share(self) -> float:
        """How far laws may be off; 0 if that is not given, or has to be found first."""
        if self.wrong is None:
            return 0.0
        return read_share("--wrong", self.wrong, _SHARE)

    @property
    def of_columns(self) -> bool:
        """Whether an option names columns, as only those of tables do."""
        return bool(
            self.weight
            or self.never
            or any(_names_column(each) for each in (*(self.edges or ()), *(self.loss or ())))
        )

    @property
    def cuts(self) -> dict[str, tuple[float, ...]]:
        """By column, public edges of bins; under "" the edges for the only column of numbers."""
        return {
            name: read_edges(f"--edges {name}=" if name else "--edges", text)
            for name, text in _by_name("--edges", self.edges)
        }

    @property
    def losses(self) -> dict[str, str]:
        """By column, what a change costs; under "" the cost for all columns."""
        return {
            name: _loss(f"--loss {name}=" if name else "--loss", text, of_column=bool(name))
            for name, text in _by_name("--loss", self.loss)
        }

    @property
    def weights(self) -> dict[str, float]:
        """By column, how much it counts."""
        found: dict[str, float] = {}
        for each in self.weight or ():
            name, text = two_pieces("--weight", each, "=", "income=2")
            number = number_of(text)
            if name in found or number is None or number <= 0.0:
                raise InvalidInputError(
                    f"--weight {name}= must be one number above 0, such as 2, got {text!r}."
                )
            found[name] = number
        return found

    @property
    def forbidden(self) -> list[dict[str, str]]:
        """The labels that are never published together, as texts by column."""
        found = []
        for each in self.never or ():
            named = [
                two_pieces("--never", part, "=", "sex=Male,pregnant=yes")
                for part in pieces(each, ",")
            ]
            rule = {name: plain(text) for name, text in named}
            if len(rule) < len(named):
                raise InvalidInputError(f"--never {each!r} names a column twice.")
            found.append(rule)
        return found

    @property
    def holds_in(self) -> float | None:
        """The share of random splits in which the promise must hold; None if not asked for."""
        if self.held_out is None:
            return None
        if self.wrong is not None:
            raise InvalidInputError(
                "--held-out finds by how much laws may be wrong, but --wrong gives it: leave out "
                "one of them."
            )
        share = read_share("--held-out", self.held_out, "0.95 or 95%")
        if not share:
            raise InvalidInputError("--held-out must be above 0, such as 0.95 or 95%.")
        return share

    @property
    def settled(self) -> HowRecoded:
        """The same options, without a share that has to be found first."""
        return self if self.holds_in is None else replace(self, wrong=None, held_out=None)

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that were given, as arguments of `calibrate` for one column of numbers."""
        if self.holds_in is not None:
            raise InvalidInputError("--held-out needs a promise: give --epsilon.")
        edges, losses = self.cuts, self.losses
        found = {
            "floor": None if self.floor is None else (_floor(self.floor),),
            "wrong": None if self.wrong is None else (self.share,),
            "loss": (losses[""],) if "" in losses else None,
            "keep_histogram": None if self.keep_histogram else (False,),
            "nominal": (True,) if self.nominal else None,
            "edges": (edges[""],) if "" in edges else None,
        }
        return {name: value[0] for name, value in found.items() if value is not None}


def _floor(text: str) -> AskedFloor:
    if text == "none":
        return None
    if text == "noise":
        return "noise"
    number = number_of(text)
    if number is None or not number > 0.0:
        raise InvalidInputError(
            "--floor must be noise (protect as much as the least noise does), none, or a number "
            f"above 0 in units of the column, such as 0.5, got {text!r}."
        )
    return number


def _loss(option: str, text: str, *, of_column: bool) -> str:
    if text not in (_OF_COLUMN if of_column else _LOSSES):
        known = (
            "squared, absolute, changed or steps" if of_column else "squared, absolute or changed"
        )
        raise InvalidInputError(f"{option} must be {known}, got {text!r}.")
    return text


def _names_column(given: str) -> bool:
    return len(pieces(given, "=", 1)) > 1


def _by_name(option: str, given: list[str] | None) -> Iterator[tuple[str, str]]:
    """The text for each column, which may occur once; "" is the name where none is given."""
    seen: set[str] = set()
    for each in given or ():
        name, text = two_pieces(option, each, "=", "") if _names_column(each) else ("", each)
        if name in seen:
            whose = f"for column {name!r}" if name else "without a column's name"
            raise InvalidInputError(f"{option} is given twice {whose}: leave one of them out.")
        seen.add(name)
        yield name, text
