from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.callers import Caller
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import LogEntry, OpenItem, SessionMemory, Snapshot
from tests.tools.asking import asked
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

MakeWorkspace = Callable[[Path], Workspace]

LOG = "memory/2026-11-01.md"
MAP = "memory/context-session-map.json"
KEY = "agent:dev:telegram:direct:7"


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def block(marks: str = "", goal: str = "Ship") -> str:
    return (
        "<!-- BIG-MEMORY-SNAPSHOT v1 -->\n<!-- snapshot-id: 2026-11-01-01 -->\n"
        f"{marks}\n### [SNAPSHOT] Active Goal\n{goal}\n\n"
        "<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )


def memory(memory_id: str) -> str:
    return (
        f"---\nid: {memory_id}\n---\n\n## Session ID\nWFS-1\n\n"
        "## Project Root\n/shop\n\n"
        "## Objective\nShip\n\n## Execution Plan\n\n### Source: inferred\n\n"
        "## Working Files (Modified)\n\n## Last Action\nnone\n\n## Decisions\n\n"
        "## Pending\n\n(none)\n\n## Notes\n\n(none)\n"
    )


def owner() -> tuple[str, str]:
    snapshot = Snapshot.objects.select_related("agent").get(last_seq=None)
    return snapshot.agent.name if snapshot.agent else "", snapshot.agent_rule


def topic() -> tuple[str, str]:
    snapshot = Snapshot.objects.get(last_seq=None)
    name = Topic.objects.filter(id=snapshot.topic_id or 0).values_list(
        "name", flat=True
    )
    return next(iter(name), ""), snapshot.topic_rule


def test_nobody_owns_what_no_file_assigns(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + block()})

    assert (owner(), topic()) == (("", ""), ("", ""))


def test_a_marker_decides_before_all_else(workspace: Workspace) -> None:
    say(workspace, {
        "AGENTS.md": "# AGENTS\n\n## Agents\n\n- **only**: everything\n",
        "memory/context-billing.md": "# billing\n\n## Current Status\nok\n",
        MAP: f'{{"{KEY}": "other"}}',
    })  # fmt: skip
    marks = "<!-- agent: fin -->\n<!-- topic: billing -->\n"
    say(workspace, {LOG: f"# Day\n\nsession `{KEY}`\n\n" + block(marks)})

    assert owner() == ("fin", "marker")
    assert topic() == ("billing", "marker")


def test_the_only_agent_and_the_only_binding_are_taken(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-billing.md": "# billing\n\n## Current Status\nok\n",
        MAP: f'{{"{KEY}": "billing"}}',
    })  # fmt: skip
    say(workspace, {LOG: "# Day\n\n" + block()})

    assert owner() == ("dev", "only")
    assert topic() == ("billing", "binding")


@pytest.mark.django_db(transaction=True)
def test_what_an_agent_appends_is_its_own_and_its_topic_is_not_guessed(
    workspace: Workspace,
) -> None:
    say(
        workspace, {MAP: f'{{"{KEY}": "billing"}}', LOG: "# Day\n\n## Early\nBy hand\n"}
    )
    ops = Caller(workspace, "ops", agent="ops")
    asked(ops, "memory_append", content="## Late\nBy ops\n", day="2026-11-01")
    asked(ops, "memory_append", content="- [ ] Call back\n", day="2026-11-01")
    say(workspace, {LOG: (Path(workspace.root) / LOG).read_text() + "More\n"})

    told = ("title", "agent__name", "topic_rule")
    entries = LogEntry.objects.order_by("position").values_list(*told)
    assert list(entries) == [("Early", "dev", "binding"), ("Late", "ops", "")]
    assert OpenItem.objects.get().agent == Agent.objects.get(name="ops")
    assert_a_rebuild_changes_nothing(workspace)


def test_no_topic_is_guessed_for_a_session_that_is_bound_to_none(
    workspace: Workspace,
) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "billing"}}'})
    say(workspace, {LOG: "# Day\n\nsession `agent:dev:telegram:8`\n\n" + block()})

    assert (owner(), topic()) == (("dev", "session"), ("", ""))


def test_two_agents_and_two_bindings_leave_it_open(workspace: Workspace) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "a", "agent:fin:cli:direct:1": "b"}}'})
    say(workspace, {LOG: "# Day\n\n" + block()})

    assert (owner(), topic()) == (("", ""), ("", ""))


