"""One state of each decision, whichever door is asked, before and after a sign-off."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.handoffs.importers import handoffs
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.decisions import sign_offs
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.rows import Row
from memoryhub.recall.texts import decision_line
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.workspaces.services.adding import add_workspace
from tests.decision_doors import (
    check_all_doors,
    generated,
    listed,
    records,
    states_by_door,
)
from tests.factories import imported
from tests.projected import differences, projected_rows
from tests.writing import say
from topics.models import Decision, Topic
from topics.services.decisions import unsigned_line

SAMPLE = Path(__file__).parents[2] / "samples/acme-checkout"


def sample(root: Path) -> Workspace:
    shutil.copytree(SAMPLE, root, dirs_exist_ok=True)
    workspace = add_workspace(root, slug="acme", name="Acme")
    sync_workspace(workspace)
    return Workspace.objects.get(pk=workspace.pk)


@pytest.fixture(params=["sample", 1, 2])
def workspace(
    hub_data: Path, db: None, workspace_root: Path, request: pytest.FixtureRequest
) -> Workspace:
    if request.param == "sample":
        return sample(workspace_root)
    return imported(workspace_root, generated(request.param))


def sign_off(client: Client, handoff: Handoff) -> None:
    form = {"base": handoff.standing, "reason": "go"}
    url = f"/w/acme/handoffs/{handoff.code}/sign-off/"
    assert client.post(url, form).status_code == 303


def waiting(workspace: Workspace) -> Handoff:
    """Return a handoff that asks to sign off a decision of which no line claims it."""
    return Handoff.objects.get(
        pk=Decision.objects.filter(
            workspace=workspace, state="unsigned", line_signed_by=""
        ).values("handoff_row")[:1]
    )


def asked_for(handoff: Handoff) -> Decision:
    assert handoff.decision_id is not None
    return Decision.objects.get(pk=handoff.decision_id)


def test_every_door_gives_the_same_state_before_and_after_a_sign_off(
    client: Client, workspace: Workspace
) -> None:
    before = check_all_doors(client, workspace)
    asked = waiting(workspace)
    decision = asked_for(asked)
    assert decision.state == "unsigned"

    sign_off(client, asked)

    after = check_all_doors(client, workspace)
    signed, wait = Decision.State.SIGNED_OFF.value, Decision.State.UNSIGNED.value
    assert after[signed] == before[signed] + 1 and after[wait] == before[wait] - 1


def test_every_door_says_who_signed_when_and_in_which_handoff(
    client: Client, workspace: Workspace
) -> None:
    asked = waiting(workspace)
    sign_off(client, asked)

    decision = asked_for(asked)
    found = next(r for r in records(workspace) if r["text"] == decision.text)
    told = next(
        r for r in listed(workspace, limit=500).decisions if r.text == decision.text
    )
    page = client.get(f"/w/acme/decisions/{decision.code}/").content.decode()

    assert found["signed_off_by"] == told.signed_off_by == "operator"
    assert found["signed_off_at"] and told.signed_off_at == decision.signed_off_at
    assert found["handoff"] == asked.code and told.handoff == asked.task_id
    assert "signed off by operator" in page and f"/handoffs/{asked.code}/" in page
    line = f"{decision.text} "
    log = client.get("/w/acme/decisions.md").content.decode()
    for text in (decision_line(decision), log):
        said = next(s for s in text.splitlines() if line in s and "Rejected" not in s)
        assert "signed off by operator" in said


def test_a_rebuild_gives_the_same_states(client: Client, workspace: Workspace) -> None:
    sign_off(client, waiting(workspace))
    before = projected_rows(workspace)

    rebuild(workspace)

    assert not differences(before, projected_rows(workspace))


def test_counts_by_agent_and_topic_are_the_same_at_every_door(
    client: Client, workspace: Workspace
) -> None:
    names = {row["agent"] for row in records(workspace)} - {None}
    topics = Topic.objects.filter(workspace=workspace, decisions__isnull=False)
    slugs = set(topics.values_list("slug", flat=True))
    doors = [states_by_door(client, workspace, agent=name) for name in sorted(names)]
    doors += [states_by_door(client, workspace, topic=slug) for slug in sorted(slugs)]
    for each in doors:
        assert len({len(states) for states in each.values()}) == 1


def test_the_timeline_of_an_agent_or_topic_has_all_of_its_decisions(
    client: Client, workspace: Workspace
) -> None:
    rows = Decision.objects.filter(workspace=workspace)
    events = Event.objects.filter(workspace=workspace, kind="decision")
    for column in ("agent", "topic"):
        for owner in set(rows.values_list(column, flat=True)) - {None}:
            owned = set(rows.filter(**{column: owner}).values_list("pk", flat=True))
            told = events.filter(**{column: owner}).values_list("target_id", flat=True)
            assert set(told) == owned
    name = rows.exclude(agent=None).values_list("agent__name", flat=True).first()
    if name:
        page = client.get(f"/w/acme/timeline/?agent={name}&kind=decision")
        assert "No event has all of this" not in page.content.decode()


def test_the_strip_of_the_overview_counts_things(
    client: Client, workspace: Workspace
) -> None:
    page = client.get("/w/acme/").content.decode()

    handoffs = Handoff.objects.filter(workspace=workspace).count()
    decisions = Decision.objects.filter(workspace=workspace).count()
    found = re.findall(
        r'kind=(decision|handoff)&amp;since=last"[^>]*>.*?<b[^>]*>(\d+)',
        page,
        re.DOTALL,
    )
    assert dict(found) == {"decision": str(decisions), "handoff": str(handoffs)}


def test_the_sign_off_can_be_written_into_the_line_and_taken_back(
    client: Client, workspace: Workspace
) -> None:
    asked = waiting(workspace)
    sign_off(client, asked)
    decision = asked_for(asked)
    line = unsigned_line(decision)
    assert line is not None
    file = Path(workspace.root, line.path)
    before = file.read_text()
    page = f"/w/acme/decisions/{decision.code}/"
    assert "Write the sign-off" in client.get(page).content.decode()

    assert client.post(f"{page}sign-off/", {"key": "k-1"}).status_code == 303

    assert file.read_text() == before.replace(line.old, line.new)
    assert "signed off by operator" in line.new
    assert unsigned_line(asked_for(asked)) != line
    client.post("/w/acme/undo/k-1/")
    assert file.read_text() == before
    check_all_doors(client, workspace)


def test_where_edits_are_reviewed_the_line_waits(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)
    asked = waiting(workspace)
    sign_off(client, asked)
    url = f"/w/acme/decisions/{asked.decision_id and asked_for(asked).code}/"

    client.post(f"{url}sign-off/")

    page = client.get("/w/acme/decisions/").content.decode()
    assert "Not exported yet" in page and asked_for(asked).text in page


def test_a_line_that_claims_a_sign_off_is_no_sign_off_while_a_handoff_asks(
    client: Client, workspace: Workspace
) -> None:
    decision = asked_for(waiting(workspace))
    claim = f"- {decision.text} (signed off by Mallory 2026-11-20)\n"

    say(workspace, {"memory/more-decisions.md": claim})

    decision.refresh_from_db()
    assert (decision.state, decision.signed_off_by) == ("unsigned", "")
    check_all_doors(client, workspace)


def test_a_sign_off_outlives_the_file_of_its_handoff_and_ends_when_taken_back(
    client: Client, workspace: Workspace
) -> None:
    asked = waiting(workspace)
    sign_off(client, asked)
    operation = Operation.objects.get(verb="sign_handoff")
    assert asked_for(asked).state == "signed_off"

    client.post(f"/w/acme/undo/{operation.key}/")
    assert asked_for(asked).state == "unsigned"

    sign_off(client, Handoff.objects.get(pk=asked.pk))
    say(workspace, {asked.file.path: None})
    assert asked_for(asked).state == "signed_off"


BY_STATUS = """# Decisions

