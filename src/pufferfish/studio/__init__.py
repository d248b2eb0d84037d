"""The studio: a page in the browser, served from this machine to this machine.

It calls the library and holds no formula of its own. It needs the extra `studio` (shiny).
"""
