"""Discovery of agents' memory: which folders, how large, and that none is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryhub.discovery.discover import Found, discover
from memoryhub.discovery.projects import encoded
from tests.writing import write_files

#: Paths that were opened or listed while `watched` was on.
_touched: list[tuple[str, str]] = []
_watching: list[bool] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in ("open", "os.scandir", "os.listdir"):
        _touched.append((event, os.fsdecode(str(arguments[0]))))


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """Note every path that is opened or listed."""
    if not _touched:
        sys.addaudithook(_note)
    _touched.clear()
    _watching.append(True)
    yield _touched
    _watching.clear()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder with memory of every host."""
    home = tmp_path / "ann"
    shop = encoded(str(home / "code/shop"))
    write_files(
        home,
        {
            f".claude/projects/{shop}/memory/MEMORY.md": "# Index\n",
            f".claude/projects/{shop}/memory/user_role.md": "Ann runs a shop.\n",
            f".claude/projects/{shop}/1f.jsonl": "{}\n",
            ".claude/agent-memory/reviewer/MEMORY.md": "Reads twice.\n",
            ".codex/memories/memory_summary.md": "Summary.\n",
            ".openclaw/workspace/MEMORY.md": "Main.\n",
            ".openclaw/workspace-fin/MEMORY.md": "Fin.\n",
            ".hermes/memories/MEMORY.md": "One\n§\nTwo\n",
            "code/shop/.serena/memories/style.md": "Tabs.\n",
            "code/shop/memory-bank/progress.md": "Half.\n",
            "code/shop/.claude/agents/reviewer.md": "Review.\n",
            "code/shop/main.py": "print()\n",
        },
    )
    return home


def found_in(home: Path, *repositories: Path) -> dict[str, Found]:
    found = discover(home, repositories).found
    return {one.place.root.relative_to(home).as_posix(): one for one in found}


def test_every_host_has_its_folders(home: Path) -> None:
    shop = encoded(str(home / "code/shop"))

    hosts = {path: one.place.host for path, one in found_in(home).items()}

    assert hosts == {
        f".claude/projects/{shop}/memory": "Claude Code",
        ".claude/agent-memory": "Claude Code",
        ".codex/memories": "Codex",
        ".openclaw/workspace": "OpenClaw",
        ".openclaw/workspace-fin": "OpenClaw",
        ".hermes": "Hermes",
    }


def test_a_named_repository_is_looked_into_too(home: Path) -> None:
    more = found_in(home, home / "code/shop").keys() - found_in(home).keys()

    assert more == {
        "code/shop/.serena/memories",
        "code/shop/memory-bank",
        "code/shop/.claude",
    }


def test_a_project_is_named_by_its_path(home: Path) -> None:
    shop = encoded(str(home / "code/shop"))

    place = found_in(home)[f".claude/projects/{shop}/memory"].place

    assert (place.project, place.name) == (str(home / "code/shop"), "shop")


def test_files_are_counted_with_their_sizes_and_the_newest_change(home: Path) -> None:
    codex = home / ".codex/memories"
    write_files(codex, {"MEMORY.md": "12345", "picture.png": "no memory"})
    os.utime(codex / "memory_summary.md", (1, 1_700_000_000))
    os.utime(codex / "MEMORY.md", (1, 1_600_000_000))

    one = found_in(home)[".codex/memories"]

    assert (one.files, one.size) == (2, 5 + len("Summary.\n"))
    assert one.newest == datetime.fromtimestamp(1_700_000_000, UTC)


def test_what_changed_last_comes_first(home: Path) -> None:
    os.utime(home / ".hermes/memories/MEMORY.md", (9e9, 9e9))

    assert next(iter(found_in(home))) == ".hermes"


def test_folders_without_a_memory_file_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".codex/memories").mkdir(parents=True)
    write_files(tmp_path, {".claude/projects/-a/memory/notes.pdf": "x"})

    assert not found_in(tmp_path)


def test_no_file_is_opened_and_nothing_outside_is_listed(home: Path) -> None:
    outside = home.parent / "secret"
    write_files(outside, {"MEMORY.md": "secret\n"})
    (home / ".codex/memories/link").symlink_to(outside)
    (home / ".openclaw/workspace-out").symlink_to(outside)

    with watched() as touched:
        found = found_in(home, home / "code/shop")

    assert len(found) == 9
    assert {event for event, _ in touched} == {"os.scandir"}
    assert all(Path(path).is_relative_to(home) for _, path in touched)


def test_files_that_cannot_be_read_are_counted(home: Path) -> None:
    for file in (home / ".codex/memories").iterdir():
        file.chmod(0)

    assert found_in(home)[".codex/memories"].files == 1


def test_a_home_named_as_a_repository_gives_no_folder_twice(home: Path) -> None:
    assert found_in(home, home) == found_in(home)


@pytest.mark.parametrize("name", ["a\nb", "<b>", "\udcff", "-", "--", "é" * 60])
def test_hostile_names_are_found(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {f".claude/projects/{name}/memory/MEMORY.md": "x"})

    (one,) = discover(tmp_path).found

    assert one.place.project == name


def test_a_time_beyond_the_calendar_is_none(home: Path) -> None:
    os.utime(home / ".hermes/memories/MEMORY.md", ns=(0, 2**62 * 2 - 1))

    one = found_in(home)[".hermes"]

    assert one.newest is None or one.newest.year > 2200


def test_a_search_ends_at_its_limit_and_says_so(tmp_path: Path) -> None:
    for number in range(60):
        path = f".claude/projects/-p{number}/memory/MEMORY.md"
        write_files(tmp_path, {path: "x"})

    found = discover(tmp_path, entries=90)

    assert found.was_cut
    assert len(found.found) == 60
    assert [one.was_cut for one in found.found].count(True) >= 30


def test_a_search_without_time_ends_at_once(home: Path) -> None:
    found = discover(home, seconds=0)

    assert found.was_cut
    assert not any(one.files for one in found.found)


def test_a_huge_folder_leaves_entries_for_the_others(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.discovery.discover.ENTRIES_EACH", 10)
    write_files(home, {f".codex/memories/{n}.md": "x" for n in range(40)})

    found = found_in(home)

    assert (found[".codex/memories"].files, found[".hermes"].files) == (10, 1)
    assert found[".codex/memories"].was_cut
    assert not found[".hermes"].was_cut