def test_each_log_is_of_the_topic_bound_when_it_was_read(
    workspace: Workspace,
) -> None:
    bound = [f'{{"{KEY}": "a"}}', f'{{"{KEY}": "b"}}', "{}"]
    for day, session_map in enumerate(bound, 1):
        say(workspace, {MAP: session_map})
        say(workspace, {f"memory/2026-11-0{day}.md": "# Day\n\n## Done\nWork\n"})

    rules = LogEntry.objects.order_by("first_seq").values_list("topic_rule", flat=True)
    assert list(rules) == ["binding", "binding", ""]
    assert len(set(LogEntry.objects.values_list("topic_id", flat=True))) == 3
    assert_a_rebuild_changes_nothing(workspace)


def test_a_folder_s_agent_comes_before_the_only_one(workspace: Workspace) -> None:
    say(workspace, {MAP: f'{{"{KEY}": "a"}}'})
    say(workspace, {"agents/fin/memory/2026-11-01.md": "# Day\n\n" + block()})

    assert owner() == ("fin", "workspace")


@pytest.mark.django_db
def test_a_workspace_s_own_agent_is_taken(tmp_path: Path, hub_data: Path) -> None:
    root = tmp_path / "workspace-fin"
    root.mkdir()
    say(add_workspace(root), {LOG: "# Day\n\n" + block()})

    assert owner() == ("fin", "workspace")
    assert Agent.objects.get().declared


def test_a_session_of_the_file_tells_agent_and_topic(workspace: Workspace) -> None:
    say(workspace, {
        "memory/context-a.md": "# a\n\n## Current Status\nok\n",
        "memory/context-b.md": "# b\n\n## Current Status\nok\n",
        MAP: f'{{"{KEY}": "a", "agent:fin:cli:direct:1": "b"}}',
    })  # fmt: skip
    say(workspace, {LOG: f"# Day\n\n**Session**: {KEY}\n\n" + block()})

    assert owner() == ("dev", "session")
    assert topic() == ("a", "session")


def test_a_log_that_names_sessions_of_two_agents_is_of_neither(
    workspace: Workspace,
) -> None:
    say(workspace, {"memory/context-a.md": "# a\n\n## Current Status\nok\n"})
    other = "agent:fin:cli:direct:1"
    say(workspace, {MAP: f'{{"{KEY}": "a", "{other}": "b"}}'})
    say(workspace, {LOG: f"# Day\n\n`{other}` told `{KEY}`\n\n" + block()})

    assert (owner(), topic()) == (("", ""), ("", ""))


@pytest.mark.parametrize(
    ("name", "heading", "at", "precision"),
    [
        ("2026-11-01", "Done", time(0), "day"),
        ("2026-11-01-1430", "Done", time(14, 30), "minute"),
        ("2026-11-01-1430", "15:05 - Done", time(15, 5), "minute"),
    ],
)
def test_an_entry_has_its_own_time_or_that_of_its_file_s_name(
    workspace: Workspace, name: str, heading: str, at: time, precision: str
) -> None:
    say(workspace, {f"memory/{name}.md": f"# Day\n\n## {heading}\nWork\n"})

    entry = LogEntry.objects.get()
    zone = ZoneInfo(workspace.time_zone)
    assert entry.occurred_at == datetime.combine(date(2026, 11, 1), at, zone)
    assert entry.precision == precision


def test_an_entry_has_its_heading_and_the_beginning_of_its_text(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: "# Day\n\n## 15:05 - Done\nThe work.\n"})

    entry = LogEntry.objects.get()
    assert (entry.title, entry.excerpt) == ("Done", "The work.")


@pytest.mark.parametrize("zone", ["UTC+5", "Asia/Yekaterinburg"])
def test_a_session_began_in_the_zone_that_it_names(
    workspace: Workspace, zone: str
) -> None:
    head = f"# Session: 2026-11-01 10:00:00 {zone}\n\n- **Session Key**: {KEY}\n"
    say(workspace, {LOG: f"{head}\n## Conversation Summary\n\nuser: hello\n"})

    entry = LogEntry.objects.get()
    assert entry.occurred_at == datetime(2026, 11, 1, 5, tzinfo=ZoneInfo("UTC"))


