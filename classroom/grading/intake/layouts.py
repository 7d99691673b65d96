"""Recognise the layouts in which course systems export submissions, and find what belongs to each student.

| layout | in the folder |
| --- | --- |
| plain | a folder, .zip or .tar.gz for each student |
| Canvas | files side by side: STUDENT_ID_FILEID_NAME, STUDENT_LATE_ID_FILEID_NAME |
| Moodle | folders NAME_NUMBER_assignsubmission_file_, or files NAME_NUMBER_assignsubmission_file_NAME |
| Gradescope | submission_NNN/, students and times in submission_metadata.yml |
| nbgrader | submitted/STUDENT/ASSIGNMENT/, the time in timestamp.txt |
| GitHub | clones of repositories ASSIGNMENT-LOGIN |

Only names that the system gave are read here: what a student made is opened elsewhere.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from classroom.grading.errors import GradingError
from classroom.grading.intake.archives import archive_suffix
from classroom.grading.intake.gradescope_export import MAX_METADATA_BYTES, METADATA, read_metadata
from classroom.grading.late import plain_name
from classroom.grading.roster import Person, Roster
from classroom.grading.safe import one_line

NBGRADER = {"nbgrader_config.py", "gradebook.db", "source", "release", "autograded"}
"""Names beside `submitted` in an nbgrader course folder."""
CLONES = "-submissions"
"""What the name of a folder of clones ends with; the assignment's comes before."""
_EXPORT = re.compile(r"assignment_\d+_export|submissions")
"""What Gradescope and Canvas call the folder in their downloads."""
_ANONYMOUS = re.compile(r"(?P<student>anon_[^\W_]+)_\d+_(?P<file>.+)")
_ONE_NUMBER = re.compile(r"(?P<name>\w+?)_(?P<late>LATE_)?(?P<number>\d{3,})_(?P<file>.+\.(?:py|ipynb))")
"""Canvas's name of a file without the file's own number."""
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?")


@dataclass(frozen=True)
class Source:
    """A folder, archive or file of one student.

    student : how the student is called, where no class list says otherwise.
    handed_in : submission time, if the course system says it.
    file : the student's own name for a single file.
    stamped : whether the tool wrote a timestamp.txt into each folder directly below.
    ids, name, number : what the course system says about the student: login, e-mail or student id; the full name; its
    own number.
    late : whether the system calls it late.
    """

    student: str
    path: Path
    handed_in: datetime | None = None
    file: str = ""
    stamped: bool = False
    ids: tuple[str, ...] = ()
    name: str = ""
    number: str = ""
    late: bool = False


@dataclass
class Layout:
    """What was found in one folder of submissions.

    strays : files that belong to no student. unclear : sentences about files that could be two students'.
    """

    name: str
    sources: list[Source] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def look(folder: Path, roster: Roster | None = None) -> Layout:
    """Everything in a folder of submissions, by student. Raises GradingError if there is nothing of anybody."""
    entries = _entries(folder)
    names = {entry.name for entry in entries}
    folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    roster = roster or Roster(())
    if METADATA in names:
        return _gradescope(folder, [entry.name for entry in folders])
    if "submitted" in names and names & NBGRADER:
        inner = look(folder / "submitted", roster)
        return replace_sources(inner, "nbgrader", [replace(one, stamped=True) for one in inner.sources])
    if len(folders) == len(entries) == 1 and _wraps(folders[0]):
        return look(folder / folders[0].name, roster)
    clones = [entry for entry in folders if os.path.lexists(os.path.join(entry.path, ".git"))]
    if clones and len(clones) == len(folders):
        found = Layout("GitHub", _clones(folder, clones, roster))
        found.strays = [entry.name for entry in entries if entry not in folders]
    else:
        found = _side_by_side(entries, roster)
    if not found.sources and not found.unclear:
        raise GradingError(f"{folder}: expected a folder, .zip or .tar.gz for each student, found none")
    found.sources.sort(key=lambda one: one.student)
    return found


