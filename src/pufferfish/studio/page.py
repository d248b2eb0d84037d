"""The page: three steps, and the places that the script fills with numbers and pictures."""

from __future__ import annotations

from htmltools import HTML, Tag, TagList, tags
from shiny import ui

from pufferfish.report.templates import templates
from pufferfish.studio.controls import boxes, checkbox, choices, meaning, number, radios, slider
from pufferfish.studio.sources import EXAMPLES

__all__ = ["DELTAS", "EPSILONS", "PICTURES", "TILES", "page"]

# The values of the sliders: two digits, in equal ratios.
EPSILONS = tuple(float(f"{0.05 * 200 ** (step / 60):.2g}") for step in range(61))
DELTAS = (0.0, *(float(f"{10.0 ** (-9 + step / 4):.2g}") for step in range(35)))
_EPSILON, _DELTA = 1.0, 0.0

# Numbers that change: their place, what they are, and which words explain them.
TILES = {
    "promise": ("The promise", "promise"),
    "noise": ("What is applied", "noise"),
    "within": ("A published value", "within"),
    "guess": ("Guessing the secret", "guess"),
    "worst": ("Worst pair", "worst"),
    "certificate": ("Certified", "certificate"),
}
_OF_TABLE = ("guessed", "strata", "columns")
PICTURES = ("believed", "published", "ratio", "map", "profile", "scale", "heat", *_OF_TABLE)


def page(given: str | None, most_bytes: int, refusal: str) -> TagList:
    """The whole page.

    Args:
        given: The file that the studio was started with.
        most_bytes: The size of the largest file that is taken.
        refusal: The message about a larger one.
    """
    style = templates("pufferfish.report").get_template("style.css.j2").render()
    return TagList(
        ui.head_content(
            tags.title("Pufferfish studio"),
            tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            tags.meta(name="color-scheme", content="light dark"),
            tags.link(rel="icon", href="data:,"),
            tags.style(HTML(style)),
            tags.link(rel="stylesheet", href="assets/studio.css"),
            tags.script(src="assets/studio.js", defer=""),
        ),
        tags.div(
            tags.a("To the goal", href="#goal-step", class_="skip"),
            tags.header(
                tags.h1("Pufferfish studio"),
                tags.p(
                    "Publish a column, or several together, without revealing a secret that they "
                    "are correlated with. See what a promise means for your table. Nothing is "
                    "drawn until you release, and nothing leaves this machine.",
                    class_="lead",
                ),
            ),
            tags.div(id="problem", role="alert", hidden=""),
            tags.div(id="working", role="status", hidden=""),
            tags.main(_data(given), _goal(), _result()),
            tags.div(id="said", role="status", class_="unseen"),
            id="studio",
            data_most=str(most_bytes),
            data_refusal=refusal,
            class_="pufferfish studio",
        ),
    )


def _data(given: str | None) -> Tag:
    sources = {key: example.title for key, example in EXAMPLES.items()}
    sources["upload"] = "A file of my own (CSV, Parquet or Arrow)"
    if given is not None:
        sources = {"given": f"The file that the studio was started with: {given}", **sources}
    return tags.section(
        tags.h2("1  The data", id="data-step"),
        radios("source", "Which table?", sources, "given" if given is not None else "adult"),
        _file(
            "upload",
            "Choose the file; it is held only in memory, and forgotten when the page is closed",
        ),
        tags.div(ui.output_ui("protection"), class_="columns"),
        tags.div(ui.output_ui("columns"), class_="columns"),
        ui.output_ui("groups"),
        aria_labelledby="data-step",
    )


def _file(name: str, question: str) -> Tag:
    """A file input; the script sends the file and shows the progress."""
    return tags.div(
        tags.label(question, tags.input(type="file", data_upload=name), class_="field"),
        tags.progress(max="1", value="0", hidden="", aria_label="how much of the file was sent"),
        class_="file",
        data_file=name,
        hidden="",
    )


def _goal() -> Tag:
    return tags.section(
        tags.h2("2  The goal", id="goal-step"),
        tags.div(
            tags.div(
                ui.output_ui("pairs"),
                boxes(
                    "beliefs",
                    "Against whom?",
                    {
                        "mixture": "Somebody with smooth laws fitted to the values (mixture)",
                        "empirical": "Somebody who knows how often each value occurs (empirical)",
                        "gaussian": "Somebody who believes in normal laws (gaussian)",
                        "ubm": "Somebody who adapts one law for all rows to each secret (ubm)",
                        "independent": (
                            "For several columns: somebody who takes them as independent given "
                            "the secret (independent)"
                        ),
                        "chain": (
                            "For several columns: somebody who takes each to depend on the one "
                            "before it (chain)"
                        ),
                    },
                    ("mixture", "empirical"),
                    meaning("beliefs"),
                ),
                _mechanism(),
                _more(),
                class_="settings",
            ),
            tags.div(_by(), _sliders(), _demand(), _wait("live"), _live(), class_="live"),
            class_="two",
        ),
        aria_labelledby="goal-step",
    )


