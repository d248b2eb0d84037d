"""The slots of `sentences.txt`: each method decides one text; each property, one sentence."""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction

from tests import reference
from tests.joint_judge import exp_above, hockey_stick, log_of
from tests.sentences.facts import Facts, Said, Test, exactly, names, near, up

TINY = Fraction(1, 10**7)
_NUMBER = r"[\d.e-]+"


class Slots(Facts):
    """What decides each slot."""

    # ------------------------------------------------------------------ names

    def columns(self, _: Said) -> Test:
        return exactly(names(self.x), *self.x, ", ".join(self.x[:-1]) + f" and {self.x[-1]}")

    def secret(self, _: Said) -> Test:
        return exactly(names(self.s))

    def secrets(self, _: Said) -> Test:
        return exactly(names(dict.fromkeys(s for pair in self.every_pair for s in pair)))

    def known(self, _: Said) -> Test:
        return exactly(names(self.knows))

    def everybody(self, _: Said) -> Test:
        return exactly(names(self.options["--keep"]))

    def hidden(self, _: Said) -> Test:
        return exactly(names(set(self.knows) - set(self.options["--keep"])))

    def unprotected(self, _: Said) -> Test:
        return exactly(names(self.options["--keep-unprotected"]))

    def published(self, _: Said) -> Test:
        return exactly(
            names([*self.x, *self.options["--keep"], *self.options["--keep-unprotected"]])
        )

    def pair(self, said: Said) -> Test:
        """One pair; where a guess is told, the one that is guessed best."""
        one = {f"{a!r} and {b!r}" for a, b in self.every_pair}
        return exactly(*one, *(f"{a!r} or {b!r}" for a, b in self.every_pair),
                       *(f"{a} and {b}" for a, b in self.every_pair),
                       *(f"({a!r}, {b!r})" for a, b in self.every_pair))  # fmt: skip

    def pairs(self, _: Said) -> Test:
        every = [f"{a!r} and {b!r}" for a, b in self.every_pair]
        return exactly("; ".join(every), ", ".join(every))

    def pair_count(self, _: Said) -> Test:
        return exactly(len(self.every_pair))

    def ordered(self, _: Said) -> Test:
        """Ordered pairs, for each adversary who knows the same as the one who decides."""
        return exactly(2 * len(self.every_pair) * (3 if self.name == "joint" else 1))

    def file(self, _: Said) -> Test:
        return exactly(f"{self.name}.out.csv")

    def belief(self, _: Said) -> Test:
        return exactly(*(repr(b["name"]) for b in self.record["plan"]["scenario"]["beliefs"]))

    def whence(self, _: Said) -> Test:
        other = "fitted on other rows of the table, which are not published"
        return exactly(other if "--fit-on" in self.options else "fitted on the released column")

    def given(self, _: Said) -> Test:
        given = [b.get("given") for b in self.record["plan"]["scenario"]["beliefs"]]
        every = [", ".join(f"{k} = {v}" for k, v in each.items()) for each in given if each]
        return exactly(*every)

    def method(self, _: Said) -> Test:
        """A method that cannot be used here: the page lists them with their reasons."""
        return exactly("exact, Gaussian", "coupling", "thm-1", "remark-1", "thm-2", "cor-2")

    # ------------------------------------------------------------------ counts

    def rows(self, _: Said) -> Test:
        return exactly(len(self.shown.published))

    def rows_with_value(self, _: Said) -> Test:
        return exactly(sum(bool(row["x"]) for row in self.shown.published))

    def holes(self, _: Said) -> Test:
        return exactly(sum(not row["x"] for row in self.shown.rows))

    def other_rows(self, _: Said) -> Test:
        fitted = sum(secret.startswith("s = ") for secret, _, _ in self.cells)
        assert fitted + len(self.shown.published) == len(self.shown.rows)
        return exactly(fitted)

    def moved(self, _: Said) -> Test:
        low, high = map(int, self.options["--cap"][0].split(":"))
        assert self.values
        return exactly(sum(not low <= value <= high for value in self.uncapped))

    def outside_pairs(self, _: Said) -> Test:
        found = sum(row["s"] not in self.in_pairs for row in self.shown.rows)
        return lambda text: (
            up(Fraction(found, len(self.shown.rows)))(text) if "%" in text else text == str(found)
        )

    def column_count(self, _: Said) -> Test:
        return exactly(len(self.x))

    def cap_low(self, _: Said) -> Test:
        return exactly(self.options["--cap"][0].split(":")[0])

    def cap_high(self, _: Said) -> Test:
        return exactly(self.options["--cap"][0].split(":")[1])

    def known_values(self, _: Said) -> Test:
        return exactly(len(self.maps))

    def categories(self, _: Said) -> Test:
        return exactly(len({cell for *_, cell in self.cells if self.cells}))

    def adversaries(self, _: Said) -> Test:
        return exactly({"joint": 2, "dates": 2}.get(self.name, 1))

    def step(self, _: Said) -> Test:
        return exactly(self.options["--round"][0])

    def fewest(self, _: Said) -> Test:
        return exactly(min(map(len, self.values.values())))

    # ------------------------------------------------------------------ the promise

    def epsilon(self, _: Said) -> Test:
        return up(self.e)

    def goal(self, _: Said) -> Test:
        return exactly(f"(ε = {self.e}, δ = {float(self.d)})") if self.d else (
            lambda text: text.startswith("ε = ") and up(self.e)(text[4:])
        )  # fmt: skip

    def delta(self, _: Said) -> Test:
        return exactly(float(self.d))

    def factor(self, _: Said) -> Test:
        return up(exp_above(float(self.e)))

    def wrong(self, _: Said) -> Test:
        return lambda text: Fraction(text.rstrip("%")) / 100 == self.w

    def points(self, said: Said) -> Test:
        return self.wrong(said)

    def confidence(self, _: Said) -> Test:
        return exactly(*self.options["--sampling-confidence"])

    def floor(self, _: Said) -> Test:
        return exactly(*self.options["--floor"])

    def promised(self, _: Said) -> Test:
        most = exp_above(float(self.e))
        return up((most + self.d) / (1 + most))

    def certified_low(self, said: Said) -> Test:
        return lambda text: float(text) <= self.truth(said) + 1e-9

    def certified_high(self, said: Said) -> Test:
        return lambda text: self.truth(said) - 1e-9 <= float(text) <= max(self.e, self.d)

    def truth(self, _: Said) -> float:
        """The least ε, or δ at ε, over all laws that may be wrong; with a region, as described."""
        if self.name == "persons":
            return 0.9750673
        if self.noisy:
            return max(self.towards(*pair) for pair in self.orders)
        found = self.judged(float(self.e), self.w).values()
        return float(max(d for _, d in found)) if self.d else max(log_of(r) for r, _ in found)

    @property
    def orders(self) -> list[tuple[str, str]]:
        (a, b), *_ = self.every_pair
        return [(a, b), (b, a)]

    def towards(self, a: str, b: str, scale: float = 0.0) -> float:
        """The most by which what is published can move the log-odds towards a."""
        laws = [[((1 - reference.mpf(float(self.hole(s)))) * w, x, t) for w, x, t in self.law(s)]
                for s in (a, b)]  # fmt: skip
        found = float(reference.sup_log_ratio(*laws, ("laplace", scale or self.b)))
        holes = self.hole(a), self.hole(b)
        return max(found, math.log(holes[0] / holes[1])) if holes[1] else found

    def towards_first(self, _: Said) -> Test:
        return self.at_least(self.towards(*self.orders[0]))

    def towards_second(self, _: Said) -> Test:
        return self.at_least(self.towards(*self.orders[1]))

    def at_least(self, least: float) -> Test:
        """The number; with a region, which covers other laws too, no less than that."""
        if self.name == "persons":
            return lambda text: least <= float(text) <= self.e
        return up(Fraction(least) - TINY, Fraction(1, 10**4))

    def bare_delta(self, _: Said) -> Test:
        return up(self.noised(float(self.e), ("none",)) - 1e-12, Fraction(1, 10**4))

    def one_release(self, said: Said) -> Test:
        return up(self.adding(1) - 1e-9, Fraction(1, 10**3))

    def two_releases(self, said: Said) -> Test:
        return up(self.adding(2) - 1e-9, Fraction(1, 10**3))

    def adding(self, times: int) -> float:
        """Releases together: by the floor, the width of the cap, or the largest move."""
        if self.name == "labels":
            return times * 0.9
        if self.name == "persons":
            return times * 40 / self.b
        a, b = (sorted(self.values[each]) for each in self.every_pair[0])
        ends = sorted({Fraction(i, len(v)) for v in (a, b) for i in range(len(v))})
        reach = max(abs(a[int(t * len(a))] - b[int(t * len(b))]) for t in ends)
        p, q = (self.hole(each) for each in self.every_pair[0])
        missing = max(abs(math.log(p / q)), abs(math.log((1 - p) / (1 - q))))
        return times * float(reach) / self.b + missing

    # ------------------------------------------------------------------ guesses

    def guess_true(self, said: Said) -> Test:
        if self.noisy:
            return up((1 + self.noised(0.0, ("none",))) / 2 - 1e-12, Fraction(1, 1000))
        best = max(self.guesses[1], key=self.guesses[1].__getitem__)
        assert said.get("pair", "") in ("", f"{best[1]!r} and {best[2]!r}",
                                        f"{best[2]!r} and {best[1]!r}")  # fmt: skip
        assert said.get("where", "old = M") in ("old = M", "old = old, sex = M")
        return up(self.guesses[0][best])

    def guess_published(self, _: Said) -> Test:
        """Over all pairs and all that may be known."""
        if self.noisy:
            guess = (1 + self.noised(0.0, ("laplace", self.b))) / 2
            return up(guess - 1e-9, Fraction(1, 1000))
        return up(max(self.guesses[1].values()))

    def where(self, _: Said) -> Test:
        known, *_ = max(self.guesses[1], key=self.guesses[1].__getitem__)
        return exactly(f"old = {known[0]}, sex = {known[1]}")

    def average(self, which: int) -> Test:
        """Over the rows of the pair, each given all that is known of it."""
        a, b = self.every_pair[0]
        rows = Counter(known for _, known, _ in self.cells)
        found = sum(n * self.guesses[which][known, a, b] for known, n in rows.items())
        return up(found / len(self.cells))

    def average_true(self, _: Said) -> Test:
        return self.average(0)

    def average_published(self, _: Said) -> Test:
        return self.average(1)

    def found(self, _: Said) -> Test:
        """What a learner finds on other rows: not much more than the best rule on all rows."""
        by = {}
        for seen in (lambda row: [row[k] for k in self.knows], lambda row: list(row.values())):
            table = self.shown.rows if not by else self.shown.published
            laws = {s: Counter() for s in self.in_pairs}
            for row, source in zip(table, self.shown.rows, strict=True):
                laws[source["s"]][str(seen(row))] += 1
            if by:  # the published rows are in another order
                break
            p, q = laws.values()
            by["known"] = (1 + sum(abs(Fraction(p[k], p.total()) - Fraction(q[k], q.total()))
                                   for k in {*p, *q}) / 2) / 2  # fmt: skip
        return lambda text: 0.5 <= int(text.rstrip("%")) / 100 <= by["known"] + Fraction(1, 8)

    # ------------------------------------------------------------------ what stays

    def column(self, _: Said) -> Test:
        return exactly(*map(repr, self.x))

    def stays(self, said: Said) -> Test:
        only = said.get("stratum", "").rpartition("= ")[2]
        columns = [said["column"].strip("'")] if "column" in said else self.x
        return near(self.stays_of(columns, only))

    def stratum(self, _: Said) -> Test:
        return exactly(*(f"sex = {each}" for each in self.maps))

    def mode_share(self, said: Said) -> Test:
        """With one constant; or, as a sentence says then, one for each value everybody knows."""
        column, size = said["column"].strip("'"), len(self.cells)
        every = [(len(self.column_of(column, key)), self.mode(column, key)) for key in self.maps]
        return near(sum(n * mode for n, mode in every) / size)

    def error_of_column(self, said: Said) -> Test:
        at = self.x.index(said["column"].strip("'"))
        return near(math.sqrt(self.kept(lambda a, b: (a[at] - b[at]) ** 2)))

    def spread_of_column(self, said: Said) -> Test:
        return near(math.sqrt(self.variance(said["column"].strip("'"))))

    def variance(self, column: str, only: str = "") -> Fraction:
        values = list(map(Fraction, self.column_of(column, only)))
        mean = sum(values) / len(values)
        return sum((value - mean) ** 2 for value in values) / len(values)

    def error_of_row(self, said: Said) -> Test:
        """Of all rows, or of those with one known value."""
        return lambda text: any(near(math.sqrt(self.kept(self.loss_of, only)))(text)
                                for only in self.groups)  # fmt: skip

    def lost_by_constant(self, only: str) -> Fraction:
        """What the best constant row loses, summed over the rows."""
        rows = Counter(cell for _, known, cell in self.cells if not only or only in known)
        return min(sum(n * Fraction(self.loss_of(a, y)) for a, n in rows.items()) for y in rows)

    def error_of_constant(self, _: Said) -> Test:
        """Of all rows, or of those with one known value."""
        return lambda text: any(
            near(math.sqrt(self.lost_by_constant(only) / len(self.column_of(self.x[0], only))))(
                text
            )
            for only in self.groups
        )

    def error_of_each(self, _: Said) -> Test:
        """One constant row for each known value."""
        return near(math.sqrt(sum(map(self.lost_by_constant, self.maps)) / len(self.cells)))

    def stays_there(self, _: Said) -> Test:
        """Among all rows, or those with one known value, of which a heading speaks."""
        return lambda text: any(near(self.stays_of(self.x, only))(text) for only in self.groups)

    @property
    def groups(self) -> list[str]:
        return ["", *(key for key in self.maps if key)]

    def what_stays(self, _: Said) -> Test:
        """Each column, of the rows that decide."""
        each = (
            r"'(\w+)' in (\S+%) of rows \((\S+%) if one constant were published"
            r"(; error (\S+?)(?:, and (\S+) with the mean)?)?\)"
        )

        def test(text: str) -> bool:
            found = re.findall(each, text)
            return [column for column, *_ in found] == self.x and any(
                all(near(self.stays_of([c], only))(stay) and near(self.mode(c, only))(mode)
                    and (not std or near(math.sqrt(self.variance(c, only)))(std))
                    for c, stay, mode, _, _, std in found)
                for only in self.groups
            )  # fmt: skip

        return test

    def mean_error(self, secret: str) -> float:
        """The error of the rows of one secret."""
        mine = [(known, cell) for s, known, cell in self.cells if s == secret]
        total = sum(
            n * Fraction(w, 2**62) * self.loss_of(cell, y)
            for (known, cell), n in Counter(mine).items()
            for y, w in zip(
                self.map_of(known).outputs,
                self.map_of(known).table[self.map_of(known).values.index(cell)],
                strict=True,
            )
        )
        return math.sqrt(total / len(mine))

    def pays_most(self, _: Said) -> Test:
        return exactly(repr(max(self.in_pairs, key=self.mean_error)))

    def pays_least(self, _: Said) -> Test:
        return exactly(repr(min(self.in_pairs, key=self.mean_error)))

    def largest_error(self, said: Said) -> Test:
        return near(self.mean_error(said["pays_most"].strip("'")))

    def smallest_error(self, said: Said) -> Test:
        return near(self.mean_error(said["pays_least"].strip("'")))

    def associated(self, said: Said) -> Test:
        return exactly(*self.x)

    def cramer(self, column: str, secret: str, *, after: bool) -> float:
        at = self.x.index(column)
        table: Counter[tuple[object, str]] = Counter()
        for (s, known, cell), n in Counter(self.cells).items():
            if s not in self.in_pairs or (self.name == "dates" and not s.startswith(secret)):
                continue
            m = self.map_of(known)
            for y, w in zip(m.outputs, m.table[m.values.index(cell)], strict=True):
                table[(y if after else cell)[at], s] += n * Fraction(w, 2**62)
        return cramer_of(table)

    def v_before(self, said: Said) -> Test:
        return near(self.cramer(said["associated"], said["by"], after=False))

    def v_after(self, said: Said) -> Test:
        return near(self.cramer(said["associated"], said["by"], after=True))

    def by(self, _: Said) -> Test:
        return exactly(*self.s)

    # ------------------------------------------------------------------ noise

    def scale(self, _: Said) -> Test:
        return near(Fraction(self.b))

    def noise_std(self, _: Said) -> Test:
        return near(self.b * math.sqrt(2))

    def column_std(self, _: Said) -> Test:
        return near(self.std)

    def times_column(self, _: Said) -> Test:
        return near(self.b * math.sqrt(2) / self.std)

    def times_belief(self, _: Said) -> Test:
        most = max(math.sqrt(sum((float(v) - sum(map(float, each)) / len(each)) ** 2 for v in each)
                             / len(each)) for each in self.values.values())  # fmt: skip
        return near(self.b * math.sqrt(2) / most)

    def within(self, _: Said) -> Test:
        return near(self.b * math.log(20))

    def mean_within(self, _: Said) -> Test:
        return near(1.959964 * self.b * math.sqrt(2 / sum(map(len, self.values.values()))))

    def grid(self, _: Said) -> Test:
        return lambda text: 2.0 ** int(text) <= self.b / 2**20

    def local_low(self, _: Said) -> Test:
        return exactly(min(map(min, self.values.values())))

    def local_high(self, _: Said) -> Test:
        return exactly(max(map(max, self.values.values())))

    @property
    def local(self) -> float:
        every = [value for each in self.values.values() for value in each]
        return float((max(every) - min(every)) / self.e)

    def local_scale(self, _: Said) -> Test:
        return near(self.local)

    def local_times(self, _: Said) -> Test:
        return near(self.local / self.b)

    def plain_error(self, _: Said) -> Test:
        """The least noise for the described laws, rounded up to a rung."""
        return lambda text: (
            max(self.towards(*each, float(text) / math.sqrt(2)) for each in self.orders)
            <= self.e * Fraction(101, 100)
            and max(self.towards(*each, 0.9 * float(text) / math.sqrt(2)) for each in self.orders)
            > self.e
        )

    def laws_told(self, _: Said) -> Test:
        """Each belief: how many values or cells, mean and std, or the most frequent one."""
        return lambda text: all(self.law_told(each) for each in text.split("; "))

    def law_told(self, text: str) -> bool:
        if text.startswith("all about"):
            return True
        secret, rest = text.removeprefix("'").split("': ")
        n = [float(each) for each in re.findall(rf"(?<![\w-]){_NUMBER}", rest)]
        if self.noisy:
            values = list(map(float, self.values[secret]))
            mean = sum(values) / len(values)
            std = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
            told = [len(set(values)), mean, std, *([float(self.hole(secret))] * (len(n) - 3))]
            return all(math.isclose(a, b, rel_tol=6e-3) for a, b in zip(told, n, strict=True))
        laws = [law for (known, s), law in self.laws.items() if s == secret]
        return any(
            n[0] == len(law) and math.isclose(n[-1], max(law.values()) / law.total(), rel_tol=6e-3)
            for law in laws
        )

    # ------------------------------------------------------------------ more knowledge, other rows

    def also(self, *columns: str) -> dict[object, tuple[int, Fraction, Fraction]]:
        """For those who also know a column: rows, δ and guess of each stratum with enough rows."""
        found = {}
        strata = {tuple(row[c] for c in columns) for row in self.shown.rows}
        for stratum in strata:
            mine = [r for r in self.shown.rows if tuple(r[c] for c in columns) == stratum]
            laws = {s: Counter(self.cell(r) for r in mine if r["s"] == s) for s in self.in_pairs}
            p, q = (self.maps[mine[0]["sex"]].published(law) for law in laws.values())
            big = min(law.total() for law in laws.values()) >= 20
            spent = max(hockey_stick(*each, float(self.e)) for each in ((p, q), (q, p)))
            guess = (1 + hockey_stick(p, q, 0.0)) / 2
            found[stratum] = (len(mine), spent, guess) if big else (len(mine), None, None)
        return found

    @property
    def also_w(self) -> list[tuple[int, Fraction, Fraction]]:
        return [*self.also("old", "sex", "w").values(), *self.also("sex", "w").values()]

    def also_delta(self, _: Said) -> Test:
        return up(max(d for _, d, _ in self.also_w if d is not None))

    def also_guess(self, _: Said) -> Test:
        return up(max(g for *_, g in self.also_w if g is not None))

    def also_lost(self, _: Said) -> Test:
        lost = sum(n for n, d, _ in self.also("old", "sex", "w").values() if d is None)
        return up(Fraction(lost, len(self.shown.rows)))

    def some_rows(self, _: Said) -> Test:
        """A share of the rows that have a value."""
        n = sum(bool(row["x"]) for row in self.shown.published)
        return lambda text: any(near(Fraction(k, n))(text) for k in range(n // 10))

    def cases(self, _: Said) -> Test:
        return exactly(4 if self.name == "joint" else 3)

    def kept_cases(self, _: Said) -> Test:
        """Those that stand with "kept" in the table of the page."""
        return exactly({"numbers": 2, "labels": 3, "joint": 2}[self.name])

    def drawn(self, _: Said) -> Test:
        """Of random splits: it changes from run to run."""
        return lambda text: float(text) >= 0.0

    def held(self, _: Said) -> Test:
        return exactly(*range(6))

    # ------------------------------------------------------------------ sentences without numbers

    @property
    def frequencies_kept(self) -> bool:
        """Each combination is as frequent among the published rows as before, on average."""
        for known in self.maps:
            before, after = Counter(), Counter()
            for (_, given, cell), n in Counter(self.cells).items():
                if known and known not in given:
                    continue
                m = self.map_of(given)
                before[cell] += n
                for y, w in zip(m.outputs, m.table[m.values.index(cell)], strict=True):
                    after[y] += n * Fraction(w, 2**62)
            if any(abs(before[y] - after[y]) > TINY for y in {*before, *after}):
                return False
        return True

    @property
    def frequencies_not_kept(self) -> bool:
        return not self.frequencies_kept

    @property
    def occurs(self) -> bool:
        """Nothing is published that does not occur."""
        return {self.cell(row) for row in self.shown.published} <= {c for *_, c in self.cells}

    @property
    def in_order(self) -> bool:
        return self.shown.published[0].keys() & set(self.s) == set()

    @property
    def pay_alike(self) -> bool:
        errors = [self.mean_error(each) for each in self.in_pairs]
        return max(errors) <= 1.05 * min(errors)

    @property
    def wide_noise(self) -> bool:
        return self.b * math.sqrt(2) >= self.std

    @property
    def costs_more(self) -> bool:
        return self.b * math.sqrt(2) > self.std

    @property
    def holes_stay(self) -> bool:
        rows = [
            sum(not row["x"] for row in each) for each in (self.shown.rows, self.shown.published)
        ]
        return rows[0] == rows[1] > 0

    @property
    def odds_without_bound(self) -> bool:
        a, b = (set(self.values[each]) for each in self.every_pair[0])
        return a != b

    @property
    def no_floor(self) -> bool:
        return "--floor" not in self.options and not self.noisy

    @property
    def not_signed(self) -> bool:
        return "--sign" not in self.options

    @property
    def several_pairs(self) -> bool:
        """`guess_true` then holds the pair that is told against all others."""
        return len(self.every_pair) > 1

    @property
    def several_known(self) -> bool:
        """`guess_true` then holds the known values that are told against all others."""
        return len({known for known, _ in self.laws}) > 1

    @property
    def none_weaker(self) -> bool:
        """Cells that stay as frequent keep each association; else the tables of two columns do."""
        return self.frequencies_kept or (
            len(self.x) == 2 and self.between(after=True) >= self.between(after=False) - 0.005
        )

    def between(self, *, after: bool) -> float:
        """Cramér's V of two published columns of labels."""
        table: Counter[tuple[object, object]] = Counter()
        for (_, known, cell), n in Counter(self.cells).items():
            m = self.map_of(known)
            for y, w in zip(m.outputs, m.table[m.values.index(cell)], strict=True):
                table[y if after else cell] += n * Fraction(w, 2**62)
        return cramer_of(table)


def cramer_of(table: Counter[tuple[object, object]]) -> float:
    """Cramér's V of a table with fractions of rows."""
    total = sum(table.values())
    rows, columns = Counter(), Counter()
    for (row, column), n in table.items():
        rows[row] += n
        columns[column] += n
    chi = sum(
        (table[r, c] - rows[r] * columns[c] / total) ** 2 / (rows[r] * columns[c] / total)
        for r in rows
        for c in columns
        if rows[r] and columns[c]
    )
    least = min(sum(n > 0 for n in each.values()) for each in (rows, columns)) - 1
    return math.sqrt(chi / total / least)
