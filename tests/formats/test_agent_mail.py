from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from memoryhub.dialects import agent_mail
from memoryhub.dialects.registry import detect
from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Agent, Problem, SourceFile, Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

SAMPLES = Path(agent_mail.__file__).parent / "samples"


@pytest.fixture
def workspace(
    workspace_root: Path, make_workspace: Callable[[Path], Workspace]
) -> Workspace:
    return make_workspace(workspace_root)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


NAME = "2026/05/2026-05-02T09-15-00Z__tide-table-is-ready__41.md"
HASH = "0" * 40
PROFILE = '{"name": "B", "program": "p", "task_description": ""}'
RESERVATION = '{"agent": "B", "path_pattern": "*.py"}'


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (f"messages/{NAME}", "---json\n{}\n---\n", "agent_mail"),
        (f"projects/a/agents/B/inbox/{NAME}", "---json\n{}\n---\n", "agent_mail"),
        ("messages/threads/FERRY-7.md", "# Thread FERRY-7\n", "agent_mail"),
        ("agents/B/profile.json", PROFILE, "agent_mail"),
        (f"file_reservations/{HASH}.json", RESERVATION, "agent_mail"),
        ("agents/B/profile.json", '{"name": "B", "phone": "555"}', "plain"),
        (f"file_reservations/{HASH}.json", "{}", "plain"),
        ("messages/2026/05/41.md", "# A note\n", "plain"),
        ("messages/2026/note.md", "---json\n{}\n---\n", "plain"),
        ("file_reservations/other.json", "{}", "plain"),
    ],
)
def test_its_place_and_its_beginning_tell_it(path: str, text: str, name: str) -> None:
    assert detect(PurePosixPath(path), text).name == name


def test_a_message_is_one_entry_wherever_it_lies(workspace: Workspace) -> None:
    message = sample("message.md")
    copies = [
        f"agents/GreenHeron/outbox/{NAME}",
        f"agents/BlueLantern/inbox/{NAME}",
        "messages/threads/FERRY-7.md",
    ]
    thread = b"# Thread FERRY-7\n\n- [ ] Please look at Dock 3.\n"
    files = {f"messages/{NAME}": message, copies[0]: message, copies[1]: message}
    say(workspace, {**files, copies[2]: thread})

    entry = LogEntry.objects.get()
    assert entry.title == "GreenHeron: Tide table is ready"
    assert entry.excerpt.startswith("To BlueLantern; Thread FERRY-7 The table has")
    assert entry.occurred_at is not None
    assert entry.occurred_at.isoformat() == "2026-05-02T09:15:00+00:00"
    assert entry.agent is not None and entry.agent.name == "GreenHeron"
    roles = dict(SourceFile.objects.values_list("path", "role"))
    assert roles == {f"messages/{NAME}": "memory", **dict.fromkeys(copies, "document")}
    titles = {*SourceFile.objects.values_list("title", flat=True)}
    assert titles == {"Tide table is ready", ""}
    # Nobody could close an item of a mail: it states none.
    assert not OpenItem.objects.exists()
    for model in (Handoff, Topic):
        assert not model.objects.exists()
    assert_a_rebuild_changes_nothing(workspace)


def test_profiles_declare_agents_and_reservations_are_entries(
    workspace: Workspace,
) -> None:
    reservation = sample("id-12.json")
    files = {
        "projects/ferry/agents/GreenHeron/profile.json": sample("profile.json"),
        "projects/ferry/file_reservations/id-12.json": reservation,
        f"memory/file_reservations/{HASH}.json": reservation,
        "other/id-12.json": reservation,
        "shop/agents/alice/profile.json": b'{"name": "Alice", "password": "x"}',
    }
    say(workspace, {**files})

    agent = Agent.objects.get(declared=True)
    assert (agent.name, agent.role) == ("GreenHeron", "Reads the tide tables")
    entry = LogEntry.objects.get()
    assert entry.title == "GreenHeron reserved src/tides/*.py"
    assert (entry.excerpt, entry.agent) == ("FERRY-7", agent)
    assert {*SourceFile.objects.values_list("path", flat=True)} == {*files} - {
        "other/id-12.json",
        "shop/agents/alice/profile.json",
    }
    assert_a_rebuild_changes_nothing(workspace)


def test_a_head_that_is_cut_is_a_problem_and_no_entry(workspace: Workspace) -> None:
    say(
        workspace,
        {
            "messages/2026/05/broken.md": sample("broken.md"),
            "messages/2026/05/bare.md": sample("bare-crlf.md"),
        },
    )

    problem = Problem.objects.get()
    assert (problem.code_name, problem.path, problem.line) == (
        "json-invalid",
        "messages/2026/05/broken.md",
        4,
    )
    assert LogEntry.objects.get().title == "BlueLantern"
