"""What is audited: a mechanism of this library, any callable, or any other program."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pufferfish.calibration.mechanism import Mechanism
from pufferfish.core.errors import DataError, InvalidInputError, UnsupportedError
from pufferfish.core.validation import FloatArray, positive, require
from pufferfish.noise import Noise, as_noise
from pufferfish.recoding.law import Recoding

__all__ = ["Command", "Noiser", "Subject", "as_subject"]

Noiser = Callable[[FloatArray], npt.ArrayLike]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Something that turns values into published values, row by row.

    Attributes:
        publish: Gives one published value for each value, in the same order; nan is a missing
            value.
        noised: The same, before rounding and clipping, where that is available.
        noise: The noise that is claimed; None for a black box, and where none is added.
        quick: Whether a call costs little, so that many long calls do no harm.
        recoding: The recoding that is claimed instead.
    """

    publish: Callable[[FloatArray], FloatArray]
    noised: Callable[[FloatArray], FloatArray]
    noise: Noise | None
    quick: bool = True
    recoding: Recoding | None = None

    @property
    def black_box(self) -> bool:
        """Whether nothing is claimed about what it does."""
        return self.noise is None and self.recoding is None

    @property
    def takes_missing(self) -> bool:
        """Whether a missing value, nan, is an input like any other value."""
        return self.recoding is not None and self.recoding.takes_missing


@dataclass(frozen=True, slots=True)
class Command:
    """A program that reads one number a line and writes one noised number a line.

    Attributes:
        arguments: The program and its arguments; no shell is involved.
        timeout: Seconds that one run may take.
    """

    arguments: Sequence[str]
    timeout: float = 600.0

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        require(
            not isinstance(self.arguments, str) and len(self.arguments) > 0,
            'a command must be a list of the program and its arguments, such as ["python", '
            '"noise.py"].',
        )
        positive("timeout", self.timeout)

    def __call__(self, values: FloatArray) -> FloatArray:
        """Run the program on a column."""
        text = "\n".join(map(repr, values.tolist())) + "\n"
        name = self.arguments[0]
        try:
            done = subprocess.run(  # noqa: S603 - it is what the user asked to be run
                list(self.arguments),
                input=text,
                capture_output=True,
                text=True,
                timeout=self.timeout,
                check=False,
            )
        except OSError as error:
            raise InvalidInputError(
                f"{name} cannot be run: {error.strerror or error}. Give a program on the path, or "
                "the path of a program."
            ) from None
        except subprocess.TimeoutExpired:
            raise DataError(
                f"{name} took more than {self.timeout:g} s for {values.size} values."
            ) from None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it wrote no message"])[-1]
            raise DataError(f"{name} ended with code {done.returncode}: {last}")
        try:
            return np.array([float(line) for line in done.stdout.split()], dtype=np.float64)
        except ValueError:
            raise DataError(
                f"{name} wrote something that is not a number; it must read one number a line and "
                "write one noised number a line, and nothing else."
            ) from None


def as_subject(given: Mechanism | Noiser) -> Subject:
    """The subject from what was given.

    Raises:
        UnsupportedError: A mechanism that neither adds noise nor is a recoding.
    """
    if isinstance(given, Mechanism) and isinstance(given.noise, Recoding):
        publish = _guard(given.apply)
        return Subject(publish=publish, noised=publish, noise=None, recoding=given.noise)
    if isinstance(given, Mechanism):
        if not given.noise.additive:
            raise UnsupportedError(
                "an audit attacks noise that is added to values, and recodings; another "
                "mechanism is applied here, for which there is only the certificate."
            )
        # Rounding and clipping cost no privacy, and would hide the noise that is tested.
        return Subject(
            publish=_guard(given.apply),
            noised=_guard(replace(given, postprocess=()).apply),
            noise=as_noise(given.noise),
        )
    require(
        callable(given),
        "an audit needs a Mechanism, or a callable that takes an array of values and returns the "
        f"noised ones, got {type(given).__name__}.",
    )
    publish = _guard(given)
    return Subject(
        publish=publish, noised=publish, noise=None, quick=not isinstance(given, Command)
    )


def _guard(noiser: Noiser) -> Callable[[FloatArray], FloatArray]:
    """The same callable, with a check that it returns a column of as many numbers."""

    def publish(values: FloatArray) -> FloatArray:
        # A copy: code that writes into its argument must not change what is compared.
        results = np.asarray(noiser(values.copy()), dtype=np.float64)
        if results.shape != values.shape:
            raise DataError(
                f"{values.size} values were given, but an array of shape {results.shape} came "
                "back: return one published value for each value, in the same order."
            )
        if np.isinf(results).any():
            raise DataError("an infinite value came back; write a missing value as nan.")
        return results

    return publish
