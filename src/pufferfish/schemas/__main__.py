"""Write the schemas into the package."""

from pathlib import Path

from pufferfish.schemas import SHAPES, schema_text

for _kind in SHAPES:
    _place = Path(__file__).with_name(f"{_kind}.schema.json")
    _place.write_text(schema_text(_kind), encoding="utf-8")
