"""The kind of release that publishes rows of a column: its plan, its record, its checks."""
