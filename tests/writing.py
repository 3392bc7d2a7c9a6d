"""Files of a workspace, written and imported in one step."""

from __future__ import annotations

from pathlib import Path

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import SyncReport, sync_workspace
from memoryhub.sync.record.projection import rebuild
from tests.projected import differences, projected_rows


def write_files(root: Path, files: dict[str, str | bytes | None]) -> None:
    """Write texts or bytes below a folder; None takes a file away."""
    for path, content in files.items():
        place = root / path
        if content is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        place.write_bytes(data)


def say(workspace: Workspace, files: dict[str, str | bytes | None]) -> SyncReport:
    """Write files into a workspace and import them."""
    write_files(Path(workspace.root), files)
    return sync_workspace(workspace)


def assert_a_rebuild_changes_nothing(workspace: Workspace) -> None:
    """Assert that a replay of the journal gives the very same rows."""
    before = projected_rows(workspace)
    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))
