"""Decisions that a list of decisions holds: declared, or only suggested."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.dialects import decision_log
from snapshots.models import OpenItem
from tests.factories import imported
from topics.models import Decision, Directive

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


def test_each_stamped_line_is_judged_by_itself(workspace_root: Path) -> None:
    lines = (
        "[2026-05-02 09:00:00] - Restore drill: 1 h 12 min, checksums equal\n"
        "[2026-05-03 10:00:00] - We chose Postgres instead of MySQL\n"
        "[2026-05-04 11:00:00] - Fixed: negative totals with two coupons\n"
    )

    imported(workspace_root, {"memory-bank/decisionLog.md": f"# Log\n\n{lines}"})

    assert declared() == {"We chose Postgres instead of MySQL"}


def test_a_dated_heading_may_name_only_what_was_talked_about(
    workspace_root: Path,
) -> None:
    text = (
        "# Decision Log\n\n"
        "## 2026-05-02: Backup strategy\n\nWe compared three services.\n\n"
        "## 2026-05-03: Keep Postgres\n\nIt holds.\n\n"
        "## 2026-05-04: Colour of the hull\n\n**Acord:** pintem la barca de blau\n"
    )

    imported(workspace_root, {"memory/decisions.md": text})

    assert declared() == {"Keep Postgres", "pintem la barca de blau"}


@pytest.mark.parametrize(
    ("rest", "decisions"),
    [
        ("状態: 提案中\n\n## 案\n\nファイルを分ける。\n", set[str]()),
        ("## Decision Drivers\n\n- Cost\n", set[str]()),
        (
            (
                "## Decision Drivers\n\n- Cost\n\n## Decision Outcome\n\n"
                "We keep one.\n\nReason: the cables are short.\n"
            ),
            {"We keep one."},
        ),
    ],
)
def test_a_record_decides_what_its_section_says(
    workspace_root: Path, rest: str, decisions: set[str]
) -> None:
    text = f"# ADR 6: Backup strategy\n\n{rest}"

    imported(workspace_root, {"docs/adr/0006-backup.md": text})

    assert declared() == decisions


def test_a_feedback_of_several_sentences_directs_what_it_asks_for(
    workspace_root: Path,
) -> None:
    text = (
        "---\nname: squash\ndescription: merging\ntype: feedback\n---\n\n"
        "Do not squash when merging. She reads history commit by commit.\n"
    )

    imported(workspace_root, {".claude/memory/feedback_squash.md": text})

    (rule,) = Directive.objects.all()
    assert rule.text == "Do not squash when merging."


def test_a_blocker_of_a_handoff_that_tells_only_how_things_are_is_no_work(
    workspace_root: Path,
) -> None:
    text = (
        "# Passation\n\n## Bloqué\n\n"
        "Le build passe en 3 minutes.\n\n"
        "- Attendre la clé du local\n"
    )

    imported(workspace_root, {"handoffs/2026-05-02.md": text})

    found = OpenItem.objects.filter(done=False).values_list("text", flat=True)
    assert [*found] == ["Attendre la clé du local"]


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
