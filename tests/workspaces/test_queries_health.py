from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryhub.health.queries import memory_budget, workspace_health
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, small, snapshot_text, write
from topics.queries.topics import quiet_topics

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

INDEX = """# MEMORY INDEX

## Current Project
- Name: acme | Details → memories/project.md
- Search (scout) | Details → memory/context-search.md
- Logs | Details → memory/
- Elsewhere | Details → ~/notes/x.md
"""
LONG = "Every word of this section stands in two files, letter for letter. " * 5
FILES = {
    "MEMORY.md": INDEX,
    "memories/project.md": f"# Project\n\n## Rules\n{LONG}\n",
    "memories/lessons.md": f"# Lessons\n\n## The same rules\n{LONG}\n",
    "memories/context.md": "# Context\n\n## All\n" + "A long tale. " * 400 + "\n",
    "memory/context-search-index.md": "# Context: search-index\n\n## History\n",
    "2026-11-20.md": "# A day\n",
    "memories/errors.md": "# Errors\n\n- 2026-11-19 scout: FileNotFound x.md\n"
    "- 2026-11-20 docs: filenotfound  x.md\n- L2 failed\n- L2 failed\n- L2 failed\n",
}


def test_a_pointer_to_nothing_names_the_likely_file(workspace_root: Path) -> None:
    pointed = workspace_health(imported(workspace_root, FILES)).pointed

    assert pointed and (pointed.total, pointed.outside) == (4, 1)
    (broken,) = pointed.broken
    assert broken.target == "memory/context-search.md"
    assert broken.likely == "memory/context-search-index.md"
    assert broken.fate.verb == ""


def test_the_journal_tells_why_a_pointer_is_broken(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {**FILES, "memory/context-search.md": "# S\n"})
    assert not workspace_health(workspace).pointed.broken  # type: ignore[union-attr]

    (workspace_root / "memory/context-search.md").rename(workspace_root / "memory/s.md")
    sync_workspace(workspace)

    pointed = workspace_health(workspace).pointed
    assert pointed
    (broken,) = pointed.broken
    assert (broken.fate.verb, broken.fate.run_number) == ("moved", 2)
    assert broken.likely == "memory/s.md"


def test_files_without_a_pointer_are_named(workspace_root: Path) -> None:
    health = workspace_health(imported(workspace_root, FILES))

    names = ("context", "errors", "lessons")
    assert health.unindexed == tuple(f"memories/{name}.md" for name in names)
    assert health.by_date == 1


def test_errors_that_say_the_same_are_one_group(workspace_root: Path) -> None:
    errors = workspace_health(imported(workspace_root, FILES)).errors

    assert errors.lines == 5
    assert [(g.count, g.text) for g in errors.groups] == [
        (3, "L2 failed"),
        (2, "filenotfound  x.md"),
    ]
    assert errors.groups[1].agents == ("scout", "docs")
    assert [one.failures for one in errors.open_breakers] == [3]


def test_large_and_repeated_sections_are_named(workspace_root: Path) -> None:
    sizes = workspace_health(imported(workspace_root, FILES)).sizes

    (large,) = sizes.oversized
    assert (large.path, large.title) == ("memories/context.md", "All")
    (same,) = sizes.duplicated
    assert [section.path for section in same] == [
        "memories/lessons.md",
        "memories/project.md",
    ]


def test_e4_without_memory_md_there_is_no_budget(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/context-a.md": "# Context: a\n"})

    assert memory_budget(workspace) is None
    assert workspace_health(workspace).pointed is None


def test_health_is_kept_until_the_journal_goes_on(workspace_root: Path) -> None:
    workspace = imported(workspace_root, FILES)
    before = workspace_health(workspace)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert workspace_health(workspace) == before
    assert not queries

    write(workspace_root, {"MEMORY.md": INDEX.replace("search.md", "search-index.md")})
    sync_workspace(workspace)

    assert not workspace_health(workspace).pointed.broken  # type: ignore[union-attr]


def looked(workspace: Workspace, hours: float) -> Workspace:
    """Return the workspace as it was looked at so long after its last snapshot."""
    last = workspace.snapshots.latest("occurred_at").occurred_at
    workspace.checked_at = last + timedelta(hours=hours)
    return workspace


def test_open_work_without_a_word_is_quiet(workspace_root: Path) -> None:
    workspace = small(workspace_root)

    ((topic, quiet),) = quiet_topics(looked(workspace, 400))

    assert topic.slug == "api"
    assert quiet.silence > quiet.limit >= timedelta(hours=2)
    assert quiet_topics(looked(workspace, 1)) == []


def test_a_topic_that_is_done_is_never_quiet(workspace_root: Path) -> None:
    workspace = small(workspace_root)
    log = workspace_root / "memory/2026-11-20.md"
    log.write_text(log.read_text() + snapshot_text(3, percent=100))
    sync_workspace(workspace)

    assert quiet_topics(looked(workspace, 400)) == []