def replace_sources(layout: Layout, name: str, sources: Iterable[Source]) -> Layout:
    """The layout under another name with other sources."""
    return Layout(name, list(sources), layout.strays, layout.unclear)


def sources(folder: Path, roster: Roster | None = None) -> list[Source]:
    """All students' folders, archives and files, sorted by student. Raises GradingError."""
    return look(folder, roster).sources


def strays(folder: Path) -> list[str]:
    """Files in a folder of submissions that belong to no student. Raises GradingError."""
    return look(folder).strays


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted((entry for entry in listing if not _hidden(entry.name)), key=lambda e: e.name)
    except OSError as error:
        raise GradingError(f"{folder}: expected a folder of submissions: {error.strerror}") from error


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _wraps(entry: os.DirEntry[str]) -> bool:
    """Whether a folder that is alone is an export's own, by its name, rather than the only student's.

    What lies in it says nothing: a student can put everything there that an export has.
    """
    return bool(_EXPORT.fullmatch(entry.name)) or entry.name.endswith(CLONES)


def _side_by_side(entries: Sequence[os.DirEntry[str]], roster: Roster) -> Layout:
    """Canvas's, Moodle's and plain layouts, which may lie in one folder."""
    found = Layout("plain")
    sure = Counter(known[0].student for entry in entries if len(known := readings(entry.name)) == 1)
    for entry in entries:
        path, is_folder = Path(entry.path), entry.is_dir()
        moodle = _MOODLE.fullmatch(entry.name)
        if moodle and (is_folder or moodle["file"]):
            found.name = "Moodle"
            name = plain_name(moodle["name"].replace("_", " "))
            file = "" if is_folder else moodle["file"]
            key = f"{name}_{moodle['number']}"
            found.sources.append(Source(key, path, file=file, name=name, number=moodle["number"]))
        elif not is_folder and (possible := readings(entry.name)):
            found.name = "Canvas"
            chosen = _chosen(possible, roster, sure)
            if chosen is None:
                whose = " or ".join(dict.fromkeys(one_line(one.student, 60) for one in possible))
                found.unclear.append(f"{one_line(entry.name, 120)} could be of {whose}: nothing of it was judged")
            else:
                found.sources.append(replace(chosen, path=path))
        elif is_folder or archive_suffix(entry.name):
            student = _student(entry.name, is_folder)
            found.sources.append(Source(student, path, ids=(student,), name=student))
        else:
            found.strays.append(entry.name)
    return found


def readings(name: str) -> list[Source]:
    """What a file's name in Canvas's download can mean, the likeliest first; the paths are empty.

    A student's name may end in a number, and a file's name may begin with one, so there can be several.
    Source: lib/content_zipper.rb of https://github.com/instructure/canvas-lms

    >>> [(one.student, one.file) for one in readings("smithann_LATE_12_34_hw1.py")]
    [('smithann_12', 'hw1.py')]
    """
    if anonymous := _ANONYMOUS.fullmatch(name):
        return [Source(anonymous["student"], Path(), file=anonymous["file"])]
    words, found = name.split("_"), list[Source]()
    for place in range(1, len(words) - 2):
        numbers = words[place], words[place + 1]
        late = words[place - 1] == "LATE" and place > 1
        student, file = "_".join(words[: place - late]), "_".join(words[place + 2 :])
        if all(map(_is_number, numbers)) and student and file and re.fullmatch(r"\w+", student):
            found.append(_canvas(student, numbers[0], file, late))
    if not found and (one := _ONE_NUMBER.fullmatch(name)):
        found.append(_canvas(one["name"], one["number"], one["file"], bool(one["late"])))
    return found


def _is_number(word: str) -> bool:
    """Whether it can be a number that Canvas gave: without zeros before it."""
    return word.isascii() and word.isdecimal() and not word.startswith("0")


def _canvas(student: str, number: str, file: str, late: bool) -> Source:
    name = plain_name(student)
    return Source(f"{name}_{number}", Path(), file=file, name=name, number=number, late=late)