| Date | Decision | Why | Status |
| --- | --- | --- | --- |
| 2026-11-07 | Two mills, one belt | cost | accepted |
| 2026-11-08 | Steam | old | **Rejected** |
| 2026-11-09 | Oil the belt weekly | wear | deprecated since March |
| 2026-11-10 | Weigh each sack | law | proposed |
| 2026-11-11 | Grind rye only | rent | ~~rejected~~ 采纳 |

## ADR-4: Sack size

**Status:** Accepted
**Superseded by:** ADR-5
**Decision:** Sacks hold 25 kg

## ADR-5: Sack size

**Status:** Accepted
**Superseded by:** none
**Decision:** Sacks hold 20 kg
"""


def test_the_status_of_a_record_is_its_state_at_every_door(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/decisions.md": BY_STATUS})

    check_all_doors(client, workspace)

    states = dict(Decision.objects.values_list("text", "state"))
    assert states == {
        "Two mills, one belt": "stated",
        "Steam": "rejected",
        "Oil the belt weekly": "superseded",
        "Grind rye only": "stated",
        "Sacks hold 25 kg": "superseded",
        "Sacks hold 20 kg": "stated",
    }
    written = client.get("/w/acme/decisions.md").content.decode()
    assert "- 2026-11-08: Rejected: Steam (old)\n" in written
    assert "\n- 2026-11-09: Oil the belt weekly (wear)\n" not in written
    assert "\n- Sacks hold 25 kg\n" not in written


def test_a_reason_in_the_text_is_not_written_twice(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    line = "We number the berths from the east (the pilots do so)"
    memory = f"# MEMORY\n\n## Decisions\n- 2026-11-02: {line}\n"
    imported(workspace_root, {"MEMORY.md": memory})

    written = client.get("/w/acme/decisions.md").content.decode()

    assert f"- 2026-11-02: {line}\n" in written
    row = Decision.objects.get()
    assert client.get(f"/w/acme/decisions/{row.code}.md").content.decode().count(
        "(the pilots do so)"
    ) == written.count("(the pilots do so)")


def test_recall_says_a_reason_inside_a_decision_once(
    hub_data: Path, db: None, workspace_root: Path
) -> None:
    log = "# 2026-11-02\n\n- Decision: use datedbar because it is small\n"
    imported(workspace_root, {"memory/2026-11-02.md": log})

    assert decision_line(Decision.objects.get()).count("it is small") == 1


def test_a_line_that_states_no_decision_has_none_of_its_file_decided_anew(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided: list[Mapping[int, str]] = []

    def noted(workspace_id: int, texts: Mapping[int, str]) -> Mapping[int, Row]:
        decided.append(texts)
        return sign_offs(workspace_id, texts)

    monkeypatch.setattr(handoffs, "sign_offs", noted)
    say(workspace, {"memory/2026-12-24.md": "# Log\n\nDecision: Keep the gate.\n"})
    assert [*decided.pop().values()] == ["Keep the gate."]

    with Path(workspace.root, "memory/2026-12-24.md").open("a") as log:
        log.write("\nThe gate was painted.\n")
    sync_workspace(workspace)

    assert decided == []
