"""Checkpoints as snap-memory makes them, and bindings."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.engine import sync_workspace
from topics.models import Decision, SessionBinding, Topic
from topics.services.checkpoints import Checkpoint, save_checkpoint
from topics.services.topics import Author, bind, topic_path

TODAY = date(2026, 11, 20)
KEY = "agent:main:telegram:dm:42"
NEW = """# auth

## Meta
- **created**: 2026-11-20
- **session**: agent:main:telegram:dm:42
- **updated**: 2026-11-20

## Current Status
Begun.

## Key Decisions
- 2026-11-20: Use JWT (stateless)

## History
- 2026-11-20: Context created
- 2026-11-20: Started
"""


@pytest.fixture
def workspace(
    make_workspace: Callable[[Path], Workspace], workspace_root: Path
) -> Workspace:
    return make_workspace(workspace_root)


def save(workspace: Workspace, topic: str, **parts: Any) -> list[Operation]:
    asked = Author("agent:main", TODAY)
    return save_checkpoint(workspace, Checkpoint(topic, **parts), asked)


def text_of(workspace: Workspace, topic: str) -> str:
    return Path(workspace.root, topic_path(workspace, topic)).read_text()


def test_a_new_topic_is_written_as_snap_memory_writes_it(workspace: Workspace) -> None:
    save(
        workspace,
        "auth",
        status="Begun.",
        decisions=("2026-11-20: Use JWT (stateless)",),
        history="2026-11-20: Started",
        session=KEY,
    )

    place = Path(workspace.root, "memory/context-session-map.json")
    assert text_of(workspace, "auth") == NEW
    assert place.read_text() == json.dumps({KEY: "auth"}, indent=2)


def test_a_checkpoint_gives_rows_at_once(workspace: Workspace) -> None:
    save(workspace, "auth", status="Begun.", decisions=("Use JWT",), session=KEY)

    assert Topic.objects.get().status == "Begun."
    assert Decision.objects.get().text == "Use JWT"
    assert SessionBinding.objects.get().topic_name == "auth"
    assert sync_workspace(workspace).is_empty


def test_empty_parts_change_nothing(workspace: Workspace) -> None:
    save(workspace, "auth", status="Begun.")
    before = text_of(workspace, "auth")

    save(workspace, "auth")

    assert text_of(workspace, "auth") == before


def test_limits_drop_the_oldest_of_the_list_added_to(workspace: Workspace) -> None:
    workspace.max_decisions, workspace.max_history = 2, 1
    workspace.save()
    save(workspace, "auth", history="one")

    save(workspace, "auth", decisions=("a", "b", "c"))

    text = text_of(workspace, "auth")
    assert "- b\n- c\n" in text and "- a\n" not in text
    assert text.endswith("## History\n- one\n")


@pytest.mark.parametrize("topic", ["", " ", "a/b", "a\\b", "a\0", "x" * 250, "\udc80"])
def test_a_topic_that_no_file_can_be_named_for_is_refused(
    workspace: Workspace, topic: str
) -> None:
    with pytest.raises(FormatError):
        save(workspace, topic)

    assert list(Path(workspace.root).rglob("*")) == []


def test_topics_in_any_alphabet_have_files(workspace: Workspace) -> None:
    save(workspace, "认证 v2: naïve", status="进行中")

    assert "进行中" in text_of(workspace, "认证 v2: naïve")
    assert Topic.objects.get().name == "认证 v2: naïve"


def test_taking_back_the_first_checkpoint_leaves_no_topic(workspace: Workspace) -> None:
    (done,) = save(workspace, "auth", status="Begun.", decisions=("Use JWT",))

    undo(workspace, done, "person:1")

    assert not Path(workspace.root, "memory/context-auth.md").exists()


def test_an_empty_topic_unbinds_a_session(workspace: Workspace) -> None:
    bind(workspace, KEY, "auth", actor="person:1")

    bind(workspace, KEY, "", actor="person:1", base="auth")

    assert Path(workspace.root, "memory/context-session-map.json").read_text() == "{}"


def test_a_map_that_is_no_json_is_not_overwritten(workspace: Workspace) -> None:
    place = Path(workspace.root, "memory/context-session-map.json")
    place.parent.mkdir()
    place.write_text("{broken")

    with pytest.raises(FormatError):
        bind(workspace, KEY, "auth", actor="person:1")

    assert place.read_text() == "{broken"
