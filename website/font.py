"""The font of formulas: STIX Two Math (SIL Open Font License), as ziamath ships it.

A browser sets MathML by tables that only a font for mathematics has. Few machines have one, and
nothing is loaded from elsewhere, so the site brings those of its characters that formulas use.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

# Letters and signs of formulas; browsers set single letters in the italics from U+1D434.
_RANGES = (
    (0x0020, 0x007E),
    (0x00A0, 0x00FF),
    (0x0300, 0x0304),
    (0x0391, 0x03F6),
    (0x2010, 0x2057),
    (0x2100, 0x214F),
    (0x2190, 0x21FF),
    (0x2200, 0x22FF),
    (0x2308, 0x230B),
    (0x27E8, 0x27FA),
    (0x1D400, 0x1D467),
    (0x1D49C, 0x1D4CF),
    (0x1D538, 0x1D56B),
    (0x1D6A8, 0x1D71B),
)


def write_font(path: Path) -> None:
    """Write the part of the font that formulas use, compressed."""
    font = TTFont(str(files("ziamath.fonts") / "STIXTwoMath-Regular.ttf"))
    options = Options(layout_features=["ssty"], hinting=False, name_IDs=["*"])
    subset = Subsetter(options)
    subset.populate(unicodes=[code for low, high in _RANGES for code in range(low, high + 1)])
    subset.subset(font)
    font.flavor = "woff"
    path.parent.mkdir(parents=True, exist_ok=True)
    font.save(str(path))
