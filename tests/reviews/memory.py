"""Texts of a MEMORY.md that is reviewed, and requests to its pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.reviews.models import ReviewCard

MEMORY = "# Memory\n\n## Habits\n- ask first\n- run the tests\n"
CHANGED = MEMORY.replace("- ask first\n", "- never <b>ask</b>\n")
#: Write a file as an agent does; the newest card of it.
Change = Callable[..., ReviewCard]


def get(client: Client, path: str = "review/", status: int = 200) -> str:
    response = client.get(f"/w/acme/{path}", follow=True)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def post(client: Client, path: str, **fields: object) -> str:
    response = client.post(f"/w/acme/{path}", fields, follow=True)
    assert response.status_code in (200, 409, 422), response.status_code
    return " ".join(response.content.decode().split())


def on_disk(workspace: Workspace) -> str:
    return Path(workspace.root, "MEMORY.md").read_text()
