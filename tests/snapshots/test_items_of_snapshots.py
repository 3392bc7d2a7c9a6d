"""Open items of snapshots and session memories: those of the newest are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.session_compact import SessionAnalysis, render_session
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from snapshots.models import OpenItem
from snapshots.queries.open_items import open_work
from tests.factories import imported
from tests.signing import own_program
from tests.tools.asking import given
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision

pytestmark = pytest.mark.django_db
LIST = "/w/acme/open-items/"
LOG = "memory/2026-11-19.md"


def block(hour: int, steps: str, blockers: str = "none", agent: str = "kim") -> str:
    return f"""
<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-11-19T{hour:02}:00:00 -->
<!-- snapshot-id: snap-{agent}-{hour} -->
<!-- agent: {agent} -->
### [SNAPSHOT] Task Goal
Mend the mill.

### [SNAPSHOT] Blockers & Open Questions
{blockers}

### [SNAPSHOT] Next Steps
{steps}
<!-- /BIG-MEMORY-SNAPSHOT -->
"""


FIRST = block(
    8,
    "1. Oil the wheel\n2. Order new sacks",
    "- Blocker: The miller holds the key\n- Question: Which flour is sold?",
)


def memory(number: int, **values: object) -> dict[str, str | bytes | None]:
    memory_id = f"CMEM-20261119-1{number}0000"
    text = render_session(SessionAnalysis(**values))  # type: ignore[arg-type]
    return {f"memories/{memory_id}.md": f"---\nid: {memory_id}\n---\n\n{text}"}


def texts(workspace: Workspace) -> set[str]:
    workspace.refresh_from_db()
    return {work.text for work in open_work(workspace) if not work.is_done}


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(workspace_root, {LOG: f"# Log\n{FIRST}"})


def test_sections_of_a_session_memory_may_have_any_order(
    hub_data: Path, workspace_root: Path
) -> None:
    sections = (
        "## Notes\nsee the ledger\n\n## Pending\n- Oil the wheel\n\n"
        "## Known Issues\n- The sluice leaks\n\n## Decisions\n- Use oak: it lasts\n\n"
        "## Objective\nMend the mill.\n\n## Session ID\nWFS-1\n"
    )
    files = {"memories/CMEM-20261119-110000.md": sections}

    workspace = imported(workspace_root, files)

    assert texts(workspace) == {"Oil the wheel", "The sluice leaks"}
    assert [row.text for row in Decision.objects.all()] == ["Use oak"]


def test_every_door_lists_what_a_snapshot_leaves_open(
    client: Client, workspace: Workspace
) -> None:
    wanted = {
        "Oil the wheel",
        "Order new sacks",
        "The miller holds the key",
        "Which flour is sold?",
    }
    caller = Caller(workspace, "kim", agent="kim")
    rest = own_program().get("/api/v1/workspaces/acme/open-items").json()
    page = client.get(LIST).content.decode()
    assert texts(workspace) == wanted
    assert {one["text"] for one in given(caller, "open_items")["items"]} == wanted
    assert all(text in str(rest) and text in page for text in wanted)
    recalled = str(given(caller, "recall", form="hub"))
    assert all(text in recalled for text in wanted)
    assert {row.agent.name for row in OpenItem.objects.all() if row.agent} == {"kim"}


def test_the_next_snapshot_supersedes_the_items_of_the_one_before(
    workspace: Workspace,
) -> None:
    before = {work.text: work.id for work in open_work(workspace)}
    other = block(7, "1. Count the geese", agent="ana")
    newer = block(9, "1. Order new sacks\n2. n/a\n3. none")
    say(workspace, {LOG: f"# Log\n{FIRST}{newer}", "memory/2026-11-18.md": other})

    assert texts(workspace) == {"Order new sacks", "Count the geese"}
    kept = {work.text: work.id for work in open_work(workspace)}
    assert kept["Order new sacks"] == before["Order new sacks"]
    assert_a_rebuild_changes_nothing(workspace)


def test_search_gives_a_superseded_item_as_a_line_of_its_snapshot(
    client: Client, workspace: Workspace
) -> None:
    def kinds(text: str) -> set[str]:
        found = given(Caller(workspace, "kim"), "memory_search", query=text)
        assert found["results"]
        return {hit["kind"] for hit in found["results"]}

    assert kinds("oil the wheel") == {"item"}
    say(workspace, {LOG: f"# Log\n{FIRST}{block(9, '1. Order new sacks')}"})
    workspace.refresh_from_db()

    assert kinds("oil the wheel") == {"snapshot"}
    page = client.get("/w/acme/search/", {"q": "oil the wheel"}).content.decode()
    assert 'id="group-snapshots"' in page and 'id="group-items"' not in page
    only = client.get("/w/acme/search/", {"q": "kind:item wheel"}).content.decode()
    assert "Nothing found" in only
    sacks = client.get("/w/acme/search/", {"q": "new sacks"}).content.decode()
    assert 'id="group-items"' in sacks


def test_an_item_that_a_log_states_too_stays_open_and_is_one(
    workspace: Workspace,
) -> None:
    log = f"# Log\n{FIRST}{block(9, 'none')}\n## Next steps\n- [ ] Oil the wheel\n"
    say(workspace, {LOG: log})
    assert texts(workspace) == {"Oil the wheel"}


def test_an_item_of_a_snapshot_is_closed_in_its_line(
    client: Client, workspace: Workspace
) -> None:
    codes = {work.text: work.code for work in open_work(workspace)}
    for text in ("Oil the wheel", "The miller holds the key"):
        client.post(f"{LIST}{codes[text]}/close/", {"key": text[:3]})
    assert texts(workspace) == {"Order new sacks", "Which flour is sold?"}
    assert_a_rebuild_changes_nothing(workspace)


def test_the_newest_session_memory_leaves_pending_issues_and_boxes_open(
    workspace_root: Path, hub_data: Path
) -> None:
    old = memory(0, pending=("Sweep the loft",), objective="x")
    workspace = imported(workspace_root, {k: v for k, v in old.items() if v})
    assert texts(workspace) == {"Sweep the loft"}
    new = memory(
        1,
        objective="x",
        plan="1. Stones\n- [x] lift the stone\n  - [ ] dress the stone\n",
        known_issues=("The sluice leaks", "None"),
        pending=("Grease the axle",),
    )
    say(workspace, new)
    assert texts(workspace) == {
        "dress the stone",
        "The sluice leaks",
        "Grease the axle",
    }
    assert_a_rebuild_changes_nothing(workspace)
