from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub import replacing
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
from memoryhub.replacing import remove_file, replace_file
from memoryhub.swapping import exchange, wait_for_writers

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


def test_a_replaced_file_keeps_its_mode_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"one")
    path.chmod(0o640)

    replace_file(path, b"two", expected=digest(b"one"))

    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_with_a_long_name_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / ("记" * 80 + ".md")
    path.write_bytes(b"one")

    replace_file(path, b"two", expected=digest(b"one"))

    assert path.read_bytes() == b"two"


def test_nothing_replaces_a_file_that_changed_or_appeared(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"other")

    for expected in (digest(b"one"), None):
        with pytest.raises(ExternallyChanged):
            replace_file(path, b"two", expected=expected)

    assert path.read_bytes() == b"other"
    assert list(tmp_path.iterdir()) == [path]


class Appending:
    """Another program that has opened a file and not yet written to it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)

    @contextlib.contextmanager
    def waited_for(
        self, line: bytes, meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[None]:
        """Append a line and close the file, a moment after one waits for that."""
        acts = [
            threading.Thread(target=meanwhile),
            threading.Timer(0.05, self._append, [line]),
        ]

        def waited(descriptor: int, seconds: float) -> None:
            for act in acts:
                act.start()
            wait_for_writers(descriptor, seconds)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(replacing, "wait_for_writers", waited)
            patched.setattr(replacing, "WRITER_SECONDS", 60)
            yield
            for act in acts:
                act.join()

    def _append(self, line: bytes) -> None:
        os.write(self._file, line)
        os.close(self._file)


def test_what_a_program_is_about_to_append_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    agent = Appending(path)

    with agent.waited_for(b"two\n"):
        replace_file(path, b"new\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"new\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_still_appended_to_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    agent = Appending(path)

    with agent.waited_for(b"two\n"), pytest.raises(ExternallyChanged):
        remove_file(path, expected=digest(b"one\n"))

    assert path.read_bytes() == b"one\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_program_that_keeps_a_file_open_is_not_waited_for_long(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    with path.open("ab"):
        replace_file(path, b"two\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"two\n"


def test_who_comes_while_a_file_is_replaced_waits_for_the_new_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    agent, read = Appending(path), []

    def come() -> None:
        read.append(read_file(path).data)
        with path.open("ab") as other:
            other.write(b"three\n")

    with agent.waited_for(b"two\n", come):
        replace_file(path, b"new\n", expected=digest(b"one\n"))

    assert read == [b"new\ntwo\n"]
    assert path.read_bytes() == b"new\ntwo\nthree\n"


def test_what_another_program_has_just_saved_has_its_place_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    def saved_before(draft: Path, place: Path) -> None:
        (tmp_path / "draft").write_bytes(b"saved\n")
        (tmp_path / "draft").replace(place)
        monkeypatch.undo()
        exchange(draft, place)

    monkeypatch.setattr(replacing, "exchange", saved_before)
    with pytest.raises(ExternallyChanged):
        replace_file(path, b"new\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"saved\n"
    assert list(tmp_path.iterdir()) == [path]


APPENDED = 400
#: Another program that opens, appends and closes, at any moment.
APPENDING = f"""
import os, sys, time
for number in range({APPENDED}):
    time.sleep(number % 7 / 5000)
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    os.write(file, b"- line %d\\n" % number)
    os.close(file)
"""


def test_no_line_of_another_program_is_lost_while_a_file_is_replaced(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"version 0\n")
    agent = subprocess.Popen([sys.executable, "-S", "-c", APPENDING, str(path)])
    replaced = 0

    while agent.poll() is None:
        found = read_file(path)
        _, _, lines = found.data.partition(b"\n")
        with contextlib.suppress(ExternallyChanged):
            data = b"version %d\n" % replaced + lines
            replace_file(path, data, expected=found.sha256)
            replaced += 1

    assert replaced
    kept = path.read_bytes().split(b"\n")[1:-1]
    assert kept == [b"- line %d" % number for number in range(APPENDED)]


def test_an_append_tells_what_it_was_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"")
    agent = subprocess.Popen([sys.executable, "-S", "-c", APPENDING, str(path)])
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


def test_a_new_file_is_made_where_none_should_be(tmp_path: Path) -> None:
    replace_file(tmp_path / "new.md", b"one", expected=None)

    assert (tmp_path / "new.md").read_bytes() == b"one"


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
