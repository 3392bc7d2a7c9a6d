"""The export preview in a browser: a conflict, resolved and written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import manage, running_hub
from tests.browser.watched import Watch

TOPIC = "# Context: {name}\n\n## Current Status\n{status}\n\n## History\n"
_STAGE = """
from memoryhub.sync.edits import Edit, apply_edit
from memoryhub.workspaces.models import Workspace
workspace = Workspace.objects.get()
workspace.review_before_writing = True
workspace.save()
for name, text in {edits}.items():
    apply_edit(workspace, Edit(
        f"memory/context-{{name}}.md", "set_status", {{"text": text}}, "dana",
        base="Live.",
    ))
"""


def put(root: Path, name: str, status: str) -> None:
    place = root / f"memory/context-{name}.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(TOPIC.format(name=name, status=status))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    for name in ("api", "billing"):
        put(root, name, "Live.")
    return root


@pytest.fixture
def review_hub(tmp_path: Path, notes: Path) -> Iterator[str]:
    """Return the preview of one file to write and one in conflict."""
    with running_hub(tmp_path, [notes]) as address:
        edits = json.dumps({"api": "Done.", "billing": "Refunds wait."})
        manage(tmp_path, "shell", "-c", _STAGE.format(edits=edits))
        put(notes, "billing", "Refunds next.")
        yield f"{address}/w/notes/export/"


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def preview(
    browser: Browser, review_hub: str, request: pytest.FixtureRequest
) -> Iterator[Page]:
    watch = Watch(review_hub.split("/w/")[0])
    page = watch.page(browser, "light", 1440, java_script_enabled=request.param)
    page.goto(review_hub)
    yield page
    watch.close()


def test_x5_a_conflict_is_resolved_and_written_with_and_without_script(
    preview: Page, notes: Path
) -> None:
    preview.get_by_label("Both, disk first").check()
    preview.get_by_role("button", name="Resolve, write later").click()
    expect(preview.get_by_role("button", name="Write 2 files")).to_be_visible()

    preview.get_by_role("button", name="Write 2 files").click()

    expect(preview.locator("h1 + p")).to_contain_text("0 files would change")
    text = (notes / "memory/context-billing.md").read_text()
    assert "Refunds next.\nRefunds wait." in text
    assert "Done." in (notes / "memory/context-api.md").read_text()


def test_x4_what_was_written_can_be_undone_from_the_message(
    preview: Page, notes: Path
) -> None:
    preview.get_by_role("button", name="Write 1 file").click()
    undo = preview.get_by_role("button", name="Undo")
    undo.first.click()

    expect(preview.get_by_text("Taken back").first).to_be_visible()


def test_another_text_can_be_written(preview: Page, notes: Path) -> None:
    preview.get_by_label("Write another text").check()
    preview.locator(".own textarea").fill("Refunds paused.")
    preview.get_by_role("button", name="Show the result").click()
    preview.get_by_role("button", name="Write 2 files").click()

    expect(preview.locator("h1 + p")).to_contain_text("0 files would change")
    assert "Refunds paused." in (notes / "memory/context-billing.md").read_text()
