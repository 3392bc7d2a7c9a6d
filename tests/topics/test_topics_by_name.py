"""Rows are linked to the topics that their text, their place or their file names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from snapshots.models import LogEntry, OpenItem
from snapshots.services.assigning import assignment
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Topic

pytestmark = pytest.mark.django_db
LOG = "memory/2026-03-02.md"
PROJECT = {
    "memory/projects/berth-billing.md": "# Berth billing\n\nInvoices of the pier.\n"
}
NAMING = """\
## 09:10 Berth billing: samples

Three invoices printed.

## 11:00 Lunch

Nothing.

## Open

- [ ] berth billing: ask Odete for the letter
- [ ] water the fig tree

## Decisions

- Berth-billing stays on the old printer
"""


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def entries() -> dict[str, str | None]:
    return dict(LogEntry.objects.values_list("title", "topic__name"))


def items() -> dict[str, str | None]:
    return dict(OpenItem.objects.values_list("text", "topic__name"))


def test_a_heading_an_item_and_a_decision_that_name_a_project_are_its(
    workspace: Workspace,
) -> None:
    say(workspace, {**PROJECT, LOG: NAMING})
    assert entries() == {"Berth billing: samples": "berth-billing", "Lunch": None}
    assert items() == {
        "berth billing: ask Odete for the letter": "berth-billing",
        "water the fig tree": None,
    }
    decision = Decision.objects.get()
    assert (decision.topic and decision.topic.name) == "berth-billing"
    entry = LogEntry.objects.get(topic__isnull=False)
    event = Event.objects.get(kind="note", target_id=entry.pk)
    assert event.topic == entry.topic
    assert_a_rebuild_changes_nothing(workspace)


def test_a_topic_that_appears_later_links_earlier_rows(workspace: Workspace) -> None:
    say(workspace, {LOG: NAMING})
    assert set(entries().values()) == {None}
    say(workspace, {**PROJECT})
    assert entries()["Berth billing: samples"] == "berth-billing"
    assert_a_rebuild_changes_nothing(workspace)


def test_what_a_person_gave_and_took_back_is_linked_again(workspace: Workspace) -> None:
    say(workspace, {"memory/projects/fig-tree.md": "# Fig tree\n", LOG: NAMING})
    entry = LogEntry.objects.get(title="Berth billing: samples")
    other = Topic.objects.get(name="fig-tree")

    given = assignment(entry, agent=None, topic=other.pk, actor="person:1", key="k-1")
    done = apply_edit(workspace, given)
    say(workspace, {**PROJECT})
    assert entries()["Berth billing: samples"] == "fig-tree"
    assert_a_rebuild_changes_nothing(workspace)

    undo(workspace, done, "person:1")
    say(workspace, {"notes.md": "# Notes\n"})
    assert entries()["Berth billing: samples"] == "berth-billing"
    topics = Event.objects.filter(target_id=entry.pk).values_list("topic__name")
    assert set(topics) == {("berth-billing",)}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_topic_whose_file_is_gone_links_no_rows(workspace: Workspace) -> None:
    say(workspace, {**PROJECT, LOG: NAMING})
    say(workspace, {next(iter(PROJECT)): None})
    assert set(entries().values()) == {None}
    assert Decision.objects.get().topic is None
    assert_a_rebuild_changes_nothing(workspace)


def test_front_matter_makes_a_project_a_topic_of_the_whole_file(
    workspace: Workspace,
) -> None:
    matter = "---\nproject: Loom driver\n---\n"
    say(workspace, {LOG: f"{matter}## 10:00 Cables\n\nNew ones.\n"})
    topic = Topic.objects.get()
    assert (topic.name, topic.kind, topic.slug) == (
        "Loom driver",
        Topic.Kind.NAMED,
        "Loom-driver",
    )
    assert entries() == {"Cables": "Loom driver"}
    say(workspace, {LOG: "## 10:00 Cables\n\nNew ones.\n"})
    assert not Topic.objects.exists()
    assert entries() == {"Cables": None}
    assert_a_rebuild_changes_nothing(workspace)


def test_each_project_of_front_matter_is_a_topic_of_its_own_file(
    workspace: Workspace,
) -> None:
    files = {"Loom driver": "memory/2026-03-02.md", "Fig tree": "memory/2026-03-03.md"}
    for name, path in files.items():
        say(
            workspace,
            {path: f"---\ndate: x\nproject: {name}\n---\n## 10:00 On {name}\n\nA.\n"},
        )
    topics = Topic.objects.values_list(
        "name", "file__path", "status_first_line", "status_last_line"
    )
    assert {*topics} == {(name, path, 1, 8) for name, path in files.items()}
    assert entries() == {f"On {name}": name for name in files}


def test_the_entry_of_a_dated_note_is_of_the_notes_topic(workspace: Workspace) -> None:
    note = "---\ndate: 2026-03-02\n---\n# Pruned twice\n\nBoth sides.\n"
    say(workspace, {"memory/fig-tree.md": note})
    assert entries() == {"Pruned twice": "fig-tree"}


def test_a_project_called_like_a_topic_that_is_gone_has_another_address(
    workspace: Workspace,
) -> None:
    for text in ("# Fig tree\n\nWater it.\n", None):
        say(workspace, {"memory/fig-tree.md": text})
    say(workspace, {LOG: "---\nproject: fig-tree\n---\n## 10:00 On\n\nA.\n"})
    gone, named = Topic.objects.order_by("first_seq")
    assert (gone.name, gone.slug) == (named.name, "fig-tree")
    assert named.slug == named.code


def test_a_tag_is_a_topic_once_two_files_have_it(workspace: Workspace) -> None:
    tagged = "---\ntags: [kiln, daily]\n---\n## 10:00 Fired\n\nAll well.\n"
    say(workspace, {LOG: tagged})
    assert not Topic.objects.exists()
    say(workspace, {"memory/2026-03-03.md": tagged.replace("Fired", "Cooled")})
    assert entries() == {"Fired": "kiln", "Cooled": "kiln"}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_group_of_tasks_has_the_threads_of_its_folder(workspace: Workspace) -> None:
    group = (
        "# Task Group: seam-viewer (3D view)\n\napplies_to: cwd=/home/u/mine/viewer\n\n"
        "## User preferences\n\n- the user decided on WebGL\n"
    )
    thread = (
        "thread_id: 0198aa40-a8ff-72e2-a7da-43b8f9befc65\n"
        "updated_at: 2026-08-03T10:40:02+00:00\ncwd: /home/u/mine/viewer\n\n"
        "# Picking fixed\n\nIt returned the seam below.\n"
    )
    path = "memories/rollout_summaries/2026-08-03T09-11-20-abcd-picking.md"
    say(workspace, {path: thread, "memories/MEMORY.md": group})
    assert [*Topic.objects.values_list("name", flat=True)] == ["seam-viewer"]
    assert entries() == {"Picking fixed": "seam-viewer"}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_relation_leads_to_the_note_that_it_names(workspace: Workspace) -> None:
    note = (
        "---\ntitle: Rootstock Order\npermalink: notes/rootstock-order\n---\n\n"
        "- [decision] quince, not seedling\n- implements [[Grafting Plan]]\n"
        "- see [[Nowhere]]\n"
    )
    plan = (
        "---\ntitle: Grafting Plan\npermalink: notes/grafting-plan\n---\n\n"
        "- [plan] thirty trees\n"
    )
    say(workspace, {"notes/Rootstock Order.md": note, "notes/Grafting Plan.md": plan})
    names = {*Topic.objects.values_list("name", flat=True)}
    assert names == {"Rootstock Order", "Grafting Plan"}


def test_a_single_word_names_a_topic_near_the_start_only(workspace: Workspace) -> None:
    far = "we talked about many things over tea and about water"
    log = f"## Plans\n\n- [ ] water: call the plumber\n- [ ] {far}\n"
    say(workspace, {"memory/water.md": "# Water\n\nFour litres.\n", LOG: log})
    assert items() == {"water: call the plumber": "water", far: None}


def test_reports_and_facts_about_people_are_no_topics(workspace: Workspace) -> None:
    fact = "---\nname: {0}\ndescription: d\ntype: {0}\n---\nText.\n"
    say(
        workspace,
        {
            "memory/2026-W19.md": "# Week\n",
            "memory/tagebuch-februar.md": "# Februar\n",
            "memory/README.md": "# About\n",
            "memory/user_role.md": fact.format("user"),
            "memory/feedback_tone.md": fact.format("feedback"),
            "memory/project_parser.md": fact.format("project"),
        },
    )
    assert [*Topic.objects.values_list("name", flat=True)] == ["parser"]


def test_a_topic_without_a_file_has_a_page_and_is_listed(
    client: Client, workspace: Workspace
) -> None:
    matter = "---\nproject: Loom driver\n---\n"
    decided = "\n## Decisions\n\n- Copper, not steel\n"
    say(workspace, {LOG: f"{matter}## 10:00 Cables\n\nNew ones.\n{decided}"})
    page = client.get(f"/w/{workspace.slug}/topics/Loom-driver/")
    assert page.status_code == 200
    text = page.content.decode()
    assert "Cables" in text
    assert "Copper, not steel" in text
    listed = client.get(f"/w/{workspace.slug}/topics/").content.decode()
    assert "Loom driver" in listed
