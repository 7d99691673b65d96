"""The lists of names: complete, in the right order where it is known, and no name twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from kuiper import KuiperError
from kuiper.vision.labels import KNOWN, labels_for, name_of, read_labels


@pytest.mark.parametrize(("source", "count"), [("imagenet", 1000), ("coco", 80), ("voc", 21)])
def test_lists_are_complete_and_name_nothing_twice(source: str, count: int) -> None:
    names = read_labels(source)
    assert len(names) == len(set(names)) == count
    assert all(name == name.strip() and name.isascii() and name for name in names)
    assert labels_for(count) == names


def test_well_known_classes_have_their_numbers() -> None:
    known = {
        "imagenet": {0: "tench", 281: "tabby", 285: "Egyptian cat", 388: "giant panda", 999: "toilet tissue"},
        "coco": {0: "person", 2: "car", 5: "bus", 15: "cat", 16: "dog", 79: "toothbrush"},
        "voc": {0: "background", 8: "cat", 12: "dog", 15: "person", 20: "tvmonitor"},
    }  # fmt: skip
    assert set(known) == set(KNOWN)
    for source, numbers in known.items():
        names = read_labels(source)
        assert {number: names[number] for number in numbers} == numbers


def test_a_file_of_ones_own_has_one_name_a_line(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_bytes("\ufeffKatze\r\nHündin\r\n\r\n".encode())
    assert labels_for(2, str(file)) == ["Katze", "Hündin"]
    with pytest.raises(KuiperError, match="expected 3 names, one for each class, found 2"):
        labels_for(3, str(file))


@pytest.mark.parametrize(
    ("content", "found"), [(None, "No such file"), (b"\xff\xfe\x00", "not UTF-8"), (b"\n", "empty")]
)
def test_a_file_without_names_is_explained(tmp_path: Path, content: bytes | None, found: str) -> None:
    if content is not None:
        (tmp_path / "names.txt").write_bytes(content)
    with pytest.raises(KuiperError, match=rf"labels .*names\.txt: expected .*{found}"):
        read_labels(str(tmp_path / "names.txt"))


def test_classes_beyond_the_list_go_by_number() -> None:
    assert [name_of(["cat"], i) for i in (0, 1, -1)] == ["cat", "class 1", "class -1"]
