from __future__ import annotations

import html as markup
import io
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from memoryhub.dialects import memory_index, session_compact, topic_context
from memoryhub.dialects.task_snapshot import find_snapshots
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import undo
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import SessionMemory, Snapshot
from tests.factories import TOPIC, imported, snapshot_text, write
from tests.statements import statements
from tests.writing import say
from topics.models import Decision, Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/handover/"
MEMORY = """---
id: CMEM-20261119-201530
---

## Session ID
WFS-1

## Objective
Ship the webhooks

## Execution Plan
### Source: inferred

<details>
<summary>Full Execution Plan (Click to expand)</summary>

1. do it

</details>

## Working Files (Modified)
- /srv/app/deliver.py (role: sends one event)

## Decisions
- Use jitter: backoff collides

## Pending
- push
"""


@pytest.fixture
def workspace(workspace_root: Path) -> Workspace:
    return imported(
        workspace_root,
        {
            "memory/context-api.md": TOPIC,
            "memory/2026-11-20.md": "# Day\n" + snapshot_text(1) + snapshot_text(2),
            "memory/sessions/CMEM-20261119-201530.md": MEMORY,
            "memory/decisions.md": "- 2026-11-02: Host it ourselves (quota)\n",
        },
    )


@pytest.fixture
def other(tmp_path: Path, workspace: Workspace) -> Workspace:
    root = tmp_path / "other"
    root.mkdir()
    return add_workspace(root, slug="other", name="Other")


def picks() -> dict[str, list[str]]:
    decision = Decision.objects.get(text__startswith="Host it")
    snapshot = Snapshot.objects.get(snapshot_id="2026-11-20-02", workspace__slug="acme")
    return {
        "topic": [Topic.objects.get(name="api", workspace__slug="acme").code],
        "snapshot": [snapshot.code],
        "decision": [decision.code],
        "memory": [SessionMemory.objects.get(workspace__slug="acme").code],
    }


def query(form: str, *kinds: str) -> dict[str, list[str]]:
    said = {k: v for k, v in picks().items() if not kinds or k in kinds}
    return {**said, "form": [form]}


def page(client: Client, asked: dict[str, list[str]]) -> str:
    response = client.get(URL, asked)
    assert response.status_code == 200
    return response.content.decode()


def files_of(html: str) -> dict[str, str]:
    found = re.findall(
        r'id="over-\d+"[^>]*aria-label="([^"]*)">\n(.*?)</pre>', html, re.DOTALL
    )
    return {path: markup.unescape(text) for path, text in found}


def losses(html: str) -> list[str]:
    return [
        markup.unescape(re.sub(r"<[^>]+>", "", line)).strip()
        for line in re.findall(r'<div class="lost">.*?</ul>', html, re.DOTALL)
        for line in re.findall(r"<li>(.*?)</li>", line, re.DOTALL)
    ]


def test_blocks_carry_snapshots_whole(client: Client, workspace: Workspace) -> None:
    html = page(client, query("snapshots", "snapshot"))

    ((path, text),) = files_of(html).items()
    (block,) = find_snapshots(text)
    assert path.startswith("memory/") and block.snapshot_id == "2026-11-20-02"
    assert block.topic == "api" and block.agent == "builder"
    assert "Calm." in text and not losses(html)


def test_blocks_name_what_they_have_no_place_for(
    client: Client, workspace: Workspace
) -> None:
    html = page(client, query("snapshots"))

    (text,) = files_of(html).values()
    assert len(find_snapshots(text)) == 3
    assert any("history" in line and line.startswith("Topic") for line in losses(html))
    assert any("the plan" in line for line in losses(html))


def test_a_topic_file_is_carried_as_it_is(client: Client, workspace: Workspace) -> None:
    html = page(client, query("topic", "topic"))

    assert files_of(html) == {"memory/context-api.md": TOPIC}
    assert not losses(html)


