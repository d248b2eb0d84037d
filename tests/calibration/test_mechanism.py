"""The thing that touches values: every cell noised, nothing leaked through low digits."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

import pufferfish as pf
from pufferfish.calibration.mechanism import CHUNK
from tests.support import scenario_of

POINTS = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))


def mechanism(
    epsilon: float = 1.0, delta: float = 0.0, *, postprocess: tuple[pf.Postprocess, ...] = ()
) -> pf.Mechanism:
    """For two values that differ by 1: Laplace noise of scale 1/ε."""
    return pf.Mechanism.from_calibration(
        pf.calibrate(POINTS, pf.Guarantee(epsilon, delta)), postprocess
    )


def gaussian_mechanism() -> pf.Mechanism:
    return pf.Mechanism.from_calibration(
        pf.calibrate(POINTS, pf.Guarantee(1.0, 1e-5), mechanism="gaussian")
    )


MECHANISMS = {"laplace": mechanism(), "gaussian": gaussian_mechanism()}
LENGTHS = [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3]


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_every_cell_is_noised_whatever_the_length(kind: str, length: int) -> None:
    values = np.arange(length, dtype=np.float64)
    noised = MECHANISMS[kind].apply(values)
    assert noised.shape == values.shape
    assert noised.dtype == np.float64
    # No noise at all has probability 3e-8 a cell, on this grid.
    assert np.count_nonzero(noised == values) <= 2
    assert np.array_equal(values, np.arange(length))


@pytest.mark.parametrize("kind", MECHANISMS)
def test_results_lie_on_the_grid(kind: str) -> None:
    chosen = MECHANISMS[kind]
    assert chosen.noise.grid is not None
    noised = chosen.apply(np.full(10_000, 1.0 / 3.0))
    assert np.all(noised % chosen.noise.grid == 0.0)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_the_noise_has_the_size_that_was_certified(kind: str) -> None:
    chosen = MECHANISMS[kind]
    noised = chosen.apply(np.full(400_000, 7.0)) - 7.0
    # Kurtosis 6 (Laplace) or 3: the std of a sample std is below 1.2 of this.
    error = 1.2 * chosen.noise.std / math.sqrt(400_000)
    assert abs(noised.std() - chosen.noise.std) < 4.9 * error
    assert abs(noised.mean()) < 4.9 * chosen.noise.std / math.sqrt(400_000)
    # 5% more or less would be seen.
    assert abs(1.05 * noised.std() - chosen.noise.std) > 4.9 * error
    assert abs(0.95 * noised.std() - chosen.noise.std) > 4.9 * error


def test_no_two_rows_chunks_or_calls_share_noise() -> None:
    chosen = mechanism()
    one, other = chosen.apply(np.zeros(3 * CHUNK)), chosen.apply(np.zeros(3 * CHUNK))
    assert np.unique(one[:CHUNK]).size > 0.98 * CHUNK
    for a, b in ((one, other), (one[:CHUNK], one[CHUNK : 2 * CHUNK])):
        assert np.count_nonzero(a == b) < 40
        correlation = np.corrcoef(a, b)[0, 1]
        assert abs(correlation) < 4.9 / math.sqrt(a.size)


def test_threads_draw_their_own_noise() -> None:
    chosen = mechanism()
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: chosen.apply(np.zeros(1000)), range(8)))
    assert np.unique(np.concatenate(drawn)).size > 7_990


# The precision attack.


def lowest_digit(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The exponent of the last binary digit that is set; 0 has none."""
    fraction, exponent = np.frexp(values)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    last = np.where(whole == 0, 1, whole & -whole).astype(np.float64)
    return np.where(values == 0.0, np.inf, exponent - 53 + np.log2(last))


