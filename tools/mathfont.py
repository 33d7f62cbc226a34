"""Write src/steiner/text/steiner-math.woff2: the glyphs of Latin Modern Math that formulas need, for a page on its own.

Takes latinmodern-math.otf 1.959 (Debian's fonts-lmodern); needs fontTools and Brotli: `pip install fonttools brotli`.
The GUST Font License, kept beside the font, asks that a changed font has a name of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

SOURCE = Path("/usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf")
TARGET = Path(__file__).parent.parent / "src" / "steiner" / "text" / "steiner-math.woff2"
NAME = "Steiner Math"
NOTICE = "A subset of Latin Modern Math 1.959, renamed, otherwise unchanged. "

RANGES = (
    (0x20, 0x17F), (0x370, 0x3F6),  # Latin with the accents of names, Greek
    (0x2C6, 0x2DD), (0x300, 0x30C), (0x20D7, 0x20D7), (0x20DB, 0x20DC),  # accents and dots
    (0x2000, 0x2057), (0x2060, 0x2064),  # spaces, dashes, primes, signs that are not seen
    (0x2070, 0x209C), (0x2102, 0x2135),  # raised and lowered, letter-like
    (0x2190, 0x2199), (0x21A6, 0x21A6), (0x21D0, 0x21D4),  # arrows
    (0x2200, 0x2237), (0x223C, 0x223C), (0x2243, 0x226B), (0x2282, 0x228B), (0x2295, 0x2299), (0x22A4, 0x22A5),
    (0x22C0, 0x22C5), (0x22EE, 0x22F1), (0x2308, 0x230B), (0x27E8, 0x27E9),  # operators, brackets
    (0x1D400, 0x1D49B), (0x1D6A4, 0x1D755), (0x1D7CE, 0x1D7D7),  # bold, italic, bold italic: Latin, Greek, digits
)  # fmt: skip


def written(source: Path) -> bytes:
    """The subset, the same bytes for the same source and the same fontTools."""
    from io import BytesIO

    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(source, recalcTimestamp=False)
    # ssty, other outlines for indices, would double the size; browsers scale the plain ones
    keep = Options(layout_features=["dtls", "ccmp"], hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6])
    keep.drop_tables += ["FFTM"]
    subsetter = Subsetter(keep)
    subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
    subsetter.subset(font)
    for record in font["name"].names:
        text = record.toUnicode()
        record.string = NOTICE + text if record.nameID == 0 else text.replace("Latin Modern Math", NAME)
        if record.nameID in (4, 6):
            record.string = f"{NAME.replace(' ', '')}-Regular"
    names = font["CFF "].cff
    names.fontNames = [f"{NAME.replace(' ', '')}-Regular"]
    names[0].FullName, names[0].FamilyName = f"{NAME} Regular", NAME
    font.flavor = "woff2"
    file = BytesIO()
    font.save(file)
    return file.getvalue()


if __name__ == "__main__":
    TARGET.write_bytes(written(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE))
