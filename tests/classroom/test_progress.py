from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom import progress
from classroom.check import Result, State, record
from classroom.progress import Progress, ProgressEntry, digest, free_name, parse, write_whole


def solved(entry: ProgressEntry) -> ProgressEntry:
    return replace(entry, solved="abc", attempts=entry.attempts + 1)


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def kept(tmp_path: Path, notes: list[str]) -> Progress:
    return Progress(tmp_path, notes.append)


def test_nothing_is_kept_at_first(kept: Progress, notes: list[str]) -> None:
    assert kept.entries() == {}
    assert not kept.path.exists()
    assert notes == []


def test_what_was_kept_is_there_in_the_next_process(kept: Progress, tmp_path: Path) -> None:
    kept.update("flatten", solved)
    assert Progress(tmp_path).entry("flatten") == ProgressEntry(attempts=1, hints=0, solved="abc")


def test_the_file_can_be_read_by_a_person(kept: Progress) -> None:
    kept.update("flatten", solved)
    lines = kept.path.read_text().splitlines()
    assert '    "flatten": {' in lines
    assert '      "attempts": 1,' in lines


def test_two_commands_at_once_keep_each_others_entries(tmp_path: Path) -> None:
    first, second = Progress(tmp_path), Progress(tmp_path)
    first.update("flatten", solved)
    second.update("padding", solved)
    first.update("sine", solved)
    assert set(second.entries()) == {"flatten", "padding", "sine"}


def test_a_change_that_changes_nothing_writes_nothing(kept: Progress) -> None:
    kept.update("flatten", lambda entry: entry)
    assert not kept.path.exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"version": 1}', '{"version": 1, "exercises": []}', "[" * 100_000, "\x00\x01"],
)
def test_a_damaged_file_is_set_aside_with_a_note_and_stops_nothing(kept: Progress, notes: list[str], text: str) -> None:
    kept.path.parent.mkdir()
    kept.path.write_text(text)
    assert kept.entries() == {}
    kept.update("flatten", solved)
    assert kept.entry("flatten").solved
    aside = [path for path in kept.path.parent.iterdir() if path != kept.path]
    assert [path.read_text() for path in aside] == [text]
    assert len(notes) == 1
    assert aside[0].name in notes[0]


def test_bytes_that_are_no_text_are_damage_too(kept: Progress, notes: list[str]) -> None:
    kept.path.parent.mkdir()
    kept.path.write_bytes(b"\xff\xfe\x00")
    assert kept.entries() == {}
    assert len(notes) == 1


@pytest.mark.parametrize("value", ["3", '{"hints": "two"}', '{"hints": -1}', '{"hints": true}', '{"solved": 5}'])
def test_of_a_file_damaged_in_part_the_rest_is_kept(kept: Progress, notes: list[str], value: str) -> None:
    kept.path.parent.mkdir()
    kept.path.write_text(f'{{"version": 1, "exercises": {{"flatten": {{"hints": 2}}, "padding": {value}}}}}')
    assert kept.entries() == {"flatten": ProgressEntry(hints=2)}
    assert json.loads(kept.path.read_text())["exercises"].keys() == {"flatten"}
    assert len(notes) == 1


def test_a_second_damaged_file_does_not_overwrite_the_first(kept: Progress) -> None:
    kept.path.parent.mkdir()
    for text in ("first", "second", "third"):
        kept.path.write_text(text)
        kept.entries()
    assert sorted(path.read_text() for path in kept.path.parent.iterdir()) == ["first", "second", "third"]


def test_keys_of_a_later_version_are_no_damage(notes: list[str]) -> None:
    assert parse('{"version": 1, "new": 1, "exercises": {"flatten": {"hints": 1, "stars": 5}}}') == (
        {"flatten": ProgressEntry(hints=1)},
        True,
    )


def test_progress_of_an_earlier_version_is_no_damage() -> None:
    old = '{"version": 1, "exercises": {"flatten": {"attempts": 2, "hints": 1, "solved": "abc"}}}'
    assert parse(old) == ({"flatten": ProgressEntry(2, 1, "abc")}, True)


@pytest.mark.slow
def test_the_order_in_which_exercises_were_checked_is_kept(mini: Any) -> None:
    mini.write(double="return x", turn="return x[::-1]")
    for name in ("turn", "double", "turn"):
        mini.run("check", name)
    entries = Progress(mini.root).entries()
    assert entries["turn"].last > entries["double"].last > 0
    mini.run("check", "power")  # as it was handed out
    assert Progress(mini.root).entry("power").last == 0


def test_a_check_of_several_lessons_says_nothing_of_the_one_that_is_worked_on(mini: Any) -> None:
    first = mini.tasks["double"]
    second = replace(first, lesson=replace(first.lesson, number=2), exercise=replace(first.exercise, id="other"))
    kept = Progress(mini.root)
    record([Result(first, State.FAILED)], kept, [first])
    record([Result(first, State.FAILED), Result(second, State.FAILED)], kept, [first, second])
    assert (kept.entry("double").last, kept.entry("other").last) == (1, 0)


def test_where_nothing_can_be_written_it_is_said_once_and_known_to_this_process(
    tmp_path: Path, notes: list[str]
) -> None:
    (tmp_path / ".course").write_text("a file where the folder should be")
    kept = Progress(tmp_path, notes.append)
    for name in ("flatten", "padding"):
        kept.update(name, solved)
    assert set(kept.entries()) == {"flatten", "padding"}
    assert len(notes) == 1
    assert "cannot be kept" in notes[0]


def test_a_crash_in_the_middle_of_writing_leaves_the_old_file(
    kept: Progress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.update("flatten", solved)
    before = kept.path.read_text()

    def crash(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        kept.update("padding", solved)
    assert kept.path.read_text() == before
    assert list(kept.path.parent.iterdir()) == [kept.path]


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_a_digest_changes_with_the_content_and_not_with_the_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    first = digest(path)
    os.utime(path, (0, 0))
    assert digest(path) == first
    path.write_text("two")
    assert digest(path) != first
    assert digest(tmp_path / "none") == ""


def test_a_free_name_is_one_that_nothing_has(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    assert free_name(path) == path
    path.touch()
    (tmp_path / "a-2.py").touch()
    assert free_name(path).name == "a-3.py"


def test_commands_work_with_a_damaged_file_and_say_so_on_stderr(mini: Any) -> None:
    folder = mini.root / progress.FOLDER
    folder.mkdir()
    (folder / "progress.json").write_text("{")
    result = mini.run("map")
    assert result.exit_code == 0
    assert "[ ] double" in result.stdout
    assert "damaged" in result.stderr


def test_commands_work_where_no_progress_can_be_kept(mini: Any) -> None:
    (mini.root / progress.FOLDER).write_text("")
    mini.write(double="return 2 * x")
    checked = mini.run("check", "double")
    assert checked.exit_code == 0
    assert "public tests passed" in checked.stdout
    assert checked.stderr.count("cannot be kept") == 1
    hint = mini.run("hint", "double")
    assert hint.exit_code == 0
    assert "What is two times x?" in hint.stdout
