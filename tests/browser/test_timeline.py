"""The timeline in a browser: scrolling, keys, marks, and news while it is open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PageOf
from tests.browser.hub import running_hub, signed_in_context

_ENTRY = "\n## 23:{minute:02} - Live entry {minute}\nWritten while a page was open.\n"
_TASK = """<task>
  <from>builder</from>
  <to>planner</to>
  <task_id>20261120-01</task_id>
  <type>decision</type>
  <context>Use events.</context>
</task>
"""


@pytest.fixture(scope="module")
def live_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Give a hub that watches its folder, and a log in it."""
    folder = tmp_path_factory.mktemp("live")
    root = folder / "live"
    log = root / "memory/2026-11-20.md"
    log.parent.mkdir(parents=True)
    log.write_text("# 2026-11-20\n\n## 08:00 - Begun\nFirst.\n")
    with running_hub(folder, [root], watch=True) as address:
        yield f"{address}/w/live/", log


@pytest.fixture
def live(browser: Browser, live_hub: tuple[str, Path]) -> Iterator[Page]:
    context = signed_in_context(
        browser, live_hub[0], viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    with page.expect_response(re.compile(r"/live/\?")):
        page.goto(live_hub[0] + "timeline/")
    yield page
    context.close()


def append(log: Path, minute: int) -> None:
    with log.open("a") as file:
        file.write(_ENTRY.format(minute=minute))


def test_a_saved_file_is_on_an_open_page_behind_a_pill(
    live: Page, live_hub: tuple[str, Path]
) -> None:
    rows = live.locator("li.ev")
    before = rows.count()

    append(live_hub[1], 1)
    pill = live.locator("[role=status] .pill")
    expect(pill).to_have_text("1 new, show")
    expect(rows).to_have_count(before)

    pill.press("Enter")
    expect(live.locator("li.ev", has_text="Live entry 1")).to_be_visible()
    expect(pill).to_be_hidden()
    expect(live.locator("main")).to_be_focused()
    expect(live.locator(".imp span")).to_contain_text("checked")


def test_what_has_focus_is_left_alone(live: Page, live_hub: tuple[str, Path]) -> None:
    field = live.locator("main input[type=search]")
    field.fill("half a word")

    append(live_hub[1], 2)
    expect(live.locator(".pill")).to_have_text("1 new, show")

    expect(field).to_be_focused()
    expect(field).to_have_value("half a word")


def test_without_a_connection_the_page_says_how_old_it_is(live: Page) -> None:
    live.context.set_offline(True)
    live.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    expect(live.locator(".imp")).to_have_text(
        re.compile(r"^\s*Not connected, showing \d\d:\d\d\s*$")
    )
    live.context.set_offline(False)
    expect(live.locator(".imp span")).to_contain_text("checked")


def test_without_event_streams_the_page_asks_by_itself(
    browser: Browser, live_hub: tuple[str, Path]
) -> None:
    context = signed_in_context(browser, live_hub[0])
    page = context.new_page()
    page.route(re.compile(r"/live/\?"), lambda route: route.abort())
    page.goto(live_hub[0] + "timeline/")

    append(live_hub[1], 4)

    expect(page.locator(".pill")).to_have_text("1 new, show")
    context.close()


def test_t2_without_scripts_older_events_keep_the_filter(
    page_of: PageOf, hub: str
) -> None:
    page = page_of(java_script_enabled=False)
    page.goto(hub + "timeline/?kind=note")
    rows = page.locator("main a.cover")
    first = rows.all_inner_texts()
    page.locator("a.more").click()
    page.wait_for_url(re.compile(r"\?kind=note&before="))

    expect(page.locator(".chip[aria-current]")).to_have_text(
        re.compile(r"^\s*Daily notes")
    )
    assert rows.count() > 10
    assert rows.all_inner_texts() != first


def test_t3_a_filter_survives_copy_back_and_forward(page: Page, hub: str) -> None:
    address = hub + "timeline/?kind=snapshot&agent=builder"
    page.goto(address)
    titles = page.locator("a.cover").all_inner_texts()
    page.locator("a.cover").first.click()
    page.wait_for_url(re.compile(r"/snapshots/.*kind=snapshot&agent=builder"))

    page.go_back()
    expect(page).to_have_url(address)
    expect(page.locator("a.cover")).to_have_text(titles, use_inner_text=True)
    expect(page.locator(".chip[aria-current]")).to_contain_text("Snapshots")
    page.go_forward()
    expect(page).to_have_url(re.compile("/snapshots/"))


def test_t5_keys_move_focus_and_older_rows_do_not_take_it(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/?kind=note")
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    second = page.locator("a.cover").nth(1)
    expect(second).to_be_focused()

    page.locator("a.more").evaluate("node => node.scrollIntoView()")
    expect(page.locator("li.ev").nth(60)).to_be_attached()
    expect(second).to_be_focused()


def test_t5_keys_reach_a_fold_but_not_what_it_hides(
    page_of: PageOf, own_hub: str, own_hub_folder: Path
) -> None:
    page = page_of()
    page.goto(f"{own_hub}/w/acme/timeline/")
    page.evaluate(
        """() => { const row = document.querySelector("li.ev");
        row.outerHTML = `<li class="ev burst"><span></span><details>
        <summary class="cover">4 history lines</summary>
        <ol>${row.outerHTML}</ol></details></li>` + row.outerHTML; }"""
    )

    page.keyboard.press("j")
    expect(page.locator("summary.cover")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("a.cover").nth(1)).to_be_focused()


def test_t6_days_are_named_lists_and_times_have_offsets(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/")

    for day in page.locator("section.day").all():
        name = day.get_attribute("aria-labelledby")
        assert day.locator(f"h2#{name}").count() == 1 and day.locator("ol").count()
    times = page.locator("li.ev time").evaluate_all("all => all.map(t => t.dateTime)")
    assert all(re.search(r"T\d\d:\d\d:\d\d[+-]\d\d:\d\d$", time) for time in times)


def test_m_marks_what_is_shown_as_seen(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.goto(f"{own_hub}/w/acme/timeline/")

    page.keyboard.press("m")

    expect(page.locator(".toast")).to_contain_text("Marked as seen")
    expect(page.locator("main .new")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone")


def test_a_choice_filters_at_once_and_keeps_the_focus(page: Page, hub: str) -> None:
    page.goto(hub + "timeline/?kind=decision")
    agent = page.locator("select[name=agent]")

    agent.focus()
    page.keyboard.press("p")

    page.wait_for_url(re.compile(r"agent=planner"))
    assert "kind=decision" in page.url
    expect(agent).to_be_focused()
    expect(page.get_by_role("button", name="Filter")).to_have_count(0)
    page.get_by_label("Filter this timeline").press_sequentially("web")
    expect(page.get_by_label("Filter this timeline")).to_have_value("web")
    assert "q=web" not in page.url
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"q=web"))


@pytest.mark.parametrize(
    ("address", "row"),
    [
        ("timeline/", "li.ev"),
        ("decisions/", ".log li"),
        ("topics/api-redesign/", "li.ev"),
    ],
)
def test_back_returns_to_the_rows_and_the_place_in_a_list(
    page: Page, hub: str, address: str, row: str
) -> None:
    page.goto(hub + address)
    rows = page.locator(row)
    first = rows.count()
    # By JavaScript: a link that is in sight loads and goes by itself in some lists.
    older = page.locator("main footer .more[hx-get]")
    older.evaluate_all("links => links[0].click()")
    expect(rows.nth(first)).to_be_attached()
    page.wait_for_load_state("networkidle")
    number, opened = rows.count(), rows.nth(first + 3)
    opened.scroll_into_view_if_needed()
    page.wait_for_function("() => history.state?.list?.top === scrollY")
    place = page.evaluate("scrollY")

    opened.locator("a").first.click()
    page.wait_for_load_state()
    page.go_back()

    expect(rows.nth(number - 1)).to_be_attached()
    page.wait_for_function("at => Math.abs(scrollY - at) < 20", arg=place)


def test_h_and_l_go_from_day_to_day(page: Page, hub: str) -> None:
    page.goto(hub + "days/2026-11-19/")
    page.keyboard.press("h")
    page.wait_for_url(re.compile(r"/days/2026-11-18/$"))
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile(r"/days/2026-11-19/$"))


def test_title_and_icon_say_how_much_waits_while_a_page_is_open(
    live: Page, live_hub: tuple[str, Path]
) -> None:
    icon = live.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", "/static/favicon.svg")

    task = live_hub[1].parent / "handoffs/20261120-01.md"
    task.parent.mkdir()
    task.write_text(_TASK)

    expect(live).to_have_title(re.compile(r"^\(1\) Timeline"))
    expect(icon).to_have_attribute("href", "/static/favicon-turn.svg")
    task.unlink()
    expect(live).to_have_title(re.compile("^Timeline"))
    expect(icon).to_have_attribute("href", "/static/favicon.svg")
