"""How a law is drawn, how it is put into words, and its document.

A new mechanism is one package: a `Law` (see `pufferfish.noise.base`), a `Drawing` and `LawWords`,
passed to `register` once. Nothing else in the library has to know which law it is.
"""

from __future__ import annotations

from pufferfish.mechanisms.by_known import (
    TAG,
    ByKnown,
    ByKnownEntries,
    ByKnownWords,
    read_by_known,
    write_by_known,
)
from pufferfish.mechanisms.drawing import DRAWINGS, Drawing, drawing_of
from pufferfish.mechanisms.recoded import (
    Outlined,
    Recoded,
    RecodingEntries,
    RecodingWords,
    read_recoding,
    write_recoding,
)
from pufferfish.mechanisms.words import WORDS, LawWords, words_of
from pufferfish.noise import Law, Stratified, register_document
from pufferfish.noise.documents import Read, Write
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.outline import RecodingOutline

__all__ = ["Drawing", "LawWords", "drawing_of", "register", "words_of"]


def register(
    law: type[Law],
    *,
    tag: str,
    drawing: Drawing,
    words: LawWords,
    write: Write | None = None,
    read: Read | None = None,
    entries: type | None = None,
) -> None:
    """Register a type of laws.

    Args:
        law: The type.
        tag: Its name in documents.
        drawing: How it is applied to values.
        words: How it is described to people.
        write: Returns its entries in documents; by default the fields of the dataclass.
        read: Makes the law from these entries as keywords; by default the type itself.
        entries: A dataclass whose fields are these entries, if that is not the law itself.
    """
    DRAWINGS.register(law, drawing)
    WORDS.register(law, words)
    register_document(tag, law, write, read, entries)


register(
    Recoding,
    tag="recoding",
    drawing=Recoded(),
    words=RecodingWords(),
    write=write_recoding,
    read=read_recoding,
    entries=RecodingEntries,
)
register(RecodingOutline, tag="recoding-outline", drawing=Outlined(), words=RecodingWords())
register(
    Stratified,
    tag=TAG,
    drawing=ByKnown(),
    words=ByKnownWords(),
    write=write_by_known,
    read=read_by_known,
    entries=ByKnownEntries,
)
