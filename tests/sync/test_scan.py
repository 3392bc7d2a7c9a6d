from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryhub.disk.files import disk_path
from memoryhub.sync.scan.walk import scan, takes
from tests.writing import write_files


def paths(root: Path, **options: tuple[str, ...]) -> list[str]:
    ignore = options.get("ignore", ())
    return sorted(file.path for file in scan(root, ignore=ignore).found)


def test_markdown_counts_anywhere_and_side_files_in_memory_folders(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {
        "README.md": "", "docs/a.markdown": "", "docs/data.json": "",
        "memory/state.json": "", "memory/log.jsonl": "", "memory/image.png": "",
        "memory/deep/notes.txt": "", "SHOUT.MD": "", ".cursor/rules/tolls.mdc": "",
    })  # fmt: skip

    assert paths(tmp_path) == [
        ".cursor/rules/tolls.mdc", "README.md", "SHOUT.MD", "docs/a.markdown",
        "memory/deep/notes.txt", "memory/log.jsonl", "memory/state.json",
    ]  # fmt: skip


def test_hidden_memory_is_walked_and_installed_code_is_not(tmp_path: Path) -> None:
    write_files(tmp_path, {
        "memory/.dreams/note.md": "", ".claude/memory/a.md": "", ".git/a.md": "",
        "node_modules/x/memory/a.md": "", ".venv/lib/a.md": "",
    })  # fmt: skip

    assert paths(tmp_path) == [".claude/memory/a.md", "memory/.dreams/note.md"]


def test_what_git_ignores_counts(tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "memory/\n", "memory/2026-11-01.md": ""})

    assert paths(tmp_path) == ["memory/2026-11-01.md"]


@pytest.mark.parametrize("pattern", ["drafts", "drafts/", "memory/drafts/*", "*/b.md"])
def test_ignore_patterns_are_on_paths_and_parts(tmp_path: Path, pattern: str) -> None:
    write_files(tmp_path, {"memory/a.md": "", "memory/drafts/b.md": ""})

    assert paths(tmp_path, ignore=(pattern,)) == ["memory/a.md"]


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, {"memory/a.md": ""})
    (root / "memory/link.md").symlink_to("a.md")
    (root / "memory/loop").symlink_to(".")
    (root / "memory/out.md").symlink_to("/etc/passwd")
    (root / "memories").symlink_to(tmp_path)

    result = scan(root)

    assert [file.path for file in result.found] == ["memory/a.md"]
    assert sorted((p.path, p.code) for p in result.problems) == [
        ("memories", "link-not-followed"),
        ("memory/link.md", "link-not-followed"),
        ("memory/loop", "link-not-followed"),
        ("memory/out.md", "link-not-followed"),
    ]


def test_pipes_sockets_and_folders_named_like_files_are_left_out(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    write_files(tmp_path, {"folder.md/inside.md": ""})

    assert paths(tmp_path) == ["folder.md/inside.md"]


def test_names_that_are_no_utf_8_come_back(tmp_path: Path) -> None:
    raw = os.fsdecode(b"latin-\xe9.md")
    (tmp_path / raw).write_bytes(b"")

    (found,) = paths(tmp_path)

    assert found.encode()
    assert disk_path(found) == raw


def test_our_own_drafts_are_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, {".a.md.memoryhub-12.md": "", ".b.md": ""})

    assert paths(tmp_path) == [".b.md"]


def test_a_root_that_vanishes_is_a_problem_and_not_an_empty_folder(
    tmp_path: Path,
) -> None:
    result = scan(tmp_path / "gone")

    assert [problem.path for problem in result.problems] == ["."]


def test_inner_workspaces_are_left_to_themselves(tmp_path: Path) -> None:
    write_files(tmp_path, {
        "memory/a.md": "",
        "workspace-fin/MEMORY.md": "",
        "agents/dev/workspace/memory/b.md": "",
        "workspace-empty/readme.md": "",
        "agents/dev/notes.md": "",
    })  # fmt: skip

    seen = scan(tmp_path)

    assert sorted(seen.inner) == ["agents/dev/workspace", "workspace-fin"]
    assert sorted(file.path for file in seen.found) == [
        "agents/dev/notes.md", "memory/a.md", "workspace-empty/readme.md",
    ]  # fmt: skip


def test_a_path_is_taken_where_a_scan_would_find_it(tmp_path: Path) -> None:
    files = [
        "a.md", "a.json", "memory/a.json", "memory/deep/b.txt", "memory/c.png",
        "drafts/a.md", "x/drafts/a.md", ".git/a.md", "node_modules/p/a.md",
        "workspace-two/MEMORY.md", "workspace-two/x/a.md", "workspace-/a.md",
        "agents/b/workspace/memory/a.md", ".a.md.memoryhub-7", ".b.memoryhub-7.md",
    ]  # fmt: skip
    write_files(tmp_path, dict.fromkeys(files, "x"))
    (tmp_path / "link").symlink_to(tmp_path / "memory")
    ignore = ("drafts",)
    found = {file.path for file in scan(tmp_path, ignore=ignore).found}

    files += ["link/a.json", "memory"]
    taken = {path for path in files if takes(tmp_path, path, ignore=ignore)}
    assert taken == found


def test_what_is_no_path_is_not_taken(tmp_path: Path) -> None:
    odd = ("", "/", "/a.md", "a//b.md", "../a.md", "a/../b.md", "./a.md", "a.md/")
    strange = ("\0.md", "a\0/b.md", "\ud800.md", "\uf7c3\uf7a9.md", "a" * 5_000 + ".md")

    assert not [path for path in odd + strange if takes(tmp_path, path)]
    assert takes(tmp_path, "\uf780.md") and takes(tmp_path, "new/é\n.md")
