"""From a promise to the noise, or the recoding, that keeps it: search, result, words."""
