"""What an agent is told of a topic, in tokens: one number a form, behind every door."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.formats.injection import wrap
from memoryhub.journal.models import Workspace
from memoryhub.recall.topic import FORMS
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import imported
from tests.tools.doors import DOORS
from topics.models import Topic

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("hub_data"),
]

SAMPLE = Path(__file__).parents[1] / "samples/acme-checkout"


@pytest.fixture
def workspace() -> Workspace:
    added = add_workspace(SAMPLE, slug="acme")
    sync_workspace(added)
    return added


def number(html: str, pattern: str) -> dict[str, int]:
    """Return the numbers of a page by the names they stand beside."""
    return {name: int(count) for name, count in re.findall(pattern, html, re.DOTALL)}


def page(client: Client, path: str) -> str:
    return client.get(f"/w/acme/{path}").content.decode()


def test_pages_and_programs_count_the_same_in_every_form(
    client: Client, workspace: Workspace
) -> None:
    for topic in Topic.objects.filter(workspace=workspace, last_seq=None):
        for form in FORMS:
            shown = page(client, f"topics/{topic.slug}/recall/?form={form}")
            (count,) = re.findall(r'class="meta"><span>(\d+) tokens', shown)
            said = CallerOptions(workspace="acme")
            fields = {"topic": topic.name, "form": form}
            for door in (DOORS["rest"], DOORS["mcp"]):
                assert door(said, "recall", fields).fields["tokens"] == int(count)


def test_every_page_names_the_form_and_counts_what_snap_memory_injects(
    client: Client, workspace: Workspace
) -> None:
    topics = Topic.objects.filter(workspace=workspace, last_seq=None)
    real = {
        t.slug: -(-len(wrap((SAMPLE / t.file.path).read_text())) // 4) for t in topics
    }
    overview = page(client, "")
    link = r'topics/([^/"]*)/recall/\?form=snap-memory"[^<]*>'
    busiest = number(overview, link + r'[^<]*</a>.*?class="end">(\d+) tok')
    agents = {
        slug: count
        for name in ("builder", "planner", "docs", "scout", "qa")
        for slug, count in number(
            page(client, f"agents/{name}/"), link + r"recall, (\d+)"
        ).items()
    }

    assert "api-redesign" in busiest and len(busiest) == 4 and agents
    for slug in real:
        tab = number(
            page(client, f"topics/{slug}/"), link + r".*?(\d+) tok as snap-memory"
        )
        assert {**busiest, **agents, **tab}[slug] == real[slug] == tab[slug]
    assert "snap-memory injects" in overview


def test_a_topic_whose_file_is_deleted_is_told_nothing_by_snap_memory(
    client: Client, workspace_root: Path
) -> None:
    key = "agent:winch:main"
    text = f"# crane\n\n## Meta\n- **session**: {key}\n\n## Current Status\nUp.\n"
    session_map = f'{{"{key}": "crane"}}'
    files = {
        "memory/context-crane.md": text,
        "memory/context-session-map.json": session_map,
    }
    added = imported(workspace_root, files)
    (workspace_root / "memory/context-crane.md").unlink()
    sync_workspace(added)

    said = CallerOptions(workspace="acme")
    fields = {"topic": "crane", "form": "snap-memory"}
    answers = [DOORS[door](said, "recall", fields) for door in ("rest", "mcp")]
    event = {"event": {}, "ctx": {"sessionKey": key}}
    hook = {"host": "openclaw", "event": "before_prompt_build", "said": event}

    assert DOORS["rest"](said, "lifecycle_event", hook).fields["output"] is None
    assert [each.fields["tokens"] for each in answers] == [0, 0]
    shown = page(client, "topics/crane/recall/?form=snap-memory")
    assert re.findall(r'class="meta">\s*<span>\s*(\d+) tokens', shown) == ["0"]
    assert "deleted, so nothing of it" in shown
    assert "recall, 0 tokens as snap-memory" in page(client, "agents/winch/")
