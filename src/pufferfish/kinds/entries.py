"""What plans, and records, of every kind have in common in documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pufferfish.beliefs.guarantee import GoalEntries
from pufferfish.documents.shape import Entries
from pufferfish.documents.signing import SignatureEntries
from pufferfish.documents.text import PRIVATE_NOTICE, Notice
from pufferfish.documents.types import whole_text
from pufferfish.exact.certificate import CertificateEntries
from pufferfish.noise import LawEntries
from pufferfish.theorems import Tau

__all__ = ["PlanHead", "entry_at", "record_shape", "stated_entries", "undecided_rows"]

_Package = Annotated[str, Meta(pattern=whole_text("[a-z][a-z0-9-]{0,40}"))]
_Version = Annotated[str, Meta(pattern=whole_text("[0-9][0-9A-Za-z.+!_-]{0,60}"))]
_Created = Annotated[
    str,
    Meta(pattern=whole_text("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+]00:00")),
]


# Of a release of rows: what was measured, and what only says how something was found.
_MEASURED = (
    *("created", "versions", "beliefs_from", "unprotected_percent"),
    *("published.rows", "published.sha256"),
)
_COUNTED = ("rows", "missing", "unprotected", "outside", "capped")
_PLANNED = ("method", "others", "allow_no_noise", "scenario.beliefs.name")
# Of a recoding: what was asked for, and what other maps would cost.
_SEARCHED = ("mean_loss", "least_loss", "laplace_rmse", "floor_of_noise", "weighted")
# Where the promise covers a sampling region, proofs of upper bounds are checked; these are not.
_REACHED = ("witnesses", "epsilon_lower", "delta_lower")


def undecided_rows(recodes: str, **more: str) -> Mapping[str, str]:
    """The entries of a record of rows that no plan decides, as in `Kind.undecided`.

    Args:
        recodes: The entry of a plan that has the figures of recodings.
        more: Entries that only such records have.
    """
    always = [
        *_MEASURED,
        *(f"table.{name}" for name in _COUNTED),
        *(f"plan.{name}" for name in _PLANNED),
    ]
    return {
        **dict.fromkeys(always, ""),
        **{"rows_fitted": "rows_fitted", "plan.person": "plan.person"},
        "plan.scenario.beliefs.fitted_at": "plan",
        "plan.scenario.beliefs.cap": "plan.cap",
        "plan.scenario.beliefs.region.elsewhere": "confidence",
        **{f"{recodes}.{name}": recodes for name in _SEARCHED},
        **{f"certificate.results.{name}": "confidence" for name in _REACHED},
        **more,
    }


class PlanHead(Entries, kw_only=True):
    """The first entries of a plan; each kind says which names, methods and laws it has."""

    pufferfish: str
    version: Literal[1]
    notice: Notice = PRIVATE_NOTICE
    goal: GoalEntries
    noise: LawEntries
    method: str
    tau: Tau | None


def record_shape(
    stated: type[Entries],
    *,
    plan: type[Entries],
    published: type[Entries],
    table: type[Entries],
    certificate: type[Entries] = CertificateEntries,
    **more: Any,
) -> Any:
    """The shape of a record, in either edition.

    The internal edition holds the plan, the certificate and the counts of the table. The public one
    never holds the counts, and holds the others only where they are public.

    Args:
        stated: The shape of what everybody may know.
        plan: The shape of the plan.
        published: The shape of what was published, or where it is.
        table: The shape of what was counted in the table.
        certificate: The shape of the certificate.
        more: The types of all other entries: `pufferfish`, `version`, and words of its own.
    """
    always = {
        **more,
        "notice": str,
        "promise": str,
        "not_promised": tuple[str, ...],
        "published": published,
        "versions": dict[_Package, _Version],
        "created": _Created,
    }
    private = {"plan": plan, "certificate": certificate}
    signature = ("signature", SignatureEntries | UnsetType, UNSET)
    maybe = [(name, shape | UnsetType, UNSET) for name, shape in private.items()]
    internal = [*always.items(), *private.items(), ("table", table), signature]
    return _edition("internal", stated, internal) | _edition(
        "public", stated, [*always.items(), *maybe, signature]
    )


def stated_entries(shape: Any) -> tuple[str, ...]:
    """The entries of what everybody may know, in the shape of a record."""
    stated: type[Entries] = get_args(shape)[0].__bases__[0]
    return stated.__struct_fields__


def entry_at(data: Mapping[str, Any], path: str, missing: Any = None) -> Any:
    """The entry at a place such as "plan.rounding"; `missing` if the document does not have it."""
    found: Any = data
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return missing
        found = found[name]
    return found


def _edition(name: str, stated: type[Entries], entries: list[Any]) -> Any:
    return msgspec.defstruct(
        f"{name}_edition", entries, bases=(stated,), tag_field="edition", tag=name, kw_only=True
    )
