"""Records of a workspace, and texts, in the form of another system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.formats.translation.records import remembered
from memoryhub.people.callers import Caller
from tests.factories import NOON, TOPIC, imported, snapshot_text
from tests.tools.asking import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

MEMORY = "## Session ID\nWFS-1\n\n## Objective\nShip\n\n## Pending\n- push\n"
ID = "CMEM-20261119-201530"


@pytest.fixture
def caller(workspace_root: Path) -> Caller:
    files = {
        "memory/context-api.md": TOPIC,
        "memory/2026-11-20.md": "# 2026-11-20\n" + snapshot_text(1),
        f"memory/sessions/{ID}.md": f"---\nid: {ID}\n---\n\n{MEMORY}",
        "memory/queue.md": "# Queue\n\nEvents wait here.\n",
    }
    workspace = imported(workspace_root, files)
    return Caller(workspace, "agent:scout", agent="scout", clock=lambda: NOON)


def lost(answer: Any) -> set[tuple[str, str]]:
    return {(part.field, part.text) for part in answer.lost}


def test_a_topic_becomes_a_snapshot_with_the_next_id(caller: Caller) -> None:
    made = asked(caller, "translate", kind="topic", name="api", to="task_snapshot")

    assert "<!-- snapshot-id: 2026-11-20-02 -->" in made.text
    assert "Endpoints live." in made.text
    assert ("history", "2026-11-01: Context created") in lost(made)
    assert "Not carried:" in made.as_text()


def test_a_snapshot_becomes_a_session_text(caller: Caller) -> None:
    fields = {"kind": "snapshot", "name": "2026-11-20-01", "to": "session_compact"}

    made = asked(caller, "translate", **fields)

    assert "- /srv/app/deliver.py (role: sends one event)" in made.text
    assert {("phase", "implementing"), ("other", "Mood")} <= lost(made)


def test_a_memory_becomes_a_handoff(caller: Caller) -> None:
    fields = {"kind": "memory", "name": ID, "to": "handoff", "recipient": "qa"}

    made = asked(caller, "translate", **fields, topic="api")

    held = remembered(made.text, "handoff")
    assert (held.goal, held.recipient, held.topic) == ("Ship", "qa", "api")
    assert held.next_steps == ("push",)


def test_a_note_of_no_dialect_is_a_topic_too(caller: Caller) -> None:
    made = asked(caller, "translate", kind="topic", name="queue", to="memory_index")

    assert made.text.endswith("| Details → memory/queue.md\n")


def test_a_text_is_known_by_itself(caller: Caller) -> None:
    made = asked(caller, "translate", text=MEMORY, to="topic_context")

    assert (made.source, made.dialect) == ("session_compact", "topic_context")
    assert ("next_steps", "push") in lost(made)


def test_nothing_is_lost_in_its_own_form(caller: Caller) -> None:
    made = asked(caller, "translate", kind="topic", name="api", to="topic_context")

    assert not made.lost and remembered(made.text).history


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": "topic", "name": "nope"}, "not-found"),
        ({"kind": "topic"}, "refused"),
        ({}, "refused"),
    ],
)
def test_what_is_not_there_is_refused(
    caller: Caller, fields: dict[str, Any], code: str
) -> None:
    with pytest.raises(ToolError, match=code):
        asked(caller, "translate", to="handoff", **fields)


def test_a_text_of_another_form_is_refused(caller: Caller) -> None:
    with pytest.raises(FormatError, match=r"^record-missing"):
        asked(caller, "translate", text="x", dialect="task_snapshot", to="handoff")
    with pytest.raises(FormatError, match=r"^dialect-unknown"):
        asked(caller, "translate", text="plain words", to="handoff")
