"""Sessions of one agent that claim the same files: each is a holder of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoryhub.claims.models import FileClaim
from memoryhub.claims.queries import overlaps_now
from memoryhub.claims.services import ClaimRefused
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.claims.test_claims import NOW, workspace
from tests.claims.test_edits import edit, told

__all__ = ["workspace"]


def ask(
    workspace: Workspace, session: str, host: str = "", **fields: Any
) -> dict[str, Any]:
    """Call the tool as the agent smith in a session, or in a process of a host's."""
    tool = tool_named("files_claim")
    caller = Caller(
        workspace, "smith", "smith", session, clock=lambda: NOW, host_session=host
    )
    return call(tool, caller, request_of(tool, fields)).model_dump(mode="json")


def begin(workspace: Workspace, session: str, event: str = "SessionStart") -> Any:
    said = {"session_id": session, "cwd": workspace.root}
    return told(workspace, event, said, "smith", at=0)


def edits(workspace: Workspace, session: str, path: str = "anvil.py") -> bool:
    said = edit(workspace, f"{workspace.root}/{path}") | {"session_id": session}
    return told(workspace, "PreToolUse", said, "smith") is None


def test_a_session_is_refused_what_another_of_its_agent_has(
    workspace: Workspace,
) -> None:
    ask(workspace, "dawn", paths=["anvil.py"], reason="new horn")

    with pytest.raises(ClaimRefused) as refused:
        ask(workspace, "dusk", paths=["*.py"])
    assert refused.value.parameters["where"] == " in another session"
    assert edits(workspace, "dawn")
    assert not edits(workspace, "dusk")


def test_a_caller_without_a_session_is_its_agent_in_any(workspace: Workspace) -> None:
    ask(workspace, "dawn", paths=["anvil.py"])
    ask(workspace, "", paths=["anvil.py", "tongs.py"])

    assert edits(workspace, "dusk", "tongs.py")
    released = ask(workspace, "", action="release")["claims"]
    assert [claim["path"] for claim in released] == ["anvil.py", "tongs.py"]


def test_the_host_names_the_session_of_the_server_that_it_started(
    workspace: Workspace,
) -> None:
    for session in ("5f1e", "77aa"):
        begin(workspace, session)
    ask(workspace, "", host="5f1e", paths=["anvil.py"])

    with pytest.raises(ClaimRefused, match="files-claimed"):
        ask(workspace, "", host="77aa", paths=["anvil.py"])
    assert edits(workspace, "5f1e")
    assert not edits(workspace, "77aa")


def test_a_session_that_no_hook_reports_is_no_holder_of_its_own(
    workspace: Workspace,
) -> None:
    ask(workspace, "", host="5f1e", paths=["anvil.py"])
    assert FileClaim.objects.get().session == ""
    assert edits(workspace, "77aa")


def test_a_cleared_session_leaves_its_claims_to_the_next(workspace: Workspace) -> None:
    begin(workspace, "5f1e")
    ask(workspace, "", host="5f1e", paths=["anvil.py"])
    begin(workspace, "5f1e", "SessionEnd")
    begin(workspace, "77aa")

    ask(workspace, "", host="5f1e", paths=["tongs.py"])

    assert edits(workspace, "77aa")
    assert edits(workspace, "77aa", "tongs.py")


def test_two_sessions_of_one_agent_overlap_by_force(workspace: Workspace) -> None:
    ask(workspace, "dawn", paths=["anvil.py"])
    got = ask(workspace, "dusk", paths=["anvil.py"], force=True)

    assert [claim["session"] for claim in got["overlaps"]] == ["dawn"]
    (overlap,) = overlaps_now(workspace, NOW + timedelta(minutes=1))
    assert overlap.names == ("smith", "anvil.py", "smith", "anvil.py")


def test_the_start_of_a_session_names_what_another_one_has(
    workspace: Workspace,
) -> None:
    ask(workspace, "dawn", paths=["anvil.py"])
    context = begin(workspace, "dusk")["hookSpecificOutput"]["additionalContext"]
    assert "> anvil.py by smith in another session until" in context
