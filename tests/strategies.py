"""Random small scenarios for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

import pufferfish as pf


def multiples(step: float, low: float, high: float) -> st.SearchStrategy[float]:
    """Multiples of a power of two: moving and stretching them below is exact in doubles."""
    return st.integers(round(low / step), round(high / step)).map(lambda count: count * step)


positions = multiples(2.0**-16, -5.0, 5.0)
spreads = multiples(2.0**-10, 0.125, 3.0)
sizes = multiples(2.0**-10, 0.25, 8.0)
shifts = multiples(2.0**-8, -100.0, 100.0)
factors = st.sampled_from([2.0, -1.0, -4.0, 0.125, 3.0, -10.0, 1000.0])
epsilons = st.floats(0.05, 4.0)
# How much more noise, or how much larger an ε.
growths = st.floats(1.01, 4.0)
missing_probabilities = st.sampled_from([0.0, 0.01, 0.125, 0.5])


def probabilities(count: int) -> st.SearchStrategy[list[float]]:
    """`count` positive numbers that sum to one."""
    counts = st.lists(st.integers(1, 50), min_size=count, max_size=count)
    return counts.map(lambda each: [number / sum(each) for number in each])


@st.composite
def mixtures(draw: st.DrawFn, max_components: int = 3) -> pf.GaussianMixture:
    count = draw(st.integers(1, max_components))
    return pf.GaussianMixture(
        weights=draw(probabilities(count)),
        means=draw(st.lists(positions, min_size=count, max_size=count)),
        stds=draw(st.lists(spreads, min_size=count, max_size=count)),
    )


@st.composite
def tables(draw: st.DrawFn, max_atoms: int = 4) -> pf.Discrete:
    count = draw(st.integers(1, max_atoms))
    values = draw(st.lists(positions, min_size=count, max_size=count))
    return pf.Discrete(values=values, probabilities=draw(probabilities(count)))


gaussians = st.builds(pf.Gaussian, positions, spreads)
priors = st.one_of(gaussians, mixtures(), tables())


@st.composite
def noises(draw: st.DrawFn) -> pf.LaplaceNoise | pf.GaussianNoise:
    """Ideal, continuous noise of either family."""
    kind = draw(st.sampled_from([pf.LaplaceNoise, pf.GaussianNoise]))
    return kind(draw(sizes))
