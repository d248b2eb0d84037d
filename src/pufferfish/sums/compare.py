"""All methods for one sum compared: exact, the paper's, classic privacy, no noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.errors import UnsupportedError
from pufferfish.exact.family import laplace_family, laplace_reserve
from pufferfish.insight.comparison import Asked, Comparison, Found, side_by_side, tau_in_words
from pufferfish.noise import NoNoise
from pufferfish.sums.calibration import SumCalibration, calibrate_sum, certified_sum
from pufferfish.sums.paper import PAPER_SUMS
from pufferfish.sums.secret import Protect, Protected
from pufferfish.sums.users import Users
from pufferfish.theorems import TAU_FORMS

__all__ = ["compare_sum", "sensitivity"]


def compare_sum(
    users: Users,
    goal: Guarantee,
    protect: Protect = "presence",
    *,
    between: tuple[float, float] | None = None,
) -> Comparison:
    """Every method that applies: its noise, what it truly gives, whether the promise is kept.

    All are judged by the true law of the sum where the users' tables are known, else by the
    Gaussian belief. `print` it to see the table.
    """

    def found(answer: Callable[[], SumCalibration]) -> Found:
        calibration = answer()
        return Found(calibration.calibration, calibration.repeatable, calibration.holds)

    return side_by_side(
        goal,
        (
            Asked(method, form, partial(found, answer))
            for method, form, answer in _answers(users, goal, protect, between)
        ),
    )


def sensitivity(users: Users, protected: Protected) -> float:
    """The most by which one user can change the sum: the ℓ1 sensitivity of classic privacy.

    Raises:
        UnsupportedError: What a user adds is not bounded, or not known to be bounded.
    """
    if protected.what == "value":
        return float(protected.gaps(users).max())
    if users.laws is None:
        if users.stds.any():
            raise UnsupportedError(
                "classic differential privacy needs bounds on what a user adds; a mean and a std "
                "give none."
            )
        return float(abs(users.means).max())
    return float(max(abs(users.laws.lowest).max(), abs(users.laws.highest).max()))


def _answers(
    users: Users, goal: Guarantee, protect: Protect, between: tuple[float, float] | None
) -> Iterator[tuple[str, str, Callable[[], SumCalibration]]]:
    """Each method, its form where it has several, and how its answer is found."""
    protected = Protected(what=protect, between=between)
    ask = partial(calibrate_sum, users, goal, protect, between=between, certified_only=False)
    yield "exact", "", ask
    if users.laws is not None:
        yield "Gaussian belief", "", partial(ask, method="gaussian")
    for method in PAPER_SUMS:
        forms = TAU_FORMS if method != "cor-1b" else (None,)
        for form in forms:
            if form is None:
                yield method, "", partial(ask, method=method)
            else:
                yield method, tau_in_words(form), partial(ask, method=method, tau=form)

    def classic() -> SumCalibration:
        # For a slightly stronger promise, which includes what tables reserve for rounding.
        stronger = Guarantee(goal.epsilon * (1.0 - 1e-6))
        size = sensitivity(users, protected) / laplace_reserve(stronger).epsilon
        noise = laplace_family(stronger)(size) if size > 0.0 else NoNoise()
        return certified_sum(users, protected, goal, noise, certified_only=False)

    yield "classic DP, δ = 0", "", classic
    yield (
        "no noise",
        "",
        lambda: certified_sum(users, protected, goal, NoNoise(), certified_only=False),
    )
