"""Suggestions at every door: their own place, and verdicts on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.people.services.tokens import make_token
from memoryhub.prose import fit
from memoryhub.sync.record.projection import rebuild
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from snapshots.queries.suggestions import suggestions
from tests.factories import imported
from tests.signing import own_program
from tests.writing import say

AGENT = {"MemoryHub-Agent": "builder"}
SENTENCES = (
    "# 2026-11-20\n\n## 07:30 - Started\n\n"
    "We decided to keep one file per day, not one per hour, because it is simpler.\n\n"
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
    return [one.mark for one in suggestions(workspace)]


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
    assert ">suggested<" not in above
    assert '<span class="tag">suggested</span>' in below and "likely" in below


@pytest.mark.parametrize("path", ["decisions/", "open-items/"])
def test_a_list_is_filtered_by_grade_where_something_is_suggested(
    client: Client, workspace: Workspace, path: str
) -> None:
    def found(grade: str) -> tuple[bool, bool]:
        html = page(client, f"{path}?grade={grade}")
        assert "suggested from the text" not in html or grade == "declared"
        listed = html.split('class="card tl"')[1].split('id="suggested"')[0]
        is_marked = '<span class="tag">suggested</span>' in listed
        return "SQLite" in listed or "Measure the import" in listed, is_marked

    assert found("suggested") == (False, True)
    assert found("all") == (True, True)
    assert found("declared") == (True, False)
    assert "?grade=suggested" in page(client, path)
    client.post("/w/acme/suggestions/dismiss/", {"mark": marks(workspace)})
    assert "grade=" not in page(client, path)


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
        shown = page(client, card)
        assert '<span class="tag">suggested</span>' in shown and "likely" in shown
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
    assert len(listed("?grade=all&confidence=1")) == 1
    assert listed("?grade=suggested&confidence=0.999") == []
    assert program.get(f"/api/v1/workspaces/acme/{door}?grade=x").status_code == 422


@pytest.mark.parametrize("tool", ["decisions", "open_items"])
def test_tools_filter_by_grade(workspace: Workspace, tool: str) -> None:
    caller = Caller(workspace, "dana")

    assert ask(tool, caller, {}).total == 1
    assert ask(tool, caller, {"grade": "all"}).total == 2
    assert ", suggested 0." in ask(tool, caller, {"grade": "suggested"}).as_text()
    assert ask(tool, caller, {"grade": "all", "confidence": 0.999}).total == 1


RULE = '\nDana said: "Never push to main on a Friday."\n'


def test_rest_lists_directives_and_takes_verdicts(workspace: Workspace) -> None:
    say(workspace, {"memory/2026-11-20.md": SENTENCES + RULE})
    program, base = own_program(), "/api/v1/workspaces/acme"
    listed = f"{base}/directives"
    assert program.get(listed).json()["data"] == []
    (found,) = program.get(f"{listed}?grade=suggested&q=friday").json()["data"]
    unsure = f"{listed}?grade=suggested&confidence=0.999"
    assert program.get(unsure).json()["data"] == []

    verdict = {"accept": [f"directive:{found['code']}"], "kind": "directive"}
    asked: dict[str, Any] = {"data": verdict, "content_type": "application/json"}
    judge = f"{base}/tools/suggestions"
    refused = program.post(judge, **asked, headers=AGENT)
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "decision-needs-person"
    assert program.post(judge, **asked).json()["data"]["total"] == 0
    assert program.post(judge, **asked).status_code == 404
    (row,) = program.get(listed).json()["data"]
    assert row["grade"] == "declared" and 0.5 < row["confidence"] < 1


def test_directives_without_a_time_come_last(workspace: Workspace) -> None:
    rules = "# Memory\n\n## Rules\n\n- Never delete a log\n"
    dated = "# Log\n\n## Rules\n\n- Never push on a Friday\n"
    say(workspace, {"MEMORY.md": rules, "memory/2026-11-18.md": dated})

    found = own_program().get("/api/v1/workspaces/acme/directives").json()["data"]

    assert [row["text"] for row in found] == [
        "Never push on a Friday",
        "Never delete a log",
    ]


def test_the_tool_lists_each_with_its_mark_and_dismisses_for_good(
    workspace: Workspace,
) -> None:
    caller = Caller(workspace, "dana")
    listed = ask("suggestions", caller, {})
    assert [row.mark for row in listed.suggestions] == marks(workspace)
    assert f"[{marks(workspace)[0]}, 0." in listed.as_text()
    (item,) = ask("suggestions", caller, {"kind": "item"}).suggestions
    assert (item.place, item.why != "") == ("memory/2026-11-20.md:7", True)

    left = ask("suggestions", caller, {"dismiss": [item.mark]})

    assert left.total == 1 and len(left.operations) == 1
    rebuild(workspace)
    assert item.mark not in marks(workspace)


def test_verdicts_are_lines_that_training_reads(
    workspace: Workspace, tmp_path: Path
) -> None:
    decision, item = marks(workspace)
    ask(
        "suggestions",
        Caller(workspace, "dana"),
        {"accept": [decision], "dismiss": [item]},
    )
    listing = tmp_path / "sets" / "ours" / "labels.jsonl"
    listing.parent.mkdir(parents=True)

    call_command("export", "acme", verdicts=str(listing))

    assert [(one.group, one.truth.tolist()) for one in fit.read(tmp_path / "sets")] == [
        ("ours", [[1, 0, 0]]),
        ("ours", [[0, 0, 0]]),
    ]


def test_no_token_of_an_agent_accepts_a_suggestion(workspace: Workspace) -> None:
    token = make_token(workspace, "bot", [Scope.ADMIN]).secret
    program = Client(headers={"authorization": f"Bearer {token}"})
    asked = program.post(
        "/api/v1/workspaces/acme/tools/suggestions",
        {"accept": marks(workspace)},
        content_type="application/json",
    )

    assert asked.status_code == 403 and len(marks(workspace)) == 2


def test_recall_has_suggestions_in_a_part_of_its_own(workspace: Workspace) -> None:
    told = ask("recall", Caller(workspace, "dana"), {}).as_text()

    declared, suggested = told.split("Suggested by words of the text, not declared (2)")
    assert "decision: We decided to keep one file per day" in suggested
    assert "Open items (1)" in declared and "Recent decisions (1)" in declared