PAIRS = [(0.0, 1.0), (1.0 / 3.0, 2.0 / 3.0), (1e6, 1e6 + 1.0)]
DRAWS = 300_000


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kind", MECHANISMS)
def test_no_low_digit_tells_two_values_apart(kind: str, pair: tuple[float, float]) -> None:
    """For each digit: the share of outputs that end there or below, under either value."""
    chosen = MECHANISMS[kind]
    goal = chosen.certificate.goal
    ends = [lowest_digit(chosen.apply(np.full(DRAWS, value))) for value in pair]
    for digit in range(-60, 20):
        a, b = (np.count_nonzero(end <= digit) / DRAWS for end in ends)
        for one, other in ((a, b), (b, a)):
            slack = 4.9 * (1.0 + math.exp(goal.epsilon)) * math.sqrt(0.25 / DRAWS)
            assert one <= math.exp(goal.epsilon) * other + goal.delta + slack


@pytest.mark.parametrize("pair", PAIRS)
def test_the_last_digits_carry_nothing_at_all(pair: tuple[float, float]) -> None:
    """On the grid the lowest digits of the whole number are as good as fair, for every value."""
    chosen = MECHANISMS["laplace"]
    assert chosen.noise.grid is not None
    for value in pair:
        steps = np.rint(chosen.apply(np.full(DRAWS, value)) / chosen.noise.grid).astype(np.int64)
        counts = np.bincount(steps & 15, minlength=16)
        assert np.all(np.abs(counts - DRAWS / 16) < 5.5 * math.sqrt(DRAWS / 16))


def test_the_attack_succeeds_on_floating_point_noise() -> None:
    """Otherwise the tests above would show nothing."""
    generator = np.random.default_rng(0)
    ends = [lowest_digit(value + generator.laplace(0.0, 1.0, DRAWS)) for value in (0.0, 1.0)]
    shares = [np.count_nonzero(end < -53) / DRAWS for end in ends]
    assert shares[0] > 0.25
    assert shares[1] == 0.0


class Zeros(pf.sampling.Entropy):
    """Every draw is zero: what is left is the rounding."""

    def read(self, count: int) -> bytes:
        return bytes(count)


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(4.0, 0.5), pf.GaussianNoise(64.0, 0.5)])
def test_values_are_rounded_to_the_nearest_step_of_the_grid(
    noise: pf.LaplaceNoise | pf.GaussianNoise,
) -> None:
    """The premise of the proof: no value moves by more than half a step."""
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([0.5], [1.0]))
    certificate = pf.verify(scenario, noise, pf.Guarantee(1.0, 0.1))
    chosen = pf.Mechanism(noise=noise, certificate=certificate, entropy=Zeros())
    values = np.array(
        [0.0, 0.1, 0.2499, 0.25, 0.26, 0.74, 0.76, 1e9 + 0.3, -0.1, -0.26, -1e9 - 0.3]
    )
    rounded = chosen.apply(values)
    assert np.all(np.abs(rounded - values) <= 0.25)
    assert np.all(rounded % 0.5 == 0.0)


def test_a_source_that_calls_itself_private_is_not() -> None:
    class Liar(pf.sampling.SystemEntropy):
        private = True

        def read(self, count: int) -> bytes:
            return bytes(count)

    for source in (Zeros(), Liar()):
        lying = replace(mechanism(), entropy=source)
        assert not lying.private
        assert "SystemEntropy()" not in repr(lying)
    assert "SystemEntropy()" in repr(mechanism())
    for wrong in (None, 5, np.random.default_rng(0)):
        with pytest.raises(pf.InvalidInputError, match="entropy"):
            replace(mechanism(), entropy=wrong)  # type: ignore[arg-type]


# Post-processing.


def test_rounding_to_whole_numbers_gives_integers() -> None:
    chosen = mechanism(postprocess=(pf.RoundTo(1.0), pf.Clip(1, 16)))
    noised = chosen.apply(np.full(5_000, 15))
    assert noised.dtype == np.int64
    assert chosen.whole
    assert noised.min() >= 1
    assert noised.max() == 16


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        ((), False),
        ((pf.RoundTo(0.5),), False),
        ((pf.RoundTo(10),), True),
        ((pf.Clip(0, 5),), False),
        ((pf.RoundTo(1), pf.Clip(0.5, 5)), False),
        ((pf.RoundTo(1), pf.Clip(0.5, 5), pf.RoundTo(1)), True),
        ((pf.RoundTo(1), pf.RoundTo(0.25)), False),
    ],
)
def test_whole_results_are_those_that_must_be(
    steps: tuple[pf.Postprocess, ...], whole: bool
) -> None:
    chosen = mechanism(postprocess=steps)
    assert chosen.whole is whole
    noised = chosen.apply(np.full(200, 2.0))
    assert (noised.dtype == np.int64) is whole


