"""The mechanism that is applied to values: a certified law, then public post-processing.

`mechanisms.drawing` draws from the law. Everything after that is a public function of the published
number and costs no privacy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo, process
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.slight import publishes_values
from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.core.validation import FloatArray, require
from pufferfish.exact import Certificate
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import Law
from pufferfish.recoding.law import Recoding
from pufferfish.sampling import Entropy, SystemEntropy

__all__ = ["Mechanism", "no_noise_in_words"]

# Rows in one call: enough to hide its overhead, few enough for the cache.
CHUNK = 2**16
# Whole results must fit int64, noise included.
_LARGEST_WHOLE = 2.0**62
# Larger whole numbers may change when they become doubles.
_LARGEST_INTEGER = 2.0**53 - 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """Applies a certified law to values; usually one that adds noise.

    Attributes:
        noise: The law to apply; noise that is added has a grid.
        certificate: The proof that one release with this law keeps the promise.
        postprocess: The steps applied to each noised value, in order; they cost no privacy.
        entropy: The source of randomness. Any source but the default one is for tests.
        allow_no_noise: Publish values as they are if the certificate shows that they may be.
    """

    noise: Law
    certificate: Certificate
    postprocess: tuple[Postprocess, ...] = ()
    entropy: Entropy = field(default_factory=SystemEntropy)
    allow_no_noise: bool = False

    def __post_init__(self) -> None:
        """Refuse a law that is not certified, or that cannot be drawn exactly."""
        require(
            isinstance(self.postprocess, tuple | list),
            f"postprocess must be a list of steps, got {type(self.postprocess).__name__}; "
            "one step is [step].",
        )
        object.__setattr__(self, "postprocess", tuple(self.postprocess))
        require(
            isinstance(self.entropy, Entropy),
            f"entropy must be a source of randomness, got {type(self.entropy).__name__}.",
        )
        require(
            isinstance(self.certificate, Certificate),
            f"certificate must be a Certificate, got {type(self.certificate).__name__}; "
            "pf.calibrate and pf.verify make one.",
        )
        if self.certificate.noise != self.noise:
            raise CertificationError(
                f"the certificate is for {self.certificate.noise!r}, not for {self.noise!r}."
            )
        if self.certificate.holds is not True:
            raise CertificationError(
                f"the certificate does not show that {self.certificate.goal} is kept (holds = "
                f"{self.certificate.holds}); nothing can be released with it."
            )
        if self.noise.identity and not self.allow_no_noise:
            raise CertificationError(no_noise_in_words(self.certificate))
        drawing_of(self.noise).check(self.noise)
        for step in self.postprocess:
            require(
                isinstance(step, RoundTo | Clip),
                f"postprocess must hold RoundTo and Clip, got {type(step).__name__}.",
            )
        require(
            self.noise.additive or not self.postprocess,
            "a recoding publishes values of its own list: leave out postprocess (--round, --clip).",
        )
        require(
            not self.whole or self.limit > 0.0,
            "this noise is too large for 64-bit whole numbers: leave out RoundTo (--round).",
        )

    @classmethod
    def from_calibration(
        cls,
        calibration: Calibration,
        postprocess: tuple[Postprocess, ...] = (),
        *,
        entropy: Entropy | None = None,
        allow_no_noise: bool = False,
    ) -> Self:
        """The mechanism of a calibration."""
        require(
            isinstance(calibration, Calibration),
            f"calibration must be a Calibration, got {type(calibration).__name__}.",
        )
        if calibration.certified and not allow_no_noise and publishes_values(calibration):
            raise CertificationError(no_noise_in_words(calibration.certificate))
        return cls(
            noise=calibration.mechanism,
            certificate=calibration.certificate,
            postprocess=postprocess,
            entropy=SystemEntropy() if entropy is None else entropy,
            allow_no_noise=allow_no_noise,
        )

    @property
    def private(self) -> bool:
        """Whether releases are protected: False with a source of randomness for tests."""
        return type(self.entropy) is SystemEntropy

    @property
    def limit(self) -> float:
        """The largest |value| that can be noised on this grid."""
        drawing = drawing_of(self.noise)
        limit = drawing.limit(self.noise)
        return min(limit, _LARGEST_WHOLE - drawing.reach(self.noise)) if self.whole else limit

    @property
    def whole(self) -> bool:
        """Whether results are whole numbers (int64)."""
        whole = self.noise.whole
        for each in self.postprocess:
            if isinstance(each, RoundTo):
                whole = each.step.is_integer()
            else:
                whole = whole and each.low.is_integer() and each.high.is_integer()
        return whole

    def apply(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """One published value for each value: float64, or int64 after rounding to whole numbers.

        A law that adds no noise returns the values that it publishes; nan is a missing value, if
        the law takes one.

        Raises:
            InvalidInputError: Some values are not finite real numbers, exceed `limit`, or are not
                in the domain of the law.
        """
        if not self.noise.additive:
            drawn = drawing_of(self.noise).draw(self.noise, np.asarray(values), self.entropy)
            return drawn.astype(np.int64) if self.noise.whole else drawn
        given = _column(values)
        limit = self.limit if given.dtype.kind == "f" else min(self.limit, _LARGEST_INTEGER)
        results = np.empty(given.shape, dtype=np.int64 if self.whole else np.float64)
        for start in range(0, given.size, CHUNK):
            part = slice(start, start + CHUNK)
            # A copy is checked, so that the checked values are the noised ones.
            results[part] = self._noised(_check(given[part].astype(np.float64), start, limit))
        return results

    def _noised(self, values: FloatArray) -> FloatArray:
        drawn = drawing_of(self.noise).draw(self.noise, values, self.entropy)
        return process(drawn, self.postprocess)


def no_noise_in_words(certificate: Certificate) -> str:
    """Why the values are not published as they are, and what to do."""
    goal, noise = certificate.goal, certificate.noise
    needed = "no noise is needed"
    if not noise.identity:
        error = words_of(noise).error(noise, "{:.2g}".format)
        needed = f"almost no noise is needed ({error})"
    smaller = "epsilon" if goal.pure else "epsilon or delta"
    if isinstance(noise, Recoding) and noise.labelled:
        return (
            f"no value has to change for {goal}: the rows themselves keep it, against the "
            "described adversaries. To publish them as they are, give --allow-no-noise (in "
            f"Python allow_no_noise=True). To have them changed, choose a smaller {smaller}, or "
            "let laws be wrong by more (wrong=..., --wrong)."
        )
    return (
        f"{needed} for {goal}: the values themselves keep it, against the described adversaries. "
        "To publish them as they are, give --allow-no-noise (in Python allow_no_noise=True). To "
        f"have noise, choose a smaller {smaller}, or describe adversaries who know more, such as "
        "one who knows how often each value occurs (--belief empirical)."
    )


def _column(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A one-dimensional array of real numbers; messages show no value."""
    require(not np.ma.is_masked(values), "values must not contain masked entries.")
    if isinstance(values, list | tuple):
        # NumPy would silently turn True into 1.0 in a list with other numbers.
        truths = any(isinstance(entry, bool | np.bool_) for entry in values)
        require(not truths, "values must be real numbers, not truth values.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidInputError("values must be a list of numbers, not of lists.") from None
    require(array.ndim == 1, f"values must be one-dimensional, got shape {array.shape}.")
    require(
        (array.dtype.kind in "iuf" and array.dtype.itemsize <= 8) or array.size == 0,
        f"values must be real numbers of at most 64 bits, got dtype {array.dtype}; convert them "
        "first, for example with numpy.asarray(column, dtype=float).",
    )
    return array


def _check(values: FloatArray, start: int, limit: float) -> FloatArray:
    """Refuse values that are not finite or beyond the limit, naming the row and never the value."""
    bad = ~np.isfinite(values)
    if bad.any():
        raise InvalidInputError(
            f"values must be finite; row {start + int(np.argmax(bad))} is not. If it is missing, "
            "apply to the other rows and publish a hole there, with Belief(missing=...) in the "
            "scenario; or fill it, and describe the filled column."
        )
    far = np.abs(values) > limit
    if far.any():
        raise InvalidInputError(
            f"values must be at most {limit:g} in size on this grid; row "
            f"{start + int(np.argmax(far))} is not."
        )
    return values
