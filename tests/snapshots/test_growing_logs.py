"""Logs that grow are imported from their end, with the rows of a whole import."""

from __future__ import annotations

from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from memoryhub.dialects import daily_log
from memoryhub.dialects.daily_log import DailyLog
from memoryhub.dialects.daily_log.log_entries import Entry
from memoryhub.dialects.facts import Entry as Told
from memoryhub.journal.changes import Change
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import Projection, rebuild
from snapshots.models import LogEntry, OpenItem
from tests.factories import imported
from tests.projected import differences, projected_rows
from topics.models import Decision

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "memory/2026-11-20.md"
LINES = (
    "- 09:30 moved the boxes",
    "- swept the yard",
    "## 10:15 Deliveries",
    "### Notes",
    "## Open work",
    "- [ ] call the glazier",
    "- [x] call the glazier",
    "We decided to keep the old gate.",
    "TODO: oil the hinges",
    "The paint must still be ordered.",
    "The paint was ordered.",
    "Open: the hinges; the latch",
    "```",
    "  a line within",
    "",
    "---",
    "Next steps:",
    "<!-- a remark -->",
    "11:40 spoke with the mason about the wall, who has to come again",
    "任务：还需要 检查 the wall",
    "**Next:** paint the fence; oil the latch",
    "Decisions:",
    "  - keep the old gate",
    "| Task | Status |",
    "|---|---|",
    "| paint the fence | open |",
    "| Decision | Why |",
    "| sell the cart | no room |",
    "- [todo] paint the fence",
    "⏳ the mason's answer",
    "TODO ✅ is the sign of what is done",
    "- **session**: agent:main:telegram:+49 170/1",
    "agent:ops:main said so",
    "It was agreed that the gate stays where it is, since the road is there and",
    "we must still paint the fence behind it.",
    "painted the fence",
    "## Session summary",
    "No session activity today.",
    "## Wrap-up",
    "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
    "<!-- /BIG-MEMORY-SNAPSHOT -->",
    "ΟΔΟΣ. Σας İstanbul must still be painted",
)
HEAD = "# 2026-11-20\n\n" + "".join(f"- carried stone {n}\n" for n in range(120))
#: Long enough to be read without their middle: a list of times, and headings with one.
TIMES = "# 2026-11-20\n\n" + "".join(
    f"- {7 + n // 60 % 16:02}:{n % 60:02} carried stone {n}\n" for n in range(900)
)
HEADINGS = "# 2026-11-20\n\n" + "".join(
    f"## {7 + n // 60 % 16:02}:{n % 60:02} stone {n}\n\nCarried it.\n- swept\n\n"
    for n in range(900)
)
#: Code with lines like headings, which are none.
CODE = HEADINGS.replace("- swept\n", "```sh\n# count\n## them\nls\n```\n")
LONG = [
    pytest.param(TIMES, id="times"),
    pytest.param(HEADINGS, id="headings"),
    pytest.param(CODE, id="code"),
]
HEADED = (
    *LINES,
    *("## 10:15 Deliveries", "# Next steps", "### Wrap-up", "## 11:00") * 4,
)


def grow(workspace: Workspace, text: str) -> None:
    with (Path(workspace.root) / LOG).open("a") as log:
        log.write(text)
    sync_workspace(workspace)


