"""What the page says beside every number, for a statistician or a lawyer."""

from __future__ import annotations

__all__ = ["MEANING"]

_EPSILON = (
    "ε bounds by how much one published number may change the odds between two secrets: by a "
    "factor of at most e^ε, up or down."
)
MEANING = {
    "unit": "The promise is about what one unit says of its secret. If a person can have several "
    "rows, together they can tell far more than one: publish one row of each person, or let the "
    "noise grow with their number. Rows that are independent given the secret cost least; that "
    "they are is for you to say, and the release tests it.",
    "provenance": "The noise is chosen against what others may know. Fitted to the column itself, "
    "it assumes the best informed adversary, but the size of the noise then depends on private "
    "data, so it is rounded and the plan must stay private. A table that everybody has, such as a "
    "census, leaves nothing private in it.",
    "missing": "A row without a value is information too. Holes are published as they are, and the "
    "promise allows for them; or such rows are left out, and how many there are is not protected.",
    "kind": "Laplace noise can keep a promise without exception; Gaussian noise needs a δ, and is "
    "what many analysts are used to. A recoding replaces each value at random by a value that "
    "occurs: whole numbers stay whole, the histogram stays as it is on average, and the error is "
    "mostly far smaller; what relates the column to others looks weaker than it is. auto takes "
    "what errs least, with the same promise and the same floor.",
    "several": "Columns that are published together are recoded together, and the promise is about "
    "all of them. A column that is published as it is is known to everybody, so that the promise "
    "holds for somebody who knows it; what it says about the secret by itself is measured, and not "
    "covered. What others may know from elsewhere can be allowed for without being published.",
    "rules": "A rule looks at one entry at a time and is public: it tells nothing about anybody. "
    "Numbers with many values need bins, whose middles are published: 20:75:5 has an edge every 5 "
    "from 20 to 75, and 25,45,65 has three. Numbers that others know, or that are secret, need "
    "bands in the same way. Dates: year, quarter or month. Labels: merge A,B=C makes one of two, "
    "order A,B,C puts them in order, and steps counts a change by the steps between them. codes: "
    "whole numbers that are only names. weight 2: the column counts twice. Several rules for one "
    "column have semicolons between them. What must never be published together is named by its "
    "labels, such as sex=Male,pregnant=yes.",
    "parts": "How often a published entry is the true one, next to how often it would be if the "
    "most frequent one were published for everybody. A column that is hardly above that is worth "
    "little row by row.",
    "floor": "Beliefs can be wrong. The floor is what a recoding promises for every value against "
    "everybody, whatever they believe: two values at distance d are told apart by a factor of at "
    "most e^(κ·d). The least noise has such a floor too, and a recoding with that floor gives up "
    "nothing.",
    "wrong": "Empty: 0% for one column of numbers, 5% for categories and for several columns. The "
    "promise then holds for every law within this share of a described one, in total "
    "variation. The next sample is never quite like this one: with a weak floor and 0% the promise "
    "would break on it, and is refused. Somebody who releases without a floor should say a few "
    "percent.",
    "loss": "Among all maps that keep the promise, the one is taken for which this is smallest, on "
    "average over the rows.",
    "ways": "Every way keeps the same promise and has the same floor. The error is the root mean "
    "square over all rows.",
    "more": "What most releases do not need: rounding and bounds of noised values, other columns "
    "that are published unprotected, and how many rows a secret must have.",
    "promise": f"{_EPSILON} δ is a probability with which that may fail; 0 is a "
    "promise without exception.",
    "column": "Numbers are published with noise or recoded; categories are recoded.",
    "secret": "What nobody should be able to conclude from a published number. This column is not "
    "published.",
    "pairs": "Two values of the secret that must look alike: seeing a published number, one should "
    "not become much more credible than the other. Rows of other secrets are treated alike, but "
    "nothing is promised for them.",
    "beliefs": "Each is an adversary with a view of the values for each secret. The promise "
    "holds against every one that is ticked. The table of frequencies is the strongest: it knows "
    "how often each value occurs for each secret.",
    "epsilon": f"{_EPSILON} ε = 0.1 is almost nothing (a factor of 1.11), ε = 1 a "
    "factor of 2.72, ε = 5 a factor of 148, which protects little.",
    "delta": "δ is a probability with which the bound on the odds may fail. 0 is a promise without "
    "exception. With many rows, choose δ far below one over their number.",
    "accuracy": "Say how close published values, or their mean, must be to the true ones: the "
    "strongest promise that leaves this accuracy is found.",
    "noise": "Of noise: the spread (standard deviation) of what is added to each value, next to "
    "the spread of the column itself. Noise has mean zero and a published law, so means, variances "
    "and quantiles can be computed from the published column with known errors. Of a recoding: how "
    "far a published value is from the true one (root mean square). An error like that of one "
    "constant for everybody says that single rows are worth little.",
    "within": "Of noise: 95 of 100 published values are at most this far from the true one. Of a "
    "recoding: how many values are published as they are; nobody can tell which.",
    "guess": "Somebody who knows all that is described, and holds both secrets for equally likely, "
    "guesses from one number. 50% is a coin. From the true value they would be right so often "
    "(before); from the published one so often (after); the promise alone, whatever is believed, "
    "would allow so much (at worst).",
    "worst": "The pair of secrets that needs most noise, and the adversary who sees most of it. "
    "All other pairs keep the promise with room to spare, though some may be easier to guess.",
    "certificate": "The bound is computed for the very law of what is published, not estimated "
    "from samples, and rounded to the safe side. Rounding of the computer's arithmetic and the "
    "grid on which noise is drawn are included.",
    "believed": "How the numbers are spread for each secret, as the adversary of the worst pair "
    "believes. Where the two curves differ, a number betrays the secret.",
    "published": "The same for published numbers: what anybody who sees one has to go by.",
    "map": "Each row is a true value, each column a published one; the darker, the likelier.",
    "ratio": "For each value that may be published, the logarithm of the factor by which it "
    "changes the odds. Inside the band the promise is kept; the dotted lines are the certified "
    "extremes.",
    "profile": "For each ε the δ that is needed beside it. The promise is kept where the curve "
    "passes below its mark.",
    "scale": "The noise that is chosen, next to the spread of the column, to what the paper's "
    "formula (Theorem 2) would add, which is false in general, and to local differential privacy, "
    "which protects every value from everybody, whatever they know. Of a recoding: its error, next "
    "to those of the least noise and of one constant for everybody.",
    "guessed": "Somebody who knows all that is described guesses between the two secrets that "
    "decide, each as likely as the other. 50% is a coin.",
    "strata": "A column that is published as it is splits the table: each of its values has a map "
    "of its own, and small or telling groups lose more.",
    "columns": "How often each value occurs, before and as it is published on average. Of "
    "categories the names stay out of this page: they are numbered, the most frequent first.",
    "heat": "Every pair of secrets, and how much of the promise it uses. Choose one to see it.",
}
