"""What MkDocs calls while it builds the site: it adds pages written from the code, and the font."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from website.commands import commands_page
from website.documents import schema_files, schemas_page
from website.font import write_font
from website.gallery import gallery_files
from website.notebooks import notebook_files
from website.pictures import pictures_style


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is in no file of `docs/`, and to the gallery its pictures."""
    gallery = files.src_uris["gallery.md"]
    files.remove(gallery)
    written = {
        **gallery_files(gallery.content_string),
        **notebook_files(),
        "assets/pictures.css": pictures_style(),
        "reference/commands.md": commands_page(),
        "reference/schemas.md": schemas_page(),
        **schema_files(),
    }
    for place, content in written.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """The font stands where the style sheet says."""
    write_font(Path(config.site_dir) / "assets" / "formulas.woff")
