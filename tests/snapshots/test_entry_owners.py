"""Entries of logs have the agent that path, identity, front matter or text names."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.journal.models import Agent, Source, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.timeline.queries.agents import agents_now
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing
from topics.models import Decision

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "memory/2026-05-03.md"
ENTRY = "# 2026-05-03\n\n## 09:00 Round\nDone.\n"
TRANSCRIPT = (
    "# Session: 2026-05-04 10:22:51 UTC\n\n"
    "- **Session Key**: agent:main:telegram:direct:1\n"
    "- **Session ID**: x\n- **Source**: telegram\n\nuser: hello\nassistant: hi\n"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "w").mkdir()
    return add_workspace(tmp_path / "w", slug="w")


def _say(workspace: Workspace, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = Path(workspace.root) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    sync_workspace(workspace)


def _agents(workspace: Workspace) -> list[str]:
    rows = LogEntry.objects.filter(workspace=workspace, last_seq=None)
    ordered = rows.order_by("file__path", "first_line")
    return [row.agent.name if row.agent else "" for row in ordered]


def test_main_and_the_name_of_the_identity_are_one_agent(workspace: Workspace) -> None:
    _say(
        workspace,
        {
            "IDENTITY.md": "- **Nome:** Fermento\n",
            LOG: ENTRY,
            "memory/2026-05-04-1022.md": TRANSCRIPT,
        },
    )

    assert _agents(workspace) == ["Fermento", "Fermento"]
    assert [agent.name for agent in Agent.objects.all()] == ["Fermento"]
    assert_a_rebuild_changes_nothing(workspace)


def test_what_a_person_calls_its_agent_names_it(workspace: Workspace) -> None:
    _say(workspace, {"USER.md": "- 이름: 하람\n- 조수 이름: 몽실\n", LOG: ENTRY})

    assert _agents(workspace) == ["몽실"]


def test_a_name_read_before_counts_for_a_later_import(workspace: Workspace) -> None:
    _say(workspace, {"SOUL.md": "I'm Humus.\n", "AGENTS.md": "## Agents\n- **b**: x\n"})
    _say(workspace, {LOG: ENTRY})

    assert _agents(workspace) == ["Humus"]
    assert_a_rebuild_changes_nothing(workspace)


def test_the_author_in_front_matter_decides(workspace: Workspace) -> None:
    _say(
        workspace,
        {"IDENTITY.md": "Name: Ada\n", LOG: f"---\nagent: nightfold\n---\n{ENTRY}"},
    )

    assert _agents(workspace) == ["nightfold"]


def test_what_a_log_leaves_open_is_its_authors(workspace: Workspace) -> None:
    stated = "\n## Open\n- [ ] Order twine\n\n## Decisions\n- We keep the old loom\n"
    log = f"---\nagent: nightfold\n---\n{ENTRY}{stated}"
    _say(workspace, {"IDENTITY.md": "Name: Ada\n", LOG: log})

    (item,), (decision,) = OpenItem.objects.all(), Decision.objects.all()
    assert item.agent and decision.agent
    assert (item.agent.name, decision.agent.name) == ("nightfold", "nightfold")


def test_an_agent_named_in_one_log_writes_the_others(workspace: Workspace) -> None:
    _say(
        workspace,
        {
            LOG: "# Notes\n\nAgent: Wedge · model: small\n\n## 09:00 A\nB.\n",
            "memory/2026-05-04.md": ENTRY,
        },
    )

    assert _agents(workspace) == ["Wedge", "Wedge"]


def test_the_folder_of_an_agent_names_it(workspace: Workspace) -> None:
    _say(
        workspace,
        {
            "IDENTITY.md": "Name: Ada\n",
            "agents/wick/IDENTITY.md": "Name: Wick\n",
            f"agents/wick/{LOG}": ENTRY,
            LOG: ENTRY,
        },
    )

    assert _agents(workspace) == ["wick", "Ada"]


def test_an_identity_that_is_gone_names_nobody(workspace: Workspace) -> None:
    _say(workspace, {"IDENTITY.md": "Name: Ada\n", LOG: ENTRY})
    (Path(workspace.root) / "IDENTITY.md").write_text("Name: Bea\n")
    _say(workspace, {"memory/2026-05-04.md": ENTRY})

    assert _agents(workspace) == ["Ada", "Bea"]
    assert_a_rebuild_changes_nothing(workspace)


def test_the_agent_of_a_saved_session_writes_the_logs_of_the_days(
    workspace: Workspace,
) -> None:
    session = TRANSCRIPT.replace("agent:main:", "agent:kelp:")
    _say(workspace, {LOG: ENTRY, "memory/2026-05-04-1022.md": session})

    assert _agents(workspace) == ["kelp", "kelp"]


def test_main_names_nobody_else(workspace: Workspace) -> None:
    _say(workspace, {LOG: ENTRY, "memory/2026-05-04-1022.md": TRANSCRIPT})

    assert _agents(workspace) == ["", "main"]


def test_what_the_agents_are_told_to_be_names_them(workspace: Workspace) -> None:
    _say(workspace, {"AGENTS.md": "You are Tamp, at a bakery.\n", LOG: ENTRY})

    assert _agents(workspace) == ["Tamp"]


ROSTER = "# Team\n\n## Agents\n\n### wick\n\n### ada\n\nTends the tills.\n"


def test_a_role_without_words_names_no_folder_in_a_later_import(
    workspace: Workspace,
) -> None:
    _say(workspace, {"AGENTS.md": ROSTER})
    _say(workspace, {LOG: ENTRY})

    assert _agents(workspace) == [""]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_changed_list_of_roles_keeps_those_that_it_still_has(
    workspace: Workspace,
) -> None:
    _say(workspace, {"AGENTS.md": f"You are Tamp.\n\n{ROSTER}"})
    _say(workspace, {"AGENTS.md": f"You are Tamp.\n\n{ROSTER}\nAnd the ovens.\n"})

    stated = Source.objects.filter(target_kind="agent", last_seq=None)
    agents = Agent.objects.filter(pk__in=stated.values("target_id"))
    assert {agent.name for agent in agents} == {"wick", "ada"}
    assert_a_rebuild_changes_nothing(workspace)


CREW = "# Agents\n\n- **Scout**: reads logs\n- **merge-bot**: writes merges\n"


def test_an_agent_in_a_heading_writes_that_entry(workspace: Workspace) -> None:
    log = (
        "# 2026-05-03\n\n## 09:00 Scout: Redis\nGone.\n"
        "\n## [merge-bot] 10:00 Yard\nMerged.\n"
        "\n## 11:00 Lunch: soup\nGood.\n\n## 12:00 — Tide table (scout)\nRead.\n\n"
        "Decisions:\n- Keep the volume for two weeks.\n"
    )
    _say(workspace, {"AGENTS.md": CREW, LOG: log})

    assert _agents(workspace) == ["Scout", "merge-bot", "", "Scout"]
    assert [one.agent and one.agent.name for one in Decision.objects.all()] == ["Scout"]
    assert_a_rebuild_changes_nothing(workspace)


def test_authors_are_the_declared_agent_in_any_case(workspace: Workspace) -> None:
    _say(
        workspace,
        {
            "AGENTS.md": CREW,
            LOG: f"---\nagent: scout\n---\n{ENTRY}",
            "HANDOFF.md": "From: SCOUT\nTo: merge-bot\n\n## Next\n- run it on yard 3\n",
        },
    )

    assert _agents(workspace)[-1:] == ["Scout"]
    assert [item.agent and item.agent.name for item in OpenItem.objects.all()] == [
        "Scout"
    ]
    assert {agent.name for agent in Agent.objects.all()} == {"Scout", "merge-bot"}
    assert_a_rebuild_changes_nothing(workspace)


def test_the_author_of_a_plans_decision_made_it(workspace: Workspace) -> None:
    plan = (
        "# Berths\n\n## Progress\n\n- [ ] Wire it\n\n## Decision Log\n\n"
        "- Decision: Merge by slot.\n  Rationale: Ids repeat.\n"
        "  Date/Author: 2026-11-24 / pilot\n"
        "- Decision: Ask the yard first.\n  Date/Author: 2026-11-25 / the whole team\n"
    )
    _say(workspace, {"plans/berths.md": plan})

    made = {one.text: one.agent and one.agent.name for one in Decision.objects.all()}
    assert made == {"Merge by slot.": "pilot", "Ask the yard first.": None}
    assert_a_rebuild_changes_nothing(workspace)


def test_a_session_key_names_the_declared_agent_in_any_case(
    workspace: Workspace,
) -> None:
    session = TRANSCRIPT.replace("agent:main:", "agent:scout:")
    _say(workspace, {"AGENTS.md": CREW, "memory/2026-05-04-1022.md": session})

    assert _agents(workspace) == ["Scout"]
    shown = [agent.name for agent in agents_now(workspace, timezone.now())]
    assert shown == ["Scout", "merge-bot"]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_folder_and_the_identity_in_it_are_one_agent(tmp_path: Path) -> None:
    (tmp_path / "workspace-forge").mkdir()
    workspace = add_workspace(tmp_path / "workspace-forge", slug="forge")
    _say(workspace, {"IDENTITY.md": "- **Name:** Tico\n", LOG: ENTRY})

    assert _agents(workspace) == ["forge"]
    assert [(agent.name, agent.role) for agent in Agent.objects.all()] == [
        ("forge", "Tico")
    ]
    assert_a_rebuild_changes_nothing(workspace)


def test_a_title_loses_both_marks_of_its_bold_text(workspace: Workspace) -> None:
    _say(workspace, {LOG: "## 9h15 — **Sauvegarde** `nas`\nFaite.\n"})

    assert [row.title for row in LogEntry.objects.all()] == ["Sauvegarde `nas`"]
