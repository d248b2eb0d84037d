"""What MkDocs calls while it builds the site."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from website.font import write_font


def on_post_build(config: MkDocsConfig) -> None:
    """The font stands where the style sheet says."""
    write_font(Path(config.site_dir) / "assets" / "formulas.woff")
