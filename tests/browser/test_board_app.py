"""The MCP App in a host's sandboxed frame: a board, and links to sign off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from memoryhub.handoffs.models import Handoff
from memoryhub.mcp.app import board_html

#: What a host does: it answers the app and gives it a tool's result.
_HOST = """
<!doctype html><title>host</title>
<iframe id="app" sandbox="allow-scripts" style="width:100%;height:600px"></iframe>
<script>
  const seen = [];
  const frame = document.getElementById("app");
  const say = (message) =>
    frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
  window.addEventListener("message", ({data}) => {
    seen.push(data);
    if (data.method === "ui/initialize")
      say({id: data.id, result: {protocolVersion: "2026-01-26", hostInfo: {},
        hostCapabilities: {}, hostContext: {theme: THEME}}});
    else if (data.method === "ui/notifications/initialized")
      say({method: "ui/notifications/tool-result", params: RESULT});
    else if (data.id) say({id: data.id, result: {}});
  });
  frame.srcdoc = APP;
</script>
"""
_ROW = {"type": "write", "sender": "planner", "recipient": "builder", "signed_by": ""}
_HOSTILE = "<img src=x onerror=\"parent.postMessage({method: 'ran'}, '*')\">"
ROWS = [
    {**_ROW, "code": "h1", "task_id": "20261120-01", "state": "open",
     "context": "Mend the relay", "waits": "after 20261120-00", "overdue": True},
    {**_ROW, "code": "h2", "task_id": "20261120-02", "state": "in_progress",
     "context": _HOSTILE, "silent": True},
    {**_ROW, "code": "h3", "task_id": "20261120-03", "state": "open",
     "type": "decision", "context": "Use two hinges", "waits": "unsigned"},
    {**_ROW, "code": "h4", "task_id": "20261120-04", "state": "done",
     "context": "Read the log of the proxy"},
]  # fmt: skip
PAGES = "http://127.0.0.1:8765/w/main/handoffs/"


def hosted(page: Page, rows: list[Any], theme: str = "light") -> None:
    """Show the app with a result in a page that plays the host."""
    result = {"structuredContent": {"handoffs": rows}, "content": []}
    result["_meta"] = {"memoryhub/pages": PAGES}
    parts = {
        "THEME": theme,
        "RESULT": result,
        "APP": board_html(),
    }
    text = _HOST
    for name, value in parts.items():
        text = text.replace(name, json.dumps(value).replace("</", "<\\/"))
    page.goto("about:blank")
    page.set_content(text)
    page.frame_locator("#app").locator("#empty").wait_for(
        state="hidden" if rows else "visible"
    )


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 820, "height": 640})
    yield page
    page.close()


def test_handoffs_stand_by_state_and_sign_offs_above(page: Page) -> None:
    hosted(page, ROWS)

    app = page.frame_locator("#app")
    assert app.locator("#sign .t").all_inner_texts() == ["Use two hinges"]
    heads = app.locator("#board h2").all_inner_texts()
    assert [" ".join(head.split()) for head in heads] == [
        "Open 1", "In progress 1", "Done 1"
    ]  # fmt: skip
    assert app.locator("#board .w").first.inner_text() == "after 20261120-00, overdue"


def test_no_state_of_a_handoff_is_left_out(page: Page) -> None:
    rows = [
        {**_ROW, "code": f"h{n}", "task_id": "", "state": state, "context": state}
        for n, state in enumerate(Handoff.State.values)
    ]
    hosted(page, rows)

    shown = page.frame_locator("#app").locator("#board .t").all_inner_texts()
    assert sorted(shown) == sorted(Handoff.State.values)


def test_a_link_is_opened_by_the_host(page: Page) -> None:
    hosted(page, ROWS)
    page.frame_locator("#app").get_by_text("Open to sign off").click()

    page.wait_for_function("seen.some((m) => m.method === 'ui/open-link')")
    asked = page.evaluate("seen.find((m) => m.method === 'ui/open-link').params")
    assert asked == {"url": f"{PAGES}h3/"}


def test_text_of_agents_is_text_and_nothing_is_loaded(page: Page) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    hosted(page, ROWS)

    app = page.frame_locator("#app")
    assert app.locator("#board .t").nth(1).inner_text() == _HOSTILE
    assert not page.evaluate("seen.some((m) => m.method === 'ran')")
    assert [url for url in loaded if not url.startswith("about:")] == []


def test_the_app_follows_the_hosts_theme(page: Page, tmp_path: Path) -> None:
    hosted(page, ROWS, "dark")
    app = page.frame_locator("#app")
    dark = app.locator("body").evaluate("(e) => getComputedStyle(e).backgroundColor")
    hosted(page, [], "light")

    light = app.locator("body").evaluate("(e) => getComputedStyle(e).backgroundColor")
    assert dark != light
    assert app.locator("#empty").inner_text() == "Nothing yet."
