"""What every kind of release has in common: its plan, its record, and how that is checked."""
