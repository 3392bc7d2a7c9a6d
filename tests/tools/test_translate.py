"""Records of a workspace, and texts, in the form of another system."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.translation import DIALECTS, remembered
from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from tests.factories import NOON, TOPIC, imported, snapshot_text
from tests.tools.asking import asked
from tests.writing import say

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


def test_a_topic_as_a_snapshot_is_its_newest_one_alone(caller: Caller) -> None:
    made = asked(caller, "translate", kind="topic", name="api", to="task_snapshot")

    assert made.text.count("<!-- snapshot-id: ") == 1
    assert "<!-- snapshot-id: 2026-11-20-01 -->" in made.text
    assert "goal" in {field for field, _ in lost(made)}
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


DONE = """# Handoff 20261119-03

- due: 2026-11-21

<task>
<from>pilot</from>
<to>otter</to>
<task_id>20261119-03</task_id>
<type>read_only</type>
<context>Which berths?</context>
<input>charts</input>
</task>

<r>
<task_id>20261119-03</task_id>
<status>done</status>
<o>4 and 9</o>
<side_effects>chart.md</side_effects>
</r>

## Log

- 2026-11-19T12:00:00Z pilot: sent
- 2026-11-19T12:30:00Z Ines: sent back -- which ones?
- 2026-11-19T12:40:00Z otter: done
"""


@pytest.mark.parametrize("to", DIALECTS)
@pytest.mark.parametrize("way", ["record", "text"])
def test_the_progress_of_a_handoff_is_carried_or_listed(
    caller: Caller, to: str, way: str
) -> None:
    say(caller.workspace, {"memory/handoffs/20261119-03.md": DONE})
    named: dict[str, Any] = {"kind": "handoff", "name": "20261119-03"}
    fields = named if way == "record" else {"text": DONE, "place": "x.md"}

    made = asked(caller, "translate", to=to, **fields)

    said = made.text + " ".join(text for _, text in lost(made))
    for part in ("4 and 9", "chart.md", "which ones?", "12:40:00Z", "2026-11-2"):
        assert part in said


def test_times_are_of_the_clock_of_the_workspace(caller: Caller) -> None:
    Workspace.objects.update(time_zone="Asia/Shanghai")
    caller = replace(caller, workspace=Workspace.objects.get())
    text = f"---\nid: {ID}\ncreated: 2026-11-18T16:15:00Z\n---\n\n{MEMORY}"

    shot = asked(caller, "translate", text=text, to="task_snapshot")
    topic = asked(caller, "translate", text=text, to="topic_context")

    assert "## Task Snapshot -- 00:15\n" in shot.text
    assert "<!-- timestamp: 2026-11-19T00:15:00 -->" in shot.text
    assert "<!-- snapshot-id: 2026-11-19-01 -->" in shot.text
    assert "- **updated**: 2026-11-19\n" in topic.text


def test_a_reason_of_the_snapshot_that_the_topic_words_otherwise_is_listed(
    caller: Caller,
) -> None:
    topic = "# tide\n\n## Key Decisions\n- 2026-11-14: Read hourly (the office)\n"
    shot = snapshot_text(
        7, decisions="1. Read hourly -- a limit\n2. One thread -- race"
    )
    shot = shot.replace("topic: api", "topic: tide")
    files: dict[str, str | bytes | None] = {
        "memory/context-tide.md": topic,
        "memory/2026-11-21.md": shot,
    }
    say(caller.workspace, files)

    made = asked(caller, "translate", kind="topic", name="tide", to="session_compact")

    assert "- Read hourly: the office\n- One thread: race\n" in made.text
    assert ("decisions, reason", "Read hourly: a limit") in lost(made)


def test_a_handoff_of_no_known_type_says_so(caller: Caller) -> None:
    fields = {"kind": "topic", "name": "api", "to": "handoff"}

    assert "type" in asked(caller, "translate", **fields).unknown
    assert "type" not in asked(caller, "translate", **fields, task_type="write").unknown
