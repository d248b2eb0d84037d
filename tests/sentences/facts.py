"""What each release says, computed again from its rows, the command and the map: in fractions.

Nothing here imports the library. The name of each method is that of a slot in `sentences.txt`. It
is given the slots of the sentence that were read before it, and answers whether the text is right:
`up` and `down` permit a number to err on the safe side alone, by less than its last digit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from statistics import pstdev
from typing import Any

from tests import reference
from tests.joint_judge import Recode, hockey_stick, ratio
from tests.sentences.cases import CASES
from tests.sentences.shown import Shown

Test = Callable[[str], bool]
Said = dict[str, str]
_SCALE = {"numbers": 4, "persons": 12.5}
_NOT_KNOWN = {"joint": ("old",)}


def _number(text: str) -> tuple[Fraction, Fraction]:
    """A number as it is printed, and its last digit."""
    percent = Fraction(1, 100) if text.endswith("%") else Fraction(1)
    bare = text.rstrip("%").replace(",", "").replace("−", "-").lstrip("±")
    digits, _, power = bare.partition("e")
    places = len(digits.partition(".")[2])
    value = Fraction(bare) * percent
    if not places and percent == 1:  # zeros at the end are not printed
        return value, abs(value) / 200
    return value, percent * Fraction(10) ** (int(power or 0) - places)


def near(value: Any) -> Test:
    """The number to the nearest last digit."""

    def test(text: str) -> bool:
        found, digit = _number(text)
        return abs(found - Fraction(value)) <= digit * Fraction(501, 1000)

    return test


def up(value: Any, digit: Any = 0) -> Test:
    """The number, or at most one digit more."""

    def test(text: str) -> bool:
        found, last = _number(text)
        return 0 <= found - Fraction(value) <= max(last, Fraction(digit)) * Fraction(1001, 1000)

    return test


def exactly(*texts: object) -> Test:
    return lambda text: text in set(map(str, texts))


def names(of: Iterable[object]) -> str:
    *first, last = [repr(each) for each in of]
    return f"{', '.join(first)} and {last}" if first else last


class Facts:
    """The facts of one release."""

    def __init__(self, shown: Shown) -> None:
        self.name, self.shown, self.record = shown.name, shown, shown.record
        words = CASES[shown.name][1].split()
        options = defaultdict(list)
        for option, value in zip(words, [*words[1:], ""], strict=True):
            if option.startswith("-"):
                options[option].append(value)
        self.options = options
        self.x, self.s = options["-c"], options["-s"]
        self.e = Fraction(options["-e"][0])
        self.d = Fraction(options.get("-d", ["0"])[0])
        share = options.get("--wrong", ["0%" if self.noisy else "5%"])[0]
        self.w = Fraction(share.rstrip("%")) / 100
        self.knows = [*_NOT_KNOWN.get(self.name, ()), *options.get("--keep", [])]
        self.every_pair = [tuple(each.split(":")) for each in options.get("--pair", [])] or {
            "joint": [("no", "yes")],
            "persons": [("a", "b")],
            "dates": [("s = a", "s = b"), ("t = u", "t = v")],
        }[self.name]

    # ------------------------------------------------------------------ rows and maps

    @property
    def noisy(self) -> bool:
        return self.name in _SCALE

    def cell(self, row: dict[str, str]) -> tuple[Any, ...]:
        """A row as it is coded: days become years, labels are merged."""
        merged = {"farm": "house"}
        read = {"day": lambda text: int(text[:4])} | ({"x": int} if self.name == "joint" else {})
        return tuple(read.get(c, lambda text: merged.get(text, text))(row[c]) for c in self.x)

    @cached_property
    def cells(self) -> list[tuple[str, tuple[str, ...], tuple[Any, ...]]]:
        """The secret, what is known, and the cell of each row; of one half, as it was counted."""
        if self.name == "dates":
            beliefs = self.record["plan"]["scenario"]["beliefs"]
            laws = [law for belief in beliefs for law in belief["secrets"]]
            found = [(law["secret"], (), tuple(cell), n) for law in laws for cell, n in zip(
                law["prior"]["values"], law["prior"]["counts"], strict=True)]  # fmt: skip
            table = Counter((f"{s} = {r[s]}", self.cell(r)) for r in self.shown.rows for s in "st")
            assert all(n <= table[secret, cell] for secret, _, cell, n in found)
            return [(secret, known, cell) for secret, known, cell, n in found for _ in range(n)]
        return [
            (r[self.s[0]], tuple(r[k] for k in self.knows), self.cell(r)) for r in self.shown.rows
        ]

    @cached_property
    def in_pairs(self) -> set[str]:
        return {secret for pair in self.every_pair for secret in pair}

    @cached_property
    def maps(self) -> dict[str, Recode]:
        """The recoding of each value that everybody knows."""
        law = self.record["plan"]["noise"]
        laws = {"": law} if law["kind"] == "recoding" else {
            given[0]: each for given, each in zip(law["given"], law["laws"], strict=True)
        }  # fmt: skip
        return {
            key: Recode(
                *([tuple(v) if isinstance(v, list) else (v,) for v in each[k]] for k in
                  ("values", "outputs")),
                [[int(word, 16) for word in row.split()] for row in each["rows"]],
            )
            for key, each in laws.items()
        }  # fmt: skip

    def map_of(self, known: tuple[str, ...]) -> Recode:
        return self.maps[known[-1] if known else ""]

    def kept(self, share: Callable[[tuple[Any, ...], tuple[Any, ...]], Any], only: str = "") -> Any:
        """The mean over the rows of something about the true and the published cell."""
        counted = Counter((known, cell) for _, known, cell in self.cells)
        total, found = 0, Fraction(0)
        for (known, cell), n in counted.items():
            if only and only not in known:
                continue
            m = self.map_of(known)
            row = m.table[m.values.index(cell)]
            found += sum(
                n * Fraction(w, 2**62) * share(cell, y) for y, w in zip(m.outputs, row, strict=True)
            )
            total += n
        return found / total

    def stays_of(self, columns: Iterable[str], only: str = "") -> Fraction:
        at = [self.x.index(each) for each in columns]
        return Fraction(self.kept(lambda a, b: all(a[i] == b[i] for i in at), only))

    def column_of(self, column: str, only: str = "") -> list[Any]:
        at = self.x.index(column)
        return [cell[at] for _, known, cell in self.cells if not only or only in known]

    def mode(self, column: str, only: str = "") -> Fraction:
        values = self.column_of(column, only)
        return Fraction(Counter(values).most_common(1)[0][1], len(values))

    def loss(self, a: Any, b: Any, column: str) -> Any:
        """What one entry loses: squared, in stds of its column, or 1 for a changed label."""
        if not isinstance(a, int) or column == "day":
            return a != b
        return Fraction((a - b) ** 2) / Fraction(pstdev(self.column_of(column)) ** 2)

    def loss_of(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
        return sum(self.loss(p, q, c) for p, q, c in zip(a, b, self.x, strict=True))

    @cached_property
    def laws(self) -> dict[tuple[tuple[str, ...], str], Counter[Any]]:
        """The rows of each secret, given all that somebody may know."""
        found: dict[Any, Counter[Any]] = defaultdict(Counter)
        for secret, known, cell in self.cells:
            found[known, secret][cell] += 1
            if known:
                found[known[1:], secret][cell] += 1
        return found

    def judged(self, epsilon: float, wrong: Fraction, *, same: bool = False) -> dict[Any, Any]:
        """For everybody and each ordered pair: the largest ratio, and δ; `same`: without a map."""
        found = {}
        for a, b in [p for pair in self.every_pair for p in (pair, pair[::-1])]:
            for known in {key for key, _ in self.laws}:
                m = self.map_of(known)
                if same:
                    n = len(m.values)
                    eye = [[2**62 * (i == j) for j in range(n)] for i in range(n)]
                    m = Recode(m.values, m.values, eye)
                p, q = (m.published(self.laws[known, each], wrong) for each in (a, b))
                found[known, a, b] = (None if same else ratio(p, q)[0], hockey_stick(p, q, epsilon))
        return found

    @cached_property
    def guesses(self) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
        """How often the best guess is right, from the true row and from the published one."""
        return tuple(
            {key: (1 + d) / 2 for key, (_, d) in self.judged(0.0, Fraction(0), same=same).items()}
            for same in (True, False)
        )  # type: ignore[return-value]

    # ------------------------------------------------------------------ numbers

    @cached_property
    def values(self) -> dict[str, list[int]]:
        """The values of each secret within the cap; of a person, the mean."""
        low, high = map(int, self.options["--cap"][0].split(":"))
        if self.name == "persons":
            mine: dict[Any, list[int]] = defaultdict(list)
            for row in self.shown.rows:
                mine[row["s"], row["p"]].append(int(row["x"]))
            found = [(s, Fraction(sum(each), len(each))) for (s, _), each in mine.items()]
        else:
            found = [(r["s"], Fraction(r["x"])) for r in self.shown.rows if r["x"]]
        self.uncapped = [value for _, value in found]
        return {s: [min(max(v, low), high) for t, v in found if t == s] for s in self.in_pairs}

    def law(self, secret: str) -> list[tuple[Any, ...]]:
        counted = Counter(self.values[secret])
        return [
            (reference.mpf(n) / len(self.values[secret]), float(v), 0) for v, n in counted.items()
        ]

    def hole(self, secret: str) -> Fraction:
        rows = [row for row in self.shown.rows if row["s"] == secret]
        return Fraction(sum(not row["x"] for row in rows), len(rows))

    def noised(self, epsilon: Any, noise: tuple[Any, ...]) -> float:
        a, b = self.every_pair[0]
        return float(max(reference.hockey_stick_missing(
            self.law(p), self.law(q), epsilon, noise, (self.hole(p), self.hole(q)))
            for p, q in ((a, b), (b, a))))  # fmt: skip

    @property
    def b(self) -> float:
        return float(_SCALE[self.name])

    @property
    def std(self) -> float:
        values = [value for each in self.values.values() for value in each]
        return pstdev(map(float, self.uncapped if values else []))
