"""Open items: the list of all files, one item, closing it in its file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.ticking import closed_row, ticked, unticked
from memoryhub.journal.models import Operation, Workspace
from memoryhub.values.identity import code_of
from snapshots.queries.open_items import open_count, open_work
from tests.factories import imported
from tests.writing import assert_a_rebuild_changes_nothing, say

pytestmark = pytest.mark.django_db
LIST = "/w/acme/open-items/"


def day(ago: int) -> str:
    return (timezone.now() - timedelta(days=ago)).date().isoformat()


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(
        workspace_root,
        {
            f"memory/{day(9)}.md": "## Next steps\n- order **posts**\n- paint gate\n",
            f"memory/{day(5)}.md": "## Next\n- order posts (still)\n",
            f"memory/{day(1)}.md": "## Pending\r\n- order posts\r\n\r\n"
            "- [x] paint gate\r\n",
        },
    )


def codes(workspace: Workspace) -> dict[str, str]:
    return {work.text: work.code for work in open_work(workspace)}


def test_repeats_are_one_row_with_age_and_number(
    client: Client, workspace: Workspace
) -> None:
    page = client.get(LIST).content.decode()
    assert page.count("order posts") >= 1
    assert "open for 9 days" in page
    assert "in 3 files" in page
    assert "paint gate" not in page
    assert "paint gate" in client.get(f"{LIST}?state=done").content.decode()


def test_an_item_that_an_agent_ticks_is_a_note_on_the_timeline(
    workspace: Workspace,
) -> None:
    for mark in " x":
        say(workspace, {f"memory/{day(3)}.md": f"## Next\n- [{mark}] oil the gate\n"})

    told = Event.objects.filter(verb="ticked").values_list("kind", "title")
    assert list(told) == [("note", "oil the gate")]


def test_a_tick_changes_one_line_and_is_undone(
    client: Client, workspace: Workspace
) -> None:
    file = Path(workspace.root, f"memory/{day(1)}.md")
    before = file.read_bytes()
    code = codes(workspace)["order posts"]
    assert client.post(f"{LIST}{code}/close/", {"key": "k1"}).status_code == 303
    changed = before.replace(b"- order posts\r\n", b"- [x] order posts\r\n")
    assert file.read_bytes() == changed
    workspace.refresh_from_db()
    assert open_count(workspace) == 0
    operation = Operation.objects.get(key="k1")
    assert client.post(f"/w/acme/undo/{operation.key}/").status_code == 303
    assert file.read_bytes() == before
    workspace.refresh_from_db()
    assert open_count(workspace) == 1
    assert_a_rebuild_changes_nothing(workspace)


def test_an_item_is_closed_with_a_reason(client: Client, workspace: Workspace) -> None:
    code = codes(workspace)["order posts"]
    client.post(f"{LIST}{code}/close/", {"reason": "too dear (Ana)"})
    line = "- [x] order posts (closed: too dear [Ana])\r\n"
    assert line.encode() in Path(workspace.root, f"memory/{day(1)}.md").read_bytes()
    workspace.refresh_from_db()
    assert open_count(workspace) == 0


def test_an_item_is_opened_again(client: Client, workspace: Workspace) -> None:
    file = Path(workspace.root, f"memory/{day(1)}.md")
    url = f"{LIST}{codes(workspace)['paint gate']}/"
    assert "Open again" in client.get(url).content.decode()
    assert client.post(f"{url}reopen/", {"key": "k2"}).status_code == 303
    assert b"- [ ] paint gate\r\n" in file.read_bytes()
    workspace.refresh_from_db()
    assert open_count(workspace) == 2
    assert client.post("/w/acme/undo/k2/").status_code == 303
    assert b"- [x] paint gate\r\n" in file.read_bytes()


def test_the_page_of_an_item_has_its_mentions(
    client: Client, workspace: Workspace
) -> None:
    page = client.get(f"{LIST}{codes(workspace)['order posts']}/").content.decode()
    for ago in (9, 5, 1):
        assert f"memory/{day(ago)}.md:" in page


def test_a_mention_leads_to_its_item(client: Client, workspace: Workspace) -> None:
    work = next(w for w in open_work(workspace) if w.text == "order posts")
    answer = client.get(f"{LIST}{code_of(work.newest.id)}/")
    assert answer.headers["Location"].endswith(f"{work.code}/")


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        ("- [ ] fence", "fence", "- [x] fence"),
        ("  * [!] fence", "fence", "  * [x] fence"),
        ("- fence", "fence", "- [x] fence"),
        ("3. fence", "fence", "3. [x] fence"),
        ("⏳ waiting for Ana", "waiting for Ana", "✅ waiting for Ana"),
        ("- ⏳ счёт", "⏳ счёт", "- ✅ счёт"),
        ("next_step: fence", "fence", "next_step: fence ✅"),
        ("- offen: Zaun  ", "Zaun", "- offen: Zaun ✅"),
        ("Someone should paint.", "Someone should paint.", "Someone should paint. ✅"),
    ],
)
def test_a_line_is_ticked_in_its_own_form(line: str, text: str, after: str) -> None:
    assert ticked([line], text) == [after]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("- [x] fence (closed: too dear [Ana])", "- [ ] fence"),
        ("1. [X] fence (old)", "1. [ ] fence (old)"),
        ("next_step: fence ✅ (closed: sold)", "next_step: fence"),
    ],
)
def test_a_tick_is_taken_back(line: str, after: str) -> None:
    assert unticked([line]) == [after]


def test_a_report_in_words_is_not_taken_back() -> None:
    with pytest.raises(FormatError, match=r"^item-not-ticked"):
        unticked(["The fence is painted."])


def test_a_line_of_a_table_is_not_ticked() -> None:
    with pytest.raises(FormatError, match=r"^item-in-table"):
        ticked(["| 3 | fence | open |"], "fence")


@pytest.mark.parametrize(
    ("head", "row", "closed"),
    [
        ("| Task | Status |", "| fence |  open | ", "| fence |  done | "),
        ("| Status | Task |", "| in progress | open day |", "| done | open day |"),
        ("| # | What |", "| [ ] | fence \\| gate |", "| [x] | fence \\| gate |"),
        ("| Sache | Stand |", "| Zaun | ⏳ |", "| Zaun | ✅ |"),
    ],
)
def test_a_row_of_a_table_is_done_in_its_open_cell(
    head: str, row: str, closed: str
) -> None:
    assert closed_row(row, head) == closed


def test_a_row_without_an_open_cell_is_refused() -> None:
    assert closed_row("| fence | painted |", "| Task | Status |") is None
    assert closed_row("|a|open|", "|Task|State|", "x|y") == "|a|done (closed: x/y)|"


def test_an_item_in_a_table_is_closed_on_its_page(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    before = "# Work\r\n\r\n| Task | Status |\r\n|---|---|\r\n| Paint it | open |\r\n"
    imported(workspace_root, {"memory/work.md": before})
    (work,) = open_work(Workspace.objects.get())
    client.post(f"{LIST}{work.code}/close/", {"key": "a"})
    text = (workspace_root / "memory/work.md").read_bytes().decode()
    assert text == before.replace("| open |", "| done |")
    assert open_work(Workspace.objects.get()) == ()


REPORTED = {
    "memory/2026-03-02.md": "# 2026-03-02\n\n## Open\n\n- [ ] call the roof supplier\n"
    "- [ ] order 30 quince rootstocks\n",
    "memory/2026-03-04.md": "# 2026-03-04\n\n## 09:10 Roof\n\nCalled the roof"
    " supplier.\n\n## 11:00 Trees\n\nOrdered 12 quince rootstocks.\n",
}


def test_an_item_is_closed_by_the_entry_that_reports_it(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, REPORTED)
    roof, trees = sorted(open_work(Workspace.objects.get()), key=lambda one: one.text)
    assert (roof.state, trees.state) == ("done", "open")
    page = client.get(f"{LIST}{roof.code}/").content.decode()
    assert "memory/2026-03-04.md:3" in page
    assert "reopen/" not in page
    assert "memory/2026-03-04.md:3" in client.get(f"{LIST}?state=done").content.decode()


def test_an_item_named_again_after_the_report_is_open(
    workspace_root: Path, hub_data: Path
) -> None:
    later = "# 2026-03-05\n\n## Open\n\n- [ ] call the roof supplier\n"
    imported(workspace_root, {**REPORTED, "memory/2026-03-05.md": later})
    works = {one.text: one.state for one in open_work(Workspace.objects.get())}
    assert works["call the roof supplier"] == "open"


@pytest.mark.parametrize(
    "text",
    [
        "The roof supplier has not called yet.",
        "Shall I have the roof supplier called?",
        "Talked about the roof of the barn, painted the door.",
    ],
)
def test_an_entry_that_reports_something_else_closes_nothing(
    workspace_root: Path, hub_data: Path, text: str
) -> None:
    entry = f"# 2026-03-04\n\n## 09:10 News\n\n{text}\n"
    imported(workspace_root, {**REPORTED, "memory/2026-03-04.md": entry})
    works = open_work(Workspace.objects.get())
    assert {one.state for one in works} == {"open"}


def test_a_report_of_one_item_closes_no_other_with_some_of_its_words(
    workspace_root: Path, hub_data: Path
) -> None:
    items = "- [ ] ask Bo for the price of a filter\n- [ ] ask Bo for the key\n"
    report = "## 8:15 Bo\n\n✅ ask Bo for the price of a filter\n"
    imported(
        workspace_root,
        {
            "memory/2026-03-02.md": f"# 2026-03-02\n\n## Open\n\n{items}",
            "memory/2026-03-04.md": f"# 2026-03-04\n\n{report}",
        },
    )
    works = {w.text[-6:]: w.state for w in open_work(Workspace.objects.get())}
    assert works == {"filter": "done", "he key": "open"}


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] ask the glazier about the attic window again",
        "The glazier has not answered about the attic window.",
        "The glazier sent a draft for the attic window.",
        "The glazier mended 3 windows.",
        "The glazier, about the attic window: is it urgent?",
    ],
)
def test_a_line_about_the_same_that_is_not_done_closes_nothing(
    workspace_root: Path, hub_data: Path, line: str
) -> None:
    before = "# 2026-03-02\n\n## Open\n\n- [ ] ask the glazier about attic window 7\n"
    after = f"# 2026-03-04\n\n## 09:10 Round\n\nA quiet day.\n\n{line}\n"
    files = {"memory/2026-03-02.md": before, "memory/2026-03-04.md": after}
    imported(workspace_root, files)
    works = open_work(Workspace.objects.get())
    assert {work.state for work in works} == {"open"}


def test_a_day_that_lists_the_work_as_open_does_not_close_it(
    workspace_root: Path, hub_data: Path
) -> None:
    before = "# 2026-03-02\n\n## Open\n\n- [ ] boiler contract from Anselm\n"
    after = (
        "# 2026-03-04\n\n## 09:10 Boiler\n\nAnselm read out the contract by phone.\n\n"
        "## Open\n\n- [ ] signed boiler contract, Anselm sends it\n"
    )
    files = {"memory/2026-03-02.md": before, "memory/2026-03-04.md": after}
    imported(workspace_root, files)
    works = open_work(Workspace.objects.get())
    assert {work.state for work in works} == {"open"}


def test_an_item_of_a_read_only_file_offers_no_closing(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    issue = '{"id":"a-1","title":"Mend the fence","status":"open"}\n'
    imported(workspace_root, {".beads/issues.jsonl": issue})
    (work,) = open_work(Workspace.objects.get())
    assert "close/" not in client.get(f"{LIST}{work.code}/").content.decode()
    assert "close/" not in client.get(LIST).content.decode()


def test_an_unknown_item_is_not_found(client: Client, workspace: Workspace) -> None:
    assert client.get(f"{LIST}0000000000000/").status_code == 404
    assert client.post(f"{LIST}nothing/close/").status_code == 404


def test_the_empty_list_says_where_items_come_from(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    imported(workspace_root, {"notes.md": "# Notes\n"})
    assert "Nothing is open" in client.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("stated", "path", "reported", "state"),
    [
        ("23:00", "memory/2026-03-03.md", "00:30", "done"),
        ("09:00", "memory/2026-03-02-evening.md", "18:00", "open"),
    ],
)
def test_a_later_day_is_one_of_the_workspaces_zone(
    workspace_root: Path,
    hub_data: Path,
    stated: str,
    path: str,
    reported: str,
    state: str,
) -> None:
    files = {
        "USER.md": "# User\n\nTimezone: Pacific/Auckland\n",
        "memory/2026-03-02.md": f"# 2026-03-02\n\n## {stated} Roof\n\nRain.\n\n"
        "### Open\n\n- [ ] call the roof supplier\n",
        path: f"# Log\n\n## {reported} Roof\n\nCalled the roof supplier.\n",
    }
    imported(workspace_root, files)

    (work,) = open_work(Workspace.objects.get())

    assert work.state == state