def test_topic_files_take_up_decisions_of_other_things(
    client: Client, workspace: Workspace
) -> None:
    found = files_of(page(client, query("topic")))

    said = {
        path: [item.text for item in topic_context.parse(text).decisions]
        for path, text in found.items()
    }
    loose = "2026-11-02: Host it ourselves (quota)"
    assert said["memory/context-handover.md"] == [loose]
    assert "Use jitter (backoff collides)" in said["memory/context-api.md"]


def test_session_texts_keep_a_memory_as_it_is(
    client: Client, workspace: Workspace
) -> None:
    found = files_of(page(client, query("session")))

    path = "memory/sessions/CMEM-20261119-201530.md"
    read = session_compact.parse(found[path])
    assert read.content == session_compact.parse(MEMORY).content
    assert read.memory_id == "CMEM-20261119-201530"
    assert len(found) == 4


def test_pointers_lead_to_the_files(client: Client, workspace: Workspace) -> None:
    found = files_of(page(client, query("pointers")))

    index = memory_index.parse(found["MEMORY.md"])
    targets = {pointer.target for pointer in index.pointers}
    assert "memory/context-api.md" in targets
    assert len(found["MEMORY.md"]) <= 3_200


def test_the_recall_text_is_for_topics_only(
    client: Client, workspace: Workspace
) -> None:
    html = page(client, query("recall"))

    assert "2026-11-20-02" in files_of(html)["recall-api.md"]
    assert sum("Only topics" in line for line in losses(html)) == 3


def test_topics_of_one_name_get_files_of_their_own(
    client: Client, workspace_root: Path
) -> None:
    imported(
        workspace_root, {"memory/context-a.md": TOPIC, "memory/context-A.md": TOPIC}
    )
    codes = [topic.code for topic in Topic.objects.all()]

    for form in ("topic", "recall"):
        archive = client.get("/w/acme/handover.zip", {"topic": codes, "form": form})
        with zipfile.ZipFile(io.BytesIO(archive.content)) as held:
            assert len({name.casefold() for name in held.namelist()}) == 2


def test_nothing_picked_says_what_to_do(client: Client, workspace: Workspace) -> None:
    assert "Select topics, snapshots or decisions" in page(client, {})


