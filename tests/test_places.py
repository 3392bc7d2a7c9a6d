"""Files reached beneath a root: read, appended to, and never through a link."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.disk.files import (
    ExternallyChanged,
    PartlyWritten,
    UnreadableFile,
    text_path,
)
from memoryhub.disk.places import Place, append_bytes, looks_like, read_file
from memoryhub.disk.replacing import replace_file
from tests.appending import APPENDED, appending


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_it_reads_bytes_hash_and_time(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"one\r\n")

    read = read_file(Place(tmp_path, "note.md"))

    assert (read.data, read.sha256, read.size) == (b"one\r\n", digest(b"one\r\n"), 5)
    assert read.mtime_ns == path.stat().st_mtime_ns
    assert not read.unstable


def test_it_refuses_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder.md").mkdir()

    for name in ("pipe.md", "link.md", "folder.md", "gone.md", "nul\0.md"):
        with pytest.raises(UnreadableFile, match=name.replace("\0", ".")):
            read_file(Place(tmp_path, name))


def test_it_refuses_a_file_above_the_limit(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_bytes(b"x" * 11)

    with pytest.raises(UnreadableFile, match="larger than 10 bytes"):
        read_file(Place(tmp_path, "large.md"), limit=10)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../x.md", "leaves the workspace"),
        ("/etc/passwd", "leaves the workspace"),
        ("a/../../x.md", "leaves the workspace"),
        ("..", "leaves the workspace"),
        ("", "leaves the workspace"),
        ("out/x.md", "a link is on the way"),
        ("loop/x.md", "a link is on the way"),
        ("real/within/x.md", "a link is on the way"),
        ("nul\0/x.md", "null"),
        ("x.md/x.md", "Not a directory"),
    ],
)
def test_a_path_that_leaves_the_root_is_refused(
    tmp_path: Path, path: str, why: str
) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    for place in (tmp_path / "x.md", root / "x.md", root / "real/x.md"):
        place.write_bytes(b"")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")
    (root / "real/within").symlink_to("../real")

    for act in (read_file, Place.status):
        with pytest.raises(UnreadableFile, match=why):
            act(Place(root, path))
    with pytest.raises(UnreadableFile, match=why):
        replace_file(Place(root, path), b"new", expected=None)


def test_nothing_is_made_where_the_root_is_gone(tmp_path: Path) -> None:
    place = Place(tmp_path / "unmounted", "memory/a.md")

    for expected in (None, digest(b"")):
        with pytest.raises(UnreadableFile, match="folder is not there"):
            replace_file(place, b"new", expected=expected)

    assert not list(tmp_path.iterdir())


def test_a_name_of_any_bytes_is_reached_by_its_text(tmp_path: Path) -> None:
    raw = os.fsdecode(b"memory/latin-\xe9.md")

    replace_file(Place(tmp_path, text_path(raw)), b"one", expected=None)

    assert (tmp_path / raw).read_bytes() == b"one"


def test_appending_keeps_the_file_that_others_hold_open(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    with path.open("ab") as agent:
        append_bytes(Place(tmp_path, "log.md"), b"two\n", expected=digest(b"one\n"))
        agent.write(b"three\n")

    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_nothing_is_appended_to_a_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"other\n")

    with pytest.raises(ExternallyChanged):
        append_bytes(Place(tmp_path, "log.md"), b"two\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"other\n"


def test_an_append_tells_what_it_was_appended_to(tmp_path: Path) -> None:
    path, place = tmp_path / "log.md", Place(tmp_path, "log.md")
    path.write_bytes(b"")
    agent = appending(path)
    expected: dict[bytes, bytes] = {}

    while agent.poll() is None:
        with contextlib.suppress(ExternallyChanged):
            ours = b"- ours %d\n" % len(expected)
            before = append_bytes(place, ours, expected=read_file(place).sha256)
            expected[ours] = before

    held = path.read_bytes()
    assert held.count(b"- line") == APPENDED
    assert all(held.startswith(before + ours) for ours, before in expected.items())


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """Have the system take a write only as far as a file of so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_nothing_stays_of_an_addition_that_the_disk_takes_in_part(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"begun\n")

    with room_for(4096), pytest.raises(UnreadableFile, match="too large"):
        addition = b"OURS " * 2_000
        append_bytes(Place(tmp_path, "log.md"), addition, expected=digest(b"begun\n"))

    assert path.read_bytes() == b"begun\n"


def test_a_part_that_others_wrote_behind_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"begun\n")
    write = os.write

    def amid(descriptor: int, data: bytes) -> int:
        written = write(descriptor, data)
        monkeypatch.undo()
        resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
        with path.open("ab") as other:
            other.write(b"- theirs\n")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, -1))
        return written

    monkeypatch.setattr(os, "write", amid)
    with room_for(4096), pytest.raises(PartlyWritten) as told:
        place = Place(tmp_path, "log.md")
        append_bytes(place, b"OURS " * 2_000, expected=digest(b"begun\n"))

    assert (told.value.begin, told.value.size) == (6, 4090)
    assert path.read_bytes().endswith(b"- theirs\n")


def test_what_the_system_refuses_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    for place in (Place(tmp_path, "file/below.md"), Place(tmp_path, "x" * 300)):
        with pytest.raises(UnreadableFile):
            replace_file(place, b"one", expected=None)
        with pytest.raises(UnreadableFile):
            replace_file(place, b"one", expected=digest(b"two"))


def test_a_file_looks_like_what_was_read_until_somebody_writes(tmp_path: Path) -> None:
    place, path = Place(tmp_path, "a.md"), tmp_path / "a.md"
    assert looks_like(place, None)
    path.write_bytes(b"one")
    read = read_file(place)
    assert looks_like(place, read)
    assert not looks_like(place, None)

    path.write_bytes(b"two more")

    assert not looks_like(place, read)
