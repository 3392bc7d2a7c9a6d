from __future__ import annotations

from pathlib import Path

from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.writing import presence_in


def test_it_tells_what_lies_in_the_workspace_and_follows_no_link(
    tmp_path: Path,
) -> None:
    root = tmp_path / "acme"
    (root / "memory").mkdir(parents=True)
    (root / "memory/a.md").touch()
    (tmp_path / "secret.md").touch()
    (root / "out").symlink_to(tmp_path)
    there = presence_in(Workspace(root=str(root)))

    assert there("memory/a.md") and there("memory") and there("out")
    assert not there("memory/b.md") and not there("memory/a.md/b.md")
    assert not there("out/secret.md")
    assert not there("a\0b") and not there("x" * 300)
