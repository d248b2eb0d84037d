"""What everything else stands on: errors, checks of arguments, numbers, limits, files."""
