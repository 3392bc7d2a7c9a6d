"""The open items of a workspace, as each door answers them: the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Operation, SourceFile, Workspace
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions, call, request_of
from memoryhub.tools.open_items import ItemClosed
from memoryhub.tools.registry import tool_named
from tests.factories import imported
from tests.signing import own_program
from tests.tools.doors import DOORS

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {
    "IDENTITY.md": "- **Name:** Nora\n",
    "MEMORY.md": "# Memory\n\nThe gate is green.\n",
    "memory/context-shop.md": "# Context: shop\n\n## Current Status\nLive.\n",
    "memory/2026-11-11.md": "# 2026-11-11\n\n## Next steps\n- order the **posts**\n"
    "- [ ] paint `gate`\n",
    "memory/2026-11-15.md": "# 2026-11-15\n\n## Offen\n- order the posts (still)\n",
    "memory/2026-11-18.md": "# 2026-11-18\n\n## 次のステップ\n- 見積書を送る\n\n"
    "## 待办\n- [x] paint gate\n",
}
PAGE = "/w/acme/open-items/"
REST = "/api/v1/workspaces/acme/open-items"
_ROW = re.compile(
    r'<a class="t cover break" href="[^"]*/open-items/(\w+)/">([^<]*)</a>'
)


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(workspace_root, FILES)


def on_page(client: Client, state: str) -> dict[str, str]:
    found, url = dict[str, str](), f"{PAGE}?state={state}"
    while url:
        page = client.get(url).content.decode()
        found |= {code: unescape(text) for code, text in _ROW.findall(page)}
        more = re.search(r'<a class="more" href="([^"]+)"', page)
        url = unescape(more[1]) if more else ""
    return found


def by_rest(**query: str) -> Iterator[dict[str, Any]]:
    program, cursor = own_program(), ""
    while True:
        answer = program.get(REST, {**query, "cursor": cursor})
        assert answer.status_code == 200, answer.content
        yield from answer.json()["data"]
        cursor = answer.json()["next"] or ""
        if not cursor:
            return


def by_tool(door: str, **asked: Any) -> list[dict[str, Any]]:
    said = CallerOptions(workspace="acme", agent="scout")
    given = DOORS[door](said, "open_items", {"limit": 500, **asked})
    assert not given.refused, given
    assert given.fields["total"] == len(given.fields["items"])
    return list(given.fields["items"])


def called(workspace: Workspace, name: str, session: str = "", **asked: Any) -> Any:
    tool = tool_named(name)
    workspace.refresh_from_db()
    return call(
        tool, Caller(workspace, "scout", "scout", session), request_of(tool, asked)
    )


@pytest.mark.parametrize("state", ["open", "done"])
def test_every_door_lists_the_same_items(
    client: Client, workspace: Workspace, state: str
) -> None:
    shown = on_page(client, state)
    assert shown
    assert [row["code"] for row in by_rest(state=state)] == list(shown)
    for door in DOORS:
        assert [row["code"] for row in by_tool(door, state=state)] == list(shown)


def test_an_item_says_since_when_how_often_and_where(workspace: Workspace) -> None:
    posts = next(row for row in by_rest() if "posts" in row["text"])
    assert posts["text"] == "order the posts (still)"
    assert posts["since"].startswith("2026-11-11")
    assert posts["last_mentioned_at"].startswith("2026-11-15")
    assert (posts["mentions"], posts["state"], posts["done_at"]) == (2, "open", None)
    source = posts["source"]
    assert (source["path"], source["first_line"]) == ("memory/2026-11-15.md", 4)
    (row,) = by_tool("mcp", text="posts")
    assert row["source"] == "memory/2026-11-15.md:4"
    line = "- order the posts (still) (since 2026-11-11; mentioned 2 times; Nora;"
    assert row["line"].startswith(line)


def test_what_is_done_says_when(workspace: Workspace) -> None:
    (gate,) = by_rest(state="done")
    assert gate["text"] == "paint `gate`"
    assert gate["done_at"].startswith("2026-11-18")
    assert len(list(by_rest(state=""))) == len(list(by_rest())) + 1


def test_items_are_narrowed_alike(workspace: Workspace) -> None:
    for narrowed in ({"agent": "Nora"}, {"agent": "nobody"}, {"topic": "shop"}):
        codes = [row["code"] for row in by_rest(**narrowed)]
        assert [row["code"] for row in by_tool("cli", **narrowed)] == codes
    assert len(list(by_rest(agent="Nora"))) > 1
    assert list(by_rest(agent="nobody")) == []
    assert [row["text"] for row in by_rest(q="見積書")] == ["見積書を送る"]


def test_a_long_list_is_given_in_pages(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    lines = "".join(f"- [ ] lay cable {n} to room {n}\n" for n in range(120))
    imported(workspace_root, {"memory/2026-11-11.md": f"# 2026-11-11\n\n{lines}"})
    codes = [row["code"] for row in by_rest()]
    assert len(codes) == len(set(codes)) == 120
    assert codes == list(on_page(client, "open"))
    assert own_program().get(REST, {"cursor": "x"}).status_code == 404
    assert own_program().get(REST, {"sort": "x"}).status_code == 422


def test_what_only_memory_md_says_is_for_private_sessions(workspace: Workspace) -> None:
    private = SourceFile.objects.filter(path="memory/2026-11-18.md")
    SourceFile.objects.filter(path="MEMORY.md").update(path="other.md")
    private.update(path="MEMORY.md")
    shared = "agent:nora:discord:group:7"
    texts = {row.text for row in called(workspace, "open_items").items}
    assert "見積書を送る" in texts
    given = {row.text for row in called(workspace, "open_items", shared).items}
    assert given == texts - {"見積書を送る"} | {"paint `gate`"}
    with pytest.raises(ToolError, match="not-found"):
        called(workspace, "open_item_close", shared, item="見積書を送る")


def test_an_agent_closes_an_item_in_its_file(workspace: Workspace) -> None:
    (quote,) = by_rest(q="見積書")
    answer = called(workspace, "open_item_close", item=quote["code"], reason="sent")
    assert isinstance(answer, ItemClosed)
    assert answer.as_text() == "Done:\n> 見積書を送る (memory/2026-11-18.md:4)"
    text = Path(workspace.root, "memory/2026-11-18.md").read_text("utf-8")
    assert "- [x] 見積書を送る (closed: sent)\n" in text
    assert Operation.objects.get(seq=answer.operation).actor == "scout"
    sync_workspace(workspace)
    assert list(by_rest(q="見積書")) == []
    with pytest.raises(ToolError, match="not-found"):
        called(workspace, "open_item_close", item=quote["code"])


def test_an_item_that_was_closed_is_opened_again(workspace: Workspace) -> None:
    file = Path(workspace.root, "memory/2026-11-18.md")
    before = file.read_bytes()
    called(workspace, "open_item_close", item="見積書を送る", reason="by Ana")
    sync_workspace(workspace)
    with pytest.raises(ToolError, match="not-found"):
        called(workspace, "open_item_close", item="見積書を送る")
    answer = called(workspace, "open_item_reopen", item="見積書を送る")
    assert answer.source == "memory/2026-11-18.md:4"
    assert file.read_bytes() == before.replace("- 見".encode(), "- [ ] 見".encode())
    sync_workspace(workspace)
    assert [row["state"] for row in by_rest(q="見積書")] == ["open"]
    called(workspace, "open_item_reopen", item="paint `gate`")
    assert b"- [ ] paint gate\n" in file.read_bytes()


def test_an_item_is_closed_by_its_text(workspace: Workspace) -> None:
    answer = called(workspace, "open_item_close", item="order the posts  (still)")
    assert answer.source == "memory/2026-11-15.md:4"


def test_an_unknown_item_is_refused(workspace: Workspace) -> None:
    for item in ("0000000000000", "nothing", "../x", "paint `gate`"):
        with pytest.raises(ToolError, match="not-found"):
            called(workspace, "open_item_close", item=item)
