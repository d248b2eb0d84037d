"""What a promise means: guesses, other methods, extremes, choices, rows that were not used."""
