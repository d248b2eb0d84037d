"""`python -m benchmarks.mutants`: how many small faults do the tests notice?

A mutant is the source with one operator, constant, bound or branch changed. It is killed if a test
fails. A seeded sample of mutants is taken from the packages that a promise rests on; for each the
tests that execute the changed line are run, fastest first, up to the first failure. A mutant that
survives shows a line that nothing checks, or a change that makes no difference.

Results are kept in a file, one entry for each mutant by what was changed and where, so that a later
run tries only what is new. `--compare` prints the shares killed of two such files: among functions
that both have, and among those that only one has.

Which tests execute a line is measured once for each state of the tree, by a run of the suite under
`coverage`; child processes are not seen, so lines that run only there count as executed by no test.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "pufferfish"
PACKAGES = ("exact", "recoding", "sampling", "releases", "documents")
CACHE = ROOT / ".mutants"
# Tests that are tried for one mutant; those that come later are slower.
_MOST_TESTS = 400
_SECONDS = 300

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Pow: ("**", "*"),
    ast.Mod: ("%", "+"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
# Names whose exchange turns a bound to the other side.
_SIDES = dict(
    pair
    for one, other in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("floor", "ceil"),
        ("any", "all"),
        ("argmin", "argmax"),
        ("round_up", "round_down"),
        ("float_upper", "float_lower"),
        ("zeros", "ones"),
    )
    for pair in ((one, other), (other, one))
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of the source.

    Attributes:
        path: The module, below the package.
        function: The function or class that holds it.
        line: The line, for the reader.
        kind: What was changed.
        start: Where the changed text begins, in the module.
        end: Where it ends.
        text: What stands there instead.
    """

    path: str
    function: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    def name(self, source: str) -> str:
        """The same for the same change of the same line of a function, wherever it stands."""
        first = source.rfind("\n", 0, self.start) + 1
        last = source.find("\n", self.end)
        changed = source[first : self.start].strip() + self.text + source[self.end : last].rstrip()
        digest = hashlib.sha256(f"{source[first:last].strip()}\0{changed}".encode()).hexdigest()
        return f"{self.function}:{self.kind}:{digest[:12]}"

    def applied(self, source: str) -> str:
        """The source with the change."""
        return source[: self.start] + self.text + source[self.end :]


