"""What the user describes: priors, beliefs of adversaries, pairs of secrets, and the promise."""
