"""Recodings: a random map from values to values, with the least loss that keeps a promise."""
