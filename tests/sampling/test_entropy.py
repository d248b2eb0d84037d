"""The one door for randomness: no stream is ever shared."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import chi2

import pufferfish as pf
from pufferfish.sampling import NotPrivateEntropy, SystemEntropy, entropy


def test_bytes_are_uniform() -> None:
    counts = np.bincount(SystemEntropy().words(2_000_000, np.uint8), minlength=256)
    expected = 2_000_000 / 256
    assert np.sum((counts - expected) ** 2 / expected) < chi2.isf(1e-6, 255)


@pytest.mark.parametrize("count", [0, 1, 31, 2**18 - 1, 2**18, 2**18 + 1, 3 * 2**18 + 5])
def test_as_many_bytes_as_asked_for(count: int) -> None:
    source = SystemEntropy()
    assert len(source.read(count)) == count
    assert len(source.read(count)) == count


def test_reading_in_parts_is_reading_at_once() -> None:
    """No byte is skipped or given twice at the edges of batches."""
    whole = NotPrivateEntropy(1).read(700_000)
    source = NotPrivateEntropy(1)
    assert b"".join(source.read(size) for size in (1, 262_142, 2, 300_000, 137_855)) == whole


def test_a_seed_gives_the_same_bytes_and_is_not_private() -> None:
    assert NotPrivateEntropy(7).read(100) == NotPrivateEntropy(7).read(100)
    assert NotPrivateEntropy(7).read(100) != NotPrivateEntropy(8).read(100)
    assert not NotPrivateEntropy(7).private
    assert SystemEntropy().private
    with pytest.raises(pf.InvalidInputError, match="seed"):
        NotPrivateEntropy(True)


def test_sources_do_not_share_a_stream() -> None:
    assert SystemEntropy().read(32) != SystemEntropy().read(32)


def test_a_copy_opens_a_stream_of_its_own() -> None:
    source = SystemEntropy()
    source.read(10)
    assert pickle.loads(pickle.dumps(source)).read(32) != source.read(32)


def test_threads_do_not_share_a_stream() -> None:
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
def test_forked_workers_do_not_share_a_stream() -> None:
    source = SystemEntropy()
    source.read(5)  # the stream is open, with bytes left in its batch
    first, second = _in_child(source), _in_child(source)
    mine = source.read(32)
    assert len({first, second, mine}) == 3


def test_a_key_is_replaced_after_every_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[bytes] = []
    original = entropy.ChaCha20

    def recorded(key: bytes, nonce: bytes) -> object:
        keys.append(key)
        return original(key, nonce)

    monkeypatch.setattr(entropy, "ChaCha20", recorded)
    NotPrivateEntropy(3).read(5 * 2**18)
    assert len(keys) == len(set(keys)) == 5


def test_the_system_is_asked_again_after_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(size: int) -> bytes:
        asked.append(size)
        return bytes([len(asked)]) * size

    monkeypatch.setattr(entropy, "_BATCHES_PER_SEED", 2)
    monkeypatch.setattr(entropy.os, "urandom", counted)
    source = SystemEntropy()
    for _ in range(6):
        source.read(2**18)
    assert asked == [32] * 3