def _chosen(possible: Sequence[Source], roster: Roster, sure: Counter[str]) -> Source | None:
    """The reading that the class list confirms, else the likeliest; None if two students could be meant.

    Without a class list a name with two readings is doubted where the likeliest is a student's who has files of his
    own: whoever calls himself "lee_99" would else hand in for lee, number 99.
    """
    if len(possible) == 1:
        return possible[0]
    if roster:
        known = [one for one in possible if isinstance(person_of(one, roster), Person)]
        return known[0] if len(known) == 1 else possible[0] if not known else None
    return None if sure[possible[0].student] else possible[0]


def person_of(source: Source, roster: Roster) -> Person | str:
    """The person of the class list whose work it is, or why nobody is: "" if there is no such person.

    What the system says about a student must not contradict itself: a number of one person and the name of another
    are nobody's.
    """
    found = {one for text in source.ids if (one := roster.find_id(text))}
    if source.number and (one := roster.numbered(source.number)):
        found.add(one)
    named = roster.named(source.name) if source.name else frozenset()
    if len(found) > 1:
        return f"it names {_people(found)}"
    if found:
        (person,) = found
        if named and person not in named:
            return f"its number or login is that of {_people(found)}, its name that of {_people(named)}"
        return person
    if len(named) > 1:
        return f"{len(named)} people have this name: {_people(named)}"
    return next(iter(named), "")


def _people(people: Iterable[Person]) -> str:
    return " and ".join(sorted(one_line(one.key, 60) for one in people))


def _student(name: str, folder: bool) -> str:
    return plain_name(name if folder else name[: -len(archive_suffix(name))]) or "unnamed"


def _clones(folder: Path, clones: Sequence[os.DirEntry[str]], roster: Roster) -> list[Source]:
    """The clones of repositories; the login is what follows the assignment's name."""
    start = _prefix(folder.name, [entry.name for entry in clones], roster)
    found = []
    for entry in clones:
        login = plain_name(entry.name.removeprefix(start)) or entry.name
        found.append(Source(login, Path(entry.path), ids=(login,)))
    return found


def _prefix(folder: str, names: Sequence[str], roster: Roster) -> str:
    """What all repositories' names begin with: the assignment, with its dash.

    A login may have dashes too, so of several beginnings the one counts that leaves most logins of the class list.
    """
    said = folder.removesuffix(CLONES) + "-"
    if folder.endswith(CLONES) and all(name.startswith(said) for name in names):
        return said
    first, last = min(names), max(names)  # what these two have in common, all have
    common = first[: next((n for n, (a, b) in enumerate(zip(first, last)) if a != b), len(first))]
    starts = [common[: place + 1] for place, sign in enumerate(common) if sign == "-"]
    if not roster:
        return starts[-1] if starts and len(names) > 1 else ""
    hits = {start: sum(roster.find_id(name.removeprefix(start)) is not None for name in names) for start in starts}
    return max(hits, key=lambda start: (hits[start], len(start)), default="")


def _gradescope(folder: Path, names: Sequence[str]) -> Layout:
    path = folder / METADATA
    try:
        if path.stat().st_size > MAX_METADATA_BYTES:
            raise GradingError(f"{path}: larger than {MAX_METADATA_BYTES >> 20} MB")
        known = read_metadata(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise GradingError(f"{path}: {error.strerror}") from error
    found = Layout("Gradescope")
    for name in names:
        if name not in known and not name.startswith("submission_"):
            found.strays.append(name)
            continue
        people, time = known.get(name, ((), None))
        for one in people:
            ids = tuple(text for text in (one.email, one.sid) if text)
            found.sources.append(Source(one.key, folder / name, time, ids=ids, name=one.name))
        if not people:
            found.sources.append(Source(plain_name(name), folder / name, time))
    if not found.sources:
        raise GradingError(f"{folder}: expected a folder submission_NNN for each entry of {METADATA}, found none")
    found.sources.sort(key=lambda source: source.student)
    return found
