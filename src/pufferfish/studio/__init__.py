"""The studio: a page in the browser, served from this machine to this machine.

It calls the library and holds no formula. Needs the extra `studio` (shiny).
"""
