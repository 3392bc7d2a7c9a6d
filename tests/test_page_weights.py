"""Pages of a workspace that has much of everything are small as they are sent."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.people.policy import operator
from tests.factories import TOPIC, imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

#: Bytes of a page. Left out is what shows or lists a whole: a file, a day, a recall,
#: what can be handed over, an import's files, all that waits where that is asked for.
LIMIT = 16_000
PAGES = (
    "", "timeline/", "timeline/?group=session", "timeline/?kind=handoff", "topics/",
    "topics/api/", "topics/api/decisions/", "topics/api/handoffs/",
    "topics/api/sessions/", "decisions/", "decisions/new/", "open-items/",
    "sessions/", "agents/",
    "handoffs/", "handoffs/?view=list", "handoffs/?view=list&sort=id",
    "handoffs/figures/", "handoffs/new/", "files/", "imports/", "health/",
    "search/?q=queue", "trends/",
)  # fmt: skip

_WORDS = (
    "queue", "webhook", "signing", "retry", "billing", "invoice", "migration", "token",
    "session", "gateway", "deploy", "rollback", "schema", "cache", "latency", "budget",
)  # fmt: skip
_HANDOFF = """# Handoff {name}

- topic: api

<task>
<from>agent{sender}</from>
<to>builder</to>
<task_id>20261120-{n:03}</task_id>
<type>{kind}</type>
<context>{text}. It cannot wait for the next release.</context>
</task>
"""


def text(number: int) -> str:
    """Return some words, others for each number."""
    return " ".join(_WORDS[number // 16**place % 16] for place in (0, 1, 0, 2, 1)) + (
        f" {number}"
    )


def files(count: int) -> dict[str, str]:
    kinds = ("decision", "write", "read_only")
    handoffs = {
        f"memory/handoffs/{n}.md": _HANDOFF.format(
            name=n, n=n, sender=n % 7, kind=kinds[n % 3], text=text(n)
        )
        for n in range(count)
    }
    decided = "".join(
        f"- 2026-11-10: Use {text(n)} ({text(n + 1)})\n" for n in range(count)
    )
    topic = TOPIC.partition("## Key Decisions")[0] + f"## Key Decisions\n{decided}"
    told = "".join(
        f"## {n // 60:02}:{n % 60:02} - Looked at {text(n)}\n{text(2 * n)}.\n\n"
        for n in range(count)
    )
    return {
        **handoffs,
        **{
            f"memory/context-topic-{n}.md": f"# Context: topic-{n}\n" for n in range(60)
        },
        "memory/context-api.md": topic,
        "memory/2026-11-20.md": f"# 2026-11-20\n\n{told}",
    }


def test_pages_of_a_full_workspace_are_small(workspace_root: Path) -> None:
    imported(workspace_root, files(200))
    # As it is sent, with its line breaks: no reader that joins lines.
    client = Client()
    client.force_login(operator())

    sizes = {}
    for page in PAGES:
        answer = client.get(f"/w/acme/{page}")
        assert answer.status_code == 200, page
        sizes[page] = len(gzip.compress(answer.content, 6))

    assert not {page: size for page, size in sizes.items() if size > LIMIT}
