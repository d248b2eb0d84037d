"""The one home for phrases, for numbers in words, and for putting both on a page.

`numbers`, `phrases`, `beliefs` and `certificates` write pieces of sentences from plain values.
`steps` holds what is said as data; it is rendered late: by `terminal` for a terminal, by the
templates of the report and of the studio for a page. Nothing reads such a text again.
"""
