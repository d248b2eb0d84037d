"""The pairs of one belief, grouped by their laws.

Secrets with equal priors and equal probabilities of a hole publish the same law: they form one
class, and two classes need one certificate for all their pairs of secrets. Thousands of secrets
have millions of pairs, so these are arrays; a single pair is made when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import AllPairs, Belief, PairOfLaws, SecretPair, laws_of
from pufferfish.core.validation import FloatArray
from pufferfish.exact.envelope import Law
from pufferfish.exact.screen import Block, Indices

__all__ = ["ClassPairs", "Numbers", "class_pairs"]

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ClassPairs:
    """Pairs of classes, numbered from 0.

    Attributes:
        belief: The belief that has them.
        laws: The law that each class publishes.
        first: The class of one side of each pair.
        second: The class of the other side; the same where two secrets share a law.
        counts: The number of pairs of secrets that each stands for.
        examples: The index in `asked` of one pair of secrets that each stands for.
        asked: The pairs of secrets.
    """

    belief: Belief
    laws: tuple[Law, ...]
    first: Indices
    second: Indices
    counts: Numbers
    examples: Numbers
    asked: Sequence[SecretPair]

    def __len__(self) -> int:
        """The number of pairs of classes."""
        return int(self.first.size)

    def example(self, index: int) -> PairOfLaws:
        """A pair of secrets with the laws of one pair of classes."""
        return laws_of(self.belief, self.asked[int(self.examples[index])])

    def difficulty(self) -> FloatArray:
        """A guess of which pairs need most noise; it only decides the order of the work."""
        means = np.array([law.prior.mean for law in self.laws])
        stds = np.sqrt([law.prior.variance for law in self.laws])
        apart = np.abs(means[self.first] - means[self.second])
        return np.asarray(apart + 2.0 * np.abs(stds[self.first] - stds[self.second]))

    def blocks(self, chosen: Numbers, sides: int) -> list[tuple[Numbers, Block]]:
        """Some of the pairs in parts that share laws, each with the indices of its pairs.

        The laws are cut into `sides` parts, and the pairs into one part for each two of them.
        """
        size = -(-len(self.laws) // sides)
        part = self.first[chosen] // size * sides + self.second[chosen] // size
        order = np.argsort(part, kind="stable")
        ends = np.flatnonzero(np.diff(part[order])) + 1
        return [(chosen[each], self.block(chosen[each])) for each in np.split(order, ends)]

    def block(self, chosen: Numbers) -> Block:
        """Some of the pairs with their laws, ready to be sent to a worker."""
        first, second = self.first[chosen], self.second[chosen]
        used = np.zeros(len(self.laws), dtype=np.bool_)
        used[first] = used[second] = True
        position = np.cumsum(used, dtype=np.int32) - np.int32(1)
        laws = tuple(self.laws[each] for each in np.flatnonzero(used))
        return Block(laws, position[first], position[second])


def class_pairs(belief: Belief, asked: Sequence[SecretPair]) -> ClassPairs:
    """The pairs of a belief, by class."""
    numbers: dict[Law, int] = {}
    classes = {
        secret: numbers.setdefault(Law(prior, belief.missing[secret]), len(numbers))
        for secret, prior in belief.priors.items()
    }
    if isinstance(asked, AllPairs):
        found = _of_all(np.array([classes[secret] for secret in asked.secrets]), len(numbers))
    else:
        sides = np.array([[classes[first], classes[second]] for first, second in asked])
        found = _of_some(sides.min(axis=1), sides.max(axis=1), len(numbers))
    return ClassPairs(
        belief=belief,
        laws=tuple(numbers),
        first=found.first.astype(np.int32),
        second=found.second.astype(np.int32),
        counts=found.counts,
        examples=found.examples,
        asked=asked,
    )


class _Found(NamedTuple):
    first: Numbers
    second: Numbers
    counts: Numbers
    examples: Numbers


def _of_all(of_secret: Numbers, classes: int) -> _Found:
    """All pairs of secrets, from the class of each: no list of pairs is made."""
    sizes = np.bincount(of_secret, minlength=classes)
    # Secrets by class, in order within each: the first of a class, and the one after it.
    by_class = np.argsort(of_secret, kind="stable")
    begins = np.cumsum(sizes) - sizes
    first, second = np.triu_indices(classes)
    same = first == second
    counts = np.where(same, sizes[first] * (sizes[first] - 1) // 2, sizes[first] * sizes[second])
    kept = counts > 0
    first, second, counts, same = first[kept], second[kept], counts[kept], same[kept]
    one, other = by_class[begins[first]], by_class[begins[second] + same]
    low, high = np.minimum(one, other), np.maximum(one, other)
    examples = low * of_secret.size - low * (low + 1) // 2 + high - low - 1
    return _Found(first, second, counts, examples)


def _of_some(first: Numbers, second: Numbers, classes: int) -> _Found:
    """The pairs that were named, from the classes of both sides."""
    keys, examples, counts = np.unique(
        first * classes + second, return_index=True, return_counts=True
    )
    return _Found(*np.divmod(keys, classes), counts, examples)
