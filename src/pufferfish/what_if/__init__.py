"""What a promise becomes for adversaries who know more than was described, or believe otherwise."""
