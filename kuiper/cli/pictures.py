"""Options that name a picture to draw."""

from __future__ import annotations

from kuiper.errors import KuiperError
from kuiper.show.svg import svg_path


def check_picture(option: str, file: str | None) -> None:
    """Refuse, before the work, a file that no SVG could be written to. Raises KuiperError."""
    if file is None:
        return
    try:
        folder = svg_path(file).resolve().parent
    except KuiperError as error:
        raise KuiperError(f"{option}: {error.message}") from None
    if not folder.is_dir():
        raise KuiperError(f"{option} {file}: expected an existing folder, found no {folder}")
