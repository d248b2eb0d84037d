"""Beliefs and scenarios as plain data, and versioned documents as JSON or YAML text.

Numbers keep every digit: a document that is read again means the same, to the last bit.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pufferfish.errors import InvalidInputError
from pufferfish.extras import pyyaml
from pufferfish.limits import MOST_COMPONENTS, MOST_PAIRS, MOST_SCREENED
from pufferfish.priors import Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.scenario import AllPairs, Belief, Scenario, Secret, SecretPair, checked_secret
from pufferfish.strict import (
    bounded_text,
    plain_from_json,
    plain_from_yaml,
    refuse_unreadable,
)
from pufferfish.upgrades import FROM_VERSION, UPGRADES

__all__ = [
    "PRIVATE_NOTICE",
    "PUBLIC_NOTICE",
    "as_document",
    "belief_from_dict",
    "belief_to_dict",
    "check_entries",
    "document_text",
    "pairs_from_plain",
    "pairs_to_plain",
    "parse_document",
    "plain_document",
    "read_document",
    "reading",
    "scenario_from_dict",
    "scenario_to_dict",
]

PRIVATE_NOTICE = "Holds statistics of private data. Keep it as you keep the data."
PUBLIC_NOTICE = "May be published."
_YAML = (".yaml", ".yml")
_LINE_ENDS = "\x85\u2028\u2029"
# Pairs up to which each is written down.
_MANY_PAIRS = 1_000


def document_text(data: Mapping[str, Any], path: Path | None = None) -> str:
    """A document as text: YAML where the name of its file says so, else JSON."""
    yaml = path is not None and path.suffix.lower() in _YAML
    if yaml:
        # YAML takes these for the end of a line, unless they are escaped.
        plain = not any(mark in json.dumps(data, ensure_ascii=False) for mark in _LINE_ENDS)
        text = pyyaml().safe_dump(dict(data), sort_keys=False, allow_unicode=plain)
    else:
        text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    refuse_unreadable(text, str(data.get("pufferfish", "document")), yaml=yaml)
    return str(text)


def parse_document(text: str, kind: str, version: int, *, yaml: bool = False) -> dict[str, Any]:
    """A document of a kind, in the version that this release of the library writes.

    Args:
        text: What was read.
        kind: "plan", "record", ...
        version: The version that is wanted; older documents are upgraded.
        yaml: Whether the text is YAML.
    """
    data = plain_from_yaml(text, kind) if yaml else plain_from_json(text, kind)
    return as_document(data, kind, version)


def as_document(data: Any, kind: str, version: int) -> dict[str, Any]:
    """`parse_document` for plain data that was read already."""
    if not isinstance(data, dict) or data.get("pufferfish") != kind:
        found = data.get("pufferfish") if isinstance(data, dict) else None
        also = f"; it is one of kind {found!r}" if isinstance(found, str) and found else ""
        raise InvalidInputError(f"this is no {kind} document of pufferfish{also}.")
    if FROM_VERSION in data:
        raise InvalidInputError(f"a {kind} has no entry {FROM_VERSION!r}.")
    return _upgraded(data, kind, version)


def read_document(path: Path, kind: str, version: int) -> dict[str, Any]:
    """`parse_document` for a file."""
    text = bounded_text(path, kind)
    return parse_document(text, kind, version, yaml=path.suffix.lower() in _YAML)


def plain_document(path: Path) -> dict[str, Any]:
    """What a file holds, of whatever kind and version, just as it stands there."""
    text = bounded_text(path, "document")
    yaml = path.suffix.lower() in _YAML
    data = plain_from_yaml(text, "document") if yaml else plain_from_json(text, "document")
    if not isinstance(data, dict) or not isinstance(data.get("pufferfish"), str):
        raise InvalidInputError(f"{path} is no document of pufferfish.")
    return data


def _upgraded(data: dict[str, Any], kind: str, version: int) -> dict[str, Any]:
    found = data.get("version")
    while isinstance(found, int) and found < version and (kind, found) in UPGRADES:
        data = UPGRADES[kind, found](data)
        found = data.get("version")
    if found != version:
        raise InvalidInputError(
            f"this {kind} has version {found!r}; this release of pufferfish reads {version}. A "
            "newer document needs a newer pufferfish."
        )
    return data


@contextlib.contextmanager
def reading(kind: str) -> Iterator[None]:
    """Turns a missing or misshapen entry of plain data into a message."""
    try:
        yield
    except InvalidInputError:
        raise
    except KeyError as error:
        raise InvalidInputError(f"this {kind} has no entry {error}.") from None
    except (TypeError, AttributeError, ValueError, OverflowError):
        raise InvalidInputError(f"this {kind} is not of the right shape.") from None


def check_entries(kind: str, data: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse an entry that would be ignored."""
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise InvalidInputError(f"a {kind} has no entry {', '.join(map(repr, unknown))}.")


