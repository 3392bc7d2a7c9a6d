"""Ten small workspaces as hosts of today lay them out, none with a topic file.

Each has a few files, and words that a recall of it must give, with their paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Layout(NamedTuple):
    """Files of a workspace, and words to recall: each with the path that has them."""

    files: Mapping[str, str]
    told: Mapping[str, str]


LAYOUTS: Mapping[str, Layout] = {
    "openclaw workspace": Layout(
        {
            "AGENTS.md": "# AGENTS\n\nRead SOUL.md first.\n",
            "IDENTITY.md": "- **Name:** Wren\n",
            "MEMORY.md": "# MEMORY\n\n- The printer is on the second floor.\n",
            "memory/2026-11-18.md": "# 2026-11-18\n\n## 09:30 Order paper\n"
            "Ordered ten boxes.\n\n## Next steps\n- [ ] collect the toner\n",
        },
        {
            "The printer is on the second floor.": "MEMORY.md",
            "Ordered ten boxes.": "memory/2026-11-18.md",
            "collect the toner": "memory/2026-11-18.md:7",
        },
    ),
    "claude auto memory": Layout(
        {
            "memory/MEMORY.md": "- [Tests](tests.md) — run them on Postgres\n",
            "memory/tests.md": "---\nname: tests-on-postgres\n"
            "description: Tests run on Postgres, never on SQLite\n"
            "metadata:\n  type: feedback\n---\nTests run on Postgres.\n\n"
            "**Why:** SQLite has no arrays.\n",
        },
        {
            "run them on Postgres": "memory/MEMORY.md",
            "Tests run on Postgres, never on SQLite": "memory/tests.md",
        },
    ),
    "claude agent memory": Layout(
        {
            ".claude/agents/reviewer.md": "---\nname: reviewer\n---\nYou review.\n",
            ".claude/agent-memory/reviewer/MEMORY.md": "# Revisor\n\n"
            "- Los importes van en céntimos.\n",
        },
        {"Los importes van en céntimos.": ".claude/agent-memory/reviewer/MEMORY.md"},
    ),
    "codex memories": Layout(
        {
            "memories/memory_summary.md": "## User profile\nShips on Fridays, in Go.\n",
            "memories/MEMORY.md": "# Task Group: parser\n\n## Learnings\n"
            "- The lexer keeps comments.\n",
            "memories/raw_memories.md": "# Raw Memories\n\n## Thread `t-1`\nLexer.\n",
        },
        {
            "Ships on Fridays, in Go.": "memories/memory_summary.md",
            "The lexer keeps comments.": "memories/MEMORY.md",
        },
    ),
    "memory bank": Layout(
        {
            "memory-bank/projectbrief.md": "# Projekt\n\nEine App für Imker.\n",
            "memory-bank/activeContext.md": "# Active Context\n\n## Current Focus\n"
            "Die Waage meldet falsche Werte.\n\n## Next Steps\n- Sensor tauschen\n",
            "memory-bank/progress.md": "# Progress\n\n## What Works\n- Anmeldung\n",
        },
        {
            "Die Waage meldet falsche Werte.": "memory-bank/activeContext.md",
            "Anmeldung": "memory-bank/progress.md",
        },
    ),
    "serena memories": Layout(
        {
            ".serena/memories/suggested_commands.md": "# Suggested commands\n\n"
            "Start the server with `just serve`.\n",
            ".serena/memories/code_style.md": "# Code style\n\nTabs, no spaces.\n",
        },
        {
            "just serve": ".serena/memories/suggested_commands.md",
            "Tabs, no spaces.": ".serena/memories/code_style.md",
        },
    ),
    "basic memory": Layout(
        {
            "notes/coffee.md": "---\ntitle: Coffee\ntype: note\n"
            "permalink: notes/coffee\n---\n\n# Coffee\n\n## Observations\n"
            "- [method] Pour over needs a finer grind #brewing\n\n"
            "## Relations\n- relates_to [[Water]]\n",
            "notes/water.md": "---\ntitle: Water\ntype: note\n"
            "permalink: notes/water\n---\n\nEighty degrees.\n",
        },
        {
            "Pour over needs a finer grind": "notes/coffee.md",
            "Eighty degrees.": "notes/water.md",
        },
    ),
    "plain daily notes": Layout(
        {
            "2026-11-16.md": "今日はゲートの設計を直した。\n",
            "2026-11-17.md": "# 2026-11-17\n\n## 午後\n配線の図を送った。\n",
        },
        {
            "今日はゲートの設計を直した。": "2026-11-16.md",
            "配線の図を送った。": "2026-11-17.md",
        },
    ),
    "decision records": Layout(
        {
            "docs/adr/0001-use-sqlite.md": "# 1. Use SQLite\n\n## Status\nAccepted\n\n"
            "## Context\nOne machine.\n\n## Decision\nWe will use SQLite.\n",
            "specs/001-export/spec.md": "# Export\n\nA user exports a year as CSV.\n",
            "specs/001-export/tasks.md": "# Tasks\n\n- [ ] T001 Write the header row\n",
        },
        {
            "SQLite": "docs/adr/0001-use-sqlite.md",
            "A user exports a year as CSV.": "specs/001-export/spec.md",
            "Write the header row": "specs/001-export/tasks.md",
        },
    ),
    "handoff notes": Layout(
        {
            "HANDOFF.md": "# Handoff\n\n"
            "Движок собирается, тесты падают на кодировке.\n\n"
            "## Next\n- починить кодировку\n",
            "README.md": "# Engine\n\nBuilds with make.\n",
        },
        {"Движок собирается, тесты падают на кодировке.": "HANDOFF.md"},
    ),
}