def _mechanism() -> Tag:
    """Noise or a recoding, and the options of a recoding."""
    return radios(
        "kind",
        "What is applied to a value?",
        {
            "laplace": "Laplace noise",
            "gaussian": "Gaussian noise (needs δ above 0)",
            "recode": "A recoding: keeps a value or replaces it at random by another that occurs",
            "auto": "Whatever has the least error (auto)",
        },
        "laplace",
        meaning("kind"),
        tags.div(
            radios(
                "floor",
                "What protects a value from everybody else?",
                {
                    "noise": "As much as the least noise would",
                    "number": "A floor of my own, κ",
                    "none": "Nothing: no floor",
                },
                "noise",
                tags.div(
                    number("floor_number", "κ, in units of the column", 0.5, min="0"),
                    data_if="floor number",
                    hidden="",
                ),
                meaning("floor"),
            ),
            number("wrong", "How wrong may the described laws be? In percent", min="0", max="99"),
            meaning("wrong"),
            checkbox("nominal", "Allow a weak floor even with 0%"),
            choices(
                "loss",
                "What should be smallest?",
                {
                    "squared": "the squared error; for categories, the number that change",
                    "absolute": "the absolute error",
                    "changed": "the number of changed values",
                },
                "squared",
            ),
            checkbox("any_histogram", "Values need not occur as often as before"),
            meaning("loss"),
            class_="inner",
            data_if="kind recode",
            hidden="",
        ),
    )


def _more() -> Tag:
    """Options that most releases do not need; each part is made again when its subject changes."""
    return tags.details(
        tags.summary("More"),
        meaning("more"),
        *(ui.output_ui(name) for name in ("bounds", "outside", "habits")),
        id="more",
    )


def _demand() -> Tag:
    """Slow answers are computed on request, not with every movement of a slider."""
    return tags.div(
        tags.p(
            "This takes a while: seconds, or a minute or two for many values or columns. "
            "Anything shown below answers an earlier question."
        ),
        tags.button("Calculate", id="find", type="button", class_="action-button main"),
        id="demand",
        class_="notice",
        hidden="",
    )


def _by() -> Tag:
    answers = {
        "epsilon": "the promise",
        "value": "accuracy of a value",
        "mean": "accuracy of the mean",
    }
    return radios("by", "Choose by", answers, "epsilon")


def _sliders() -> Tag:
    """The controls that are moved while looking at the pictures: they stay in sight."""
    return tags.div(
        tags.div(
            slider("epsilon", "ε", EPSILONS, _EPSILON, ("more private", "more accurate")),
            data_when="epsilon",
        ),
        tags.div(
            number("within", "Published values within ±", min="0"),
            data_when="value",
            hidden="",
        ),
        tags.div(
            number("mean_within", "Mean of the published column within ±", min="0"),
            data_when="mean",
            hidden="",
        ),
        tags.div(
            number("confidence", "in this many of 100 cases", 95.0, min="0", max="100"),
            meaning("accuracy"),
            data_when="value mean",
            hidden="",
        ),
        slider("delta", "δ", DELTAS, _DELTA, ("more private", "less private")),
        class_="sliders",
    )


def _wait(name: str) -> Tag:
    """The text in place of an answer that is not there yet."""
    return tags.p(
        "The answer appears here once step 1 is complete: the table, whom to protect, what "
        "others may know, the columns.",
        class_="notice open",
        data_instead=name,
    )


def _live() -> Tag:
    return tags.div(
        tags.p(id="verdict", class_="lead"),
        tags.ul(
            *(
                tags.li(
                    tags.span(title),
                    tags.b(id=f"tile-{name}"),
                    tags.small(id=f"note-{name}"),
                    meaning(words),
                )
                for name, (title, words) in TILES.items()
            ),
            class_="tiles",
        ),
        *(
            tags.div(tags.div(id=name), meaning(name), id=f"place-{name}", hidden="")
            for name in ("ways", "parts")
        ),
        ui.output_ui("chooser"),
        tags.div(
            *(
                tags.div(tags.div(id=f"picture-{name}"), meaning(name), id=f"place-{name}")
                for name in PICTURES
            ),
            class_="figures",
        ),
        tags.div(id="not-covered"),
        id="live",
        hidden="",
    )


def _result() -> Tag:
    return tags.section(
        tags.h2("3  The result", id="result-step"),
        _wait("result"),
        tags.div(
            tags.p(
                "A release draws at random, once. Two releases of the same column reveal more "
                "than the promise allows for one: publish only one. The studio writes nothing on "
                "this machine except into a folder of this page, which is removed when the page "
                "is closed; save what you need."
            ),
            ui.output_ui("released"),
            ui.output_ui("releasing"),
            tags.h3("Run it elsewhere"),
            tags.p(
                "The same plan, on the command line or in Python. It draws anew: use either this "
                "or the release above, not both."
            ),
            ui.output_ui("elsewhere"),
            id="result",
            hidden="",
        ),
        aria_labelledby="result-step",
    )
