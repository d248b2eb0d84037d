"""What a promise means: guesses, other methods, extremes, the strongest promise for an accuracy."""
