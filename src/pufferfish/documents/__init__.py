"""Documents: how they are described (`shape`), read strictly, and written.

Every type of document describes its entries once, as a class of `Entries` next to what it is about;
the check of what is read, the JSON schema and the order of what is written follow from that.
"""
