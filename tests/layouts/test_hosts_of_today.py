"""Hosts' own folders as workspaces: pages name what they have, and nothing false."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Agent, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import OpenItem
from tests.layouts.test_first_minute import main_of
from tests.writing import assert_a_rebuild_changes_nothing, say, write_files
from topics.models import Decision, Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

_CREW = [
    {"from": "caster", "text": "The mould is dry.\n\n- **two** cracks", "summary": ""}
    | {"timestamp": "2026-11-20T09:12:44.120Z"},
    {"from": "glazer", "text": "Seven kilos of glaze are left."}
    | {"timestamp": "2026-11-20T10:00:00.000Z"},
]
_ISSUE = {
    "id": "ki-1",
    "title": "Fire the tiles",
    "status": "closed",
    "assignee": "caster",
    "created_at": "2026-11-17T09:00:00Z",
    "closed_at": "2026-11-20T15:00:00Z",
    "close_reason": "Fired at 1060 degrees",
}


def imported(root: Path, files: Mapping[str, str]) -> Workspace:
    """Write files into a folder and import it as the workspace `acme`."""
    write_files(root, {**files})
    workspace = add_workspace(root, slug="acme", name="Acme")
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def test_a_message_of_a_team_is_shown_as_its_text(
    client: Client, tmp_path: Path
) -> None:
    inbox = {"kiln/inboxes/lead.json": json.dumps(_CREW)}
    imported(tmp_path / ".claude/teams", inbox)

    for address in ("", "days/2026-11-20/"):
        text = main_of(client, address)
        assert "Seven kilos of glaze are left." in text
        assert "<strong>two</strong> cracks" in text
        assert "timestamp" not in text and "{" not in text


def test_a_closed_issue_is_shown_with_its_reason(
    client: Client, tmp_path: Path
) -> None:
    imported(tmp_path, {".beads/issues.jsonl": json.dumps(_ISSUE) + "\n"})

    for address in ("", "days/2026-11-20/"):
        text = main_of(client, address)
        assert "ki-1 Fire the tiles" in text and "Fired at 1060 degrees" in text
        assert "close_reason" not in text


def test_a_task_of_a_team_that_nobody_took_has_no_agent(tmp_path: Path) -> None:
    free = {"subject": "Mix the clay", "status": "pending"}
    imported(tmp_path / ".claude/tasks", {"kiln/1.json": json.dumps(free)})

    assert OpenItem.objects.get().agent is None
    assert not Agent.objects.exists()


def test_a_task_of_a_session_is_that_of_claude(tmp_path: Path) -> None:
    own = {"subject": "Mix the clay", "status": "pending"}
    session = "1be0c6a2-55f5-4f5f-8a4f-9b7b5d0f7f0e"
    imported(tmp_path / ".claude/tasks", {f"{session}/1.json": json.dumps(own)})

    item = OpenItem.objects.get()

    assert item.agent and item.agent.name == "claude"


def test_a_memory_bank_that_is_the_workspace_is_the_topic_of_its_project(
    tmp_path: Path,
) -> None:
    workspace = imported(
        tmp_path / "horario/memory-bank",
        {
            "activeContext.md": "# Active Context\n\n## Current Focus\nCambios.\n",
            "progress.md": "# Progress\n\n## Done\n- [2026-11-22 10:00] Calendario\n",
        },
    )

    topic = Topic.objects.get()

    assert (topic.name, topic.status) == ("horario", "Cambios.")
    assert topic.history.count() == 1
    formats = SourceFile.objects.values_list("format", flat=True)
    assert set(formats) == {"memory_bank"}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_memory_bank_of_a_project_is_called_as_the_project(tmp_path: Path) -> None:
    focus = "# Active Context\n\n## Current Focus\nCambios.\n"
    imported(tmp_path / "horario", {"memory-bank/activeContext.md": focus})

    assert Topic.objects.get().name == "horario"


def test_notes_of_a_memory_folder_that_is_the_workspace_are_topics(
    tmp_path: Path,
) -> None:
    notes = {
        "MEMORY.md": "- [Debugging](debugging.md)\n",
        "debugging.md": "# Debugging\n\nThe proxy eats the header.\n",
        "2026-11-20.md": "# 2026-11-20\n\n## 09:00 Proxy\nRestarted it.\n",
    }
    imported(tmp_path / ".claude/projects/-srv-shop/memory", notes)

    assert [topic.name for topic in Topic.objects.all()] == ["debugging"]


def test_agents_that_did_nothing_yet_are_counted(
    client: Client, tmp_path: Path
) -> None:
    memory = "The NAS is at nas.local\n§\nNever reboot it by day\n"
    imported(tmp_path / ".hermes", {"memories/MEMORY.md": memory})

    agents = main_of(client, "agents/")

    assert "<h1>1 agent</h1>" in agents
    assert "No agent yet" not in agents


def test_codex_is_measured_by_the_summary_that_it_gives(
    client: Client, tmp_path: Path
) -> None:
    index, summary = "# Task Group: kiln\n" * 400, "## User Profile\nNoor, potter.\n"
    codex = {"MEMORY.md": index, "memory_summary.md": summary}
    imported(tmp_path / ".codex/memories", codex)

    for address in ("", "health/"):
        text = main_of(client, address)
        assert "memory_summary.md" in text and "of 2500 tokens" in text
        assert "cut off" not in text and "left out" not in text


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (".openclaw/workspace", "11 of 20000 characters"),
        (".claude/projects/-srv-shop/memory", "1 of 200 lines"),
        (".hermes/memories", "11 of 2200 characters"),
    ],
)
def test_a_limit_is_shown_in_the_unit_of_its_host(
    client: Client, tmp_path: Path, place: str, words: str
) -> None:
    signs = {"SOUL.md": "# Soul\n"} if "openclaw" in place else {}
    imported(tmp_path / place, {"MEMORY.md": "退货期七天不是十四天\n", **signs})

    for address in ("", "health/"):
        assert words in main_of(client, address), address


def test_no_line_is_cut_off_where_nothing_shows_a_host(
    client: Client, tmp_path: Path
) -> None:
    facts = "".join(f"- Mooring {number} is rented.\n" for number in range(263))
    imported(tmp_path / "harbour", {"MEMORY.md": f"# Harbour\n\n{facts}"})

    for address in ("", "health/", "files/MEMORY.md"):
        text = main_of(client, address)
        assert not re.search("cut off|left out|reads nothing", text), address
    assert "no sign of a host that cuts it" in main_of(client, "health/")


def test_a_full_memory_of_hermes_is_full_and_still_read(
    client: Client, tmp_path: Path
) -> None:
    imported(tmp_path / ".hermes/memories", {"MEMORY.md": "Backups at two.\n§\n" * 200})

    assert "full: Hermes adds no more" in main_of(client, "")
    assert "reads nothing" not in main_of(client, "files/MEMORY.md")


def test_an_undated_decision_shows_the_day_of_its_file(
    client: Client, tmp_path: Path
) -> None:
    root = tmp_path / ".claude/agent-memory"
    said = "## Decisions\n- We decided to reject a `JWT` without **aud**.\n"
    write_files(root, {"auditor/MEMORY.md": said})
    os.utime(root / "auditor/MEMORY.md", (1_762_000_000, 1_762_000_000))
    imported(root, {})

    log = main_of(client, "decisions/")

    assert "1 Nov" in log and "file’s last change" in log
    assert "not recorded" not in log.replace("Reason not recorded", "")
    assert "`" not in log and "**" not in log


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("session_2026-11-21_rabatt.md", "# Rabatt\n"),
        ("memory/rabatt.md", "---\nmodified: 2026-11-21T14:00Z\n---\n# Rabatt\n"),
        ("memory/rabatt.md", "# Скидки, 21 ноября 2026\n"),
        ("memory/rabatt.md", "# Rabatt\n\n**Datum:** 21.11.2026\n"),
        ("memory/rabatt.md", "# 割引\n\n日付：2026年11月21日\n"),
        ("memory/rabatt.md", "# Rabatt\n\nSaturday, November 21, 2026\n"),
    ],
)
def test_a_note_is_of_the_day_that_its_name_or_its_beginning_names(
    tmp_path: Path, path: str, text: str
) -> None:
    imported(tmp_path / "notizen", {path: f"{text}\nDecision: one discount a bill\n"})

    decision = Decision.objects.get()

    assert decision.precision == "day"
    assert decision.occurred_at.date().isoformat() == "2026-11-21"


@pytest.mark.parametrize(
    "text",
    [
        "# Rabatt\n\nSince 2026-11-21 nobody pays twice.\n",
        "# Rabatt\n\n- **Due:** 2026-11-21\n",
        "# Rabatt\n" + "\nWords.\n" * 9 + "\nDate: 2026-11-21\n",
    ],
)
def test_a_day_in_a_sentence_is_not_that_of_the_note(tmp_path: Path, text: str) -> None:
    note = f"{text}\nDecision: one discount a bill\n"
    imported(tmp_path / "notizen", {"memory/rabatt.md": note})

    assert Decision.objects.get().precision == "none"


def test_headings_of_a_bank_s_log_may_name_their_day_in_words(tmp_path: Path) -> None:
    log = (
        "# Decision Log\n\n## November 20, 2026 - No mail\n\n"
        "**Decision:** Notices go by push only.\n**Rationale:** nobody reads mail\n\n"
        "## 3 de noviembre de 2026: Two steps\n\n"
        "**Decision:** Both families agree first.\n"
    )
    imported(tmp_path / "horario", {"memory-bank/decisionLog.md": log})

    days = Decision.objects.order_by("decided_on").values_list("decided_on", "text")

    assert [(str(day), text) for day, text in days] == [
        ("2026-11-03", "Both families agree first."),
        ("2026-11-20", "Notices go by push only."),
    ]


def test_the_overview_shows_the_newest_handoff_note(
    client: Client, tmp_path: Path
) -> None:
    left = "# Übergabe\n\nVon: maler\n\n## Erledigt\n- Rahmen gestrichen\n"
    older = "# Handoff\n\n## Next\n- sand the frame\n"
    notes = {
        "HANDOFF.md": f"{left}\n## Nächste Schritte\n- Glas einsetzen\n",
        "handoffs/2026-01-02-frame.md": older,
        "memory/2026-01-05.md": "# 2026-01-05\n\n## 09:00 Frame\nSanded.\n",
    }
    imported(tmp_path / "werkstatt", notes)

    overview = main_of(client, "").partition('id="notes-h"')[2]

    assert "Done: Rahmen gestrichen" in overview
    assert overview.index("Glas einsetzen") < overview.index("sand the frame")


def test_instructions_are_no_memory(client: Client, tmp_path: Path) -> None:
    skill = "---\nname: fire\ndescription: How to fire\n---\nUse the big kiln.\n"
    files = {
        ".claude/skills/fire/SKILL.md": skill,
        ".claude/commands/ship.md": "Ship it.\n",
        "CLAUDE.md": "Tabs only.\n",
        "memory/kiln.md": "The kiln is on the left.\n",
    }
    imported(tmp_path / "kiln", files)

    overview = main_of(client, "")
    memory = overview.partition(">Memory<")[2].partition("Other files")[0]

    assert "kiln.md" in memory and "SKILL.md" not in memory
    assert "CLAUDE.md" not in memory and "ship.md" not in memory
    assert "Use the big kiln." not in overview


def test_notes_of_a_memory_folder_that_is_the_workspace_are_watched(
    client: Client, tmp_path: Path
) -> None:
    long = "# Debugging\n" + "".join(f"- fact {n}\n" for n in range(30))
    workspace = imported(tmp_path / "shop/memory", {"debugging.md": long})
    say(workspace, {"debugging.md": "# Debugging\n"})

    assert "1 thing needs your answer" in main_of(client, "")


def test_a_task_is_listed_by_its_subject(client: Client, tmp_path: Path) -> None:
    task = {"subject": "Mix the clay", "status": "completed"}
    imported(tmp_path / ".claude/tasks", {"kiln/1.json": json.dumps(task)})

    assert "Mix the clay" in main_of(client, "")


def test_an_export_of_nothing_names_what_agents_are_given(
    client: Client, tmp_path: Path
) -> None:
    imported(tmp_path / "notes", {"kiln.md": "# Kiln\n\nOn the left.\n"})

    page = main_of(client, "handover/")

    assert "These files state no topic, snapshot or decision." in page
    assert "Select topics" not in page


def test_the_list_of_workspaces_says_what_each_has(
    client: Client, tmp_path: Path
) -> None:
    imported(tmp_path / "notes", {"memory/kiln.md": "# Kiln\n\nDecision: buy cones\n"})

    page = client.get("/?all").content.decode()

    assert "1 file ·" in page and " · 1 decision<" in page.replace(" <", "<")
    assert "0 snapshots" not in page


def test_an_empty_file_has_no_line(client: Client, tmp_path: Path) -> None:
    imported(tmp_path / "notes", {"leer.md": "", "voll.md": "eins\n"})

    overview = main_of(client, "")

    assert "0 lines" in overview and overview.count("1 line<") == 1


def test_what_is_found_in_data_is_shown_without_its_syntax(
    client: Client, tmp_path: Path
) -> None:
    inbox = {"kiln/inboxes/lead.json": json.dumps(_CREW)}
    imported(tmp_path / ".claude/teams", inbox)

    found = main_of(client, "search/?q=mould&stay=1")

    assert "The <mark>mould</mark> is dry." in found
    assert "{" not in found.partition("The <mark>")[0].rpartition("<p")[2]
    assert "&quot;" not in found.partition("The <mark>")[2].partition("</p>")[0]


def test_what_serena_does_after_each_task_is_not_open(tmp_path: Path) -> None:
    steps = "# Что делать после задачи\n\n1. Запустить `check`.\n2. Обновить журнал.\n"
    imported(tmp_path / "kasse/.serena/memories", {"task_completion.md": steps})

    assert not OpenItem.objects.exists()


def test_workspaces_inside_are_named_on_the_overview(
    client: Client, tmp_path: Path
) -> None:
    files = {"SOUL.md": "# Soul\n", "workspace-bücher/MEMORY.md": "# Bücher\n"}
    imported(tmp_path / ".openclaw/workspace", files)

    assert "workspace-bücher" in main_of(client, "")
    assert "workspace-bücher" in main_of(client, "health/")
