"""ccw's core memory: ids never collide, and a bundle carries everything."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from memoryhub.dialects.session_compact.session_memory import recovery_banner
from memoryhub.errors.base import ToolError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.models import ToolCall
from memoryhub.web.kit.refusals import refusal_of
from snapshots.models import SessionMemory
from tests.factories import NOON, imported, write
from tests.tools.asking import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

ID = "CMEM-20261120-120000"
MEMORY = {
    "id": "CMEM-20260101-101010",
    "content": "## Objective\nShip\n\n---\n- x",
    "summary": "All\nof it",
    "raw_output": 'line 1\nit\'s "quoted"',
    "created_at": "2026-01-01T10:10:10.000Z",
    "updated_at": "2026-01-01T10:10:10.000Z",
    "archived": True,
    "metadata": {"compressed_from": ["a: b", "c"], "ratio": 0.5},
    "tags": ["api, v2", "jwt"],
}


@pytest.fixture
def caller(workspace_root: Path) -> Caller:
    workspace = imported(workspace_root, {"notes.md": "x\n"})
    return Caller(workspace, "agent:scout", agent="scout", clock=lambda: NOON)


def bundle(*memories: dict[str, Any]) -> str:
    return json.dumps({"version": "1.0", "memories": memories})


def test_an_import_is_a_file_of_its_own(caller: Caller) -> None:
    made = asked(caller, "core_memory", operation="import", text="\n Hello: wörld\n\n")

    place = Path(caller.workspace.root) / f"memory/sessions/{ID}.md"
    assert (made.id, made.message) == (ID, f"Created memory: {ID}")
    assert place.read_text().endswith("---\n\nHello: wörld")
    assert made.model_dump() == {
        "operation": "import",
        "id": ID,
        "message": f"Created memory: {ID}",
        "state": "applied",
        "banner": recovery_banner("CMEM-20261120-120000", "acme"),
    }


def test_a_second_import_in_a_second_gets_the_next(caller: Caller) -> None:
    write(Path(caller.workspace.root), {f"memory/sessions/{ID}.md": "not seen yet"})

    ids = [asked(caller, "core_memory", operation="import", text="x").id for _ in "12"]

    assert ids == ["CMEM-20261120-120001", "CMEM-20261120-120002"]


@pytest.mark.django_db(transaction=True)
def test_imports_at_once_never_get_one_id(caller: Caller) -> None:
    def make(number: int) -> str:
        try:
            one = replace(caller, nonce=str(number))
            made: str = asked(
                one, "core_memory", operation="import", text=f"t{number}"
            ).id
            return made
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        ids = list(pool.map(make, range(12)))

    assert len(set(ids)) == 12
    texts = {
        asked(caller, "core_memory", operation="export", id=i).content for i in ids
    }
    assert texts == {f"t{number}" for number in range(12)}


def test_an_import_made_again_after_a_crash_is_one_memory(caller: Caller) -> None:
    keyed = replace(caller, key="k")
    first = asked(keyed, "core_memory", operation="import", text="x")
    again = replace(keyed, clock=lambda: NOON.replace(hour=13))
    ToolCall.objects.update(answer=None)

    assert asked(again, "core_memory", operation="import", text="x") == first
    assert SessionMemory.objects.count() == 1


def test_an_export_gives_the_text_exactly(caller: Caller) -> None:
    text = "---\nid: no\n---\n\n# A\r\n\u2028\n- b"
    made = asked(caller, "core_memory", operation="import", text=text)

    assert asked(caller, "core_memory", operation="export", id=made.id).content == text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"operation": "import", "text": " \ufeff\n"}, '"text" is required for import'),
        ({"operation": "export"}, '"id" is required for export'),
        ({"operation": "export", "id": "X"}, 'Memory "X" not found in any project'),
    ],
)
def test_refusals_are_worded_as_ccw_does(
    caller: Caller, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(ToolError) as caught:
        asked(caller, "core_memory", **fields)

    assert said in refusal_of(caught.value).message


def test_a_list_is_newest_first_and_all_tags_count(caller: Caller) -> None:
    for number, tags in enumerate((["a"], ["a", "b"], ["b", "a"])):
        memory = {**MEMORY, "id": f"CMEM-2026010{number + 1}-101010", "tags": tags}
        minute = partial(NOON.replace, minute=number)
        asked(
            replace(caller, clock=minute),
            "core_memory_bundle",
            operation="import",
            bundle=bundle(memory),
        )

    listed = asked(caller, "core_memory", operation="list", tags=["b", "a"], limit=5)

    assert [m.id[8:13] for m in listed.memories] == ["60103", "60102"]
    assert listed.total == 2


def test_a_preview_is_a_hundred_units(caller: Caller) -> None:
    asked(caller, "core_memory", operation="import", text="🧠" * 51)

    (shown,) = asked(caller, "core_memory", operation="list").memories

    assert shown.preview == "🧠" * 50 + "..."


def test_a_bundle_comes_back_whole_but_for_its_times(caller: Caller) -> None:
    asked(caller, "core_memory_bundle", operation="import", bundle=bundle(MEMORY))

    text = asked(caller, "core_memory_bundle", operation="export").bundle

    (held,) = json.loads(text)["memories"]
    now = "2026-11-20T12:00:00.000Z"
    times = {"created_at": now, "updated_at": now, "archived": False}
    assert held == {**MEMORY, **times}


def test_what_is_there_is_skipped_or_overwritten(caller: Caller) -> None:
    asked(caller, "core_memory_bundle", operation="import", bundle=bundle(MEMORY))
    other = bundle({**MEMORY, "content": "new"})
    fields = {"operation": "import", "bundle": other}

    assert asked(caller, "core_memory_bundle", **fields).skipped == [MEMORY["id"]]
    done = asked(caller, "core_memory_bundle", **fields, overwrite=True)

    assert done.overwritten == [MEMORY["id"]]
    said = asked(caller, "core_memory", operation="export", id=MEMORY["id"])
    assert said.content == "new"
    undo(caller.workspace, Operation.objects.latest("seq"), "me")
    said = asked(caller, "core_memory", operation="export", id=MEMORY["id"])
    assert said.content == MEMORY["content"]


def test_a_bundle_imported_again_after_a_crash_says_what_it_did(caller: Caller) -> None:
    keyed = replace(caller, key="k")
    fields = {"operation": "import", "bundle": bundle(MEMORY)}
    first = asked(keyed, "core_memory_bundle", **fields)
    ToolCall.objects.update(answer=None)

    again = asked(keyed, "core_memory_bundle", **fields)

    assert again == first
    assert (again.imported, again.skipped) == ([MEMORY["id"]], [])
    assert asked(caller, "core_memory_bundle", **fields).skipped == [MEMORY["id"]]


def test_a_prefix_keeps_them_apart(caller: Caller) -> None:
    fields = {"operation": "import", "bundle": bundle(MEMORY)}
    asked(caller, "core_memory_bundle", **fields)

    done = asked(caller, "core_memory_bundle", **fields, prefix="team-a")

    assert done.imported == [f"team-a-{MEMORY['id']}"]
    row = SessionMemory.objects.get(memory_id=done.imported[0])
    assert row.file.path == f"memory/sessions/{done.imported[0]}.md"
    sync_workspace(caller.workspace)
    assert asked(caller, "core_memory", operation="export", id=row.memory_id).content


def test_odd_entries_are_told_and_the_rest_is_kept(caller: Caller) -> None:
    odd: list[dict[str, Any]] = [
        {"id": "../../x", "content": "a"},
        {"id": 1},
        {**MEMORY, "content": "\0"},
    ]
    good = {**MEMORY, "id": "CMEM-20260102-101010"}

    done = asked(
        caller, "core_memory_bundle", operation="import", bundle=bundle(*odd, good)
    )

    assert done.imported == [good["id"]] and done.memories == 4
    assert set(done.failed) == {"../../x", "entry 1", MEMORY["id"]}


def test_what_is_no_bundle_is_refused(caller: Caller) -> None:
    with pytest.raises(FormatError, match=r"^json-invalid"):
        asked(caller, "core_memory_bundle", operation="import", bundle="{")


def test_an_import_shows_the_recovery_id_in_the_frame_of_the_command(
    caller: Caller,
) -> None:
    made = asked(caller, "core_memory", operation="import", text="Went well")

    shown = made.as_text().split("\n", 2)[2]
    assert shown == recovery_banner(made.id, caller.workspace.slug)
    assert shown.startswith("╔═") and "║  ✓ Session Memory Saved  " in shown
