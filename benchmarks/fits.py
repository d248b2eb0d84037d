"""Beliefs from rows: counting and fitting, beside scikit-learn's mixtures and the engines."""

import importlib.util
import math
import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa

import pufferfish as pf
from benchmarks.result import Result
from benchmarks.timing import interleaved, once, typical

FloatArray = np.ndarray[Any, np.dtype[np.float64]]

ROWS = 1_000_000
MANY_ROWS = 10_000_000
RECORDS = 100_000_000
COMPONENTS = 3
INITS = 10
LIMIT_MS = 1_000.0
# How much lower than the peer's our log-likelihood of one record may be.
MOST_LOST = 1e-4
WHOLE_RATIO, CONTINUOUS_RATIO = 50.0, 10.0
# Weights, means and stds of the first secret's values; the second's are 3 higher.
BUMPS = np.array([[0.3, 0.45, 0.25], [25.0, 45.0, 70.0], [6.0, 8.0, 10.0]])


class _Column(NamedTuple):
    """Rows in random order, half of them of each secret.

    Counting them may take `most` times the engine's own count.
    """

    what: str
    table: dict[str, np.ndarray[Any, Any]]
    ratio: float
    most: float | None = None


def run() -> list[Result]:
    whole, continuous = _columns()
    return [
        *_fits(whole),
        *_fits(continuous),
        *(result for size in (1_000, 100_000) for result in _summarised(size)),
        *_counting(whole),
        *_counting(continuous),
        *_many_rows(),
        _bootstrap(),
    ]


def _columns() -> tuple[_Column, _Column]:
    generator = np.random.default_rng(ROWS)
    values = _drawn(generator, ROWS)
    secrets = np.where(generator.random(ROWS) < 0.5, "a", "b")
    values += np.where(secrets == "b", 3.0, 0.0)
    whole = np.clip(np.rint(values), 0.0, 100.0).astype(np.int64)
    return (
        _Column("whole numbers from 0 to 100", {"x": whole, "s": secrets}, WHOLE_RATIO, 1.5),
        _Column("continuous values", {"x": values, "s": secrets}, CONTINUOUS_RATIO),
    )


def _drawn(generator: np.random.Generator, rows: int) -> FloatArray:
    """Three bumps that overlap."""
    weights, means, stds = BUMPS
    bump = generator.choice(weights.size, rows, p=weights)
    return np.asarray(generator.normal(means[bump], stds[bump]))


def _fits(column: _Column) -> list[Result]:
    frame = pd.DataFrame(column.table)
    belief = pf.fit_belief(column.table, "x", "s", components=COMPONENTS)
    ours = typical(lambda: pf.fit_belief(column.table, "x", "s", components=COMPONENTS), 5)
    by_frame = typical(lambda: pf.fit_belief(frame, "x", "s", components=COMPONENTS), 5)
    what = f"3 components, {ROWS:,} rows, {column.what}"
    if importlib.util.find_spec("sklearn") is None:
        return [Result(what=what, ours=ours, note="scikit-learn is not installed.")]
    floor = _floor(column)
    found: dict[str, Any] = {}
    peer = once(lambda: found.update(_sklearn(column, floor, tolerance=1e-3)))
    closer = once(lambda: found.update(closer=_sklearn(column, floor, tolerance=1e-6, inits=1)))
    heights = [
        _log_likelihood(column, {secret: _parts(each) for secret, each in laws.items()})
        for laws in ({s: found[s] for s in ("a", "b")}, found["closer"])
    ]
    own = _log_likelihood(
        column, {str(secret): prior.components() for secret, prior in belief.priors.items()}
    )
    assert own >= max(heights) - MOST_LOST, f"a worse fit: {own} and {heights}"
    return [
        Result(
            what=f"{what}, from a dict of arrays",
            ours=ours,
            peer=peer,
            target=f"≥ {column.ratio:g} ×",
            met=peer >= column.ratio * ours,
            note=f"Peer: scikit-learn's GaussianMixture, n_init={INITS}, default tol 1e-3, "
            f"reg_covar={floor**2:.3g}, on the rows of each secret. Log-likelihood per record: "
            f"ours {own:.6f}, peer {heights[0]:.6f}.",
        ),
        Result(
            what="… from a pandas frame",
            ours=by_frame,
            peer=peer,
            target=f"≥ {column.ratio:g} ×",
            met=peer >= column.ratio * by_frame,
        ),
        Result(
            what="… from a dict, beside one start with tol 1e-6",
            ours=ours,
            peer=closer,
            note=f"Log-likelihood per record: ours {own:.6f}, peer {heights[1]:.6f}.",
        ),
    ]


def _floor(column: _Column) -> float:
    """The least std that our fit of this column allows."""
    report = pf.fit_report(column.table, "x", "s", components=1)
    return report.groups[0].scores[0].floor


def _sklearn(column: _Column, floor: float, tolerance: float, inits: int = INITS) -> dict[str, Any]:
    from sklearn.mixture import GaussianMixture  # noqa: PLC0415

    values, secrets = column.table["x"].astype(np.float64), column.table["s"]
    return {
        secret: GaussianMixture(
            COMPONENTS,
            n_init=inits,
            tol=tolerance,
            reg_covar=floor**2,
            max_iter=10_000,
            random_state=0,
        ).fit(values[secrets == secret, None])
        for secret in ("a", "b")
    }