def test_a_snapshot_that_comes_back_is_opened_again(workspace: Workspace) -> None:
    for text in (block(), "nothing\n", block()):
        say(workspace, {LOG: f"# Day\n\n{text}"})

    snapshot = Snapshot.objects.get()
    assert (snapshot.first_seq, snapshot.last_seq) == (1, None)
    assert snapshot.sections.count() == 1
    assert_a_rebuild_changes_nothing(workspace)


def test_a_copy_of_what_was_changed_since_is_no_copy(workspace: Workspace) -> None:
    say(workspace, {LOG: block()})
    say(workspace, {LOG: block(goal="Other"), "memory/archive/2026-11-01.md": block()})

    archived = Snapshot.objects.get(goal="Ship", last_seq=None)
    assert archived.copy_of_id is None
    assert_a_rebuild_changes_nothing(workspace)


def test_equal_blocks_in_one_file_are_one_and_its_copies(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + block() * 3})

    first, *copies = Snapshot.objects.order_by("position")
    assert first.copy_of_id is None
    assert {copy.copy_of_id for copy in copies} == {first.id}


def test_a_copied_session_memory_is_a_row_of_its_own(workspace: Workspace) -> None:
    text = memory("CMEM-20261101-100000")
    say(workspace, {
        "memory/sessions/CMEM-20261101-100000.md": text,
        "memory/archive/CMEM-20261101-100000.md": text + "\nmore\n",
    })  # fmt: skip

    assert SessionMemory.objects.filter(last_seq=None).count() == 2
    assert_a_rebuild_changes_nothing(workspace)


def test_a_session_memory_keeps_its_row_in_another_file(workspace: Workspace) -> None:
    text = memory("CMEM-20261101-100000")
    say(workspace, {"memory/sessions/CMEM-20261101-100000.md": text})
    say(workspace, {"memory/sessions/CMEM-20261101-100000.md": None})
    say(workspace, {"memory/archive/CMEM-20261101-100000.md": text + "\nmore\n"})

    assert SessionMemory.objects.get().last_seq is None
    assert_a_rebuild_changes_nothing(workspace)


def test_a_copied_session_memory_stays_its_own_row_without_the_first(
    workspace: Workspace,
) -> None:
    text = memory("CMEM-20261101-100000")
    first, second = "memory/sessions/CMEM-1.md", "memory/archive/CMEM-1.md"
    say(workspace, {first: text})
    say(workspace, {second: text})
    copy = SessionMemory.objects.get(file__path=second)

    say(workspace, {first: None})
    say(workspace, {second: text.replace("Ship", "Ship it")})

    (alive,) = SessionMemory.objects.filter(last_seq=None)
    assert (alive.pk, alive.objective) == (copy.pk, "Ship it")
    assert_a_rebuild_changes_nothing(workspace)


def test_a_log_that_becomes_a_transcript_is_one_entry(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n## 10:00 - One\n\ntext\n\n## 11:00 - Two\n\ntext\n"})
    say(workspace, {
        LOG: f"# Session: 2026-11-01 10:00:00 UTC\n\n- **Session Key**: {KEY}\n"
        "- **Session ID**: x\n- **Source**: cli\n\n## Conversation Summary\n\n"
        "user: hello\nassistant: hi\n"
    })  # fmt: skip

    entry = LogEntry.objects.get(last_seq=None)
    assert (entry.kind, entry.title) == ("session", "hello")


@pytest.mark.parametrize("said", [" Move the backup.", '\n\n{"a": 1} is what it says'])
def test_a_transcript_is_titled_by_a_person_not_by_what_its_host_says(
    workspace: Workspace, said: str
) -> None:
    data = 'Sender (untrusted metadata):\n```json\n{\n  "label": "x"\n}\n```\n'
    say(workspace, {
        LOG: f"# Session: 2026-11-01 10:00:00 UTC\n\n- **Session Key**: {KEY}\n\n"
        f"## Conversation Summary\n\nuser: {data}\nassistant: What?\n"
        f"user: Conversation info:\n```\nx\n```\n\n{data}{said}\nassistant: Yes.\n"
    })  # fmt: skip

    assert LogEntry.objects.get().title == said.strip()


def test_a_snapshot_of_a_day_to_come_is_of_when_it_was_read(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: block("<!-- timestamp: 2999-01-01T10:00:00 -->")})

    snapshot = Snapshot.objects.get()
    assert snapshot.precision == Precision.NONE
    assert snapshot.occurred_at <= timezone.now()
    assert_a_rebuild_changes_nothing(workspace)