def test_post_processing_is_done_in_order() -> None:
    one = mechanism(postprocess=(pf.Clip(0.0, 0.4), pf.RoundTo(1))).apply(np.zeros(500))
    other = mechanism(postprocess=(pf.RoundTo(1), pf.Clip(0.0, 0.4))).apply(np.zeros(500))
    assert set(one.tolist()) == {0}
    assert set(other.tolist()) == {0.0, 0.4}


def test_steps_are_copied_and_a_generator_is_refused() -> None:
    steps: list[pf.Postprocess] = [pf.RoundTo(1)]
    chosen = replace(mechanism(), postprocess=steps)  # type: ignore[arg-type]
    steps.append(pf.Clip(0.0, 1.0))
    assert chosen.postprocess == (pf.RoundTo(1),)
    for wrong in ((step for step in steps), pf.RoundTo(1), None):
        with pytest.raises(pf.InvalidInputError, match="postprocess"):
            replace(mechanism(), postprocess=wrong)  # type: ignore[arg-type]


def test_rounding_does_not_show_the_sign_of_a_zero() -> None:
    rounded = mechanism(postprocess=(pf.RoundTo(0.5),)).apply(np.zeros(2_000))
    assert not np.signbit(rounded[rounded == 0.0]).any()


def test_whole_results_that_no_integer_holds_are_refused() -> None:
    wide = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1e20], [1.0]))
    calibration = pf.calibrate(wide, pf.Guarantee(1.0))
    with pytest.raises(pf.InvalidInputError, match="whole"):
        pf.Mechanism.from_calibration(calibration, (pf.RoundTo(1),))
    assert np.isfinite(pf.Mechanism.from_calibration(calibration).apply(np.zeros(5))).all()


def test_a_grid_too_fine_to_draw_on_is_refused_at_once() -> None:
    certificate = pf.verify(POINTS, pf.LaplaceNoise(2.0, 2.0**-50), pf.Guarantee(1.0))
    assert certificate.holds
    with pytest.raises(pf.UnsupportedError, match="too fine"):
        pf.Mechanism(noise=certificate.noise, certificate=certificate)


@pytest.mark.parametrize("arguments", [(1.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (0.0, math.inf)])
def test_bounds_out_of_order_are_refused(arguments: tuple[float, float]) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.Clip(*arguments)


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan])
def test_a_step_that_is_none_is_refused(step: float) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.RoundTo(step)


# Refusals.


@pytest.mark.parametrize(
    "values",
    [
        [1.0, math.nan],
        [math.inf],
        [-math.inf, 0.0],
        ["a"],
        [True],
        [1 + 2j],
        [[1.0]],
        3.0,
        [None],
        [[1.0], [1.0, 2.0]],
        [1.0, True],
    ],
)
def test_what_is_no_column_of_numbers_is_refused(values: object) -> None:
    with pytest.raises(pf.InvalidInputError):
        mechanism().apply(values)  # type: ignore[arg-type]


def test_masked_values_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="masked"):
        mechanism().apply(np.ma.masked_array([1.0, 2.0], mask=[False, True]))


def test_a_message_names_the_row_and_the_limit_but_not_the_value() -> None:
    chosen = mechanism()
    values = np.zeros(CHUNK + 7)
    values[CHUNK + 3] = 1.23456789e15
    with pytest.raises(pf.InvalidInputError, match=f"row {CHUNK + 3} ") as caught:
        chosen.apply(values)
    assert f"{chosen.limit:g}" in str(caught.value)
    assert "12345" not in str(caught.value)


