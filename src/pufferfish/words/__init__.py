"""The one home for phrases, for numbers in words, and for putting both on a page.

`numbers`, `phrases`, `beliefs` and `certificates` write pieces of sentences from plain values.
`steps` holds texts as data, which are rendered last: by `terminal` for a terminal, by the templates
of the report and of the studio for a page. Nothing parses a rendered text.
"""
