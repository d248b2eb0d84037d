"""A recoding in plain words: what happens to a value, what is promised, and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.in_words import certificate_in_words, promise_of, repeats, who
from pufferfish.calibration.losses import Weighed, column_of, in_bins, weighed_by
from pufferfish.exact import Certificate
from pufferfish.exact.unreachable import holes_in_words
from pufferfish.mechanisms import words_of
from pufferfish.mechanisms.recoded import how_recoded
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.error import lost
from pufferfish.recoding.law import Recoding
from pufferfish.theorems import ComposableCertificate
from pufferfish.words.explanation import Explanation, notices
from pufferfish.words.numbers import percent, readable
from pufferfish.words.phrases import list_in_words, list_texts, name_pairs, wrong_laws
from pufferfish.words.steps import Step

if TYPE_CHECKING:
    from pufferfish.calibration.result import Recode

__all__ = ["compare_in_words", "constant_for", "explain_recoding"]
__all__ += ["kept_in_words", "moves_in_words", "only_bins", "part_in_words", "whose"]
__all__ += ["wrong_in_words"]

_MOST_LISTED = 6
_LOSSES = {
    "squared": "squared error",
    "absolute": "absolute error",
    "changed": "share of changed values",
    "steps": "number of steps in the order of the categories",
    "columns": "loss over the columns (squared errors of numbers in stds, changed categories)",
    "own": "loss of your own",
}


_WHOSE: dict[Weighed, str] = {
    "this table": "",
    "other rows": "the rows that the map was fitted to, which are not published",
    "another table": "the other table, which the map was fitted to",
    "reference": "the table from which the described frequencies come",
    "laws": "rows that follow the described laws, each equally often",
}


def whose(weighed: Weighed) -> str:
    """The rows that figures are about, if they are not those that are released."""
    return _WHOSE[weighed]


def _among(weighed: Weighed) -> str:
    return f"For {_WHOSE[weighed]}: " if _WHOSE[weighed] else ""


def kept_in_words(weighed: Weighed, one: str = "value") -> str:
    """Which frequencies a map keeps."""
    if weighed == "this table":
        return f"{one.capitalize()}s occur as often as before, on average."
    return (
        f"The map keeps how often each {one} occurs among {_WHOSE[weighed]}; here {one}s occur as "
        "often as before only as far as the two agree."
    )


def explain_recoding(
    scenario: Scenario,
    certificate: Certificate,
    composable: ComposableCertificate | None,
    recode: Recode | None,
    *,
    another_table: bool = False,
) -> Explanation:
    """The numbered steps from beliefs to certificate, with the numbers in them."""
    law, of = certificate.noise, weighed_by(scenario, another_table=another_table)
    other = wrong_in_words(
        certificate.wrong,
        certificate.confidence,
        elsewhere=another_table or not scenario.of_table,
    )
    texts = {
        "pairs": f"What must look alike: {name_pairs(scenario.pairs, _MOST_LISTED, joint=', ')}.",
        "promise": promise_of(certificate.goal),
        "recoding": f"What happens to a value: {_rule(law)}{_moves(recode, scenario, law, of)}",
        "compared": ""
        if recode is None
        else compare_in_words(recode, scenario, certificate.goal, law, of),
        "method": "" if recode is None else _how_found(recode, certificate),
        "certificate": f"{certificate_in_words(certificate)} {other}",
        "repeats": repeats(scenario, law, composable),
        "not promised": _not_promised(certificate),
    }
    steps = [Step(title, (text,)) for title, text in texts.items() if text]
    private = "" if all(belief.public for belief in scenario.beliefs) else "some beliefs"
    return Explanation(
        [who(scenario, another_table), *steps], notices(certificate.holds, private=private)
    )


def _rule(law: Law) -> str:
    return how_recoded(law, "is") if isinstance(law, Recoding) else words_of(law).done(law)


def _moves(recode: Recode | None, scenario: Scenario, law: Law, of: Weighed) -> str:
    return "" if recode is None else f" {moves_in_words(recode, scenario, law, of)}"


def moves_in_words(recode: Recode, scenario: Scenario, law: Law, of: Weighed) -> str:
    """The share of values that stay, and the distance that the others move, among whose rows."""
    stay = round(100.0 * recode.unchanged)
    kept = kept_in_words(of) if recode.keep_histogram else "The frequencies of values are not kept."
    if recode.parts:
        return f"{_among(of)}{_rows_that_stay(recode, scenario)} {kept}"
    one = law.strata[0].law if isinstance(law, Stratified) else law
    if in_bins(law, scenario) and isinstance(one, Recoding) and one.edges:
        (first, *_, last), edges = map(_size, one.cells.numbers), one.edges
        return (
            f"What is published stands for its bin: {first} for all values below "
            f"{_size(edges[0])}, and {last} from {_size(edges[-1])} on. {_among(of)}{stay} of 100 "
            "values stay "
            f"in their bin; the number that is published is {readable(recode.moved, 2)} away from "
            f"the true one, on average. {kept}{_negative(one, scenario)}"
        )
    return (
        f"{_among(of)}{stay} of 100 values stay as they are; the others move by "
        f"{readable(recode.moved, 2)} on average. {kept}"
    )


def _negative(law: Recoding, scenario: Scenario) -> str:
    """That an end bin publishes a negative number, though no value is negative."""
    first = min(law.cells.numbers)
    if first >= 0.0 or column_of(scenario, None).values.min() < 0.0:
        return ""
    return (
        f" No value is negative, but {_size(first)} stands for one of the bins: public bounds "
        "(--cap LOW:HIGH) keep what is published within them."
    )


def constant_for(law: Law) -> str:
    """For whom one constant is published, with which the error of a table is compared."""
    if not isinstance(law, Stratified):
        return "everybody"
    many = "value" if len(law.columns) == 1 else "combination of values"
    return f"each {many} of {list_in_words(law.columns)}"


def part_in_words(column: str, scenario: Scenario) -> str:
    """A column, and that what stays of it is only its bin where numbers are in public bins."""
    return f"{column!r}{only_bins(column, scenario)}" if column else "the category"


def only_bins(column: str, scenario: Scenario) -> str:
    """A remark for a column whose numbers are in public bins: what stays is only the bin."""
    rules = [rule for belief in scenario.beliefs for rule in belief.rules.values()]
    binned = any(rule.edges is not None for rule in rules if rule.column == column)
    return " (its bin)" if binned else ""


def _size(number: float) -> str:
    return readable(number, 6)


def _rows_that_stay(recode: Recode, scenario: Scenario) -> str:
    """The share of a table that stays, column by column, compared with that under a constant."""
    columns = [
        f"{part_in_words(part.column, scenario)} in {percent(part.unchanged, 2)} "
        f"of rows ({percent(part.mode_share, 2)} if one constant were published"
        + (
            ""
            if part.rmse is None or part.std is None
            else f"; error {readable(part.rmse, 3)}"
            if any(belief.given for belief in scenario.beliefs)  # the mean's is that of all rows
            else f"; error {readable(part.rmse, 3)}, and {readable(part.std, 3)} with the mean"
        )
        + ")"
        for part in recode.parts
    ]
    whole = (
        f"{percent(recode.unchanged, 2)} of rows stay as they are in all columns. "
        if len(recode.parts) > 1
        else ""
    )
    return f"{whole}What stays: {list_texts(columns)}."


def _others(recode: Recode, scenario: Scenario, goal: Guarantee) -> str:
    """The errors of the least noise that keeps the same promise, and of a constant.

    Where there is no such noise, why.
    """
    same, constant = "publishing one constant for everybody", readable(recode.constant_rmse, 3)
    if recode.laplace_rmse is not None:
        noise = readable(recode.laplace_rmse, 3)
        public = all(each.public for each in scenario.beliefs) or not recode.laplace_rmse
        rounded = "" if public else ", before its size is rounded up,"
        return f"the least Laplace noise{rounded} gives {noise}, and {same} {constant}"
    why = holes_in_words(scenario, goal)
    reason = f" ({why})" if why else ""
    return f"no Laplace noise keeps this promise{reason}; {same} gives {constant}"


def _error(recode: Recode, scenario: Scenario, law: Law) -> str:
    """The error of a published number, and what it counts."""
    counts = "root mean square"
    if in_bins(law, scenario):
        counts += ", from the true value to what is published for a bin"
    if isinstance(law, Recoding) and law.takes_missing:
        share = lost(law, column_of(scenario, None).frequencies)
        counts += f"; the {percent(share, 2)} of values that become missing are not counted"
    return f"({counts}) is {readable(recode.rmse, 3)}"


def compare_in_words(
    recode: Recode, scenario: Scenario, goal: Guarantee, law: Law, of: Weighed
) -> str:
    """The error, compared with that of noise and of a constant, among whose rows."""
    the = f"{_among(of)}the" if of != "this table" else "The"
    if recode.parts:
        return (
            f"{the} error of a published row (root mean square; numbers in stds of their column, a "
            f"changed category counts as 1) is {readable(recode.rmse, 3)}; publishing one "
            f"constant row for {constant_for(law)} gives {readable(recode.constant_rmse, 3)}."
        )
    return (
        f"{the} error of a published value {_error(recode, scenario, law)}; "
        f"{_others(recode, scenario, goal)}."
    )


def _how_found(recode: Recode, certificate: Certificate) -> str:
    gap = recode.mean_loss - recode.least_loss
    share = gap / recode.mean_loss if recode.mean_loss > 0.0 else 0.0
    these = "with these outputs" + (
        "" if recode.floor is None else ", by way of the kernel of this floor,"
    )
    least = (
        f"no map {these} has less"
        if share < 5e-7
        else f"no map {these} has {percent(share, 2)} less"
    )
    proven = (
        "That is proven in exact arithmetic."
        if certificate.confidence is None
        else "That was computed in floating point; the promise does not rest on it."
    )
    return (
        f"How it was found: by linear programming, with the least mean {_LOSSES[recode.loss]}; "
        f"{least} while keeping the promise. {proven}"
    )


def wrong_in_words(
    wrong: float, confidence: float | None = None, *, elsewhere: bool = False
) -> str:
    """The other laws for which the promise holds."""
    if not wrong and confidence is None:
        return (
            "The promise leaves no margin for laws that differ from the described ones (see "
            "--wrong)."
        )
    return wrong_laws(wrong, confidence, elsewhere=elsewhere)


def _not_promised(certificate: Certificate) -> str:
    everybody = (
        "Against everybody else nothing is promised: there is no floor."
        if not certificate.noise.floored
        else "Against everybody else only the floor is promised."
    )
    return (
        "Not promised: anything against an adversary who knows more than the beliefs above (the "
        "exact rows, other columns, that rows are not independent, that several rows share a "
        "secret); anything about what the map itself reveals of the table from which it was found: "
        f"the map is taken as given. {everybody}"
    )
