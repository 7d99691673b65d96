from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from classroom.grading.intake import limits
from classroom.grading.intake.archives import Taken, archive_suffix, take
from classroom.grading.intake.limits import Budget

LIMIT = 1000
CONTENT = b"def f():\n    return 1\n"


def wanted(path: tuple[str, ...]) -> int:
    return LIMIT if path[-1] == "hw.py" else 0


def zipped(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for entry, data in members:
            entry.size = len(data) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(data) if entry.isreg() else None)
    return path


def texts(taken: Taken) -> str:
    return " | ".join(fault.text for fault in taken.faults)


def test_a_folder_a_zip_and_a_tar_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "ann" / "a" / "b").mkdir(parents=True)
    (tmp_path / "ann" / "a" / "b" / "hw.py").write_bytes(CONTENT)
    (tmp_path / "ann" / "other.py").write_bytes(b"x")
    sources = [
        tmp_path / "ann",
        zipped(tmp_path / "ann.zip", **{"a/b/hw.py": CONTENT, "other.py": b"x"}),
        tarred(tmp_path / "ann.tar.gz", (tarfile.TarInfo("./a/b/hw.py"), CONTENT), (tarfile.TarInfo("other.py"), b"")),
    ]
    for source in sources:
        taken = take(source, wanted)
        assert [(one.path, one.data) for one in taken.found] == [(("a", "b", "hw.py"), CONTENT)]
        assert not taken.faults


def test_the_maker_s_time_is_told(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("hw.py")
    entry.mtime = 1_800_000_000
    (found,) = take(tarred(tmp_path / "a.tar.gz", (entry, CONTENT)), wanted).found
    assert found.time is not None
    assert found.time.timestamp() == 1_800_000_000


@pytest.mark.parametrize(
    "name", ["../hw.py", "a/../../hw.py", "/etc/hw.py", "..\\hw.py", "C:\\hw.py", "\\\\host\\hw.py"]
)
def test_a_path_that_leads_out_is_refused_and_the_rest_taken(tmp_path: Path, name: str) -> None:
    plain = {"good/hw.py": CONTENT}
    for source in (
        zipped(tmp_path / "a.zip", **{name: b"bad", **plain}),
        tarred(tmp_path / "a.tar.gz", (tarfile.TarInfo(name), b"bad"), (tarfile.TarInfo("good/hw.py"), CONTENT)),
    ):
        taken = take(source, wanted)
        assert [one.data for one in taken.found] == [CONTENT]
        assert "leads out" in texts(taken)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("hw.py")
    entry.type, entry.linkname = kind, "/etc/passwd"
    taken = take(tarred(tmp_path / "a.tar.gz", (entry, b"")), wanted)
    assert not taken.found
    assert "link, device" in texts(taken)


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("hw.py")
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    taken = take(tmp_path / "a.zip", wanted)
    assert not taken.found
    assert "link" in texts(taken)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")
def test_links_and_pipes_in_a_folder_are_refused_without_waiting(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    for number, make in enumerate((lambda path: path.symlink_to(secret), os.mkfifo)):
        folder = tmp_path / f"student{number}"
        folder.mkdir()
        make(folder / "hw.py")
        taken = take(folder, wanted)
        assert not taken.found
        assert "link or device" in texts(taken)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "hw.py").write_bytes(CONTENT)
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "deep").symlink_to(tmp_path / "outside")
    assert not take(folder, wanted).found
    (tmp_path / "whole").symlink_to(tmp_path / "outside")
    assert not take(tmp_path / "whole", wanted).found


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    noise = os.urandom(LIMIT + 1)
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "hw.py").write_bytes(noise)
    for source in (
        tmp_path / "ann",
        zipped(tmp_path / "a.zip", **{"hw.py": noise}),
        tarred(tmp_path / "a.tar.gz", (tarfile.TarInfo("hw.py"), noise)),
    ):
        taken = take(source, wanted)
        assert not taken.found
        assert "larger than" in texts(taken)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    zeros = bytes(5 << 20)
    for source in (
        zipped(tmp_path / "a.zip", **{"hw.py": zeros}),
        tarred(tmp_path / "a.tar.gz", (tarfile.TarInfo("big"), zeros), (tarfile.TarInfo("hw.py"), CONTENT)),
    ):
        taken = take(source, wanted)
        assert not taken.found
        assert "far more than it is" in texts(taken)


@pytest.mark.parametrize("claimed", [1, 5, 900, 4000, 0xFFFFFFF0])
def test_a_zip_that_lies_about_a_size_gives_nothing(tmp_path: Path, claimed: int) -> None:
    path = zipped(tmp_path / "a.zip", **{"hw.py": os.urandom(500)})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\1\2")
    for place in (entry + 24, data.index(b"PK\3\4") + 22):
        data[place : place + 4] = struct.pack("<I", claimed)
    path.write_bytes(bytes(data))
    taken = take(path, wanted)
    assert not taken.found
    assert taken.faults