class _Places(ast.NodeVisitor):
    """Collects the changes of a module."""

    def __init__(self, path: str, source: str) -> None:
        self.found: list[Mutant] = []
        self._path, self._source = path, source
        lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self._lines = lines
        self._names: list[str] = []

    def _at(self, line: int, column: int) -> int:
        """The place in the text; `ast` counts columns in bytes."""
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def _span(self, node: ast.expr) -> tuple[int, int]:
        return (
            self._at(node.lineno, node.col_offset),
            self._at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
        )

    def _add(self, node: ast.expr, kind: str, start: int, end: int, text: str) -> None:
        if self._names:  # a constant of a module has no test that executes it alone
            mutant = Mutant(self._path, ".".join(self._names), node.lineno, kind, start, end, text)
            self.found.append(mutant)

    def _scoped(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._names.append(node.name)
        for each in node.body:
            self.visit(each)
        self._names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _scoped

    def visit_Expr(self, node: ast.Expr) -> None:
        """Docstrings and other texts that stand alone are not changed."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Types are not changed."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        """A comparison becomes its neighbour."""
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            start, end = self._span(left)[1], self._span(right)[0]
            between = self._source[start:end]
            old = between.strip("() \n")
            place = start + between.find(old)
            self._add(node, "compare", place, place + len(old), _COMPARED[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """An operator becomes another."""
        change = _COMPUTED.get(type(node.op))
        texts = any(
            isinstance(each, ast.JoinedStr)
            or (isinstance(each, ast.Constant) and isinstance(each.value, str))
            for each in (node.left, node.right)
        )
        if change is not None and not texts:
            start, end = self._span(node.left)[1], self._span(node.right)[0]
            place = self._source.find(change[0], start, end)
            if place >= 0:
                self._add(node, "operator", place, place + len(change[0]), change[1])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """`and` becomes `or`, and the other way round."""
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        start, end = self._span(node.values[0])[1], self._span(node.values[1])[0]
        place = self._source.find(old, start, end)
        if place >= 0:
            self._add(node, "branch", place, place + len(old), new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """A sign, or a negation, is left out."""
        if isinstance(node.op, ast.Not | ast.USub):
            start, end = self._span(node)[0], self._span(node.operand)[0]
            self._add(node, "operator", start, end, "")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """A branch is taken where it was not."""
        start, end = self._span(node.test)
        self._add(node.test, "branch", start, end, f"not ({self._source[start:end]})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A number becomes its neighbour, a truth value the other."""
        start, end = self._span(node)
        if isinstance(node.value, bool):
            self._add(node, "constant", start, end, repr(not node.value))
        elif isinstance(node.value, int):
            self._add(node, "constant", start, end, repr(node.value + 1))
        elif isinstance(node.value, float):
            new = node.value * 1.1 if node.value else 1.0
            self._add(node, "constant", start, end, repr(new))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words for the reader are not changed."""

    def _bound(self, node: ast.Name | ast.Attribute, name: str) -> None:
        other = _SIDES.get(name)
        if other is not None:
            end = self._span(node)[1]
            self._add(node, "bound", end - len(name), end, other)

    def visit_Call(self, node: ast.Call) -> None:
        """A bound is taken from the other side."""
        if isinstance(node.func, ast.Name):
            self._bound(node.func, node.func.id)
        elif isinstance(node.func, ast.Attribute):
            self._bound(node.func, node.func.attr)
        self.generic_visit(node)


def mutants_of(path: str, source: str) -> list[Mutant]:
    """All changes of a module that still compile."""
    places = _Places(path, source)
    places.visit(ast.parse(source))
    return [each for each in places.found if _compiles(each.applied(source))]


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def sample(packages: Sequence[str], size: int, seed: int) -> list[Mutant]:
    """Some mutants of each package, as many as its share of all, drawn with a seed."""
    found: dict[str, list[Mutant]] = defaultdict(list)
    for package in packages:
        for place in sorted((SOURCE / package).rglob("*.py")):
            path = place.relative_to(SOURCE).as_posix()
            found[package] += mutants_of(path, place.read_text())
    total = sum(map(len, found.values()))
    chosen: list[Mutant] = []
    for package, every in found.items():
        # The order of a draw depends on the mutant alone, so most of a sample survives a change.
        ranked = sorted(every, key=lambda each: _rank(each, seed))
        chosen += ranked[: max(round(size * len(every) / total), 1)]
        print(f"{package}: {len(every)} possible", file=sys.stderr)
    return chosen


def _rank(mutant: Mutant, seed: int) -> float:
    name = mutant.name((SOURCE / mutant.path).read_text())
    return random.Random(f"{seed} {name}").random()


@dataclass(frozen=True, slots=True)
class Executed:
    """Which tests execute a line, and how long each takes."""

    tests: Mapping[tuple[str, int], frozenset[str]]
    seconds: Mapping[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that execute the line, fastest first."""
        found = self.tests.get((mutant.path, mutant.line), frozenset())
        return sorted(found, key=lambda each: (self.seconds.get(each, 1e9), each))[:_MOST_TESTS]


def measure(packages: Sequence[str], workers: int) -> Executed:
    """Run the suite under coverage, unless that was done for this state of the tree."""
    state = hashlib.sha256()
    for place in sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py")]):
        state.update(place.read_bytes())
    folder = CACHE / state.hexdigest()[:16]
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _run_suite(folder, packages, workers)
        (folder / "done").touch()
    return Executed(_lines(folder / "coverage"), json.loads((folder / "seconds").read_text()))


def _run_suite(folder: Path, packages: Sequence[str], workers: int) -> None:
    settings = folder / "coveragerc"
    names = "\n    ".join(f"*/pufferfish/{package}/*" for package in packages)
    settings.write_text(f"[run]\ninclude =\n    {names}\n")
    report = folder / "junit.xml"
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-m", "not heavy", "-n", str(workers)),
        *("--dist", "loadgroup", "-p", "no:cacheprovider", f"--junitxml={report}"),
        *("-o", "junit_family=xunit1"),
        *("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="),
    ]
    environment = _environment(ROOT / "src") | {"COVERAGE_FILE": str(folder / "coverage")}
    subprocess.run(command, cwd=ROOT, env=environment, check=False, stdout=sys.stderr)
    seconds = {
        f"{case.attrib['file']}::{case.attrib['name']}": float(case.attrib["time"])
        for case in ElementTree.parse(report).iter("testcase")
    }
    (folder / "seconds").write_text(json.dumps(seconds))


def _lines(data: Path) -> dict[tuple[str, int], frozenset[str]]:
    """For each executed line the tests that execute it, from the data of `coverage`."""
    # The data is read by the library that wrote it: its tables are its own.
    from coverage import CoverageData  # noqa: PLC0415

    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    data_of = CoverageData(basename=str(data))
    data_of.read()
    for measured in data_of.measured_files():
        path = measured.partition("/pufferfish/")[2]
        for line, contexts in data_of.contexts_by_lineno(measured).items():
            for each in contexts:
                test, _, phase = each.partition("|")
                if test and phase in ("run", "setup"):
                    found[path, line].add(test)
    return {place: frozenset(tests) for place, tests in found.items()}


