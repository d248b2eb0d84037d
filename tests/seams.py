"""Where tests reach into the library: each private name once, so that a move breaks one line here.

Limits are made small, so that a small table goes the way of a large one. A registry is replaced by
a copy, so that what a test registers is its own. What a proof needs is broken, to see it missed.
"""

from __future__ import annotations

import inspect
from pkgutil import resolve_name
from typing import Any

import pytest

# Limits of tables.
BLOCK_BYTES = "pufferfish.tables.local.reading._BLOCK_BYTES"
PERSONS_HELD = "pufferfish.tables.local.one_row._MOST_HELD"
THREADS = "pufferfish.tables.local.pool._MOST_THREADS"
CELLS_PENDING = "pufferfish.tables.tally._MOST_PENDING"
BYTES_HASHED_IN_MEMORY = "pufferfish.tables.spark.written._LARGEST_HELD"
STORES_THAT_RENAME = "pufferfish.tables.spark.storage._RENAMING"

# Limits of what is looked at, drawn or shown.
FEWEST_OF_EACH_SECRET = "pufferfish.learning.sample._FEWEST_EACH"
ROWS_LEARNED_FROM = "pufferfish.audits.scores._MOST_ROWS"
LEARNERS = "pufferfish.audits.scores._learners"
ROWS_DRAWN_AT_ONCE = "pufferfish.audits.draws._CHUNK"
ROWS_OF_A_RUN = "pufferfish.audits.run._ROWS"
ROWS_AT_ONCE_IN_DENOISE = "pufferfish.denoise.columns._PIECE"
VALUES_OF_A_REPORT = "pufferfish.report.columns._MOST_KEPT"
SECONDS_OF_SPLITS = "pufferfish.cli.held_out._PATIENCE"
SECONDS_OF_STRESS = "pufferfish.what_if.quick._SECONDS"
ROWS_OF_STRESS = "pufferfish.what_if.quick._MOST_ROWS"

# The oracle and the sampler: where the quick way ends, and what its proof needs.
FEWEST_PAIRS_SCREENED = "pufferfish.exact.many._MANY"
PAIRS_NOT_SIEVED = "pufferfish.exact.sieve._FEW"
PAIRS_TAKEN_FIRST = "pufferfish.exact.sieve._WORST"
BULGE = "pufferfish.exact.envelope._bulge"
TAILS = "pufferfish.exact.envelope._tails"
HOLE = "pufferfish.exact.screen._hole"
DOUBT = "pufferfish.sampling.gaussian._DOUBT"

# Recodings: from which size on, and for how long, the interior point method is used.
FEW_CELLS_OUTSIDE = "pufferfish.recoding.inside._FEW"
FEW_WRONG_CELLS_OUTSIDE = "pufferfish.recoding.inside._FEW_WRONG"
MOST_STEPS_INSIDE = "pufferfish.recoding.inside._MOST_STEPS"
MOST_WORK_OF_A_SEARCH = "pufferfish.recoding.map_program._MOST_WORK"

# Registries, and the schema of a kind of document.
LAWS_BY_TAG = "pufferfish.noise.documents._BY_TAG"
DRAWING_BY_LAW = "pufferfish.mechanisms.drawing.DRAWINGS._entries"
WORDS_BY_LAW = "pufferfish.mechanisms.words.WORDS._entries"

# Steps that are tested by themselves.
ACCEPTED = "pufferfish.sampling.gaussian._accept"
LAPLACE_TABLES = "pufferfish.sampling.laplace._tables"
INVERT = "pufferfish.denoise.smooth._invert"
AUC_ERROR = "pufferfish.audits.scores._auc_error"
SAMPLERS_OF_MAPS = "pufferfish.mechanisms.recoded._sampler"
LIKELIEST_COUNTS = "pufferfish.columns.recoded._log_mode"
EXACT_SUM = "pufferfish.sums.release._exact_sum"
READ_BELIEFS = "pufferfish.options.adversaries._read_beliefs"
WRONG_THAT_HOLDS = "pufferfish.cli.held_out.wrong_that_holds"


def found(seam: str) -> Any:
    """What stands at a seam."""
    return getattr(*_home(seam))


def put(patch: pytest.MonkeyPatch, seam: str, value: Any) -> None:
    """Something else in its place."""
    patch.setattr(*_home(seam), value)


def put_copy(patch: pytest.MonkeyPatch, seam: str) -> None:
    """A copy of a registry, to be added to."""
    put(patch, seam, dict(found(seam)))


def put_default(patch: pytest.MonkeyPatch, function: Any, **values: Any) -> None:
    """Other defaults for parameters of a function, by their names."""
    parameters = inspect.signature(function).parameters
    assert values.keys() <= parameters.keys()
    with_default = [each for each in parameters.values() if each.default is not each.empty]
    new = {each.name: values.get(each.name, each.default) for each in with_default}
    named = {each.name for each in with_default if each.kind is each.KEYWORD_ONLY}
    by_place = tuple(value for name, value in new.items() if name not in named)
    patch.setattr(function, "__defaults__", by_place)
    patch.setattr(function, "__kwdefaults__", {name: new[name] for name in named})


def kept_keys(bench: Any) -> list[tuple[str, ...]]:
    """Of all that a bench of the studio keeps."""
    from pufferfish.studio.kept import Kept

    caches = [each for each in vars(bench).values() if isinstance(each, Kept)]
    assert caches
    return [key for each in caches for key in each._found]


def _home(seam: str) -> tuple[Any, str]:
    home, _, name = seam.rpartition(".")
    return resolve_name(home), name