@pytest.mark.parametrize("form", ["snapshots", "topic", "session", "pointers"])
def test_the_downloads_hold_what_the_page_shows(
    client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    asked = query(form)
    shown = files_of(page(client, asked))

    text = client.get("/w/acme/handover.md", asked)
    archive = client.get("/w/acme/handover.zip", asked)

    assert text.content.decode() == "\n".join(shown.values())
    with zipfile.ZipFile(io.BytesIO(archive.content)) as held:
        names = held.namelist()
        assert {name: held.read(name).decode() for name in names} == shown


def write_into(client: Client, form: str, *kinds: str, key: str = "k") -> int:
    asked = {**query(form, *kinds), "target": ["other"], "key": [key]}
    return client.post(f"{URL}write/", asked).status_code


def leading_elsewhere(place: Path) -> None:
    outside = place.parents[2] / "elsewhere.md"
    outside.write_text(TOPIC)
    place.symlink_to(outside)


def test_it_is_written_into_another_workspace_as_operations(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    assert write_into(client, "topic", "topic") == 303

    assert (Path(other.root) / "memory/context-api.md").read_text() == TOPIC
    operation = Operation.objects.get(workspace=other)
    assert (operation.verb, operation.actor) == ("place_file", "operator")
    assert Topic.objects.get(workspace=other).name == "api"


def test_what_was_written_can_be_taken_back(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    write_into(client, "topic", "topic")

    undo(other, Operation.objects.get(workspace=other), "operator")

    assert not (Path(other.root) / "memory/context-api.md").exists()


def test_the_same_form_sent_twice_writes_once(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    for _ in range(2):
        assert write_into(client, "session", "memory") == 303

    assert Operation.objects.filter(workspace=other).count() == 1


def test_a_topic_that_is_there_gets_the_decisions_it_lacks(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    mine = TOPIC.replace("Endpoints live.", "Mine.").replace("Poll every minute", "Ask")
    write(Path(other.root), {"memory/context-api.md": mine})

    write_into(client, "topic", "topic")

    text = (Path(other.root) / "memory/context-api.md").read_text()
    assert "Mine." in text and "Ask" in text and "Poll every minute" in text


@pytest.mark.parametrize("in_the_way", [Path.mkdir, os.mkfifo, leading_elsewhere])
def test_what_is_no_file_in_the_place_of_a_topic_is_refused(
    client: Client,
    workspace: Workspace,
    other: Workspace,
    in_the_way: Callable[[Path], None],
) -> None:
    Path(other.root, "memory").mkdir()
    in_the_way(Path(other.root, "memory/context-api.md"))

    asked = {**query("topic", "topic"), "target": ["other"]}
    answer = client.post(f"{URL}write/", asked, follow=True)

    assert "The file cannot be written: " in answer.content.decode()
    assert not Operation.objects.filter(workspace=other).exists()


def test_other_files_that_are_there_are_left_alone(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    write(Path(other.root), {"MEMORY.md": "mine\n"})

    write_into(client, "pointers", "topic")

    assert (Path(other.root) / "MEMORY.md").read_text() == "mine\n"
    assert (Path(other.root) / "MEMORY-from-acme.md").exists()


def test_in_review_it_waits(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    Workspace.objects.filter(pk=other.pk).update(review_before_writing=True)

    assert write_into(client, "topic", "topic") == 303

    assert not (Path(other.root) / "memory/context-api.md").exists()
    assert Operation.objects.get(workspace=other).state == "staged"


def test_nothing_to_add_is_said(
    client: Client, workspace: Workspace, other: Workspace
) -> None:
    write(Path(other.root), {"memory/context-api.md": TOPIC})
    asked = {**query("topic", "topic"), "target": ["other"]}

    response = client.post(f"{URL}write/", asked, follow=True)

    assert "Nothing was written" in response.content.decode()


@pytest.mark.parametrize("form", ["snapshots", "topic", "session", "pointers"])
def test_odd_texts_are_carried_or_named(
    client: Client, workspace_root: Path, form: str
) -> None:
    odd = TOPIC.replace("Endpoints live.", "<script>x</script>")
    odd = odd.replace("Poll every minute", "<!-- /BIG-MEMORY-SNAPSHOT -->")
    imported(
        workspace_root,
        {
            "memory/context-api.md": odd,
            "memory/a note.md": "# A <b>note\n\n## History\n",
        },
    )
    codes = [topic.code for topic in Topic.objects.all()]

    html = page(client, {"topic": codes, "form": [form]})

    assert "<script>x" not in html and "<b>note" not in html


@pytest.mark.parametrize(
    "asked", [{"topic": ["x"]}, {"form": ["x"]}, {"topic": ["0000000000000"]}]
)
def test_odd_questions_are_answered(
    client: Client, workspace: Workspace, asked: dict[str, list[str]]
) -> None:
    assert page(client, asked)


def test_methods_and_unknown_workspaces(client: Client, workspace: Workspace) -> None:
    assert client.get(f"{URL}write/").status_code == 405
    assert client.post(URL).status_code == 405
    assert client.post(f"{URL}write/", {"target": "nope"}).status_code == 404


@pytest.mark.parametrize("form", ["snapshots", "topic", "session", "pointers"])
def test_it_takes_the_same_queries_for_more_choices(
    client: Client, workspace: Workspace, form: str
) -> None:
    asked = query(form)
    more = "- 2026-11-19: Mend the net\n- 2026-11-18: Tar the boat\n"
    topic = f"# Context: x\n\n## Current Status\nUp.\n\n## Key Decisions\n{more}"
    # What is kept for a minute is asked for once.
    with time_machine.travel(timezone.now(), tick=False):
        few = statements(lambda: page(client, asked))
        say(workspace, {f"memory/context-x{n}.md": topic for n in range(20)})

        assert statements(lambda: page(client, asked)) == few
