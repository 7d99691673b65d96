"""The map of the course as a picture."""

from xml.etree import ElementTree

from classroom import register
from classroom.picture import draw_map

STORED = register.ROOT / "docs" / "map.svg"


def test_the_stored_picture_is_the_one_that_the_register_gives():
    assert STORED.read_text(encoding="utf-8") == draw_map(register.load()), "python3 course.py map --svg docs/map.svg"


def test_the_picture_names_every_lesson():
    texts = {node.text for node in ElementTree.fromstring(draw_map(register.load())).iter()}
    for lesson in register.load().lessons:
        assert f"{lesson.number}  {lesson.title}" in texts
