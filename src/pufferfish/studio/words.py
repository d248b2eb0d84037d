"""The explanation next to every number of the page, for a statistician or a lawyer."""

from __future__ import annotations

__all__ = ["MEANING"]

_EPSILON = (
    "ε bounds how much one published number may change the odds between two secrets: by a factor "
    "of at most e^ε, up or down."
)
MEANING = {
    "unit": (
        "The promise is about what one unit reveals about its secret. If a person can have "
        "several rows, together they can reveal far more than one: publish one row per person, "
        "or let the noise grow with their number. Rows that are independent given the secret "
        "cost least; you have to state that they are, and the release tests it."
    ),
    "provenance": (
        "The noise is chosen against what others may know. Beliefs fitted to the column itself "
        "describe the best informed adversary, but the size of the noise then depends on private "
        "data, so it is rounded and the plan must stay private. With a table that everybody has, "
        "such as a census, nothing in the plan is private."
    ),
    "missing": (
        "A row without a value is information too. Either missing values are published as "
        "missing, and the promise allows for them (a missing category is recoded like any other); "
        "or, for one column of numbers, such rows are left out, and their number is not protected."
    ),
    "kind": (
        "Laplace noise can keep a promise without exception; Gaussian noise needs a δ, and is "
        "what many analysts are used to. A recoding replaces each value at random by a value "
        "that occurs: whole numbers stay whole, the histogram stays as it is on average, and the "
        "error is mostly far smaller; relations between the column and others look weaker than "
        "they are. auto takes the way with the least error, with the same promise and the same "
        "floor."
    ),
    "several": (
        "Columns that are published together are recoded together, and the promise is about all "
        "of them. A column that is published as it is becomes known to everybody, so the promise "
        "holds for somebody who knows it; what it reveals about the secret by itself is "
        "measured, but not covered. Columns that others may know from elsewhere can be allowed "
        "for without being published."
    ),
    "rules": (
        "A rule looks at one entry at a time and is public: it reveals nothing about anybody. "
        "Numbers with many values need bins, whose middles are published: 20:75:5 has an edge "
        "every 5 from 20 to 75, and 25,45,65 has three. Numbers that others know, or that are "
        "secret, need bands in the same way. Dates: year, quarter or month. Labels: merge A,B=C "
        "makes one label of two, order A,B,C puts them in order, and steps counts a change by "
        "the steps between them. codes: whole numbers that are only names. weight 2: the column "
        "counts twice. Separate several rules for one column by semicolons. Name a combination "
        "that must never be published by its labels, such as sex=Male,pregnant=yes."
    ),
    "parts": (
        "How often a published entry is the true one, and how often it would be if the most "
        "frequent entry were published for everybody. If a column is hardly above that, its "
        "single rows are worth little."
    ),
    "floor": (
        "Beliefs can be wrong. The floor is what a recoding promises for every value against "
        "everybody, whatever they believe: what is published changes the odds between two values "
        "at distance d by a factor of at most e^(κ·d). The least noise has such a floor too, and "
        "a recoding with that floor protects as much."
    ),
    "wrong": (
        "Empty: 0% for one column of numbers, 5% for categories and for several columns. The "
        "promise then holds for every law within this share of a described one, in total "
        "variation. The next sample is never quite like this one: with a weak floor and 0% the "
        "promise would break on it, and is refused. If you release without a floor, enter a few "
        "percent."
    ),
    "loss": (
        "The recoding for which this is smallest, on average over the rows, among all that keep "
        "the promise."
    ),
    "ways": "Every way keeps the same promise and has the same floor. The error is the root mean "
    "square over all rows.",
    "more": (
        "Options that most releases do not need: rounding and bounds of noised values, other "
        "columns that are published unprotected, and how many rows a secret must have."
    ),
    "promise": (
        f"{_EPSILON} δ is a probability with which this may fail; 0 is a promise without exception."
    ),
    "column": "Numbers are published with noise or recoded; categories are recoded.",
    "secret": "What nobody should be able to conclude from a published number. This column is not "
    "published.",
    "pairs": (
        "Two values of the secret that must look alike: a published number should hardly change "
        "how likely one is compared with the other. Rows of other secrets are treated in the "
        "same way, but nothing is promised for them."
    ),
    "beliefs": (
        "Each is an adversary with a belief about the values for each secret. The promise holds "
        "against every one that is ticked. The one who knows how often each value occurs for "
        "each secret is the strongest."
    ),
    "epsilon": f"{_EPSILON} ε = 0.1 is almost nothing (a factor of 1.11), ε = 1 a "
    "factor of 2.72, ε = 5 a factor of 148, which protects little.",
    "delta": (
        "δ is a probability with which the bound on the odds may fail. 0 is a promise without "
        "exception. With many rows, choose δ far below one over their number."
    ),
    "accuracy": "Say how close published values, or their mean, must be to the true ones: the "
    "strongest promise that leaves this accuracy is found.",
    "noise": (
        "With noise: the spread (standard deviation) of what is added to each value, next to the "
        "spread of the column itself. Noise has mean zero and a published law, so means, "
        "variances and quantiles can be computed from the published column with known errors. "
        "With a recoding: how far a published value is from the true one (root mean square). If "
        "the error is close to that of one constant for everybody, single rows are worth little."
    ),
    "within": (
        "With noise: 95 of 100 published values are at most this far from the true one. With a "
        "recoding: how many values are published as they are; nobody can tell which."
    ),
    "guess": (
        "Somebody who knows all that is described, and holds both secrets to be equally likely, "
        "guesses from one number. 50% is chance. Before: how often they are right from the true "
        "value. After: from the published one. At worst: what the promise alone allows, whatever "
        "anybody believes."
    ),
    "worst": "The pair of secrets that needs most noise, and the adversary who sees most of it. "
    "All other pairs keep the promise with room to spare, though some may be easier to guess.",
    "certificate": (
        "The bound is computed for the exact law of what is published, not estimated from "
        "samples, and rounded to the safe side. It includes the rounding of the computer's "
        "arithmetic and the grid on which noise is drawn."
    ),
    "believed": (
        "How the numbers are distributed for each secret, as the adversary of the worst pair "
        "believes. Where the two curves differ, a number reveals something about the secret."
    ),
    "published": "The same for published numbers, which are what an adversary sees.",
    "map": "Each row is a true value, each column a published one; the shade says how likely it "
    "is (see the key).",
    "ratio": "For each value that may be published, the logarithm of the factor by which it "
    "changes the odds. Inside the band the promise is kept; the dotted lines are the certified "
    "extremes.",
    "profile": (
        "For each ε, the δ that is needed with it. The promise is kept if the curve passes below "
        "its mark."
    ),
    "scale": (
        "The chosen noise, next to the spread of the column, to the noise of the paper's formula "
        "(Theorem 2), which is false in general, and to that of local differential privacy, "
        "which protects every value from everybody, whatever they know. With a recoding: its "
        "error, next to those of the least noise and of one constant for everybody."
    ),
    "guessed": (
        "Somebody who knows all that is described guesses between two secrets that are equally "
        "likely, given what is known. 50% is chance."
    ),
    "strata": (
        "A column that is published as it is splits the table: each of its values has a recoding "
        "of its own, and groups that are small or reveal much lose more."
    ),
    "columns": (
        "How often each value occurs, before and as published on average. The names of "
        "categories are not shown on this page: they are numbered, the most frequent first."
    ),
    "heat": "Every pair of secrets, and how much of the promise it uses. Choose one to see it.",
}