def pairs_to_plain(pairs: Sequence[SecretPair]) -> list[list[Secret]] | dict[str, list[Secret]]:
    """A list of pairs; where they are very many, and all of some secrets, those secrets."""
    if isinstance(pairs, AllPairs) and len(pairs) > _MANY_PAIRS:
        return {"all_of": list(pairs.secrets)}
    return [list(pair) for pair in pairs]


def pairs_from_plain(plain: Any) -> Sequence[SecretPair]:
    """What `pairs_to_plain` described."""
    with reading("list of pairs"):
        if isinstance(plain, Mapping):
            check_entries("list of pairs", plain, ("all_of",))
            _refuse_many_pairs(len(plain["all_of"]) * (len(plain["all_of"]) - 1) // 2)
            return AllPairs(tuple(checked_secret(each) for each in plain["all_of"]))
        return tuple(SecretPair(*(checked_secret(each) for each in pair)) for pair in plain)


def _refuse_many_pairs(pairs: int, beliefs: int = 1) -> None:
    """Refuse what would take a reader of the document too long, or too much memory."""
    if pairs > MOST_PAIRS or pairs * beliefs > MOST_SCREENED:
        raise InvalidInputError(
            f"a document can ask for at most {MOST_PAIRS:,} pairs of secrets, and for "
            f"{MOST_SCREENED:,} over all beliefs; this one has {pairs:,} pairs and "
            f"{beliefs:,} belief(s)."
        )


def scenario_to_dict(scenario: Scenario) -> dict[str, Any]:
    """Beliefs and pairs."""
    _refuse_many_pairs(len(scenario.pairs), len(scenario.beliefs))
    return {
        "beliefs": [belief_to_dict(belief) for belief in scenario.beliefs],
        "pairs": pairs_to_plain(scenario.pairs),
    }


def scenario_from_dict(data: Mapping[str, Any]) -> Scenario:
    """The scenario that `scenario_to_dict` described."""
    with reading("scenario"):
        check_entries("scenario", data, ("beliefs", "pairs"))
        pairs = pairs_from_plain(data["pairs"])
        _refuse_many_pairs(len(pairs), len(data["beliefs"]))
        return Scenario([belief_from_dict(each) for each in data["beliefs"]], pairs=pairs)


def belief_to_dict(belief: Belief) -> dict[str, Any]:
    """A belief; secrets keep their type, which keys of JSON would not."""
    return {
        "name": belief.name,
        "provenance": belief.provenance,
        "radius": belief.radius,
        "cap": None if belief.cap is None else list(belief.cap),
        "fitted_on": belief.fitted_on,
        "fitted_at": belief.fitted_at,
        "secrets": [
            {"secret": secret, "missing": belief.missing[secret], "prior": _prior_to_dict(prior)}
            for secret, prior in belief.priors.items()
        ],
    }


def belief_from_dict(data: Mapping[str, Any]) -> Belief:
    """The belief that `belief_to_dict` described."""
    with reading("belief"):
        priors: dict[Secret, Prior] = {}
        missing: dict[Secret, float] = {}
        check_entries("belief", data, _BELIEF)
        for entry in data["secrets"]:
            check_entries("secret of a belief", entry, ("secret", "missing", "prior"))
            secret = entry["secret"]
            if secret in priors:
                raise InvalidInputError(f"the secret {secret!r} occurs twice in a belief.")
            priors[secret] = _prior_from_dict(entry["prior"])
            missing[secret] = entry.get("missing", 0.0)
        return Belief(
            priors,
            name=data.get("name", "belief"),
            provenance=data.get("provenance", "private"),
            missing=missing,
            radius=data.get("radius", 0.0),
            cap=data.get("cap"),
            fitted_on=data.get("fitted_on"),
            fitted_at=data.get("fitted_at"),
        )


_BELIEF = ("name", "provenance", "radius", "cap", "fitted_on", "fitted_at", "secrets")


def _prior_to_dict(prior: Prior) -> dict[str, Any]:
    if isinstance(prior, Gaussian):
        return {"family": "gaussian", "mean": prior.mean, "std": prior.std}
    if isinstance(prior, GaussianMixture):
        return {
            "family": "mixture",
            "weights": list(prior.weights),
            "means": list(prior.means),
            "stds": list(prior.stds),
        }
    if isinstance(prior, Discrete):
        return {
            "family": "table",
            "values": prior.values.tolist(),
            "probabilities": prior.probabilities.tolist(),
        }
    raise InvalidInputError(f"a {type(prior).__name__} cannot be written down.")


def _prior_from_dict(data: Mapping[str, Any]) -> Prior:
    fields = dict(data)
    family = fields.pop("family")
    kinds: dict[str, Callable[..., Prior]] = {
        "gaussian": Gaussian,
        "mixture": GaussianMixture,
        "table": Discrete,
    }
    if family not in kinds:
        raise InvalidInputError(f"a prior's family must be one of {list(kinds)}, got {family!r}.")
    if family == "mixture" and len(fields["weights"]) > MOST_COMPONENTS:
        raise InvalidInputError(
            f"a mixture in a document has at most {MOST_COMPONENTS:,} components."
        )
    return kinds[family](**fields)
