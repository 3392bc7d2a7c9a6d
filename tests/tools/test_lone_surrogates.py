"""Half of a character, as JSON can escape one: every door refuses it and names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Operation
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.tools.doors import DOORS, Door, directly

HALF = "half \ud800 of it"
CALLS = {
    "memory_append": {"content": HALF},
    "context_snap": {"action": "checkpoint", "topic": "bread", "status": HALF},
    "handoff_send": {"to": "dev", "type": "write", "context": HALF, "input": "i"},
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", [directly, *DOORS.values()], ids=["direct", *DOORS])
@pytest.mark.parametrize("tool", CALLS)
def test_half_a_character_is_refused_with_its_field(
    make_workspace: MakeWorkspace, tmp_path: Path, door: Door, tool: str
) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    make_workspace(root)
    fields = CALLS[tool]

    given = door(CallerOptions(workspace="shop", agent="dev"), tool, fields)

    (name,) = (name for name, value in fields.items() if value == HALF)
    assert given.refused
    # REST refuses such a body as a whole, before it is given to a tool.
    assert name in str(given.fields) or given.fields["error"]["code"] == "json-invalid"
    assert not list(root.rglob("*.md")) and not Operation.objects.exists()
