"""Claims of files: made, refused, renewed, released, and ended by themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memoryhub.claims.models import FileClaim
from memoryhub.claims.queries import ended_for, overlaps_now
from memoryhub.claims.services import ClaimRefused, end_claims
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.conftest import MakeWorkspace

NOW = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    (workspace_root / "MEMORY.md").write_text("# Memory\n")
    made = make_workspace(workspace_root)
    sync_workspace(made)
    return made


def ask(
    workspace: Workspace, agent: str, later: float = 0, **fields: Any
) -> dict[str, Any]:
    """Call the tool as an agent, some minutes after `NOW`."""
    now = NOW + timedelta(minutes=later)
    tool = tool_named("files_claim")
    caller = Caller(workspace, agent, agent, clock=lambda: now)
    return call(tool, caller, request_of(tool, fields)).model_dump(mode="json")


def test_what_one_agent_holds_is_refused_to_another_by_name(
    workspace: Workspace,
) -> None:
    ask(workspace, "ann", paths=["src/api"], reason="new routes")

    with pytest.raises(ClaimRefused) as refused:
        ask(workspace, "bob", paths=["docs/x.md", "src/**/routes.py"])

    assert refused.value.code == "files-claimed"
    assert refused.value.parameters["agent"] == "ann"
    assert "2026-11-25T13:00" in str(refused.value.parameters["until"])
    assert FileClaim.objects.filter(agent="bob").count() == 0


def test_a_claim_ends_by_itself(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src"], minutes=5)

    got = ask(workspace, "bob", later=5, paths=["src/a.py"])

    assert [claim["agent"] for claim in got["claims"]] == ["bob"]
    with pytest.raises(ClaimRefused, match="claim-ended"):
        ask(workspace, "ann", later=6, action="renew", paths=["src"])


def test_the_holder_renews_and_releases(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src", "docs"], minutes=5)
    ask(workspace, "ann", later=4, action="renew", minutes=10)
    ask(workspace, "ann", later=5, action="release", paths=["docs"])

    listed = ask(workspace, "bob", later=13, action="list")

    assert [(c["path"], c["agent"]) for c in listed["claims"]] == [("src", "ann")]
    assert (
        ask(workspace, "bob", later=13, action="list", paths=["docs"])["claims"] == []
    )


def test_a_claim_made_again_is_one_claim(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src", "./src/"])
    ask(workspace, "ANN", later=30, paths=["src"], minutes=60)

    (claim,) = ask(workspace, "bob", later=80, action="list")["claims"]
    assert claim["until"].startswith("2026-11-25T13:30")


def test_an_overlap_is_forced_and_named(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src"])

    got = ask(workspace, "bob", paths=["src/a.py"], force=True)

    assert [claim["agent"] for claim in got["overlaps"]] == ["ann"]
    (overlap,) = overlaps_now(workspace, NOW)
    assert overlap.names == ("ann", "src", "bob", "src/a.py")
    assert not overlaps_now(workspace, NOW + timedelta(hours=2))


def test_each_pair_of_overlapping_claims_is_named_once(workspace: Workspace) -> None:
    for agent in ("ann", "bob", "eve"):
        ask(workspace, agent, paths=["src/a.py", f"{agent}.md"], force=True)

    pairs = [overlap.names[::2] for overlap in overlaps_now(workspace, NOW)]

    assert pairs == [("ann", "bob"), ("ann", "eve"), ("bob", "eve")]


def test_a_person_ends_what_was_claimed_again_since_the_page_was_read(
    workspace: Workspace,
) -> None:
    ask(workspace, "ann", paths=["src"])
    (claim,) = FileClaim.objects.all()
    ask(workspace, "ann", later=1, paths=["src"])
    assert end_claims(workspace, [claim.pk], "lead", NOW + timedelta(minutes=2)) == 1


def test_repositories_with_different_names_do_not_meet(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src"], repository="web")
    ask(workspace, "bob", paths=["src"], repository="mill")

    with pytest.raises(ClaimRefused):
        ask(workspace, "eve", paths=["src/x"], repository="WEB")
    with pytest.raises(ClaimRefused):
        ask(workspace, "eve", paths=["src/x"])


def test_a_claim_is_the_same_path_in_any_case(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src/Api"], minutes=5)
    ask(workspace, "ann", later=1, paths=["SRC/api"], minutes=60)

    (claim,) = ask(workspace, "bob", later=2, action="list")["claims"]
    assert claim["until"].startswith("2026-11-25T13:01")
    ask(workspace, "ann", later=3, action="release", paths=["src/api"])
    assert ask(workspace, "bob", later=4, action="list")["claims"] == []


@pytest.mark.parametrize("action", ["release", "renew"])
def test_a_claim_of_one_repository_leaves_those_of_others(
    workspace: Workspace, action: str
) -> None:
    for name in ("web", "mill"):
        ask(workspace, "ann", paths=["src"], repository=name, minutes=5)
    ask(workspace, "ann", 1, action=action, paths=["src"], repository="WEB")

    (claim,) = (
        c
        for c in ask(workspace, "bob", later=2, action="list")["claims"]
        if c["repository"] == "mill"
    )
    assert claim["until"].startswith("2026-11-25T12:05")
    held = ask(workspace, "bob", later=9, action="list")["claims"]
    assert [c["repository"] for c in held] == ["web"] * (action == "renew")
    with pytest.raises(ClaimRefused, match="claim-ended"):
        ask(workspace, "ann", 2, action=action, paths=["src"], repository="docs")


def test_a_path_outside_is_refused_with_the_reason(workspace: Workspace) -> None:
    with pytest.raises(FormatError, match="claim-path"):
        ask(workspace, "ann", paths=["src", "../other"])
    with pytest.raises(FormatError, match="claim-nothing"):
        ask(workspace, "ann")


def test_a_person_ends_a_claim_and_its_holder_hears(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src"])
    (claim,) = FileClaim.objects.all()

    ended = end_claims(workspace, [claim.pk], "lead", NOW + timedelta(minutes=1))

    assert ended == 1
    assert ask(workspace, "bob", later=2, paths=["src"])["claims"]
    assert [c.path for c in ended_for(workspace, "ann", NOW)] == ["src"]
    assert not ended_for(workspace, "bob", NOW)


def test_a_rebuild_leaves_claims_alone(workspace: Workspace) -> None:
    ask(workspace, "ann", paths=["src"])
    rebuild(workspace)
    assert FileClaim.objects.get().agent == "ann"
