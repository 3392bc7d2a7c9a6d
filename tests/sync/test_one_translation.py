"""The export page and the tool `translate` give the same text and the same losses."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryhub.dialects import session_compact
from memoryhub.dialects.decision_log import normalise, parse_decision
from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.exports.handover import Handover, Picked, compose
from memoryhub.exports.handover_forms import DIALECTS
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.exporters import snapshot_text
from snapshots.models import SessionMemory, Snapshot
from tests.factories import NOON, imported
from tests.factories import snapshot_text as block
from tests.tools.asking import asked
from topics.models import Decision, Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"
#: Long after all that the sample says.
NOW = NOON + timedelta(days=20)
TOPIC = "# api\n\n## Current Status\nLive.\n\n## Key Decisions\n"


@pytest.fixture
def sample() -> Workspace:
    added = add_workspace(SAMPLE, slug="acme")
    sync_workspace(added)
    return added


def exported(workspace: Workspace, form: str, **picked: tuple[int, ...]) -> Handover:
    return compose(workspace, Picked(**picked), form, now=NOW)


def losses(made: Handover) -> list[tuple[str, str]]:
    return [(part.field, part.text) for left in made.left for part in left.lost]


@pytest.mark.parametrize("form", DIALECTS)
def test_page_and_tool_give_the_same(sample: Workspace, form: str) -> None:
    caller = Caller(sample, "agent:x", agent="x", clock=lambda: NOW)
    kinds: dict[str, Any] = {
        "topic": Topic,
        "snapshot": Snapshot,
        "memory": SessionMemory,
    }
    for kind, model in kinds.items():
        for row in model.objects.filter(workspace=sample, last_seq=None):
            if getattr(row, "copy_of_id", None):
                continue
            fields = {"kind": kind, "name": row.code, "to": DIALECTS[form]}
            told = asked(caller, "translate", **fields)
            plural = {"memory": "memories"}.get(kind, f"{kind}s")
            made = exported(sample, form, **{plural: (row.pk,)})

            assert losses(made) == [(part.field, part.text) for part in told.lost]
            unknown = [name for left in made.left for name in left.unknown]
            assert unknown == told.unknown
            for text in re.split(r"\n(?=---\n\n## Task)", told.text):
                assert text.strip("\n") in made.text


@pytest.mark.parametrize("form", [*DIALECTS])
def test_no_decision_leaves_as_if_it_stood(sample: Workspace, form: str) -> None:
    states = (Decision.State.REJECTED, Decision.State.SUPERSEDED)
    lapsed = Decision.objects.filter(workspace=sample, state__in=states)
    every = [
        {"topics": tuple(Topic.objects.values_list("pk", flat=True))},
        {"snapshots": tuple(Snapshot.objects.values_list("pk", flat=True))},
        {"decisions": tuple(lapsed.values_list("pk", flat=True))},
    ]
    names = {normalise(one.text) for one in lapsed}
    for picked in every:
        made = exported(sample, form, **picked)
        for snapshot in find_snapshots(made.text):
            held = [parse_decision(one.text) for one in snapshot.decisions]
            assert not names & {normalise(d.text) for d in held if not d.rejected}
    told = [left.name for left in made.left]
    assert form != "session" or {one.text for one in lapsed} <= set(told)


def test_a_topic_leaves_with_its_newest_snapshot_as_it_is(sample: Workspace) -> None:
    topic = Topic.objects.get(workspace=sample, name="api-redesign")
    newest = Snapshot.objects.filter(topic=topic).latest("occurred_at")

    text = exported(sample, "snapshots", topics=(topic.pk,)).text

    assert snapshot_text(newest).strip("\n") in text
    (only,) = find_snapshots(text)
    assert only.snapshot_id == newest.snapshot_id
    (session,) = exported(sample, "session", topics=(topic.pk,)).files
    listed = session_compact.parse(session.text)
    named = [normalise(one.text) for one in listed.decisions]
    assert listed.analysis.pending and len(named) == len(set(named))


def test_nothing_is_made_up(sample: Workspace) -> None:
    topics = tuple(Topic.objects.values_list("pk", flat=True))

    for form in DIALECTS:
        text = exported(sample, form, topics=topics).text
        found = find_snapshots(text)
        for one in found:
            assert one.phase != "none" and one.branch != "n/a"
            assert one.timestamp is None or one.timestamp.date() != NOW.date()
        assert form != "topic" or "2026-12-10" not in text


def test_ids_are_free_in_the_target_too(tmp_path: Path, workspace_root: Path) -> None:
    files = {"memory/context-api.md": TOPIC, "memory/2026-11-20.md": block(1)}
    here = imported(workspace_root, files)
    (tmp_path / "there").mkdir()
    there = add_workspace(tmp_path / "there", slug="there")
    (tmp_path / "there/memory").mkdir()
    (tmp_path / "there/memory/2026-11-20.md").write_text(block(1) + block(2))
    sync_workspace(there)
    picked = Picked(topics=(Topic.objects.get(workspace=here).pk,))

    made = compose(here, picked, "snapshots", now=NOON, target=there)

    ids = [found.snapshot_id for found in find_snapshots(made.text)]
    assert ids == ["2026-11-20-03"]


def test_a_topics_file_says_what_other_files_made_of_its_decisions(
    workspace_root: Path,
) -> None:
    said = "- 2026-11-01: Poll\n- 2026-11-02: Use XML\n- 2026-11-03: Push\n"
    log = "- 2026-11-05: Stream (supersedes 2026-11-01: Poll)\n- Rejected: Use XML\n"
    files = {"memory/context-api.md": TOPIC + said, "memory/decisions.md": log}
    here = imported(workspace_root, files)
    picked = {"topics": (Topic.objects.get(name="api").pk,)}

    made = exported(here, "topic", **picked)

    kept = made.text.partition("## Key Decisions\n")[2]
    assert kept == "- Rejected: Use XML\n- 2026-11-03: Push\n"
    assert ("decisions", "Superseded: Poll") in losses(made)
