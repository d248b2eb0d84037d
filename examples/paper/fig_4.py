"""Fig. 4: the Hungarian heart disease data, cholesterol, sex being female or male."""

from __future__ import annotations

from examples.paper.experiments import Experiment
from examples.paper.figure import Figure
from examples.paper.published import histograms
from examples.paper.table import Table
from examples.paper.uci import Drawn, panels, scales_in_words
from pufferfish.words.numbers import at_most, percent_up

__all__ = ["figure", "fits_in_words"]


def figure(experiment: Experiment, table: Table) -> Figure:
    """The paper's six panels with its own histograms where it has them, and three more."""
    drawn = Drawn(
        experiment=experiment,
        table=table,
        histograms=histograms(4),
        curves={},
        x_range=(0.0, 620.0),
    )
    row = drawn.row(0.3)
    return Figure(
        name="fig-4",
        number="Fig. 4",
        title="Hungarian heart disease: cholesterol must not reveal sex",
        words=(
            ("In the paper", "The same as Fig. 3 for cholesterol (mg/dl), female against male."),
            (
                "Here",
                "The paper’s source holds its noised histograms (b), (c), (e), (f), but neither "
                "its fits nor the histograms (a), (d): those are ours, of the "
                f"{experiment.present} rows that have a value ({experiment.rows} in the file).",
            ),
            ("Scales", scales_in_words(drawn)),
            ("Our fits", fits_in_words(experiment)),
            (
                "What to see",
                f"As in Fig. 3: the mixtures alone have δ = {at_most(row.bare_upper, 3)}, so δ "
                "= 0.3 needs no noise against them. That is not so for the table adversary: "
                "nearly every value occurs once, and with the true value "
                f"{percent_up(drawn.row(0.0, -1).before_upper)} of guesses are right.",
            ),
            (
                "Where they differ",
                "The paper speaks of 293 patients. Panels (b) to (f) cut off what falls outside "
                "80 to 600, and so do ours.",
            ),
        ),
        panels=panels(drawn),
    )


def fits_in_words(experiment: Experiment) -> str:
    """Whether there are enough data for three or four components."""
    parts = []
    for group, three in zip(experiment.fits[-1].groups, experiment.fits[0].groups, strict=True):
        least = min(fit.bic for fit in group.scores)
        best = next(fit.components for fit in group.scores if fit.bic == least)
        above = ", ".join(
            f"{fit.components} are {fit.bic - least:.1f} worse"
            for fit in group.scores
            if fit.components > best
        )
        left = group.prior.components()
        narrow = three.prior.components()
        least_std = narrow.stds.argmin()
        parts.append(
            f"{group.secret} ({group.records} values): BIC prefers {best} components; {above}. A "
            f"fit of 4 keeps {left.weights.size}; the narrowest of 3 already stands for only "
            f"{narrow.weights[least_std] * group.records:.1f} values, with a std of "
            f"{narrow.stds[least_std]:.2g}."
        )
    return " ".join(parts) + (
        " These are too few values for four components; the mixtures of 3, the number in the text, "
        "stand for the paper’s."
    )