def _environment(source: Path) -> dict[str, str]:
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    return {**os.environ, **single, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}


def try_one(mutant: Mutant, tests: Sequence[str]) -> str | None:
    """The first test that fails, or why none can; None if all pass."""
    if not tests:
        return None
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copied = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copied, ignore=shutil.ignore_patterns("__pycache__"))
        place = copied / "pufferfish" / mutant.path
        place.write_text(mutant.applied(place.read_text()))
        command = [
            *(sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-rfE"),
            *("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", *tests),
        ]
        try:
            ran = subprocess.run(
                command,
                cwd=ROOT,
                env=_environment(copied),
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "(it takes too long)"
    if ran.returncode == 0:
        return None
    failed = [each for each in ran.stdout.splitlines() if each.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].split(" ", 1)[1] if failed else "(the tests do not start)"


def run(
    packages: Sequence[str], size: int, seed: int, results: Path, workers: int
) -> dict[str, dict[str, object]]:
    """Try the mutants of a sample that are not in the file of results yet."""
    known = json.loads(results.read_text()) if results.exists() else {}
    executed = measure(packages, workers)
    chosen = sample(packages, size, seed)
    found: dict[str, dict[str, object]] = {}
    waiting = []
    for mutant in chosen:
        name = f"{mutant.path}:{mutant.name((SOURCE / mutant.path).read_text())}"
        if name in known:
            found[name] = known[name]
        else:
            waiting.append((name, mutant, executed.of(mutant)))

    def work(each: tuple[str, Mutant, list[str]]) -> tuple[str, dict[str, object]]:
        name, mutant, tests = each
        entry = asdict(mutant) | {"tests": len(tests), "killed_by": try_one(mutant, tests)}
        return name, {key: entry[key] for key in _KEPT}

    with ThreadPoolExecutor(workers) as pool:
        for done, (name, entry) in enumerate(pool.map(work, waiting), start=1):
            found[name] = entry
            killed = entry["killed_by"] or "SURVIVED"
            place = f"{entry['path']}:{entry['line']}"
            print(f"{done}/{len(waiting)} {place} {entry['kind']}: {killed}", file=sys.stderr)
            if done % 10 == 0:
                _save(results, found)
    _save(results, found)
    return found


_KEPT = ("path", "function", "line", "kind", "text", "tests", "killed_by")


def _save(results: Path, found: Mapping[str, object]) -> None:
    text = json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False)
    results.write_text(text + "\n")


def table(found: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """The share killed, by package and kind of change; then the survivors."""
    for group in ("path", "kind"):
        total: Counter[str] = Counter()
        killed: Counter[str] = Counter()
        for each in found.values():
            name = str(each[group]).split("/")[0]
            total[name] += 1
            killed[name] += each["killed_by"] is not None
        for name in sorted(total):
            yield f"{name:12} {killed[name]:4} of {total[name]:4} killed"
    killed_all = sum(each["killed_by"] is not None for each in found.values())
    yield f"{'all':12} {killed_all:4} of {len(found):4} killed ({killed_all / len(found):.1%})"
    for each in found.values():
        if each["killed_by"] is None:
            change = f"{each['kind']} → {each['text']}"
            yield f"survived: {each['path']}:{each['line']} {each['function']}: {change}"


def compare(before: Path, after: Path) -> Iterator[str]:
    """The shares killed of two results: in functions of both, and in those of one only."""
    results = [json.loads(each.read_text()) for each in (before, after)]
    functions = [{str(each["function"]) for each in one.values()} for one in results]
    shared = functions[0] & functions[1]
    for name, one in zip(("before", "after"), results, strict=True):
        for which, inside in (("in both", True), ("only here", False)):
            some = [each for each in one.values() if (each["function"] in shared) == inside]
            killed = sum(each["killed_by"] is not None for each in some)
            share = f"{killed / len(some):.1%}" if some else "–"
            yield f"{name:7} functions {which:9}: {killed} of {len(some)} killed ({share})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    parser.add_argument("--size", type=int, default=420, help="how many mutants (default: 420)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=CACHE / "results.json")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    given = parser.parse_args()
    if given.compare:
        print("\n".join(compare(*given.compare)))
        return
    CACHE.mkdir(exist_ok=True)
    found = run(given.packages, given.size, given.seed, given.results, given.workers)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
