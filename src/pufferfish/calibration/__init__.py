"""From a promise to the noise that keeps it: the search, its result, its words, the mechanism."""
