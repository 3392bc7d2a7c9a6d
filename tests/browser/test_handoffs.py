"""The board of handoffs in a browser: H1 to H7, and acts with and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageOf
from tests.browser.hub import manage, running_hub
from tests.browser.watched import Watch

_TASK = """# Handoff {id}

<task>
  <from>{sender}</from>
  <to>{to}</to>
  <task_id>{id}</task_id>
  <type>{type}</type>
  <after>{after}</after>
  <context>{context}</context>
  <input>docs/plan.md</input>
  <expected_output></expected_output>
  <constraints></constraints>
</task>

## Log

- 2026-11-20T0{hour}:00:00Z {sender}: sent
"""
_ODD = (
    "<r>\n<task_id>lost</task_id>\n<status>maybe</status>\n<o>nobody knows</o>\n</r>\n"
)
_IDS = "[...document.querySelectorAll('.hc .mono')].map(one => one.textContent)"


def _write(root: Path, number: int, **said: str) -> None:
    folder = root / "memory/handoffs"
    folder.mkdir(parents=True, exist_ok=True)
    values = {
        "id": f"20261120-{number:02}", "sender": "planner", "to": "builder",
        "type": "decision", "after": "",
        "context": f"Decide {number}", "hour": str(number % 10),
    }  # fmt: skip
    text = _TASK.format(**{**values, **said})
    (folder / f"20261120-{number:02}.md").write_text(text)


@pytest.fixture(scope="module")
def own_hub(own_hub_folder: Path) -> Iterator[str]:
    """Return the address of a hub with decisions to sign, a circle, an odd result."""
    root = own_hub_folder / "crew"
    for number in range(1, 9):
        _write(root, number)
    wait = {"type": "read_only", "sender": "docs", "to": "scout"}
    _write(root, 11, **wait, context="Wait one", after="20261120-12")
    back = {"type": "read_only", "sender": "scout", "to": "docs"}
    _write(root, 12, **back, context="Wait two", after="20261120-11")
    (root / "memory/2026-11-20.md").write_text(f"# 2026-11-20\n\n{_ODD}")
    with running_hub(own_hub_folder, [root]) as address:
        yield address


def _open(page: Page, hub: str) -> None:
    page.goto(f"{hub}/w/crew/handoffs/")


def _first_card(page: Page) -> str:
    return page.locator(".hc.mine .mono").first.inner_text()


def test_h1_cards_are_counted_and_in_one_column_only(page: Page, hub: str) -> None:
    page.goto(f"{hub}handoffs/")

    for column in page.locator(".bcol").all():
        rest = column.locator("> a")
        more = int(re.findall(r"\d+", rest.inner_text())[0]) if rest.count() else 0
        count = int(column.locator(".count").inner_text())
        assert column.locator(".hc").count() + more == count
    ids = page.evaluate(_IDS)
    assert len(set(ids)) == len(ids) > 10


def test_h2_a_decision_is_signed_off_by_keyboard_alone(
    page: Page, own_hub: str
) -> None:
    page.goto(f"{own_hub}/w/crew/")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url(re.compile("/handoffs/$"))
    signed, following = page.evaluate(_IDS)[:2]
    title = page.title()

    _to_first_card(page)
    page.keyboard.press("s")
    expect(page.locator("#a-reason")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("#act")).to_be_hidden()
    expect(page.locator("#live")).to_contain_text(f"Signed off: {signed}")
    expect(page.locator("#toasts button", has_text="Undo")).to_be_visible()
    expect(page.locator(".hc.mine", has_text=signed)).to_have_count(0)
    expect(page.locator(".hc:focus-within .mono")).to_have_text(following)
    expect(page).not_to_have_title(title)


def _to_first_card(page: Page) -> None:
    """Press j until the first card has the focus."""
    for _ in range(30):
        page.keyboard.press("j")
        if page.locator(".hc:focus-within").count():
            return
    raise AssertionError("j does not reach a card")


def test_rows_of_the_list_answer_the_keys_of_cards(page: Page, own_hub: str) -> None:
    page.goto(f"{own_hub}/w/crew/handoffs/?view=list&type=decision")
    row = page.locator("tbody tr").nth(2)
    act, title = page.locator("#act"), row.locator("a.cover").inner_text()
    row.locator("a.cover").focus()

    page.keyboard.press("s")
    expect(act.locator("h2")).to_have_text(f"Sign off: {title}")
    page.keyboard.press("Escape")
    page.keyboard.press("c")

    expect(act.get_by_role("link", name="Withdraw")).to_be_visible()
    expect(act).to_contain_text(title)


def test_what_was_signed_off_is_undone_on_the_same_page(
    page: Page, own_hub: str
) -> None:
    _open(page, own_hub)
    task_id = _first_card(page)
    page.locator(".hc.mine").first.get_by_role("link", name="Sign off").click()
    page.locator("#act").get_by_role("button", name="Sign off").click()
    expect(page.locator(".hc.mine", has_text=task_id)).to_have_count(0)

    page.locator("#toasts").get_by_role("button", name="Undo").click()

    expect(page.locator(".hc.mine", has_text=task_id)).to_have_count(1)


def test_h3_a_second_tab_shows_who_signed_and_changes_nothing(
    page_of: PageOf, own_hub: str, watch: Watch
) -> None:
    watch.allowed = frozenset({"409"})
    first, second = page_of(), page_of()
    for page in (first, second):
        _open(page, own_hub)
    task_id = _first_card(first)
    for page in (first, second):
        card = page.locator(".hc", has_text=task_id)
        card.get_by_role("link", name="Sign off").click()
        expect(page.locator("#act form")).to_be_visible()

    first.locator("#act").get_by_role("button", name="Sign off").click()
    expect(first.locator("#act")).to_be_hidden()
    second.locator("#act").get_by_role("button", name="Sign off").click()

    expect(second.locator("#act .conflict")).to_contain_text("signed off, operator")
    expect(second.locator("#act")).to_contain_text("Signed off operator")
    expect(second.locator("#act form")).to_have_count(0)


def test_sending_back_asks_why(page: Page, own_hub: str) -> None:
    _open(page, own_hub)
    task_id = _first_card(page)
    card = page.locator(".hc", has_text=task_id)
    card.get_by_role("link", name="Send back").click()
    form = page.locator("#act form")
    form.get_by_role("button", name="Send back").click()
    expect(form).to_be_visible()

    form.get_by_label("Why").fill("Which door?")
    form.get_by_role("button", name="Send back").click()

    expect(page.locator("#live")).to_contain_text(f"Sent back: {task_id}")
    page.goto(f"{own_hub}/w/crew/handoffs/?q={task_id}")
    expect(card).to_contain_text("Which door?")
    expect(card).to_contain_text("sent back")


def test_h4_what_was_not_understood_is_shown(page: Page, own_hub: str) -> None:
    _open(page, own_hub)

    odd = page.locator("#not-understood")
    expect(odd).to_contain_text("Not understood (1)")
    expect(odd.locator("pre")).to_contain_text("<o>nobody knows</o>")


def test_h5_a_circle_is_named_everywhere(page: Page, own_hub: str) -> None:
    _open(page, own_hub)
    expect(page.locator("#graph .notice")).to_contain_text(
        "Deadlock: scout → docs → scout"
    )
    expect(page.locator("#graph path.ed.bad")).to_have_count(2)
    expect(page.locator("#graph details .st.failed")).to_have_count(2)

    page.goto(f"{own_hub}/w/crew/")
    page.locator(".more-turns summary", has_not_text="suggested").click()
    page.get_by_role("link", name="Deadlock: scout → docs → scout").first.click()

    expect(page).to_have_url(re.compile("/handoffs/#graph$"))


def test_h6_the_graph_has_its_waits_as_text(page: Page, hub: str) -> None:
    page.goto(f"{hub}handoffs/")
    graph = page.locator("#graph")

    lines = graph.locator("path.ed").count()
    graph.get_by_text("Show as list").click()

    assert lines > 3
    expect(graph.locator("details li")).to_have_count(lines)
    expect(graph.locator("svg[role=img]")).to_have_attribute(
        "aria-label", re.compile(".")
    )


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_h7_all_columns_or_one(page_of: PageOf, hub: str, width: int) -> None:
    page = page_of("light", width)
    page.goto(f"{hub}handoffs/")

    lefts = page.evaluate(
        "[...document.querySelectorAll('.bcol')].map(c => c.getBoundingClientRect().x)"
    )
    assert len(lefts) >= 5
    assert len(set(lefts)) == (len(lefts) if width == 1440 else 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    place = page.locator(".bcol > header").first.evaluate(
        "one => getComputedStyle(one).position"
    )
    assert place == ("static" if width == 1440 else "sticky")


def test_everything_is_done_without_scripts(page_of: PageOf, own_hub: str) -> None:
    page = page_of("light", 1440, java_script_enabled=False)
    _open(page, own_hub)
    task_id = _first_card(page)
    page.locator(".hc", has_text=task_id).get_by_role("link", name="Sign off").click()
    expect(page.locator("h1")).to_have_text(f"Sign off: {task_id}")

    page.locator("main form").get_by_role("button", name="Sign off").click()

    expect(page.locator("main")).to_contain_text("Signed off operator")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Sign off")).to_be_visible()


def test_the_overview_signs_off_by_keyboard(page: Page, own_hub: str) -> None:
    page.goto(f"{own_hub}/w/crew/")
    heading = page.locator("h1").inner_text()
    row = page.locator(".yours li").first
    row.locator("a.cover").focus()
    page.keyboard.press("s")
    expect(page.locator("#a-reason")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("#act")).to_be_hidden()
    expect(page.locator("h1")).not_to_have_text(heading)
    expect(page.locator(".yours a.cover").first).to_be_focused()


def test_a_new_handoff_is_previewed_as_it_is_typed(page: Page, own_hub: str) -> None:
    _open(page, own_hub)
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/handoffs/new/"))
    page.get_by_label("To", exact=True).fill("builder")
    unknown = "No file declares an agent called builder."
    expect(page.locator("#n-to-hint")).to_contain_text(unknown)
    page.get_by_label("Context").fill("Mend <the> door")
    page.get_by_label("Input").fill("Hinge 2")
    block = page.locator("#preview pre")
    expect(block).to_contain_text("<context>Mend <the> door</context>")

    page.get_by_role("button", name="Send").click()

    expect(page.locator("h1")).to_have_text("Mend <the> door")
    expect(page.locator("#live")).to_contain_text("sent")


def test_what_was_done_is_what_agents_read(
    page: Page, own_hub: str, own_hub_folder: Path
) -> None:
    _open(page, own_hub)
    task_id = _first_card(page)
    card = page.locator(".hc", has_text=task_id)
    card.get_by_role("link", name=f"Change {task_id}").click()
    page.locator("#act").get_by_role("link", name="Withdraw").click()
    page.locator("#act").get_by_role("button", name="Withdraw").click()
    withdrawn = page.locator(".bcol", has=page.locator("#c-withdrawn"))
    expect(withdrawn).to_contain_text(task_id)
    manage(own_hub_folder, "export", "--write")

    text = (own_hub_folder / f"crew/memory/handoffs/{task_id}.md").read_text()
    assert text.rstrip().endswith("operator: withdrawn")
