"""Files edited through a hub that is killed: appended to, replaced, reviewed."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import cycle

from memoryhub.disk.files import ExternallyChanged
from memoryhub.sync.edit.editing import (
    apply_edit,
    write_staged,
)
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.files import Who
from memoryhub.workspaces.services.documents import document_at, replace_document
from tests.durability.field import LOG, TOPIC, Field, asked, keys, notes, stands_once


def append(field: Field, number: int) -> None:
    for key in keys("append", number):
        asked(field, "memory_append", key, content=f"- {key}\n", day="2026-11-20")


def edit(field: Field, number: int) -> None:
    for key in keys("edit", number):
        fields = {"status": f"At {number}.", "decisions": [f"2026-11-20: Use {key}"]}
        saved = {"action": "checkpoint", "topic": "everybody", **fields}
        asked(field, "context_snap", key, **saved)


def replace(field: Field, number: int) -> None:
    """Put a line near the top, while another program appends at the end."""
    for key in keys("replace", number):
        workspace = field.workspace()
        known = document_at(workspace, LOG)
        assert known is not None
        text = known.decoded.text.replace("Start\n", f"Start\n- {key}\n", 1)
        who = Who("builder", key)
        with suppress(Conflict, ExternallyChanged):
            replace_document(workspace, LOG, text, known.sha256.__eq__, who)
            field.acknowledge(key)


def nothing_of_others_is_lost(field: Field) -> None:
    """Every line of the other program stands once, and so does what was answered."""
    stands_once(field, LOG)
    text = (field.root / LOG).read_text(encoding="utf-8")
    written = int((field.data.parent / "written").read_text() or 0)
    found = Counter(line for line in text.splitlines() if line.startswith("- other "))
    found.subtract(f"- other {number:06d}" for number in range(written))
    wrong = {line: more for line, more in found.items() if more}
    assert not wrong, f"of {written} lines missing (-1) or more than once: {wrong}"
    assert field.acknowledged(), "nothing was replaced"


def reviewed(field: Field) -> None:
    notes(field)
    workspace = field.workspace()
    workspace.review_before_writing = True
    workspace.save()


def export(field: Field, number: int) -> None:
    workspace = field.workspace()
    for key in keys("export", number):
        payload = {"text": f"2026-11-20: Use {key}"}
        edit = Edit(TOPIC, "add_decision", payload, "builder", None, key=key)
        apply_edit(workspace, edit)
        field.acknowledge(key)
    write_staged(workspace)


def stage(field: Field, number: int) -> None:
    """Stage edits of several people and agents of one file."""
    workspace = field.workspace()
    said = {"add_history": f"2026-11-20: At {number}", "set_status": f"At {number}."}
    edits = [
        ("add_decision", f"2026-11-20: Use {key}", key)
        for key in keys("staged", number)
    ]
    edits += [(verb, text, f"{verb}-{number}") for verb, text in said.items()]
    for (verb, text, key), actor in zip(
        edits, cycle(["builder", "scout", "operator"]), strict=False
    ):
        apply_edit(workspace, Edit(TOPIC, verb, {"text": text}, actor, None, key=key))


def write_together(field: Field, number: int) -> None:
    write_staged(field.workspace())
    for key in keys("staged", number):
        field.acknowledge(key)


def all_written(field: Field) -> None:
    write_staged(field.workspace())
    stands_once(field, TOPIC)