def test_the_limit_itself_is_noised() -> None:
    chosen = mechanism()
    assert np.isfinite(chosen.apply([chosen.limit, -chosen.limit])).all()
    with pytest.raises(pf.InvalidInputError, match="size"):
        chosen.apply([np.nextafter(chosen.limit, np.inf)])


def test_whole_numbers_that_no_double_holds_are_refused() -> None:
    wide = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1e15], [1.0]))
    chosen = pf.Mechanism.from_calibration(pf.calibrate(wide, pf.Guarantee(1.0)))
    assert chosen.limit > 2**60
    with pytest.raises(pf.InvalidInputError, match="size"):
        chosen.apply(np.array([2**53 + 1]))
    assert chosen.apply(np.array([2**53 - 1])).size == 1


def test_an_uncertified_law_is_refused() -> None:
    broken = pf.verify(POINTS, pf.LaplaceNoise(0.5, 2.0**-20), pf.Guarantee(1.0))
    with pytest.raises(pf.CertificationError, match="holds = False"):
        pf.Mechanism(noise=broken.noise, certificate=broken)


def test_a_certificate_for_other_noise_is_refused() -> None:
    certificate = pf.verify(POINTS, pf.LaplaceNoise(2.0, 2.0**-20), pf.Guarantee(1.0))
    with pytest.raises(pf.CertificationError, match="not for"):
        pf.Mechanism(noise=pf.LaplaceNoise(1.0, 2.0**-20), certificate=certificate)


def test_a_law_without_a_grid_is_refused() -> None:
    certificate = pf.verify(POINTS, pf.LaplaceNoise(2.0), pf.Guarantee(1.0))
    assert certificate.holds
    with pytest.raises(pf.UnsupportedError, match="grid"):
        pf.Mechanism(noise=certificate.noise, certificate=certificate)


def test_a_calibration_that_is_not_certified_is_refused() -> None:
    scenario = scenario_of(
        pf.Gaussian(0.0, 1.0), pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
    )
    seen = pf.calibrate(scenario, pf.Guarantee(1.0, 1e-3), method="thm-2", certified_only=False)
    with pytest.raises(pf.CertificationError):
        pf.Mechanism.from_calibration(seen)


def test_publishing_without_noise_has_to_be_asked_for() -> None:
    calibration = pf.calibrate(
        scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.1, 1.0)), pf.Guarantee(1.0, 0.1)
    )
    assert calibration.noise == pf.NoNoise()
    with pytest.raises(pf.CertificationError, match="allow_no_noise"):
        pf.Mechanism.from_calibration(calibration)
    bare = pf.Mechanism.from_calibration(calibration, (pf.RoundTo(1.0),), allow_no_noise=True)
    assert bare.apply([1.2, 2.7]).tolist() == [1, 3]


@pytest.mark.parametrize("wrong", [{"certificate": None}, {"postprocess": ("round",)}])
def test_wrong_parts_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(pf.InvalidInputError):
        replace(mechanism(), **wrong)  # type: ignore[arg-type]
    with pytest.raises(pf.InvalidInputError, match="Calibration"):
        pf.Mechanism.from_calibration("calibration")  # type: ignore[arg-type]


# Entropy.


def test_a_seed_repeats_the_noise_and_is_marked_not_private() -> None:
    def seeded() -> pf.Mechanism:
        return replace(mechanism(), entropy=pf.NotPrivateEntropy(5))

    assert not seeded().private
    assert mechanism().private
    assert np.array_equal(seeded().apply(np.zeros(10)), seeded().apply(np.zeros(10)))


def test_a_copy_in_another_process_draws_its_own_noise() -> None:
    chosen = mechanism()
    copy = pickle.loads(pickle.dumps(chosen))
    assert copy.noise == chosen.noise
    assert not np.array_equal(copy.apply(np.zeros(10)), chosen.apply(np.zeros(10)))


def test_memory_does_not_grow_with_the_rows() -> None:
    chosen = MECHANISMS["laplace"]
    values = np.zeros(40 * CHUNK)
    chosen.apply(values[:CHUNK])
    tracemalloc.start()
    try:
        noised = chosen.apply(values)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - noised.nbytes < 20 * 2**20
