"""The names of classes: ImageNet's 1000, COCO's 80, Pascal VOC's 21, or a file's, one a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kuiper.errors import KuiperError

FOLDER = Path(__file__).parent
LABELS = "labels.txt"
"""A file beside a network's, with the name of a class in each line."""
KNOWN = ("imagenet", "coco", "voc")
"""The lists that lie beside this file; their sources are in its README."""
COUNTS = {1000: "imagenet", 80: "coco", 21: "voc"}


def read_labels(source: str) -> list[str]:
    """The names in a list of KNOWN, or in a text file that has one name a line; class 0 comes first.

    Raises KuiperError for a file that cannot be read or holds no names.

    >>> len(read_labels("imagenet")), read_labels("coco")[:3]
    (1000, ['person', 'bicycle', 'car'])
    """
    file = FOLDER / f"{source}.txt" if source in KNOWN else Path(source)
    try:
        names = [line.strip() for line in file.read_text(encoding="utf-8-sig").rstrip().splitlines()]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise KuiperError(
            f"labels {source}: expected one of {', '.join(KNOWN)} or a text file with one name a line, found {reason}"
        ) from error
    if not names:
        raise KuiperError(f"labels {source}: expected one name a line, found an empty file")
    return names


def labels_for(count: int, source: str | None = None) -> list[str]:
    """`count` names: those of `source`; without one, the list that has so many, or "class 0", "class 1", ...

    Raises KuiperError when `source` has another number of names.

    >>> labels_for(80)[16], labels_for(2)
    ('dog', ['class 0', 'class 1'])
    """
    if source is None:
        known = COUNTS.get(count)
        return read_labels(known) if known else [f"class {i}" for i in range(count)]
    names = read_labels(source)
    if len(names) != count:
        raise KuiperError(f"labels {source}: expected {count} names, one for each class, found {len(names)}")
    return names


def name_of(labels: Sequence[str] | None, number: int) -> str:
    """The name of a class, "class 7" where the list has none.

    >>> name_of(["cat"], 0), name_of(None, 7)
    ('cat', 'class 7')
    """
    return labels[number] if labels is not None and 0 <= number < len(labels) else f"class {number}"
