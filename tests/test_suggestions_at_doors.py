"""Suggestions at every door: their own place, and verdicts on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from snapshots.queries.suggestions import Among, suggestions
from tests.factories import imported
from tests.signing import own_program
from topics.models import Decision

SENTENCES = (
    "# 2026-11-20\n\n## 07:30 - Started\n\n"
    "We decided to keep one file per day.\n\n"
    "Still need to write the release notes.\n"
)
DECLARED = (
    "# 2026-11-20\n\n## Decisions\n\n- Keep SQLite for the queue\n\n"
    "## Next steps\n\n- [ ] Measure the import\n"
)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {"memory/2026-11-20.md": SENTENCES, "memory/2026-11-19.md": DECLARED}
    return imported(workspace_root, files)


def page(client: Client, path: str) -> str:
    found = client.get(f"/w/acme/{path}")
    assert found.status_code == 200
    return " ".join(found.content.decode().split())


def ask(name: str, caller: Caller, fields: dict[str, Any]) -> Any:
    caller.workspace.refresh_from_db()
    tool = tool_named(name)
    return call(tool, caller, request_of(tool, fields))


def marks(workspace: Workspace) -> list[str]:
    workspace.refresh_from_db()
    return [one.mark for one in suggestions(workspace, Among())]


@pytest.mark.parametrize(
    ("path", "number"),
    [("", 2), ("decisions/", 1), ("open-items/", 1), ("days/2026-11-20/", 2)],
)
def test_a_page_has_suggestions_below_and_in_no_number(
    client: Client, workspace: Workspace, path: str, number: int
) -> None:
    html = page(client, path)

    assert f"{number} more, suggested from the text" in html
    above, below = html.split('id="suggested"')
    assert "suggested" not in above
    assert '<span class="tag">suggested</span>' in below and "likely" in below


def test_many_are_accepted_at_once_and_undone(
    client: Client, workspace: Workspace
) -> None:
    chosen = {"mark": marks(workspace), "next": "/w/acme/open-items/"}
    html = client.post("/w/acme/suggestions/accept/", chosen, follow=True)

    assert "2 suggestions accepted" in html.content.decode()
    assert not marks(workspace) and "2 open items" in page(client, "open-items/")

    undo = next(m.extra_tags for m in html.context["messages"])
    client.post(undo)
    assert len(marks(workspace)) == 2 and "1 open item" in page(client, "open-items/")


def test_the_card_says_why_it_is_suggested_and_who_accepted_it(
    client: Client, workspace: Workspace
) -> None:
    for kind, path in (("decision", "decisions"), ("item", "open-items")):
        (mark,) = [m for m in marks(workspace) if m.startswith(kind)]
        card = f"{path}/{mark.partition(':')[2]}/"
        assert "Found by the words of the text" in page(client, card)
        client.post("/w/acme/suggestions/accept/", {"one": mark})
        assert "accepted by operator" in page(client, card)


def test_what_is_dismissed_is_on_no_page(client: Client, workspace: Workspace) -> None:
    client.post("/w/acme/suggestions/dismiss/", {"mark": marks(workspace)})

    for path in ("", "decisions/", "open-items/", "search/?q=release"):
        assert "suggested from the text" not in page(client, path)


@pytest.mark.parametrize("door", ["decisions", "open-items"])
def test_rest_filters_by_grade(workspace: Workspace, door: str) -> None:
    program = own_program()

    def listed(query: str) -> list[dict[str, Any]]:
        found = program.get(f"/api/v1/workspaces/acme/{door}{query}")
        assert found.status_code == 200, found.content
        rows: list[dict[str, Any]] = found.json()["data"]
        return rows

    assert [(row["grade"], row["confidence"]) for row in listed("")] == [
        ("declared", 1.0)
    ]
    assert [row["grade"] for row in listed("?grade=suggested")] == ["suggested"]
    assert len(listed("?grade=all")) == 2
    assert program.get(f"/api/v1/workspaces/acme/{door}?grade=x").status_code == 422


def test_tools_list_suggestions_and_take_verdicts(workspace: Workspace) -> None:
    caller = Caller(workspace, "dana")
    listed = ask("suggestion_list", caller, {})
    assert listed.total == 2
    open_items = ask("open_items", caller, {"grade": "suggested"})
    assert open_items.total == 1 and ", suggested]" in open_items.as_text()

    said = {"verdict": "accept", "marks": [one.mark for one in listed.suggestions]}
    assert ask("suggestion_judge", caller, said).count == 2
    assert Decision.objects.get(text__contains="per day").judged_by == "dana"
    assert ask("suggestion_list", caller, {}).total == 0


def test_recall_has_suggestions_in_a_part_of_its_own(workspace: Workspace) -> None:
    told = ask("recall", Caller(workspace, "dana"), {}).as_text()

    declared, suggested = told.split("Suggested by words of the text, not declared (2)")
    assert "decision: We decided to keep one file per day" in suggested
    assert "Open items (1)" in declared and "Recent decisions (1)" in declared
