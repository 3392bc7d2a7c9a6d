"""The system's limit of watches: it is told, in the log and on Health."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub.journal.models import Problem, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.scan import watcher
from memoryhub.sync.scan.watcher import Watcher, is_limit_reached
from tests.factories import imported

#: What watchfiles raised in a user namespace with a limit of 3 watches.
_RAISED = (
    'OS file watch limit reached. about ["/srv/ws"]'
    ' (Error { kind: MaxFilesWatch, paths: ["/srv/ws"] })'
)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    imported(workspace_root, {"notes.md": "x\n"})
    return Workspace.objects.get()


def watched(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, limit: str = ""
) -> list[str]:
    """Watch a workspace for a moment; return the codes of its open problems."""

    def system(*roots: Path, **options: object) -> Iterator[object]:
        if limit and not options.get("ignore_permission_denied"):
            raise OSError(limit)
        yield from ()

    monkeypatch.setattr(watcher, "watch", system)
    Watcher(threading.Event(), lambda workspace, report: None)._watch_or_wait()
    sync_workspace(workspace)
    return list(Problem.objects.values_list("code_name", flat=True))


def test_without_the_limit_there_is_nothing_to_tell(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_limit_reached([Path(workspace.root)])
    assert watched(workspace, monkeypatch) == []


def test_the_limit_is_told_until_it_is_raised(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert watched(workspace, monkeypatch, _RAISED) == ["not-watched"]

    assert "max_user_watches" in caplog.text
    assert watched(workspace, monkeypatch) == []
