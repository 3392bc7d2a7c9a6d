from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from snapshots.models import LogEntry, OpenItem
from tests.writing import say

MakeWorkspace = Callable[[Path], Workspace]

LOG = "memory/2026-11-01.md"


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def entry(name: str, text: str = "text") -> str:
    return f"## {name}\n\n{text}\n\n"


def titles() -> dict[str, int]:
    rows = LogEntry.objects.filter(last_seq=None).order_by("position")
    return {row.title: row.id for row in rows}


def test_an_entry_keeps_its_row_when_others_come_before_it(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One") + entry("Two")})
    before = titles()

    say(workspace, {LOG: "# Day\n\n" + entry("Zero") + entry("One") + entry("Two")})

    after = titles()
    assert list(after)[-3:] == ["Zero", "One", "Two"]
    assert (after["One"], after["Two"]) == (before["One"], before["Two"])


def test_lines_of_a_kept_entry_are_those_of_now(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One")})
    first = LogEntry.objects.get(title="One").first_line

    say(workspace, {LOG: "# Day\n\n" + entry("Zero") + entry("One")})

    assert LogEntry.objects.get(title="One").first_line == first + 4


def test_a_reworded_entry_keeps_its_row(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One", "before")})
    before = titles()["One"]

    say(workspace, {LOG: "# Day\n\n" + entry("One", "after")})

    assert titles()["One"] == before
    assert LogEntry.objects.get(id=before).excerpt == "after"


def test_an_entry_that_is_gone_is_closed(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One") + entry("Two")})

    say(workspace, {LOG: "# Day\n\n" + entry("Two")})

    assert LogEntry.objects.get(title="One").last_seq == 2


def test_a_ticked_item_keeps_its_row(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n- [ ] write\n- [ ] read\n"})
    before = OpenItem.objects.get(text="write").id

    say(workspace, {LOG: "# Day\n\n- [x] write\n- [ ] read\n"})

    item = OpenItem.objects.get(text="write")
    assert (item.id, item.done) == (before, True)


def test_a_file_that_says_something_else_now_closes_what_it_said(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One") + "- [ ] write\n"})

    say(workspace, {LOG: ""})

    assert LogEntry.objects.get(title="One").last_seq == 2
    assert OpenItem.objects.get(text="write").last_seq == 2


def test_a_kept_entry_keeps_what_it_was_told_with(workspace: Workspace) -> None:
    say(workspace, {LOG: "# Day\n\n" + entry("One at 10:00 UTC")})
    before = LogEntry.objects.values().get()

    say(workspace, {LOG: "# Day\n\n" + entry("One at 10:00 UTC") + entry("Two")})

    assert LogEntry.objects.exclude(title="Two").values().get() == before
