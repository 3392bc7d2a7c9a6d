"""The export preview in a browser: a conflict, resolved and written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import manage, prepare_hub, serving_hub
from tests.browser.watched import Watch

TOPIC = "# Context: {name}\n\n## Current Status\n{status}\n\n## History\n"
_STAGE = """
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.journal.models import Workspace
for workspace in Workspace.objects.all():
    workspace.review_before_writing = True
    workspace.save()
    for name, text in {edits}.items():
        apply_edit(workspace, Edit(
            f"memory/context-{{name}}.md", "set_status", {{"text": text}}, "dana",
            base="Live.",
        ))
"""


@dataclass(frozen=True, slots=True)
class Review:
    """A workspace of a hub whose export is reviewed, and its folder."""

    hub: str
    root: Path


def put(root: Path, name: str, status: str) -> None:
    place = root / f"memory/context-{name}.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(TOPIC.format(name=name, status=status))


@pytest.fixture(scope="module")
def reviews(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Iterator[Review]]:
    """Return a workspace for each test, with one file to write and one in conflict."""
    folder = tmp_path_factory.mktemp("reviews")
    tests = sum(item.path == request.path for item in request.session.items)
    roots = [folder / f"notes-{number}" for number in range(tests)]
    for root, name in product(roots, ("api", "billing")):
        put(root, name, "Live.")
    prepare_hub(folder, roots)
    edits = json.dumps({"api": "Done.", "billing": "Refunds wait."})
    manage(folder, "shell", "-c", _STAGE.format(edits=edits))
    for root in roots:
        put(root, "billing", "Refunds next.")
    with serving_hub(folder) as hub:
        yield (Review(hub, root) for root in roots)


@pytest.fixture
def review(reviews: Iterator[Review]) -> Review:
    return next(reviews)


@pytest.fixture
def notes(review: Review) -> Path:
    return review.root


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def preview(
    browser: Browser, review: Review, request: pytest.FixtureRequest
) -> Iterator[Page]:
    watch = Watch(review.hub)
    page = watch.page(browser, "light", 1440, java_script_enabled=request.param)
    page.goto(f"{review.hub}/w/{review.root.name}/export/")
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

    expect(preview.get_by_text("Undone").first).to_be_visible()


def test_another_text_can_be_written(preview: Page, notes: Path) -> None:
    preview.get_by_label("Write another text").check()
    preview.locator(".own textarea").fill("Refunds paused.")
    preview.get_by_role("button", name="Show the result").click()
    preview.get_by_role("button", name="Write 2 files").click()

    expect(preview.locator("h1 + p")).to_contain_text("0 files would change")
    assert "Refunds paused." in (notes / "memory/context-billing.md").read_text()
