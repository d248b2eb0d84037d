"""Results of the library in a notebook: a compact table and a small picture.

`%load_ext pufferfish.report` registers these for the display of HTML; importing the module does
nothing, and the core does not know it. A result that holds statistics of a private belief says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from zlib import crc32

from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.scenario import PUBLIC, Belief, Scenario
from pufferfish.calibration.postprocess import Postprocess
from pufferfish.calibration.result import Calibration
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.columns.statement import headline, promise
from pufferfish.columns.story import adversary_in_words
from pufferfish.core.extras import check_report
from pufferfish.documents.text import PRIVATE_NOTICE
from pufferfish.exact import Certificate
from pufferfish.insight.comparison import Comparison, noise_in_words
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.report.page import fragment
from pufferfish.report.pictures import (
    Picture,
    belief_picture,
    losses_picture,
    view_pictures,
)
from pufferfish.report.recoded_pictures import map_picture
from pufferfish.report.views import laws_of_pair, views
from pufferfish.report.ways import ways_compared, ways_picture
from pufferfish.words.beliefs import law_in_words
from pufferfish.words.certificates import VERDICTS, describe_loss
from pufferfish.words.phrases import name_pairs, seen_by

__all__ = ["register", "to_html"]

# Secrets of a belief that are listed, and pairs that are named.
_MOST_LISTED = 6

Row = tuple[str, str]


def register(ipython: Any) -> None:
    """Register these displays with an IPython shell."""
    check_report()
    formatter = ipython.display_formatter.formatters["text/html"]
    for kind in _FORMATS:
        formatter.for_type(kind, to_html)


def to_html(shown: Any) -> str:
    """A result as a piece of HTML."""
    return _FORMATS[type(shown)](shown)


def _calibration(calibration: Calibration) -> str:
    beliefs = calibration.scenario.beliefs
    rows = [
        *_certificate_rows(calibration.certificate),
        ("Method", calibration.method),
        *(("Adversary", adversary_in_words(each)) for each in beliefs),
    ]
    return fragment(
        "Calibration", rows, _picture(calibration), _note(each.provenance for each in beliefs)
    )


def _plan(plan: ColumnPlan) -> str:
    beliefs = plan.calibration.scenario.beliefs
    rows = [
        ("Column", plan.column),
        ("Secret", plan.secret),
        ("Promise", f"{plan.promise} for one {plan.unit}"),
        *_certificate_rows(plan.calibration.certificate),
    ]
    return fragment(
        "Plan",
        rows,
        _picture(plan.calibration, plan.postprocess),
        _note(each.provenance for each in beliefs),
    )


def _certificate(certificate: Certificate) -> str:
    return fragment(
        "Certificate",
        _certificate_rows(certificate),
        losses_picture(_unique("losses", repr(certificate)), certificate),
        _note(each.provenance for each in certificate.results),
    )


def _comparison(comparison: Comparison) -> str:
    listed = tuple(ways_compared(comparison))
    rows = [
        (f"{number}. {way.name}", f"{way.noise}; {way.gives}")
        for number, way in enumerate(listed, start=1)
    ]
    rows += [(name, "does not apply") for name, _ in comparison.refused]
    sources = (
        result.provenance
        for each in comparison.methods
        for result in each.calibration.certificate.results
    )
    return fragment(f"Ways to {comparison.goal}", rows, ways_picture(listed), _note(sources))


def _scenario(scenario: Scenario) -> str:
    rows = [("Pairs", name_pairs(scenario.pairs, _MOST_LISTED))]
    for belief in scenario.beliefs:
        rows.append(("Adversary", adversary_in_words(belief)))
        secrets = list(belief.priors)
        rows += [
            (f"– {secret}", law_in_words(belief.priors[secret]))
            for secret in secrets[:_MOST_LISTED]
        ]
        if len(secrets) > _MOST_LISTED:
            rows.append(("–", f"and {len(secrets) - _MOST_LISTED} more secrets"))
    return fragment(
        "Scenario",
        rows,
        _believed(scenario),
        _note(each.provenance for each in scenario.beliefs),
    )


def _believed(scenario: Scenario) -> Picture | None:
    """What the first adversary believes of the first pair; categories have no place on an axis."""
    belief = scenario.beliefs[0]
    if not _of_numbers(belief):
        return None
    pair = scenario.pairs_of(belief)[0]
    name = _unique("believed", repr((belief.name, pair, law_in_words(belief.priors[pair.first]))))
    return belief_picture(name, belief, pair, laws_of_pair(belief, pair))


def _recoding(law: Recoding) -> str:
    """No map says from which beliefs it was computed."""
    rows = [
        ("Map", noise_in_words(law)),
        ("Values", str(len(law.values))),
        ("Published", str(len(law.outputs))),
    ]
    picture = None if law.labelled else map_picture(law, _unique("map", law.matrix.tobytes().hex()))
    return fragment(
        "Recoding", rows, picture, f"Private, unless the beliefs are public. {PRIVATE_NOTICE}"
    )


def _record(record: Record) -> str:
    rows = [
        *(("Beware", text) for text in headline(record.facts)),
        ("Column", record.plan.column),
        ("Rows published", f"{record.rows_published:,}"),
        ("Promise", promise(record.facts)),
        ("File", record.output or "a frame"),
        (f"SHA-256 of the {record.checksum_of}", record.sha256),
        ("Created", record.created),
    ]
    return fragment("Record of a release", rows, None, "")


_FORMATS: dict[type, Callable[[Any], str]] = {
    Calibration: _calibration,
    Certificate: _certificate,
    Comparison: _comparison,
    ColumnPlan: _plan,
    Record: _record,
    Recoding: _recoding,
    Scenario: _scenario,
}


def _certificate_rows(certificate: Certificate) -> list[Row]:
    worst = certificate.worst
    return [
        ("Promise", str(certificate.goal)),
        ("Noise" if certificate.noise.additive else "Recoding", noise_in_words(certificate.noise)),
        ("Certificate", f"{VERDICTS[certificate.holds]}: {describe_loss(certificate)}"),
        ("Decided by", seen_by(worst.direction, worst.belief)),
    ]


def _picture(calibration: Calibration, steps: Sequence[Postprocess] = ()) -> Picture | None:
    """How the odds change; for categories or known values, the ε that each pair uses."""
    certificate = calibration.certificate
    one_law = not isinstance(calibration.mechanism, Stratified)
    if not (one_law and all(map(_of_numbers, calibration.scenario.beliefs))):
        return losses_picture(_unique("used", repr(certificate)), certificate)
    view = views(calibration.scenario, calibration.certificate, steps)[0]
    number = crc32(repr((calibration.mechanism, view.pair, view.belief.name)).encode())
    return list(view_pictures(f"view{number}", view, calibration.goal))[-1]


def _of_numbers(belief: Belief) -> bool:
    return not any(isinstance(law, Categorical) for law in belief.priors.values())


def _unique(kind: str, what: str) -> str:
    """A name for a picture, unique because a notebook shows several results on one page."""
    return f"{kind}{crc32(what.encode())}"


def _note(provenances: Iterable[str]) -> str:
    """A warning that the result is private, unless everything in it is public."""
    return "" if all(each == PUBLIC for each in provenances) else f"Private. {PRIVATE_NOTICE}"
