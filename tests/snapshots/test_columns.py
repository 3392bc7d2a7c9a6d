"""Files that state everything: each column of their rows, and the timeline.

`columns/files` is a workspace; `rows.jsonl` has what a reader of its files expects in
the rows, `timeline.jsonl` in the events. A column that is not named is empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from memoryhub.events.models import NO_TIME, Event
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import projected
from tests.writing import say, write_files

PLACE = Path(__file__).with_name("columns")
FILES: dict[str, str | bytes | None] = {
    file.relative_to(PLACE / "files").as_posix(): file.read_bytes()
    for file in sorted((PLACE / "files").rglob("*.md"))
}
#: Columns that only lead from row to row, or count.
_IDS = {"id", "workspace_id", "text_key", "heading_key", "recorded_at", "first_seq"}
_IDS |= {"target_id", "status_seq", "body_sha", "moves"}
#: What a statement has that its form declares.
_DECLARED = {"grade": "declared", "confidence": 1.0}
_NAMES = {
    "agent_id": "agent__name",
    "topic_id": "topic__name",
    "file_id": "file__path",
    "handoff_id": "handoff__task_id",
    "snapshot_id": "snapshot__snapshot_id",
    "entry_id": "entry__text",
    "supersedes_id": "supersedes__text",
}
_MODELS = {model.__name__: model for model in apps.get_models()}


def lines_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PLACE / name).read_text().splitlines()]


ROWS = lines_of("rows.jsonl")


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value, cls=DjangoJSONEncoder))


def columns(model: type[models.Model], wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the filled columns of rows, with names in place of ids."""
    fields = [f for f in model._meta.concrete_fields if f.attname not in _IDS]
    named = {
        _NAMES.get(f.attname, f.attname) if f.is_relation else f.attname: f.name
        for f in fields
    }
    rows = model._default_manager.filter(**wanted).order_by("pk").values(*named)
    return [
        {
            named[name]: as_json(v)
            for name, v in row.items()
            if v not in ("", None, [], _DECLARED.get(name, ""))
        }
        for row in rows
    ]


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    made = make_workspace(workspace_root)
    say(made, FILES)
    return made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['table']} {row['of']}")
def test_each_column_has_what_the_file_states(
    workspace: Workspace, row: dict[str, Any]
) -> None:
    assert columns(_MODELS[row["table"]], row["of"]) == [row["columns"]]


def test_each_fact_is_on_the_timeline_once(workspace: Workspace) -> None:
    names = {"agent": "agent__name", "topic": "topic__name", "file": "file__path"}
    told = Event.objects.exclude(kind="import").order_by("position")

    for expected, event in zip(lines_of("timeline.jsonl"), told, strict=True):
        wanted = [names.get(name, name) for name in expected]
        row = Event.objects.filter(pk=event.pk).values_list(*wanted).get()
        found = dict(zip(expected, as_json(row), strict=True))
        if event.precision == "none":
            assert event.occurred_at == NO_TIME
            found["occurred_at"] = None
        assert found == expected


def test_a_row_ends_with_the_version_that_lacks_it(workspace: Workspace) -> None:
    write_files(Path(workspace.root), dict.fromkeys(FILES))
    sync_workspace(workspace)
    sync_workspace(workspace, accept_deletions=True)

    for row in ROWS:
        model = _MODELS[row["table"]]
        if not hasattr(model, "last_seq"):
            continue
        ended = model._default_manager.filter(**row["of"]).values_list("last_seq")
        assert all(last and last > len(FILES) for (last,) in ended), row


LONG = "n" * 900
#: What a file states, and the same at a length that no column holds.
LONGER = {
    "<from>ana": f"<from>{LONG}",
    "<to>dev": f"<to>{LONG}",
    "20261105-01</task_id>": f"20261105-01{LONG}</task_id>",
    "20261101-02": LONG,
    "<repository>web": f"<repository>{LONG}",
    "<review>sender": f"<review>{LONG}",
    "- topic: auth": f"- topic: auth\n- origin: {LONG}\n- result_to: {LONG}",
    "T10:00:00Z dev: taken": f"T10:00:00Z {LONG}: taken",
    "Moved the queue": LONG,
    "It runs on one host now": LONG,
    "snapshot-id: 2026-11-02-01": f"snapshot-id: 2026-11-02-01{LONG}",
    "implementing": LONG,
    "feat/events": LONG,
    "[SNAPSHOT] Mood": f"[SNAPSHOT] {LONG}",
    "id: CMEM-20261101-100000": f"id: CMEM-20261101-100000{LONG}",
    "WFS-1": LONG,
    "Source: workflow": f"Source: {LONG}",
    "user: hello": f"user: {LONG}",
    "# API": f"# {LONG}",
    "agent:dev:cli:direct:7": f"agent:dev:{LONG}:{LONG}:7",
}
SIZES = {
    ("Handoff", "task_id"): 100,
    ("Handoff", "sender"): 200,
    ("Handoff", "recipient"): 200,
    ("Handoff", "parent"): 100,
    ("Handoff", "repository"): 200,
    ("Handoff", "review"): 200,
    ("Handoff", "origin"): 200,
    ("Handoff", "result_to"): 400,
    ("HandoffStep", "task_id"): 100,
    ("HandoffStep", "actor"): 200,
    ("LogEntry", "title"): 300,
    ("LogEntry", "excerpt"): 240,
    ("Snapshot", "snapshot_id"): 60,
    ("Snapshot", "phase"): 60,
    ("Snapshot", "branch"): 200,
    ("SnapshotSection", "title"): 200,
    ("SessionMemory", "memory_id"): 60,
    ("SessionMemory", "session_ref"): 200,
    ("SessionMemory", "plan_source"): 100,
    ("Topic", "title"): 300,
    ("SessionBinding", "channel"): 100,
    ("SessionBinding", "kind"): 100,
    ("Event", "title"): 300,
}


@pytest.fixture
def longest(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> dict[tuple[str, str], int]:
    """Import the files with longer texts; return the longest value of each column."""
    files = dict(FILES)
    for short, long in LONGER.items():
        for path, text in files.items():
            assert isinstance(text, bytes)
            files[path] = text.replace(short.encode(), long.encode())
    say(make_workspace(workspace_root), files)
    return {
        (model.__name__, f.attname): max(map(len, values), default=0)
        for model in projected()
        for f in model._meta.concrete_fields
        if isinstance(f, models.CharField)
        for values in [model._default_manager.values_list(f.attname, flat=True)]
    }


def test_longer_texts_are_cut_to_the_size_of_their_column(
    longest: dict[tuple[str, str], int],
) -> None:
    for (name, column), size in longest.items():
        limit = getattr(_MODELS[name]._meta.get_field(column), "max_length", None)
        assert limit is None or size <= limit, (name, column)
    assert {key: longest[key] for key in SIZES} == SIZES
