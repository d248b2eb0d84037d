"""The one door for randomness: nothing is kept, so nothing can be shared."""

from __future__ import annotations

import os
import pickle
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import chi2

import pufferfish as pf
from pufferfish.sampling import NotPrivateEntropy, SystemEntropy, entropy
from tests.support import PATIENCE


def test_bytes_are_uniform() -> None:
    counts = np.bincount(SystemEntropy().words(2_000_000, np.uint8), minlength=256)
    expected = 2_000_000 / 256
    assert np.sum((counts - expected) ** 2 / expected) < chi2.isf(1e-6, 255)


@pytest.mark.parametrize("count", [0, 1, 31, 64, 65, 2**18 + 1])
@pytest.mark.parametrize("source", [SystemEntropy(), NotPrivateEntropy(1)], ids=repr)
def test_as_many_bytes_as_asked_for(source: pf.NotPrivateEntropy, count: int) -> None:
    assert len(source.read(count)) == count


def test_the_cipher_is_chacha20(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first keystream of the all-zero key and nonce, from RFC 8439, appendix A.1."""
    monkeypatch.setattr(entropy.os, "urandom", bytes)
    assert SystemEntropy().read(32).hex() == (
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    )


def test_every_read_has_a_key_of_its_own_and_gives_no_key_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys: list[bytes] = []

    def recorded(size: int) -> bytes:
        keys.append(os.getrandom(size))
        return keys[-1]

    monkeypatch.setattr(entropy.os, "urandom", recorded)
    source = SystemEntropy()
    read = [source.read(10_000) for _ in range(5)]
    assert len(set(keys)) == 5
    assert all(len(key) == 32 for key in keys)
    assert not any(key in output for key in keys for output in read)


def test_nothing_is_kept_between_reads() -> None:
    """No attribute to share, copy, or find in memory."""
    assert not hasattr(SystemEntropy(), "__dict__")
    assert SystemEntropy.__slots__ == ()


def test_a_seed_gives_the_same_bytes() -> None:
    assert NotPrivateEntropy(7).read(100) == NotPrivateEntropy(7).read(100)
    assert NotPrivateEntropy(7).read(100) != NotPrivateEntropy(8).read(100)
    source = NotPrivateEntropy(7)
    assert source.read(60) + source.read(40) == NotPrivateEntropy(7).read(100)
    assert pickle.loads(pickle.dumps(source)).read(100) == NotPrivateEntropy(7).read(100)
    with pytest.raises(pf.InvalidInputError, match="seed"):
        NotPrivateEntropy(True)


def test_copies_and_other_sources_read_their_own_bytes() -> None:
    source = SystemEntropy()
    copy = pickle.loads(pickle.dumps(source))
    assert copy == source
    assert len({source.read(32), copy.read(32), SystemEntropy().read(32), source.read(32)}) == 4


def test_threads_do_not_share_bytes() -> None:
    source = SystemEntropy()
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: source.read(16), range(200)))
    assert len(set(drawn)) == 200


def _in_child(source: SystemEntropy) -> bytes:
    """What a forked child reads next."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, source.read(32))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork beside pytest's own threads
def test_forked_workers_do_not_share_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a child has its parent's process number, as in a namespace of its own."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    source = SystemEntropy()
    source.read(5)
    first, second = _in_child(source), _in_child(source)
    assert len({first, second, source.read(32)}) == 3


def test_a_signal_handler_does_not_read_what_it_interrupts() -> None:
    source = SystemEntropy()
    read: list[bytes] = []
    before = signal.signal(signal.SIGALRM, lambda *_: read.append(source.read(16)))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        end = time.monotonic() + PATIENCE
        mine = []
        while len(read) <= 100 and time.monotonic() < end:
            mine.append(source.read(16))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert len(read) > 100
    assert len({*read, *mine}) == len(read) + len(mine)
