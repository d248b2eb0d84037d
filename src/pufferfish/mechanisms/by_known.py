"""How laws that depend on known values are drawn, described and saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, Union

import numpy.typing as npt
from msgspec import Meta

from pufferfish.beliefs.labels import Label
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.documents.shape import plain
from pufferfish.documents.types import Name
from pufferfish.mechanisms.drawing import Drawing, drawing_of
from pufferfish.mechanisms.words import LawWords, Number, words_of
from pufferfish.noise import Law, LawEntries, Stratified, Stratum, law_to_dict
from pufferfish.noise.documents import forms_without
from pufferfish.sampling import Entropy
from pufferfish.words.numbers import readable
from pufferfish.words.phrases import list_in_words

__all__ = ["TAG", "ByKnown", "ByKnownEntries", "ByKnownWords", "read_by_known", "write_by_known"]

TAG = "by-known"


class ByKnown(Drawing):
    """Each stratum is drawn by its own law."""

    @property
    def claim(self) -> str:
        """What `check` makes sure of, for all laws."""
        return "what is applied can be drawn exactly, for every value of the known columns"

    def tells(self, law: Stratified) -> bool:
        """Whether all laws can be checked."""
        return all(drawing_of(each).tells(each) for each in law)

    def check(self, law: Stratified) -> None:
        """Refuse if one of the laws cannot be drawn exactly."""
        for each in law:
            drawing_of(each).check(each)

    def draw(self, law: Stratified, values: npt.NDArray[Any], entropy: Entropy) -> NoReturn:
        """Refuse: the law depends on the row."""
        raise UnsupportedError("the law depends on known columns: apply each law to its own rows.")

    def explain_exactness(self, law: Stratified) -> str:
        """What makes the first law exact, and how many laws there are."""
        first = law.strata[0].law
        return f"{len(law.strata)} laws, the first: {drawing_of(first).explain_exactness(first)}"

    def limit(self, law: Stratified) -> float:
        """The least limit of all laws."""
        return min(drawing_of(each).limit(each) for each in law)

    def reach(self, law: Stratified) -> float:
        """The largest reach of all laws."""
        return max(drawing_of(each).reach(each) for each in law)


def _size(number: float) -> str:
    return readable(number, 6)


class ByKnownWords(LawWords):
    """One law for each value of what everybody knows."""

    def called(self, law: Stratified) -> str:
        """What all laws are called; laws of several kinds are called a mechanism."""
        kinds = {words_of(each).called(each) for each in law}
        return kinds.pop() if len(kinds) == 1 else "mechanism"

    def noun(self, law: Stratified, number: Number = _size, error: Number = readable) -> str:
        """How many laws there are, and the one with the largest error."""
        largest = _largest(law)
        noun = words_of(largest).noun(largest, number, error)
        return f"{self.short(law)}; the one with the largest error: {noun}"

    def short(self, law: Stratified) -> str:
        """How many laws there are."""
        return f"one law for each of {len(law.strata)} values of {list_in_words(law.columns)}"

    def in_full(self, law: Stratified, number: Number = readable) -> str:
        """The same as `short`."""
        return self.short(law)

    def done(self, law: Stratified) -> str:
        """What was applied to which rows."""
        own = {"recoding": "a recoding", "noise": "noise"}.get(self.called(law), "a law")
        many = "values" if len(law.columns) == 1 else "combinations of values"
        return (
            f"Each of {len(law.strata)} {many} of {list_in_words(law.columns)} has {own} of its "
            f"own. The one with the largest error: {words_of(_largest(law)).done(_largest(law))}"
        )

    def error(self, law: Stratified, number: Number = readable) -> str:
        """The largest error."""
        return f"{words_of(_largest(law)).error(_largest(law), number)} at most"

    def proofs(self, law: Stratified) -> tuple[tuple[str, str], ...]:
        """The proofs of all laws."""
        every = [proof for each in law for proof in words_of(each).proofs(each)]
        return (*dict.fromkeys(every), ("known-columns", "the promise holds given what is known"))


def _largest(law: Stratified) -> Law:
    """The law with the largest error, as far as errors are public."""
    told = [each for each in law if each.drawable]
    return max(told, key=lambda each: each.error()) if told else law.strata[0].law


class PlainLaw(LawEntries):
    """A law that does not depend on known values."""

    @classmethod
    def forms(cls) -> Any:
        """All forms of other laws."""
        return Union[forms_without(TAG)]  # noqa: UP007


@dataclass(frozen=True, slots=True, kw_only=True)
class ByKnownEntries:
    """Laws by known values in a document.

    Attributes:
        columns: The known columns.
        given: For each law the values that it is for, in the order of the columns.
        laws: The laws.
    """

    columns: Annotated[tuple[Name, ...], Meta(min_length=1)]
    given: Annotated[tuple[tuple[Label, ...], ...], Meta(min_length=1)]
    laws: Annotated[tuple[PlainLaw, ...], Meta(min_length=1)]


def write_by_known(law: Stratified) -> dict[str, Any]:
    """Its entries as plain data."""
    return {
        "columns": list(law.columns),
        "given": [plain(each.given) for each in law.strata],
        "laws": [law_to_dict(each.law) for each in law.strata],
    }


def read_by_known(
    columns: tuple[str, ...], given: tuple[tuple[Label, ...], ...], laws: tuple[PlainLaw, ...]
) -> Stratified:
    """The law that `write_by_known` described."""
    require(len(given) == len(laws), "laws by known values need one law for each of them.")
    return Stratified(
        columns=columns,
        strata=tuple(
            Stratum(values, each.made()) for values, each in zip(given, laws, strict=True)
        ),
    )
