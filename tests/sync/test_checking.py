"""A look before an import: what is there, by dialect, without a record of it."""

from __future__ import annotations

from pathlib import Path

from memoryhub.sync.checking import check_folder

ROOT = Path(__file__).parents[2]


def test_the_sample_is_recognised() -> None:
    check = check_folder(ROOT / "samples/acme-checkout")

    counts = dict(check.formats)
    assert counts["topic_context"] >= 5
    assert counts["memory_index"] >= 1
    assert check.files == sum(counts.values()) + len(check.plain)
    assert check.problems == ()


def test_i4_odd_files_are_each_counted_or_named(workspace_root: Path) -> None:
    folder = workspace_root / "memory"
    folder.mkdir()
    (folder / "bom.md").write_bytes(b"\xef\xbb\xbf# A\r\n")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "empty.md").write_bytes(b"")
    (folder / "link.md").symlink_to(folder / "bom.md")

    check = check_folder(workspace_root)

    assert set(check.plain) == {"memory/bom.md", "memory/latin.md", "memory/empty.md"}
    assert [(p.path, p.code) for p in check.problems] == [
        ("memory/link.md", "link-not-followed")
    ]


def test_workspaces_inside_are_named(workspace_root: Path) -> None:
    inner = workspace_root / "workspace-builder"
    inner.mkdir()
    (inner / "MEMORY.md").write_text("# MEMORY\n")

    check = check_folder(workspace_root)

    assert (check.inner, check.files) == (("workspace-builder",), 0)
