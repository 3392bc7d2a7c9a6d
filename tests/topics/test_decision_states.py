"""One state of each decision, whichever door is asked, before and after a sign-off."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from memoryhub.recall.texts import decision_line
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.workspaces.services.adding import add_workspace
from tests.decision_doors import (
    generated,
    listed,
    records,
    states_by_door,
    states_by_page,
    states_by_topic,
)
from tests.factories import imported
from tests.projected import differences, projected_rows
from topics.models import Decision, Topic

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


def waiting(workspace: Workspace) -> list[Handoff]:
    return list(
        Handoff.objects.filter(workspace=workspace, type="decision", state="open")
    )


def asked_for(handoff: Handoff) -> Decision:
    assert handoff.decision_id is not None
    return Decision.objects.get(pk=handoff.decision_id)


def check_all_doors(client: Client, workspace: Workspace) -> Counter[str]:
    rows = Decision.objects.filter(workspace=workspace)
    known = dict(rows.values_list("text", "state"))
    doors = states_by_door(client, workspace)
    doors |= {"page": states_by_page(client, workspace)}
    assert {name: states for name, states in doors.items() if states != known} == {}
    for slug, shown in states_by_topic(client, workspace).items():
        assert shown == dict(rows.filter(topic__slug=slug).values_list("text", "state"))
    return Counter(known.values())


def test_every_door_gives_the_same_state_before_and_after_a_sign_off(
    client: Client, workspace: Workspace
) -> None:
    before = check_all_doors(client, workspace)
    asked = waiting(workspace)[-1]
    decision = asked_for(asked)
    assert decision.state == "unsigned"

    sign_off(client, asked)

    after = check_all_doors(client, workspace)
    signed, wait = Decision.State.SIGNED_OFF.value, Decision.State.UNSIGNED.value
    assert after[signed] == before[signed] + 1 and after[wait] == before[wait] - 1


def test_every_door_says_who_signed_when_and_in_which_handoff(
    client: Client, workspace: Workspace
) -> None:
    asked = waiting(workspace)[-1]
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
    sign_off(client, waiting(workspace)[-1])
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
