"""Find the noise that hides every user of a sum, and publish the sum with it.

The users are a table with the columns mean and std (one user per row); or p, the probability of a
1 (`value` instead of the 1); or user, value and probability (a row for each value of a user). A
column `count` says how many users are alike.

Example: pufferfish sum --identical 1000,0.5,0.3 --epsilon 1 --protect presence
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.cli.printing import Force, Printing
from pufferfish.cli.show import Show
from pufferfish.core.atomic import refuse_unusable, replacing
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import matplotlib
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import positive
from pufferfish.documents.signing import SigningKey
from pufferfish.noise import law_to_dict
from pufferfish.options.goal import HowAlike
from pufferfish.options.groups import flatten_groups
from pufferfish.options.signing import Signing
from pufferfish.report.sums import draw_scale_curves, picture_kind
from pufferfish.sums import (
    LimitCheck,
    SumCalibration,
    SumPlan,
    Users,
    calibrate_sum,
    check_limit,
    compare_sum,
    explain_sum,
    identical,
    release_sum,
    scale_curve,
    users_from_table,
)
from pufferfish.tables import format_of
from pufferfish.tables.local.files import column_values

__all__ = ["command"]


# The numbers of users at which a curve is drawn.
_PLOTTED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """Who adds to the sum."""

    users: Annotated[
        Path | None, typer.Argument(help="A table of users: CSV (also gzipped), Parquet, Arrow.")
    ] = None
    identical: Annotated[
        str | None,
        typer.Option(metavar="K,MEAN,STD", help="Instead of a table: K users who are all alike."),
    ] = None
    public_users: Annotated[
        bool, typer.Option("--public-users", help="Anyone may know how the users are described.")
    ] = False

    def described(self) -> Users:
        """The users."""
        provenance = "public" if self.public_users else "private"
        if (self.users is None) == (self.identical is None):
            raise InvalidInputError("describe the users: a table, or --identical K,MEAN,STD.")
        if self.users is not None:
            return users_from_table(str(self.users), provenance=provenance)
        try:
            number, mean, std = (float(each) for each in str(self.identical).split(","))
        except ValueError:
            raise InvalidInputError(
                "--identical must be three numbers with commas between them, such as 1000,0.5,0.3, "
                f"got {self.identical!r}."
            ) from None
        if not number.is_integer():
            raise InvalidInputError(f"K of --identical must be a whole number, got {number:g}.")
        return identical(int(number), mean, std, provenance=provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(HowAlike):
    """What is promised to each user."""

    protect: Annotated[
        str, typer.Option(help="presence: who is in the sum. value: what they reported.")
    ] = "presence"
    between: Annotated[
        str | None,
        typer.Option(
            metavar="A:B", help="With --protect value: the two values that must look alike."
        ),
    ] = None
    method: Annotated[
        str,
        typer.Option(
            help="exact, gaussian (as if the sum were Gaussian), or the paper's cor-1a, "
            "cor-1a-identical, cor-1b."
        ),
    ] = "exact"
    tau: Annotated[str, typer.Option(help="exact or lambert, for the paper's cor-1a.")] = "exact"
    scale: Annotated[
        float | None,
        typer.Option(
            help="This scale instead of the least noise, chosen without knowledge of the users. "
            "It is checked against --epsilon."
        ),
    ] = None

    def guarantee(self) -> Guarantee:
        """The promise."""
        if self.epsilon is None:
            raise InvalidInputError("a sum needs a promise: give --epsilon, for example 1.")
        if self.scale is not None:
            positive("--scale", self.scale, hint="Leave it out for the least noise.")
        return Guarantee(self.epsilon, self.delta)

    @property
    def secret(self) -> dict[str, Any]:
        """What is protected, as `calibrate_sum` takes it."""
        if self.between is None:
            return {"protect": self.protect, "between": None}
        try:
            first, second = (float(each) for each in self.between.split(":"))
        except ValueError:
            raise InvalidInputError(
                "--between must be two numbers with a colon between them, such as 0:1, got "
                f"{self.between!r}."
            ) from None
        return {"protect": self.protect, "between": (first, second)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """The column whose sum is published, and where the records go."""

    data: Annotated[
        Path | None, typer.Option(help="The table whose column is summed and published.")
    ] = None
    column: Annotated[str, typer.Option("--column", "-c", help="The column of --data to sum.")] = (
        "value"
    )
    statistic: Annotated[
        str, typer.Option(help="sum; mean (per described user); count (of ones).")
    ] = "sum"
    record: Annotated[
        Path | None, typer.Option(help="The internal record; by default next to the data.")
    ] = None
    ledger: Annotated[
        Path | None,
        typer.Option(help="A file that counts the releases of this sum, and refuses one too many."),
    ] = None
    allow_no_noise: Annotated[
        bool,
        typer.Option(
            "--allow-no-noise", help="Publish the true sum where the certificate needs no noise."
        ),
    ] = False

    def plan_release(self, calibration: SumCalibration, rounding: Rounding) -> SumPlan:
        """The plan of a release."""
        statistic: Any = self.statistic
        return SumPlan(
            rounding=rounding,
            calibration=calibration,
            column=self.column,
            statistic=statistic,
            allow_no_noise=self.allow_no_noise,
        )

    @property
    def records(self) -> tuple[Path, Path] | None:
        """Where both editions of the record go."""
        if self.data is None:
            return None
        internal = self.record or self.data.with_name(self.data.name + ".sum.record.json")
        stem = internal.name.removesuffix(".json").removesuffix(".record")
        return internal, internal.with_name(stem + ".public.json")

    def check(self, *, force: bool) -> None:
        """Refuse, before any work, options that would be ignored and places that are not free."""
        if self.records is None:
            if self.record is not None or self.ledger is not None:
                raise InvalidInputError("--record and --ledger belong to --data.")
            return
        for place in self.records:
            refuse_unusable(place, force=force)
        if self.ledger is not None:
            refuse_unusable(self.ledger, force=True)


@flatten_groups
def command(
    described: Described,
    wanted: Wanted,
    publishing: Publishing,
    signing: Signing,
    printing: Printing,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare all methods, each judged exactly.")
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option(help="A plan that --output wrote, instead of users and promise."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the plan here.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="With --identical: draw scale against K here (PNG or SVG)."),
    ] = None,
    force: Force = False,
) -> None:
    """Calibrate, explain, compare, publish."""
    show = printing.show()
    publishing.check(force=force)
    if signing.sign is not None and publishing.data is None:
        raise InvalidInputError("--sign belongs to --data: only records are signed.")
    key = signing.key()
    for place in (output, plot):
        if place is not None:
            refuse_unusable(place, force=force)
    if plot is not None:
        _check_plot(described, wanted, plot)
    if plan is not None:
        others = compare or output is not None or plot is not None
        _refuse_mixed(described, wanted, publishing, others)
        _publish(SumPlan.load(plan), publishing, "", {}, show, key, force=force)
        return
    users, goal = described.described(), wanted.guarantee()
    if compare:
        _compare(users, goal, wanted, publishing, output or plot, show)
        return
    choices: dict[str, Any] = {**wanted.secret, "method": wanted.method, "tau": wanted.tau}
    choices["size"] = wanted.scale
    calibration = calibrate_sum(users, goal, **choices)
    chosen = None
    if output is not None or publishing.data is not None:
        chosen = publishing.plan_release(calibration, "ladder" if wanted.scale is None else "given")
        calibration = chosen.calibration
    limit = None if users.laws is None else check_limit(users, goal, calibration.protected)
    found = _as_data(calibration, limit, output)
    said: list[str] = [explain_sum(calibration, limit)]
    if chosen is not None and output is not None:
        chosen.save(output, force=force)
        said.append(f"Plan written to {output}.")
    if plot is not None:
        _draw(users, goal, wanted, plot, force=force)
        said.append(f"Scale against the number of users drawn in {plot}.")
    text = "\n\n".join(said)
    if chosen is not None and publishing.data is not None:
        _publish(chosen, publishing, text + "\n\n", found, show, key, force=force)
    else:
        show.result(text, found)


def _check_plot(described: Described, wanted: Wanted, plot: Path) -> None:
    """Refuse a picture that cannot be drawn, before any work."""
    picture_kind(plot)
    matplotlib()
    if described.identical is None or wanted.protect != "presence":
        raise InvalidInputError(
            "--plot draws the scale against K for users who are all alike and whose presence is "
            "protected: it needs --identical K,MEAN,STD."
        )


def _draw(users: Users, goal: Guarantee, wanted: Wanted, plot: Path, *, force: bool) -> None:
    tau: Any = wanted.tau
    numbers = np.unique(np.geomspace(1, users.size, _PLOTTED).round().astype(int)).tolist()
    variances = [float(users.variances[0])]
    curves = scale_curve(numbers, float(users.means[0]), variances, goal, tau)
    with replacing(plot, force=force) as file:
        file.write(draw_scale_curves(curves, picture_kind(plot)))


def _publish(
    plan: SumPlan,
    publishing: Publishing,
    text: str,
    found: dict[str, Any],
    show: Show,
    key: SigningKey | None,
    *,
    force: bool,
) -> None:
    """Sum the column, add noise, write both records, and only then print the sum."""
    data, records = publishing.data, publishing.records
    if data is None or records is None:
        raise InvalidInputError("name the table whose column is summed: --data FILE.")
    values = column_values(str(data), format_of(data), plan.column)
    done = release_sum(values, plan, ledger=publishing.ledger)
    done.record.save(records[0], "internal", force=force, sign=key)
    done.record.save(records[1], "public", force=force, sign=key)
    promise = done.record.to_dict("public")["promise"]
    show.result(
        f"{text}Published {plan.statistic} of {plan.column!r}: {done.value!r}\n{promise}\n"
        f"Records: {records[0]} (private), {records[1]} (may be published).",
        {
            **found,
            "statistic": plan.statistic,
            "value": done.value,
            "record": str(records[0]),
            "public_record": str(records[1]),
        },
    )


def _compare(
    users: Users,
    goal: Guarantee,
    wanted: Wanted,
    publishing: Publishing,
    output: Path | None,
    show: Show,
) -> None:
    one = wanted.method != "exact" or wanted.scale is not None
    if publishing != Publishing() or output is not None or one:
        raise InvalidInputError(
            "--compare only compares: leave out --method, --scale, --output, --plot and the "
            "options for publishing."
        )
    found = compare_sum(users, goal, **wanted.secret)
    show.result(str(found), found.to_dict())


def _refuse_mixed(
    described: Described, wanted: Wanted, publishing: Publishing, others: bool
) -> None:
    """Refuse options next to a plan: the plan has decided, and they would be ignored."""
    decided = Publishing(data=publishing.data, record=publishing.record, ledger=publishing.ledger)
    if (described, wanted, publishing) != (Described(), Wanted(), decided) or others:
        raise InvalidInputError(
            "a plan has decided users, promise, column and statistic: leave those options out, or "
            "leave out --plan."
        )


def _as_data(
    calibration: SumCalibration, limit: LimitCheck | None, output: Path | None
) -> dict[str, Any]:
    users, goal = calibration.users, calibration.goal
    return {
        "goal": {"epsilon": goal.epsilon, "delta": goal.delta},
        "protect": calibration.protected.what,
        "users": users.size,
        "noise": law_to_dict(calibration.noise),
        "no_noise_needed": calibration.noise.identity,
        "decides": {
            "user": users.position(calibration.kind),
            "alike": int(users.counts[calibration.kind]),
        },
        "certificates": calibration.certificates,
        "certificate": calibration.calibration.certificate.to_dict(),
        "central_limit": None
        if limit is None
        else {
            "noise": law_to_dict(limit.noise),
            "believed_upper": _plain(limit.believed.upper),
            "true_upper": _plain(limit.true.upper),
            "holds": limit.holds,
            "kolmogorov": limit.kolmogorov,
            "lyapunov": limit.lyapunov,
        },
        "plan": None if output is None else str(output),
    }


def _plain(number: float) -> float | str:
    """A number for JSON, which has no infinity."""
    return "inf" if number == float("inf") else number
