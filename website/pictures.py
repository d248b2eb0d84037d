"""The style of the library's pictures in the site, which has a switch for light and dark."""

from __future__ import annotations

from pufferfish.report.style import css_variables
from pufferfish.report.templates import templates


def pictures_style() -> str:
    """The style sheet of reports, with the colours of the scheme that the reader chose."""
    style: str = templates("pufferfish.report").get_template("style.css.j2").render()
    for scheme, dark in (("default", False), ("slate", True)):
        style += f'[data-md-color-scheme="{scheme}"] .pufferfish {{ {css_variables(dark=dark)} }}\n'
    return style
