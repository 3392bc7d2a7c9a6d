"""Reasons on a card: promotions of dreaming, operations, sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.reasons import promotions_of, reasons_of
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import TOPIC, imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PROMOTED = (
    "# Memory\n\n<!-- openclaw-memory-promotion:memory/2026-11-19.md:4-4 -->\n"
    "- The scout likes tea [score=0.81 signals=3 recalls=2 avg=0.6"
    " source=memory/2026-11-19.md:4-4]\n"
)


def test_a_promotion_names_its_source_and_score() -> None:
    (found,) = promotions_of("# Memory\n", PROMOTED)

    assert (found.text, found.path, found.line) == (
        "The scout likes tea",
        "memory/2026-11-19.md",
        4,
    )
    assert found.score == 0.81 and promotions_of(PROMOTED, PROMOTED) == []


def test_the_reason_of_an_operation_comes_first(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/context-api.md": TOPIC})
    payload = {"text": "polls", "day": "2026-11-20", "session": "agent:builder:main"}
    path = "memory/context-api.md"
    edit = Edit(path, "add_history", payload, "builder", reason="the relay asked")
    apply_edit(workspace, edit)

    (reason,) = reasons_of(workspace, ReviewCard.objects.get())

    assert (reason.source, reason.text) == ("operation", "the relay asked")