def rebuilt_in_whole(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuild without anything that is known of earlier versions."""
    with monkeypatch.context() as patch:
        patch.setattr(Projection, "_version_before", lambda *_: None)
        rebuild(workspace)


@pytest.mark.parametrize("lines", [LINES, HEADED], ids=["plain", "headed"])
@pytest.mark.parametrize("seed", range(6))
def test_a_log_that_grew_has_the_rows_of_a_whole_import(
    hub_data: Path,
    workspace_root: Path,
    seed: int,
    lines: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace, chance = imported(workspace_root, {LOG: HEAD}), Random(seed)
    for _ in range(25):
        new = chance.choices(lines, k=chance.randrange(1, 5))
        grow(workspace, "\n".join(new) + chance.choice(["", "\n", "\n\n"]))
    before = projected_rows(workspace)

    rebuild(workspace)
    assert not differences(before, projected_rows(workspace))
    rebuilt_in_whole(workspace, monkeypatch)
    assert not differences(before, projected_rows(workspace))


@pytest.mark.parametrize("head", LONG)
@pytest.mark.parametrize("seed", range(3))
def test_a_long_log_that_grew_has_the_rows_of_a_whole_import(
    hub_data: Path,
    workspace_root: Path,
    seed: int,
    head: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace, chance = imported(workspace_root, {LOG: head}), Random(seed)
    for n in range(8):
        text = f"- 23:0{n} carried one more" if n % 2 else f"## 23:0{n} More"
        grow(workspace, "\n".join([text, *chance.choices(HEADED, k=2)]) + "\n")
    before = projected_rows(workspace)

    rebuilt_in_whole(workspace, monkeypatch)
    assert not differences(before, projected_rows(workspace))


@pytest.mark.parametrize("head", LONG)
def test_the_middle_of_a_long_log_is_not_read_again(head: str) -> None:
    new = f"{head}- 23:01 swept\n## 23:02\nDecision: keep the gate\n"

    grown, whole = daily_log.parse(new, known=len(head)), daily_log.parse(new)

    assert len(grown.text) < len(head) / 2
    below = [one for one in whole.entries if one.lines.first >= grown.entries_since]
    assert [one.lines for one in grown.entries] == [one.lines for one in below]
    assert grown.statements().decisions == whole.statements().decisions


def test_only_the_last_part_of_a_log_that_grew_is_read_again() -> None:
    old = f"{HEAD}## 10:00\n- [ ] call the mason\n\n## 11:00\n- [ ] sweep the yard\n"
    new = f"{old}- Decision: keep the gate\n"

    grown, whole = daily_log.parse(new, known=len(old)), daily_log.parse(new)

    assert grown.since == old.count("\n") - 1
    stated = whole.statements()
    assert [one.text for one in stated.open_items] == [
        "call the mason",
        "sweep the yard",
    ]
    assert grown.statements().open_items == stated.open_items[1:]
    assert grown.statements().decisions == stated.decisions
    assert grown.entries == whole.entries


def test_a_report_closes_an_item_of_an_earlier_part_of_the_log(
    hub_data: Path, workspace_root: Path
) -> None:
    head = (
        f"{HEAD}## Next steps\n- paint the garden fence\n- call the mason on Monday\n\n"
    )
    workspace = imported(workspace_root, {LOG: f"{head}## 11:00\n- swept\n"})

    grow(workspace, "- ✅ paint the garden fence\n- [ ] oil the hinges\n")

    rows = OpenItem.objects.filter(workspace=workspace, last_seq=None)
    left = [*rows.order_by("position").values_list("text", flat=True)]
    assert left == ["call the mason on Monday", "oil the hinges"]


def test_what_an_earlier_part_of_the_log_states_is_not_stated_twice(
    hub_data: Path, workspace_root: Path
) -> None:
    said = "## {}\n- Decision: keep the old gate\n- [ ] call the mason\n\n"
    workspace = imported(workspace_root, {LOG: HEAD + said.format("10:00")})

    grow(workspace, said.format("11:00") + "## 12:00\n- Decision: sell the cart\n")

    assert OpenItem.objects.filter(workspace=workspace).count() == 1
    decisions = Decision.objects.filter(workspace=workspace)
    assert {*decisions.values_list("text", "open_sources")} == {
        ("keep the old gate", 1),
        ("sell the cart", 1),
    }


@pytest.mark.usefixtures("quiet_importers")
def test_a_log_after_a_version_that_could_not_be_imported_is_read_whole(
    hub_data: Path, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, take = imported(workspace_root, {LOG: HEAD}), AgentImporter.take

    def raise_at_a_document(importer: AgentImporter, change: Change) -> None:
        if change.document is not None:
            raise OverflowError("Python int too large")
        take(importer, change)

    with monkeypatch.context() as patch:
        patch.setattr(AgentImporter, "take", raise_at_a_document)
        grow(workspace, "## 10:00\n- [ ] call the mason\n\n")

    grow(workspace, "## 11:00\n- [ ] oil the hinges\n")

    rows = OpenItem.objects.filter(workspace=workspace).order_by("position")
    assert [o.text for o in rows] == ["call the mason", "oil the hinges"]
    assert LogEntry.objects.filter(workspace=workspace, last_seq=None).count() == 120


def test_only_the_end_of_a_log_that_grew_is_imported(
    hub_data: Path, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Never read before in this process: a text known as a whole is not read as grown.
    head = f"{HEAD}- carried {uuid4()}\n"
    workspace = imported(workspace_root, {LOG: head})
    made: list[Entry] = []
    told = DailyLog._told

    def counted(log: DailyLog, entry: Entry) -> Told:
        made.append(entry)
        return told(log, entry)

    monkeypatch.setattr(DailyLog, "_told", counted)

    grow(workspace, "- carried one more\n")

    assert len(made) == 1
    assert LogEntry.objects.filter(workspace=workspace).count() == head.count("- ") + 1
