"""The noise of a published column, from what its record says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import require
from pufferfish.noise import (
    GaussianNoise,
    LaplaceNoise,
    Noise,
    NoNoise,
    Stratified,
    law_from_dict,
)

__all__ = ["noise_of"]


def noise_of(record: Mapping[str, Any]) -> Noise:
    """The noise that a record names, for the other functions.

    Args:
        record: The document of a record, in either edition, as `json.loads` reads it; or its entry
            "noise"; or one of the "laws" of noise by known values.

    Raises:
        InvalidInputError: It does not name a law.
        UnsupportedError: No noise was added, or each known value has noise of its own.
    """
    require(
        isinstance(record, Mapping),
        "record must be the document of a record, as json.loads(text) reads it, got "
        f"{type(record).__name__}.",
    )
    found = record.get("noise", record)
    if not isinstance(found, Mapping) or "kind" not in found:
        raise InvalidInputError(
            "this is no record of a noised column: it has no entry 'noise' that names a law. Give "
            "the document that ends in .public.json or .record.json."
        )
    law = law_from_dict(dict(found))
    if isinstance(law, Stratified):
        raise UnsupportedError(
            "each value of the known columns has noise of its own: estimate within each group, "
            'with the law of that group (record["noise"]["laws"]).'
        )
    if not isinstance(law, LaplaceNoise | GaussianNoise | NoNoise):
        raise UnsupportedError(
            "no noise was added to this column: its values were recoded, and there is no noise to "
            "correct for."
        )
    return law