def test_a_tar_that_lies_about_a_size_gives_nothing(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("hw.py")
    entry.size = 1 << 40
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(entry.tobuf() + CONTENT.ljust(512, b"\0")))
    taken = take(tmp_path / "a.tar.gz", wanted)
    assert not taken.found
    assert taken.faults


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"hw.py": CONTENT})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(bytes(data))
    assert "encrypted" in texts(take(path, wanted))


def test_counts_and_sizes_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = zipped(tmp_path / "many.zip", **{f"{n}/hw.py": CONTENT for n in range(300)})
    taken = take(many, wanted)
    assert len(taken.found) == limits.MAX_WANTED_FILES
    assert "at most 200 files" in texts(taken)
    monkeypatch.setattr(limits, "MAX_DIRECTORY_BYTES", 1000)
    assert "directory is larger" in texts(take(many, wanted))
    monkeypatch.setattr(limits, "MAX_ARCHIVE_BYTES", 1000)
    assert "at most" in texts(take(many, wanted))
    monkeypatch.setattr(limits, "MAX_MEMBERS", 10)
    members = [(tarfile.TarInfo(str(n)), b"") for n in range(20)]
    assert "more than 10 files" in texts(take(tarred(tmp_path / "many.tar.gz", *members), wanted))


def test_the_archives_of_one_student_have_one_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 10 * len(CONTENT))
    budget, taken = Budget(), Taken()
    for number in range(30):
        one = take(zipped(tmp_path / f"{number}.zip", **{"hw.py": CONTENT}), wanted, budget)
        taken.found += one.found
        taken.faults += one.faults
    assert len(taken.found) == 10
    assert texts(taken).count("are taken of one student") == 1


def test_packed_archives_have_one_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 60_000)
    budget = Budget()
    found = []
    for number in range(10):
        big = (tarfile.TarInfo("other"), os.urandom(20_000)), (tarfile.TarInfo("hw.py"), CONTENT)
        found.append(len(take(tarred(tmp_path / f"{number}.tar.gz", *big), wanted, budget).found))
    assert 0 < sum(found) < 5


@pytest.mark.parametrize("suffix", [".tar.xz", ".tar.bz2", ".tar.zst", ".txz", ".7z", ".gz"])
def test_the_whole_suffix_of_an_archive_is_known(suffix: str) -> None:
    assert archive_suffix(f"ann{suffix}") == suffix


def test_a_single_file_is_taken_under_its_name(tmp_path: Path) -> None:
    (tmp_path / "smith_12_34_hw.py").write_bytes(CONTENT)
    (found,) = take(tmp_path / "smith_12_34_hw.py", wanted, name="hw.py").found
    assert (found.path, found.data) == (("hw.py",), CONTENT)
    assert found.time is not None
    (tmp_path / "smith_12_35_hw.py").write_bytes(CONTENT * LIMIT)
    assert "larger than" in texts(take(tmp_path / "smith_12_35_hw.py", wanted, name="hw.py"))


def test_folders_of_tools_are_passed_over(tmp_path: Path) -> None:
    names = ["__MACOSX/hw.py", ".git/hw.py", ".ipynb_checkpoints/hw.py", "lib/site-packages/hw.py"]
    taken = take(zipped(tmp_path / "a.zip", **dict.fromkeys(names, CONTENT)), wanted)
    assert not taken.found
    assert not taken.faults


def test_other_archives_are_named(tmp_path: Path) -> None:
    (tmp_path / "ann.rar").write_bytes(b"Rar!")
    assert "expected a folder, .zip or .tar.gz" in texts(take(tmp_path / "ann.rar", wanted))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_is_a_fault_and_never_an_error(tmp_path: Path, data: st.DataObject) -> None:
    packed = data.draw(st.booleans())
    path = tmp_path / ("a.zip" if packed else "a.tar.gz")
    if packed:
        zipped(path, **{"x/hw.py": CONTENT, "hw.py": CONTENT})
    else:
        tarred(path, (tarfile.TarInfo("x/hw.py"), CONTENT), (tarfile.TarInfo("hw.py"), CONTENT))
    content = bytearray(path.read_bytes() if packed else gzip.decompress(path.read_bytes()))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    path.write_bytes(bytes(content) if packed else gzip.compress(bytes(content)))
    taken = take(path, wanted)
    assert all(len(one.data) <= LIMIT and one.name == "hw.py" for one in taken.found)
