"""What a promise means: guesses, other methods, extreme values, choices, held-out rows."""