def _parts(fit: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    return fit.weights_, fit.means_[:, 0], np.sqrt(fit.covariances_[:, 0, 0])


def _log_likelihood(
    column: _Column, laws: dict[str, tuple[FloatArray, FloatArray, FloatArray]]
) -> float:
    """The mean of log f over the rows themselves, never over bins."""
    total = 0.0
    for secret, (weights, means, stds) in laws.items():
        rows = column.table["x"][column.table["s"] == secret]
        z = (rows[:, None] - means) / stds
        density = np.exp(-0.5 * z * z) @ (weights / stds)
        total += float(np.log(density).sum()) - 0.5 * math.log(2.0 * math.pi) * rows.size
    return total / ROWS


def _summarised(size: int) -> list[Result]:
    """Counts of two secrets that sum to a hundred million."""
    generator = np.random.default_rng(size)
    values = np.linspace(0.0, 100.0, size)
    weights, means, stds = BUMPS
    rows = []
    for secret, shift in (("a", 0.0), ("b", 3.0)):
        z = (values[:, None] - means - shift) / stds
        density = np.exp(-0.5 * z * z) @ (weights / stds)
        counts = 1 + generator.multinomial(RECORDS // 2 - size, density / density.sum())
        rows.append((np.repeat(secret, size), values, counts))
    secrets, all_values, all_counts = (np.concatenate(each) for each in zip(*rows, strict=True))
    summary = pf.Counts.from_counts(secrets.tolist(), all_values, all_counts)

    def each(components: int | str) -> float:
        return typical(lambda: pf.fit_belief(summary, components=components), 3) / 2

    three, auto = each(COMPONENTS), each("auto")
    return [
        Result(
            what=f"3 components, {RECORDS:,} rows summarised as {size:,} values, per secret",
            ours=three,
            target=f"< {LIMIT_MS:,.0f} ms",
            met=three < LIMIT_MS,
        ),
        Result(
            what="… components chosen among 1 to 5",
            ours=auto,
            target=f"< {LIMIT_MS:,.0f} ms",
            met=auto < LIMIT_MS,
        ),
    ]


def _counting(column: _Column) -> list[Result]:
    """`summarise` alone, in turn with the engine's own count of each value and secret."""
    pandas, polars = pd.DataFrame(column.table), pl.DataFrame(column.table)
    arrow: Any = pa.table(column.table)
    kinds: list[tuple[str, Any, Callable[[], object]]] = [
        ("pandas", pandas, lambda: pandas.groupby(["s", "x"]).size()),
        ("Polars", polars, lambda: polars.group_by("s", "x").len()),
        ("PyArrow", arrow, lambda: arrow.group_by(["s", "x"]).aggregate([([], "count_all")])),
    ]
    what = f"summarise, {ROWS:,} rows, {column.what}"
    found = [Result(what=f"{what}, a dict of arrays", ours=typical(_counting_of(column.table), 7))]
    for name, data, peer in kinds:
        ours, theirs = interleaved(_counting_of(data), peer)
        target = "" if column.most is None else f"≤ {column.most:g} × the peer"
        met = None if column.most is None else ours <= column.most * theirs
        found.append(Result(what=f"{what}, {name}", ours=ours, peer=theirs, target=target, met=met))
    return found


def _counting_of(data: Any) -> Callable[[], object]:
    return lambda: pf.summarise(data, column="x", secret="s")


def _many_rows() -> list[Result]:
    """In a process of its own, so that its memory is its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        milliseconds, mebibytes, size = pool.submit(_ten_million).result()
    return [
        Result(what=f"summarise, {MANY_ROWS:,} rows, continuous values, Polars", ours=milliseconds),
        Result(
            what="… peak memory beyond the frame itself",
            ours=mebibytes,
            unit="MiB",
            note=f"Resident memory; the frame's two columns take {size:.0f} MiB.",
        ),
    ]


def _ten_million() -> tuple[float, float, float]:
    generator = np.random.default_rng(MANY_ROWS)
    frame = pl.DataFrame(
        {
            "x": _drawn(generator, MANY_ROWS),
            "s": pl.Series(["a", "b"]).gather(generator.integers(0, 2, MANY_ROWS)),
        }
    )
    # What engines and libraries allocate once is not the point.
    pf.summarise(frame.head(1_000), column="x", secret="s")
    before = _resident("VmRSS")
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget earlier peaks
    milliseconds = once(lambda: pf.summarise(frame, column="x", secret="s"))
    return milliseconds, _resident("VmHWM") - before, float(frame.estimated_size("mb"))


def _resident(field: str) -> float:
    """MiB, as the kernel counts them; nan where it does not say."""
    if sys.platform != "linux":
        return math.nan
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def _bootstrap() -> Result:
    adult = pf.datasets.adult_education()
    return Result(
        what="fit_beliefs of the Adult data, mixture and empirical, each with 20 resamples",
        ours=typical(lambda: pf.fit_beliefs(adult, "education-num", "race", bootstrap=20), 3),
    )
