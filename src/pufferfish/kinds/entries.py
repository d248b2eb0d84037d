"""What plans, and records, of every kind have in common in documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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

__all__ = ["PlanHead", "record_shape"]

_Package = Annotated[str, Meta(pattern=whole_text("[a-z][a-z0-9-]{0,40}"))]
_Version = Annotated[str, Meta(pattern=whole_text("[0-9][0-9A-Za-z.+!_-]{0,60}"))]
_Created = Annotated[
    str,
    Meta(pattern=whole_text("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+]00:00")),
]


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


def _edition(name: str, stated: type[Entries], entries: list[Any]) -> Any:
    return msgspec.defstruct(
        f"{name}_edition", entries, bases=(stated,), tag_field="edition", tag=name, kw_only=True
    )
