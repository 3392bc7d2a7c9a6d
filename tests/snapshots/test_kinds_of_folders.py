"""What the overview of each kind of folder names first: what a reader would name."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from snapshots.queries.open_items import open_work
from tests.factories import imported
from topics.models import Decision

pytestmark = pytest.mark.django_db

CODE = {
    "README.md": "# Mill\n\n## Next steps\n\n- [Setup](setup.md)\n- [ ] Star us\n",
    "docs/release.md": "# Release\n\n- [ ] Build passes\n- [ ] Docs updated\n",
    "docs/design.md": "# Design\n\n## Design decisions\n\n### Layout\n\nTwo.\n",
    "src/notes.md": "# Parser\n\nTODO: handle tabs.\n",
    "memory/2026-05-02.md": (
        "# 2026-05-02\n\n## 09:10 Stone\n\nDecision: keep the old stone until June\n\n"
        "- [ ] Order the belt for mill 2\n- [x] Grease the shaft\n"
    ),
}
VAULT = {
    ".obsidian/app.json": "{}\n",
    "Templates/daily.md": "# {{date}}\n\n- [ ] {{task}}\n\n## Decisions\n\n- \n",
    "Recipes/bread.md": "# Bread\n\n- [ ] 500 g flour\n- [ ] salt\n",
    "journal/2026-05-03.md": (
        "# 2026-05-03\n\n## Tasks\n\n- [ ] Call the [[Roofer]] about the gutter\n\n"
        "## Decisions\n\n- Rent the barn for another year\n"
    ),
    "projects/barn/todo.md": "# Barn\n\n- [ ] Paint the gate\n",
}
BANK = {
    "memory-bank/projectbrief.md": "# Ferry tickets\n\nFor two ferries.\n",
    "memory-bank/activeContext.md": (
        "# Active context\n\n## Current focus\n\nThe timetable.\n\n"
        "## Next steps\n\n- [ ] Import the winter timetable\n\n"
        "## Decisions under consideration\n\n- Queue or cron\n\n"
        "## Prices\n\n**Decision:** Store prices as cents\n"
    ),
    "memory-bank/progress.md": (
        "# Progress\n\n## What works\n\n- Login\n\n"
        "## What’s left to build\n\n- Refunds by card\n"
    ),
}
AGENTS = {
    ".claude/agents/linter.md": (
        "---\nname: linter\ndescription: Reads code\n---\n\n- [ ] Check each import\n"
    ),
    ".claude/agent-memory/linter/MEMORY.md": (
        "# Linter memory\n\n## Decisions\n\n- Keep lines below 100 characters\n\n"
        "## Open\n\n- Ask whether tabs are allowed\n"
    ),
    "docs/plans/2026-05-02-boiler.md": "# Boiler plan\n\n- [ ] Drain the tank\n",
}
REPORTS = {
    "reports/daily/2026-05-02.md": "# Daily report\n\n• Price: 60\n• Open: 1.04\n",
    "reports/weekly.md": "# Week\n\n## Next steps\n\n- Volume: 3\n- [ ] n/a\n",
    "memory/2026-05-02.md": (
        "# 2026-05-02\n\n## Work on the gauge\n\nReplaced the gauge of pump 2.\n\n"
        "Decision: read the gauge twice a day\n\n## Next steps\n\n- [ ] Tune pump 3\n"
    ),
}
SKILLS = {
    "AGENTS.md": "# Agents\n\n## Rules\n\n- [ ] Read SOUL.md first\n",
    "skills/invoice/SKILL.md": (
        "---\nname: invoice\n---\n\n# Invoice\n\n## Decisions\n\n- Ask for the sum\n\n"
        "- [ ] Open the form\n- [ ] Send it\n"
    ),
    "skills/invoice/checklist.md": "# Checklist\n\n- [ ] VAT is right\n",
    "MEMORY.md": "# Memory\n\n## Decisions\n\n- Invoices go out on the first\n",
    "memory/2026-05-04.md": "# 2026-05-04\n\n## Open\n\n- Dana’s bill is late\n",
}
KINDS = {
    "memory beside code": (
        CODE,
        ["Order the belt for mill 2"],
        ["keep the old stone until June"],
    ),
    "vault": (
        VAULT,
        ["Call the [[Roofer]] about the gutter", "Paint the gate"],
        ["Rent the barn for another year"],
    ),
    "memory bank": (
        BANK,
        ["Import the winter timetable", "Refunds by card"],
        ["Store prices as cents"],
    ),
    "sub-agents": (
        AGENTS,
        ["Ask whether tabs are allowed", "Drain the tank"],
        ["Keep lines below 100 characters"],
    ),
    "reports": (REPORTS, ["Tune pump 3"], ["read the gauge twice a day"]),
    "skills": (
        SKILLS,
        ["Dana’s bill is late"],
        ["Invoices go out on the first"],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_overview_names_what_a_reader_would(
    kind: str, workspace_root: Path, hub_data: Path, client: Client
) -> None:
    files, items, decided = KINDS[kind]
    imported(workspace_root, files)

    work = open_work(Workspace.objects.get())
    found = sorted(one.text for one in work if one.state == "open")
    assert found == sorted(items)
    assert [*Decision.objects.values_list("text", flat=True)] == decided
    page = " ".join(unescape(client.get("/w/acme/").content.decode()).split())
    assert all(text in page or "[[" in text for text in items)
    assert all(text in page for text in decided)
