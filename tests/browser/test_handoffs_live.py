"""Pages of handoffs that are open while others act."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import local_token_of, running_hub, signed_in_context

_NEW = re.compile(r"^\d new, show$")


@pytest.fixture(scope="module")
def live_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("live-handoffs")
    root = folder / "crew"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n")
    with running_hub(folder, [root]) as address:
        for number in range(12):
            _send(address, f"Read part {number}")
        yield address


@pytest.fixture
def live(browser: Browser, live_hub: str) -> Iterator[Page]:
    size = {"width": 1440, "height": 900}
    context = signed_in_context(browser, live_hub, viewport=size)
    yield context.new_page()
    context.close()


def _call(hub: str, tool: str, agent: str, **fields: str) -> dict[str, str]:
    address = f"{hub}/api/v1/workspaces/crew/tools/{tool}"
    headers = {
        "authorization": f"Bearer {local_token_of(hub)}",
        "content-type": "application/json",
        "memoryhub-agent": agent,
    }
    answer = urlopen(Request(address, json.dumps(fields).encode(), headers))
    found: dict[str, str] = json.loads(answer.read())["data"]
    return found


def _send(hub: str, context: str) -> str:
    fields = {"to": "builder", "type": "read_only", "context": context, "input": "all"}
    return _call(hub, "handoff_send", "planner", **fields)["task_id"]


def _open(page: Page, address: str) -> None:
    with page.expect_response(lambda answer: "/live/" in answer.url):
        page.goto(address)


def test_a_change_stands_behind_a_pill_until_it_is_asked_for(
    live: Page, live_hub: str
) -> None:
    _open(live, f"{live_hub}/w/crew/handoffs/")
    count = live.locator(".bcol .count").first
    was = int(count.inner_text())
    live.locator("main input[type=search]").fill("half a word")

    _send(live_hub, "Read what came now")
    pill = live.locator("[role=status] .pill")
    expect(pill).to_have_text(_NEW)
    expect(count).to_have_text(str(was))
    expect(live.locator("main input[type=search]")).to_be_focused()

    live.evaluate("scrollTo(0, 200)")
    pill.press("Enter")
    expect(count).to_have_text(str(was + 1))
    expect(pill).to_be_hidden()
    expect(live.locator("main")).to_be_focused()
    assert live.evaluate("scrollY") == 200


def test_who_goes_back_to_the_overview_reads_what_waits_now(
    live: Page, live_hub: str
) -> None:
    _open(live, f"{live_hub}/w/crew/")
    was = live.locator("h1").inner_text()
    live.get_by_role("link", name="Files").first.click()
    live.wait_for_url("**/files/")
    fields = {"to": "builder", "type": "decision", "context": "Which?", "input": "all"}
    _call(live_hub, "handoff_send", "planner", **fields)

    live.go_back()

    expect(live.locator("h1")).not_to_have_text(was)
    number = live.locator("h1").inner_text().split()[0]
    expect(live).to_have_title(re.compile(rf"^\({number}\) "))
    expect(live.locator("#side .turn").first).to_contain_text(number)


@pytest.mark.parametrize("view", ["", "&view=list"])
def test_a_pill_comes_again_after_it_was_used(
    live: Page, live_hub: str, view: str
) -> None:
    _open(live, f"{live_hub}/w/crew/handoffs/?q=Read+again{view}")
    pill = live.locator(".pill")

    for number in (1, 2):
        _send(live_hub, f"Read again {number}")
        expect(pill).to_have_text(_NEW)
        pill.click()
        expect(pill).to_be_hidden()
        expect(live.locator("main", has_text=f"Read again {number}")).to_be_attached()


def test_a_page_of_one_handoff_shows_what_others_did(live: Page, live_hub: str) -> None:
    task_id = _send(live_hub, "Read this one")
    _open(live, f"{live_hub}/w/crew/handoffs/{task_id}/")

    _call(live_hub, "handoff_take", "builder", task_id=task_id)
    live.locator(".pill", has_text=_NEW).click()

    expect(live.locator(".t-head .st.chip")).to_have_text("In progress")


def test_what_one_does_oneself_is_no_news(live: Page, live_hub: str) -> None:
    task_id = _send(live_hub, "Read and withdraw")
    _open(live, f"{live_hub}/w/crew/handoffs/{task_id}/")

    live.get_by_role("link", name="Take").first.click()
    with live.expect_response(re.compile("/news/")):
        live.locator("#act").get_by_role("button", name="Take").click()

    expect(live.locator(".t-head .st.chip")).to_have_text("In progress")
    expect(live.locator(".pill")).to_be_hidden()
