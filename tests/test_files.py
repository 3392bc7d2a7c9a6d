from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.files import (
    ExternallyChanged,
    UnreadableFile,
    append_bytes,
    disk_path,
    inside,
    locked,
    looks_like,
    read_file,
    text_path,
)
from memoryhub.replacing import replace_file
from tests.appending import APPENDED, appending

NAMES = [
    b"plain.md",
    "日志.md".encode(),
    b"latin-\xe9.md",
    b"\xff\xfe.md",
    "private-\uf7e9-use.md".encode(),
    "both-\uf7e9-".encode() + b"\xe9.md",
    "emoji 🎉.md".encode(),
]


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_any_name_becomes_text_and_comes_back(name: bytes) -> None:
    text = text_path(os.fsdecode(name))

    assert text.encode().decode() == text
    assert os.fsencode(disk_path(text)) == name


def test_different_names_stay_different_as_text() -> None:
    texts = {text_path(os.fsdecode(name)) for name in NAMES}

    assert len(texts) == len(NAMES)


def test_it_reads_bytes_hash_and_time(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"one\r\n")

    read = read_file(path)

    assert (read.data, read.sha256, read.size) == (b"one\r\n", digest(b"one\r\n"), 5)
    assert read.mtime_ns == path.stat().st_mtime_ns
    assert not read.stamp.unstable


def test_it_refuses_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder.md").mkdir()

    for name in ("pipe.md", "link.md", "folder.md", "gone.md", "nul\0.md"):
        with pytest.raises(UnreadableFile):
            read_file(tmp_path / name)


def test_it_refuses_a_file_above_the_limit(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_bytes(b"x" * 11)

    with pytest.raises(UnreadableFile, match="larger than 10 bytes"):
        read_file(tmp_path / "large.md", limit=10)


def test_a_path_that_leaves_the_workspace_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")

    for path in ("../x.md", "/etc/passwd", "out/x.md", "a/../../x.md", "..", "",
                 "loop/x.md", "nul\0/x.md"):  # fmt: skip
        with pytest.raises(UnreadableFile):
            inside(root, path)


def test_a_path_inside_is_its_place_on_disk(tmp_path: Path) -> None:
    raw = os.fsdecode(b"memory/latin-\xe9.md")

    assert inside(tmp_path, text_path(raw)) == tmp_path / raw


def test_appending_keeps_the_file_that_others_hold_open(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    with path.open("ab") as agent:
        append_bytes(path, b"two\n", expected=digest(b"one\n"))
        agent.write(b"three\n")

    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_nothing_is_appended_to_a_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"other\n")

    with pytest.raises(ExternallyChanged):
        append_bytes(path, b"two\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"other\n"


def test_an_append_tells_what_it_was_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"")
    agent = appending(path)
    expected: dict[bytes, bytes] = {}

    while agent.poll() is None:
        with contextlib.suppress(ExternallyChanged):
            ours = b"- ours %d\n" % len(expected)
            before = append_bytes(path, ours, expected=read_file(path).sha256)
            expected[ours] = before

    held = path.read_bytes()
    assert held.count(b"- line") == APPENDED
    assert all(held.startswith(before + ours) for ours, before in expected.items())


def test_what_the_system_refuses_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    for path in (tmp_path / "file/below.md", tmp_path / "no/folder.md"):
        with pytest.raises(UnreadableFile):
            replace_file(path, b"one", expected=None)
        with pytest.raises(UnreadableFile):
            replace_file(path, b"one", expected=digest(b"two"))


def _hold(path: Path, held: threading.Event, release: threading.Event) -> None:
    with locked(path):
        held.set()
        release.wait(60)


def test_a_lock_is_waited_for_by_other_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    held, release = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(tmp_path / "lock", held, release))
    holder.start()
    assert held.wait(60)
    entered = threading.Event()

    def enter() -> None:
        with locked(tmp_path / "lock"):
            entered.set()

    waiting = threading.Thread(target=enter)
    waiting.start()
    assert not entered.wait(0.1)
    release.set()
    waiting.join(60)

    assert entered.is_set()
    holder.join()


def test_a_file_looks_like_what_was_read_until_somebody_writes(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    assert looks_like(place, None)
    place.write_bytes(b"one")
    stamp = read_file(place).stamp
    assert looks_like(place, stamp)
    assert not looks_like(place, None)

    place.write_bytes(b"two more")

    assert not looks_like(place, stamp)
