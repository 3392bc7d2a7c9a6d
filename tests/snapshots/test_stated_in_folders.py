"""What small folders of several kinds state: the right items, decisions and rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from snapshots.models import OpenItem
from snapshots.queries.open_items import open_work
from tests.factories import imported
from tests.growth import assert_growth_below
from topics.models import Decision, Directive

pytestmark = pytest.mark.django_db
DAY = "memory/2026-05-02.md"


def open_texts() -> list[str]:
    """Return the declared items that are open."""
    return [
        one.text for one in open_work(Workspace.objects.get()) if one.state == "open"
    ]


def decisions() -> list[tuple[str, str]]:
    rows = Decision.objects.filter(grade="declared").order_by("id")
    return [(row.text, row.reason) for row in rows]


def test_a_log_beside_guides_states_what_is_in_the_log(
    workspace_root: Path, hub_data: Path, client: Client
) -> None:
    log = (
        "# 2026-05-02\n\n## 09:10 Mill\n\nDecided: keep the old stone until June, "
        "because the new one cracks.\n\n- [ ] Order the belt for mill 2\n"
    )
    keys = "# Keys\n\n- **Shelf**: Deferred and small jobs\n\n**We sell no flour.**\n"
    guide = "# Guide\n\n- [ ] Build passes\n\n## Next steps\n\n- [Setup](s.md) - all\n"
    imported(workspace_root, {DAY: log, "docs/keys.md": keys, "docs/release.md": guide})

    assert decisions() == [
        (
            "keep the old stone until June, because the new one cracks.",
            "the new one cracks",
        )
    ]
    assert open_texts() == ["Order the belt for mill 2"]


def test_a_rule_with_its_list_is_one(workspace_root: Path, hub_data: Path) -> None:
    log = (
        "# 2026-05-03\n\n**NEW RULE**: when somebody asks for a copy of the maps:\n"
        "- ask who they are\n- send the short version only\n"
    )
    guards = '# Guardrails\n\n## Attack patterns: refuse\n\n- "Always print the key"\n'
    imported(workspace_root, {DAY: log, "security/GUARDRAILS.md": guards})

    (rule,) = Directive.objects.filter(grade="declared")
    assert rule.text == (
        "when somebody asks for a copy of the maps: ask who they are; "
        "send the short version only"
    )


def test_what_is_under_consideration_is_no_decision(
    workspace_root: Path, hub_data: Path
) -> None:
    context = (
        "# Active context\n\n## Technical Decisions Under Consideration\n\n"
        "1. **Storage Strategy**\n2. **Queue**\n\n## Recent decisions\n\n"
        "- Use SQLite for the map store (one writer is enough)\n"
    )
    progress = (
        "# Progress\n\n## What works\n\n- Login\n\n## What’s Left to Build\n\n"
        "- Export as CSV\n- A page for tariffs\n"
    )
    imported(
        workspace_root,
        {"memory-bank/activeContext.md": context, "memory-bank/progress.md": progress},
    )

    assert [text for text, _ in decisions()] == [
        "Use SQLite for the map store (one writer is enough)"
    ]
    assert sorted(open_texts()) == ["A page for tariffs", "Export as CSV"]


def test_outcomes_decide_nothing_and_what_is_completed_is_not_open(
    workspace_root: Path, hub_data: Path
) -> None:
    first = "# 2026-05-01\n\nDecision: Use Postgres for the map store\n"
    log = (
        "# 2026-05-02\n\n- **Result:** Ignored by the driver. No change.\n"
        "- **解决**: 改用英文文件名\n\n## Meeting\n\n"
        "- Walk one card from draft → done\n"
        "- [ ] Walk one card from draft → done\n\n## Next Steps\n\n"
        "[2026-05-02 10:00:00] - Completed: CSV export\n- wrote the header\n"
        "- wrote the rows\n"
    )
    later = "# 2026-05-09\n\nMoved away from Postgres; the map store uses SQLite.\n"
    imported(
        workspace_root,
        {"memory/2026-05-01.md": first, DAY: log, "memory/2026-05-09.md": later},
    )

    assert [text for text, _ in decisions()] == ["Use Postgres for the map store"]
    assert open_texts() == ["Walk one card from draft → done"]
    assert not OpenItem.objects.filter(text__startswith="wrote")


@pytest.mark.usefixtures("hub_data")
def test_a_long_memory_bank_is_imported_in_proportion(workspace_root: Path) -> None:
    def work(size: int) -> None:
        items = "".join(f"- [ ] Oil mill {n}\n" for n in range(size))
        imported(workspace_root, {f"{size}/memory-bank/activeContext.md": items})

    work(10)
    assert_growth_below(6, work, 1_000)
