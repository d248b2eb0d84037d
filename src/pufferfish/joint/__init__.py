"""The kind of release that publishes rows of several columns, of any type, given what is known."""
