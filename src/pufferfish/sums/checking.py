"""Is the record of a sum true? Every claim computed again, as far as an edition allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pufferfish.errors import CertificationError, InvalidInputError, UnsupportedError
from pufferfish.exact.certificate import Certificate
from pufferfish.guarantee import Guarantee
from pufferfish.noise import noise_from_dict
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.record import described_sum, sum_words
from pufferfish.upgrades import FROM_VERSION

__all__ = ["SumClaim", "sum_claims"]

# Entries that are words; those of version 1 are not compared.
_WORDS = ("promise", "not_promised")


class SumClaim(NamedTuple):
    """A claim, whether it is true (None: cannot be told from this edition), and why."""

    claim: str
    verdict: bool | None
    detail: str


def sum_claims(data: Mapping[str, Any]) -> Iterator[tuple[SumClaim, Certificate | None]]:
    """Each claim of a record; beside the one about the certificate, the one that comes out."""
    goal = Guarantee(**data["goal"])
    yield _published(data), None
    kept = f"this noise keeps {goal} for every user"
    if "plan" not in data:
        private = (
            "the users are private and not in this edition; the internal edition can be checked"
        )
        yield SumClaim(kept, None, private), None
        if FROM_VERSION not in data:
            yield _words(data), None
    else:
        try:
            plan = SumPlan.from_dict(data["plan"])
        except CertificationError as error:
            yield SumClaim(kept, False, str(error)), None
        except InvalidInputError as error:
            yield SumClaim("the plan can be read", False, str(error)), None
        except UnsupportedError as error:
            yield SumClaim(kept, None, str(error)), None
        else:
            yield from _against_plan(data, plan, kept)


def _published(data: Mapping[str, Any]) -> SumClaim:
    """What can be said of the number itself: that it is one, and lies on the grid of its noise."""
    published, noise = data["published"], noise_from_dict(data["noise"])
    value = published["value"]
    real = isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)
    on_grid = real and (noise.grid is None or _on_grid(value, data, noise.grid))
    if "plan" in data:
        described = data["plan"]["users"]["provenance"]
        private = data["edition"] == "internal" or described == "public"
    else:
        private = data["users"] is None or data["statistic"] == "mean"
    return SumClaim(
        "one number was published, on the grid of its noise, and nothing else is told",
        set(published) == {"value"} and real and on_grid and private,
        f"{value!r}",
    )


def _on_grid(value: float, data: Mapping[str, Any], grid: float) -> bool:
    """A sum is a multiple of the grid; a mean is one that was divided by the number of users."""
    if data["statistic"] != "mean":
        return value % grid == 0.0
    users = data["users"]
    return users is not None and round(value * users / grid) * grid / users == value


def _words(data: Mapping[str, Any]) -> SumClaim:
    """Without a plan: the words must follow from the other entries.

    Whether tables of the users are known is the one thing that stands in words only.
    """
    said = {name: data[name] for name in ("promise", "not_promised")}
    right = data["users"] is not None or data["statistic"] != "mean"
    right = right and said in [sum_words(data, tables=tables) for tables in (True, False)]
    return SumClaim(
        "the words are those that follow from the numbers",
        right,
        "written again from the numbers" if right else "they are other words",
    )


def _against_plan(
    data: Mapping[str, Any], plan: SumPlan, kept: str
) -> Iterator[tuple[SumClaim, Certificate | None]]:
    calibration = plan.calibration
    detail = (
        f"computed again: {calibration.certificates} certificate(s) settled all "
        f"{calibration.users.size:,} users"
    )
    yield SumClaim(kept, calibration.holds, detail), calibration.calibration.certificate
    old = FROM_VERSION in data
    other = [
        name
        for name, entry in described_sum(plan).items()
        if data[name] != entry and not (old and name in _WORDS)
    ]
    said = f"the record says what its plan says, in {'numbers' if old else 'words and in numbers'}"
    detail = f"it differs in {', '.join(other)}" if other else "written again from the plan"
    yield SumClaim(said, not other, detail), None
