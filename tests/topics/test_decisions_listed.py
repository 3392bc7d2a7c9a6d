"""Decisions that a list of decisions holds: declared, or only suggested."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.formats.optimizer import decision_log
from snapshots.models import OpenItem
from tests.factories import imported
from topics.models import Decision

pytestmark = pytest.mark.django_db

FACTS = (
    "- Restore drill: 1 h 12 min, checksums equal\n"
    "- Fixed: negative totals when two coupons were combined\n"
)
TOPIC = """# Topic: album

## Current Status
Recording.

## Key Decisions
- 2026-02-20: five songs, the sixth comes later

## Open Questions
- Who plays the organ in the fourth song?

## Todo
- [ ] send the set list to the hall

## History
- 2026-02-11: topic made
"""


def declared() -> set[str]:
    return set(Decision.objects.values_list("text", flat=True))


def test_facts_in_a_log_of_decisions_are_not_declared(workspace_root: Path) -> None:
    chosen = "- We chose Postgres instead of MySQL, because it has row locks\n"
    text = f"# Decision Log\n\n{FACTS}{chosen}"

    imported(workspace_root, {"memory-bank/decisionLog.md": text})

    assert [one[:18] for one in declared()] == ["We chose Postgres "]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (decision_log.PATH, "- Restore drill: 1 h 12 min"),
        ("memory/decisions.md", "- 2026-05-02: Restore drill: 1 h 12 min"),
    ],
)
def test_what_a_program_logs_as_a_decision_is_declared(
    workspace_root: Path, path: str, line: str
) -> None:
    imported(workspace_root, {path: f"# Decisions\n\n{line}\n"})

    assert declared() == {"Restore drill: 1 h 12 min"}


def test_a_label_or_a_status_declares_what_the_model_would_doubt(
    workspace_root: Path,
) -> None:
    record = "# Log\n\n## 2026-05-02: Drill {0}\n{1}: {0} h\n"

    imported(
        workspace_root,
        {
            "memory/decisions-1.md": record.format(1, "Status: accepted, duration"),
            "memory/decisions-2.md": record.format(2, "Decision"),
        },
    )

    assert declared() == {"Drill 1", "2 h"}


def test_a_list_below_another_heading_of_a_topic_is_no_decision(
    workspace_root: Path,
) -> None:
    imported(workspace_root, {"memory/context-album.md": TOPIC})

    assert declared() == {"five songs, the sixth comes later"}
    assert set(OpenItem.objects.values_list("text", flat=True)) == {
        "Who plays the organ in the fourth song?",
        "send the set list to the hall",
    }
