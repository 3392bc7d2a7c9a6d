"""An event of a hook, done by the hub: in whose name, and what hinders it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryhub.hooks.client import Frame, spool_frame
from memoryhub.hooks.delivery import OperatorsHub, deliver
from memoryhub.hooks.spool import Spool, contents, take_back
from memoryhub.journal.models import Operation
from memoryhub.tools.calling import forget_refusals
from tests.factories import imported

SESSION = "agent:scout:telegram:1"


def frame(event: str, said: dict[str, Any], agent: str = "") -> Frame:
    return {
        "event": event.encode(),
        "folder": b"/",
        "workspace": b"",
        "agent": agent.encode(),
        "key": b"k1",
        "at_ns": b"1795170000000000000",
        "body": json.dumps(said).encode(),
    }


@pytest.mark.parametrize(
    ("context", "agent", "actor"),
    [
        ({"sessionKey": SESSION}, "", "scout"),
        ({"sessionKey": SESSION, "agentId": "qa"}, "", "qa"),
        ({"sessionKey": SESSION, "agentId": "qa"}, "builder", "builder"),
        ({"sessionKey": "hook:1"}, "", "openclaw"),
        ({"sessionKey": SESSION, "agentId": "operator"}, "", "openclaw"),
        ({"sessionKey": SESSION, "agentId": "a\n" * 99}, "", "openclaw"),
    ],
)
def test_it_is_done_in_the_name_of_its_agent(
    hub_data: Path,
    db: None,
    workspace_root: Path,
    context: dict[str, str],
    agent: str,
    actor: str,
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})

    deliver(frame("before_compaction", {"event": {}, "ctx": context}, agent))

    assert {done.actor for done in Operation.objects.all()} == {actor}


def spooled(data: Path, *, agent: str = "") -> Spool:
    """Keep an event of the only workspace; return the spool that does it."""
    said = {"event": {}, "ctx": {"sessionKey": SESSION}}
    spool_frame(frame("before_compaction", said, agent), str(data))
    return Spool(data, OperatorsHub())


@pytest.mark.parametrize(
    "number",
    [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES, errno.ESTALE, errno.EDQUOT],
)
def test_what_the_disk_refuses_for_a_moment_is_done_later(
    hub_data: Path,
    db: None,
    workspace_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})
    spool = spooled(hub_data)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", refusing(number, str(workspace_root), os.write))
        assert spool.deliver().put_aside == 0
        assert len(contents(hub_data).waiting) == 1

    assert spool.deliver().done == 1
    assert saves(workspace_root) == 1


def refusing(
    number: int, part: str, write: Callable[[int, bytes], int]
) -> Callable[[int, bytes], int]:
    """Return a `write` that a disk refuses for places whose path has this part."""

    def refused(descriptor: int, data: bytes) -> int:
        if part in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(number, os.strerror(number))
        return write(descriptor, data)

    return refused


def saves(root: Path) -> int:
    texts = (path.read_text() for path in root.glob("memory/context-*.md"))
    return sum(text.count("Auto-saved") for text in texts)


def test_while_a_folder_is_gone_its_events_wait(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})
    spool = spooled(hub_data)
    away = workspace_root.rename(workspace_root.with_name("away"))

    assert list(spool.deliver().reasons.values()) == [
        "memory/context-session-map.json: the workspace's folder is not there"
    ]
    away.rename(workspace_root)
    assert spool.deliver().done == 1


def test_what_two_processes_kept_is_done_once(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})
    for _ in range(2):
        assert spooled(hub_data).deliver().done == 1

    assert saves(workspace_root) == 1


def test_an_event_before_the_first_workspace_waits_for_it(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    spool = spooled(hub_data)
    assert spool.deliver().put_aside == 0
    imported(workspace_root, {"notes.md": "x\n"})

    assert spool.deliver().done == 1
    assert saves(workspace_root) == 1


def test_what_a_broken_file_refused_is_done_once_that_is_mended(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/notes.md": "x\n"})
    topic = workspace_root / "memory/context-agent-scout-telegram-1.md"
    topic.symlink_to(workspace_root / "memory/notes.md")
    spool = spooled(hub_data)
    assert spool.deliver().put_aside == 1
    topic.unlink()

    forget_refusals(take_back(hub_data))

    assert spool.deliver().done == 1
    assert saves(workspace_root) == 1


@pytest.mark.usefixtures("other_version")
def test_while_the_database_is_of_another_version_everything_waits(
    hub_data: Path,
) -> None:
    assert list(spooled(hub_data).deliver().reasons) == [""]
    assert len(contents(hub_data).waiting) == 1


def test_what_was_hindered_at_every_step_is_done_whole_in_the_end(
    hub_data: Path, db: None, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(workspace_root, {"notes.md": "x\n"})
    spool = spooled(hub_data)
    for name in ("context-session-map", "context-agent-scout", "context-session-map"):
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", refusing(errno.ENOSPC, name, os.write))
            spool.deliver()

    spool.deliver()
    spool.deliver()

    assert saves(workspace_root) == 1
    bound = json.loads((workspace_root / "memory/context-session-map.json").read_text())
    assert list(bound) == [SESSION]
    states = dict(Operation.objects.values_list("verb", "state"))
    assert states == {"bind": "applied", "auto_save": "applied"}
