"""What all other packages use: errors, checks of arguments, numbers, limits, files."""
