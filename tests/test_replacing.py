"""One version of a file in the place of another, while other programs write."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR

import pytest

from memoryhub.disk import replacing
from memoryhub.disk.files import ExternallyChanged, text_path
from memoryhub.disk.places import Folder, Place, read_file
from memoryhub.disk.replacing import drafts_of, finish, remove_file, replace_file
from memoryhub.disk.swapping import Writers, wait_for_writers
from tests.appending import APPENDED, appending


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def at(path: Path) -> Place:
    return Place(path.parent, text_path(path.name))


def test_a_new_file_is_made_where_none_should_be(tmp_path: Path) -> None:
    replace_file(Place(tmp_path, "new.md"), b"one", expected=None)

    assert (tmp_path / "new.md").read_bytes() == b"one"


def test_a_replaced_file_keeps_its_mode_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"one")
    path.chmod(0o640)

    replace_file(at(path), b"two", expected=digest(b"one"))

    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_with_a_long_name_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / ("记" * 80 + ".md")
    path.write_bytes(b"one")

    replace_file(at(path), b"two", expected=digest(b"one"))

    assert path.read_bytes() == b"two"


def test_nothing_replaces_a_file_that_changed_or_appeared(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"other")

    for expected in (digest(b"one"), None):
        with pytest.raises(ExternallyChanged):
            replace_file(at(path), b"two", expected=expected)

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

        def waited(descriptor: int, seconds: float) -> Writers:
            for act in acts:
                if not act.ident:
                    act.start()
            return wait_for_writers(descriptor, seconds)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(replacing, "wait_for_writers", waited)
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
        replace_file(at(path), b"new\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"new\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_still_appended_to_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    agent = Appending(path)

    with agent.waited_for(b"two\n"), pytest.raises(ExternallyChanged):
        remove_file(at(path), expected=digest(b"one\n"))

    assert path.read_bytes() == b"one\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_program_that_keeps_a_file_open_is_not_waited_for_long(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    with path.open("ab"):
        replace_file(at(path), b"two\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"two\n"


def test_who_comes_while_a_file_is_replaced_waits_for_the_new_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    agent, read = Appending(path), []

    def come() -> None:
        read.append(read_file(at(path)).data)
        with path.open("ab") as other:
            other.write(b"three\n")

    with agent.waited_for(b"two\n", come):
        replace_file(at(path), b"new\n", expected=digest(b"one\n"))

    assert read == [b"new\ntwo\n"]
    assert path.read_bytes() == b"new\ntwo\nthree\n"


def test_what_another_program_has_just_saved_has_its_place_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")

    def saved_before(folder: Folder, draft: str, name: str) -> None:
        (tmp_path / "draft").write_bytes(b"saved\n")
        (tmp_path / "draft").replace(path)
        monkeypatch.undo()
        folder.exchange(draft, name)

    monkeypatch.setattr(Folder, "exchange", saved_before)
    with pytest.raises(ExternallyChanged):
        replace_file(at(path), b"new\n", expected=digest(b"one\n"))

    assert path.read_bytes() == b"saved\n"
    assert list(tmp_path.iterdir()) == [path]


def test_who_waits_for_a_version_that_is_taken_back_loses_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"one\n")
    waiting = threading.Thread(target=_append, args=[path, b"late\n"])

    def saved_before(folder: Folder, draft: str, name: str) -> None:
        (tmp_path / "draft").write_bytes(b"saved\n")
        (tmp_path / "draft").replace(path)
        monkeypatch.undo()
        folder.exchange(draft, name)
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive(), "it could open a version that is held"

    monkeypatch.setattr(Folder, "exchange", saved_before)
    with pytest.raises(ExternallyChanged):
        replace_file(at(path), b"new\n", expected=digest(b"one\n"))
    waiting.join()
    with at(path).folder() as folder:
        for draft in drafts_of(path.name, folder.names()):
            finish(folder, path.name, draft)

    assert path.read_bytes() == b"saved\nlate\n"
    assert list(tmp_path.iterdir()) == [path]


def _append(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line)


def test_no_line_of_another_program_is_lost_while_a_file_is_replaced(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"version 0\n")
    agent = appending(path)
    replaced = 0

    while agent.poll() is None:
        found = read_file(at(path))
        _, _, lines = found.data.partition(b"\n")
        with contextlib.suppress(ExternallyChanged):
            data = b"version %d\n" % replaced + lines
            replace_file(at(path), data, expected=found.sha256)
            replaced += 1

    assert replaced
    kept = path.read_bytes().split(b"\n")[1:-1]
    assert kept == [b"- line %d" % number for number in range(APPENDED)]


def test_a_folder_is_synced_when_its_names_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, synced = Place(tmp_path, "memory/new.md"), []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file)))

    replace_file(place, b"one", expected=None)
    assert kinds(synced) == ["folder", "file", "folder"]
    assert os.path.samestat(synced[0], tmp_path.stat())
    synced.clear()
    replace_file(place, b"two", expected=digest(b"one"))
    assert kinds(synced) == ["file", "folder"]
    synced.clear()
    remove_file(place, expected=digest(b"two"))

    assert kinds(synced) == ["folder"]


def kinds(synced: list[os.stat_result]) -> list[str]:
    return ["folder" if S_ISDIR(each.st_mode) else "file" for each in synced]
