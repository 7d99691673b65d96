"""What networks of the course see in held-out photographs, drawn by kuiper as the site is built; what links show."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from classroom.gallery.detect import DetectPiece
from classroom.gallery.piece import DemoOptions, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.segment import SegmentPiece
from classroom.gallery.sheet import enlarged
from kuiper.vision import draw_boxes, draw_mask, read_labels, segment
from kuiper.vision.pictures import to_pillow

DETECTED, PAINTED = 8, 9
"""Which of the held-out photographs of a network is shown."""
SIDE = 512
"""Approximate side of a picture in pixels."""
SHARED = (1200, 630)
"""Width and height of the picture that goes with a link to the site, as Open Graph's users crop it."""
QUALITY = 85
PAPER, INK, FAINT = (255, 255, 255), (29, 37, 48), (89, 99, 110)


@dataclass(frozen=True)
class Shown:
    """A picture (H,W,3) of what a network found, what is seen on it, and what the network is."""

    name: str
    pixels: np.ndarray
    alt: str
    network: str

    def jpeg(self) -> bytes:
        """The picture as a file."""
        file = io.BytesIO()
        to_pillow(self.pixels).save(file, "JPEG", quality=QUALITY, optimize=True)
        return file.getvalue()


def detection() -> Shown:
    """The detector's boxes on a photograph. Raises KuiperError, OSError."""
    piece = DetectPiece()
    pipeline, scene = _ready(piece), piece.sample(DemoOptions())[DETECTED]
    found, _, _ = piece.find(pipeline, scene.image)
    names = read_labels(str(piece.folder / "labels.txt"))
    times = SIDE // scene.image.shape[0]
    drawn = draw_boxes(
        enlarged(scene.image, SIDE), type(found)(found.boxes * times, found.scores, found.classes), names
    )
    said = ", ".join(f"{names[label]} with {score:.0%}" for label, score in zip(found.classes, found.scores))
    return Shown(
        "detection",
        drawn,
        f"A photograph with handwritten digits, and boxes that the network drew: {said}.",
        piece.network,
    )


def mask() -> Shown:
    """The segmenter's mask on a photograph. Raises KuiperError, OSError."""
    piece = SegmentPiece()
    pipeline, (image, truth) = _ready(piece), piece.sample(DemoOptions())[PAINTED]
    found = segment(pipeline.network(image.transpose(2, 0, 1)[None] / np.float32(255))[0][0])
    times = SIDE // image.shape[0]
    large = found.repeat(times, axis=0).repeat(times, axis=1)
    drawn = draw_mask(enlarged(image, SIDE), large, piece.names, opacity=0.75)[: len(large)]
    alike = float((found == truth).mean())
    alt = (
        f"A photograph with handwritten digits, whose pixels the network painted over: {(found > 0).mean():.0%} of the "
        f"picture, and {alike:.1%} of all pixels are told right."
    )
    return Shown("mask", drawn, alt, piece.network)


def shared(title: str, line: str, beside: Shown) -> bytes:
    """The picture that goes with a link to the site, as a PNG file: title, a line, and what a network found."""
    width, height = SHARED
    sheet = Image.new("RGB", SHARED, PAPER)
    right = Image.fromarray(beside.pixels).resize((height, height), Image.Resampling.LANCZOS)
    sheet.paste(right, (width - height, 0))
    pen, left = ImageDraw.Draw(sheet), 56
    pen.text((left, 150), title, INK, ImageFont.load_default(92))
    font, rows, row = ImageFont.load_default(34), [], ""
    for word in line.split():
        longer = f"{row} {word}".strip()
        if pen.textlength(longer, font) > width - height - 2 * left and row:
            rows.append(row)
            longer = word
        row = longer
    pen.multiline_text((left, 285), "\n".join([*rows, row]), FAINT, font, spacing=14)
    file = io.BytesIO()
    sheet.save(file, "PNG", optimize=True)
    return file.getvalue()


def _ready(piece: Piece) -> Pipeline:
    return Pipeline(piece.model, piece.steps)
