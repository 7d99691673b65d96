"""The math font, with stretchy brackets: few systems other than Windows and macOS have one.

python -m classroom.site.math_font STIXMath-Regular.otf    regenerates theme/math/math.woff (needs fontTools)
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path, PurePosixPath

FOLDER = Path(__file__).with_name("theme") / "math"
FONT = FOLDER / "math.woff"
LICENCE = FOLDER / "math-font-license.txt"
NAME = "Kuiper Math"
"""The licence requires a name other than the original's."""
FILE = PurePosixPath("math.css")
ASCENT, DESCENT = 800, 250
"""Height of a line above and below the baseline, in thousandths of an em."""

ALPHABETS = ((0x20, 0x7F), (0xA0, 0x100), (0x391, 0x3CA), (0x1D400, 0x1D468), (0x1D6A4, 0x1D6A6), (0x1D6A8, 0x1D71C))
SIGNS = ((0x2190, 0x219A), (0x21D0, 0x21D5), (0x2200, 0x2300), (0x2308, 0x230C), (0x23B0, 0x23E2))
SINGLE = (
    "\u03d1\u03d5\u03f5\u2016\u2026\u2032\u2033\u203e\u2044\u2061\u2062\u2063\u2064\u20d7\u0302\u0303\u0304\u0305"
    "\u2102\u210e\u2113\u2115\u211d\u2124\u21a6\u22ee\u22ef\u22f1\u27e8\u27e9\u29f5"
)


def stylesheet() -> str:
    """CSS with the font embedded: browsers refuse a separate font file for pages opened from a folder."""
    data = base64.b64encode(FONT.read_bytes()).decode()
    return (
        f"/* {NAME} is made of STIX Math, copyright (c) 2001-2011 by the STI Pub Companies, under the SIL Open Font\n"
        "   License 1.1: math-font-license.txt */\n"
        f'@font-face {{ font-family: "{NAME}"; src: url(data:font/woff;base64,{data}) format("woff"); }}\n'
    )


def characters() -> set[int]:
    """The code points kept in the font."""
    ranges = (range(*one) for one in (*ALPHABETS, *SIGNS))
    return {*map(ord, SINGLE), *(code for one in ranges for code in one)}


def make(source: Path, target: Path = FONT) -> None:
    """Write a subset of an OpenType math font under our name."""
    from fontTools import subset

    options = subset.Options(
        flavor="woff", layout_features=["*"], name_IDs=[0, 1, 2, 4, 5, 6, 7, 13, 14], hinting=False
    )
    font = subset.load_font(str(source), options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=characters())
    chosen.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = NAME.replace(" ", "") if record.nameID == 6 else NAME
    outlines = font["CFF "].cff
    outlines.fontNames[0] = NAME.replace(" ", "")
    outlines[0].FamilyName = outlines[0].FullName = NAME
    lines, system = font["hhea"], font["OS/2"]
    # the original reserves space for its tallest bracket in every line
    lines.ascent = system.sTypoAscender = system.usWinAscent = ASCENT
    lines.descent = system.sTypoDescender = -DESCENT
    system.usWinDescent = DESCENT
    lines.lineGap = system.sTypoLineGap = 0
    subset.save_font(font, str(target), options)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
