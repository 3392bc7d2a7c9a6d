"""The plain form: importing it again says the same, for samples of all dialects."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects.decision_log import normalise
from memoryhub.exports.canonical import canonical_files, safe_name, write_missing
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import write_files
from snapshots.models import SessionMemory, Snapshot
from topics.models import Decision, SessionBinding, Topic

SAMPLES = Path(__file__).parents[2] / "samples"
ROOTS = [
    SAMPLES / "acme-checkout",
    SAMPLES / "two-languages/workspace-ops",
    SAMPLES / "two-languages/workspace-xiaoming",
]
MakeWorkspace = Callable[[Path], Workspace]


def said(workspace: Workspace) -> dict[str, Any]:
    """Return what a workspace says, without where it says so."""
    alive = {"workspace": workspace, "last_seq__isnull": True}
    snapshots = Snapshot.objects.filter(copy_of__isnull=True, **alive)
    memories = SessionMemory.objects.filter(**alive)
    handoffs = Handoff.objects.filter(**alive)
    bindings = SessionBinding.objects.filter(**alive, in_map=True)
    return {
        "topics": {
            (t.name, " ".join(t.status.split()), t.created_on, t.updated_on)
            for t in Topic.objects.filter(**alive)
        },
        "history": {
            (t.name, *t.history.filter(last_seq=None).values_list("text", flat=True))
            for t in Topic.objects.filter(**alive)
        },
        "decisions": {
            (normalise(d.text), d.reason, d.state, d.signed_off_by, d.signed_off_on)
            for d in Decision.objects.filter(workspace=workspace)
        },
        "snapshots": sorted(
            (s.snapshot_id, s.occurred_at, *s.sections.values_list("title", "body"))
            for s in snapshots
        ),
        "bindings": set(bindings.values_list("session_key", "topic_name")),
        "memories": {
            (m.memory_id, m.objective, m.last_action, m.pending) for m in memories
        },
        "handoffs": sorted(
            handoffs.values_list(
                "task_id", "sender", "recipient", "type", "state", "result", "context"
            )
        ),
    }


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_importing_the_plain_form_says_the_same(
    make_workspace: MakeWorkspace, tmp_path: Path, root: Path
) -> None:
    first = make_workspace(root)
    sync_workspace(first)
    write_files(canonical_files(first), tmp_path / "plain")

    second = make_workspace(tmp_path / "plain")
    second.time_zone = first.time_zone  # which the plain form does not state
    second.save()
    sync_workspace(second)

    before, after = said(first), said(second)
    for name in before:
        assert after[name] == before[name], name


def test_the_plain_form_of_the_plain_form_is_itself(
    make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    first = make_workspace(ROOTS[0])
    sync_workspace(first)
    write_files(canonical_files(first), tmp_path / "plain")
    second = make_workspace(tmp_path / "plain")
    sync_workspace(second)

    again = {file.path: file.data for file in canonical_files(second)}

    index = "MEMORY.md"  # bears the time of the last import and the workspace's name
    for path, data in again.items():
        assert path == index or (tmp_path / "plain" / path).read_bytes() == data
    files = [p for p in (tmp_path / "plain").rglob("*") if p.is_file()]
    assert len(files) == len(again)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("api-redesign", "api-redesign"),
        ("认证 v2", "认证 v2"),
        ("a:b*c?", "a%3Ab%2Ac%3F"),
        ("dot.", "dot%2E"),
        ("tab\there", "tab%09here"),
        ("x" * 300, "x" * 180),
    ],
)
def test_names_are_safe_on_every_file_system(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_names_that_differ_in_case_get_a_suffix(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    for name in ("Auth", "auth"):
        place = workspace_root / f"memory/context-{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"# {name}\n\n## Current Status\n{name}\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    paths = [file.path for file in canonical_files(workspace)]

    assert paths[:2] == ["memory/context-Auth.md", "memory/context-auth-2.md"]


def test_a_status_of_a_note_does_not_end_its_section(
    make_workspace: MakeWorkspace, workspace_root: Path, tmp_path: Path
) -> None:
    place = workspace_root / "memory-bank/activeContext.md"
    place.parent.mkdir()
    place.write_text("# Active\n\n## Current Focus\nWork.\n\n## History\n\n- none\n")
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)

    write_files(canonical_files(workspace), tmp_path / "plain")
    plain = make_workspace(tmp_path / "plain")
    sync_workspace(plain)

    assert Topic.objects.filter(workspace=plain).count() == 1
    assert "Work." in Topic.objects.get(workspace=plain).status


def test_an_empty_workspace_has_an_index_alone(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    workspace = make_workspace(workspace_root)

    assert [file.path for file in canonical_files(workspace)] == ["MEMORY.md"]


def test_only_files_that_are_missing_are_written(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    shutil.copytree(ROOTS[0], workspace_root, dirs_exist_ok=True)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    before = {p: p.read_bytes() for p in workspace_root.rglob("*") if p.is_file()}

    made, kept = write_missing(workspace, canonical_files(workspace))

    assert "memory/decisions.md" in made and "MEMORY.md" in kept
    assert all(path.read_bytes() == data for path, data in before.items())
    assert not sync_workspace(workspace).is_empty


def test_a_handoff_without_a_log_keeps_its_time(
    make_workspace: MakeWorkspace, workspace_root: Path, tmp_path: Path
) -> None:
    place = workspace_root / "memory/handoffs/door-1.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        "<task>\n<from>planner</from>\n<to>builder</to>\n<task_id>door-1</task_id>\n"
        "<type>read_only</type>\n<context>Look</context>\n<input>x</input>\n</task>\n"
    )
    first = make_workspace(workspace_root)
    sync_workspace(first)
    sent = Handoff.objects.get(workspace=first, task_id="door-1").occurred_at
    write_files(canonical_files(first), tmp_path / "plain")
    for file in (tmp_path / "plain").rglob("*.md"):
        os.utime(file, (0, 0))
    second = make_workspace(tmp_path / "plain")
    sync_workspace(second)

    again = Handoff.objects.get(workspace=second, task_id="door-1")
    assert again.occurred_at == sent.replace(microsecond=0)
    assert (again.state, again.sender) == ("open", "planner")
