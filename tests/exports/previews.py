"""Files with staged edits, and the preview of their export as a browser reads it."""

from __future__ import annotations

import re
from pathlib import Path

from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit

TEXT = """# Context: {name}

## Meta
- **created**: 2026-11-01

## Current Status
{status}

## Key Decisions
- 2026-11-10: Poll every minute (simplest to ship)

## History
- 2026-11-01: Context created
"""
PAGE = "/w/notes/export/"


def path_of(name: str) -> str:
    return f"memory/context-{name}.md"


def put(root: Path, name: str, status: str) -> None:
    place = root / path_of(name)
    place.parent.mkdir(exist_ok=True)
    place.write_text(TEXT.format(name=name, status=status))


def set_status(workspace: Workspace, name: str, text: str, base: str = "Live.") -> None:
    edit = Edit(path_of(name), "set_status", {"text": text}, "dana", base=base)
    apply_edit(workspace, edit)


def fields(html: str) -> dict[str, list[str]]:
    """Return the hidden fields of the page, as a browser would send them."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="hidden" name="(seen|file|count)" value="([^"]*)"', html
    ):
        found.setdefault(name, []).append(value)
    return found


def opened(client: Client, **query: str) -> tuple[str, dict[str, list[str]]]:
    html = client.get(PAGE, query).content.decode()
    return html, fields(html)
