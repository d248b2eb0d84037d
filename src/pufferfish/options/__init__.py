"""What a user asks for: groups of options that the command line and the studio share.

A group is a dataclass whose fields are options of the command line. It knows what they mean and
which of them exclude each other, and makes the messages. Needs the extra `cli` (typer).
"""
