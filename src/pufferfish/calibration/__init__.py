"""From a promise to the noise, or the recoding, that keeps it: the search, its result, its words."""
